"""Compile the kernels ahead, so that the first fit does not wait for it.

Kernels are compiled when they are first needed and kept on the disk, for this machine and release:
half a minute, once. In an image of a container, or before a talk, let it happen here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import Any

from .output import Answer, Screen


def configure(parser: argparse.ArgumentParser) -> None:
    """There is nothing to say."""


def run(args: argparse.Namespace) -> Answer:
    """Compile, and say how long it took."""
    started = time.perf_counter()
    failed = compile_ahead()
    facts = {"command": "warm-up", "seconds": time.perf_counter() - started, "failed": failed}
    return Answer(facts)


def compile_ahead() -> list[str]:
    """Compile what most fits need, in two processes at once; returns the parts that failed."""
    code = "from marginboost.cli.warm_up import PARTS; PARTS[{!r}]()"
    parts = {
        name: subprocess.Popen([sys.executable, "-c", code.format(name)], stdout=sys.stderr)
        for name in PARTS
    }
    return [name for name, part in parts.items() if part.wait() != 0]


def _rows() -> tuple[Any, Any, Any]:
    """Rows, labels of two classes and of three."""
    import numpy as np

    X = np.random.default_rng(0).normal(size=(600, 4))
    return X, (X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])


def _trees() -> None:
    """Gradient trees, leaf by leaf and symmetric, edge trees, trees of labels, explanations."""
    from .. import (
        AdaBoostClassifier,
        AdaBoostM1Classifier,
        GradientBoostClassifier,
        SoftmaxBoostClassifier,
        TreeOracle,
    )

    X, y, several = _rows()
    model = GradientBoostClassifier(n_estimators=2).fit(X, y)
    model.predict(X)
    model.shap_values(X, X)
    symmetric = GradientBoostClassifier(n_estimators=2, grow_policy="symmetric")
    symmetric.set_params(max_leaf_nodes=256, min_samples_leaf=1).fit(X, y).predict(X)  # many leaves
    AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=2).fit(X, y).predict(X)
    AdaBoostM1Classifier(n_estimators=2).fit(X, several).predict(X)
    SoftmaxBoostClassifier(n_estimators=2).fit(X, several).predict(X)


def _stumps() -> None:
    """Stumps, the solvers of the soft margin, and the random trees of the audit."""
    from .. import (
        AdaBoostClassifier,
        BinnedMatrix,
        ERLPBoostClassifier,
        GradientBoostClassifier,
        LPBoostClassifier,
        NuArcClassifier,
    )
    from ..audit.forest import BinnedForest

    X, y, _ = _rows()
    AdaBoostClassifier(n_estimators=2).fit(X, y).predict(X)
    for solver in ("simplex", "interior", "smooth"):
        LPBoostClassifier(nu=0.5, solver=solver, n_estimators=5).fit(X, y)
    ERLPBoostClassifier(n_estimators=2).fit(X, y)
    NuArcClassifier(n_estimators=2).fit(X, y)
    bins = BinnedMatrix.from_data(X)
    BinnedForest(n_estimators=2).fit(bins, y).predict_proba(bins)
    GradientBoostClassifier(n_estimators=2, max_bins=None).fit(X, y).predict(X)


PARTS = {"trees": _trees, "stumps": _stumps}
"""What is compiled, in equal shares for two cores."""


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print how long it took."""
    if answer["failed"]:
        screen.verdict(False, f"Could not be compiled: {', '.join(answer['failed'])}; see above.")
        return
    screen.say(f"Kernels are compiled and kept ({answer['seconds']:.1f} s).")
