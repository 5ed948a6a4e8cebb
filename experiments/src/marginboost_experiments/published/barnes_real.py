"""p-boosting on sonar, breast cancer (wpbc) and an acacia stand-in (Barnes 1999, Fig. 6.1, App. E).

Protocol of the thesis: sonar 69 rows to learn from and 139 to test (strict and sloppy as printed in
appendix E: 104 and 104), wpbc without the four rows with missing values 97 and 97, acacia 102 and
102; stumps; partitions drawn anew in every trial; least error over all rounds on all rows that are
not learnt from. Each number stands beside those published for as many rows to learn from.
Half of the training rows once more, drawn with replacement, would not be honest validation rows, so
in the last table a fifth of the test rows chooses the round, and the rest is tested.

Unknown: seeds. Rounds are fewer than published (up to 10,000). Where the two differ:

- sonar, sloppy with p = 0.5: its least error came after 4115 rounds, on average;
- wpbc: the thesis's stumps split equal values, and most of its runs ended early, before their least
  error; those here do not end, and err less (`barnes-survivors` runs both stumps);
- acacia: the data are not public. What is run is a stand-in of the same size that was made so that
  AdaBoost errs as often as published, and only says that the harness works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from marginboost.datasets import acacia_stand_in, load
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._barnes_numbers import ADABOOST, PS
from ._p_boosting import draw_by_p, error_table, honest_rows, honest_table, measured, run_variants

TRAIN = {"sonar": 69, "sonar, halves": 104, "wpbc": 97, "acacia": 102}
"""Rows to learn from; all others are tested."""
ELSEWHERE = {"sonar": ("strict", "sloppy", "sloppy-as-run"), "sonar, halves": ("adaboost", "naive")}
"""Variants that were published for other numbers of rows to learn from."""
SOME = (0.5, 1.0, 1.5, 2.0)


def plan(
    done: Trials,
    trials: int,
    rounds: int,
    ps: Sequence[float] = SOME,
    costly: Sequence[float] = (1.0, 1.7),
) -> list[Case]:
    """One case per set and partition."""
    shared = {"rounds": rounds, "ps": list(ps), "costly": list(costly)}
    return [{"data": data, "seed": seed, **shared} for data in TRAIN for seed in range(trials)]


def trial(
    data: str, seed: int, rounds: int, ps: Sequence[float], costly: Sequence[float]
) -> Result:
    """Errors of all algorithms on one partition."""
    X, y = rows_of(data, seed)
    order = np.random.default_rng(seed).permutation(len(y))
    learn, others = np.split(order, [TRAIN[data]])
    valid, test = np.split(others, [len(others) // 5])
    train, tested, chosen = ((X[part], y[part]) for part in (learn, test, valid))
    return run_variants(train, tested, chosen, rounds, ps, costly, pooled=True)


def rows_of(data: str, seed: int) -> tuple[Array, Array]:
    """Rows and labels -1, 1 of a set; rows with missing values are left out."""
    if data == "acacia":
        return acacia_stand_in(seed)
    X, y = load(f"uci_{data.partition(',')[0]}", return_X_y=True)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], np.where(y[complete] > 0, 1, -1)


def _published_name(data: str) -> str:
    return data.partition(",")[0]


def tables(trials: Trials) -> Iterator[Comparison]:
    """Published beside measured for every set; the three ways to report."""
    honest: list[tuple[str, ...]] = []
    for data in trials.each("data"):
        mine = trials.where(data=data)
        title = f"{data}, {TRAIN[data]} rows to learn from"
        others = ELSEWHERE.get(data, ())
        notes = (f"published for other sizes: {', '.join(others)}",) if others else ()
        yield error_table(mine, _published_name(data), title, notes, others)
        honest += honest_rows(mine, data)
    yield honest_table(honest)


def findings(trials: Trials) -> Iterator[Finding]:
    """What the thesis says of these sets."""
    for data in ("sonar", "wpbc"):
        ours, theirs = measured(trials.where(data=data), "adaboost"), ADABOOST[data]
        claim = f"AdaBoost's least error on {data} is within 0.03 of the published one"
        yield Finding(claim, abs(ours.mean - theirs.mean) < 0.03, f"{ours}, published {theirs}")
    few, many = (measured(trials.where(data=data), "adaboost") for data in list(TRAIN)[:2])
    claim = "the published sonar curves of strict and sloppy cannot be compared with AdaBoost's"
    evidence = f"AdaBoost errs {few} with 69 rows, {many} with 104"
    yield Finding(claim, many.mean < few.mean - 0.01, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Least test error against p on every set; published dotted."""
    axes = figure.subplots(1, len(TRAIN), squeeze=False)[0]
    for ax, data in zip(axes, trials.each("data"), strict=True):
        title, others = f"{data} ({TRAIN[data]})", ELSEWHERE.get(data, ())
        draw_by_p(ax, trials.where(data=data), _published_name(data), title, others)
    axes[0].set_ylabel("least test error")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    figure.suptitle("Measured (lines, ± standard error) and published (dotted); rows in brackets")


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 4, "rounds": 80, "ps": [1.0], "costly": []},
        "quick": {"trials": 20, "rounds": 300},
        "full": {"trials": 50, "rounds": 1000, "ps": PS, "costly": PS},
    },
    draw=draw,
    figure_size=(11.0, 3.4),
    catalogue=("BA-E1", "BA-E2", "BA-E3", "BA-E4", "BA-E5"),
    data=("uci_sonar", "uci_wpbc"),
)
