"""Marginal AdaBoost beside AdaBoost in 100 dimensions (Rätsch 2001, Figs 2.3, 2.4, Table 2.1).

The thesis: 20,000 examples with two dimensions that matter and 98 of uniform noise, 200 splits into
100 to learn from and 19,900 to test; C4.5 with about three nodes as base learner, 200 hypotheses;
Marginal AdaBoost with ε = 0.1. Its table: errors 7.4, 4.0 and 3.6 % for tree, AdaBoost and Marginal
AdaBoost, margins 0.31 and 0.58.

Unknown: the shape in the two dimensions and C4.5's settings. Here: a disc of radius 0.8 in the
square, without the points within 0.05 of its edge, and trees of four leaves by entropy, grown on
samples drawn by weight. Trees that nearly maximise the edge bring AdaBoost close to the largest
margin by itself, so the margins differ less than published; errors depend on the shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier, MarginalAdaBoostClassifier
from marginboost.oracles import ResamplingOracle, TreeOracle
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Mean, Trials, beside
from ..frame import Result
from ..tables import BESIDE

ROWS, DIMENSIONS, EPSILON = 100, 100, 0.1
METHODS = ("tree", "AdaBoost", "Marginal AdaBoost")
ERRORS = {"tree": (7.4, 0.11), "AdaBoost": (4.0, 0.11), "Marginal AdaBoost": (3.6, 0.10)}
MARGINS = {"AdaBoost": (0.31, 0.01), "Marginal AdaBoost": (0.58, 0.01)}


def disc(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Uniform points of the cube, labelled by a disc in the first two dimensions, with a gap."""
    X = rng.uniform(-1.0, 1.0, size=(3 * n, DIMENSIONS))
    radius = np.hypot(X[:, 0], X[:, 1])
    kept = np.flatnonzero(np.abs(radius - 0.8) > 0.05)[:n]
    return X[kept], np.where(radius[kept] < 0.8, 1, -1)


def plan(done: Trials, samples: int, rounds: int, tested: int) -> list[Case]:
    """One case per sample."""
    return [{"seed": seed, "rounds": rounds, "tested": tested} for seed in range(samples)]


def trial(seed: int, rounds: int, tested: int) -> Result:
    """Errors and margins of all three, and the course of the margins."""
    rng = np.random.default_rng(seed)
    (X, y), (X_test, y_test) = disc(ROWS, rng), disc(tested, rng)
    tree = ResamplingOracle(TreeOracle(max_depth=None, max_leaf_nodes=4, criterion="entropy"))
    shared: dict[str, Any] = {"max_bins": None, "n_jobs": 1, "random_state": seed}
    models = {
        "tree": AdaBoostClassifier(tree, n_estimators=1, **shared),
        "AdaBoost": AdaBoostClassifier(tree, n_estimators=rounds, **shared),
        "Marginal AdaBoost": MarginalAdaBoostClassifier(
            tree, n_estimators=rounds, epsilon=EPSILON, **shared
        ),
    }
    found: Result = {}
    for name, model in models.items():
        model.fit(X, y)
        found[f"error, {name}"] = 1.0 - model.score(X_test, y_test)
        found[f"margin, {name}"] = float(model.margins_.min())
        if seed == 0:
            found[f"course, {name}"] = model.history_["min_margin"]
    return found


def tables(trials: Trials) -> Iterator[Comparison]:
    """Table 2.1; published standard errors are those printed."""
    for what, published, digits, scale in (("error", ERRORS, 1, 100), ("margin", MARGINS, 2, 1)):
        rows = []
        for name, (mean, error) in published.items():
            theirs = Mean(mean / scale, error / scale * np.sqrt(200), 200)
            ours = trials.mean(f"{what}, {name}")
            rows.append(beside(name, theirs, ours, digits=digits, scale=scale))
        title = f"Table 2.1: {what}{' in %' if what == 'error' else ''}, surrogate data"
        yield Comparison(title, BESIDE, rows)
    errors = np.stack([trials.array(f"error, {name}") for name in METHODS])
    wins = [int(np.sum(np.argmin(errors, axis=0) == k)) for k in range(3)]
    rows = [("published", "1", "59", "140"), ("measured", *map(str, wins))]
    yield Comparison("Splits won", METHODS, rows, (f"of 200 and of {errors.shape[1]}",))


def findings(trials: Trials) -> Iterator[Finding]:
    """What is robust of the section's conclusions."""
    tree, plain, marginal = (trials.mean(f"error, {name}") for name in METHODS)
    claim = "both ensembles are much better than the tree"
    evidence = f"{plain.text(1, 100)} and {marginal.text(1, 100)} against {tree.text(1, 100)} %"
    yield Finding(claim, max(plain.mean, marginal.mean) < 0.7 * tree.mean, evidence)
    small, large = (trials.array(f"margin, {name}") for name in METHODS[1:])
    claim = "Marginal AdaBoost has the larger margin on average"
    gain = Mean.of(large - small)
    yield Finding(claim, gain.mean > 0, f"by {gain}; published: by 0.27")
    better = Mean.of(trials.array("error, AdaBoost") - trials.array("error, Marginal AdaBoost"))
    claim = "and an error that is no larger"
    yield Finding(claim, better.mean > -2 * better.error, f"lower by {better.text(1, 100)} %")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 2.4: smallest margin against rounds in one run of each."""
    from marginboost.diagnostics.displays.style import BLUE, ORANGE, plain

    ax = figure.subplots()
    found = trials.where(seed=0).only()
    for name, color in zip(METHODS[1:], (BLUE, ORANGE), strict=True):
        course = [np.nan if value is None else value for value in found[f"course, {name}"]]
        ax.plot(np.arange(1, len(course) + 1), course, color=color, label=name)
    ax.set(xlabel="round, searches included", ylabel="smallest margin", ylim=(-0.3, 0.8))
    ax.legend(frameon=False)
    plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"samples": 4, "rounds": 60, "tested": 1000},
        "quick": {"samples": 30, "rounds": 200, "tested": 4000},
        "full": {"samples": 200, "rounds": 200, "tested": 19_900},
    },
    draw=draw,
    catalogue=("R1-E10", "R1-E11", "R1-E12"),
)
