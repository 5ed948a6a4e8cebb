"""More than two classes by way of two: any code over any algorithm of the package.

Problem: a code M gives every class a side, -1 or +1, in each of several binary problems (0 leaves
it out). The algorithm solves them all, and the class whose row of M loses least on the scores wins
(:mod:`marginboost.model`).

Certificate: one a problem, as the algorithm gives it.
Guarantee: with training error ε_s in problem s and any two rows of M at distance at least ρ, the
training error of the whole is at most ``2 Σ_s ε_s / ρ`` with Hamming decoding (Allwein et al.).

Reference: Allwein, Schapire & Singer, *Reducing multiclass to binary*, 2000; Dietterich & Bakiri,
*Solving multiclass learning problems via error-correcting output codes*, 1995.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..core.types import Array
from ..estimators.classifier import BaseMarginClassifier
from ..estimators.regressor import BaseBoostRegressor
from ..model import CODES, DECODINGS
from ..model.file import save_model
from ..validation import check_choice
from ._labels import LabelClassifier
from .adaboost import AdaBoostClassifier


def saved_classes() -> dict[str, type[Any]]:
    """Classes that a model file can name."""
    return {
        **BaseMarginClassifier.registry,
        **LabelClassifier.registry,
        **MulticlassBooster.registry,
        **BaseBoostRegressor.registry,
    }


class MulticlassBooster(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Several classes as binary problems, each solved by the same algorithm.

    All algorithms take several classes by themselves, each class against all others; this offers
    other codes. "all-pairs" was better with stumps and worse with trees that separate pairs
    perfectly; "error-correcting" was best or next to it with trees, at the highest cost
    (docs/multiclass.md).

    Parameters
    ----------
    estimator : classifier of this package, or None
        The algorithm, with its base learner and settings; None is ``AdaBoostClassifier()``.
    code : {"one-vs-rest", "all-pairs", "error-correcting"} or array-like
        Which binary problems to solve: a name, or a matrix with a row a class and a column a
        problem, entries -1, 0 and +1.
    decoding : {"auto", "linear", "ramp", "hamming", "exponential"}
        Loss by which the problems' votes choose a class. "auto" is "linear" where every problem
        knows every class, else "ramp".

    Attributes
    ----------
    classes_ : array
        The labels.
    estimator_ : classifier
        The fitted model, which has everything else that its class offers: ``history_``,
        ``certificate_``, ``explain`` and so on, one item a problem.
    problems_ : list of classifiers
        The models of two classes, one a column of the code; of two classes only one.
    code_ : array (classes, problems)
        The code.
    margins_ : array
        Training margins: half the lead of the own class's vote over the best other one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Allwein, Schapire and Singer, *Reducing multiclass to binary*, JMLR 1, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from marginboost import ArcGVClassifier, MulticlassBooster
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MulticlassBooster(ArcGVClassifier(), code="all-pairs").fit(X, y)
    >>> len(model.problems_), all(p.certificate_.certified for p in model.problems_)
    (3, True)
    >>> model.decision_function(X).shape
    (150, 3)
    """

    registry: ClassVar[dict[str, type[Any]]] = {}
    """Itself: what a model file may name."""

    def __init__(
        self, estimator: Any = None, *, code: Any = "one-vs-rest", decoding: str = "auto"
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.decoding = decoding

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a model for every problem.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Labels.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row.
        """
        model = self._make_model()
        self.__dict__.pop("estimator_", None)
        self.estimator_ = model.fit(X, y, sample_weight)
        return self

    def _make_model(self) -> BaseMarginClassifier:
        """Check the settings and make the model, not yet fitted."""
        if isinstance(self.code, str):
            check_choice("code", self.code, CODES)
        check_choice("decoding", self.decoding, DECODINGS)
        made = AdaBoostClassifier() if self.estimator is None else self.estimator
        if not isinstance(made, BaseMarginClassifier) or isinstance(made, LabelClassifier):
            raise TypeError(
                f"estimator: got {made!r}, expected an algorithm of this package for two classes, "
                "such as AdaBoostClassifier()"
            )
        model: BaseMarginClassifier = clone(made)
        model._code, model._decoding = self.code, self.decoding
        return model

    def _model(self) -> BaseMarginClassifier:
        check_is_fitted(self, "estimator_")
        return self.estimator_

    # -- predictions -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Votes for the classes, in [-1, 1]; of two classes one column, positive for the second."""
        return self._model().decision_function(X)

    def predict(self, X: Any) -> Array:
        """Class of each row, that with the largest vote; a tie goes to the first class."""
        return self._model().predict(X)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities in the order of the votes; see the algorithm's own method."""
        return self._model().predict_proba(X)

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of :meth:`predict_proba`."""
        return self._model().predict_log_proba(X)

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Votes after 1, 2, … hypotheses of each problem."""
        return self._model().staged_decision_function(X)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Classes after 1, 2, … hypotheses of each problem."""
        return self._model().staged_predict(X)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses of each problem."""
        return self._model().staged_predict_proba(X)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after 1, 2, … hypotheses of each problem."""
        return self._model().staged_score(X, y, sample_weight)

    def margins(self, X: Any, y: Any) -> Array:
        """Half the lead of the own class's vote over the best other one, in [-1, 1]."""
        return self._model().margins(X, y)

    # -- the model -------------------------------------------------------------------------------

    def explain(self) -> Any:
        """Explain stump ensembles exactly; a list, one explanation a problem."""
        return self._model().explain()

    def save(self, path: Any) -> None:
        """Write a JSON file that :func:`marginboost.load` reads (see docs/model-file.md)."""
        self._model()
        save_model(self, path)

    def to_onnx(self) -> Any:
        """ONNX model, of two classes only; each of ``problems_`` can be exported by itself."""
        return self._model().to_onnx()

    def __getattr__(self, name: str) -> Any:
        # What the fitted model learnt is this model's too: classes_, problems_, margins_, ...
        fitted = name.endswith("_") and not name.startswith("_") and name != "estimator_"
        if fitted and "estimator_" in vars(self):
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


MulticlassBooster.registry["MulticlassBooster"] = MulticlassBooster
