"""Risks, and choosing by them: empirical and structural risk minimisation, PAC checks.

The error rate of the best on a sample is too good to be true; structural risk minimisation adds
what a theorem says about the class it was chosen from. See R1-A01, R1-A02, R1-Q07; BA-Q4, BA-A9;
SF-Q10, SF-Q21, SF-Q25, SF-X2-1; CH-M14.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import beta

from ..diagnostics.arrays import distribution, vector
from ..types import Array
from ..validation import check_number
from .bound import Bound
from .sample_size import combined_vc_dimension
from .theorems import vc_bound

Predict = Callable[[Any], Any]
"""From rows to labels."""


@dataclass(frozen=True)
class MonteCarloRisk:
    """A risk estimated from fresh examples.

    Attributes
    ----------
    value : float
        Mean loss.
    standard_error : float
        Its standard error.
    n_examples : int
        How many examples were drawn.
    """

    value: float
    standard_error: float
    n_examples: int


def true_risk(
    predict: Predict, draw: Callable[[int], tuple[Any, Any]], n_examples: int = 100_000
) -> MonteCarloRisk:
    """Estimate the error rate from fresh examples, whose truth can be drawn (R1-Q01, BA-Q4)."""
    check_number("n_examples", n_examples, at_least=1, integer=True)
    X, y = draw(n_examples)
    wrong = np.asarray(predict(X)) != np.asarray(y)
    rate = float(wrong.mean())
    spread = math.sqrt(rate * (1.0 - rate) / len(wrong))
    return MonteCarloRisk(rate, spread, len(wrong))


def disc_risk(
    predict: Predict,
    cuts: Iterable[tuple[int, float]],
    *,
    centre: tuple[float, float] = (0.5, 0.5),
    radius: float = math.sqrt(0.125),
) -> float:
    """Exact error rate on the unit square whose truth is a disc, as in the ring data (BA-Q4).

    Between the cuts of stumps or trees a vote is constant, so the error is a sum of areas of
    disagreement: the disc inside cells that are labelled -1, and the rest of those labelled +1.

    Parameters
    ----------
    predict : callable
        From rows to labels; the larger label is that of the disc.
    cuts : iterable of (feature, threshold)
        The cuts of all hypotheses, from their ``cuts()``.
    centre, radius
        The disc.
    """
    check_number("radius", radius, above=0.0)
    edges: list[set[float]] = [{0.0, 1.0}, {0.0, 1.0}]
    for feature, threshold in cuts:
        if 0.0 < threshold < 1.0:
            edges[feature].add(float(threshold))
    x, y = (np.array(sorted(found)) for found in edges)
    middles = np.meshgrid((x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0, indexing="ij")
    labels = np.asarray(predict(np.column_stack([grid.ravel() for grid in middles])))
    known = np.unique(labels)
    inside = labels == known[-1] if len(known) > 1 else labels > 0
    error = 0.0
    for cell, positive in enumerate(inside):
        i, j = divmod(cell, len(y) - 1)
        box = (x[i] - centre[0], x[i + 1] - centre[0], y[j] - centre[1], y[j + 1] - centre[1])
        disc, area = _disc_in_box(*box, radius), (box[1] - box[0]) * (box[3] - box[2])
        error += area - disc if positive else disc
    return error


def _disc_in_box(left: float, right: float, low: float, high: float, radius: float) -> float:
    """Area of the disc around the origin inside a box.

    At x the disc reaches from ``-h(x)`` to ``h(x)``; the part of the box in it is an interval whose
    ends are those of the box or of the disc, and change where ``h(x)`` is ``|low|`` or ``|high|``.
    """
    left, right = max(left, -radius), min(right, radius)
    if left >= right:
        return 0.0
    turns = [math.sqrt(radius**2 - side**2) for side in (low, high) if abs(side) < radius]
    ends = sorted({left, right, *(s for t in turns for s in (t, -t) if left < s < right)})
    area = 0.0
    for a, b in pairwise(ends):
        height = math.sqrt(max(radius**2 - ((a + b) / 2.0) ** 2, 0.0))
        under = _under_circle(b, radius) - _under_circle(a, radius)
        top = under if height <= high else high * (b - a)
        bottom = -under if -height >= low else low * (b - a)
        if min(height, high) > max(-height, low):
            area += top - bottom
    return area


def _under_circle(x: float, radius: float) -> float:
    """Integral of ``√(r² - x²)`` from 0."""
    x = min(max(x, -radius), radius)
    return 0.5 * (x * math.sqrt(radius**2 - x**2) + radius**2 * math.asin(x / radius))


def empirical_risk_minimiser(
    predictors: Sequence[Predict],
    X: Any,
    y: Any,
    *,
    loss: Callable[[Array, Array], Array] | None = None,
    sample_weight: Any = None,
) -> tuple[int, Array]:
    """Find the predictor of least mean loss on the sample (R1-A01).

    Parameters
    ----------
    predictors : sequence of callable
        The class.
    X, y : array-like
        The sample.
    loss : callable, optional
        From labels and predictions to losses; 0/1 by default.
    sample_weight : array, optional
        Weights of the examples.

    Returns
    -------
    best : int
        The first of least risk.
    risks : array
        Empirical risk of each.
    """
    if not predictors:
        raise ValueError("predictors: got none, expected at least one")
    labels = np.asarray(y)
    weights = distribution("sample_weight", sample_weight, len(labels))
    score = loss or (lambda truth, found: (truth != found).astype(np.float64))
    risks = np.array([weights @ score(labels, np.asarray(each(X))) for each in predictors])
    return int(np.argmin(risks)), risks


@dataclass(frozen=True)
class StructuralRisk:
    """What structural risk minimisation weighed (R1-A02, R1-E02, Fig. 1.2; SF-E9, Fig. 2.5).

    Attributes
    ----------
    complexity : array
        What grows along the structure: a VC dimension, rounds, p.
    bounds : list of Bound
        One bound per class.
    """

    complexity: Array
    bounds: list[Bound]

    @property
    def empirical_risk(self) -> Array:
        """Risk on the sample, which falls with complexity."""
        return np.array([next(iter(bound.terms.values())) for bound in self.bounds])

    @property
    def confidence(self) -> Array:
        """What the theorem adds, which rises with complexity."""
        return self.bound - self.empirical_risk

    @property
    def bound(self) -> Array:
        """Their sum."""
        return np.array([float(bound) for bound in self.bounds])

    @property
    def best(self) -> int:
        """The class to choose: the first of least bound."""
        return int(np.argmin(self.bound))


def structural_risk(
    empirical_risks: Any,
    vc_dimensions: Any,
    n_examples: int,
    *,
    delta: float = 0.05,
    theorem: str = "vapnik",
    shared: bool = True,
) -> StructuralRisk:
    """Choose among nested classes by risk plus VC term (R1-A02).

    Parameters
    ----------
    empirical_risks : array
        Least risk on the sample in each class.
    vc_dimensions : array
        VC dimension of each class, not falling.
    n_examples : int
        Size of the sample.
    delta : float
        Probability δ that any of the bounds fails.
    theorem : str
        As of :func:`vc_bound`.
    shared : bool
        Whether the classes share δ, so that the chosen bound holds although it was chosen; the
        sources give δ to each.

    Returns
    -------
    StructuralRisk
        The three curves and the choice.
    """
    risks = vector("empirical_risks", empirical_risks, 0.0)
    dimensions = vector("vc_dimensions", vc_dimensions, 0.0)
    if len(risks) != len(dimensions) or (np.diff(dimensions) < 0).any():
        raise ValueError(
            f"vc_dimensions: got {dimensions.tolist()}, expected {len(risks)} that do not fall"
        )
    part = delta / len(risks) if shared else delta
    bounds = [
        vc_bound(n_examples, float(d), float(risk), delta=part, theorem=theorem)
        for risk, d in zip(risks, dimensions, strict=True)
    ]
    return StructuralRisk(dimensions, bounds)


def rounds_structural_risk(
    empirical_risks: Any,
    vc_dimension: float,
    n_examples: int,
    *,
    rounds: Any = None,
    delta: float = 0.05,
    theorem: str = "vapnik",
) -> StructuralRisk:
    """Choose the number of rounds by structural risk: votes of T hypotheses are nested in T.

    Parameters
    ----------
    empirical_risks : array
        Error on the sample after each of the rounds, from ``staged_predict``.
    vc_dimension : float
        ϑ of the base class.
    n_examples : int
        Size of the sample.
    rounds : array, optional
        Which rounds; 1, 2, … by default. Those whose VC dimension exceeds N have an infinite bound.
    delta, theorem
        As of :func:`structural_risk`.
    """
    risks = vector("empirical_risks", empirical_risks, 0.0, 1.0)
    counts = np.arange(1.0, len(risks) + 1.0) if rounds is None else vector("rounds", rounds, 1.0)
    bounds = []
    for risk, count in zip(risks, counts, strict=True):
        dimension = max(combined_vc_dimension(vc_dimension, count), vc_dimension)
        if dimension < n_examples:
            part = delta / len(risks)
            bounds.append(vc_bound(n_examples, dimension, float(risk), delta=part, theorem=theorem))
        else:
            terms = {"empirical risk": float(risk), "capacity and confidence": math.inf}
            bounds.append(Bound(math.inf, "VC dimension", "R1-Q09", terms, delta))
    return StructuralRisk(counts, bounds)


@dataclass(frozen=True)
class PacCheck:
    """How often a learner was right enough (R1-Q07).

    Attributes
    ----------
    successes, n_trials : int
        Samples after which the error was at most ε, of so many.
    low, high : float
        Confidence interval of 99 % of the probability of success (Clopper and Pearson).
    delta : float
        Probability of failure that is allowed.
    """

    successes: int
    n_trials: int
    low: float
    high: float
    delta: float

    @property
    def holds(self) -> bool | None:
        """Whether ``P(error ≤ ε) ≥ 1 - δ``; None where the trials do not tell."""
        if self.low >= 1.0 - self.delta:
            return True
        return False if self.high < 1.0 - self.delta else None


def pac_check(
    learn: Callable[[Any, Any], Predict],
    draw: Callable[[int, int], tuple[Any, Any]],
    error: Callable[[Predict], float],
    *,
    n_examples: int,
    epsilon: float,
    delta: float,
    n_trials: int = 500,
) -> PacCheck:
    """Estimate whether a learner errs at most ε with probability 1 - δ (R1-Q07, SF-Q25, CH-M14).

    A strong PAC learner does for every ε and δ, if samples are large enough; a weak one for a
    single pair, with ε below ½ (by γ). Boosting makes one of the other (SF-A2).

    Parameters
    ----------
    learn : callable
        From rows and labels to a predictor.
    draw : callable
        From a number of examples and a seed to a sample.
    error : callable
        True error of a predictor.
    n_examples : int
        Size of each sample.
    epsilon, delta : float
        The pair.
    n_trials : int
        Samples drawn.
    """
    check_number("epsilon", epsilon, above=0.0, below=1.0)
    check_number("delta", delta, above=0.0, below=1.0)
    check_number("n_trials", n_trials, at_least=1, integer=True)
    samples = (draw(n_examples, seed) for seed in range(n_trials))
    k = sum(error(learn(X, y)) <= epsilon for X, y in samples)
    low = float(beta.ppf(0.005, k, n_trials - k + 1)) if k else 0.0
    high = float(beta.ppf(0.995, k + 1, n_trials - k)) if k < n_trials else 1.0
    return PacCheck(int(k), n_trials, low, high, delta)
