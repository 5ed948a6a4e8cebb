"""Check a model's certificate against data, without trust in the run that made it.

The objective v(α) of a combination (its smallest margin, or its soft margin) and the largest edge
γ(d) under admissible example weights d bracket the best possible value by duality (Q17, A3):

    v(α)  <=  best  <=  max_h Σ_i d_i y_i h(x_i)    for all α, and all d with Σd = 1 under the caps.

So anybody can check a certificate with the data at hand: evaluate the model for one side, find some
weights for the other. The weights come from a fresh linear program; how they were found does not
matter, since their largest edge is summed up anew, in plain NumPy, over every stump there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.lpboost import LPBoost
from ..core.callbacks import Callback
from ..core.objective import Margin, SoftMargin
from ..core.run import Run, train
from ..core.sample import Sample
from ..core.state import State
from ..core.types import Array
from ..kernels.reference import best_category, best_threshold, histogram
from ..oracles.stumps import StumpOracle
from ..solvers.masters.problem import caps

ROUNDING = 1e-8
"""Room for sums of floating-point numbers in another order."""

MAX_ROUNDS = 1000


@dataclass(frozen=True)
class Verification:
    """What was found anew.

    Attributes
    ----------
    objective : str
        What the bounds are about.
    margins : array
        Margin of each row.
    value : float
        Objective of the model.
    lower, upper : float
        Bounds on the best possible value; ``upper`` is infinite where nothing proves one.
    contradictions : list of str
        Where the stored certificate and the new numbers contradict each other.
    remark : str
        What could not be checked, and why; empty if all was.
    """

    objective: str
    margins: Array
    value: float
    lower: float
    upper: float
    contradictions: list[str]
    remark: str


def verify(
    model: Any,
    X: Any,
    y: Array,
    weight: Array | None,
    *,
    tol: float,
    callbacks: Sequence[Callback] = (),
) -> Verification:
    """Compute margins and bounds from scratch and compare them with ``model.certificate_``.

    Parameters
    ----------
    model : classifier of this package
        Fitted, or loaded from a file.
    X, y, weight
        The rows it was fitted to, with the labels and weights that it learnt from.
    tol : float
        Width at which the new bracket is narrow enough.
    callbacks : sequence of Callback
        For the new linear program.
    """
    sample, oracle, rule = model.problem_on(X, y, weight)
    outcomes = sample.y * sample.scores(model.ensemble_)
    rule.start(State(sample))  # some objectives need to know the rows
    value = rule.value_of(outcomes, model.ensemble_.l1_norm, sample)
    lower, upper, remark = value, np.inf, ""
    if not oracle.exact:
        remark = f"{oracle.class_name}: not all can be tried, so nothing proves an upper bound"
    elif not isinstance(rule.objective, Margin | SoftMargin):
        remark = f"no independent bound is known for the {rule.objective.name}"
    else:
        nu = rule.objective.nu
        run = train(
            sample, oracle, LPBoost(nu), max_rounds=MAX_ROUNDS, tol=tol, callbacks=callbacks
        )
        lower, upper = max(value, run.certificate.value), _largest_edge(run, oracle, nu)
    found = _contradictions(model.certificate_, oracle.exact, value, lower, upper)
    margins = model.margins(X, y)
    return Verification(rule.objective.name, margins, value, lower, upper, found, remark)


def _largest_edge(run: Run, oracle: Any, nu: float | None) -> float:
    """Largest edge under the run's last weights, made admissible, over all hypotheses."""
    weights = np.minimum(np.abs(run.dual), caps(run.sample.prior, nu))
    dual = run.sample.y * (weights / weights.sum())
    excess = float((np.abs(dual) / caps(run.sample.prior, nu)).max())
    if excess > 1.0 + ROUNDING:
        return np.inf
    if isinstance(oracle, StumpOracle):
        return _largest_stump_edge(run.sample, dual, oracle.categorical)
    return float(oracle.bind(run.sample).best(dual)[0].edge)


def _largest_stump_edge(sample: Sample, dual: Array, categorical: str) -> float:
    """Largest edge of all stumps, feature by feature, in plain NumPy."""
    bins = sample.bins
    assert bins is not None
    edges = []
    for codes, n_bins, known in zip(bins.codes, bins.n_bins, bins.categories, strict=True):
        sums = histogram(codes, dual, n_bins + 1)
        if known is None:
            edges.append(best_threshold(sums, n_bins)[0])
        elif categorical == "equality":
            edges.append(best_category(sums, n_bins)[0])
        else:
            edges.append(float(np.abs(sums).sum()))
    return max(edges)


def _contradictions(
    stored: Any, exact: bool, value: float, lower: float, upper: float
) -> list[str]:
    """Sentences about what cannot be true; none if the certificate holds."""
    problems = []
    if not abs(stored.value - value) <= ROUNDING:
        problems.append(
            f"the model attains {value:.6g} on these rows, not {stored.value:.6g}: other rows, "
            "labels or weights than those it was fitted to, or a changed file"
        )
    if stored.certified and not exact:
        problems.append("the bounds are said to be proven, but the base learner cannot prove any")
    if stored.value > stored.lower + ROUNDING:
        problems.append(f"the lower bound {stored.lower:.6g} is below what the model attains")
    if stored.certified and stored.upper < lower - ROUNDING:
        problems.append(f"{lower:.6g} is attainable, so {stored.upper:.6g} is not an upper bound")
    if stored.lower > upper + ROUNDING:
        problems.append(
            f"nothing above {upper:.6g} is attainable, so {stored.lower:.6g} is not a lower bound"
        )
    return problems
