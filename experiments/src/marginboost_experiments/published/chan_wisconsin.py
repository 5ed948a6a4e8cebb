"""Noise, decision volumes and margins on the Wisconsin data (Chan 2015, Figs 4-1 to 4-5).

AdaBoost's first base learners, cross-validated, flag noisy rows (Algorithm 7). A run of AdaBoost on
all rows is then watched round by round: cells, decision volumes and margins of the flagged rows and
of the others, and how far the rows of smallest decision volume are the flagged ones (CH-E6 to
CH-E11).

The thesis names one data set and counts the rows of another (CH-E1), so both are run: Original (699
rows, 9 features, 16 missing values set to the mean, CH-A21) and Diagnostic, WDBC (569 rows, 30
features). Its figures are lost; what is left are the numbers in its text.
Besides them stand pilots, measured by an independent implementation on five shuffles. Folds are
shuffled anew many times, and means over the shuffles are given, here with the smallest and the
largest value in brackets.

Both readings of a decision volume are shown: the region of the predicted label, and that of the
given label, which is empty for a row that AdaBoost gets wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold

from marginboost.algorithms import AdaBoostClassifier
from marginboost.audit import (
    AdaBoostFilter,
    filter_overlap,
    log_cell_volumes,
    log_decision_volumes,
    mean_volumes,
)
from marginboost.audit.filters.decision_volume import smallest
from marginboost.datasets import load_wisconsin
from marginboost.types import Array

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

FOLDS, VOTERS, THRESHOLD = 3, 4, 0.5
MOST_VOTERS, VOLUME_ROUNDS = 50, 50
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
RATIO_ROUNDS = [1, 4, 10, 20, 30, 50]
OVERLAP_ROUNDS = [1, 4, 8, 30, 50]
MARGIN_ROUNDS = [1, 10, 50, 300]
LABELS = ("predicted", "given")

Pilots = dict[str, Any]

ORIGINAL: Pilots = {
    "flagged": "3.1 % (2.7–3.6)",
    "flagged 50": "4.9 %",
    "flagged 7": "0.06 %",
    "ratio": {1: 0.81, 4: 2.17, 10: 2.25, 20: 2.29, 30: 3.13, 50: 4.07},
    "overlap": {1: 0.07, 4: 0.29, 8: 0.34, 30: 0.36, 50: 0.43},
    "overlap 0.9": "0–0.06",
    "cell": {1: (19.0, 18.8), 50: (7.1, 3.5), 240: (2.90, 0.86), 300: (2.33, 0.41)},
    "margin": {1: (-0.50, 0.90), 10: (-0.11, 0.56), 50: (0.00, 0.34), 300: (0.03, 0.20)},
    "error": {1: "7.3 %", 4: "5.2 %", 50: "2.6 %", 300: "1.6 %"},
}
DIAGNOSTIC: Pilots = {
    "flagged": "2.5 % (1.4–3.3)",
    "flagged 50": "2.9 %",
    "ratio": {1: 1.09, 4: 2.9, 10: 4.6, 20: 5.7, 50: 2.5},
    "cell": {300: (-26.5, -22.1)},
    "error": {50: "0.0 %"},
}


def original() -> tuple[Array, Array]:
    """Breast Cancer Wisconsin (Original) with mean imputation (CH-E1a, CH-A21)."""
    X, y = load_wisconsin(return_X_y=True)
    return SimpleImputer().fit_transform(X), y


@dataclass(frozen=True)
class Study:
    """The filters on some shuffles of the folds, and one run of AdaBoost on all rows."""

    X: Array
    y: Array
    shuffles: int = 20
    rounds: int = 300

    @cached_property
    def votes(self) -> Array:
        """Share of the first 1, 2, … base learners against each row: (shuffle, voters, row)."""
        return np.array([self._filter(seed).staged_error_shares() for seed in range(self.shuffles)])

    def _filter(self, seed: int) -> AdaBoostFilter:
        cv = KFold(FOLDS, shuffle=True, random_state=seed)
        return AdaBoostFilter(n_estimators=MOST_VOTERS, max_bins=None, cv=cv).fit(self.X, self.y)

    def flagged(self, voters: int = VOTERS, threshold: float = THRESHOLD) -> Array:
        """Rows flagged, for each shuffle (CH-A15)."""
        return self.votes[:, voters - 1] > threshold

    @cached_property
    def model(self) -> AdaBoostClassifier:
        """AdaBoost with a cut between any two values, as in the thesis."""
        return AdaBoostClassifier(n_estimators=self.rounds, max_bins=None).fit(self.X, self.y)

    @cached_property
    def margins(self) -> Array:
        """Margins (round, row) (CH-A20)."""
        signs = np.where(self.y == self.model.classes_[1], 1.0, -1.0)
        return signs * np.array(list(self.model.staged_decision_function(self.X)))

    @cached_property
    def cells(self) -> Array:
        """Logarithms of the cell volumes (round, row)."""
        return log_cell_volumes(self.model, self.X, rounds="all")

    def volumes(self, rounds: list[int], label: str) -> Array:
        """Logarithms of the decision volumes (round, row), for the predicted or given label."""
        given = self.y if label == "given" else None
        return log_decision_volumes(self.model, self.X, given, rounds=rounds)

    @cached_property
    def errors(self) -> Array:
        """Training error after each round."""
        return 1.0 - np.array(list(self.model.staged_score(self.X, self.y)))

    def ratios(self, rounds: list[int], label: str) -> Array:
        """Mean volume of the others over that of the noisy rows: (shuffle, round) (CH-Q23)."""
        volumes = self.volumes(rounds, label)
        return np.array([mean_volumes(volumes, noisy).ratio for noisy in self.flagged()])

    def overlaps(self, rounds: list[int], label: str, threshold: float = THRESHOLD) -> Array:
        """Share of the flagged rows among as many of smallest volume: (shuffle, round) (CH-Q24)."""
        volumes, flagged = self.volumes(rounds, label), self.flagged(threshold=threshold)
        return np.array(
            [
                [filter_overlap(noisy, smallest(row, noisy.mean())) for row in volumes]
                for noisy in flagged
                if noisy.any()
            ]
        )

    def group_means(self, values: Array, rounds: list[int]) -> Array:
        """Means over noisy and other rows, averaged over shuffles: (round, 2)."""
        chosen = values[np.array(rounds) - 1]
        means = [(chosen[:, n].mean(axis=1), chosen[:, ~n].mean(axis=1)) for n in self.flagged()]
        return np.mean(means, axis=0).T


SETS = {
    "Original": (original, ORIGINAL),
    "Diagnostic (WDBC)": (lambda: load_breast_cancer(return_X_y=True), DIAGNOSTIC),
}


def plan(done: Trials, shuffles: int) -> list[Case]:
    """One case per data set."""
    return [{"data": data, "shuffles": shuffles} for data in SETS]


def trial(data: str, shuffles: int) -> Result:
    """All that is drawn and tabulated of one data set."""
    X, y = SETS[data][0]()
    study = Study(X, y, shuffles)
    every = list(range(1, VOLUME_ROUNDS + 1))
    grid = [[study.flagged(m, t).mean() for m in range(1, MOST_VOTERS + 1)] for t in THRESHOLDS]
    noisy = study.flagged().any(axis=0)
    return {
        "rows": len(study.y),
        "features": study.X.shape[1],
        "flagged": study.flagged().mean(axis=1),
        "grid": grid,
        "ratios": {label: study.ratios(every, label) for label in LABELS},
        "overlaps": {label: study.overlaps(every, label) for label in LABELS},
        "strict overlap": study.overlaps([VOLUME_ROUNDS], "predicted", threshold=0.9),
        "cells": study.group_means(study.cells, list(range(1, study.rounds + 1))),
        "margins": study.group_means(study.margins, MARGIN_ROUNDS),
        "margins noisy": [np.sort(study.margins[t - 1][noisy]) for t in MARGIN_ROUNDS],
        "margins others": [np.sort(study.margins[t - 1][~noisy]) for t in MARGIN_ROUNDS],
        "errors": study.errors,
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Table of each data set."""
    for case, result in trials:
        pilots = SETS[case["data"]][1]
        size = f"{result['rows']} rows, {result['features']} features"
        yield Comparison(
            f"{case['data']}: {size}, {case['shuffles']} shuffles",
            ("thesis", "pilot", "measured"),
            [
                *_flagged_rows(result, pilots),
                *_ratio_rows(result, pilots),
                *_overlap_rows(result, pilots),
                *_cell_rows(result, pilots),
                *_margin_rows(result, pilots),
                *_error_rows(result, pilots),
            ],
            (f"Overlap by chance: {np.mean(result['flagged']):.3f}.",),
        )


def _flagged_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E6, CH-E11: fraction of the rows that the filter flags."""
    share = 100.0 * np.array(result["flagged"])
    spread = f"{share.mean():.2f} % ({share.min():.1f}–{share.max():.1f})"
    name = "flagged by more than {} of {} voters"
    yield name.format(THRESHOLD, VOTERS), "2.5 % (2.4, 2.28)", pilots["flagged"], spread
    settings = [(7, 0.9, "gone", "flagged 7"), (50, 0.5, "0.45, read 4.5 %", "flagged 50")]
    for voters, threshold, thesis, key in settings:
        measured = result["grid"][THRESHOLDS.index(threshold)][voters - 1]
        shown = f"{100.0 * measured:.2f} %"
        yield name.format(threshold, voters), thesis, pilots.get(key, NONE), shown


def _ratio_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E8: mean decision volume of the others over that of the noisy rows."""
    for label in LABELS:
        ratios = np.array(result["ratios"][label])
        for t in RATIO_ROUNDS:
            pilot = pilots["ratio"].get(t, NONE) if label == "predicted" else NONE
            name = f"volume ratio, {label} label, round {t}"
            yield name, "2–3" if t >= 4 else NONE, str(pilot), _spread(ratios[:, t - 1])


def _overlap_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E10: flagged rows among those of smallest volume."""
    for label in LABELS:
        overlaps = np.array(result["overlaps"][label])
        for t in OVERLAP_ROUNDS:
            pilot = pilots.get("overlap", {}).get(t, NONE) if label == "predicted" else NONE
            name = f"overlap, {label} label, round {t}"
            yield name, "0.5" if t >= 4 else NONE, str(pilot), _spread(overlaps[:, t - 1])
    strict = np.array(result["strict overlap"])
    name = "overlap, threshold 0.9, round 50"
    yield name, "minimal", pilots.get("overlap 0.9", NONE), _spread(strict) if strict.size else NONE


def _cell_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E7: mean logarithm of the cell volumes."""
    for t in (1, 50, 240, 300):
        name = f"log cell volume, noisy / others, round {t}"
        yield name, "no difference", _pair(pilots["cell"].get(t)), _pair(result["cells"][t - 1])


def _margin_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E9: mean margins; those of noisy rows grow and stay below the others."""
    for t, means in zip(MARGIN_ROUNDS, result["margins"], strict=True):
        name = f"mean margin, noisy / others, round {t}"
        yield name, "noisy below", _pair(pilots.get("margin", {}).get(t)), _pair(means)


def _error_rows(result: Result, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """Training error below the curves of CH-E7 and CH-E8."""
    for t in (1, 4, 50, 300):
        measured = f"{100.0 * result['errors'][t - 1]:.1f} %"
        yield f"training error, round {t}", NONE, pilots["error"].get(t, NONE), measured


def _spread(values: Array) -> str:
    return f"{values.mean():.2f} ({values.min():.2f}–{values.max():.2f})"


def _pair(means: Any) -> str:
    return NONE if means is None else f"{means[0]:.2f} / {means[1]:.2f}"


def findings(trials: Trials) -> Iterator[Finding]:
    """What chapter 4 concludes, on each set."""
    for case, result in trials:
        where = f"on {case['data']} "
        share = float(np.mean(result["flagged"]))
        claim = where + "the filter flags about 2.5 % of the rows"
        yield Finding(claim, 0.02 < share < 0.036, f"{share:.1%}")
        strict = result["grid"][-1][6]
        claim = where + "no row is flagged at threshold 0.9 from 7 voters on"
        yield Finding(claim, strict < 0.003, f"{strict:.2%}")
        later = np.array(result["ratios"]["predicted"]).mean(axis=0)[3:]
        claim = where + "from round 4 decision volumes of noisy rows are at least 1.5 times smaller"
        evidence = f"{later.min():.1f} to {later.max():.1f} times, median {np.median(later):.1f}"
        yield Finding(claim, later.min() > 1.5, evidence)
        noisy, others = np.array(result["margins"]).T
        claim = where + "margins of noisy rows grow and stay below the others"
        evidence = f"{noisy[0]:.2f} to {noisy[-1]:.2f} below {others[-1]:.2f}"
        yield Finding(claim, (noisy < others).all() and noisy[-1] > noisy[0], evidence)
        overlap = np.array(result["overlaps"]["given"]).mean(axis=0)[3:10].mean()
        claim = where + "half of the flagged rows are among those of smallest decision volume"
        yield Finding(claim, 0.4 < overlap < 0.65, f"{overlap:.2f}, by chance {share:.2f}")


def draw(trials: Trials, figure: Any) -> None:
    """Figs 4-1 to 4-5, one row of panels per data set."""
    axes = figure.subplots(len(trials), 5, squeeze=False)
    for row, (case, result) in zip(axes, trials, strict=True):
        _draw_row(row, result)
        row[0].set_title(f"{case['data']}\nshare flagged", fontsize=9)


def _draw_row(axes: Any, result: Result) -> None:
    from marginboost.diagnostics.displays.style import BLUE, CYCLE, ORANGE, plain

    voters, cells = np.arange(1, MOST_VOTERS + 1), np.array(result["cells"])
    for threshold, shares, color in zip(THRESHOLDS, result["grid"], CYCLE, strict=False):
        axes[0].plot(voters, shares, color=color, label=f"> {threshold}")
    for k, (name, color) in enumerate((("noisy", ORANGE), ("others", BLUE))):
        axes[1].plot(np.arange(1, len(cells) + 1), cells[:, k], color=color, label=name)
        for t, style in ((50, ":"), (300, "-")):
            margins = result[f"margins {name}"][MARGIN_ROUNDS.index(t)]
            height = np.arange(1, len(margins) + 1) / len(margins)
            axes[3].step(margins, height, color=color, linestyle=style, label=f"{name}, {t}")
    for label, color in zip(LABELS, CYCLE, strict=False):
        axes[2].plot(voters, np.mean(result["ratios"][label], axis=0), color=color, label=label)
        axes[4].plot(voters, np.mean(result["overlaps"][label], axis=0), color=color, label=label)
    axes[2].axhspan(2, 3, color="#EEEEEE", zorder=0)
    axes[4].axhline(np.mean(result["flagged"]), color="#7F7F7F", linestyle=":", label="chance")
    titles = (
        "",
        "mean log cell volume",
        "volumes, others / noisy",
        "margins",
        "overlap of filters",
    )
    below = ("voters", "round", "round", "margin", "round")
    for ax, title, x in zip(axes, titles, below, strict=True):
        ax.set(xlabel=x)
        ax.set_title(title, fontsize=9)
        place = "lower right" if x == "margin" else "best"
        ax.legend(frameon=False, fontsize=7, loc=place, ncols=2 if x == "voters" else 1)
        plain(ax)
    axes[2].set_yscale("log")
    axes[2].yaxis.set_major_formatter("{x:g}")


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {"shuffles": 3}, "quick": {"shuffles": 20}, "full": {"shuffles": 100}},
    draw=draw,
    figure_size=(14.0, 5.4),
    catalogue=("CH-E1", "CH-E6", "CH-E7", "CH-E8", "CH-E9", "CH-E10", "CH-E11"),
)
