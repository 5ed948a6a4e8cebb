"""Best and worst choice of hypotheses: how large the margin becomes (Rätsch 2001, Fig. 2.2).

The thesis draws 300 random problems: 10 to 200 examples, 10,000 hypotheses right with probability
p, the largest margin ρ* by a linear program; then 10,000 rounds of AdaBoost_ϱ, ϱ = 0 and 1/3, where
the base learner returns the best hypothesis, or the worst that still has an edge of ρ*. Margins of
the worst choice lie on the curve of eq. 2.11, those of the best near ρ*.

Unknown: the range of p (here: 0.55 to 0.95). The quick size has fewer hypotheses and rounds; the
curve is an asymptote, so worst margins stay a little above or below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoost
from marginboost.core import train
from marginboost.datasets import coin_outcomes
from marginboost.diagnostics import asymptotic_margin
from marginboost.oracles import FiniteOracle, matrix_sample
from marginboost.solvers import solve_margin_lp

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

TARGETS = (0.0, 1.0 / 3.0)
SELECTIONS = ("best", "worst")


def plan(done: Trials, problems: int, hypotheses: int, rounds: int) -> list[Case]:
    """One case per problem."""
    shared = {"hypotheses": hypotheses, "rounds": rounds}
    return [{"seed": seed, **shared} for seed in range(problems)]


def trial(seed: int, hypotheses: int, rounds: int) -> Result:
    """Margins that both choices reach for both targets."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(10, 201)), rng.uniform(0.55, 0.95)
    outcomes = coin_outcomes(n, hypotheses, float(p), seed)
    best = solve_margin_lp(outcomes).value
    found = {}
    for target in TARGETS:
        for selection in SELECTIONS:
            oracle = FiniteOracle(selection=selection)
            rule = AdaBoost(target_margin=target)
            sample = matrix_sample(outcomes, np.ones(n))
            run = train(sample, oracle, rule, max_rounds=rounds)
            found[f"{selection}, {target:.2f}"] = float(run.margins.min())
    return {"ρ*": best, **found}


def curve(rho: Any, target: float) -> Any:
    """Margin that eq. 2.11 guarantees where every edge is ρ."""
    return asymptotic_margin(rho, target)


def _reachable(trials: Trials, target: float) -> Trials:
    return Trials((c, r) for c, r in trials if r["ρ*"] > target + 0.02)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Mean distance of the margins from ρ* and from the curve."""
    rows = []
    for target in TARGETS:
        mine = _reachable(trials, target)
        rho = mine.array("ρ*")
        for selection in SELECTIONS:
            margins = mine.array(f"{selection}, {target:.2f}")
            apart = [np.mean(margins - level) for level in (rho, curve(rho, target))]
            name = f"ϱ = {target:.2f}, {selection} hypothesis"
            rows.append((name, str(len(mine)), *(f"{value:+.3f}" for value in apart)))
    columns = ("problems with ρ* > ϱ", "margin minus ρ*", "margin minus eq. 2.11")
    yield Comparison("Margins of AdaBoost_ϱ, mean differences", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figure shows."""
    for target in TARGETS:
        mine = _reachable(trials, target)
        rho = mine.array("ρ*")
        best, worst = (mine.array(f"{name}, {target:.2f}") for name in SELECTIONS)
        claim = f"ϱ = {target:.2f}: the worst choice ends on the curve of eq. 2.11"
        apart = np.abs(worst - curve(rho, target))
        yield Finding(claim, np.mean(apart) < 0.04, f"{np.mean(apart):.3f} from it on average")
        claim = f"ϱ = {target:.2f}: the best choice ends nearer to ρ*"
        gaps = np.mean(rho - best), np.mean(rho - worst)
        yield Finding(claim, gaps[0] < 0.6 * gaps[1], f"{gaps[0]:.3f} against {gaps[1]:.3f}")


def draw(trials: Trials, figure: Any) -> None:
    """Margins against ρ*, with the curve and the diagonal."""
    from marginboost.diagnostics.displays.style import GREEN, GREY, INK, ORANGE, plain

    axes = figure.subplots(1, 2, sharey=True)
    for ax, target in zip(axes, TARGETS, strict=True):
        rho = np.linspace(target + 1e-3, 0.99, 100)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, label="ρ*")
        ax.plot(rho, curve(rho, target), color=INK, label="eq. 2.11")
        for name, color in zip(SELECTIONS, (GREEN, ORANGE), strict=True):
            margins = trials.array(f"{name}, {target:.2f}")
            ax.plot(trials.array("ρ*"), margins, ".", color=color, label=f"{name} hypothesis")
        ax.set(xlabel="largest margin ρ*", title=f"ϱ = {target:.2f}", xlim=(0, 1), ylim=(-0.1, 1))
        plain(ax)
    axes[0].set_ylabel("margin reached")
    axes[1].legend(frameon=False, fontsize=9)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"problems": 5, "hypotheses": 300, "rounds": 400},
        "quick": {"problems": 40, "hypotheses": 1000, "rounds": 2000},
        "full": {"problems": 300, "hypotheses": 10_000, "rounds": 10_000},
    },
    draw=draw,
    figure_size=(9.0, 3.8),
    catalogue=("R1-E09",),
)
