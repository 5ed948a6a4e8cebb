"""Noise, decision volumes and margins on the Wisconsin breast cancer data (Chan 2015, ch. 4).

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
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold

from ..algorithms import AdaBoostClassifier
from ..audit import (
    AdaBoostFilter,
    filter_overlap,
    log_cell_volumes,
    log_decision_volumes,
    mean_volumes,
)
from ..audit.filters.decision_volume import smallest
from ..datasets import load_wisconsin
from ..types import Array
from . import Comparison

FOLDS, VOTERS, THRESHOLD = 3, 4, 0.5
SHUFFLES = 20
MOST_VOTERS, VOLUME_ROUNDS, CELL_ROUNDS = 50, 50, 300
NONE = "–"

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


def run(data: Path | None) -> Iterator[Comparison]:
    """Compare on both data sets, which come with scikit-learn and with this package."""
    X, y = load_breast_cancer(return_X_y=True)
    yield compare("Diagnostic (WDBC)", Study(X, y), DIAGNOSTIC)
    yield compare("Original", Study(*original()), ORIGINAL)


def original() -> tuple[Array, Array]:
    """Breast Cancer Wisconsin (Original) with mean imputation (CH-E1a, CH-A21)."""
    X, y = load_wisconsin(return_X_y=True)
    return SimpleImputer().fit_transform(X), y


@dataclass(frozen=True)
class Study:
    """The filters on some shuffles of the folds, and one run of AdaBoost on all rows."""

    X: Array
    y: Array
    shuffles: int = SHUFFLES
    rounds: int = CELL_ROUNDS

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


def compare(title: str, study: Study, pilots: Pilots) -> Comparison:
    """Table of one data set."""
    chance = study.flagged().mean()
    return Comparison(
        f"{title}: {len(study.y)} rows, {study.X.shape[1]} features, {study.shuffles} shuffles",
        ("thesis", "pilot", "measured"),
        [
            *_flagged_rows(study, pilots),
            *_ratio_rows(study, pilots),
            *_overlap_rows(study, pilots),
            *_cell_rows(study, pilots),
            *_margin_rows(study, pilots),
            *_error_rows(study, pilots),
        ],
        (f"Overlap by chance: {chance:.3f}.",),
    )


def _flagged_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E6, CH-E11: fraction of the rows that the filter flags."""
    settings = [
        (VOTERS, THRESHOLD, "2.5 % (2.4, 2.28)", "flagged"),
        (7, 0.9, "gone", "flagged 7"),
        (MOST_VOTERS, THRESHOLD, "0.45, read 4.5 %", "flagged 50"),
    ]
    for voters, threshold, thesis, key in settings:
        share = 100.0 * study.flagged(voters, threshold).mean(axis=1)
        measured = f"{share.mean():.2f} % ({share.min():.1f}–{share.max():.1f})"
        name = f"flagged by more than {threshold} of {voters} voters"
        yield name, thesis, pilots.get(key, NONE), measured


def _ratio_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E8: mean decision volume of the others over that of the noisy rows."""
    rounds = [1, 4, 10, 20, 30, 50]
    for label in ("predicted", "given"):
        for t, ratios in zip(rounds, study.ratios(rounds, label).T, strict=True):
            pilot = pilots["ratio"].get(t, NONE) if label == "predicted" else NONE
            name = f"volume ratio, {label} label, round {t}"
            yield name, "2–3" if t >= 4 else NONE, str(pilot), _spread(ratios)


def _overlap_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E10: flagged rows among those of smallest volume."""
    rounds = [1, 4, 8, 30, 50]
    for label in ("predicted", "given"):
        for t, overlaps in zip(rounds, study.overlaps(rounds, label).T, strict=True):
            pilot = pilots.get("overlap", {}).get(t, NONE) if label == "predicted" else NONE
            name = f"overlap, {label} label, round {t}"
            yield name, "0.5" if t >= 4 else NONE, str(pilot), _spread(overlaps)
    strict = study.overlaps([50], "predicted", threshold=0.9)
    name = "overlap, threshold 0.9, round 50"
    yield name, "minimal", pilots.get("overlap 0.9", NONE), _spread(strict) if strict.size else NONE


def _cell_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E7: mean logarithm of the cell volumes."""
    rounds = [1, 50, 240, 300]
    for t, means in zip(rounds, study.group_means(study.cells, rounds), strict=True):
        name = f"log cell volume, noisy / others, round {t}"
        yield name, "no difference", _pair(pilots["cell"].get(t)), _pair(means)


def _margin_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """CH-E9: mean margins; those of noisy rows grow and stay below the others."""
    rounds = [1, 10, 50, 300]
    for t, means in zip(rounds, study.group_means(study.margins, rounds), strict=True):
        name = f"mean margin, noisy / others, round {t}"
        yield name, "noisy below", _pair(pilots.get("margin", {}).get(t)), _pair(means)


def _error_rows(study: Study, pilots: Pilots) -> Iterator[tuple[str, ...]]:
    """Training error below the curves of CH-E7 and CH-E8."""
    for t in (1, 4, 50, 300):
        measured = f"{100.0 * study.errors[t - 1]:.1f} %"
        yield f"training error, round {t}", NONE, pilots["error"].get(t, NONE), measured


def _spread(values: Array) -> str:
    return f"{values.mean():.2f} ({values.min():.2f}–{values.max():.2f})"


def _pair(means: Any) -> str:
    return NONE if means is None else f"{means[0]:.2f} / {means[1]:.2f}"
