"""AdaBoost overfits noisy data (Rätsch 2001, Fig. 4.1).

The thesis runs AdaBoost with RBF nets of 30 centres for 10,000 rounds on 300 examples of the banana
data with noise σ² = 16 %. The test error is least after some 80 rounds and rises then; the boundary
is rough, and the examples with large weights are the noisy ones.

Unknown: the generator. Here: two arcs of radius one with normal noise of that variance; 13 centres,
since with 30 and three steps of conjugate gradients one net may get all of these examples right.
One net is then near the best already, so that the minimum comes earlier than in the thesis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier
from marginboost.oracles import RBFNetOracle

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result
from ._planar import banana, draw_votes, lattice

VARIANCE, TEST_ROWS, STEPS = 0.16, 4000, 3


def plan(done: Trials, samples: int, rounds: int, rows: int = 300, centres: int = 13) -> list[Case]:
    """One case per sample."""
    shared = {"rounds": rounds, "rows": rows, "centres": centres}
    return [{"seed": seed, **shared} for seed in range(samples)]


def trial(seed: int, rounds: int, rows: int, centres: int) -> Result:
    """Error curves, and the boundary in the end."""
    X, y = banana(rows, VARIANCE, seed)
    X_test, y_test = banana(TEST_ROWS, VARIANCE, seed + 1000)
    net = RBFNetOracle(n_centers=centres, max_iter=STEPS)
    model = AdaBoostClassifier(net, n_estimators=rounds, n_jobs=1).fit(X, y)
    kept = np.unique(np.geomspace(1, len(model.estimators_), 50).astype(int))
    curves = {
        name: [float(np.mean(found != labels)) for found in model.staged_predict(points)]
        for name, points, labels in (("train", X, y), ("test", X_test, y_test))
    }
    smooth = np.convolve(curves["test"], np.ones(5) / 5, mode="valid")
    weights = np.abs(model.dual_)
    return {
        "kept": kept,
        **{name: [curve[t - 1] for t in kept] for name, curve in curves.items()},
        "best": float(smooth.min()),
        "best round": int(np.argmin(smooth)) + 3,
        "last": float(np.mean(curves["test"][-20:])),
        **({"X": X, "y": y, "weights": weights} if seed == 0 else {}),
        **({"votes": np.round(model.decision_function(lattice()), 4)} if seed == 0 else {}),
    }


def tables(trials: Trials) -> Iterator[Comparison]:
    """Where the least error is, and what is left of it."""
    rows = [
        ("test error, least (smoothed)", "–", str(trials.mean("best"))),
        ("after so many rounds", "about 80", trials.mean("best round").text(0)),
        ("test error, last 20 rounds", "higher", str(trials.mean("last"))),
    ]
    title = f"Banana data, σ² = {VARIANCE:.0%}, {trials.each('rounds')[0]} rounds"
    yield Comparison(title, ("thesis", "measured"), rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """The minimum is early, the rest is overfitting."""
    rounds = trials.each("rounds")[0]
    at = trials.mean("best round")
    claim = "test error is least early in the run"
    yield Finding(claim, at.mean < 0.5 * rounds, f"after {at.text(0)} of {rounds} rounds")
    best, last = trials.mean("best"), trials.mean("last")
    claim = "and rises then"
    yield Finding(claim, last.mean > best.mean + 0.005, f"from {best} to {last}")


def draw(trials: Trials, figure: Any) -> None:
    """Errors against rounds; the boundary in the end, points as large as their weights."""
    from marginboost.diagnostics.displays.style import BLUE, ORANGE, plain

    left, right = figure.subplots(1, 2)
    found = trials.where(seed=0).only()
    lengths = min(len(kept) for kept in trials.results("kept"))
    for name, color in (("train", BLUE), ("test", ORANGE)):
        mean = np.mean([curve[:lengths] for curve in trials.results(name)], axis=0)
        label = {"train": "training error", "test": "test error"}[name]
        left.plot(found["kept"][:lengths], 100 * mean, color=color, label=label)
    left.set_xscale("log")
    left.set(xlabel="rounds", ylabel="error in %", ylim=(0, None))
    left.legend(frameon=False)
    plain(left)
    draw_votes(right, found["votes"], found["X"], found["y"], found["weights"])
    right.set_title("vote in the end; size of a point: its weight", fontsize=10)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"samples": 2, "rounds": 120, "rows": 100, "centres": 7},
        "quick": {"samples": 5, "rounds": 600},
        "full": {"samples": 10, "rounds": 10_000},
    },
    draw=draw,
    figure_size=(9.6, 3.8),
    catalogue=("R2-E1",),
)
