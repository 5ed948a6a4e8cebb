"""Santa Fe series D, 25 values ahead (Rätsch 2001, Table 5.2).

The thesis takes the last 2000 values given to learn from, splits them by annealed competition of
experts into stationary parts, and keeps the 327 patterns of the part in which the series ends; 50
of them choose the parameters. Twenty values make a row; 25 values are predicted, fed back, and the
root mean squared error is compared with the winner's (PKM) 0.066.

Unknown: the segmentation, which is a paper of its own. In its place are the 327 patterns among the
last 2000 that are most like the end of the series: digits are not to be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from marginboost.datasets import load
from marginboost.timeseries import lagged

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._series import candidates, choose, closed_loop

LAGS, AHEAD, RECENT, PATTERNS, VALIDATION = 20, 25, 2000, 327, 50
PUBLISHED = {"CG-k": 0.036, "CG-ak": 0.035, "SVM ε-ins.": 0.032, "RBF-NN": 0.060}
RATES = (0.01, 0.03, 0.1)


def plan(done: Trials, rounds: int, methods: Sequence[str] = tuple(PUBLISHED)) -> list[Case]:
    """One case per method."""
    return [{"method": method, "rounds": rounds} for method in methods]


def trial(method: str, rounds: int) -> Result:
    """Error of the 25 values after the end."""
    data = load("ts_santafe_D")
    given, coming = data.series[: data.n_train], data.series[data.n_train :][:AHEAD]
    X, y = lagged(given[-RECENT:], LAGS, 1)
    end = given[: -LAGS - 1 : -1]
    like = np.sort(np.argsort(((X - end) ** 2).sum(axis=1))[:PATTERNS])
    X, y = X[like], y[like]
    n = max(len(y) - VALIDATION, len(y) // 2)
    model = choose(candidates(method, rounds, RATES), (X[:n], y[:n]), (X[n:], y[n:]))
    found = closed_loop(model, end[None, :], len(coming))[0]
    still = np.full(len(coming), given[-1])
    return {
        "error": float(np.sqrt(np.mean((found - coming) ** 2))),
        "standing still": float(np.sqrt(np.mean((still - coming) ** 2))),
        "found": found,
        "coming": coming,
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Published beside measured."""
    rows = [
        (case["method"], f"{PUBLISHED[case['method']]:.3f}", f"{result['error']:.3f}")
        for case, result in trials
    ]
    rows.append(("the last value for ever", NONE, f"{trials.results('standing still')[0]:.3f}"))
    rows.append(("PKM, winner of the competition", "0.066", NONE))
    yield Comparison("root mean squared error of 25 values", ("published", "measured"), rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """Sparse ensembles predict the series about as well as SVMs."""
    errors = {case["method"]: result["error"] for case, result in trials}
    still = trials.results("standing still")[0]
    claim = "column generation with kernels predicts better than the last value"
    yield Finding(claim, errors["CG-k"] < still, f"{errors['CG-k']:.3f} against {still:.3f}")
    claim = "and errs at most half as much again as the SVM"
    evidence = f"{errors['CG-k']:.3f} against {errors['SVM ε-ins.']:.3f}"
    yield Finding(claim, errors["CG-k"] < 1.5 * errors["SVM ε-ins."], evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Prediction and truth."""
    from marginboost.diagnostics.displays.style import CYCLE, GREY, plain

    ax = figure.subplots()
    coming = trials.results("coming")[0]
    time = np.arange(1, len(coming) + 1)
    ax.plot(time, coming, color=GREY, linewidth=2.5, label="series")
    for (case, result), color in zip(trials, CYCLE, strict=False):
        ax.plot(time, result["found"], color=color, label=case["method"])
    ax.set(xlabel="values after the end", title="Santa Fe series D, predictions fed back")
    ax.legend(frameon=False, fontsize=9)
    plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"rounds": 20, "methods": ["CG-k", "SVM ε-ins."]},
        "quick": {"rounds": 200},
        "full": {"rounds": 500},
    },
    draw=draw,
    catalogue=("R2-E13",),
    data=("ts_santafe_D",),
)
