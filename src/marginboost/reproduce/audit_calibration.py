"""Calibration of the label audit: P(right) beside the share of labels that are right.

Labels are flipped on purpose, the audit judges them, and its scores are held against what is known:
of the rows with a score near p, a share p should have kept their label. Sets that scikit-learn
carries or that are generated always run, those of the data folder where there is one. Labels of
real data that were wrong before count as right here: the truth has errors of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from ..audit import LabelAudit, plant_flips
from ..datasets import circle_2d, ringnorm, twonorm, waveform
from ..types import Array
from . import Comparison, load_arrays

ROWS = 2000
"""Rows of a generated set, and most rows of one from the data folder."""
SETS: dict[str, Callable[[], tuple[Array, Array]]] = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "circle": lambda: circle_2d(ROWS),
    "twonorm": lambda: twonorm(ROWS),
    "ringnorm": lambda: ringnorm(ROWS),
    "waveform": lambda: waveform(ROWS),
}
FOLDER_SETS = (
    "ida_banana",
    "ida_diabetis",
    "ida_german",
    "ida_heart",
    "ida_image",
    "uci_breast_w",
    "uci_satimage",
    "uci_segment",
    "uci_spambase",
    "uci_vehicle",
    "uci_vowel",
)
RATES = (0.0, 0.05, 0.1, 0.2)
"""Shares of labels flipped anywhere."""
OTHER_KINDS = {
    "class-conditional": "a fifth of the largest class flipped, no other",
    "feature-dependent": "10% of the labels flipped, most of them where the first feature is large",
    "near-boundary": "10% of the labels flipped, those that are hardest to tell",
}
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)
"""Ends of the intervals into which scores are sorted."""


@dataclass(frozen=True)
class Judged:
    """An audit of labels of which it is known whether they are right.

    Attributes
    ----------
    score : array
        P(right) of each row.
    right : array of bool
        Whether the row kept its label.
    flagged : array of bool
        Whether the audit flags it.
    """

    score: Array
    right: Array
    flagged: Array

    @property
    def planted(self) -> float:
        """Share of labels that were flipped."""
        return 1.0 - float(self.right.mean())

    @property
    def estimated(self) -> float:
        """Share of wrong labels that the audit estimates."""
        return 1.0 - float(self.score.mean())

    @property
    def calibration_error(self) -> float:
        """Distance of score and truth in an interval of scores, on average over the rows."""
        return sum(n * abs(mean - share) for n, mean, share in _intervals(self)) / len(self.score)


def judge(X: Any, y: Array, rate: float, kind: str = "uniform", seed: int = 0) -> Judged:
    """Flip labels and audit them."""
    belief = LabelAudit().fit(X, y).belief_ if kind == "near-boundary" else None
    noisy, flipped = plant_flips(y, rate, kind, X=X, belief=belief, seed=seed)
    audit = LabelAudit().fit(X, noisy)
    return Judged(audit.score_, ~flipped, audit.flagged_)


def judge_kind(X: Any, y: Array, kind: str) -> Judged:
    """The same with flips of another kind."""
    largest = np.unique(y, return_counts=True)[1].max() / len(y)
    return judge(X, y, 0.2 * largest if kind == "class-conditional" else 0.1, kind)


def pooled(parts: Sequence[Judged]) -> Judged:
    """All rows of several audits."""
    columns = ([getattr(part, name) for part in parts] for name in ("score", "right", "flagged"))
    return Judged(*map(np.concatenate, columns))


def _intervals(judged: Judged) -> Iterator[tuple[int, float, float]]:
    """Rows, mean score and share of right labels in each interval of scores."""
    place = np.digitize(judged.score, EDGES[1:-1])
    for k in range(len(EDGES) - 1):
        here = place == k
        n = int(here.sum())
        yield n, float(judged.score[here].sum()) / (n or 1), judged.right[here].sum() / (n or 1)


def reliability(title: str, judged: Judged) -> Comparison:
    """Score against truth, one row per interval of scores."""
    rows: list[tuple[str, ...]] = []
    for low, high, (n, mean, share) in zip(EDGES, EDGES[1:], _intervals(judged), strict=False):
        spread = np.sqrt(share * (1.0 - share) / n) if n else 0.0
        right = f"{share:.3f} ± {spread:.3f}" if n else "–"
        rows.append((f"{low:g} to {high:g}", f"{n:,}", f"{mean:.3f}" if n else "–", right))
    notes = (
        f"mean distance of the last two columns over all rows: {judged.calibration_error:.3f}",
        f"planted noise {judged.planted:.1%}, estimated {judged.estimated:.1%}",
    )
    return Comparison(title, ("rows", "mean P(right)", "really right"), rows, notes)


def run(data: Path | None) -> Iterator[Comparison]:
    """Reliability of the scores, estimated noise, and false alarms among the flagged rows."""
    sets = dict(_sets(data))
    by_rate = {rate: {name: judge(*rows, rate) for name, rows in sets.items()} for rate in RATES}
    everything = pooled([judged for audits in by_rate.values() for judged in audits.values()])
    yield reliability(f"uniform: {_percent(RATES)} of the labels; {len(sets)} sets", everything)
    yield _noise(by_rate)
    yield _alarms(by_rate)
    for kind, title in OTHER_KINDS.items():
        audits = pooled([judge_kind(*rows, kind) for rows in sets.values()])
        yield reliability(f"{kind}: {title}; {len(sets)} sets", audits)


def _sets(data: Path | None) -> Iterator[tuple[str, tuple[Array, Array]]]:
    for name, make in SETS.items():
        yield name, make()
    for name in FOLDER_SETS if data is not None else ():
        with load_arrays(data, name) as arrays:
            X, y = arrays["X"].astype(np.float64), arrays["y"]
        rows = np.random.default_rng(0).permutation(len(y))[:ROWS]
        yield name, (X[rows], np.unique(y[rows], return_inverse=True)[1])


def _percent(rates: Sequence[float]) -> str:
    return ", ".join(f"{rate:.0%}" for rate in rates)


def _noise(by_rate: dict[float, dict[str, Judged]]) -> Comparison:
    """Estimated noise beside the planted one, one set per row."""
    rows = [
        (name, *(f"{audits[name].estimated:.1%}" for audits in by_rate.values()))
        for name in next(iter(by_rate.values()))
    ]
    columns = tuple(f"{rate:.0%} planted" for rate in by_rate)
    return Comparison("estimated noise", columns, rows, ("uniform flips",))


def _alarms(by_rate: dict[float, dict[str, Judged]]) -> Comparison:
    """Share of false alarms among the flagged rows, expected and counted, one rate per row."""
    rows = []
    for rate, audits in by_rate.items():
        every = pooled(list(audits.values()))
        flagged = every.flagged
        n, wrong = int(flagged.sum()), int((~every.right).sum())
        found = f"{(flagged & ~every.right).sum() / wrong:.1%}" if wrong else "–"
        alarms = (
            f"{values[flagged].mean():.1%}" if n else "–" for values in (every.score, every.right)
        )
        rows.append((f"{rate:.0%} planted", f"{n:,}", *alarms, found))
    columns = ("flagged", "false alarms expected", "counted", "flips found")
    return Comparison("flagged rows at fdr 0.2", columns, rows, ("uniform flips, all sets",))
