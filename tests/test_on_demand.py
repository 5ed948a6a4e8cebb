"""Names that are imported when they are first asked for."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import marginboost
from marginboost import algorithms, duals, losses, model, oracles, solvers
from marginboost.on_demand import import_all

PACKAGES = [marginboost, algorithms, duals, losses, model, oracles, solvers]

PROGRAM = """
import sys
from marginboost import AdaBoostClassifier
AdaBoostClassifier(n_estimators=2).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
loaded = [name for name in sys.modules if name.startswith("marginboost.")]
assert "marginboost.algorithms.adaboost" in loaded
unused = "algorithms.lpboost", "oracles.neural_nets", "losses.huber", "solvers.margin_lp"
kernels = "kernels.trees", "kernels.histograms", "kernels.soft_margin", "kernels.logistic"
for name in (*unused, *kernels, "model.file", "model.cascade", "solvers.penalised_loss"):
    assert f"marginboost.{name}" not in loaded, name
import marginboost
model = marginboost.load(sys.argv[1])
print(type(model).__name__, type(model.estimator).__name__, len(model.estimators_))
"""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_name_is_there(package):
    import_all(package)
    assert {*package.__all__} <= {*dir(package)}
    found = [getattr(package, name) for name in package.__all__]
    assert not any(inspect.ismodule(value) for value in found)  # one of the same name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_name_that_is_none_is_an_error(package):
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'x'"):
        _ = package.x
    assert not hasattr(package, "_wrapped")  # what doctest and pytest ask for


def test_modules_are_names_too():
    assert oracles.lazy.LazyOracle is oracles.LazyOracle
    assert marginboost.verification.verify is marginboost.verify


def test_classes_are_pickled_by_where_they_are_written():
    again = pickle.loads(pickle.dumps(algorithms.AdaBoostClassifier))
    assert again is marginboost.AdaBoostClassifier


def test_a_fresh_process_imports_what_it_needs_and_loads_any_model(tmp_path):
    """A file names an algorithm, a base learner and hypotheses that nothing has imported."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    trees = marginboost.GradientTreeOracle(max_leaf_nodes=3, min_samples_leaf=2)
    marginboost.GradientBoostClassifier(trees, n_estimators=3).fit(X, y).save(tmp_path / "model")
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "model")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[:2] == ["GradientBoostClassifier", "GradientTreeOracle"]
