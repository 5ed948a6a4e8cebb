"""From nothing to the first fitted model, in a fresh process: ``cold_start``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from .environment import ROOT
from .report import Goal, Section, Table
from .sizes import Sizes

PROGRAM = """
import json, time
start = time.perf_counter()
import numpy as np
from marginboost import AdaBoostClassifier
imported = time.perf_counter()
X = np.random.default_rng(0).normal(size=(200, 5))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
AdaBoostClassifier(n_estimators=10).fit(X, y)
fitted = time.perf_counter()
print(json.dumps({"import": imported - start, "fit": fitted - imported}))
"""

TREES = PROGRAM.replace("AdaBoostClassifier", "GradientBoostClassifier")
"""The same with gradient trees in the place of stumps: the most that a first fit compiles."""

FLOOR = """
import json, time
start = time.perf_counter()
import numpy as np
import sklearn.base
from benchmarks.one_kernel import total
imported = time.perf_counter()
total(np.zeros(3))
called = time.perf_counter()
print(json.dumps({"import": imported - start, "fit": called - imported}))
"""
"""The least that any package on scikit-learn and Numba needs: both imported, one kernel called."""

WARM = 3
"""Runs with a filled cache for each with an empty one: they are short, and differ more."""


def cold_start(sizes: Sizes) -> Section:
    """Import and first small fit, with Numba's cache empty and filled."""
    section = Section("cold_start")
    empty, warm, floor, trees = [], [], [], []
    for _ in range(sizes.cold_repeats):
        with tempfile.TemporaryDirectory(prefix="marginboost-cold-") as cache:
            trees.append(_fresh_process(TREES, cache))
        with tempfile.TemporaryDirectory(prefix="marginboost-cold-") as cache:
            empty.append(_fresh_process(PROGRAM, cache))
            _fresh_process(FLOOR, cache)
            for _ in range(WARM):
                warm.append(_fresh_process(PROGRAM, cache))
                floor.append(_fresh_process(FLOOR, cache))
    table = Table(
        "import marginboost and a first fit of 200 × 5",
        ["Numba cache", "import + fit, best s", "import s", "fit s", "whole process s"],
    )
    for name, runs, target in (
        ("warm", warm, 2.0),
        ("empty", empty, 8.9),
        ("gradient trees, empty", trees, 29.6),
    ):
        best = min(runs, key=_first_model)
        seconds = _first_model(best)
        table.rows.append([name, seconds, best["import"], best["fit"], best["process"]])
        section.times[name] = {key: [run[key] for run in runs] for key in best}
        section.goals.append(
            Goal(f"import + first fit, {name} Numba cache", seconds, "<", target, " s")
        )
    least = min(floor, key=_first_model)
    over = _first_model(min(warm, key=_first_model)) - _first_model(least)
    section.goals.append(
        Goal("import + first fit, warm, over Numba and scikit-learn alone", over, "<=", 0.2, " s")
    )
    table.rows.append(
        [
            "warm, no marginboost",
            _first_model(least),
            *(least[k] for k in ("import", "fit", "process")),
        ]
    )
    section.times["floor"] = {key: [run[key] for run in floor] for key in least}
    section.tables.append(table)
    section.notes.append(
        "import includes NumPy, SciPy, scikit-learn and Numba; each empty cache is a new folder, "
        "and the warm run is the next process on it; the last line is sklearn.base, Numba and the "
        "call of one kernel from the cache: what no package on them can go below"
    )
    return section


def _first_model(run: dict[str, float]) -> float:
    return run["import"] + run["fit"]


def _fresh_process(program: str, cache: str) -> dict[str, float]:
    """Run the program; Numba reads its cache folder at import, so it is set in the environment.

    Bytecode is kept between runs, as Python does unless it is told not to.
    """
    command = [sys.executable, "-c", program]
    variables = {**os.environ, "NUMBA_CACHE_DIR": cache}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"the first fit failed:\n{done.stderr}")
    return {"process": seconds, **json.loads(done.stdout)}
