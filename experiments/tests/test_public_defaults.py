"""A default value of the public interface is a promise: none changes by accident."""

import inspect

import pytest

import marginboost_experiments as experiments

DEFAULTS = {
    "Experiment": {"draw": None},
    "Finding": {"evidence": ""},
    "Mean": {"spread": 0.0, "trials": 1},
    "beside": {"digits": 3, "scale": 1.0},
    "run": {"size": "quick", "folder": None, "n_jobs": None, "progress": None},
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_on_record(name):
    parameters = inspect.signature(getattr(experiments, name)).parameters.values()
    plain = (int, float, str, type(None))
    found = {each.name: each.default for each in parameters if isinstance(each.default, plain)}
    assert found == DEFAULTS[name]


def test_public_names_can_be_imported():
    assert set(experiments.__all__) <= set(dir(experiments))
    assert all(hasattr(experiments, name) for name in experiments.__all__)
