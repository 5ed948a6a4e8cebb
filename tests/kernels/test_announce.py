"""Compiling is announced, once, and can be done ahead."""

import logging
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from marginboost.kernels.announce import MESSAGE, CompileListener


def compiling(module="marginboost.kernels.stumps"):
    function = SimpleNamespace(__module__=module)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})


def listener(times):
    return CompileListener(clock=iter(times).__next__)


def said(caplog):
    return [record.getMessage() for record in caplog.records]


def test_quick_compiling_is_not_worth_a_word(caplog):
    heard = listener([0.0, 0.0, 0.4, 0.4, 0.4, 0.8])
    for _ in range(2):
        heard.on_start(compiling())
        heard.on_end(compiling())
    assert said(caplog) == []
    assert heard.spent == pytest.approx(0.8)


def test_long_compiling_is_said_once(caplog):
    caplog.set_level(logging.WARNING, "marginboost")
    heard = listener([0.0, 0.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 9.0])
    for _ in range(3):
        heard.on_start(compiling())
        heard.on_end(compiling())
    assert said(caplog) == [MESSAGE]


def test_kernels_inside_of_kernels_count_once(caplog):
    heard = listener([0.0, 0.0, 0.5, 1.5, 2.0])
    heard.on_start(compiling())
    heard.on_start(compiling())
    heard.on_end(compiling())
    heard.on_start(compiling())
    heard.on_end(compiling())
    heard.on_end(compiling())
    assert said(caplog) == [MESSAGE]
    assert heard.spent == pytest.approx(2.0)


def test_other_packages_are_none_of_its_business(caplog):
    heard = listener([])
    heard.on_start(compiling("umap.layouts"))
    heard.on_end(compiling("umap.layouts"))
    assert said(caplog) == []


@pytest.mark.slow
def test_an_empty_cache_is_announced_and_a_full_one_is_not(tmp_path):
    code = (
        "import numpy as np; from marginboost import AdaBoostClassifier as A;"
        "X = np.random.default_rng(0).normal(size=(300, 3)); A(n_estimators=2).fit(X, X[:, 0] > 0)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        ).stderr
        for _ in range(2)
    ]
    assert MESSAGE in said[0]
    assert MESSAGE not in said[1]


@pytest.mark.slow
def test_warm_up_runs_both_parts():
    found = subprocess.run(
        [sys.executable, "-m", "marginboost", "warm-up"], capture_output=True, text=True
    )
    assert found.returncode == 0
    assert "Kernels are compiled and kept" in found.stdout
