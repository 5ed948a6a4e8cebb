"""The only boosting loop."""

from __future__ import annotations

from collections.abc import Iterable

from .callbacks import Callback
from .oracle import Oracle
from .rule import Rule
from .state import State
from .stop import Stop


def boost(
    state: State,
    oracle: Oracle,
    rule: Rule,
    *,
    max_rounds: int,
    tol: float | None = None,
    callbacks: Iterable[Callback] = (),
) -> Stop:
    """Weights → hypothesis of largest edge → new combination → new weights, until a reason to stop.

    ``state.round`` rounds are already behind the state; ``tol`` is the gap at which bounds count as
    met, None for never.
    """
    while state.round < max_rounds:
        found = oracle.best(state.weights, rule.columns_per_round, round=state.round + 1)
        state.round += 1
        state.bracket(upper=rule.upper(state, found[0].edge))
        if tol is not None and state.gap <= tol:
            state.record(found[0].edge)
            return Stop.GAP
        stop = rule.update(state, found)
        state.bracket(lower=rule.value(state))
        state.record(found[0].edge)
        verdicts = [callback.on_round(state) for callback in callbacks]  # all see every round
        for reason in (stop, *verdicts):
            if reason:
                return reason
    return Stop.ROUNDS
