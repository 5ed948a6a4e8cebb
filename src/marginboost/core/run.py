"""A whole run: from a sample, an oracle and a rule to a model with its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.parallel import one_algebra_thread
from ..types import Array
from .callbacks import Callback
from .certificate import Certificate
from .ensemble import Ensemble
from .history import History
from .loop import boost
from .objective import Rounding
from .oracle import Oracle
from .rule import Rule
from .sample import Sample
from .state import State
from .stop import Stop


@dataclass(frozen=True)
class Run:
    """What a run leaves behind.

    Attributes
    ----------
    ensemble : Ensemble
        The model.
    history : History
        One row per round.
    certificate : Certificate
        Bounds on the best possible value.
    stop : Stop
        Why the run ended.
    dual : array
        Last signed weights.
    scores : array
        Scores of the model on the sample.
    sample : Sample
        What was learnt from.
    """

    ensemble: Ensemble
    history: History
    certificate: Certificate
    stop: Stop
    dual: Array
    scores: Array
    sample: Sample

    @property
    def margins(self) -> Array:
        """``y F(x) / Σ|coef|`` of all examples; 0 for the empty ensemble, NaN of targets.

        See R1-Q11.
        """
        if self.sample.numeric:
            return np.full(len(self.scores), np.nan)
        margins = self.sample.y * self.scores
        margins /= self.ensemble.l1_norm or 1.0  # in place: rows may be many
        return margins


@one_algebra_thread()
def train(
    sample: Sample,
    oracle: Oracle,
    rule: Rule,
    *,
    max_rounds: int,
    tol: float | None = None,
    callbacks: Sequence[Callback] = (),
) -> Run:
    """Run the loop on a sample and gather the results.

    BLAS has one thread meanwhile: it would add up many rows in an order that depends on how many
    processors there are, and rules, base learners and solvers may use it as they like.

    Parameters
    ----------
    sample : Sample
        Rows, labels, prior weights.
    oracle : Oracle
        The base learner, not yet bound.
    rule : Rule
        The algorithm, fresh.
    max_rounds : int
        Most rounds.
    tol : float, optional
        Stop when the bounds are this close.
    callbacks : sequence of Callback
        Called before the first round, after every round, and at the end.
    """
    if sample.parts is not None:
        check_on_parts(oracle, rule)
    bound = oracle.bind(sample)
    state = State(sample)
    rule.start(state)
    oracle.check_asked(rule.columns_per_round)
    callbacks = sorted(callbacks, key=lambda callback: callback.saves_state)
    try:
        for callback in sorted(callbacks, key=lambda callback: not callback.saves_state):
            callback.on_start(state, bound, rule, max_rounds)
        stop = boost(state, bound, rule, max_rounds=max_rounds, tol=tol, callbacks=callbacks)
    finally:
        for callback in callbacks:
            callback.on_end(state)
    return _gather(state, bound, rule, stop)


def check_on_parts(*pieces: Oracle | Rule) -> None:
    """Raise where base learner or algorithm must see all rows at once."""
    for piece in pieces:
        if not vars(type(piece)).get("on_parts"):
            raise TypeError(
                f"{type(piece).__name__} must see all rows at once: it cannot run on rows in parts"
            )


def _gather(state: State, oracle: Oracle, rule: Rule, stop: Stop) -> Run:
    chosen = state.keep or state.combination()
    if rule.maximises_margin and state.keep is None and state.best[0] > state.min_margin:
        chosen = state.combination(state.best[1:])
    ensemble, scores, value = state.ensemble(chosen), state.scores, rule.value(state)
    if chosen != state.combination():
        value = rule.value_on(state, ensemble)
        if state.sample.parts is None:
            scores = state.sample.scores(ensemble)
    certificate = _certificate(state, oracle, rule, value)
    return Run(ensemble, state.history, certificate, stop, state.dual, scores, state.sample)


def _certificate(state: State, oracle: Oracle, rule: Rule, value: float) -> Certificate:
    """Bounds of the run, rounded outwards; a proof unless something speaks against it."""
    sample, lower, upper = state.sample, state.lower, state.upper
    if np.isfinite([lower, upper]).all():
        rounding = Rounding(sample.n_rows, len(state.members), sample.total)
        lower, upper = rule.objective.outward(lower, upper, rounding)
    does = "always returns" if oracle.exact else "need not return"
    return Certificate.of(
        lower,
        upper,
        value,
        oracle.exact and not rule.uncertified_reason,
        rule.uncertified_reason
        or f"the base learner {does} the largest edge over {oracle.class_name}",
    )
