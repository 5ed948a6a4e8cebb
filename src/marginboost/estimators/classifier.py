"""scikit-learn's contract of classifiers, once: labels, votes, probabilities, several classes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from ..core.callbacks import Encoder
from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.run import Run
from ..core.sample import Sample
from ..core.types import Array
from ..data import BinnedMatrix, Table
from ..kernels.ties import TIE
from ..model import (
    Decoder,
    class_probabilities,
    class_shares,
    make_code,
    multiclass_margins,
)
from .base import BaseBooster, document
from .inputs import distinct_labels, read_labels, read_weights

__all__ = ["BaseMarginClassifier", "Problem", "document", "vote_share"]

FITTED_ATTRIBUTES = """classes_ : array
        The labels; of two, the second is the positive class.
    estimators_ : list of Hypothesis
        The hypotheses.
    estimator_weights_ : array
        Their coefficients α, equally many.
    estimator_errors_ : array
        Their weighted errors, one a round.
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
        Share of Σ|α| that each feature carries.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    problems_ : list of classifiers
        With more than two classes: a model of two classes for each column of ``code_``, here one a
        class against all others. Then ``estimators_``, ``estimator_weights_``,
        ``estimator_errors_``, ``history_``, ``certificate_``, ``stop_reason_`` and ``dual_`` are
        lists, one item a problem; ``margins_`` are multiclass margins, ``n_iter_`` is the largest
        number of rounds. :class:`~marginboost.MulticlassBooster` offers other codes.
    code_ : array (classes, problems)
        With more than two classes: which side each class is on in each problem."""


class Problem(NamedTuple):
    """What a fit solves: rows with labels ±1 and weights, base learner, algorithm."""

    sample: Sample
    oracle: Oracle
    rule: Rule


class BaseMarginClassifier(ClassifierMixin, BaseBooster):
    """What every classifier of the package shares.

    A subclass stores its parameters and says in ``_make_rule`` which algorithm they mean. It is
    about two classes; more are reduced to problems of two, each solved by a copy of the classifier
    (``problems_``), by default each class against all others: that has the fewest problems, and a
    certificate and an explanation for each class. docs/multiclass.md has measurements of others.
    """

    registry: ClassVar[dict[str, type[BaseMarginClassifier]]] = {}
    _attributes = FITTED_ATTRIBUTES
    _fewest_rows = "2 (one of each class)"
    _code: Any = "one-vs-rest"
    _decoding: str = "auto"
    _one_scale: ClassVar[bool] = False
    """Whether scores are log-odds or the like, which compare between problems as they are."""
    _answers_labels: ClassVar[bool] = False

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
        self._check_settings()
        rows = self._learn_rows(X, y)
        labels = read_labels(y, rows.n_rows)
        index = self._learn_classes(labels, weights := read_weights(sample_weight, rows.n_rows))
        for name in ("ensemble_", "problems_", "code_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self._fit_classes(rows, index, weights)
        return self

    def _fit_classes(self, rows: Table | BinnedMatrix, index: Array, weights: Array) -> None:
        """Learn from checked rows; ``index`` counts their classes from 0."""
        if len(self.classes_) == 2:
            make_code(self._code, 2)  # no code is needed, but one of other size is a mistake
            self._run(rows, (2 * index - 1).astype(np.int8), weights, self._encode)
        else:
            self._fit_problems(rows, index, weights)

    def _run(
        self,
        rows: Table | BinnedMatrix,
        signs: Array,
        weights: Array,
        encode: Encoder,
        bins: BinnedMatrix | None = None,
    ) -> None:
        """Run the algorithm on two classes; rows of sign 0 are left out.

        ``bins`` are those of the rows with weight, where they are already made.
        """
        used = np.flatnonzero((weights > 0) & (signs != 0))
        sample, oracle, rule = self._pose(rows, signs, weights, used, bins)
        self._keep(self._train(sample, oracle, rule, encode), rows, signs, used)

    def _pose(
        self,
        rows: Table | BinnedMatrix,
        signs: Array,
        weights: Array,
        used: Array,
        bins: BinnedMatrix | None = None,
    ) -> Problem:
        oracle = self._make_oracle()
        sample = self._make_sample(rows, signs, weights, used, oracle, bins)
        return Problem(sample, oracle, self._make_rule())

    def _fit_problems(self, rows: Table | BinnedMatrix, index: Array, weights: Array) -> None:
        """Solve a problem of two classes for every column of the code; all share the bins."""
        if any(callback.saves_state for callback in self.callbacks or ()):
            raise ValueError(
                "callbacks: got a Checkpoint, which keeps one run; expected none with more than "
                "two classes, where each problem is a run (SAMMEClassifier, AdaBoostM1Classifier, "
                "AdaBoostM2Classifier, AdaBoostMHClassifier and SoftmaxBoostClassifier make one "
                "run of all classes)"
            )
        random = check_random_state(0 if self.random_state is None else self.random_state)
        self.code_ = make_code(self._code, len(self.classes_), int(random.randint(2**31 - 1)))
        bins, used = None, np.flatnonzero(weights > 0)
        if isinstance(rows, Table) and self._make_oracle().needs_bins:
            bins = self._bin(rows if len(used) == len(weights) else rows.take(used), weights[used])
        self.problems_ = []
        for side in self.code_.T:
            problem = self._problem(random_state=int(random.randint(2**31 - 1)))
            problem._run(rows, side[index], weights, self._encoder(side), bins)
            self.problems_.append(problem)
        self._gather_problems()
        self.dual_ = [problem.dual_ for problem in self.problems_]
        self.margins_ = multiclass_margins(self._votes(rows), index)

    def _problem(self, **changed: Any) -> Self:
        """Copy for one problem of two classes, which knows the features but has not learnt yet."""
        callbacks = [copy.copy(callback) for callback in self.callbacks or ()]
        problem = type(self)(
            **{**self.get_params(deep=False), "callbacks": callbacks or None, **changed}
        )
        problem.classes_ = np.array([-1, 1])
        problem.n_features_in_ = self.n_features_in_
        problem._names, problem._categories = self._names, self._categories
        if hasattr(self, "feature_names_in_"):
            problem.feature_names_in_ = self.feature_names_in_
        return problem

    def _gather_problems(self) -> None:
        """Set what the problems have in common."""
        for name in ("history_", "certificate_", "stop_reason_", "estimator_errors_"):
            setattr(self, name, [getattr(problem, name) for problem in self.problems_])
        self.certified_ = all(problem.certified_ for problem in self.problems_)
        self.n_iter_ = max(problem.n_iter_ for problem in self.problems_)
        self.intercept_ = 0.0

    def _learn_classes(self, labels: Array, weights: Array) -> Array:
        """Set ``classes_`` from the rows that count; return the position of each label in it."""
        self.classes_ = distinct_labels(labels if weights.all() else labels[weights > 0])
        n_classes = len(self.classes_)
        if n_classes == 1:
            raise ValueError(
                f"y: got one class ({self.classes_.tolist()[0]!r}) among the rows of positive "
                "weight, expected two classes or more"
            )
        return self._positions(labels)

    def _positions(self, labels: Array) -> Array:
        """Position of each label in ``classes_``, which is sorted.

        A label that only rows without weight have is none of the classes: any position will do.
        """
        if len(self.classes_) == 2:
            return (labels == self.classes_[1]).astype(np.int64)
        return np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)

    def _make_sample(
        self,
        rows: Table | BinnedMatrix,
        signs: Array,
        weights: Array,
        used: Array,
        oracle: Oracle,
        bins: BinnedMatrix | None = None,
    ) -> Sample:
        """Make the sample of the rows ``used``; ``bins`` are those of all rows with weight."""
        if bins is not None and len(used) < bins.n_rows:
            bins = bins.take(np.searchsorted(np.flatnonzero(weights > 0), used))
        parts = self._sample_parts(rows, weights, used, oracle, bins)
        return Sample.of_labels(signs[used], weights[used], **parts)

    def _encode(self, X: Any, y: Any) -> tuple[Table | BinnedMatrix, Array]:
        """Rows and ±1 labels of data other than the training data."""
        rows, index = self._read_labelled(X, y)
        return rows, (2 * index - 1).astype(np.int8)

    def _encoder(self, side: Array) -> Encoder:
        """Encode data for one problem: rows of the classes on either side, and their signs."""

        def encode(X: Any, y: Any) -> tuple[Table | BinnedMatrix, Array]:
            rows, index = self._read_labelled(X, y)
            signs = side[index]
            used = np.flatnonzero(signs)
            return (rows if len(used) == len(signs) else rows.take(used)), signs[used]

        return encode

    def _read_labelled(self, X: Any, y: Any) -> tuple[Table | BinnedMatrix, Array]:
        """Rows and the position of each label among the classes."""
        rows = self._read_rows(X)
        labels = read_labels(y, rows.n_rows)
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            known = self.classes_.tolist()
            raise ValueError(f"y: got label {unknown.tolist()[0]!r}, expected one of {known}")
        return rows, self._positions(labels)

    def _keep(self, run: Run, rows: Table | BinnedMatrix, signs: Array, used: Array) -> None:
        self._keep_run(run)
        self.estimator_errors_ = run.history["error"]
        self.dual_ = np.zeros(len(signs))
        self.dual_[used] = run.dual
        self.margins_ = run.margins if len(used) == len(signs) else signs * self._votes(rows)

    # -- for checks from outside -----------------------------------------------------------------

    def training_set(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Labels and weights that a fit to these rows learns from: those given.

        A classifier that judges its rows before it learns from them returns what it makes of them.

        Returns
        -------
        y, sample_weight
        """
        rows, index = self._read_labelled(X, y)
        return self.classes_[index], read_weights(sample_weight, rows.n_rows)

    def problem_on(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """What a fit of this model of two classes to these rows has to solve.

        With it anybody can check ``certificate_`` without trust in the fit. What fit chose is as it
        chose it; labels and weights are those given (see :meth:`training_set`).
        """
        rows, signs = self._encode(X, y)
        weights = read_weights(sample_weight, rows.n_rows)
        return self._pose(rows, signs, weights, np.flatnonzero(weights > 0))

    # -- predictions -----------------------------------------------------------------------------

    def _votes(self, rows: Table | BinnedMatrix) -> Array:
        if self._reduced:
            scores = [problem._scores(rows) for problem in self.problems_]
            lengths = [problem.ensemble_.l1_norm for problem in self.problems_]
            return self._decoder(np.column_stack(scores), self._divisors(np.array(lengths)))
        return np.clip(self._scores(rows) / (self.ensemble_.l1_norm or 1.0), -1.0, 1.0)

    def _divisors(self, lengths: Array) -> Array:
        """What the scores of several problems are divided by to be votes."""
        return np.full(len(lengths), lengths.max()) if self._one_scale else lengths

    @property
    def _decoder(self) -> Decoder:
        return Decoder(self.code_, self._decoding)

    def decision_function(self, X: Any) -> Array:
        """Normalised vote ``Σ α h(x) / Σ|α|``, in [-1, 1]; positive for the second class.

        With more than two classes one column a class: the vote of the class against all others.
        """
        return self._votes(self._read_rows(X))

    def predict(self, X: Any) -> Array:
        """Class of each row, that with the largest vote; a tie goes to the first class.

        That is scikit-learn's convention; Rätsch's thesis gives a tie to the positive class (X01).
        """
        return self._classes_of(self.decision_function(X))

    def _classes_of(self, votes: Array) -> Array:
        if votes.ndim == 2:
            return self.classes_[(votes > votes.max(axis=1, keepdims=True) - TIE).argmax(axis=1)]
        return self.classes_[(votes > 0).astype(int)]

    def predict_proba(self, X: Any) -> Array:
        """Probabilities by the link of the exponential loss, ``P(second) = 1 / (1 + exp(-2F))``.

        ``F = Σ α h(x)`` is the score before normalising. The exponential loss is smallest where F
        is half the log-odds; a model that maximises margins pushes F far out, and its
        probabilities to 0 and 1. ``sklearn.calibration.CalibratedClassifierCV`` works on the votes.
        With more than two classes the odds of each class are those of its vote.
        """
        rows = self._read_rows(X)
        if self._reduced:
            return self._class_chances(self._votes(rows), self._longest.ensemble_.l1_norm)
        return self._probabilities(self._scores(rows))

    @property
    def _longest(self) -> Self:
        """The problem of largest Σ|α|."""
        return max(self.problems_, key=lambda problem: problem.ensemble_.l1_norm)

    def _class_chances(self, votes: Array, length: float) -> Array:
        combine = class_shares if self._one_scale else class_probabilities
        return combine(self._longest._probabilities, votes, length)

    def _probabilities(self, scores: Array) -> Array:
        return np.column_stack([expit(-2.0 * scores), expit(2.0 * scores)])

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Normalised votes after 1, 2, … hypotheses (of each problem, with several classes)."""
        for votes, _ in self._staged(self._read_rows(X)):
            yield votes

    def _staged(self, rows: Table | BinnedMatrix) -> Iterator[tuple[Array, float]]:
        """Votes and Σ|α| after 1, 2, … hypotheses."""
        if self._reduced:
            yield from self._staged_problems(rows)
            return
        lengths = np.cumsum(np.abs(self.estimator_weights_))
        for score, length in zip(self.ensemble_.staged_scores(rows), lengths, strict=True):
            yield np.clip(score / length, -1.0, 1.0), length

    def _staged_problems(self, rows: Table | BinnedMatrix) -> Iterator[tuple[Array, float]]:
        """All problems in step; one that has no more hypotheses stays as it is."""
        stages = [problem.ensemble_.staged_scores(rows) for problem in self.problems_]
        scores = np.zeros((rows.n_rows, len(stages)))
        lengths = np.zeros(len(stages))
        for t in range(max(len(problem.ensemble_) for problem in self.problems_)):
            for s, problem in enumerate(self.problems_):
                if t < len(problem.ensemble_):
                    scores[:, s] = next(stages[s])
                    lengths[s] += abs(problem.ensemble_.coef[t])
            yield self._decoder(scores, self._divisors(lengths)), float(lengths.max())

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Classes after 1, 2, … hypotheses."""
        for votes in self.staged_decision_function(X):
            yield self._classes_of(votes)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses."""
        rows = self._read_rows(X)
        if self._reduced:
            for votes, length in self._staged(rows):
                yield self._class_chances(votes, length)
            return
        for scores in self.ensemble_.staged_scores(rows):
            yield self._probabilities(scores)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after 1, 2, … hypotheses."""
        labels = np.asarray(y)
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == labels, weights=sample_weight))

    def margins(self, X: Any, y: Any) -> Array:
        """Margin ``y F(x) / Σ|α|`` of each row, in [-1, 1]; positive if it is classified right.

        With more than two classes half the lead of the own class's vote over the best other one.
        """
        rows, index = self._read_labelled(X, y)
        votes = self._votes(rows)
        return multiclass_margins(votes, index) if votes.ndim == 2 else (2 * index - 1) * votes

    # -- the model -------------------------------------------------------------------------------

    def to_onnx(self) -> Any:
        """ONNX model with outputs ``label``, ``probabilities`` and ``vote`` (extra ``onnx``)."""
        if self._reduced:
            raise TypeError(
                f"to_onnx: got a model of {len(self.classes_)} classes as several problems, "
                "expected one run; each model in problems_ can be exported"
            )
        return super().to_onnx()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")


def vote_share(scores: Array, length: float) -> Array:
    """Probabilities as shares of the vote, for models whose scores are no log-odds."""
    votes = np.clip(scores / (length or 1.0), -1.0, 1.0)
    return np.column_stack([(1.0 - votes) / 2.0, (1.0 + votes) / 2.0])
