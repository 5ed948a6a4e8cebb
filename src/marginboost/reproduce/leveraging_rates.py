"""Convergence of leveraging, by loss and choice of hypothesis (R1-E17, R1-V10, R1-V12).

Chapter 3 of Rätsch's thesis proves linear convergence where all minimisers are finite, and has no
experiment. Here are its claims as one: on a finite set of real-valued hypotheses with finite
minimisers the distance to the optimum falls by a constant factor per step, whatever the order
(R1-C45 to R1-C47); on stumps that separate some examples and cannot separate others (R1-Q37 says
so) the exponential and the logistic loss only creep, and least squares does not (R1-V12);
LS-Boost's first version, which fits the residual before it searches, stalls where hypotheses differ
in size (R1-C50, R1-V10).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnostics import has_finite_minimiser, linear_rate
from ..solvers.bregman import parallel_descent
from ..solvers.coordinate_descent import CoordinateProblem, coordinate_descent
from ..types import Array
from . import Comparison

LOSSES = ("exponential", "logistic", "squared")
RULES: dict[str, dict[str, Any]] = {
    "steepest slope": {"selection": "gauss-southwell"},
    "half as steep, at least": {"selection": "gauss-southwell", "delta": 0.5},
    "largest decrease": {"selection": "improvement"},
    "in turn": {"selection": "cyclic"},
    "drawn": {"selection": "random"},
}
AT_ONCE = "all at once"


def run(data: Path | None) -> Iterator[Comparison]:
    """Rates with finite minimisers, then without, then the stall."""
    rules = (*RULES, AT_ONCE)
    yield table("12 examples, 5 columns of normal numbers", *normal_columns(), rules, 100)
    rules = ("steepest slope", AT_ONCE)
    yield table("stumps, 40 examples, 20 contradictory", *contradictory_stumps(), rules, 1600)
    yield stall()


def normal_columns() -> tuple[Array, Array]:
    """Columns and labels that leave every loss a finite minimiser."""
    rng = np.random.default_rng(2)
    return rng.normal(size=(12, 5)), rng.choice([-1.0, 1.0], size=12)


def contradictory_stumps() -> tuple[Array, Array]:
    """All stumps on points of the plane, of which some occur twice, with both labels."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    X = np.vstack([points, points[:10]])
    y = np.where(points.sum(axis=1) > 0, 1.0, -1.0)
    y = np.append(y, -y[:10])
    columns = []
    for x in X.T:
        values = np.unique(x)
        cuts = (values[1:] + values[:-1]) / 2
        columns.append(np.where(x[:, None] > cuts, 1.0, -1.0))
    return np.hstack(columns), y


def table(title: str, H: Array, y: Array, rules: Sequence[str], steps: int) -> Comparison:
    """Distance to the optimum after so many steps, and the factor per step."""
    least = {loss: _optimum(loss, H, y) for loss in LOSSES}
    rows = []
    for rule in rules:
        cells = [_cell(_values(loss, H, y, rule, steps), least[loss]) for loss in LOSSES]
        rows.append((rule, *cells))
    finite = has_finite_minimiser(y[:, None] * H)
    notes = (
        f"(F - F*) / (F₀ - F*) after {steps} steps, and in brackets the factor per step",
        "exponential and logistic minimisers are " + ("finite" if finite else "infinite: no rate"),
    )
    return Comparison(title, LOSSES, rows, notes)


def _values(loss: str, H: Array, y: Array, rule: str, steps: int) -> Array:
    problem = CoordinateProblem.of(loss, H, y)
    if rule == AT_ONCE:
        return parallel_descent(problem, max_passes=steps, tol=0.0).values
    return coordinate_descent(problem, max_steps=steps, tol=0.0, **RULES[rule]).values


def _cell(values: Array, best: float) -> str:
    share = max((values[-1] - best) / (values[0] - best), 0.0)
    return f"{share:.0e} ({linear_rate(values, best).fitted:.4f})"


def _optimum(loss: str, H: Array, y: Array) -> float:
    """Least value, by a method of its own: quasi-Newton, or least squares."""
    from scipy.optimize import minimize  # here, not above: half a second at import

    if loss == "squared":
        return 0.5 * float(np.sum((y - H @ np.linalg.lstsq(H, y, rcond=None)[0]) ** 2))
    problem = CoordinateProblem.of(loss, H, y)

    def value(coef: Array) -> tuple[float, Array]:
        scores = problem.scores(coef)
        return problem.value(coef, scores), problem.gradient(scores)

    options = {"maxiter": 20_000, "ftol": 0.0, "gtol": 1e-12, "maxcor": 50}
    found = minimize(value, problem.origin, jac=True, method="L-BFGS-B", options=options)
    return float(found.fun)


def stall() -> Comparison:
    """LS-Boost on y = (1, 0), H = {±(0, 0.1), ±(3, 0)} (R1-V10)."""
    H, y = np.array([[0.0, 3.0], [0.1, 0.0]]), np.array([1.0, 0.0])
    problem = CoordinateProblem.of("squared", H, y)

    def fits_residual(slopes: Array, step: int) -> int:
        edges = -slopes  # <d, h>; the closest of ±h to the residual has |edge| for its edge
        return int(np.argmin((H**2).sum(axis=0) - 2 * np.abs(edges)))

    first = coordinate_descent(problem, fits_residual, max_steps=10, tol=0.0).values
    second = coordinate_descent(problem, "improvement", max_steps=10, tol=0.0).values
    rows: list[tuple[str, ...]] = [
        ("version 1, fit the residual, then search", "0.5, for ever", f"{first[-1]:.1g}"),
        ("version 2, both together", "0 in one step", f"{second[min(1, len(second) - 1)]:.1g}"),
    ]
    return Comparison("LS-Boost: loss that is left", ("worked out", "measured"), rows)
