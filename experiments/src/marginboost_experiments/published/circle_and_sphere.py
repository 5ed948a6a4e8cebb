"""Error, its bound and margins, round by round (lecture 6.867, Figs 2 to 5; Chan, Figs 2-1 to 2-5).

Lecture and thesis draw, for AdaBoost with stumps on a small set of points: weighted errors that
rise towards 1/2; training error under the bound ∏ 2√(ε(1-ε)); margin errors after 10 and after 50
rounds; and a test error that goes on falling when the training error is gone. The lecture also
asks what is lost by choosing coefficients one at a time; here they are fitted anew, all together,
to the same stumps (LB-E8).

Unknown: the data. The circle (two features, 100 rows) shows weighted errors, bound and margins; the
sphere (ten features, 200 rows) the late fall of the test error. Margins are squeezed from both
sides: only those near zero can be said to grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize

from marginboost.algorithms import AdaBoostClassifier
from marginboost.datasets import circle_2d, sphere_10d
from marginboost.types import Array

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

TEST_ROWS = 5000
STAGES = {"circle": (1, 10, 50), "sphere": (10, 50, 200)}
PILOTS = {  # of an independent implementation, one seed: margin errors at these θ
    10: "0.10 / 0.16 / 0.20",
    50: "0.00 / 0.02 / 0.16",
}
THETAS = (0.0, 0.05, 0.1)


def plan(done: Trials, trials: int, rounds: int) -> list[Case]:
    """One case per set of points."""
    return [
        {"data": data, "seed": seed, "rounds": rounds} for data in STAGES for seed in range(trials)
    ]


def trial(data: str, seed: int, rounds: int) -> Result:
    """Curves of one run, and the vote with all coefficients fitted anew."""
    make, n = (circle_2d, 100) if data == "circle" else (sphere_10d, 200)
    (X, y), (X_test, y_test) = make(n, seed), make(TEST_ROWS, seed + 1000)
    model = AdaBoostClassifier(n_estimators=rounds, max_bins=None, n_jobs=1).fit(X, y)
    test = [float(np.mean(found != y_test)) for found in model.staged_predict(X_test)]
    votes = [y * vote for vote in model.staged_decision_function(X)]
    outputs, outputs_test = (
        np.stack([stump(rows) for stump in model.estimators_], axis=1) for rows in (X, X_test)
    )
    joint = {}
    for t in STAGES[data]:
        t = min(t, len(votes))
        coef = _refitted(y[:, None] * outputs[:, :t])
        joint[str(t)] = float(np.mean(np.sign(outputs_test[:, :t] @ coef) != y_test))
    return {
        "ε": model.history_["error"],
        "train": [float(np.mean(margins <= 0)) for margins in votes],
        "test": test,
        "bound": np.cumprod(model.history_["normaliser"]),
        "margins": [np.sort(votes[min(t, len(votes)) - 1]) for t in STAGES[data]],
        "joint": joint,
    }


def _refitted(outcomes: Array) -> Array:
    """Coefficients of least mean exponential loss, all at once, at most ten in size.

    Where the stumps separate the rows there is no minimum: the bound keeps coefficients finite.
    """

    def loss(coef: Array) -> tuple[float, Array]:
        weights = np.exp(-np.clip(outcomes @ coef, -50, 50)) / len(outcomes)
        return float(weights.sum()), -outcomes.T @ weights

    n = outcomes.shape[1]
    return minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", bounds=[(-10, 10)] * n).x


def _first_zero(errors: list[float]) -> int | None:
    zero = np.flatnonzero(np.array(errors) == 0)
    return int(zero[0]) + 1 if len(zero) else None


def tables(trials: Trials) -> Iterator[Comparison]:
    """Margin errors of the circle; errors of both at some rounds."""
    rows: list[tuple[str, ...]] = []
    for k, t in enumerate(STAGES["circle"][1:], start=1):
        margins = [np.array(found[k]) for found in trials.where(data="circle").results("margins")]
        errors = [np.mean([np.mean(m <= theta) for m in margins]) for theta in THETAS]
        rows.append((f"round {t}", PILOTS[t], " / ".join(f"{error:.2f}" for error in errors)))
    columns: tuple[str, ...] = ("pilot, one seed", "measured")
    yield Comparison("Circle: share of margins up to 0, 0.05 and 0.1 (Fig. 4)", columns, rows)
    for data in trials.each("data"):
        mine = trials.where(data=data)
        rows = []
        for t in STAGES[data]:
            cells = [_at(mine, name, t) for name in ("ε", "train", "bound", "test")]
            joint = np.mean([found[str(t)] for found in mine.results("joint") if str(t) in found])
            rows.append((f"round {t}", *cells, f"{joint:.3f}"))
        last = len(mine.results("test")[0])
        cells = [_at(mine, name, last) for name in ("ε", "train", "bound", "test")]
        rows.append((f"round {last}", *cells, NONE))
        columns = ("weighted error", "training error", "bound", "test error", "test error, joint")
        yield Comparison(f"{data}: means over {len(mine)} samples", columns, rows)


def _at(trials: Trials, name: str, t: int) -> str:
    return f"{np.mean([values[min(t, len(values)) - 1] for values in trials.results(name)]):.3f}"


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figures show."""
    circle, sphere = (trials.where(data=data) for data in STAGES)
    first, last = (float(np.mean([v[k] for v in circle.results("ε")])) for k in (0, -1))
    rise = [np.mean(v[-20:]) > np.mean(v[:5]) for v in circle.results("ε")]
    claim = "weighted errors rise towards 1/2"
    yield Finding(claim, all(rise) and last < 0.5, f"{first:.2f} at first, {last:.2f} at the end")
    under = all(
        np.all(np.array(found["train"]) <= np.array(found["bound"]) + 1e-12) for _, found in trials
    )
    yield Finding("training error is under its bound in every round", under)
    least = [(m[1][0], m[2][0]) for m in circle.results("margins")]
    claim = "the least margin grows from round 10 to round 50"
    evidence = "{:.2f} to {:.2f} on average".format(*np.mean(least, axis=0))
    yield Finding(claim, np.mean(least, axis=0)[1] > np.mean(least, axis=0)[0], evidence)
    falls = []
    for _, found in sphere:
        zero = _first_zero(found["train"])
        if zero is not None:
            falls.append(found["test"][zero - 1] - np.mean(found["test"][-20:]))
    claim = "on the sphere test error falls on after the training error is gone"
    evidence = f"by {np.mean(falls):.3f} on average" if falls else "training error never gone"
    yield Finding(claim, bool(falls) and np.mean(falls) > 0, evidence)


def draw(trials: Trials, figure: Any) -> None:
    """Figs 2 to 5 of the lecture: the first sample of each set."""
    from marginboost.diagnostics.displays.style import BLUE, CYCLE, GREY, ORANGE, plain

    axes = figure.subplots(1, 4)
    circle, sphere = (trials.where(data=data, seed=0).only() for data in STAGES)
    axes[0].plot(circle["ε"], color=BLUE, linewidth=0.8)
    axes[0].axhline(0.5, color=GREY, linestyle=":")
    axes[1].plot(circle["train"], color=BLUE, label="training error")
    axes[1].plot(circle["bound"], color=ORANGE, label="bound")
    for t, margins, color in zip(STAGES["circle"], circle["margins"], CYCLE, strict=False):
        height = np.arange(1, len(margins) + 1) / len(margins)
        axes[2].step(margins, height, color=color, label=f"round {t}", where="post")
    axes[3].plot(sphere["train"], color=BLUE, label="training error")
    axes[3].plot(sphere["test"], color=ORANGE, label="test error")
    titles = ("weighted error, circle", "training error, circle", "margins, circle")
    for ax, title in zip(axes, (*titles, "errors, sphere"), strict=True):
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("margin" if ax is axes[2] else "round")
        if ax is not axes[0]:
            ax.legend(frameon=False, fontsize=8)
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 2, "rounds": 300},
        "quick": {"trials": 20, "rounds": 400},
        "full": {"trials": 100, "rounds": 1000},
    },
    draw=draw,
    figure_size=(12.0, 3.2),
    catalogue=(
        *("LB-E2", "LB-E3", "LB-E4a", "LB-E4b", "LB-E5", "LB-E8"),
        *("CH-E2", "CH-E3", "CH-E4", "CH-E5"),
    ),
)
