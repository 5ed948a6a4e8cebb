"""``soft_margin_sets``: how long until the soft margin of sets of the literature is certified.

Adult, spambase and twonorm, as :func:`marginboost.datasets.load` finds them; what it does not find
is skipped. ``python -m benchmarks soft_margin_sets --other CHECKOUT`` measures another checkout of
this package beside this one. Every set has a fresh process per turn, and checkouts take turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .environment import ROOT
from .report import Goal, Section, Table
from .sizes import Sizes

GAP, SECONDS = 1e-4, 60.0
GOALS = {
    ("big_adult", 0.4): 1.6,
    ("big_adult", 0.6): 0.05,
    ("uci_spambase", 0.2): 0.7,
    ("uci_spambase", 0.4): 0.3,
    ("ida_twonorm", 0.1): 2.0,
    ("ida_twonorm", 0.3): 1.4,
}
"""Most seconds on two cores, of a set and ν: what plain column generation takes."""
NO_SLOWER = 1.1
"""Most time over that of another checkout: equals differ by some percent from turn to turn."""
HERE, OTHER = "this", "other"
PROGRAM = """
import json, sys, time, warnings
import numpy as np
from marginboost import LPBoostClassifier, TimeBudget
warnings.simplefilter("ignore")  # of a soft margin of zero
path, gap, seconds, *nus = sys.argv[1:]
with np.load(path) as arrays:
    X, y = arrays["X"], arrays["y"]
found = {}
for nu in map(float, nus):
    LPBoostClassifier(nu=nu, n_estimators=5).fit(X, y)  # compile
    limit = [TimeBudget(float(seconds))]
    model = LPBoostClassifier(nu=nu, tol=float(gap), n_estimators=100_000, callbacks=limit)
    start = time.perf_counter()
    model.fit(X, y)
    found[nu] = [time.perf_counter() - start, model.certificate_.gap, model.certificate_.upper]
print(json.dumps(found))
"""


def soft_margin_sets(sizes: Sizes) -> Section:
    """Seconds to a gap of 1e-4, beside another checkout where one is named."""
    section = Section("soft_margin_sets")
    columns = ["set", "ν", "checkout", "best s", "gap", "optimum at most"]
    table = Table(f"LPBoost, gap {GAP:g}", columns)
    section.tables.append(table)
    for name in dict.fromkeys(name for name, _ in GOALS):
        best = _measure(section, name, sizes)
        table.rows += [[name, nu, which, *best[which, nu]] for which, nu in best]
        for (known, nu), most in GOALS.items():
            if known == name and (HERE, nu) in best:
                section.goals.append(_goal(f"{name}, ν = {nu}", nu, most, best))
    section.notes.append(f"a gap above {GAP:g}: not closed within {SECONDS:g} seconds")
    return section


Best = dict[tuple[str, float], list[float]]
"""Seconds, gap and upper bound by checkout and ν."""


def _goal(what: str, nu: float, most: float, best: Best) -> Goal:
    seconds, gap, _ = best[HERE, nu]
    took = seconds if gap <= GAP else None
    if (OTHER, nu) not in best:
        return Goal(f"{what}, seconds to gap {GAP:g}", took, "<=", most, " s")
    ratio = None if took is None else took / best[OTHER, nu][0]
    return Goal(f"{what}, time to gap {GAP:g} / other checkout", ratio, "<=", NO_SLOWER, "×")


def _measure(section: Section, name: str, sizes: Sizes) -> Best:
    """Best times on a set; nothing where it cannot be had."""
    from marginboost.datasets import MissingDataError, load

    try:
        X, y = load(name, return_X_y=True)
    except MissingDataError as error:
        section.skipped.append(f"{name}: {error}")
        return {}
    rows = np.random.default_rng(0).permutation(len(y))[: sizes.soft_margin_rows]
    checkouts = {HERE: ROOT} | ({OTHER: sizes.other} if sizes.other else {})
    best: Best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.npz"
        np.savez(path, X=np.asarray(X, dtype=np.float64)[rows], y=np.asarray(y)[rows])
        for _ in range(sizes.repeats):
            for which, root in checkouts.items():
                found = _fresh_process(root, path, [nu for known, nu in GOALS if known == name])
                for nu, numbers in found.items():
                    times = section.times.setdefault(f"{name}, ν = {nu}", {})
                    times.setdefault(which, []).append(numbers[0])
                    best[which, nu] = min(numbers, best.get((which, nu), numbers))
    return best


def _fresh_process(root: Path, path: Path, nus: list[float]) -> dict[float, list[float]]:
    """Seconds, gap and upper bound of each ν, by the package of a checkout."""
    command = [sys.executable, "-c", PROGRAM, str(path), str(GAP), str(SECONDS), *map(str, nus)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(root.resolve() / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return {float(nu): numbers for nu, numbers in json.loads(done.stdout).items()}
