"""What all tests share, of the library and of the experiments.

Each folder may have a conftest of its own: they hold no doctests, and share one module name.

Property tests try the same examples in every run, so that a run says something about the change at
hand; ``HYPOTHESIS_PROFILE=exploring`` seeks new ones. Tests marked ``slow`` run where
``ALL_CHECKS`` is set.
"""

import json
import os
import re

import pytest
from hypothesis import settings

from marginboost import algorithms, losses, oracles
from marginboost.cli.main import main
from marginboost.kernels import parallel
from marginboost.on_demand import import_all

ALL_CHECKS = bool(os.environ.get("ALL_CHECKS"))

# Tests go through all that are registered.
for package in (algorithms, losses, oracles):
    import_all(package)

# Tests compare one thread with several, on small machines too.
parallel.MOST_THREADS = max(parallel.MOST_THREADS, 8)

collect_ignore_glob = ["conftest.py", "*/conftest.py"]

settings.register_profile("repeatable", derandomize=True, database=None)
settings.register_profile("exploring", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


COSTLY = {
    "AdaBoostRegClassifierCV",
    "BarrierBoostClassifierCV",
    "CGBoostClassifier",
    "ConsensusFilter",
    "CrossValidatedFilter",
    "ERLPBoostClassifier",
    "LPBoostClassifierCV",
    "MLPBoostClassifier",
    "MajorityFilter",
    "MarginalAdaBoost",
    "MarginalAdaBoostClassifier",
    "NMBoostClassifier",
    "PBoostClassifierCV",
    "QRLPBoostClassifier",
    "RobustBoostClassifier",
}
"""Estimators that cross-validate or audit inside: dozens of runs per fit; or long programs. Tests
that go through all estimators take these with all checks only; each has tests of its own."""
FIRST_MET = {
    "AdaBoostClassifier",
    "FilteredClassifier",
    "GradientBoostClassifier",
    "GradientBoostRegressor",
    "IntervalRegressor",
    "LPBoostClassifier",
    "LPBoostRegressor",
    "MulticlassBooster",
    "SAMMEClassifier",
    "SoftmaxBoostClassifier",
}
"""Estimators of every kind, which scikit-learn checks in full every time; others quickly."""
QUICK_CHECKS = {
    "check_classifiers_one_label",
    "check_classifiers_regression_target",
    "check_complex_data",
    "check_dict_unchanged",
    "check_dont_overwrite_attributes",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimators_empty_data_messages",
    "check_estimators_nan_inf",
    "check_estimators_unfitted",
    "check_fit1d",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_get_params_invariance",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_requires_y_none",
    "check_sample_weights_shape",
    "check_set_params",
}
"""Those of scikit-learn's checks that take few fits; one of a full fit, costly ones leave out."""


def is_costly_check(item):
    """Whether a test goes on about a costly estimator, or is a long check of one of many."""
    spec = getattr(item, "callspec", None)
    if spec is None:
        return False
    check = getattr(spec.params.get("check"), "func", spec.params.get("check"))
    estimator, name = type(spec.params.get("estimator")).__name__, getattr(check, "__name__", "")
    if name in QUICK_CHECKS:
        return name == "check_dict_unchanged" and estimator in COSTLY
    if check is not None and estimator != "NoneType":
        return estimator not in FIRST_MET
    return any(name in COSTLY for name in re.split(r"\W+", spec.id))


def pytest_collection_modifyitems(config, items):
    """Leave out what is slow, unless all checks are asked for; a run says how many those are."""
    for item in items:
        if is_costly_check(item):
            item.add_marker("slow")
    if not ALL_CHECKS:
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


class Result:
    """How a command ended: exit code, output, errors."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = int(code), out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run(capfdbinary):
    """Run a command line in this process."""

    def run(*arguments):
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = (stream.decode() for stream in capfdbinary.readouterr())
        return Result(code, out, err)

    return run
