"""Hedge, and boosting as a repeated game (SF-M6).

A matrix M[i, j] = y_i h_j(x_i) is a game: the row player puts weights on examples and loses the
edge, the column player chooses hypotheses. The value of the game is the largest margin ρ*. Hedge
(multiplicative weights) does nearly as well as the best fixed row, whatever the losses; against a
column player who always answers best, averages of both players approach the value. AdaBoost and
Arc-GV are row players of the same kind, whose rates are steps that they choose themselves.

References: Freund & Schapire, *A decision-theoretic generalization of on-line learning*, 1997;
*Game theory, on-line prediction and boosting*, 1996; *Adaptive game playing*, 1999.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..types import Array

STRATEGIES = ("hedge", "adaboost", "arc-gv")
LOWEST, HIGHEST = -0.99, 1.0 - 1e-9
"""Limits of Arc-GV's target, which at -1 and 1 would make steps infinite."""


@dataclass(frozen=True)
class HedgeRun:
    """What Hedge did.

    Attributes
    ----------
    weights : array (rounds + 1, actions)
        Weights before each round, and after the last.
    loss, best : float
        Sum of its expected losses, and that of the best action.
    bound : float
        What the theorem allows its loss to be.
    """

    weights: Array
    loss: float
    best: float
    bound: float

    @property
    def regret(self) -> float:
        """By how much it lost more than the best action."""
        return self.loss - self.best


def hedge(losses: Array, rate: float) -> HedgeRun:
    """Play Hedge(β), β = exp(-rate), against losses in [0, 1].

    Theorem: the loss is at most ``(rate · best + ln N) / (1 - exp(-rate))``, whatever the losses.

    Parameters
    ----------
    losses : array (rounds, actions)
        Losses in [0, 1]; those of a round are seen after it.
    rate : float
        Above 0; see :func:`hedge_rate`.

    Examples
    --------
    >>> run = hedge(np.array([[0.0, 1.0], [0.0, 1.0]]), rate=1.0)
    >>> run.best, run.loss <= run.bound
    (0.0, True)
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or not table.size or table.min() < 0.0 or table.max() > 1.0:
        raise ValueError("losses: expected a matrix (rounds, actions) of numbers from 0 to 1")
    if not rate > 0.0:
        raise ValueError(f"rate: got {rate!r}, expected a positive number")
    totals = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
    logs = -rate * totals
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    loss, best = float((weights[:-1] * table).sum()), float(totals[-1].min())
    bound = (rate * best + math.log(table.shape[1])) / -math.expm1(-rate)
    return HedgeRun(weights, loss, best, bound)


def hedge_rate(actions: int, largest_best: float) -> float:
    """Rate with which the regret is at most ``√(2 L ln N) + ln N``, if the best action loses ≤ L.

    >>> round(hedge_rate(10, 100.0), 4)
    0.1944
    """
    return math.log1p(math.sqrt(2.0 * math.log(actions) / largest_best))


@dataclass(frozen=True)
class Game:
    """A repeated game in which the column player answers best.

    Attributes
    ----------
    rows, columns : array
        Mean weights of the examples (Hedge's; of the others the last ones), and the share of each
        hypothesis in the vote.
    chosen : list of int
        Hypothesis of every round.
    edges : array
        Its edge.
    lower, upper : float
        What both mixed strategies prove about the value: a margin and an edge.
    """

    rows: Array
    columns: Array
    chosen: list[int]
    edges: Array
    lower: float
    upper: float


def play(matrix: Array, rounds: int, strategy: str = "hedge", rate: float | None = None) -> Game:
    """Let a row player meet a column player who always answers with the largest edge.

    After T rounds of Hedge at the default rate √(2 ln N / T), the bounds on the value of a game
    with entries in [-1, 1] are within ``√(2 ln N / T)`` of it.

    Parameters
    ----------
    matrix : array (examples, hypotheses)
        What the column player gains, in [-1, 1].
    rounds : int
        Rounds; AdaBoost and Arc-GV end earlier where a hypothesis is right on every example.
    strategy : {"hedge", "adaboost", "arc-gv"}
        Of the row player: a constant step, artanh(edge), or artanh(edge) - artanh(margin so far).
    rate : float, optional
        Step of Hedge.

    Examples
    --------
    >>> game = play(np.array([[1.0, -1.0], [-1.0, 1.0]]), 100)
    >>> game.lower <= 0.0 <= game.upper
    True
    """
    game = np.asarray(matrix, dtype=np.float64)
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: got {strategy!r}, expected one of {STRATEGIES}")
    step_of = _steps(strategy, math.sqrt(2.0 * math.log(max(len(game), 2)) / rounds), rate)
    scores, votes, mean = np.zeros(len(game)), np.zeros(game.shape[1]), np.zeros(len(game))
    chosen: list[int] = []
    edges, upper = [], math.inf
    weights = np.full(len(game), 1.0 / len(game))
    for _ in range(rounds):
        gains = weights @ game
        j = int(np.argmax(gains))
        upper = min(upper, float(gains[j]))
        margin = float(scores.min()) / votes.sum() if votes.any() else 0.0
        step = step_of(float(gains[j]), margin)
        if not (math.isfinite(step) and step > 0.0):
            break
        mean += weights
        chosen.append(j)
        edges.append(float(gains[j]))
        votes[j] += step
        scores += step * game[:, j]
        logs = -scores
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
    rows = mean / max(len(chosen), 1) if strategy == "hedge" else weights
    shares = votes / (votes.sum() or 1.0)
    upper = min(upper, float((rows @ game).max()))
    return Game(rows, shares, chosen, np.array(edges), float((game @ shares).min()), upper)


def _steps(strategy: str, usual: float, rate: float | None) -> Callable[[float, float], float]:
    """Step of a strategy, from the edge and the margin so far."""
    if strategy == "hedge":
        return lambda edge, margin: usual if rate is None else rate

    def atanh(edge: float) -> float:
        return math.atanh(edge) if edge < 1.0 else math.inf

    if strategy == "adaboost":
        return lambda edge, margin: atanh(edge)
    return lambda edge, margin: atanh(edge) - math.atanh(min(max(margin, LOWEST), HIGHEST))
