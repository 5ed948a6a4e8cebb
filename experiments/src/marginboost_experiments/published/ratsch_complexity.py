"""Too simple, too complex: what a sample can tell (Rätsch 2001, Figs 1.1 and 1.2).

The thesis sketches a small sample with a simple and a complex boundary; with more examples one of
them turns out to be right, and which one depends on the truth. And it sketches that training error
falls, a confidence term rises with complexity, and their sum has a minimum in between.

Unknown: a schematic has no data. Here: points of the unit square above or below a straight or a
wavy line, a tenth of the labels flipped; a linear SVM and one with a narrow kernel, on 20 and on
300 points. For the second figure the kernel's width is the complexity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC

from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

FLIPPED = 0.1
SIZES = (20, 300)
MODELS: dict[str, dict[str, Any]] = {"simple": {"kernel": "linear"}, "complex": {"gamma": 40.0}}
RATES = (0.03, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)


def points(truth: str, n: int, seed: int, flipped: float = FLIPPED) -> tuple[Array, Array]:
    """Points of the square, labelled by a line, and some wrong labels."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    wave = 0.25 * np.sin(2 * np.pi * X[:, 0]) if truth == "wavy" else 0.0
    y = np.where(X[:, 1] > 0.5 + wave, 1, -1)
    return X, np.where(rng.random(n) < flipped, -y, y)


def plan(done: Trials, samples: int) -> list[Case]:
    """Both truths, sizes and models; all widths of the kernel."""
    figure = [
        {"truth": truth, "rows": n, "model": model, "seed": seed}
        for truth in ("straight", "wavy")
        for n in SIZES
        for model in MODELS
        for seed in range(samples)
    ]
    widths = [{"gamma": rate, "seed": seed} for rate in RATES for seed in range(samples)]
    return figure + widths


def trial(
    seed: int, truth: str = "wavy", rows: int = 100, model: str = "", gamma: float = 0.0
) -> Result:
    """Training and test error of one SVM."""
    X, y = points(truth, rows, seed)
    X_test, y_test = points(truth, 3000, seed + 10_000, 0.0)
    settings: dict[str, Any] = MODELS[model] if model else {"gamma": gamma}
    svm = SVC(C=10.0, **settings).fit(X, y)
    return {"train": 1.0 - svm.score(X, y), "test": 1.0 - svm.score(X_test, y_test)}


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test errors by truth, size and model; errors by width."""
    rows = []
    for truth in ("straight", "wavy"):
        for n in SIZES:
            mine = trials.where(truth=truth, rows=n)
            cells = [mine.where(model=model).mean("test").text(1, 100) for model in MODELS]
            rows.append((f"{truth} truth, {n} points", *cells))
    yield Comparison("Fig. 1.1: test error in %, clean labels", tuple(MODELS), rows)
    widths = []
    for rate in RATES:
        mine = trials.where(gamma=rate)
        cells = [mine.mean(what).text(1, 100) for what in ("train", "test")]
        widths.append((f"γ = {rate:g}", *cells))
    columns = ("training error in %", "test error in %")
    yield Comparison("Fig. 1.2: errors by complexity, wavy truth, 100 points", columns, widths)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the sketches say."""

    def gap(truth: str, n: int) -> float:
        mine = trials.where(truth=truth, rows=n)
        simple, complicated = (mine.where(model=model).mean("test").mean for model in MODELS)
        return simple - complicated

    claim = (
        "on many points the complex model is right about a wavy truth, and the simple one underfits"
    )
    yield Finding(claim, gap("wavy", SIZES[1]) > 0.02, f"by {gap('wavy', SIZES[1]):.1%}")
    claim = "about the straight one it is wrong: it overfits"
    yield Finding(claim, gap("straight", SIZES[1]) < 0, f"by {-gap('straight', SIZES[1]):.1%}")
    train, test = (
        np.array([trials.where(gamma=rate).mean(what).mean for rate in RATES])
        for what in ("train", "test")
    )
    best = int(np.argmin(test))
    claim = "training error falls with complexity; test error is least in between"
    holds = train[-1] < train[0] and 0 < best < len(RATES) - 1
    yield Finding(claim, holds, f"least at γ = {RATES[best]:g}")


def draw(trials: Trials, figure: Any) -> None:
    """Errors by truth and size, and by complexity."""
    from marginboost.diagnostics.displays.style import BLUE, ORANGE, plain

    left, right = figure.subplots(1, 2)
    names = [f"{truth},\n{n} points" for truth in ("straight", "wavy") for n in SIZES]
    for k, (model, color) in enumerate(zip(MODELS, (BLUE, ORANGE), strict=True)):
        means = [
            100 * trials.where(truth=truth, rows=n, model=model).mean("test").mean
            for truth in ("straight", "wavy")
            for n in SIZES
        ]
        left.bar(np.arange(4) + 0.38 * k - 0.19, means, width=0.36, color=color, label=model)
    left.set_xticks(np.arange(4), names, fontsize=8)
    left.set_ylabel("test error in %")
    for what, color in (("train", BLUE), ("test", ORANGE)):
        means = [100 * trials.where(gamma=rate).mean(what).mean for rate in RATES]
        label = {"train": "training error", "test": "test error"}[what]
        right.plot(RATES, means, "o-", color=color, label=label, markersize=4)
    right.set_xscale("log")
    right.set(xlabel="complexity: γ of the kernel", ylabel="error in %")
    for ax in (left, right):
        ax.legend(frameon=False, fontsize=9)
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"samples": 2}, "quick": {"samples": 20}, "full": {"samples": 100}},
    draw=draw,
    figure_size=(9.6, 3.6),
    catalogue=("R1-E01", "R1-E02"),
)
