"""Shattering, scale, covers, hulls and polynomials (Barnes 1999, Figs 2.3 to 2.7).

The thesis draws three points that lines shatter and four that they do not; a circle, and a curve
r = 1 + α sin(ωθ) whose class has no finite VC dimension though it is never far from the circle; a
cover of a planar set by boxes; the curves on which the p-norm is one for p = 1/2, 1, 2; and
polynomials of order 1 and 10 through noisy points of the line 2 + x/2, x = 0 … 10, σ = 1/2.

Unknown: the planar set (here: the unit disk, drawn at random) and α (here: 0.1). Fig. 2.4 gives the
VC dimension of circles as 4 in its caption and as 2 in its title; here labelings are counted on
points, which needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import gamma

from marginboost.capacity import LinearClassifiers, covering_number, in_hull
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

POINTS = {
    "three points, lines": np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]),
    "four points, lines": np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]),
}
WAVE, MOST_ON_CURVE = 0.1, 5
SCALES = (0.8, 0.4, 0.2)
NORMS = (0.5, 1.0, 2.0)
X = np.arange(11.0)
ORDERS = (1, 10)


def plan(done: Trials, trials: int, rows: int) -> list[Case]:
    """What can be counted once, and samples of the rest."""
    drawn = [{"seed": seed, "rows": rows} for seed in range(trials)]
    return [{"part": "shattering"}, *drawn]


def trial(part: str = "", seed: int = 0, rows: int = 0) -> Result:
    """Labelings of fixed points; or covers, areas and polynomials of drawn ones."""
    if part:
        lines = LinearClassifiers(2)
        found = {name: len(lines.labelings(points)) for name, points in POINTS.items()}
        return {**found, "wave": [_wave_labelings(n) for n in range(1, MOST_ON_CURVE + 1)]}
    rng = np.random.default_rng(seed)
    square = rng.uniform(-1.0, 1.0, size=(rows, 2))
    disk = square[(square**2).sum(axis=1) < 1.0]
    areas = [4.0 * float(np.mean([in_hull(point, p) for point in square])) for p in NORMS]
    y = 2.0 + 0.5 * X + 0.5 * rng.normal(size=len(X))
    fits = [Polynomial.fit(X, y, order) for order in ORDERS]
    between = np.linspace(0.0, 10.0, 201)
    return {
        "cover": [covering_number(disk.T, scale, exact=False) for scale in SCALES],
        "area": areas,
        "training error": [float(np.mean((fit(X) - y) ** 2)) for fit in fits],
        "true error": [float(np.mean((fit(between) - 2 - between / 2) ** 2)) for fit in fits],
        "y": y if seed == 0 else [],
    }


def _wave_labelings(n_points: int) -> int:
    """Labelings of points of the circle by curves ``1 + α sin(ωθ)``, with ω chosen for each."""
    angles = 10.0 ** -np.arange(1, n_points + 1)
    given = set()
    for wanted in product((-1, 1), repeat=n_points):
        signs = np.array(wanted)
        omega = np.pi * (1.0 + float(np.sum((1 - signs) / 2 / angles)))
        given.add(tuple(np.sign(WAVE * np.sin(omega * angles)).astype(int)))
    return len(given)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Counts, areas and errors."""
    counted, drawn = trials.where(part="shattering").only(), _drawn(trials)
    rows: list[tuple[str, ...]] = []
    rows += [(name, str(2 ** len(POINTS[name])), str(counted[name])) for name in POINTS]
    rows += [
        (f"{n} points of the circle, curves 1 + 0.1 sin(ωθ)", str(2**n), str(found))
        for n, found in enumerate(counted["wave"], start=1)
    ]
    yield Comparison("Labelings (Figs 2.3 and 2.4)", ("all there are", "measured"), rows)
    covers = np.mean(drawn.results("cover"), axis=0)
    rows = [(f"ε = {e}", f"{n:.1f}") for e, n in zip(SCALES, covers, strict=True)]
    yield Comparison("Members of a cover of the disk (Fig. 2.5)", ("measured",), rows)
    areas = np.mean(drawn.results("area"), axis=0)
    rows = [(f"p = {p}", f"{_area(p):.3f}", f"{a:.3f}") for p, a in zip(NORMS, areas, strict=True)]
    yield Comparison("Area of the p-hull of ±e₁, ±e₂ (Fig. 2.6)", ("exact", "measured"), rows)
    rows = [
        (f"order {order}", *(f"{np.mean(drawn.results(name), axis=0)[k]:.3f}" for name in ERRORS))
        for k, order in enumerate(ORDERS)
    ]
    yield Comparison("Squared error of polynomials (Fig. 2.7)", ERRORS, rows)


ERRORS = ("training error", "true error")


def _drawn(trials: Trials) -> Trials:
    return Trials((case, result) for case, result in trials if "seed" in case)


def _area(p: float) -> float:
    return float(4.0 * gamma(1.0 + 1.0 / p) ** 2 / gamma(1.0 + 2.0 / p))


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figures say."""
    counted, drawn = trials.where(part="shattering").only(), _drawn(trials)
    three, four = (counted[name] for name in POINTS)
    claim = "lines shatter three points, but not the corners of a square (exclusive or)"
    yield Finding(claim, (three, four) == (8, 14), f"{three} of 8 and {four} of 16 labelings")
    every = [2**n for n in range(1, MOST_ON_CURVE + 1)]
    claim = "a curve that is nowhere further than 0.1 from the circle shatters any number of points"
    yield Finding(claim, counted["wave"] == every, f"{counted['wave'][-1]} of {every[-1]}")
    covers = np.mean(drawn.results("cover"), axis=0)
    claim = "at half the scale a cover of a planar set has about four times as many members"
    ratios = covers[1:] / covers[:-1]
    yield Finding(claim, bool(np.all((ratios > 2) & (ratios < 5))), f"{np.round(ratios, 1)} times")
    training, true = (np.mean(drawn.results(name), axis=0) for name in ERRORS)
    claim = "order 10 goes through all points and is further from the truth than order 1"
    holds = training[1] < 1e-12 and true[1] > true[0]
    yield Finding(claim, bool(holds), f"true error {true[1]:.2f} against {true[0]:.3f}")


def draw(trials: Trials, figure: Any) -> None:
    """Circle and wave, the three hulls, and both polynomials."""
    from marginboost.diagnostics.displays.style import BLUE, CYCLE, GREY, ORANGE, plain

    curve, hulls, fits = figure.subplots(1, 3)
    angle = np.linspace(0.0, 2.0 * np.pi, 721)
    for radius, color in ((np.ones_like(angle), GREY), (1 + WAVE * np.sin(16 * angle), BLUE)):
        curve.plot(radius * np.cos(angle), radius * np.sin(angle), color=color)
    curve.set(title="circle, and 1 + 0.1 sin(16 θ)", aspect="equal")
    for p, color in zip(NORMS, CYCLE, strict=False):
        hulls.plot(*_sphere(angle, p), color=color, label=f"p = {p:g}")
    hulls.set(title="p-norm one", aspect="equal")
    y = np.array(trials.where(seed=0).only()["y"])
    between = np.linspace(-0.1, 10.1, 401)
    fits.plot(X, y, "o", color=GREY, markersize=4)
    for order, color in zip(ORDERS, (BLUE, ORANGE), strict=True):
        fitted = Polynomial.fit(X, y, order)
        fits.plot(between, fitted(between), color=color, label=f"order {order}")
    fits.set(title="noisy points of a line", ylim=(y.min() - 2, y.max() + 2))
    for ax in (curve, hulls, fits):
        ax.title.set_fontsize(10)
        plain(ax)
    for ax in (hulls, fits):
        ax.legend(frameon=False, fontsize=8)


def _sphere(angle: Array, p: float) -> tuple[Array, Array]:
    """Points of the plane whose p-norm is one."""
    u, v = np.cos(angle), np.sin(angle)
    norm = (np.abs(u) ** p + np.abs(v) ** p) ** (1.0 / p)
    return u / norm, v / norm


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 5, "rows": 300},
        "quick": {"trials": 50, "rows": 1000},
        "full": {"trials": 500, "rows": 1000},
    },
    draw=draw,
    figure_size=(10.5, 3.6),
    catalogue=("BA-E14",),
)
