"""Compile the kernels that most fits need, on two cores, before tests share them out.

Test workers that start with an empty cache would each compile the same kernels; afterwards both
find them compiled. Nothing is lost where this is left out but time.
"""

from __future__ import annotations

import subprocess
import sys

SETUP = """
import numpy as np
from marginboost import *
X = np.random.default_rng(0).normal(size=(600, 4))
y, several = (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])
"""
TREES = """
GradientBoostClassifier(n_estimators=2).fit(X, y).predict(X)
AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=2).fit(X, y).predict(X)
AdaBoostM1Classifier(n_estimators=2).fit(X, several).predict(X)
SoftmaxBoostClassifier(n_estimators=2).fit(X, several).predict(X)
"""
REST = """
AdaBoostClassifier(n_estimators=2).fit(X, y).predict(X)
for solver in ("simplex", "interior", "smooth"):
    LPBoostClassifier(nu=0.5, solver=solver, n_estimators=5).fit(X, y)
ERLPBoostClassifier(n_estimators=2).fit(X, y)
NuArcClassifier(n_estimators=2).fit(X, y)
GradientBoostClassifier(n_estimators=2, max_bins=None).fit(X, y).predict(X)
"""


def main() -> None:
    """Run both parts at once; what fails will fail again, and more clearly, in the tests."""
    parts = [subprocess.Popen([sys.executable, "-c", SETUP + part]) for part in (TREES, REST)]
    for part in parts:
        part.wait()


if __name__ == "__main__":
    main()
