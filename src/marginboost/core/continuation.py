"""Runs that go on where another one ended, on the same rows or on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .callbacks import Callback
from .ensemble import Ensemble
from .history import History

if TYPE_CHECKING:
    from .oracle import Oracle
    from .rule import Rule
    from .state import State


def rounds_kept(ensemble: Ensemble, history: History) -> int:
    """Rounds behind an ensemble with one hypothesis per round, perhaps after a constant.

    Early stopping leaves the best combination of a run, which had more rounds.

    >>> history = History({"edge": [0.1, 0.1, 0.1], "coef": [0.3, 0.2, 0.1]})
    >>> rounds_kept(Ensemble((), np.empty(0)), history)
    0
    """
    coef, steps = ensemble.coef, history["coef"]
    if np.array_equal(coef, steps[: len(coef)]):
        return len(coef)
    return len(coef) - 1


class Continuation(Callback):
    """Begin with an ensemble instead of nothing, as if its rounds were made in this run.

    With the rows and settings that it was made with, the run is the same, bit for bit, as one that
    never stopped: scores are added up in the same order, and what is random is drawn by the number
    of the round. For rules that add one hypothesis per round.

    Parameters
    ----------
    ensemble : Ensemble
        To begin with.
    history : History
        Of its rounds.
    """

    saves_state = True

    def __init__(self, ensemble: Ensemble, history: History) -> None:
        self.ensemble = ensemble
        self.rounds = rounds_kept(ensemble, history)
        self.history = history.first(self.rounds)

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Put the ensemble in the place of the first rounds."""
        if not len(self.ensemble):
            return
        before = {name: self.history.last(name) for name in self.history} if self.rounds else {}
        seconds = before.get("seconds", 0.0)
        state.restore(
            {
                "coef": self.ensemble.coef.tolist(),
                "first": 0,
                "best": (-np.inf, 0, 0),
                "keep": None,
                "memo": {},
                "round": self.rounds,
                "lower": -np.inf,  # the rows may be others
                "upper": np.inf,
                "l1_norm": before.get("length", abs(float(self.ensemble.coef[0]))),
                "min_margin": -1.0,
                "history": self.history.to_dict(),
                "seconds": 0.0 if np.isnan(seconds) else seconds,  # a model file has no times
            },
            list(self.ensemble.members),
        )
        rule.start(state)
        state.bracket(lower=rule.value(state))
