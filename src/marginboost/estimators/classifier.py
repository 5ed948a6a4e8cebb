"""scikit-learn's contract of classifiers: labels, probabilities, several classes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import ClassifierMixin

from ..core.parts import Parts
from ..data import BinnedMatrix
from ..fitting.algorithm import Algorithm
from ..fitting.fit import fit
from ..fitting.held_back import HeldBack
from ..fitting.inputs import (
    check_class_weight,
    class_positions,
    known_positions,
    learn_classes,
    read_labels,
    read_weights,
    weigh_classes,
)
from ..fitting.reduction import ONE_VS_REST, Reduction
from ..fitting.rows import TrainingRows, rows_in_parts
from ..model import BinaryModel, ClassModel, Features, LogisticLink, Model, VoteLink
from ..model.features import FeatureRows
from ..types import Array
from .base import COMMON_PARAMETERS, BaseBooster, algorithm_for_parts, algorithm_to_fit, document
from .constructors import forward
from .fitted import ClassifierOutputs

__all__ = ["BaseMarginClassifier", "document"]

CLASS_WEIGHT = """class_weight : dict, "balanced" or None
        Factors on the weights of the rows, by class; classes that a dict does not name have 1.
        "balanced" gives every class the same total weight. Margins, shares such as ν, and
        probabilities are those of the rows so weighed.
    """

FITTED_ATTRIBUTES = """classes_ : array
        The labels; of two, the second is the positive class.
    estimators_ : list of Hypothesis
        The hypotheses.
    estimator_weights_ : array
        Their coefficients α, equally many.
    estimator_errors_ : array
        Their weighted errors, one per round.
    n_iter_ : int
        Rounds made.
    history_ : History
        Edge, error, coefficient, margin, bounds and time of every round.
    certificate_ : Certificate
        Lower and upper bound on the largest margin, gap, and this model's own margin.
    certified_ : bool
        Whether the bounds are proven.
    stop_reason_ : Stop
        Why the run ended.
    dual_ : array
        Last example weights, signed by the label.
    margins_ : array
        Training margins ``y F(x) / Σα``, in [-1, 1].
    intercept_ : float
        Always 0: a constant is a hypothesis like any other.
    feature_importances_ : array
        Share of each feature in what moves the votes: of stumps the mean size of its contribution
        over the training rows, as in ``explain().importance()``, of others its share of Σ|α|.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    problems_ : list of classifiers
        With more than two classes: a model of two classes for each column of ``code_``, here one
        per class against all others. Then ``estimators_``, ``estimator_weights_``,
        ``estimator_errors_``, ``history_``, ``certificate_``, ``stop_reason_`` and ``dual_`` are
        lists, one item per problem; ``margins_`` are multiclass margins, ``n_iter_`` is the largest
        number of rounds. :class:`~marginboost.MulticlassBooster` offers other codes.
    code_ : array (classes, problems)
        With more than two classes: which side each class is on in each problem."""


class BaseMarginClassifier(ClassifierOutputs, ClassifierMixin, BaseBooster):
    """What every classifier of the package shares.

    A subclass stores its parameters and says in ``_algorithm`` which algorithm they mean. It is
    about two classes; more are reduced to problems of two, each solved by a copy of the classifier
    (``problems_``), by default each class against all others: that has the fewest problems, and a
    certificate and an explanation for each class. docs/multiclass.md has measurements of others.
    """

    __registry__: ClassVar[dict[str, type[BaseMarginClassifier]]] = {}
    __shared_texts__: ClassVar[dict[str, str]] = {
        "common": CLASS_WEIGHT + COMMON_PARAMETERS,
        "fitted": FITTED_ATTRIBUTES,
    }
    __fewest_rows__ = "2 (one of each class)"
    __model_type__: ClassVar[type[Model]] = BinaryModel
    model_: ClassModel

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int | None = 50,
        tol: float | None = None,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.class_weight = class_weight

    def _make_algorithm(self, rule: Any, **more: Any) -> Algorithm:
        """Make an algorithm of this rule; its scores are half the log-odds, as those of AdaBoost.

        Where scores are votes that say nothing of odds, probabilities are calibrated.
        """
        check_class_weight(self.class_weight)
        more.setdefault("link", LogisticLink(2.0))
        more.setdefault("calibrated", isinstance(more["link"], VoteLink))
        return super()._make_algorithm(rule, class_weight=self.class_weight, **more)

    def _n_jobs(self) -> int | None:
        return self.n_jobs

    # -- fit -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        y : array-like
            Labels of two or more classes.
        sample_weight : array-like, optional
            Nonnegative weights; a weight of 2 means the same as two copies of the row, a weight of
            0 the same as no row.

        Returns
        -------
        self
        """
        return self.__fit_reduction__(X, y, sample_weight, ONE_VS_REST)

    def __fit_reduction__(
        self, X: Any, y: Any, sample_weight: Any, reduction: Reduction, **given: Any
    ) -> Self:
        """Fit the model; more than two classes are reduced to two in this way."""
        algorithm = algorithm_to_fit(self)
        rows, features = self._learn_features(X, y)
        labels = read_labels(y, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        training = self._training_rows(rows, features, labels, weights)
        return self._fit_rows(algorithm, training, reduction, **given)

    def _training_rows(
        self, rows: FeatureRows, features: Features, labels: Array, weights: Array
    ) -> TrainingRows:
        """Rows of a fit, from rows, labels and weights that are read; classes have weights too."""
        weights = weigh_classes(self.class_weight, labels, weights)
        classes = learn_classes(labels, weights)
        codes = class_positions(classes, labels)
        read_more = self._reader(features, classes)
        return TrainingRows(features, rows, weights, read_more, classes=classes, codes=codes)

    def _fit_rows(
        self,
        algorithm: Algorithm,
        rows: TrainingRows,
        reduction: Reduction = ONE_VS_REST,
        **given: Any,
    ) -> Self:
        """Fit the model to rows that are read; ``given`` is what else a fit is given."""
        if rows.parts is None:
            rows = self._with_options(algorithm, rows, **given)
        self._forget()
        self._keep(fit(algorithm, rows, reduction))
        return self

    def _reader(self, features: Features, classes: Array) -> Any:
        """Function that reads further rows and the positions of their classes."""

        def read_more(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows = self._read_with(features, X)
            return rows, known_positions(classes, read_labels(y, rows.n_rows))

        return read_more

    def __fit_parts__(
        self,
        features: Features,
        bins: BinnedMatrix,
        classes: Array,
        parts: Parts,
        held: HeldBack | None,
    ) -> Self:
        """Fit the model to rows in parts, see :func:`.base.fit_parts`.

        There are no ``dual_`` and ``margins_`` then.
        """
        algorithm = algorithm_for_parts(self)
        self._set_features(features)
        read_more = self._reader(features, classes)
        rows = rows_in_parts(features, bins, classes, parts, read_more, held)
        return self._fit_rows(algorithm, rows)
