"""The contenders: marginboost and the libraries it is measured against, each at its fastest.

A contender knows how to fit, how to fit on data it has binned before, and how to score rows. Peers
are called through their native interface where they have one, with all cores, stumps, and at most
255 or 256 bins. What a contender cannot do it says in :meth:`Contender.skip`, and the reason is
printed.
"""
# ruff: noqa: D102 -- the methods of a contender are documented once, on Contender.

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from importlib import metadata, util
from typing import Any

from marginboost.kernels.parallel import available_threads

from .data import Array, synthetic

LEARNING_RATE = 1.0
"""Of all gradient boosters: full steps, as AdaBoost takes them.

It has no effect on time, and of 0.1, 0.3 and 1 it gave them the smallest held-out loss at 100
stumps on our data.
"""


class Contender(ABC):
    """One library in the race."""

    name: str
    package: str

    def skip(self, task: str) -> str | None:
        """Why this contender cannot do a task ("raw", "binned" or "predict"); None if it can."""
        if util.find_spec(self.package.replace("-", "_")) is None:
            return f"{self.package} is not installed"
        return None

    @property
    def version(self) -> str:
        """Installed version."""
        return metadata.version(self.package)

    @abstractmethod
    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        """Fit stumps to raw arrays."""

    def bin(self, X: Array, y: Array) -> Any:
        """Do once what many fits can share."""
        raise NotImplementedError

    def fit_binned(self, binned: Any, rounds: int) -> Any:
        """Fit stumps to the result of :meth:`bin`."""
        raise NotImplementedError

    @abstractmethod
    def scores(self, model: Any, X: Array) -> Array:
        """Score rows, in the contender's own unit; this is what is timed."""

    def log_odds(self, model: Any, scores: Array) -> Array:
        """Scores as log-odds of class 1, so that losses compare."""
        return scores

    @abstractmethod
    def n_stumps(self, model: Any) -> int:
        """Stumps in the model: whether all the work was done."""


class MarginBoost(Contender):
    """Our library. The exponential loss is smallest where F is half the log-odds."""

    name = "marginboost"
    package = "marginboost"

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        from marginboost import AdaBoostClassifier

        return AdaBoostClassifier(n_estimators=rounds).fit(X, y)

    def bin(self, X: Array, y: Array) -> Any:
        from marginboost.data import BinnedMatrix, Table

        names = [f"x{j}" for j in range(X.shape[1])]
        return BinnedMatrix.from_table(Table.learn(X, names, [])), y

    def fit_binned(self, binned: Any, rounds: int) -> Any:
        return self.fit(*binned, rounds)

    def scores(self, model: Any, X: Array) -> Array:
        return model.decision_function(X)

    def log_odds(self, model: Any, scores: Array) -> Array:
        return 2.0 * abs(model.estimator_weights_).sum() * scores

    def n_stumps(self, model: Any) -> int:
        return len(model.estimators_)


class LightGBM(Contender):
    """LightGBM's native interface; a Dataset is binned once and may train many boosters.

    It builds histograms by columns or by rows, and spends time on finding out which is faster. Both
    take part, each told in advance, so that the fastest peer is the faster of the two.
    """

    package = "lightgbm"

    def __init__(self, layout: str) -> None:
        self.layout = layout
        self.name = f"LightGBM by {layout}s"

    def skip(self, task: str) -> str | None:
        if task == "predict" and self.layout == "row":
            return "the layout matters in training only"
        return super().skip(task)

    @property
    def _parameters(self) -> dict[str, Any]:
        return {
            "objective": "binary",
            "num_leaves": 2,
            "max_depth": 1,
            "max_bin": 255,
            "learning_rate": LEARNING_RATE,
            "num_threads": available_threads(),
            "force_col_wise": self.layout == "column",
            "force_row_wise": self.layout == "row",
            "verbosity": -1,
        }

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        import lightgbm

        data = lightgbm.Dataset(X, label=y, params=self._parameters)
        return lightgbm.train(self._parameters, data, num_boost_round=rounds)

    def bin(self, X: Array, y: Array) -> Any:
        import lightgbm

        return lightgbm.Dataset(X, label=y, params=self._parameters).construct()

    def fit_binned(self, binned: Any, rounds: int) -> Any:
        import lightgbm

        return lightgbm.train(self._parameters, binned, num_boost_round=rounds)

    def scores(self, model: Any, X: Array) -> Array:
        return model.predict(X, raw_score=True, num_threads=available_threads())

    def n_stumps(self, model: Any) -> int:
        return model.num_trees()


class XGBoost(Contender):
    """XGBoost's native interface with QuantileDMatrix, its compact form for ``hist``."""

    name = "XGBoost"
    package = "xgboost"

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        return self.fit_binned(self.bin(X, y), rounds)

    def bin(self, X: Array, y: Array) -> Any:
        import xgboost

        return xgboost.QuantileDMatrix(X, y, max_bin=256, nthread=available_threads())

    def fit_binned(self, binned: Any, rounds: int) -> Any:
        import xgboost

        parameters = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "max_depth": 1,
            "max_bin": 256,
            "learning_rate": LEARNING_RATE,
            "nthread": available_threads(),
            "verbosity": 0,
        }
        return xgboost.train(parameters, binned, num_boost_round=rounds)

    def scores(self, model: Any, X: Array) -> Array:
        return model.inplace_predict(X, predict_type="margin")

    def n_stumps(self, model: Any) -> int:
        return model.num_boosted_rounds()


class HistGradientBoosting(Contender):
    """scikit-learn's histogram gradient boosting."""

    name = "sklearn HGB"
    package = "scikit-learn"

    def skip(self, task: str) -> str | None:
        if task == "binned":
            return "scikit-learn's HistGradientBoosting bins inside fit; it takes no binned data"
        return None

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=rounds,
            max_leaf_nodes=2,
            max_depth=1,
            max_bins=255,
            learning_rate=LEARNING_RATE,
            early_stopping=False,
        ).fit(X, y)

    def scores(self, model: Any, X: Array) -> Array:
        return model.decision_function(X)

    def n_stumps(self, model: Any) -> int:
        return model.n_iter_


class SklearnAdaBoost(Contender):
    """scikit-learn's AdaBoost: stumps by Gini impurity over every distinct value."""

    name = "sklearn AdaBoost"
    package = "scikit-learn"

    def skip(self, task: str) -> str | None:
        return "scikit-learn's AdaBoost takes no binned data" if task == "binned" else None

    def fit(self, X: Array, y: Array, rounds: int) -> Any:
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.tree import DecisionTreeClassifier

        return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds).fit(
            X, y
        )

    def scores(self, model: Any, X: Array) -> Array:
        return model.decision_function(X)

    def log_odds(self, model: Any, scores: Array) -> Array:
        # Its weights are twice ours and its decision function twice the normalised vote.
        return scores * (model.estimator_weights_.sum() / 2.0)

    def n_stumps(self, model: Any) -> int:
        return len(model.estimators_)


US = MarginBoost()
GRADIENT_BOOSTERS: tuple[Contender, ...] = (
    LightGBM("column"),
    LightGBM("row"),
    XGBoost(),
    HistGradientBoosting(),
)


def able(contenders: Iterable[Contender], task: str) -> tuple[list[Contender], list[str]]:
    """Contenders that can do a task, and why the others cannot."""
    ready, skipped = [], []
    for contender in contenders:
        reason = contender.skip(task)
        if reason is None:
            ready.append(contender)
        else:
            skipped.append(f"{contender.name}, {task}: {reason}")
    return ready, skipped


def warm_up(contenders: Iterable[Contender]) -> None:
    """Compile kernels and start thread pools before anything is timed."""
    # Large enough that threads are used: 20,000 × 10 codes.
    X, y = synthetic(20_000, 10)
    for contender in contenders:
        contender.scores(contender.fit(X, y, 2), X)
        if contender.skip("binned") is None:
            contender.fit_binned(contender.bin(X, y), 2)
