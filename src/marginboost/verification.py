"""Check a model's certificate against data, without trust in the run that made it.

The objective v(α) of a combination (its smallest margin, or its soft margin) and the largest edge
γ(d) under admissible example weights d bracket the best possible value by duality (R1-Q17, R2-A3):

    v(α)  <=  best  <=  max_h Σ_i d_i y_i h(x_i)    for all α, and all d with Σd = 1 under the caps.

So anybody can check a certificate with the data at hand: evaluate the model for one side, find some
weights for the other. The weights come from a fresh linear program; how they were found does not
matter, since their largest edge is summed up anew, in plain NumPy, over every stump there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .algorithms.lp_regression import LPRegression
from .algorithms.lpboost import LPBoost
from .algorithms.lpboost_regressor import LPBoostRegressor
from .algorithms.multiclass import MulticlassBooster
from .core.callbacks import Callback
from .core.certificate import Certificate
from .core.objective import Margin, SoftMargin
from .core.oracle import Oracle
from .core.run import Run, train
from .core.sample import Sample
from .core.state import State
from .estimators.base import algorithm_of, check_on, rule_of
from .estimators.classifier import BaseMarginClassifier
from .estimators.fitted import ClassifierOutputs
from .fitting.inputs import read_labels, read_targets, read_weights, weigh_classes
from .kernels.reference import best_category, best_threshold, histogram
from .model import BinaryModel, LabelModel, ReducedModel
from .oracles.stumps import StumpOracle
from .solvers.masters.problem import caps
from .types import Array

ROUNDING = 1e-8
"""Room for sums of floating-point numbers in another order."""

MAX_ROUNDS = 1000


@dataclass(frozen=True, repr=False)
class Verification:
    """What was found anew.

    Attributes
    ----------
    objective : str
        What the bounds are about.
    margins : array
        Margin of each row; of a regressor, its residual.
    value : float
        Objective of the model.
    lower, upper : float
        Bounds on the best possible value; ``upper`` is infinite where nothing proves one.
    contradictions : list of str
        Where the stored certificate and the new numbers contradict each other.
    remark : str
        What could not be checked, and why; empty if all was.
    """

    objective: str
    margins: Array
    value: float
    lower: float
    upper: float
    contradictions: list[str]
    remark: str

    def __repr__(self) -> str:
        bounds = f"{self.lower:.6g} <= optimum <= {self.upper:.6g}"
        known = f"{self.objective} {self.value:.6g}, {bounds}"
        found = "the certificate holds" if self.holds else "; ".join(self.contradictions)
        return f"<Verification: {known}; {found}{'; ' if self.remark else ''}{self.remark}>"

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the certificate."""
        return not self.contradictions


def verify(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    tol: float | None = None,
    callbacks: Sequence[Callback] = (),
) -> Any:
    """Compute margins and bounds from scratch and compare them with the model's certificate.

    Parameters
    ----------
    model : classifier of this package, or LPBoostRegressor
        Fitted, or loaded from a file; of two classes, or of several by way of two.
    X, y, sample_weight
        The rows, labels and weights that it was fitted to.
    tol : float, optional
        Width at which the new bracket is narrow enough; by default the gap of the certificate,
        between 1e-6 and 1e-3.
    callbacks : sequence of Callback
        For the new linear program.

    Returns
    -------
    Verification
        With more than two classes a list, one per problem, as ``certificate_`` is.

    Raises
    ------
    TypeError
        If no independent check is known for such a model.

    Examples
    --------
    >>> from marginboost import LPBoostClassifier, verify
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(100)
    >>> model = LPBoostClassifier(nu=0.3).fit(X, y)
    >>> verify(model, X, y).holds
    True
    >>> verify(model, X, -y).contradictions[0]
    'the model attains ... on these rows, not ...
    """
    check_verifiable(model)
    if isinstance(model, LPBoostRegressor):
        return _verify_regression(model, X, y, sample_weight, tol, callbacks)
    solver = model.estimator_ if isinstance(model, MulticlassBooster) else model
    labels, weights = _learnt_labels(solver, X, y, sample_weight)
    if not solver.model_.reduced:
        return _verify_problem(solver, X, labels, weights, tol, callbacks)
    index = np.searchsorted(solver.classes_, labels)
    return [
        _verify_problem(problem, X, sides[index], weights, tol, [copy(c) for c in callbacks])
        for problem, sides in zip(solver.problems_, solver.code_.T, strict=True)
    ]


def _learnt_labels(solver: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array]:
    """Labels and weights that a fit to these rows learns from: those given, by class.

    A classifier that judges its rows before it learns from them says what it makes of them.
    """
    if hasattr(solver, "__training_set__"):
        found: tuple[Array, Array] = solver.__training_set__(X, y, sample_weight)
        return found
    labels = read_labels(y, len(y))
    weights = read_weights(sample_weight, len(labels))
    return labels, weigh_classes(solver.class_weight, labels, weights)


@dataclass(frozen=True)
class RegressorVerification:
    """What a check of a regressor's certificate found.

    Attributes
    ----------
    objective : str
        What is measured.
    residuals : array
        Targets minus predictions.
    value : float
        Objective of the model, computed anew.
    lower, upper : float
        What these rows prove about the best value: the model itself is one that attains ``value``.
    contradictions : list of str
        Where the stored certificate and the new numbers contradict each other.
    precision : float
        How close numbers must be to count as equal.
    """

    objective: str
    residuals: Array = field(repr=False)
    value: float
    lower: float
    upper: float
    contradictions: list[str]
    precision: float
    remark: str = "the upper bound is not computed anew; the model's own value is a lower one"

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the certificate."""
        return not self.contradictions


def verify_regressor(
    model: Any, X: Any, y: Any, sample_weight: Any = None
) -> RegressorVerification:
    """Compute the objective of a regressor from scratch and compare it with its certificate.

    Parameters
    ----------
    model : regressor of this package
        Fitted, or loaded from a file.
    X, y, sample_weight
        The rows, targets and weights that it was fitted to.

    Examples
    --------
    >>> from marginboost import LSBoostRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = LSBoostRegressor(n_estimators=5).fit(X, X[:, 0] ** 2)
    >>> verify_regressor(model, X, X[:, 0] ** 2).holds
    True
    >>> verify_regressor(model, X, X[:, 0]).holds
    False
    """
    check_is_fitted(model)
    targets, weights = read_targets(y, X.shape[0]), read_weights(sample_weight, X.shape[0])
    used, predicted = weights > 0.0, model.predict(X)
    sample = Sample.of_targets(targets[used], weights[used])
    rule, state = rule_of(model, sample), State(sample)
    rule.start(state)
    value = rule.value_of(predicted[used], rule.norm(model.ensemble_), sample)
    stored, precision = model.certificate_, 1e-7
    lies = []
    if abs(value - stored.value) > precision * max(1.0, abs(value)):
        lies.append(f"the model attains {value:.8g} on these rows, not {stored.value:.8g}")
    if value > stored.upper + precision:
        lies.append(f"the model attains {value:.8g}, above the stored bound {stored.upper:.8g}")
    residuals = targets - predicted
    name = rule.objective.name
    return RegressorVerification(name, residuals, value, value, stored.upper, lies, precision)


def check_verifiable(model: Any) -> None:
    """Raise TypeError for a model whose certificate cannot be checked in this way."""
    check_is_fitted(model)
    if isinstance(model, LPBoostRegressor):
        return
    fitted = model.model_ if isinstance(model, ClassifierOutputs) else None
    two = isinstance(fitted, BinaryModel) and not isinstance(fitted, LabelModel)
    if not (two or (isinstance(fitted, ReducedModel) and fitted.code.all())):
        raise TypeError(f"no independent check is known for {type(model).__name__}")


def _verify_problem(
    model: BaseMarginClassifier,
    X: Any,
    y: Array,
    weights: Array,
    tol: float | None,
    callbacks: Sequence[Callback],
) -> Verification:
    """Check the certificate of a model of two classes."""
    sample, oracle, rule = check_on(model, X, y, weights)
    state = State(sample)
    rule.start(state)  # some objectives need to know the rows
    value = rule.value(state)  # of the empty model
    if len(model.ensemble_):
        outcomes = sample.y * sample.scores(model.ensemble_)
        value = rule.value_of(outcomes, rule.norm(model.ensemble_), sample)
    lies: list[str] = []
    lower, upper, remark = value, np.inf, ""
    if not oracle.exact:
        remark = f"{oracle.class_name}: not all can be tried, so nothing proves an upper bound"
    elif not algorithm_of(model).is_vote:
        remark = "no vote of the base learner's hypotheses: bounds on votes say nothing of it"
    elif not isinstance(rule.objective, Margin | SoftMargin):
        remark = f"no independent bound is known for the {rule.objective.name}"
    else:
        nu = rule.objective.nu
        width = min(max(model.certificate_.gap, 1e-6), 1e-3) if tol is None else tol
        run = _solve_anew(sample, oracle, nu, width, callbacks)
        lower = max(value, run.certificate.value)
        upper, lies = _largest_edge(run, oracle, nu)
    found = _contradictions(model.certificate_, oracle.exact, value, lower, upper)
    margins = model.margins(X, y)
    return Verification(rule.objective.name, margins, value, lower, upper, [*lies, *found], remark)


def _verify_regression(
    model: LPBoostRegressor,
    X: Any,
    y: Any,
    sample_weight: Any,
    tol: float | None,
    callbacks: Sequence[Callback],
) -> Verification:
    """Check the certificate of a regression with a tube."""
    sample, oracle, rule = check_on(model, X, y, sample_weight)
    assert isinstance(rule, LPRegression)
    problem = rule.make_problem(sample)
    scores = sample.scores(model.ensemble_)
    value = rule.value_of(scores, rule.norm(model.ensemble_), sample)
    lies: list[str] = []
    lower, upper, remark = value, np.inf, ""
    if not oracle.exact:
        remark = f"{oracle.class_name}: not all can be tried, so nothing proves an upper bound"
    else:
        width = min(max(model.certificate_.gap, 1e-6), 1e-3) if tol is None else tol
        fresh = rule_of(model, sample)
        plain = StumpOracle(oracle.categorical) if isinstance(oracle, StumpOracle) else oracle
        run = train(sample, plain, fresh, max_rounds=MAX_ROUNDS, tol=width, callbacks=callbacks)
        lower = max(value, run.certificate.value)
        dual = problem.balanced(run.dual)
        edge, lies = _checked_edge(sample, oracle, dual)
        upper = rule.upper_of(dual, edge)
    found = _contradictions(model.certificate_, oracle.exact, value, lower, upper)
    name = rule.objective.name
    return Verification(name, sample.y - scores, value, lower, upper, [*lies, *found], remark)


def _solve_anew(
    sample: Sample, oracle: Oracle, nu: float | None, tol: float, callbacks: Sequence[Callback]
) -> Run:
    """Solve the linear program; stumps are looked for by the package's own search."""
    if isinstance(oracle, StumpOracle):
        oracle = StumpOracle(oracle.categorical)
    rule = LPBoost(nu)
    return train(sample, oracle, rule, max_rounds=MAX_ROUNDS, tol=tol, callbacks=callbacks)


def _largest_edge(run: Run, oracle: Oracle, nu: float | None) -> tuple[float, list[str]]:
    """Largest edge under the run's last weights, made admissible, over all hypotheses.

    Of stumps it is summed up anew, and compared with what the model's base learner says.
    """
    weights = np.minimum(np.abs(run.dual), caps(run.sample.prior, nu))
    dual = run.sample.y * (weights / weights.sum())
    excess = float((np.abs(dual) / caps(run.sample.prior, nu)).max())
    if excess > 1.0 + ROUNDING:
        return np.inf, []
    return _checked_edge(run.sample, oracle, dual)


def _checked_edge(sample: Sample, oracle: Oracle, dual: Array) -> tuple[float, list[str]]:
    """Largest edge under signed weights; of stumps, summed up anew and compared."""
    said = float(oracle.bind(sample).best(dual)[0].edge)
    if not isinstance(oracle, StumpOracle):
        return said, []
    edge = _largest_stump_edge(sample, dual, oracle.categorical)
    if abs(edge - said) <= ROUNDING:
        return edge, []
    return edge, [
        f"the base learner says that the largest edge is {said:.6g}, but it is {edge:.6g}"
    ]


def _largest_stump_edge(sample: Sample, dual: Array, categorical: str) -> float:
    """Largest edge of all stumps, feature by feature, in plain NumPy."""
    bins = sample.bins
    assert bins is not None
    edges = []
    for codes, n_bins, known in zip(bins.codes, bins.n_bins, bins.categories, strict=True):
        sums = histogram(codes, dual, n_bins + 1)
        if known is None:
            edges.append(best_threshold(sums, n_bins)[0])
        elif categorical == "equality":
            edges.append(best_category(sums, n_bins)[0])
        else:
            edges.append(float(np.abs(sums).sum()))
    return max(edges)


def _contradictions(
    stored: Certificate, exact: bool, value: float, lower: float, upper: float
) -> list[str]:
    """Sentences about what cannot be true; none if the certificate holds."""
    problems = []
    if not abs(stored.value - value) <= ROUNDING:
        problems.append(
            f"the model attains {value:.6g} on these rows, not {stored.value:.6g}: other rows, "
            "labels or weights than those it was fitted to, or a changed file"
        )
    if stored.lower > stored.upper + ROUNDING:
        problems.append(
            f"the lower bound {stored.lower:.6g} is above the upper bound {stored.upper:.6g}"
        )
    if stored.certified and not exact:
        problems.append("the bounds are said to be proven, but the base learner cannot prove any")
    if stored.value > stored.lower + ROUNDING:
        problems.append(f"the lower bound {stored.lower:.6g} is below what the model attains")
    if stored.certified and stored.upper < lower - ROUNDING:
        problems.append(f"{lower:.6g} is attainable, so {stored.upper:.6g} is not an upper bound")
    if stored.lower > upper + ROUNDING:
        problems.append(
            f"nothing above {upper:.6g} is attainable, so {stored.lower:.6g} is not a lower bound"
        )
    return problems
