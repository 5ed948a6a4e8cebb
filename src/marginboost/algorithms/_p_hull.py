"""What the rules of p-boosting share: votes that shrink, weights of other scores, fresh starts.

A round multiplies the vote by a factor and adds a hypothesis. Steps and factors are remembered, so
that a resumed run makes the same scores, bit for bit; some rules make their weights from a second
vote of the same hypotheses, which is made anew the same way.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..duals.exponential import weigh_scores
from ..kernels.weights import add_column
from ..solvers.line_search import exponential_step, longest_step
from ..solvers.p_hull import log_norm
from ..types import Array
from .adaboost import ROUNDING, STEEP, TINY, binary_step

SMALLEST = 1e-290
"""Least coefficient of a new hypothesis: below, numbers lose their digits."""


class Move(NamedTuple):
    """One round: the vote times ``factor``, plus ``step`` times the new hypothesis.

    ``raw`` is the coefficient of the hypothesis in the vote that weights are made from, for rules
    that keep a second one.
    """

    factor: float
    step: float
    raw: float


def hull_move(step: float, p: float) -> Move | Stop:
    """Move by a step, and back onto the hull; a step of 0 is none.

    For p below a thousandth or so the hull is too far away for numbers: that ends the run as well.
    """
    if step <= 0.0:
        return Stop.STALLED
    factor = math.exp(-log_norm(step, p))
    return Move(factor, step * factor, step) if step * factor > SMALLEST else Stop.SOLVER


def adaboost_step(state: State, best: Candidate) -> float:
    """Step that minimises the exponential loss under the present weights, of a finite length."""
    if best.binary:
        return binary_step(state, best)
    return _finite_step(np.maximum(np.abs(state.dual), TINY), state.sample.y * best.column)


def _finite_step(weights: Array, outcomes: Array) -> float:
    return min(exponential_step(weights, outcomes), longest_step(outcomes))


class PHullRule(Rule):
    """A vote that shrinks, or is powered, as hypotheses come in.

    A subclass says in :meth:`find_move` what a round does. A base learner without an edge, and a
    line search without a minimum, end the run, or a *fresh start*: the weights are the prior again,
    the vote stays, and the run goes on (BA-A10). Two fresh starts in a row end it.

    Parameters
    ----------
    p : float
        Above 0.
    max_restarts : int
        Most fresh starts.
    """

    def __init__(self, p: float, max_restarts: int = 0) -> None:
        self.p = p
        self.max_restarts = max_restarts
        self._moves: list[Move] = []
        self._restarts = 0
        self._fresh = False
        self._raw = np.zeros(0)

    # -- what a subclass says --------------------------------------------------------------------

    @property
    def raw_weights(self) -> bool:
        """Whether weights come from a vote of their own, with the raw coefficients."""
        return False

    @abstractmethod
    def find_move(self, state: State, best: Candidate) -> Move | Stop:
        """What to do with a hypothesis of positive edge; a reason to stop where nothing can be."""

    def coef_at(self, p: float) -> Array:
        """Coefficients of the same hypotheses with another p, where they do not depend on it."""
        raise NotImplementedError(f"hypotheses of {type(self).__name__} depend on p")

    @property
    def raw_coef(self) -> Array:
        """Raw coefficients of the hypotheses."""
        return np.array([move.raw for move in self._moves])

    def steepness(self, state: State) -> float:
        """Factor on the scores from which weights are made."""
        return 1.0

    def line_step(self, state: State, best: Candidate) -> float:
        """Step that minimises the exponential loss along the hypothesis; at most 0 for none."""
        if not self._fresh:
            return adaboost_step(state, best) / self.steepness(state)
        exponent = -self.steepness(state) * state.sample.y * state.scores
        weights = state.sample.prior * np.exp(exponent - exponent.max())
        outcomes = state.sample.y * best.column
        return _finite_step(np.maximum(weights, TINY), outcomes) / self.steepness(state)

    # -- the rule --------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Scores of the moves made so far, and weights that follow."""
        state.scores[:] = 0.0
        self._raw = np.zeros(len(state.scores) if self.raw_weights else 0)
        for member, move in zip(state.members[state.first :], self._moves, strict=True):
            self._add(state, state.sample.column(member), move)
        self._weigh(state)

    def _add(self, state: State, column: Any, move: Move) -> None:
        """Repeat a move on the scores alone."""
        if move.factor != 1.0:
            state.scores *= move.factor
        add_column(state.scores, column, move.step)
        if self.raw_weights:
            add_column(self._raw, column, move.raw)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Make the move; without one, start afresh or stop."""
        best = found[0]
        state.shrink(1.0)
        if self._without_edge(best.edge):
            return self._abort(state, Stop.NO_EDGE)
        if best.edge > STEEP and bool((state.sample.y * best.column == 1.0).all()):
            return self._take_alone(state, best)
        move = self.find_move(state, best)
        if isinstance(move, Stop):
            return self._abort(state, move)
        self._make(state, best, move)
        return None

    def _without_edge(self, edge: float) -> bool:
        return edge <= ROUNDING

    def _make(self, state: State, best: Candidate, move: Move) -> None:
        state.shrink(move.factor)
        state.move(best, move.step)
        if self.raw_weights:
            add_column(self._raw, best.column, move.raw)
        self._moves.append(move)
        self._fresh = False
        self._weigh(state)
        state.note(coef=move.step)

    def _take_alone(self, state: State, best: Candidate) -> Stop:
        """Keep nothing but a hypothesis that is right on every example."""
        state.restart()
        self._moves = []
        self._raw[:] = 0.0
        self._make(state, best, Move(1.0, 1.0, 1.0))
        state.note(min_margin=state.min_margin, length=1.0)
        return Stop.PERFECT

    def _abort(self, state: State, reason: Stop) -> Stop | None:
        """Leave the vote as it is; go on from the prior weights if that is allowed and new."""
        state.note(coef=0.0)
        if not state.size or self._fresh or self._restarts >= self.max_restarts:
            return reason
        self._restarts += 1
        self._fresh = True
        self._weigh(state)
        return None

    def _weigh(self, state: State) -> None:
        """Make the weights; the margin is always that of the vote."""
        if self._fresh:
            state.dual[:] = state.sample.y * state.sample.prior
        else:
            scores = self._raw if self.raw_weights else state.scores
            weigh_scores(state, scores, self.steepness(state))
        if state.l1_norm > 0.0:
            state.min_margin = float(np.min(state.sample.y * state.scores)) / state.l1_norm

    def get_state(self) -> dict[str, Any]:
        """Return the moves and the fresh starts."""
        return {
            "moves": [list(move) for move in self._moves],
            "restarts": self._restarts,
            "fresh": self._fresh,
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        self._moves = [Move(*map(float, move)) for move in saved["moves"]]
        self._restarts = int(saved["restarts"])
        self._fresh = bool(saved["fresh"])
