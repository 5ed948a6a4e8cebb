"""Margins of planes: lines, kernels, norms, outliers (Rätsch 2001, Figs 1.4, 1.6, 1.7 and 4.2).

Schematics of the thesis as computed pictures: the margin of a line; points that only a kernel
separates; planes of largest margin for ‖w‖₁ and ‖w‖₂, whose nearest points are as far away, in the
dual norm, as the optimum says; one outlier or wrong label moves a hard margin and not a soft one.

Unknown: the points. Here: ten of them for the norms, two interleaved arcs for the kernel, two
clouds of 25 for the outlier, where hypotheses are monomials up to the third degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC

from marginboost.solvers import solve_margin_lp, solve_norm_margin
from marginboost.solvers.norm_margin import norm_margins
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import banana

POINTS = [
    *[(0.0, 1.0), (0.1, 2.5), (-1.3, 1.8), (-0.9, 2.9), (-1.6, 0.5)],
    *[(2.0, 0.0), (1.9, -1.5), (3.3, 0.6), (2.9, -1.2), (3.6, -0.4)],
]
LABELS = np.repeat([1.0, -1.0], 5)
EXTRA = {"reliable data": None, "one outlier": (-0.12, -0.75), "one wrong label": (-0.62, 0.3)}
NU = 0.15


def plan(done: Trials, seeds: int) -> list[Case]:
    """Norms, kernels, and the three panels of Fig. 4.2."""
    return [
        *[{"part": "norm", "p": p} for p in (1, 2)],
        *[{"part": "kernel", "seed": seed} for seed in range(seeds)],
        *[{"part": "outlier", "extra": name} for name in EXTRA],
    ]


def trial(part: str, p: int = 0, seed: int = 0, extra: str = "") -> Result:
    """One picture."""
    if part == "norm":
        plane = solve_norm_margin(np.array(POINTS), LABELS, p, bias=True)
        margins = norm_margins(np.array(POINTS), LABELS, plane.coef, plane.intercept, p=p)
        found = {"value": plane.value, "nearest": float(margins.min()), "gap": plane.gap}
        return {**found, "coef": plane.coef, "intercept": plane.intercept}
    if part == "kernel":
        X, y = banana(60, 0.02, seed)
        linear, kernel = SVC(C=1e3, kernel="linear"), SVC(C=1e3, gamma=2.0)
        errors = [1.0 - model.fit(X, y).score(X, y) for model in (linear, kernel)]
        return {"linear": errors[0], "kernel": errors[1], "supports": int(kernel.n_support_.sum())}
    return _outlier(EXTRA[extra])


def clouds(extra: tuple[float, float] | None) -> tuple[Array, Array]:
    """Two clouds in [-1, 1]²; the extra point has the label of the right one."""
    rng = np.random.default_rng(4)
    left, right = rng.normal((-0.5, 0.1), 0.16, (25, 2)), rng.normal((0.5, -0.1), 0.16, (25, 2))
    points, y = np.vstack([left, right]), np.repeat([-1.0, 1.0], 25)
    return (points, y) if extra is None else (np.vstack([points, extra]), np.append(y, 1.0))


def _monomials(points: Array) -> Array:
    x, z = np.transpose(points)
    columns = [x**i * z**j for i in range(4) for j in range(4 - i)]
    return np.stack([*columns, *(-column for column in columns)], axis=-1)


def _outlier(extra: tuple[float, float] | None) -> Result:
    points, y = clouds(extra)
    side = np.linspace(-1, 1, 81)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    votes = {}
    for name, nu in (("hard", None), ("soft", NU)):
        coef = solve_margin_lp(y[:, None] * _monomials(points), nu).coef
        votes[name] = _monomials(grid) @ coef
    return {name: np.round(vote, 5) for name, vote in votes.items()}


def _moved(trials: Trials, name: str, extra: str) -> float:
    """Share of the square that changes sides with the extra point."""
    before, after = (
        np.array(trials.where(part="outlier", extra=panel).only()[name]) > 0
        for panel in ("reliable data", extra)
    )
    return float(np.mean(before != after))


def tables(trials: Trials) -> Iterator[Comparison]:
    """Margins by norm, errors by kernel, and how far boundaries move."""
    rows: list[tuple[str, ...]] = [
        (f"‖w‖_{case['p']} = 1", f"{r['value']:.4f}", f"{r['nearest']:.4f}")
        for case, r in trials.where(part="norm")
    ]
    columns = ("largest margin", "distance of the nearest point, dual norm")
    yield Comparison("Fig. 1.7", columns, rows)
    kernel = trials.where(part="kernel")
    names = {"line": "linear", "Gaussian kernel": "kernel"}
    rows = [(name, kernel.mean(key).text(1, 100)) for name, key in names.items()]
    yield Comparison("Fig. 1.6: training error in % of large-margin SVMs", ("measured",), rows)
    rows = [
        (name, *(f"{_moved(trials, kind, name):.1%}" for kind in ("hard", "soft")))
        for name in list(EXTRA)[1:]
    ]
    columns = ("hard margin", f"soft margin, ν = {NU:g}")
    yield Comparison("Fig. 4.2: share of the square that changes sides", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the pictures show."""
    norms = [r for _, r in trials.where(part="norm")]
    apart = max(abs(r["value"] - r["nearest"]) for r in norms)
    claim = "the nearest point is as far away, in the dual norm, as the optimum says"
    yield Finding(claim, apart < 1e-4, f"to {apart:.0e}")
    first, second = (np.array(r["coef"]) / np.linalg.norm(r["coef"]) for r in norms)
    claim = "the two norms have different planes"
    yield Finding(claim, first @ second < 0.999, f"cosine {first @ second:.3f}")
    kernel = trials.where(part="kernel")
    claim = "a kernel separates what no line does"
    evidence = f"{kernel.mean('linear').mean:.1%} against {kernel.mean('kernel').mean:.1%}"
    yield Finding(claim, kernel.mean("kernel").mean < kernel.mean("linear").mean - 0.02, evidence)
    moved = [
        np.mean([_moved(trials, kind, name) for name in list(EXTRA)[1:]])
        for kind in ("hard", "soft")
    ]
    claim = "one point moves the hard boundary, and not the soft one"
    yield Finding(claim, moved[1] < 0.5 * moved[0], f"{moved[0]:.1%} against {moved[1]:.1%}")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 1.7 and the three panels of Fig. 4.2."""
    from marginboost.diagnostics.displays.style import BLUE, GREEN, INK, ORANGE

    axes = figure.subplots(1, 4)
    points = np.array(POINTS)
    for label, marker, color in ((1, "o", BLUE), (-1, "s", ORANGE)):
        axes[0].plot(*points[label == LABELS].T, marker, color=color, markersize=5)
    x = np.linspace(-2.2, 4.2, 2)
    for (case, r), style in zip(trials.where(part="norm"), ("-", "--"), strict=True):
        w, b = r["coef"], r["intercept"]
        axes[0].plot(x, -(w[0] * x + b) / w[1], style, color=INK, label=f"‖w‖$_{case['p']}$")
    axes[0].set(xlim=(-2.2, 4.2), ylim=(-2.4, 3.4), title="planes by norm")
    axes[0].legend(frameon=False, fontsize=9)
    for ax, name in zip(axes[1:], EXTRA, strict=True):
        found, (points, y) = trials.where(extra=name).only(), clouds(EXTRA[name])
        for kind, color in (("hard", INK), ("soft", GREEN)):
            grid = np.array(found[kind]).reshape(81, 81)
            ax.contour(grid, levels=[0], extent=(-1, 1, -1, 1), colors=color, linewidths=1.6)
        for label, marker, color in ((-1, "s", ORANGE), (1, "o", BLUE)):
            ax.plot(*points[y == label].T, marker, color=color, markersize=3)
        ax.set(title=name)
    for ax in axes:
        ax.title.set_fontsize(10)
        ax.set(xticks=[], yticks=[])
    axes[1].plot([], [], color=INK, label="hard margin")
    axes[1].plot([], [], color=GREEN, label="soft margin")
    axes[1].legend(frameon=False, fontsize=8, loc="lower left")


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"seeds": 2}, "quick": {"seeds": 20}, "full": {"seeds": 100}},
    draw=draw,
    figure_size=(12.0, 3.2),
    catalogue=("R1-E04", "R1-E06", "R1-E07", "R2-E2"),
)
