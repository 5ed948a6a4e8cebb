"""Runs that end early on hard sets, and why (Barnes 1999, section 6.5.1 and Fig. E.1).

In the thesis many runs of AdaBoost on wpbc ended after a few rounds, for want of a stump better
than guessing; curves are means over those left, whose number is on the right axis of figure E.1.
Its program scored cuts between equal values of a feature, which no threshold can make: the stump
that looked best was then worse than it seemed, and at times than guessing. Here AdaBoost runs twice
on each of the thesis's partitions into halves, with that program's stump and with one that skips
such cuts. Runs that end early have fewer rounds to choose the least test error from.

Unknown: seeds, so partitions are others. Up to 1000 of the 10,000 rounds. Acacia is not public.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoost
from marginboost.core import Ensemble, Sample, train
from marginboost.data import Table
from marginboost.diagnostics import survivors
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ..tables import BESIDE, Mean, beside, share_within
from ._barnes_numbers import ADABOOST
from ._split_ties import SplitTiesOracle
from .barnes_real import TRAIN, rows_of

PUBLISHED = {5: 50, 10: 48, 20: 43, 50: 35, 100: 27, 200: 23, 500: 18, 1000: 14}
"""Runs of 50 on wpbc that had not ended, by round."""
TRIALS = 50
STUMPS = {False: "equal values split", True: "equal values skipped"}


def plan(done: Trials, trials: int, rounds: int) -> list[Case]:
    """Both stumps on every partition."""
    return [
        {"seed": seed, "rounds": rounds, "skip_ties": skip}
        for skip in (False, True)
        for seed in range(trials)
    ]


def trial(seed: int, rounds: int, skip_ties: bool) -> Result:
    """Rounds that one run made."""
    X, y = rows_of("wpbc", seed)
    learn, others = np.split(np.random.default_rng(seed).permutation(len(y)), [TRAIN["wpbc"]])
    table = Table(X[learn], [f"x{j}" for j in range(X.shape[1])])
    sample = Sample.of_labels(y[learn], rows=table)
    run = train(sample, SplitTiesOracle(skip_ties), AdaBoost(), max_rounds=rounds)
    length = int(np.count_nonzero(run.history["coef"]))
    return {"length": length, "rounds": rounds, "least": _least(run.ensemble, X[others], y[others])}


def _least(ensemble: Ensemble, X: Array, y: Array) -> float:
    """Least test error over the rounds of a run."""
    terms = zip(ensemble.coef, ensemble.members, strict=True)
    scores = np.cumsum([coef * member(X) for coef, member in terms], axis=0)
    return float((np.where(scores > 0, 1, -1) != y).mean(axis=1).min())


def _share(trials: Trials, skip: bool, rounds: list[int]) -> Array:
    lengths = trials.where(skip_ties=skip).results("length")
    return np.asarray(survivors(lengths, rounds) / len(lengths))


def _asked(trials: Trials) -> list[int]:
    most = max(trials.results("rounds"))
    return [t for t in PUBLISHED if t <= most]


def _mean(share: float, trials: int) -> Mean:
    return Mean(share, float(np.sqrt(share * (1.0 - share))), trials)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Share of runs that came so far, published and measured."""
    asked, n = _asked(trials), len(trials.where(skip_ties=False))
    rows = [
        beside(f"round {t}", _mean(PUBLISHED[t] / TRIALS, TRIALS), _mean(float(share), n))
        for t, share in zip(asked, _share(trials, False, asked), strict=True)
    ]
    title = "wpbc: share of AdaBoost's runs that had not ended, stumps that split equal values"
    yield Comparison(title, BESIDE, rows, (share_within(rows),))
    rows = [
        beside(name, ADABOOST["wpbc"], trials.where(skip_ties=skip).mean("least"))
        for skip, name in STUMPS.items()
    ]
    yield Comparison("wpbc: least test error over the rounds of a run", BESIDE, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What ends the runs."""
    asked = _asked(trials)
    split, skipped = (float(_share(trials, skip, asked)[-1]) for skip in (False, True))
    claim = "with stumps that split equal values most runs end early"
    yield Finding(claim, split < 0.9, f"{split:.0%} reach round {asked[-1]}")
    claim = "with stumps that do not, none does: it was a slip of the program, not the data"
    yield Finding(claim, skipped == 1.0, f"{skipped:.0%} reach round {asked[-1]}")


def draw(trials: Trials, figure: Any) -> None:
    """Runs left, against rounds."""
    from marginboost.diagnostics.displays.style import CYCLE, plain

    ax, most = figure.subplots(), max(trials.results("rounds"))
    at = np.unique(np.geomspace(1, most, 100).astype(int)).tolist()
    for skip, color in zip((False, True), CYCLE, strict=False):
        share = 100.0 * _share(trials, skip, at)
        ax.step(at, share, color=color, label=STUMPS[skip], where="post")
    known = _asked(trials)
    shown = [100.0 * PUBLISHED[t] / TRIALS for t in known]
    ax.plot(known, shown, "o", color="black", ms=4, label="published")
    ax.set(xscale="log", xlabel="round", ylabel="runs left (%)", ylim=(0, 105))
    ax.legend(frameon=False)
    plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 8, "rounds": 200},
        "quick": {"trials": 50, "rounds": 1000},
        "full": {"trials": 200, "rounds": 1000},
    },
    draw=draw,
    catalogue=("BA-E10", "BA-Q25"),
    data=("uci_wpbc",),
)
