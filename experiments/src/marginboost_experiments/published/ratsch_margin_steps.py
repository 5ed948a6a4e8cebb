"""Margins of AdaBoost pile up at one value (Rätsch 2001, Fig. 2.1).

The thesis runs 10,000 rounds of AdaBoost with RBF nets on banana data of noise σ² = 0, 9 and 16 %
(13 centres), and of 16 % with 7, 13 and 30 centres, and draws the distribution of margins: a step,
because many examples of both classes share the smallest margin. The step is at smaller margins for
more noise and for weaker nets.

Unknown: the generator of the data and their number. Here: two arcs of radius one with normal noise
of that variance, 100 points; fewer rounds in the quick size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier
from marginboost.oracles import RBFNetOracle

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import banana

ROWS, STEPS = 100, 3
CASES = ((0.0, 13), (0.09, 13), (0.16, 13), (0.16, 7), (0.16, 30))
"""Noise and centres."""
NEAR = 0.05
"""Margins up to this above the smallest are on the step."""


def plan(done: Trials, seeds: int, rounds: int) -> list[Case]:
    """One case per sample, noise and number of centres."""
    return [
        {"noise": noise, "centres": centres, "seed": seed, "rounds": rounds}
        for noise, centres in CASES
        for seed in range(seeds)
    ]


def trial(noise: float, centres: int, seed: int, rounds: int) -> Result:
    """Margins after the last round."""
    X, y = banana(ROWS, noise, seed)
    net = RBFNetOracle(n_centers=centres, max_iter=STEPS)
    model = AdaBoostClassifier(net, n_estimators=rounds, n_jobs=1).fit(X, y)
    margins = np.sort(model.margins_)
    on_step = model.margins_ <= margins[0] + NEAR
    return {
        "margins": margins,
        "least": margins[0],
        "on step": float(on_step.mean()),
        "both": bool(len(np.unique(y[on_step])) == 2),
        "rounds": len(model.estimators_),
    }


def _of(trials: Trials, noise: float, centres: int) -> Trials:
    return trials.where(noise=noise, centres=centres)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Smallest margins and the height of the step."""
    rows = []
    for noise, centres in CASES:
        mine = _of(trials, noise, centres)
        means = [mine.mean(name).text(2) for name in ("least", "on step", "rounds")]
        rows.append((f"σ² = {noise:.0%}, {centres} centres", *means))
    columns = ("smallest margin", f"share within {NEAR} of it", "rounds")
    note = "without noise a single net may get all points right, which ends a run"
    yield Comparison("Margins of AdaBoost with RBF nets", columns, rows, (note,))


def findings(trials: Trials) -> Iterator[Finding]:
    """The step, and where it is."""
    noisy = trials.where(noise=0.16, centres=13)
    share = noisy.mean("on step")
    claim = "many examples share the smallest margin"
    yield Finding(claim, share.mean > 0.2, f"{share} of them within {NEAR}")
    both = np.mean(noisy.results("both"))
    yield Finding("of both classes", both > 0.5, f"in {both:.0%} of the samples")
    less, more = (_of(trials, noise, 13).mean("least") for noise in (0.09, 0.16))
    claim = "the step is at smaller margins for more noise"
    yield Finding(claim, more.mean < less.mean, f"{less} at 9 %, {more} at 16 %")
    weak, strong = (_of(trials, 0.16, centres).mean("least") for centres in (7, 30))
    claim = "and for fewer centres"
    yield Finding(claim, weak.mean < strong.mean, f"{weak} with 7, {strong} with 30")


def draw(trials: Trials, figure: Any) -> None:
    """Distributions of margins: by noise, and by the number of centres."""
    from marginboost.diagnostics.displays.style import plain

    axes = figure.subplots(1, 2, sharey=True)
    panels = ((CASES[:3], "13 centres"), ((CASES[3], CASES[2], CASES[4]), "σ² = 16 %"))
    for ax, (cases, title) in zip(axes, panels, strict=True):
        for (noise, centres), style in zip(cases, (":", "--", "-"), strict=True):
            margins = np.array(_of(trials, noise, centres).where(seed=0).only()["margins"])
            height = np.arange(1, len(margins) + 1) / len(margins)
            label = f"σ² = {noise:.0%}" if title.startswith("13") else f"{centres} centres"
            ax.step(margins, height, color="#333333", linestyle=style, label=label)
        ax.set(xlabel="margin", title=title, xlim=(-0.1, 1))
        ax.legend(frameon=False, fontsize=9)
        plain(ax)
    axes[0].set_ylabel("share of examples")


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"seeds": 2, "rounds": 160},
        "quick": {"seeds": 3, "rounds": 1000},
        "full": {"seeds": 10, "rounds": 10_000},
    },
    draw=draw,
    figure_size=(9.0, 3.6),
    catalogue=("R1-E08",),
)
