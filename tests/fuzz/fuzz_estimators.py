"""Hostile fits: every estimator that certifies, on tables, weights and targets at the ends."""

from __future__ import annotations

import os
import random
import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from fuzz_batch import Case
from hostile_data import Data, make_data
from hostile_settings import estimators, make_estimator
from judge import Witness, lies
from sklearn.base import is_regressor

from marginboost import MarginalAdaBoostClassifier, MulticlassBooster
from marginboost.core import TimeBudget
from marginboost.core.sample import bounded_weights

ONLY = os.environ.get("MARGINBOOST_FUZZ_ONLY", "")
"""Pattern of the names of the estimators that are tried, cases of others are passed over."""
ARGUMENTS = {"X", "y", "sample_weight", "class_weight", "estimator"}


def cases(numbers: Iterable[int], seed: int, warmed_up: Callable[[], None]) -> Iterator[Case]:
    """Fits of all estimators in turn."""
    known = list(estimators().items())
    wanted = {name: kind for name, kind in known if re.search(ONLY, name)}
    chosen = [number for number in numbers if known[number % len(known)][0] in wanted]
    for kind in wanted.values() if len(chosen) > 1 else ():  # kernels are compiled here
        warm_up(kind)
    for number in chosen:
        rng = random.Random(f"{seed}/{number}")
        kind = known[number % len(known)][1]
        model = make_estimator(rng, kind)
        data = make_data(rng, numeric=is_regressor(model))
        if not is_regressor(model) and rng.random() < 0.05:
            model = MulticlassBooster(model)
        label = re.sub(r"\s+", " ", f"{model!r} on {data.words}")
        yield number, label, lambda model=model, data=data: attempt(model, data)


def warm_up(kind: type[Any]) -> None:
    """One plain fit."""
    X = np.arange(24.0).reshape(12, 2) % 7
    y = X[:, 0] + (X[:, 1] > 3) if is_regressor(kind()) else (X[:, 0] > 2) ^ (X[:, 1] > 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind()
        short = {"n_estimators": 3, "cv": 2, "n_jobs": 1}
        known = {name: value for name, value in short.items() if name in model.get_params()}
        model.set_params(**known).fit(X, y).predict(X)


def attempt(model: Any, data: Data) -> str:
    """Fit and predict: refused for a reason that names an argument, or sound all through."""
    witness = Witness()
    inner = model.estimator if isinstance(model, MulticlassBooster) else model
    # A search takes as many rounds as its guarantee says: that is no hang, a long round is.
    budget = [TimeBudget(0.5)] if isinstance(inner, MarginalAdaBoostClassifier) else []
    inner.set_params(callbacks=[witness, *budget])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model.fit(data.X, data.y, sample_weight=data.weights)
        except (ValueError, TypeError) as error:
            return refusal(error, model)
        except Exception as error:
            raise AssertionError(f"foreign {placed(error)}") from error
        try:
            check_predictions(model, data)
        except (RuntimeWarning, ValueError) as error:
            raise AssertionError(f"prediction {placed(error)}") from error
    unit = getattr(model, "spread_", 1.0)
    found = [lie for run in model.model_.runs for lie in lies(witness, run, used(data), unit)]
    assert not found, "; ".join(found)
    return "certified" if model.certified_ else "sound"


def used(data: Data) -> Any:
    """Weights of the rows that count, as a sample knows them."""
    if data.weights is None:
        return np.ones(len(data.y))
    weights = bounded_weights(data.weights)
    return weights[weights > 0.0]


def placed(error: BaseException) -> str:
    """An error, and where it came from."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "marginboost" in frame.filename
    ]
    at = f"{'/'.join(frames[-1].filename.split('/')[-2:])}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {at}: {error}"


def refusal(error: Exception, model: Any) -> str:
    """Check that a refusal names an argument."""
    names = ARGUMENTS | {name.split("__")[-1] for name in model.get_params()}
    words = set(re.findall(r"[A-Za-z_]+", str(error)))
    assert words & names, f"foreign {placed(error)}"
    return "refused"


def check_predictions(model: Any, data: Data) -> None:
    """Finite predictions; probabilities that sum to one."""
    predicted = model.predict(data.X)
    assert len(predicted) == data.X.shape[0]
    if is_regressor(model):
        assert np.isfinite(predicted).all(), "prediction not finite"
        return
    assert set(predicted) <= set(model.classes_), "prediction of no class"
    if hasattr(model, "decision_function"):
        assert np.isfinite(model.decision_function(data.X)).all(), "decision not finite"
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(data.X)
        assert np.isfinite(shares).all(), "probability not finite"
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)
