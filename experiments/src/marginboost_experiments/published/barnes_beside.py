"""p-hulls, gravity and soft margins side by side (Barnes 1999, sections 4.5, 6.6 and 7).

The thesis leaves three things to others: to compare p-convex hulls with soft margins and with DOOM
in numbers, to run its gravity algorithm (a price λ on ‖b‖_p, whose code never ran), and to judge by
rows that are not the test rows. Here ring data of 100 rows with 0 to 30 % wrong labels; AdaBoost,
strict and sloppy p-boosting, gravity for p = 1 and the ν-LP (LPBoost) over stumps; parameters and
the round by the least error on 100 further rows, as noisy as those; test error on 4000 clean ones.

Filled in: sizes and grids, which nobody published. DOOM is not in this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier, LPBoostClassifier, PBoostClassifier
from marginboost.datasets import ring

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ..tables import Mean

ROWS, TEST_ROWS = 100, 4000
NOISES = (0, 10, 20, 30)
PS = (0.7, 1.0, 1.3, 2.0)
PENALTIES = (0.01, 0.1, 1.0, 10.0)
NUS = (0.1, 0.2, 0.4, 0.6)


def candidates(method: str, rounds: int) -> list[Any]:
    """Models of a method, one for each value of its parameter."""
    shared: dict[str, Any] = {"n_estimators": rounds, "n_jobs": 1, "max_bins": None}
    if method == "AdaBoost":
        return [AdaBoostClassifier(**shared)]
    if method == "soft margin":
        return [LPBoostClassifier(nu=nu, tol=1e-4, **shared) for nu in NUS]
    if method == "gravity":
        shared |= {"p": 1.0, "variant": "gravity"}
        return [PBoostClassifier(penalty=price, **shared) for price in PENALTIES]
    return [PBoostClassifier(p=p, variant=method.split()[0], **shared) for p in PS]


METHODS = ("AdaBoost", "strict p-hull", "sloppy p-hull", "gravity", "soft margin")


def plan(done: Trials, trials: int, rounds: int) -> list[Case]:
    """One case per noise and sample."""
    return [
        {"noise": noise, "seed": seed, "rounds": rounds}
        for noise in NOISES
        for seed in range(trials)
    ]


def trial(noise: int, seed: int, rounds: int) -> Result:
    """Test error of every method, by what was chosen on other rows."""
    learn, choose = (ring(ROWS, noise / 100, seed=3 * seed + k) for k in (0, 1))
    test = ring(TEST_ROWS, seed=3 * seed + 2)
    return {method: _honest(method, rounds, learn, choose, test) for method in METHODS}


def _honest(method: str, rounds: int, learn: Any, choose: Any, test: Any) -> float:
    """Test error where the error on the rows to choose by is least."""
    chosen: list[float] = []
    tested: list[float] = []
    for model in candidates(method, rounds):
        model.fit(*learn)
        for errors, (X, y) in ((chosen, choose), (tested, test)):
            staged = () if method == "soft margin" else model.staged_predict(X)
            errors += [float(np.mean(found != y)) for found in (*staged, model.predict(X))]
    return tested[int(np.argmin(chosen))]


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test errors by noise."""
    rows = [
        (method, *(trials.where(noise=noise).mean(method).text() for noise in NOISES))
        for method in METHODS
    ]
    columns = tuple(f"{noise} % noise" for noise in NOISES)
    note = "mean test error ± standard error; parameter and round chosen on other noisy rows"
    yield Comparison("ring, 100 rows", columns, rows, (note,))


def _gain(trials: Trials, method: str) -> Mean:
    """How much less a method errs than AdaBoost, over the noisy trials."""
    noisy = [result for case, result in trials if case["noise"] > 0]
    return Mean.of(result["AdaBoost"] - result[method] for result in noisy)


def findings(trials: Trials) -> Iterator[Finding]:
    """Whether capacity control of any kind helps, once it is chosen honestly."""
    gains = {method: _gain(trials, method) for method in METHODS[1:]}
    claim = "chosen on other rows, no method is ahead of AdaBoost by the 7 points of the thesis"
    evidence = ", ".join(f"{method} {gain}" for method, gain in gains.items())
    yield Finding(claim, all(gain.mean < 0.07 for gain in gains.values()), evidence)
    quiet = trials.where(noise=0).mean("AdaBoost").mean
    loud = trials.where(noise=30).mean("AdaBoost").mean
    claim = "noise costs AdaBoost more than anything that capacity control wins back"
    most = max(gain.mean for gain in gains.values())
    yield Finding(claim, loud - quiet > most, f"{loud - quiet:.3f} lost, {most:.3f} won")


def draw(trials: Trials, figure: Any) -> None:
    """Test error of every method against noise."""
    from marginboost.diagnostics.displays.style import CYCLE, plain

    ax = figure.subplots()
    for method, color in zip(METHODS, CYCLE, strict=False):
        means = [trials.where(noise=noise).mean(method) for noise in NOISES]
        values, errors = [100 * m.mean for m in means], [100 * m.error for m in means]
        ax.errorbar(NOISES, values, errors, color=color, marker="o", markersize=4, label=method)
    ax.set(xlabel="wrong labels in %", ylabel="test error in %", xticks=NOISES)
    ax.legend(frameon=False, fontsize=9)
    plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 2, "rounds": 15},
        "quick": {"trials": 20, "rounds": 100},
        "full": {"trials": 100, "rounds": 300},
    },
    draw=draw,
    catalogue=("BA-F4", "BA-F8"),
)
