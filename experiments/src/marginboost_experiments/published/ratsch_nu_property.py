"""What ν means: margin errors, important examples, weights (Rätsch 2001, Figs 4.4 to 4.6).

Three schematics of the thesis as computed pictures. The ν-property (Prop. 4.1): at the optimum of
the ν-LP at most a share ν of the examples falls short of the margin ρ, and at least a share ν has
weight. The distribution of margins is cut at its ν-quantile. Weights of ν-Arc are flat for the hard
share and fall exponentially with the margin for the rest, the faster the larger Σα.

Unknown: data and ν other than 20 %. Here: six Gaussian blobs with a tenth of the labels flipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from marginboost.algorithms import LPBoostClassifier, NuArcClassifier
from marginboost.oracles import TreeOracle

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import blobs

ROWS, NU, FLIPPED = 200, 0.2, 0.1
CLOSE = 1e-6


def plan(done: Trials, samples: int, nus: Sequence[float], rounds: Sequence[int]) -> list[Case]:
    """The ν-LP at several ν, and ν-Arc after a few and after many rounds."""
    lp = [{"method": "ν-LP", "nu": nu, "seed": seed} for nu in nus for seed in range(samples)]
    return lp + [{"method": "ν-Arc", "nu": NU, "seed": 0, "rounds": n} for n in rounds]


def trial(method: str, nu: float, seed: int, rounds: int = 500) -> Result:
    """Margins and weights of one model."""
    X, y = blobs(ROWS, FLIPPED, seed)
    if method == "ν-LP":
        model = LPBoostClassifier(nu=nu, n_estimators=rounds, tol=1e-8, max_bins=None, n_jobs=1)
    else:
        tree = TreeOracle(max_depth=2)
        model = NuArcClassifier(tree, nu=nu, n_estimators=rounds, sampling="reweight", n_jobs=1)
    model.fit(X, y)
    margins, weights = model.margins_, np.abs(model.dual_)
    found = {
        "errors": float(np.mean(margins < model.rho_ - CLOSE)),
        "important": float(np.mean(weights > CLOSE)),
        "largest": float(weights.max() * ROWS * nu),
        "rho": float(model.rho_),
        "length": float(np.sum(model.estimator_weights_)),
    }
    return found | ({"margins": margins, "weights": weights} if seed == 0 else {})


def tables(trials: Trials) -> Iterator[Comparison]:
    """Shares beside ν."""
    rows = []
    for nu in trials.where(method="ν-LP").each("nu"):
        mine = trials.where(method="ν-LP", nu=nu)
        cells = [mine.mean(name).text(3) for name in ("errors", "important", "rho")]
        rows.append((f"ν = {nu:g}", *cells))
    columns = ("margin errors (at most ν)", "examples with weight (at least ν)", "ρ")
    yield Comparison("ν-LP over stumps", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """Proposition 4.1, and the cap on weights."""
    lp = trials.where(method="ν-LP")
    excess = [result["errors"] - case["nu"] for case, result in lp]
    claim = "at most a share ν of the examples falls short of the margin"
    yield Finding(claim, max(excess) <= 1e-9, f"largest excess {max(excess):+.3f}")
    lack = [case["nu"] - result["important"] for case, result in lp]
    claim = "at least a share ν of the examples has weight"
    yield Finding(claim, max(lack) <= 1e-9, f"largest lack {max(lack):+.3f}")
    largest = trials.array("largest").max()
    claim = "no example weighs more than 1 / (νN)"
    yield Finding(claim, largest <= 1 + 1e-6, f"largest {largest:.4f} of it")


def draw(trials: Trials, figure: Any) -> None:
    """Shares against ν; margins cut at their ν-quantile; weights against margins."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, ORANGE, plain

    shares, cut, weights = figure.subplots(1, 3)
    lp = trials.where(method="ν-LP")
    nus = np.array(lp.each("nu"))
    for name, color, label in (
        ("errors", BLUE, "margin errors"),
        ("important", ORANGE, "examples with weight"),
    ):
        means = [lp.where(nu=nu).mean(name).mean for nu in nus]
        shares.plot(nus, means, "o-", color=color, label=label, markersize=4)
    shares.plot(nus, nus, color=GREY, linestyle=":", label="ν")
    shares.set(xlabel="ν", ylabel="share of the examples")
    arc = trials.where(method="ν-Arc")
    last = list(arc)[-1][1]
    margins = np.sort(last["margins"])
    cut.step(margins, np.arange(1, ROWS + 1) / ROWS, color=BLUE, label="margins")
    cut.plot([margins[0], last["rho"], last["rho"]], [NU, NU, 0], color=ORANGE, label=f"ν = {NU:g}")
    cut.set(xlabel="margin", ylabel="share of examples with less")
    for (_, found), color in zip(arc, (BLUE, ORANGE), strict=False):
        order = np.argsort(found["margins"])
        values = np.array(found["weights"])[order] * ROWS
        label = f"Σα = {found['length']:.1f}"
        weights.plot(np.array(found["margins"])[order], values, color=color, label=label)
    weights.set(xlabel="margin", ylabel="weight times N")
    for ax in (shares, cut, weights):
        ax.legend(frameon=False, fontsize=8)
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"samples": 1, "nus": [0.4, 0.6, 0.8], "rounds": [10, 30]},
        "quick": {"samples": 5, "nus": [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], "rounds": [20, 200]},
        "full": {"samples": 20, "nus": [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], "rounds": [20, 500]},
    },
    draw=draw,
    figure_size=(11.0, 3.4),
    catalogue=("R2-E4",),
)
