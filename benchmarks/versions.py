"""Another checkout of this package beside this one: ``python -m benchmarks.versions OTHER``.

Both run the same fits and predictions, in fresh processes and in turn, so that what else the
machine does falls on both. Ratios above one say that this checkout is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from .environment import ROOT

PROGRAM = """
import inspect, json, sys, time
import numpy as np
from marginboost import *

def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n) > 0).astype(int)
    return X, y, np.digitize(X[:, 0] + rng.normal(size=n), [-1, -0.3, 0.3, 1])

def leaves(oracle, n, **more):
    known = inspect.signature(oracle).parameters
    name = "max_leaf_nodes" if "max_leaf_nodes" in known else "max_leaves"
    return oracle(**{name: n}, **more)

X, y, five = data(100_000, 28)
bins = BinnedMatrix.from_data(X)
small = slice(0, 20_000)
stumps = AdaBoostClassifier(n_estimators=1000).fit(X[:5000], y[:5000])
trees = GradientBoostClassifier(n_estimators=100).fit(X[:20_000], y[:20_000])
LINES = {
    "100 stumps, 100,000 x 28, raw": lambda: AdaBoostClassifier(n_estimators=100).fit(X, y),
    "100 stumps, binned": lambda: AdaBoostClassifier(n_estimators=100).fit(bins, y),
    "30 gradient trees of 31 leaves, binned": lambda: GradientBoostClassifier(
        n_estimators=30).fit(bins, y),
    "10 rounds of softmax, five classes": lambda: SoftmaxBoostClassifier(
        n_estimators=10).fit(bins, five),
    "10 edge trees of depth 6": lambda: AdaBoostClassifier(
        TreeOracle(max_depth=6), n_estimators=10).fit(bins, y),
    "5 label trees of depth 3": lambda: AdaBoostM1Classifier(
        LabelTreeOracle(max_depth=3), n_estimators=5).fit(bins, five),
    "3 label trees of 100 leaves": lambda: AdaBoostM1Classifier(
        leaves(LabelTreeOracle, 100, max_depth=None), n_estimators=3).fit(bins, five),
    "soft margin, 20,000 rows, nu = 0.7": lambda: LPBoostClassifier(nu=0.7).fit(X[small], y[small]),
    "predict, 1,000 stumps, 100,000 rows": lambda: stumps.decision_function(X),
    "predict, 100 trees, 100,000 rows": lambda: trees.decision_function(X),
    "predict one row, 1,000 stumps": lambda: stumps.decision_function(X[:1]),
    "predict one row, 100 trees": lambda: trees.decision_function(X[:1]),
}
times = {}
for name, run in LINES.items():
    try:
        run()
    except Exception as error:
        print(name, repr(error), file=sys.stderr)
        continue
    found = []
    for _ in range(int(sys.argv[1])):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    times[name] = min(found)
print(json.dumps(times))
"""


def measure(source: Path, repeats: int) -> dict[str, float]:
    """Times of one checkout, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(repeats)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    times: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return times


def main() -> None:
    """Measure both in turn and print the best times and their ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("other", type=Path, help="root of the other checkout")
    parser.add_argument("--turns", type=int, default=3, help="processes of each")
    parser.add_argument("--repeats", type=int, default=3, help="repeats in a process")
    options = parser.parse_args()
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(options.turns):
        for side, root in zip(best, (options.other, ROOT), strict=True):
            for name, seconds in measure(root.resolve() / "src", options.repeats).items():
                side[name] = min(seconds, side.get(name, seconds))
    print(f"{'line':42} {'other ms':>10} {'this ms':>10} {'other / this':>13}")
    for name, ours in best[1].items():
        theirs = best[0].get(name)
        ratio = f"{theirs / ours:13.2f}" if theirs else f"{'–':>13}"
        print(f"{name:42} {1e3 * (theirs or 0):10.2f} {1e3 * ours:10.2f} {ratio}")


if __name__ == "__main__":
    main()
