"""Coordinate descent on a loss of linear scores (R1-A32 to R1-A36, R1-Q34; eq. 3.24-3.29).

Problem, over given hypotheses and with signs or boxes as wanted:

    min_{low <= α <= high}  F(α) = Σ_i w_i L(y_i, f_i) + Σ_j γ_j α_j,   f = offset + Σ_j α_j h_j.

Dual:  min_d Δ(d, d⁰)  s.t.  Σ_i d_i h_j(x_i) = γ_j for all j (signed weights d, no box): every step
below is the Bregman projection onto one of these hyperplanes, and its multiplier is the step
(R1-C44; ``solvers/bregman.py``).

Each step minimises F over one coordinate. Which one is the selection rule:

    "cyclic"            all in turn (Gauss-Seidel; R1-A32)
    "almost-cyclic"     all once per pass, in an order that is drawn anew for every pass (R1-A32)
    "random"            any, drawn
    "gauss-southwell"   the steepest slope (R1-A33); with δ < 1 the flattest that is still δ times
                        as steep (R1-A34): an adversary within the rule
    "improvement"       the largest decrease of F (R1-A35); with δ < 1 the smallest that is still δ
                        times as large

Certificate: none here; the projected gradient vanishes at the optimum, and only there.
Rate: linear where F is strongly convex on bounded sets, its minimisers are finite and the steps are
β-optimal, |step| >= β max |step| (Thm 3.2, 3.3, R1-A36, R1-D06). The slope rule gives β = δ
η_l/η_u, the improvement rule β = √(δ η_l³ / (2 η_u³)), η the bounds on second derivatives (R1-Q35).

References: Luo & Tseng 1992; Rätsch 2001, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.sample import Sample
from ..core.state import Columns
from ..losses import Loss, as_loss
from ..types import Array
from ..validation import check_choice, check_number

if TYPE_CHECKING:
    from .penalised_loss import PenalisedLoss

Chooser = Callable[[Array, int], int]
"""From the gradient and the number of steps made to the next coordinate."""
SELECTIONS = ("cyclic", "almost-cyclic", "random", "gauss-southwell", "improvement")
BLUR = 1e-9
"""Share of the loss below which a decrease is told by slope and step, not as a difference."""
BLIND = ("cyclic", "almost-cyclic", "random")
"""Rules that look at no slope."""


@dataclass(frozen=True)
class CoordinateProblem:
    """A loss of linear scores over a box.

    Attributes
    ----------
    risk : PenalisedLoss
        Loss, labels and weights, without a price.
    pool : Columns
        Outputs of the hypotheses.
    linear : array
        γ.
    low, high : array
        The box.
    offset : array
        Scores where all coefficients are 0.
    """

    risk: PenalisedLoss
    pool: Columns
    linear: Array
    low: Array
    high: Array
    offset: Array

    @classmethod
    def of(
        cls,
        loss: Loss | str,
        H: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        linear: Any = 0.0,
        low: Any = -np.inf,
        high: Any = np.inf,
        offset: Any = 0.0,
    ) -> CoordinateProblem:
        """Make the problem of a matrix, whose columns are hypotheses, and labels or targets.

        >>> H = np.array([[1.0], [1.0], [1.0], [-1.0]])
        >>> descent = coordinate_descent(CoordinateProblem.of("exponential", H, np.ones(4)))
        >>> descent.coef.round(6), descent.values.round(6)
        (array([0.549306]), array([4.      , 3.464102]))
        """
        # Here, not above: this package imports this module, whoever asks for another one of it.
        from .masters.pool import ColumnPool
        from .penalised_loss import PenalisedLoss

        matrix = np.asarray(H, dtype=np.float64)
        if matrix.ndim != 2 or 0 in matrix.shape or not np.isfinite(matrix).all():
            raise ValueError(f"H: got shape {matrix.shape}, expected a finite, non-empty matrix")
        n, m = matrix.shape
        target = np.asarray(y, dtype=np.float64)
        if target.shape != (n,):
            raise ValueError(f"y: got shape {target.shape}, expected {n} numbers, one per row of H")
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if weights.shape != (n,) or not (weights > 0.0).all():
            raise ValueError(f"sample_weight: got {sample_weight!r}, expected {n} positive numbers")
        total = float(weights.sum())
        sample = Sample(y=target, prior=weights / total, total=total)
        pool = ColumnPool(n)
        for column in matrix.T:
            pool.append(column)
        lows, highs = (np.broadcast_to(np.asarray(v, dtype=float), m) for v in (low, high))
        if not (lows <= highs).all():
            raise ValueError(f"low: got {low!r}, expected numbers not above high, {high!r}")
        return cls(
            PenalisedLoss(as_loss("loss", loss), 0.0, sample),
            pool,
            np.broadcast_to(np.asarray(linear, dtype=float), m),
            lows,
            highs,
            np.broadcast_to(np.asarray(offset, dtype=float), n),
        )

    @property
    def origin(self) -> Array:
        """The coefficients nearest to 0 in the box."""
        return np.clip(np.zeros(len(self.pool)), self.low, self.high)

    def scores(self, coef: Array) -> Array:
        """``offset + Σ_j α_j h_j``."""
        return self.offset + self.pool.combine(coef)

    def value(self, coef: Array, scores: Array) -> float:
        """The objective ``F``, at coefficients and their scores."""
        return self.risk.value(scores, 0.0) + float(self.linear @ coef)

    def gradient(self, scores: Array) -> Array:
        """``∂F/∂α_j = γ_j - Σ_i d_i h_j(x_i)`` (R1-Q31, 3.31)."""
        return self.linear - self.pool.edges(self.risk.dual(scores))

    def projected(self, gradient: Array, coef: Array) -> Array:
        """Gradient without what would leave the box: 0 exactly at a minimum."""
        inward = np.where(coef <= self.low, np.minimum(gradient, 0.0), gradient)
        return np.where(coef >= self.high, np.maximum(inward, 0.0), inward)

    def step(self, j: int, coef: Array, scores: Array) -> float:
        """Exact minimiser over coordinate j, as a change of it; infinite where there is none."""
        low, high = float(self.low[j] - coef[j]), float(self.high[j] - coef[j])
        return self.risk.line_step(scores, self.pool.columns[j], float(self.linear[j]), low, high)

    def steps(self, coef: Array, scores: Array) -> tuple[Array, Array]:
        """Steps of all coordinates, each alone, and what each takes off F."""
        steps = np.array([self.step(j, coef, scores) for j in range(len(coef))])
        now, gradient = self.risk.value(scores, 0.0), self.gradient(scores)
        decreases = np.where(np.isinf(steps), np.inf, 0.5 * np.abs(gradient * steps))
        for j in np.flatnonzero((decreases > BLUR * now) & np.isfinite(steps)):
            after = self.risk.value(scores + steps[j] * self.pool.columns[j], 0.0)
            decreases[j] = now - after - self.linear[j] * steps[j]
        return steps, decreases


@dataclass(frozen=True)
class Descent:
    """What a descent did.

    Attributes
    ----------
    coef, scores, weights : array
        Last coefficients α, scores f, and signed weights ``-∂L/∂f`` times those of the rows.
    values : array
        F before the first step and after every step.
    chosen : array of int
        Coordinates in the order of the steps.
    steps : array
        By how much each changed.
    slope_share : array or None
        δ_t of the gradient condition: slope of the chosen coordinate over the steepest (R1-Q34).
    decrease_share, step_share : array or None
        δ_t of the improvement condition, and β_t of (3.28): decrease and size of the step over the
        largest of all coordinates. None unless they were measured.
    converged : bool
        Whether the projected gradient fell to the tolerance.
    finite : bool
        Whether every step had a minimiser; if not, the descent ended there (R1-D02).
    """

    coef: Array
    scores: Array
    weights: Array
    values: Array
    chosen: Array
    steps: Array
    slope_share: Array | None
    decrease_share: Array | None
    step_share: Array | None
    converged: bool
    finite: bool


def coordinate_descent(
    problem: CoordinateProblem,
    selection: str | Chooser = "gauss-southwell",
    *,
    delta: float = 1.0,
    share: float = 1.0,
    start: Array | None = None,
    max_steps: int = 1000,
    tol: float = 1e-10,
    measure: bool = False,
    seed: int = 0,
) -> Descent:
    """Minimise over one coordinate after the other.

    Parameters
    ----------
    problem : CoordinateProblem
        What to minimise.
    selection : str or callable
        Rule by which coordinates are chosen, see the head of this module; or a function of the
        gradient and the number of steps made.
    delta : float
        δ in (0, 1] of the slope and improvement rules.
    share : float
        Share of the exact step to take, in (0, 1]: below 1 projections are approximate (R1-A29).
    start : array, optional
        First coefficients.
    max_steps : int
        Most steps.
    tol : float
        Largest entry of the projected gradient at which to stop.
    measure : bool
        Whether to record how good the selection was; costs a step of every coordinate in each.
    seed : int
        Of what is drawn.
    """
    if not callable(selection):
        check_choice("selection", selection, SELECTIONS)
    check_number("delta", delta, above=0.0, at_most=1.0)
    check_number("share", share, above=0.0, at_most=1.0)
    check_number("max_steps", max_steps, at_least=0, integer=True)
    check_number("tol", tol, at_least=0.0)
    run = _Run(problem, selection, delta, share, seed, measure)
    run.begin(problem.origin if start is None else np.array(start, dtype=float))
    for _ in range(max_steps):
        if run.at_rest(tol) or not run.advance():
            break
    return run.result(tol)


class _Run:
    """One descent, step by step."""

    def __init__(
        self,
        problem: CoordinateProblem,
        selection: str | Chooser,
        delta: float,
        share: float,
        seed: int,
        measure: bool,
    ) -> None:
        self.problem, self.selection, self.delta, self.share = problem, selection, delta, share
        self.measure = measure
        self.random = np.random.default_rng(seed)
        self.order: Array = np.empty(0, dtype=int)
        self.finite = True

    def begin(self, coef: Array) -> None:
        self.coef, self.scores = coef, self.problem.scores(coef)
        self.values = [self.problem.value(coef, self.scores)]
        self.chosen: list[int] = []
        self.taken: list[float] = []
        self.shares: list[tuple[float, float, float]] = []

    @property
    def looks(self) -> bool:
        """Whether every step needs the gradient."""
        return self.measure or callable(self.selection) or self.selection not in BLIND

    @property
    def tries_all(self) -> bool:
        """Whether every step needs the steps of all coordinates."""
        return self.measure or self.selection == "improvement"

    def at_rest(self, tol: float) -> bool:
        """Whether the optimum is reached; a rule that is blind is asked once per pass."""
        if not self.looks and len(self.chosen) % len(self.coef):
            return False
        self.gradient = self.problem.gradient(self.scores)
        self.slopes = np.abs(self.problem.projected(self.gradient, self.coef))
        return bool(self.slopes.max() <= tol)

    def advance(self) -> bool:
        """Make a step; say whether it had a minimiser."""
        if self.tries_all:
            self.candidates, self.decreases = self.problem.steps(self.coef, self.scores)
        j = self._choose(len(self.chosen))
        step = (
            float(self.candidates[j])
            if self.tries_all
            else self.problem.step(j, self.coef, self.scores)
        )
        if np.isinf(step):
            self.finite = False
            return False
        if self.measure:
            self._judge(j)
        self.coef[j] += self.share * step
        self.scores = self.scores + self.share * step * self.problem.pool.columns[j]
        self.values.append(self.problem.value(self.coef, self.scores))
        self.chosen.append(j)
        self.taken.append(self.share * step)
        return True

    def _choose(self, t: int) -> int:
        m = len(self.coef)
        if callable(self.selection):
            return int(self.selection(self.gradient, t))
        if self.selection == "random":
            return int(self.random.integers(m))
        if self.selection in BLIND:
            if t % m == 0:
                drawn = self.selection == "almost-cyclic"
                self.order = self.random.permutation(m) if drawn else np.arange(m)
            return int(self.order[t % m])
        merit = self.slopes if self.selection == "gauss-southwell" else self.decreases
        if self.delta == 1.0:
            return int(np.argmax(merit))
        allowed = np.flatnonzero(merit >= self.delta * merit.max())
        return int(allowed[np.argmin(merit[allowed])])

    def _judge(self, j: int) -> None:
        """Record δ_t and β_t: 1 where nothing is left to gain."""
        merits = (self.slopes, self.decreases, np.abs(self.candidates))
        slope, decrease, step = (float(m[j] / m.max()) if m.max() > 0.0 else 1.0 for m in merits)
        self.shares.append((slope, decrease, step))

    def result(self, tol: float) -> Descent:
        slope, decrease, step = np.array(self.shares).reshape(-1, 3).T
        gradient = self.problem.gradient(self.scores)
        left = np.abs(self.problem.projected(gradient, self.coef)).max()
        return Descent(
            self.coef,
            self.scores,
            self.problem.risk.dual(self.scores),
            np.array(self.values),
            np.array(self.chosen, dtype=int),
            np.array(self.taken),
            slope if self.measure else None,
            decrease if self.measure else None,
            step if self.measure else None,
            bool(left <= tol),
            self.finite,
        )
