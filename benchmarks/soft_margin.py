"""``soft_margin``: how long until the soft margin is certified, and how close after a minute.

28 features, a fifth of the labels flipped, ν = 0.7 and the harder ν = 0.4, where the optimum is
near zero. Every fit runs in a process of its own, so that its peak memory is its own. Beside us, at
the smallest size: SciPy's HiGHS on the whole linear program over every stump that the bins allow;
and, where it is installed, colboost (column generation, with Gurobi) in the C-form, on few rows:
the licence that comes with its solver ends near 900.

``python -m benchmarks.soft_margin ROWS NU GAP SECONDS`` prints one fit as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

from .data import Array
from .environment import ROOT
from .memory import max_rss
from .report import Cell, Goal, Section, Table
from .sizes import Sizes

FEATURES, FLIPPED, TOLERANCE, MINUTE = 28, 0.2, 1e-3, 60.0
COLBOOST_ROWS = 800
Case = tuple[float, int, float]
"""ν, rows and the gap wanted."""
GOALS: dict[Case, float] = {
    (0.7, 100_000, 1e-3): 2.0,
    (0.4, 100_000, 1e-3): 2.0,
    (0.7, 1_000_000, 1e-3): 3.0,
    (0.7, 1_000_000, 1e-4): 15.0,
}
"""Most seconds."""
COLUMNS = ["ν", "rows", "gap wanted", "s", "gap", "optimum at most", "rounds", "columns", "peak GB"]


def soft_margin(sizes: Sizes) -> Section:
    """Certified gap against time, rows and memory."""
    section = Section("soft_margin")
    table = Table(f"LPBoost, {FEATURES} features, {FLIPPED:.0%} of labels flipped", COLUMNS)
    section.tables.append(table)
    done: dict[Case, dict[str, Any]] = {}
    for nu, rows, gap in sizes.soft_margin_cases:
        found = done[nu, rows, gap] = measure(nu, rows, gap, sizes.soft_margin_seconds)
        row: list[Cell] = [nu, f"{rows:,}", f"{gap:g}", found["seconds"] if found["met"] else None]
        row += [found["gap"], found["upper"], found["rounds"], found["columns"]]
        table.rows.append([*row, found["peak"] / 1e9])
    _compare(section, sizes.soft_margin_full_rows)
    _in_the_plane(section, sizes.soft_margin_plane_rows)
    if find_spec("colboost") is None:
        section.skipped.append("colboost is not installed")
    else:
        _beside_colboost(section)
    _judge(section, done)
    section.notes.append("an empty time: the gap was not closed within the limit")
    return section


def _judge(section: Section, done: dict[Case, dict[str, Any]]) -> None:
    for case, most in GOALS.items():
        nu, rows, gap = case
        found = done.get(case)
        took = found["seconds"] if found and found["met"] else None
        section.goals.append(
            Goal(f"ν = {nu}, {rows:,} rows, seconds to gap {gap:g}", took, "<=", most, " s")
        )
    million = done.get((0.7, 1_000_000, 1e-3))
    peak = million["peak"] / 1e9 if million else None
    section.goals.append(Goal("ν = 0.7, 1,000,000 rows, peak", peak, "<=", 4.0, " GB"))
    met = [
        (n, found["seconds"])
        for (nu, n, gap), found in done.items()
        if (nu, gap) == (0.7, TOLERANCE) and found["met"]
    ]
    for (few, fast), (many, slow) in pairwise(sorted(met)):
        slope = np.log(slow / fast) / np.log(many / few)
        section.goals.append(
            Goal(f"exponent of time in rows, {few:,} to {many:,}, ν = 0.7", float(slope))
        )


def measure(nu: float, rows: int, gap: float, seconds: float) -> dict[str, Any]:
    """Fit in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.soft_margin"]
    command += [str(number) for number in (rows, nu, gap, seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def noisy_rows(rows: int, seed: int = 0) -> tuple[Array, Array]:
    """Linear truth on normal features, a fifth of the labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    y = X @ rng.normal(size=FEATURES) + 0.5 * rng.normal(size=rows) > 0
    return X, np.where(rng.random(rows) < FLIPPED, ~y, y)


def _main(rows: int, nu: float, gap: float, seconds: float) -> None:
    from marginboost import LPBoostClassifier, TimeBudget

    with warnings.catch_warnings():  # of a soft margin of zero
        warnings.simplefilter("ignore")
        for few in (3000, 81_000):  # compile
            LPBoostClassifier(nu=nu, n_estimators=3, tol=1e-2).fit(*noisy_rows(few))
    X, y = noisy_rows(rows)
    model = LPBoostClassifier(nu=nu, tol=gap, n_estimators=100_000, callbacks=[TimeBudget(seconds)])
    started = time.perf_counter()
    model.fit(X, y)
    took = time.perf_counter() - started
    certificate = model.certificate_
    answer = {
        "seconds": took,
        "met": certificate.gap <= gap,
        "gap": certificate.gap,
        "upper": certificate.upper,
        "rounds": model.n_iter_,
        "columns": len(model.estimators_),
        "peak": max_rss(),
    }
    print(json.dumps(answer))


def _compare(section: Section, rows: int) -> None:
    """The whole program at once, where it fits."""
    from marginboost import BinnedMatrix, LPBoostClassifier
    from marginboost.solvers import solve_margin_lp

    X, y = noisy_rows(rows)
    bins = BinnedMatrix.from_data(X, max_bins=32)
    table = Table(f"{rows:,} rows, 32 bins", ["ν", "contender", "seconds", "value"])
    times = section.times.setdefault(f"{rows:,} rows, 32 bins", {})
    LPBoostClassifier(n_estimators=3).fit(bins, y)  # compile, and import the solver
    for nu in (0.7, 0.4):
        started = time.perf_counter()
        model = LPBoostClassifier(nu=nu, tol=1e-6).fit(bins, y)
        ours = time.perf_counter() - started
        outcomes = np.where(y, 1.0, -1.0)[:, None] * _every_stump(bins.codes, bins.n_bins)
        started = time.perf_counter()
        full = solve_margin_lp(outcomes, nu)
        theirs = time.perf_counter() - started
        times[f"marginboost, ν = {nu}"], times[f"SciPy, ν = {nu}"] = [ours], [theirs]
        table.rows.append([nu, "marginboost, gap 1e-6", ours, model.certificate_.value])
        table.rows.append([nu, f"SciPy, {outcomes.shape[1]} columns", theirs, full.value])
        section.goals.append(Goal(f"SciPy / us, {rows:,} rows, ν = {nu}", theirs / ours, unit="×"))
    section.tables.append(table)


def _in_the_plane(section: Section, rows: int) -> None:
    """Two features, where stumps cannot tell the classes apart: by levels, and one by one."""
    from marginboost import LPBoostClassifier, TimeBudget

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(rows) < FLIPPED)
    what = f"{rows:,} rows, 2 features"
    table = Table(what, ["ν", "start", "seconds", "gap", "upper bound"])
    times = section.times.setdefault(what, {})
    for nu in (0.05, 0.1, 0.2, 0.3):
        for start, solver in (("all stumps, by levels", "auto"), ("none", "interior")):
            limit = [TimeBudget(MINUTE)]
            model = LPBoostClassifier(nu=nu, solver=solver, tol=TOLERANCE, callbacks=limit)
            started = time.perf_counter()
            with warnings.catch_warnings():  # of a soft margin of zero
                warnings.simplefilter("ignore")
                model.fit(X, y)
            took = time.perf_counter() - started
            times[f"ν = {nu}, {solver}"] = [took]
            found = model.certificate_
            table.rows.append([nu, start, took, found.gap, found.upper])
    section.tables.append(table)
    longest = max(seconds[0] for name, seconds in times.items() if name.endswith("auto"))
    section.goals.append(Goal(f"{what}, ν = 0.05 to 0.3: most seconds", longest, "<=", 0.5, " s"))


def _beside_colboost(section: Section) -> None:
    """``min C Σα + Σξ`` by both; colboost's trees are grown by impurity, not by edge."""
    from colboost.ensemble import EnsembleClassifier

    from marginboost import LPBoostClassifier

    X, y = noisy_rows(COLBOOST_ROWS)
    signs = np.where(y, 1, -1)
    table = Table(
        f"{COLBOOST_ROWS} rows, C-form", ["C", "contender", "seconds", "C Σα + Σξ", "columns"]
    )
    for price in (20.0, 40.0):
        started = time.perf_counter()
        model = LPBoostClassifier(C=price, tol=1e-6, max_bins=None).fit(X, y)
        ours, coef = time.perf_counter() - started, model.estimator_weights_
        scores = coef.sum() * model.decision_function(X)
        peer = EnsembleClassifier(
            solver="lp_boost", max_iter=300, early_stopping=False, tradeoff_hyperparam=1.0 / price
        )
        started = time.perf_counter()
        peer.fit(X, signs)
        theirs, weights = time.perf_counter() - started, np.array(peer.weights)
        outputs = [learner.predict(X) for learner in peer.learners[: len(weights)]]
        for name, seconds, alpha, votes in (
            ("marginboost, gap 1e-6", ours, coef, scores),
            ("colboost", theirs, weights, weights @ np.array(outputs)),
        ):
            reached = price * alpha.sum() + np.maximum(1.0 - signs * votes, 0.0).sum()
            table.rows.append([price, name, seconds, float(reached), len(alpha)])
    section.tables.append(table)


def _every_stump(codes: Array, n_bins: Array) -> Array:
    columns = [np.ones(codes.shape[1])]
    for code, width in zip(codes, n_bins, strict=True):
        columns += [np.where(code <= cut, 1.0, -1.0) for cut in range(int(width) - 1)]
    one_sign = np.array(columns).T
    return np.column_stack([one_sign, -one_sign])


if __name__ == "__main__":
    _main(int(sys.argv[1]), *(float(number) for number in sys.argv[2:5]))
