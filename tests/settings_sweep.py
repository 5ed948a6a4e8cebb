"""Fits that show whether a setting is dropped: other values, small tables, what a fit leaves."""

import hashlib
import warnings
from numbers import Number

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from marginboost import (
    ActiveKernelOracle,
    AlternatingTreeOracle,
    GradientTreeOracle,
    HalfSpaceOracle,
    KernelOracle,
    LabelTreeOracle,
    LazyOracle,
    LinearOracle,
    NeuralNetOracle,
    PooledOracle,
    RBFNetOracle,
    ResamplingOracle,
    StumpOracle,
    TreeOracle,
)
from marginboost.core import Callback, Stop
from marginboost.core.history import FIELDS
from marginboost.estimators.ranker import BaseRanker
from marginboost.oracles.any_sklearn import SklearnOracle
from marginboost.validation import check_number, parameter_defaults, same_setting


class EndSoon(Callback):
    """End a run after its second round."""

    def on_round(self, state):
        return Stop.CALLBACK if state.round >= 2 else None


LEARNERS = {
    "default": None,
    "stumps": StumpOracle(),
    "trees": TreeOracle(max_depth=2),
    "gradient trees": GradientTreeOracle(max_leaf_nodes=4, min_samples_leaf=3),
    "alternating trees": AlternatingTreeOracle(),
    "lines": LinearOracle(),
    "kernels": KernelOracle(),
    "bumps": ActiveKernelOracle(n_points=16, max_iter=3),
    "half-spaces": HalfSpaceOracle(max_samples=30),
    "RBF nets": RBFNetOracle(n_centers=2, max_iter=1),
    "nets": NeuralNetOracle(n_hidden=2, max_iter=3),
    "lazy stumps": LazyOracle(StumpOracle(), 0.5),
    "pooled stumps": PooledOracle(StumpOracle()),
    "resampled stumps": ResamplingOracle(StumpOracle()),
    "label trees": LabelTreeOracle(max_depth=2),
    "scikit-learn oracle": SklearnOracle(Ridge()),
    "scikit-learn classifier": GaussianNB(),
    "scikit-learn regressor": Ridge(),
}
"""Base learners of every kind, small."""


# -- tables --------------------------------------------------------------------------------------


def _frame(n_rows, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    frame["k"] = pd.Categorical(rng.choice(list("pqrst"), n_rows))
    frame.loc[rng.random(n_rows) < 0.05, "a"] = np.nan
    return frame, rng


def _scores(frame, rng, noise):
    filled = frame["a"].fillna(0.5)
    kinds = frame["k"].cat.codes.to_numpy()
    truth = filled + frame["b"] * frame["c"] + 1.5 * np.isin(kinds, (0, 2, 3))
    return (truth + noise * rng.normal(size=len(frame))).to_numpy()


def labelled(n_rows, n_classes, noise, seed):
    """Rows whose labels follow all columns, with some noise; classes of different sizes."""
    frame, rng = _frame(n_rows, seed)
    scores = _scores(frame, rng, noise)
    cuts = np.quantile(scores, [0.6, 0.8][: n_classes - 1])
    return frame, np.searchsorted(cuts, scores)


def measured(n_rows, noise, seed):
    """Rows with targets above 0."""
    frame, rng = _frame(n_rows, seed)
    return frame, np.exp(0.5 * _scores(frame, rng, noise))


def numeric(table):
    """A table without its categories and missing values."""
    frame, y = table
    return frame[["a", "b", "c"]].fillna(0.0).to_numpy(), y


def half_labelled(n_rows, seed):
    """Rows of which a third has no label."""
    frame, y = numeric(labelled(n_rows, 2, 0.5, seed))
    return frame, np.where(np.arange(n_rows) % 3 == 0, -1, y + 1)


TABLES = {
    "two classes": labelled(80, 2, 0.6, 1),
    "two cuts": (np.arange(12.0)[:, None], np.abs(np.arange(12) - 5) < 3),
    "three classes": labelled(80, 3, 0.5, 3),
    "half labelled": half_labelled(60, 4),
    "many rows": numeric(labelled(620, 2, 0.6, 5)),
    "targets": measured(80, 0.3, 6),
    "clean targets": numeric(measured(30, 0.0, 7)),
    "many targets": numeric(measured(620, 0.5, 8)),
}
LABELS = ("two classes", "three classes", "two cuts", "many rows", "half labelled")
TARGETS = ("targets", "clean targets", "many targets")


def tables_of(estimator):
    """Tables that an estimator can learn from, the most telling first."""
    return LABELS if is_classifier(estimator) else TARGETS


# -- what a fit leaves ---------------------------------------------------------------------------


def outcome(model, X):
    """A number for all that a fit leaves but times and the settings themselves."""
    methods = ("predict", "predict_proba", "decision_function")
    parts = [getattr(model, name)(X) for name in methods if hasattr(model, name)]
    fitted = getattr(model, "model_", None)
    for run in getattr(fitted, "runs", ()):
        parts += [run.history[name] for name in FIELDS if name != "seconds" and len(run.history)]
        parts += [run.certificate, run.stop, run.ensemble.coef]
    parts += [
        (name, value)
        for name, value in sorted(vars(model).items())
        if name.endswith("_") and isinstance(value, str | Number | np.ndarray)
    ]
    found = hashlib.sha256()
    for part in parts:
        numbers = isinstance(part, np.ndarray) and part.dtype != object
        found.update(part.tobytes() if numbers else repr(part).encode())
    return found.hexdigest()


def fitted(kind, settings, table):
    """Outcome of a fit."""
    X, y = TABLES[table]
    queries = {"qid": np.arange(len(X)) // 10} if issubclass(kind, BaseRanker) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(**settings).fit(X, y, **queries)
        return outcome(model, X), model.score(X, y, **queries)


# -- other values --------------------------------------------------------------------------------

OTHERS = {
    "Cs": [[0.3]],
    "C": [0.3, 3.0],
    "C_scale": ["regularizer"],
    "callbacks": [[EndSoon()]],
    "categorical_features": [[0, 3]],
    "choice": ["one-se"],
    "class_weight": ["balanced", {0: 2.0}],
    "cv": [3],
    "early_stopping": [True],
    "fdr": [0.5, 0.05],
    "interaction_cst": ["no_interactions"],
    "lambdarank_truncation_level": [1],
    "learning_rate": [0.5],
    "loss": ["absolute", "exponential", "squared", "pairwise", "quantile", "savage"],
    "max_bins": [3],
    "mistrust": ["squared"],
    "model": ["committee", "soft-margin"],
    "monotone": [False],
    "monotonic_cst": [[1, 0, 0, 0], [1, 0, 0]],
    "n_estimators": [3, 1],
    "nus": [[0.6]],
    "policy": ["drop", "keep"],
    "ps": [[1.2]],
    "scoring": ["accuracy", "r2"],
    "signed": [True],
    "solver_time_limit": [1e-9],
    "stop_at_target": [True],
    "target_margin": [0.05],
    "tol": [0.5, 1e9],
    "validation_fraction": [0.4, None],
}
"""Other values of settings whose limits are not declared, or say too little."""


def others(kind, name):
    """Valid values of a setting that differ from its default."""
    if name in OTHERS:
        return OTHERS[name]
    allowed = {**GradientTreeOracle.__constraints__, **constraints_of(kind)}[name]
    default = parameter_defaults(kind)[name]
    if isinstance(allowed, tuple):
        return [value for value in allowed if not same_setting(value, default)]
    near = [default / 2, default * 2] if default else []
    tried = [kept for kept in (*near, 1, 2, 3, 5, 0.05, 0.3, 0.6, 0.9) if kept != default]
    return [value for value in tried if _is_allowed(name, value, allowed)]


def _is_allowed(name, value, allowed):
    try:
        check_number(name, value, **allowed)
    except (TypeError, ValueError):
        return False
    return True


def constraints_of(kind):
    """What settings of a class may be."""
    found = {}
    for base in reversed(kind.__mro__):
        found.update(vars(base).get("__constraints__", {}))
    return found


# -- the verdict ---------------------------------------------------------------------------------

SMALL = {"n_estimators": 12, "cv": 2, "min_samples_leaf": 4}
"""Settings of small fits, where an estimator has them."""


def small(kind, learner):
    """Settings of a small fit with a base learner, or with the default one."""
    own = {name: value for name, value in SMALL.items() if name in parameter_defaults(kind)}
    if learner is None:
        return own
    own.pop("min_samples_leaf", None)
    return {**own, "estimator": learner}


class Sweep:
    """Tries other values of settings; fits without them are made once."""

    def __init__(self):
        self._known = {}

    def plain(self, kind, settings, table):
        """Outcome without the setting; None where such rows cannot be learnt from."""
        key = kind.__name__, repr(sorted(settings.items(), key=str)), table
        if key not in self._known:
            try:
                self._known[key] = fitted(kind, settings, table)
            except (TypeError, ValueError):
                self._known[key] = None
        return self._known[key]

    def has_effect(self, kind, settings, name, values, tables):
        """Whether some value of a setting changes what is fitted, or all are refused by name."""
        refused = []
        for value in values:
            for table in tables:
                before = self.plain(kind, settings, table)
                if before is None:
                    continue
                try:
                    changed = fitted(kind, {**settings, name: value}, table) != before
                except (TypeError, ValueError) as error:
                    if name not in str(error):
                        raise
                    refused.append(value)
                    break
                if changed:
                    return True
        return len(refused) == len(values)
