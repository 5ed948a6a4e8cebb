"""Digests of small fits of every estimator to as many rows as it takes for BLAS to use threads.

Run as a command it prints them as JSON, for processes that may use one processor or two: see
tests/test_same_bytes. ``python tests/bytes_of_all.py NAME …``
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

from digests import digest
from marginboost import MulticlassBooster
from marginboost.algorithms.multiclass import saved_classes
from marginboost.audit import RobustBoostClassifier
from marginboost.estimators.labels import LabelClassifier
from marginboost.estimators.ranker import BaseRanker
from marginboost.estimators.regressor import BaseBoostRegressor

N_ROWS = 12_345
"""OpenBLAS shares sums of more than 10,000 numbers out."""


def names() -> list[str]:
    """Every estimator that a model file can name."""
    known = saved_classes()
    assert RobustBoostClassifier in known.values()  # registered by its import
    return sorted(name for name in known if known[name].__module__.startswith("marginboost."))


def fitted(name: str, n_jobs: int | None = None, n_rows: int = N_ROWS) -> Any:
    """Fit of a few rounds."""
    kind = saved_classes()[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    score = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + rng.normal(size=n_rows)
    known = kind().get_params(deep=False)
    few = {"n_estimators": 4, "cv": 2, "nus": [0.6, 0.7], "n_jobs": n_jobs}
    model = kind().set_params(**{key: few[key] for key in few if key in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if issubclass(kind, BaseRanker):
            return model.fit(X, np.digitize(score, [0.0, 2.0]), qid=np.arange(n_rows) // 9)
        if issubclass(kind, BaseBoostRegressor):
            return model.fit(X, score)
        several = issubclass(kind, (LabelClassifier, MulticlassBooster))
        return model.fit(X, np.digitize(score, [-1.0, 1.0] if several else [0.0]))


if __name__ == "__main__":
    print(json.dumps({name: digest(fitted(name)) for name in sys.argv[1:]}))
