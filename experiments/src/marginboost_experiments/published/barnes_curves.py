"""Curves of error, weights, margins and coefficients on ring data (Barnes 1999, Figs 3.3 to 6.5).

The thesis draws training and test error of AdaBoost at three levels of noise (Fig. 3.7), weights of
the examples after 5 and 100 rounds (3.3), margins after 5, 50 and 1000 (3.6), mean curves of strict
and sloppy p-boosting (6.4) and the coefficients of runs of 10,000 rounds (6.5): AdaBoost's fall as
a power of the round until the training error is gone and are then constant; sloppy ones with p <= 1
forget, so that early coefficients vanish.

Unknown: seeds. Rounds are counted as in the thesis, whose first record is of the second round.
Published means are digitised and are of 100 trials (strict, sloppy: 30), without spreads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier, PBoostClassifier
from marginboost.datasets import ring

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

PUBLISHED = {  # test / training error at records 1, 10, 100, 1000 (R3 and appendix E)
    ("adaboost", 0): ".429/.339 .210/.062 .126/.000 .132/.000",
    ("adaboost", 10): ".431/.344 .260/.113 .217/.000 .240/.000",
    ("adaboost", 20): ".443/.354 .310/.156 .305/.003 .329/.000",
    ("adaboost", 30): ".456/.364 .363/.181 .363/.008 .383/.000",
    ("sloppy-as-run, p = 0.5", 30): ".463/.330 .485/.452 .479/.454 .480/.447",
    ("sloppy-as-run, p = 1", 30): ".449/.335 .403/.248 .408/.205 .413/.185",
    ("sloppy-as-run, p = 1.5", 30): ".452/.348 .369/.175 .402/.022 .400/.001",
}
RECORDS = (1, 10, 100, 1000)
TEST_ROWS = 5000


def plan(done: Trials, trials: int, rounds: int, long: int) -> list[Case]:
    """Curves over many training sets, and single long runs."""
    curves = [
        {"algorithm": name, "noise": noise, "seed": seed, "rounds": rounds}
        for name, noise in PUBLISHED
        for seed in range(trials)
    ]
    runs = ("adaboost", "strict, p = 1.5", "sloppy-as-run, p = 1", "sloppy-as-run, p = 1.5")
    return curves + [{"algorithm": name, "long": long} for name in runs]


def trial(algorithm: str, noise: int = 20, seed: int = 0, rounds: int = 0, long: int = 0) -> Result:
    """Error curves of one run, or the coefficients of a long one."""
    X, y = ring(50 if not long else 100, noise / 100.0, mode="bernoulli", seed=3 * seed)
    shared: dict[str, Any] = {"n_estimators": long or rounds + 1, "max_bins": None, "n_jobs": 1}
    name, _, p = algorithm.partition(", p = ")
    if name == "adaboost":
        model: Any = AdaBoostClassifier(**shared)
    else:
        search: dict[str, Any] = {"search": "published"} if name == "strict" else {}
        model = PBoostClassifier(p=float(p), variant=name, **search, **shared)
    model.fit(X, y)
    if long:
        return _long(model, X, y)
    X_test, y_test = ring(TEST_ROWS, seed=3 * seed + 1)
    test, train = (
        [float(np.mean(found != labels)) for found in model.staged_predict(rows)]
        for rows, labels in ((X_test, y_test), (X, y))
    )
    kept = np.unique(np.geomspace(1, rounds, 60).astype(int))
    ends = [min(t, len(test) - 1) for t in kept]  # record t is of round t + 1
    return {"kept": kept, "test": [test[t] for t in ends], "train": [train[t] for t in ends]}


def _long(model: Any, X: Any, y: Any) -> Result:
    votes = list(model.staged_decision_function(X))
    stages = [min(t, len(votes)) for t in (5, 50, len(votes))]
    coef = np.maximum(np.abs(model.estimator_weights_), 1e-300)
    kept = np.unique(np.geomspace(1, len(coef), 200).astype(int))
    return {
        "X": X,
        "y": y,
        "weights": np.abs(model.dual_),
        "stages": stages,
        "margins": [np.sort(y * votes[t - 1]) for t in stages],
        "kept": kept,
        "coef": (coef / coef.sum())[kept - 1],
    }


def _curves(trials: Trials) -> Trials:
    return Trials((case, result) for case, result in trials if "noise" in case)


def _at(trials: Trials, what: str, record: int) -> float | None:
    kept = trials.results("kept")[0]
    if record > kept[-1]:
        return None
    return float(np.interp(record, kept, trials.array(what).mean(axis=0)))


def tables(trials: Trials) -> Iterator[Comparison]:
    """Test / training error at four records, published and measured."""
    rows = []
    for (name, noise), line in PUBLISHED.items():
        mine = _curves(trials).where(algorithm=name, noise=noise)
        cells = []
        for record, theirs in zip(RECORDS, line.split(), strict=True):
            test, train = (_at(mine, what, record) for what in ("test", "train"))
            ours = NONE if test is None or train is None else f"{test:.3f}/{train:.3f}"
            cells.append(f"{theirs} · {ours}")
        rows.append((f"{name}, {noise} %", *cells))
    columns = tuple(f"record {record}" for record in RECORDS)
    title = "test/training error, published · measured"
    yield Comparison(title, columns, rows, ("means over trials",))


def findings(trials: Trials) -> Iterator[Finding]:
    """What the figures show."""
    curves = _curves(trials)
    noisy = curves.where(algorithm="adaboost", noise=20)
    mean = noisy.array("test").mean(axis=0)
    best = int(np.argmin(mean))
    claim = "with 20 % noise AdaBoost's mean test error has a minimum and rises again (Fig. 3.7)"
    kept = noisy.results("kept")[0]
    evidence = f"{mean[best]:.3f} at record {kept[best]}, {mean[-1]:.3f} at the end"
    yield Finding(claim, 0 < best < len(mean) - 1 and mean[-1] > mean[best] + 0.005, evidence)
    small = curves.where(algorithm="sloppy-as-run, p = 0.5", noise=30)
    gap = small.array("test").mean(axis=0)[-20:] - small.array("train").mean(axis=0)[-20:]
    large = curves.where(algorithm="adaboost", noise=30)
    other = large.array("test").mean(axis=0)[-20:] - large.array("train").mean(axis=0)[-20:]
    claim = "at p = 0.5 test and training error nearly coincide (Fig. 6.4)"
    evidence = f"{gap.mean():.3f} apart; AdaBoost {other.mean():.3f}"
    yield Finding(claim, gap.mean() < 0.35 * other.mean(), evidence)
    plain, forgetting = (
        trials.where(algorithm=name).where(noise=None).results("coef")[0]
        for name in ("adaboost", "sloppy-as-run, p = 1")
    )
    claim = "sloppy p-boosting with p = 1 forgets: early coefficients vanish (Fig. 6.5)"
    ratios = [values[0] / values[-1] for values in (forgetting, plain)]
    evidence = f"first over last: {ratios[0]:.0e}; AdaBoost {ratios[1]:.0e}"
    yield Finding(claim, ratios[0] < 1e-3 and ratios[1] > 1, evidence)
    margins = trials.where(algorithm="adaboost").where(noise=None).results("margins")[0]
    claim = "small margins grow over the rounds (Fig. 3.6)"
    evidence = ", ".join(f"{values[0]:.2f}" for values in margins)
    yield Finding(claim, margins[-1][0] > margins[0][0], f"least: {evidence}")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 3.7: errors; 6.4: at 30 %; 3.6: margins; 6.5: coefficients."""
    from marginboost.diagnostics.displays.style import CYCLE, plain

    errors, sloppy, margins, coefs = figure.subplots(1, 4)
    curves = _curves(trials)
    noises = [noise for name, noise in PUBLISHED if name == "adaboost"]
    panels = [(errors, "adaboost", noise, f"{noise} %") for noise in noises]
    names = [name for name, _ in PUBLISHED if name != "adaboost"]
    panels += [(sloppy, name, 30, name.partition(", ")[2]) for name in names]
    for k, (ax, name, noise, label) in enumerate(panels):
        mine = curves.where(algorithm=name, noise=noise)
        color = CYCLE[k % 4]
        ax.plot(mine.results("kept")[0], mine.array("test").mean(axis=0), color=color, label=label)
        ax.plot(mine.results("kept")[0], mine.array("train").mean(axis=0), ":", color=color)
    long = trials.where(noise=None)
    found = long.where(algorithm="adaboost").only()
    for t, values, color in zip(found["stages"], found["margins"], CYCLE, strict=False):
        height = np.arange(1, len(values) + 1) / len(values)
        margins.step(values, height, color=color, label=f"round {t}")
    for (case, result), color in zip(long, CYCLE, strict=False):
        coefs.plot(result["kept"], result["coef"], color=color, label=case["algorithm"], lw=0.9)
    for ax in (errors, sloppy, coefs):
        ax.set_xscale("log")
    coefs.set_yscale("log")
    coefs.set_ylim(1e-12, 1)
    titles = ("AdaBoost, by noise", "sloppy as run, 30 %", "margins, 20 %", "coefficients")
    for ax, title in zip((errors, sloppy, margins, coefs), titles, strict=True):
        ax.set(title=title, xlabel="margin" if ax is margins else "round")
        ax.title.set_fontsize(10)
        ax.legend(frameon=False, fontsize=7)
        plain(ax)
    errors.set_ylabel("test error; dotted: training error")


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 4, "rounds": 150, "long": 400},
        "quick": {"trials": 15, "rounds": 1000, "long": 3000},
        "full": {"trials": 100, "rounds": 1000, "long": 10_000},
    },
    draw=draw,
    figure_size=(13.0, 3.4),
    catalogue=("BA-E8", "BA-E9", "BA-E12", "BA-E13"),
)
