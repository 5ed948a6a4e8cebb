"""Labelings, bounds, weak learners (lecture Figs 1, 6, 7; book Figs 2.4, 2.5; Rätsch, Fig. 1.5).

The lecture draws the boundary of one stump; the four labelings of two points by stumps of one
coordinate, a new point whose label they force and one whose label they do not; eight labelings of
three points by lines, and the one of four that no line makes. The book draws the six labelings of
five points by thresholds, and training error, complexity term and their sum; it says that bounds
fall like 1/m without training errors and like 1/√m with, and that a weak learner can be boosted to
any accuracy. Rätsch draws how few labelings are left where a margin is asked for.

Unknown: schematics have no data. Here: six points of the unit disk for margins; unions of intervals
on a line, of which two are right and a tenth of the labels is flipped, for the sum; the majority of
three features, of which a stump sees one, for weak and strong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier
from marginboost.capacity import (
    LinearClassifiers,
    Stumps,
    Thresholds,
    consistent_finite_bound,
    finite_class_bound,
    forced_labels,
    geometric_margin,
    structural_risk,
)
from marginboost.types import Array

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
PAIR = ([1.0, 2.0], [-1, 1])
"""Two points of a line and their labels."""
PUBLISHED = {
    "five points, thresholds (book, Fig. 2.4)": 6,
    "two points, stumps of one coordinate (Fig. 6a-d)": 4,
    "a new point beyond them: labels left (Fig. 6e)": 1,
    "a new point between them: labels left (Fig. 6f)": 2,
    "three points, lines (Fig. 7a)": 8,
    "four corners, lines: not all 16 (Fig. 7b)": None,
}
MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4)
POINTS = 6
INTERVALS, NOISY_ROWS = 6, 8000
SIZES = (10_000, 1_000_000)
LEARNT = (30, 300, 3000)


def plan(done: Trials, trials: int) -> list[Case]:
    """What can be counted once, and samples of the rest."""
    return [{"part": "once"}, *({"seed": seed} for seed in range(trials))]


def trial(part: str = "", seed: int = 0) -> Result:
    """Counts and bounds; or margins of drawn points, and a weak learner boosted."""
    if part:
        return {"counts": _counts(), "bounds": _bounds(), **_intervals()}
    return {"wide": _labelings_by_margin(seed), "errors": _weak_and_strong(seed)}


def _counts() -> list[int]:
    """Labelings, in the order of :data:`PUBLISHED`."""
    lines = LinearClassifiers(2)
    return [
        len(Thresholds().labelings(np.arange(5.0))),
        len(Stumps(1).labelings(PAIR[0])),
        *(len(forced_labels(Stumps(1), *PAIR, new)) for new in (3.0, 1.5)),
        len(lines.labelings(TRIANGLE)),
        len(lines.labelings(SQUARE)),
    ]


def _bounds() -> list[list[float]]:
    """Bounds for 100 hypotheses, without and with a tenth of training errors, by sample size."""
    return [
        [float(consistent_finite_bound(m, 100)) for m in SIZES],
        [float(finite_class_bound(m, 100, 0.1)) - 0.1 for m in SIZES],
    ]


def _intervals() -> Result:
    """Training error of unions of intervals, the term of their complexity, and the sum."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(NOISY_ROWS))
    y = np.where(np.floor(4 * x) % 2 == 0, 1, -1) * np.where(rng.random(len(x)) < 0.1, -1, 1)
    found = structural_risk(_least(y), 2 * np.arange(1, INTERVALS + 1), len(y))
    names = ("empirical_risk", "confidence", "bound")
    return {name: getattr(found, name) for name in names} | {"best": found.best + 1}


def _least(y: Array) -> Array:
    """Least training error of 1, 2, … intervals on points in order, by dynamic programming."""
    outside, inside = np.zeros(INTERVALS + 1), np.full(INTERVALS + 1, np.inf)
    for label in y:
        entered = np.concatenate([[np.inf], outside[:-1]])
        left = np.minimum(outside, inside)
        inside, outside = np.minimum(inside, entered) + (label < 0), left + (label > 0)
    return np.minimum.accumulate(np.minimum(inside, outside))[1:] / len(y)


def _labelings_by_margin(seed: int) -> list[int]:
    """Labelings of points in the unit disk that a line makes with so large a margin."""
    X = np.random.default_rng(seed).normal(size=(POINTS, 2))
    X /= np.linalg.norm(X, axis=1).max()
    ways = [(1, *way) for way in product((-1, 1), repeat=POINTS - 1) if -1 in way]
    margins = np.array([geometric_margin(X, way) for way in ways])  # opposites have the same
    return [2 * int((margins >= max(wanted, 1e-9)).sum()) for wanted in MARGINS]


def _weak_and_strong(seed: int) -> list[float]:
    """Test error of one stump, and of 100 boosted on samples of growing size."""
    rng = np.random.default_rng(seed)
    test = _majority(rng, 10_000)
    models = [AdaBoostClassifier(n_estimators=t, n_jobs=1) for t in (1, *(100,) * len(LEARNT))]
    sizes = (LEARNT[-1], *LEARNT)
    fitted = (m.fit(*_majority(rng, n)) for m, n in zip(models, sizes, strict=True))
    return [1.0 - model.score(*test) for model in fitted]


def _majority(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    X = rng.random((n, 3))
    return X, np.where((X > 0.5).sum(axis=1) >= 2, 1, -1)


def _once(trials: Trials) -> Result:
    return trials.where(part="once").only()


def _drawn(trials: Trials) -> Trials:
    return Trials((case, result) for case, result in trials if "seed" in case)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Counts, bounds and errors."""
    once, drawn = _once(trials), _drawn(trials)
    rows: list[tuple[str, ...]] = [
        (name, NONE if theirs is None else str(theirs), str(ours))
        for (name, theirs), ours in zip(PUBLISHED.items(), once["counts"], strict=True)
    ]
    yield Comparison("Labelings", ("published", "measured"), rows)
    counts = drawn.array("wide").mean(axis=0)
    rows = [(f"margin {m:g}", f"{n:.1f}") for m, n in zip(MARGINS, counts, strict=True)]
    title = f"Labelings of {POINTS} points of the disk by lines with a margin (Rätsch, Fig. 1.5)"
    yield Comparison(title, ("measured",), rows, (f"of {2**POINTS - 2} with both labels",))
    names = ("empirical_risk", "confidence", "bound")
    rows = [
        (f"intervals: {k + 1}", *(f"{once[name][k]:.3f}" for name in names))
        for k in range(INTERVALS)
    ]
    columns = ("training error", "complexity term", "sum")
    yield Comparison("Unions of intervals, two are right (book, Fig. 2.5)", columns, rows)
    labels = ("without training errors", "with training errors, above their share")
    rows = [
        (label, *(f"{value:.5f}" for value in values), f"{values[0] / values[1]:.0f}")
        for label, values in zip(labels, once["bounds"], strict=True)
    ]
    sizes = (*(f"{m:,} examples" for m in SIZES), "ratio")
    yield Comparison("Bounds for 100 hypotheses", sizes, rows, ("1/m: 100, 1/√m: 10",))
    errors = 100.0 * drawn.array("errors").mean(axis=0)
    models = ["one stump", *(f"100 stumps, {n} examples" for n in LEARNT)]
    rows = [(name, f"{error:.2f}") for name, error in zip(models, errors, strict=True)]
    yield Comparison("Weak and strong: test error in %", ("measured",), rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figures say."""
    once, drawn = _once(trials), _drawn(trials)
    known = [(a, b) for a, b in zip(PUBLISHED.values(), once["counts"], strict=True) if a]
    claim = "labelings are as many as drawn, and lines do not make all of four points"
    same = all(a == b for a, b in known) and once["counts"][-1] < 16
    yield Finding(claim, same, f"{once['counts'][-1]} of 16")
    counts = drawn.array("wide").mean(axis=0)
    claim = "the larger the margin asked for, the fewer labelings are left"
    yield Finding(claim, np.all(np.diff(counts) < 0), f"{counts[0]:.0f} to {counts[-1]:.1f}")
    claim = "training error falls, the complexity term rises, and their sum is least in between"
    yield Finding(claim, 1 < once["best"] < INTERVALS, f"least at {once['best']} intervals")
    (fast, slow) = (values[0] / values[1] for values in once["bounds"])
    claim = "bounds fall like 1/m without training errors and like 1/√m with"
    yield Finding(claim, fast > 50 and slow < 11, f"{fast:.0f} and {slow:.0f} times")
    errors = drawn.array("errors").mean(axis=0)
    claim = "a learner that is a little better than guessing is boosted to any accuracy"
    falls = np.all(np.diff(errors[1:]) < 0) and errors[-1] < 0.02 * errors[0]
    yield Finding(claim, falls, ", ".join(f"{100 * error:.2f} %" for error in errors))


def draw(trials: Trials, figure: Any) -> None:
    """A stump; labelings by margin; the sum of risk and term; weak and strong."""
    from marginboost.diagnostics.displays.style import BLUE, CYCLE, INK, ORANGE, plain

    once, drawn = _once(trials), _drawn(trials)
    stump, wide, sums, strong = figure.subplots(1, 4)
    rng = np.random.default_rng(1)
    X = rng.random((40, 2))
    y = np.where(X[:, 1] > 0.55, 1, -1) * np.where(rng.random(40) < 0.1, -1, 1)
    for label, color, marker in ((1, ORANGE, "o"), (-1, BLUE, "s")):
        stump.scatter(*X[y == label].T, s=14, color=color, marker=marker)
    model = AdaBoostClassifier(n_estimators=1, max_bins=None, n_jobs=1).fit(X, y)
    stump.axhline(model.estimators_[0].threshold, color=INK)
    stump.set(title="one stump", xlabel="$x_1$", ylabel="$x_2$", xticks=[], yticks=[])
    wide.plot(MARGINS, drawn.array("wide").mean(axis=0), marker="o", color=INK)
    wide.set(title="lines with a margin", xlabel="margin", ylabel="labelings", ylim=(0, None))
    names = {"empirical_risk": "training error", "confidence": "term", "bound": "sum"}
    for (key, name), color in zip(names.items(), CYCLE, strict=False):
        sums.plot(range(1, INTERVALS + 1), once[key], marker="o", color=color, label=name)
    sums.set(title="unions of intervals", xlabel="intervals", ylim=(0, None))
    sums.legend(frameon=False, fontsize=8)
    errors = 100.0 * drawn.array("errors").mean(axis=0)
    strong.axhline(errors[0], color=INK, linestyle=":", label="one stump")
    strong.plot(LEARNT, errors[1:], marker="o", color=BLUE, label="100 stumps")
    strong.set(title="weak and strong", xlabel="examples", ylabel="test error in %", xscale="log")
    strong.legend(frameon=False, fontsize=8)
    for ax in (stump, wide, sums, strong):
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"trials": 3}, "quick": {"trials": 10}, "full": {"trials": 50}},
    draw=draw,
    figure_size=(12.0, 3.2),
    catalogue=(
        *("LB-E1", "LB-E6", "LB-E7", "R1-E05"),
        *("SF-E8", "SF-E9", "SF-E10", "SF-E12"),
    ),
)
