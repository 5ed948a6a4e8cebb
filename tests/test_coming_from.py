"""Every name in the table of settings is a setting of its library."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from marginboost import (
    GradientBoostClassifier,
    GradientBoostRanker,
    GradientBoostRegressor,
    SoftmaxBoostClassifier,
)

PAGE = Path(__file__).parents[1] / "docs" / "coming-from.md"
OURS = (
    GradientBoostClassifier,
    GradientBoostRegressor,
    GradientBoostRanker,
    SoftmaxBoostClassifier,
)


def table():
    """Names of each column of the table."""
    text = PAGE.read_text().split("<!-- settings: begin -->")[1].split("<!-- settings: end -->")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [re.findall(r"`(\w+)`", " ".join(row[k] for row in cells)) for k in range(4)]


def settings_of(*kinds):
    """Parameters of classes and of their fits."""
    things = [*kinds, *(kind.fit for kind in kinds)]
    return {name for thing in things for name in inspect.signature(thing).parameters}


def test_names_here_are_settings_here():
    ours = table()[0]
    assert len(ours) == len(set(ours)) >= 30
    assert set(ours) <= settings_of(*OURS)


def test_every_setting_of_trees_and_stopping_is_in_the_table():
    """What is ours alone is said elsewhere."""
    own = {"self", "X", "y", "sample_weight", "estimator", "callbacks", "verbose", "splits", "step"}
    beside = {"eval_group", "eval_qid"}
    assert settings_of(*OURS) - own - beside <= set(table()[0])


def test_names_of_scikit_learn_are_settings_there():
    theirs = set(table()[1])
    theirs -= {"X_val"}  # from scikit-learn 1.7 on
    assert theirs <= settings_of(HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def test_names_of_lightgbm_are_settings_there():
    """Its classes pass on what they do not name; a model's text lists all that it knows."""
    lightgbm = pytest.importorskip("lightgbm")
    known = settings_of(lightgbm.LGBMClassifier, lightgbm.LGBMRanker)
    rows = lightgbm.Dataset(np.arange(40.0)[:, None], np.arange(40.0))
    text = lightgbm.train({"verbosity": -1}, rows, num_boost_round=1).model_to_string()
    assert all(name in known or f"[{name}:" in text for name in table()[2])


def test_names_of_xgboost_are_settings_there():
    xgboost = pytest.importorskip("xgboost")
    kinds = (xgboost.XGBModel, xgboost.XGBClassifier, xgboost.XGBRanker)
    assert set(table()[3]) - {"ndcg_exp_gain"} <= settings_of(*kinds)  # passed on by name
