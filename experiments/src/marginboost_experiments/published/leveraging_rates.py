"""Convergence of leveraging, by loss and choice of hypothesis (Rätsch 2001, chapter 3).

Chapter 3 of Rätsch's thesis proves linear convergence where all minimisers are finite, and has no
experiment. Here are its claims as one: on a finite set of real-valued hypotheses with finite
minimisers the distance to the optimum falls by a constant factor per step, whatever the order
(R1-C45 to R1-C47); on stumps that separate some examples and cannot separate others (R1-Q37 says
so) the exponential and the logistic loss only creep, and least squares does not (R1-V12);
LS-Boost's first version, which fits the residual before it searches, stalls where hypotheses differ
in size (R1-C50, R1-V10).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.diagnostics import has_finite_minimiser, linear_rate
from marginboost.solvers.bregman import parallel_descent
from marginboost.solvers.coordinate_descent import CoordinateProblem, coordinate_descent
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

LOSSES = ("exponential", "logistic", "squared")
RULES: dict[str, dict[str, Any]] = {
    "steepest slope": {"selection": "gauss-southwell"},
    "half as steep, at least": {"selection": "gauss-southwell", "delta": 0.5},
    "largest decrease": {"selection": "improvement"},
    "in turn": {"selection": "cyclic"},
    "drawn": {"selection": "random"},
}
AT_ONCE = "all at once"


def plan(done: Trials, factor: float) -> list[Case]:
    """One case per problem, loss and rule, and the stall."""
    cases: list[Case] = [{"problem": "stall"}]
    for problem, rules, steps in (
        ("normal", (*RULES, AT_ONCE), 100),
        ("stumps", ("steepest slope", AT_ONCE), 1600),
    ):
        shared = {"problem": problem, "steps": round(factor * steps)}
        cases += [{**shared, "loss": loss, "rule": rule} for rule in rules for loss in LOSSES]
    return cases


def trial(problem: str, steps: int = 0, loss: str = "", rule: str = "") -> Result:
    """Distance to the optimum, step by step."""
    if problem == "stall":
        return stall()
    H, y = PROBLEMS[problem][1]()
    values, best = _values(loss, H, y, rule, steps), _optimum(loss, H, y)
    shares = np.maximum((values - best) / (values[0] - best), 0.0)
    kept = np.unique(np.geomspace(1, len(shares), 120).astype(int)) - 1
    return {
        "share": shares[-1],
        "factor": linear_rate(values, best).fitted,
        "finite": has_finite_minimiser(y[:, None] * H),
        "steps": kept,
        "shares": shares[kept],
    }


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


PROBLEMS = {
    "normal": ("12 examples, 5 columns of normal numbers", normal_columns),
    "stumps": ("stumps, 40 examples, 20 contradictory", contradictory_stumps),
}


def tables(trials: Trials) -> Iterator[Comparison]:
    """Distance to the optimum after so many steps, and the factor per step; the stall."""
    for problem, (title, _) in PROBLEMS.items():
        mine = trials.where(problem=problem)
        rows = []
        for rule in mine.each("rule"):
            found = [mine.where(rule=rule, loss=loss).only() for loss in LOSSES]
            rows.append((rule, *(f"{r['share']:.0e} ({r['factor']:.4f})" for r in found)))
        finite = "finite" if found[0]["finite"] else "infinite: no rate"
        steps = mine.each("steps")[0]
        notes = (
            f"(F - F*) / (F₀ - F*) after {steps} steps, and in brackets the factor per step",
            f"exponential and logistic minimisers are {finite}",
        )
        yield Comparison(title, LOSSES, rows, notes)
    left = trials.where(problem="stall").only()
    pairs: list[tuple[str, ...]] = [
        ("version 1, fit the residual, then search", "0.5, for ever", f"{left['first']:.1g}"),
        ("version 2, both together", "0 in one step", f"{left['second']:.1g}"),
    ]
    yield Comparison("LS-Boost: loss that is left", ("worked out", "measured"), pairs)


def findings(trials: Trials) -> Iterator[Finding]:
    """Claims of chapter 3 (R1-C45 to R1-C50)."""
    factors = trials.where(problem="normal").array("factor")
    claim = "where minimisers are finite every loss and rule converges linearly"
    yield Finding(claim, factors.max() < 0.99, f"factors per step up to {factors.max():.3f}")
    stumps = trials.where(problem="stumps", rule=AT_ONCE)
    *creeping, squared = (stumps.where(loss=loss).only()["share"] for loss in LOSSES)
    claim = "without finite minimisers exponential and logistic loss creep, least squares does not"
    evidence = f"left: {creeping[0]:.0e}, {creeping[1]:.0e} and {squared:.0e}"
    yield Finding(claim, min(creeping) > 20 * squared, evidence)
    left = trials.where(problem="stall").only()
    claim = "LS-Boost's first version stalls where its second is done in one step"
    evidence = f"loss left: {left['first']:.1g} and {left['second']:.1g}"
    yield Finding(claim, left["first"] == 0.5 and left["second"] < 1e-20, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Distance to the optimum against steps; straight lines are linear convergence."""
    from marginboost.diagnostics.displays.style import CYCLE, plain

    axes = figure.subplots(1, 2)
    for ax, (problem, (title, _)) in zip(axes, PROBLEMS.items(), strict=True):
        for loss, color in zip(LOSSES, CYCLE, strict=False):
            for rule, style in (("steepest slope", "-"), (AT_ONCE, "--")):
                found = trials.where(problem=problem, loss=loss, rule=rule).only()
                shares = np.maximum(found["shares"], 1e-16)
                ax.plot(
                    found["steps"], shares, color=color, linestyle=style, label=f"{loss}, {rule}"
                )
        ax.set_yscale("log")
        ax.set(xlabel="step", title=title)
        plain(ax)
    axes[0].set_ylabel("(F - F*) / (F₀ - F*)")
    axes[1].legend(frameon=False, fontsize=7)


def _values(loss: str, H: Array, y: Array, rule: str, steps: int) -> Array:
    problem = CoordinateProblem.of(loss, H, y)
    if rule == AT_ONCE:
        return parallel_descent(problem, max_passes=steps, tol=0.0).values
    return coordinate_descent(problem, max_steps=steps, tol=0.0, **RULES[rule]).values


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


def stall() -> Result:
    """LS-Boost on y = (1, 0), H = {±(0, 0.1), ±(3, 0)} (R1-V10): the loss that is left."""
    H, y = np.array([[0.0, 3.0], [0.1, 0.0]]), np.array([1.0, 0.0])
    problem = CoordinateProblem.of("squared", H, y)

    def fits_residual(slopes: Array, step: int) -> int:
        edges = -slopes  # <d, h>; the closest of ±h to the residual has |edge| for its edge
        return int(np.argmin((H**2).sum(axis=0) - 2 * np.abs(edges)))

    first = coordinate_descent(problem, fits_residual, max_steps=10, tol=0.0).values
    second = coordinate_descent(problem, "improvement", max_steps=10, tol=0.0).values
    return {"first": first[-1], "second": second[min(1, len(second) - 1)]}


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"factor": 0.3}, "quick": {"factor": 1.0}, "full": {"factor": 4.0}},
    draw=draw,
    figure_size=(9.6, 3.8),
    catalogue=("R1-E17", "R1-V10", "R1-V12"),
)
