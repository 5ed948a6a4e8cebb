"""Calibration of the label audit: P(right) beside the share of labels that are right.

Labels are flipped on purpose, the audit judges them, and its scores are held against what is known:
of the rows with a score near p, a share p should have kept their label. The quick size has sets
that scikit-learn carries or that are generated, the full one also sets of the data folder. Labels
of real data that were wrong before count as right here: the truth has errors of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from marginboost.audit import LabelAudit, plant_flips
from marginboost.datasets import circle_2d, load, ringnorm, twonorm, waveform
from marginboost.types import Array

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

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
        right = f"{share:.3f} ± {spread:.3f}" if n else NONE
        rows.append((f"{low:g} to {high:g}", f"{n:,}", f"{mean:.3f}" if n else NONE, right))
    notes = (
        f"mean distance of the last two columns over all rows: {judged.calibration_error:.3f}",
        f"planted noise {judged.planted:.1%}, estimated {judged.estimated:.1%}",
    )
    return Comparison(title, ("rows", "mean P(right)", "really right"), rows, notes)


def plan(
    done: Trials,
    sets: Sequence[str] = (*SETS, *FOLDER_SETS),
    rates: Sequence[float] = RATES,
    kinds: Sequence[str] = tuple(OTHER_KINDS),
) -> list[Case]:
    """One case per set and kind of flips."""
    uniform = [{"data": data, "kind": "uniform", "rate": rate} for rate in rates for data in sets]
    return uniform + [{"data": data, "kind": kind} for kind in kinds for data in sets]


def trial(data: str, kind: str, rate: float = 0.0) -> Result:
    """Audit one set with flipped labels."""
    X, y = rows_of(data)
    judged = judge(X, y, rate) if kind == "uniform" else judge_kind(X, y, kind)
    return {"score": judged.score, "right": judged.right, "flagged": judged.flagged}


def rows_of(name: str) -> tuple[Array, Array]:
    """Rows and labels of a set."""
    if name in SETS:
        return SETS[name]()
    X, y = load(name, return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:ROWS]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def judged_of(trials: Trials) -> Judged:
    """All rows of these trials."""
    names = ("score", "right", "flagged")
    return pooled([Judged(*(np.array(result[name]) for name in names)) for _, result in trials])


def tables(trials: Trials) -> Iterator[Comparison]:
    """Reliability of the scores, estimated noise, and false alarms among the flagged rows."""
    uniform = trials.where(kind="uniform")
    rates, sets = uniform.each("rate"), uniform.each("data")
    title = f"uniform: {_percent(rates)} of the labels; {len(sets)} sets"
    yield reliability(title, judged_of(uniform))
    by_rate = {
        rate: {name: judged_of(uniform.where(rate=rate, data=name)) for name in sets}
        for rate in rates
    }
    yield _noise(by_rate)
    yield _alarms(by_rate)
    for kind in trials.each("kind"):
        if kind != "uniform":
            title = f"{kind}: {OTHER_KINDS[kind]}; {len(sets)} sets"
            yield reliability(title, judged_of(trials.where(kind=kind)))


def findings(trials: Trials) -> Iterator[Finding]:
    """Scores are probabilities, where flips do not follow the features."""
    every = judged_of(trials.where(kind="uniform"))
    claim = "P(right) is a probability: mean distance from the truth below 0.03"
    yield Finding(claim, every.calibration_error < 0.03, f"{every.calibration_error:.3f}")
    claim = "the noise estimated is near the noise planted"
    evidence = f"{every.estimated:.1%} for {every.planted:.1%}"
    yield Finding(claim, abs(every.estimated - every.planted) < 0.03, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Share of labels that are right against P(right), one curve per kind of flips."""
    from marginboost.diagnostics.displays.style import CYCLE, GREY, plain

    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    for kind, color in zip(trials.each("kind"), CYCLE, strict=False):
        points = [
            (mean, share) for n, mean, share in _intervals(judged_of(trials.where(kind=kind))) if n
        ]
        ax.plot(*zip(*points, strict=True), marker="o", color=color, label=kind)
    ax.set(xlabel="P(right)", ylabel="share of labels that are right")
    ax.legend(frameon=False, fontsize=9)
    plain(ax)


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
        found = f"{(flagged & ~every.right).sum() / wrong:.1%}" if wrong else NONE
        alarms = (
            f"{values[flagged].mean():.1%}" if n else NONE for values in (every.score, every.right)
        )
        rows.append((f"{rate:.0%} planted", f"{n:,}", *alarms, found))
    columns = ("flagged", "false alarms expected", "counted", "flips found")
    return Comparison("flagged rows at fdr 0.2", columns, rows, ("uniform flips, all sets",))


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"sets": ["wine"], "rates": [0.1], "kinds": ["feature-dependent"]},
        "quick": {"sets": list(SETS)},
        "full": {},
    },
    draw=draw,
    figure_size=(6.0, 4.6),
    catalogue=("CH-E12",),
)
