"""scikit-learn's contract of classifiers, once: labels, two classes, several by way of two."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ..core.callbacks import Encoder
from ..core.objective import Objective
from ..core.oracle import Oracle
from ..core.parts import PartedSample, Parts
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..model import (
    BinaryModel,
    ClassModel,
    Features,
    FittedRun,
    Link,
    LogisticLink,
    Model,
    ReducedModel,
    VoteLink,
)
from ..model.features import FeatureRows
from ..types import Array
from .base import COMMON_PARAMETERS, BaseBooster, document
from .calibration import ANY_GAP, LEAST_GAP
from .fit_link import fit_link
from .fitted import ClassifierOutputs
from .held_back import HeldBack
from .inputs import (
    check_class_weight,
    class_positions,
    distinct_labels,
    known_positions,
    read_labels,
    read_weights,
    weigh_classes,
)
from .multiclass import ONE_VS_REST, Reduction, solve_problems
from .training_set import NOTHING_GIVEN, SIGNS, Given, TrainingSet

__all__ = ["BaseMarginClassifier", "Problem", "TrainingSet", "document", "learn_classes"]

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


class Problem(NamedTuple):
    """What a fit solves: rows with labels ±1 and weights, base learner, algorithm.

    ``used`` are the rows of ``data`` that are in the sample; they may be a slice of all of them.
    """

    sample: Sample
    oracle: Oracle
    rule: Rule
    data: TrainingSet
    used: Array | slice


class BaseMarginClassifier(ClassifierOutputs, ClassifierMixin, BaseBooster):
    """What every classifier of the package shares.

    A subclass stores its parameters and says in ``make_rule`` which algorithm they mean. It is
    about two classes; more are reduced to problems of two, each solved by a copy of the classifier
    (``problems_``), by default each class against all others: that has the fewest problems, and a
    certificate and an explanation for each class. docs/multiclass.md has measurements of others.
    """

    registry: ClassVar[dict[str, type[BaseMarginClassifier]]] = {}
    common_text = CLASS_WEIGHT + COMMON_PARAMETERS
    fitted_text = FITTED_ATTRIBUTES
    fewest_rows = "2 (one of each class)"
    model_type: ClassVar[type[Model]] = BinaryModel
    model_: ClassModel
    common_scale: ClassVar[bool] = False
    """Whether scores are log-odds or the like, which compare between problems as they are."""
    link: ClassVar[Link] = LogisticLink(2.0)
    """From scores to probabilities: here by the exponential loss. Where it depends on parameters,
    a subclass makes it in ``make_link``."""
    is_vote: ClassVar[bool] = True
    """Whether the model is a vote of the base learner's hypotheses, which bounds speak of."""

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
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            tol=tol,
            max_bins=max_bins,
            categorical_features=categorical_features,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def check_parameters(self) -> None:
        """Raise for settings that no rows could make good, before any are read."""
        super().check_parameters()
        check_class_weight(self.class_weight)

    def make_link(self) -> Link:
        """From scores to probabilities."""
        return self.link

    def fits_link(self) -> bool:
        """Whether probabilities come from votes compared with labels: scores are no log-odds."""
        return isinstance(self.make_link(), VoteLink)

    def model_parts(self, n_classes: int, chosen: Mapping[str, float]) -> tuple[type[Model], Link]:
        """Type and link of a model of one run in which fit chose this: what a file leaves out."""
        return self.model_type, self.make_link()

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
        return self.fit_reduction(X, y, sample_weight, ONE_VS_REST)

    def fit_reduction(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        reduction: Reduction,
        given: Given = NOTHING_GIVEN,
    ) -> Self:
        """Fit the model; more than two classes are reduced to two in this way."""
        oracle = self.checked_oracle()
        rows, features = self._learn_rows(X, y)
        labels = read_labels(y, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        self.learn_rows(rows, features, labels, weights, oracle, reduction, given)
        return self

    def learn_rows(
        self,
        rows: FeatureRows,
        features: Features,
        labels: Array,
        weights: Array,
        oracle: Oracle,
        reduction: Reduction,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """Learn from rows, labels and weights that are read; classes may have weights too."""
        weights = weigh_classes(self.class_weight, labels, weights)
        classes = learn_classes(labels, weights)
        index = class_positions(classes, labels)
        data = self.extend(TrainingSet(features, rows, classes, index, weights), given)
        self._forget()
        self.learn(data, oracle, reduction)

    def fit_parts(
        self,
        features: Features,
        bins: BinnedMatrix,
        classes: Array,
        parts: Parts,
        held: HeldBack | None = None,
    ) -> Self:
        """Fit the model to rows in parts, whose labels are positions of classes, which are sorted.

        Of ``bins`` only the cuts are read. There are no ``dual_`` and ``margins_`` then. ``held``
        are the rows held back from a second fit, from which probabilities come where scores are no
        log-odds; None takes them from the parts, as bins.
        """
        oracle = self.oracle_for_parts()
        self._forget()
        self.set_features(features)
        layout, nothing = bins.take(np.empty(0, np.int64)), np.empty(0, np.int64)
        weights = np.empty(0)
        data = TrainingSet(features, layout, classes, nothing, weights, parts=parts, held=held)
        self.learn(data, oracle, ONE_VS_REST)
        for known in ("dual_", "margins_"):
            delattr(self, known)
        return self

    def extend(self, data: TrainingSet, given: Given) -> TrainingSet:
        """Put what else a fit is given with its rows; here nothing is."""
        return data

    def learn(self, data: TrainingSet, oracle: Oracle, reduction: Reduction) -> None:
        """Learn from checked rows; where scores are no log-odds, compare votes with labels too."""
        if len(data.classes) == 2:
            if reduction is not ONE_VS_REST:
                reduction.check_two_classes()
            self.solve(data.of_signs(), oracle, self._encoder(data))
        else:
            self._learn_several(data, oracle, reduction)
        if self.fits_link():
            model = self.model_
            assert isinstance(model, BinaryModel | ReducedModel)
            smaller = partial(self._learn_again, data, oracle)
            self.model_ = replace(model, link=fit_link(data, model, smaller, self.n_jobs))

    def _learn_several(self, data: TrainingSet, oracle: Oracle, reduction: Reduction) -> None:
        """Learn more than two classes by way of two."""
        code, problems = solve_problems(self, data, oracle, reduction)
        self.model_ = ReducedModel(
            name=type(self).__name__,
            features=data.features,
            chosen=self._chosen(),
            classes=data.classes,
            code=code,
            decoding=reduction.decoding,
            problems=tuple(_two_classes(problem) for problem in problems),
            common_scale=self.common_scale,
        )
        self.problems_ = problems
        self.dual_ = [problem.dual_ for problem in problems]
        self.margins_ = self.model_.margins(data.rows, data.labels, self.n_jobs)

    def solve(
        self,
        data: TrainingSet,
        oracle: Oracle,
        encode: Encoder,
        bins: BinnedMatrix | None = None,
    ) -> None:
        """Run the algorithm on rows of signs ±1 and keep the model; rows of sign 0 are left out.

        ``bins`` are those of the rows with weight, where they are already made.
        """
        used = np.flatnonzero(data.used)
        sample = self._make_sample(data, used, oracle, bins)
        self.prepare(sample, oracle)
        problem = self.build_problem(data, used, sample, oracle)
        if len(used) == len(data.labels):  # rows may be many: no list of all of them is kept
            problem = problem._replace(used=slice(None))
        del used
        run = self._train(sample, oracle, problem.rule, encode, self.start_of(data))
        self.store(self.conclude(run), problem)

    def conclude(self, run: Run) -> Run:
        """Make the model of what a run found: here its vote."""
        return run

    def _learn_again(self, data: TrainingSet, oracle: Oracle, held: HeldBack) -> ClassModel | None:
        """Model of some rows, in all else like that of all rows; None where they are too few."""
        learn, weights = held.learners, held.learning_weights()
        rows, bins = held.rows.take(learn), None
        labels = held.labels[learn]
        part = replace(data, rows=rows, labels=labels, weights=weights, parts=None)
        if isinstance(rows, Table) and oracle.needs_bins:
            bins = self.bin_rows(rows, weights)
        try:
            if not isinstance(self.model_, ReducedModel):
                return self.solve_again(part.of_signs(), oracle, bins, held.n_rows)
            pairs = zip(self.problems_, self.model_.code.T, strict=True)
            smaller = tuple(
                p.solve_again(part.of_sides(s), oracle, bins, held.n_rows) for p, s in pairs
            )
            return replace(self.model_, problems=smaller)
        except ValueError:  # a ν that so few rows do not allow
            return None

    def solve_again(
        self, data: TrainingSet, oracle: Oracle, bins: BinnedMatrix | None, n_rows: int
    ) -> BinaryModel:
        """Fit other rows of signs ±1 with the same settings, what fit chose, and as many rounds.

        ``n_rows`` are those that the model was fitted to.
        """
        used = np.flatnonzero(data.used)
        sample = self._make_sample(data, used, oracle, bins)
        rule = self.build_problem(data, used, sample, oracle).rule
        # One that began with many hypotheses had few rounds.
        found = -(-len(self.estimators_) // rule.columns_per_round)
        rounds, tol = max(1, self.n_iter_, found), self.tolerance()
        if rule.begin_like(n_rows, found > self.n_iter_, sample):
            rounds, tol = 1, ANY_GAP
        tol = None if tol is None else max(tol, LEAST_GAP)
        run = train(sample, oracle, rule, max_rounds=rounds, tol=tol)
        return replace(_two_classes(self), run=FittedRun.of(self.conclude(run)))

    def build_problem(
        self, data: TrainingSet, used: Array, sample: Sample, oracle: Oracle
    ) -> Problem:
        """Put together what a run on this sample solves."""
        return Problem(sample, oracle, self.make_rule(sample), data, used)

    def _make_sample(
        self, data: TrainingSet, used: Array, oracle: Oracle, bins: BinnedMatrix | None = None
    ) -> Sample:
        """Make the sample of the rows ``used``; ``bins`` are those of all rows with weight."""
        if data.parts is not None:
            assert isinstance(data.rows, BinnedMatrix)
            return PartedSample.of(data.parts, data.rows, data.sides, self._seed())
        if bins is not None and len(used) < bins.n_rows:
            bins = bins.take(np.searchsorted(np.flatnonzero(data.weights > 0), used))
        parts = self._sample_parts(data.rows, data.weights, used, oracle, bins)
        return Sample.of_labels(data.labels[used], data.weights[used], **parts)

    def store(self, run: Run, problem: Problem) -> None:
        """Keep the model, and what is known about the training rows."""
        data, used = problem.data, problem.used
        self.model_ = BinaryModel(
            name=type(self).__name__,
            features=data.features,
            chosen=self._chosen(),
            classes=data.classes,
            run=FittedRun.of(run),
            link=self.make_link(),
        )
        self.dual_, self.margins_ = run.dual, run.margins
        if not isinstance(used, slice) and len(used) < len(data.labels):
            self.dual_ = np.zeros(len(data.labels))
            self.dual_[used] = run.dual
            self.margins_ = data.labels * self.model_.votes(data.rows, self.n_jobs)

    def _encoder(self, data: TrainingSet, sides: Array | None = None) -> Encoder:
        """Encode other data for a problem: rows of the classes on either side, and their signs."""
        signs_of = SIGNS if sides is None else sides

        def encode(X: Any, y: Any) -> tuple[FeatureRows, Array]:
            rows = self._read_with(data.features, X)
            signs = signs_of[known_positions(data.classes, read_labels(y, rows.n_rows))]
            used = np.flatnonzero(signs)
            return (rows if len(used) == len(signs) else rows.take(used)), signs[used]

        return encode

    # -- several classes -------------------------------------------------------------------------

    def solve_side(
        self,
        data: TrainingSet,
        sides: Array,
        oracle: Oracle,
        bins: BinnedMatrix | None,
        random_state: int,
    ) -> Self:
        """Solve one problem of two sides with a copy of this classifier."""
        problem = self.problem_copy(data.features, random_state=random_state)
        problem.solve(data.of_sides(sides), oracle, self._encoder(data, sides), bins)
        return problem

    def problem_copy(self, features: Features, **changed: Any) -> Self:
        """Copy for one problem of two classes, which knows the features but has not learnt yet."""
        callbacks = [copy.copy(callback) for callback in self.callbacks or ()]
        problem = type(self)(
            **{**self.get_params(deep=False), "callbacks": callbacks or None, **changed}
        )
        problem.set_features(features)
        return problem

    def restore(self, model: Model) -> Self:
        """Take up a fitted model, such as that of a file; the training rows are not in it."""
        super().restore(model)
        if isinstance(model, ReducedModel):
            self.problems_ = [
                self.problem_copy(model.features).restore(part) for part in model.problems
            ]
        return self

    # -- for checks from outside -----------------------------------------------------------------

    def smallest_sample(self) -> Sample:
        """One row of each sign."""
        return Sample.of_labels(np.array([-1, 1]))

    def objective(self) -> Objective:
        """What the bounds of the fitted model are about; of several problems the same for all."""
        if isinstance(getattr(self, "model_", None), ReducedModel):
            return self.problems_[0].objective()
        return super().objective()

    def encode(self, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Rows and ±1 labels of data other than the training data, for a model of two classes."""
        rows, index = self._read_labelled(X, y)
        return rows, (2 * index - 1).astype(np.int8)

    def training_set(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Labels and weights that a fit to these rows learns from: those given, by class.

        A classifier that judges its rows before it learns from them returns what it makes of them.

        Returns
        -------
        y, sample_weight
        """
        rows, index = self._read_labelled(X, y)
        labels, weights = self.classes_[index], read_weights(sample_weight, rows.n_rows)
        return labels, weigh_classes(self.class_weight, labels, weights)

    def problem_on(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """What a fit of this model of two classes to these rows has to solve.

        With it anybody can check ``certificate_`` without trust in the fit. What fit chose is as it
        chose it; labels and weights are those given (see :meth:`training_set`).
        """
        rows, signs = self.encode(X, y)
        weights = read_weights(sample_weight, rows.n_rows)
        data = TrainingSet(self.model_.features, rows, self.classes_, signs, weights)
        used, oracle = np.flatnonzero(weights > 0), self.make_oracle()
        return self.build_problem(data, used, self._make_sample(data, used, oracle), oracle)


def _two_classes(problem: BaseMarginClassifier) -> BinaryModel:
    """Return the model of a problem of two classes."""
    assert isinstance(problem.model_, BinaryModel)
    return problem.model_


def learn_classes(labels: Array, weights: Array) -> Array:
    """Classes of the rows that count."""
    classes = distinct_labels(labels if weights.all() else labels[weights > 0])
    if len(classes) == 1:
        raise ValueError(
            f"y: got one class ({classes.tolist()[0]!r}) among the rows of positive weight, "
            "expected two classes or more"
        )
    return classes
