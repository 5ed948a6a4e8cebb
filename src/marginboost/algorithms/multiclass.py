"""More than two classes by way of two: any code over any algorithm of the package.

Problem: a code M gives every class a side, -1 or +1, in each of several binary problems (0 leaves
it out). The algorithm solves them all, and the class whose row of M loses least on the scores wins
(:mod:`marginboost.model`).

Certificate: one per problem, as the algorithm gives it.
Guarantee: with training error ε_s in problem s and any two rows of M at distance at least ρ, the
training error of the whole is at most ``2 Σ_s ε_s / ρ`` with Hamming decoding (Allwein et al.).

Reference: Allwein, Schapire & Singer, *Reducing multiclass to binary*, 2000; Dietterich & Bakiri,
*Solving multiclass learning problems via error-correcting output codes*, 1995.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from .. import algorithms
from ..estimators.classifier import BaseMarginClassifier
from ..estimators.fitted import ClassifierOutputs
from ..estimators.labels import LabelClassifier
from ..estimators.ranker import BaseRanker
from ..estimators.regressor import BaseBoostRegressor
from ..fitting.algorithm import Algorithm
from ..fitting.reduction import Reduction
from ..model import CODES, DECODINGS, Model, ReducedModel
from ..model.features import FeatureRows
from ..on_demand import import_all
from ..validation import check_choice
from .adaboost import AdaBoostClassifier
from .cascade import CascadeBooster


def saved_classes() -> dict[str, type[Any]]:
    """Classes that a model file can name."""
    import_all(algorithms)  # so that all are registered
    return {
        **BaseMarginClassifier.__registry__,
        **LabelClassifier.__registry__,
        **MulticlassBooster.__registry__,
        **CascadeBooster.__registry__,
        **BaseBoostRegressor.__registry__,
        **BaseRanker.__registry__,
    }


class MulticlassBooster(ClassifierOutputs, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
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
        Which binary problems to solve: a name, or a matrix with one row per class and one
        column per problem, entries -1, 0 and +1.
    decoding : {"auto", "linear", "ramp", "hamming", "exponential"}
        Loss by which the problems' votes choose a class. "auto" is "linear" where every problem
        knows every class, else "ramp".
    class_weight : dict, "balanced" or None
        Weights of the rows of each class, in all problems: the algorithm's own ``class_weight``,
        which must be None where this is not.

    Attributes
    ----------
    classes_ : array
        The labels.
    estimator_ : classifier
        The fitted algorithm, with all attributes that its class documents.
    history_, certificate_, stop_reason_, estimators_, estimator_weights_, estimator_errors_, dual_
        As of the algorithm, one item per problem.
    intercept_ : float
        Always 0.
    problems_ : list of classifiers
        The models of two classes, one per column of the code; of two classes only one.
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

    __capabilities__: ClassVar[dict[str, bool]] = {"categories": True}
    __registry__: ClassVar[dict[str, type[Any]]] = {}
    """Itself: what a model file may name."""
    __model_type__ = ReducedModel

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Any = "one-vs-rest",
        decoding: str = "auto",
        class_weight: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.decoding = decoding
        self.class_weight = class_weight

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
        algorithm = self._make_estimator()
        self._forget()
        reduction = Reduction(self.code, self.decoding)
        self._take(algorithm.__fit_reduction__(X, y, sample_weight, reduction))
        for name in ("dual_", "margins_"):
            setattr(self, name, getattr(algorithm, name))
        return self

    def _make_estimator(self) -> BaseMarginClassifier:
        """Check the settings and make the algorithm, not yet fitted."""
        if isinstance(self.code, str):
            check_choice("code", self.code, CODES)
        check_choice("decoding", self.decoding, DECODINGS)
        made = AdaBoostClassifier() if self.estimator is None else self.estimator
        if not isinstance(made, BaseMarginClassifier) or isinstance(made, LabelClassifier):
            raise TypeError(
                f"estimator: got {made!r}, expected an algorithm of this package for two classes, "
                "such as AdaBoostClassifier()"
            )
        try:
            algorithm: BaseMarginClassifier = clone(made)
        except TypeError as error:
            raise TypeError(
                f"estimator: got {made!r}, which cannot be copied ({error}); expected settings "
                "that can, such as a list of splits in place of a generator"
            ) from None
        if self.class_weight is not None:
            if algorithm.class_weight is not None:
                raise ValueError(
                    f"class_weight: got {self.class_weight!r}, expected None where the estimator "
                    f"has one of its own ({algorithm.class_weight!r})"
                )
            algorithm.set_params(class_weight=self.class_weight)
        return algorithm

    def __algorithm__(self) -> Algorithm:
        """Check the settings and make the algorithm of two classes."""
        return self._make_estimator().__algorithm__()

    def __restore__(self, model: Model) -> None:
        """Take up a fitted model, such as that of a file; the training rows are not in it."""
        self._forget()
        restored = self._make_estimator()
        restored.__restore__(model)
        self._take(restored)

    def _take(self, fitted: BaseMarginClassifier) -> None:
        """Make what a fitted algorithm has learnt one's own."""
        self.estimator_ = fitted
        self.model_ = fitted.model_
        for name in ("n_features_in_", "feature_names_in_", "problems_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _forget(self) -> None:
        """Drop what an earlier fit left."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def __read_rows__(self, X: Any) -> FeatureRows:
        """Read rows other than the training rows."""
        check_is_fitted(self)
        return self.estimator_.__read_rows__(X)

    def _n_jobs(self) -> int | None:
        return self.estimator_.n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


MulticlassBooster.__registry__["MulticlassBooster"] = MulticlassBooster
