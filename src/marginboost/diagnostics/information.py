"""Information criteria along a run: when to stop without a validation set (CH-A0a, CH-A0b).

With L the negative log-likelihood of a stage, k its degrees of freedom and n the number of rows,
weights counted:

    AIC = 2 L + 2 k        BIC = 2 L + k log n        AICc = AIC + 2 k (k + 1) / (n - k - 1)

L is that of the normal distribution with the variance of the residuals for regressors,
``2 L = n (1 + log(2π RSS / n))``, and that of the predicted probabilities for classifiers.

Degrees of freedom are an estimate, since hypotheses are chosen by the same data. There are two:

distinct
    the number of different hypotheses, a hypothesis and its negative being one: what a fit of all
    their coefficients at once would have. It ignores the search among hypotheses, and that small
    steps use up less.
trace
    of regressors with squared loss, the trace of the operator that takes the targets to the
    predictions, hypotheses as chosen: ``B_t = I - (I - ν H_t)(I - B_{t-1})`` with H_t the
    projection onto the hypothesis, or the means over the leaves of a tree (Bühlmann & Yu 2003). It
    counts steps in full, but not the search either. It needs a matrix of n × n numbers.

References: Bühlmann & Hothorn, *Boosting algorithms: regularization, prediction and model fitting*,
2007; Hurvich, Simonoff & Tsai 1998.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from ..core.callbacks import Callback, keep_lowest
from ..core.hypothesis import Hypothesis
from ..core.labels import LabelSample
from ..core.stop import Stop
from ..losses import Squared, as_loss
from ..model import ClassModel
from ..oracles.tree_hypothesis import Tree
from ..types import Array
from ..validation import check_choice, check_number
from .arrays import vector

if TYPE_CHECKING:
    from ..core.oracle import Oracle
    from ..core.rule import Rule
    from ..core.state import State

CRITERIA = ("aic", "bic", "aicc")
FREEDOMS = ("distinct", "trace")


def information_criterion(
    model: Any,
    X: Any,
    y: Any,
    criterion: str = "aic",
    *,
    freedom: str = "distinct",
    sample_weight: Any = None,
) -> Array:
    """Criterion after 1, 2, … hypotheses; the stage to keep is the smallest.

    Parameters
    ----------
    model : fitted regressor or classifier of this package
        A classifier should be one whose probabilities are a likelihood: logistic or exponential
        loss. Of a regressor, residuals are taken as normal.
    X, y : array-like
        The training rows, and their targets or labels.
    criterion : {"aic", "bic", "aicc"}
        Which one.
    freedom : {"distinct", "trace"}
        Degrees of freedom, see :func:`degrees_of_freedom`.
    sample_weight : array-like, optional
        Weights as given to ``fit``: numbers of copies.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import L2BoostRegressor, LinearOracle
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = L2BoostRegressor(LinearOracle(), n_estimators=200).fit(X, y)
    >>> stages = information_criterion(model, X, y, "bic", freedom="trace")
    >>> bool(0 < stages.argmin() < 200)
    True
    """
    check_choice("criterion", criterion, CRITERIA)
    counts = _counts(sample_weight, len(np.asarray(y)))
    deviances = np.array(list(_staged_deviance(model, X, np.asarray(y), counts)))
    used = degrees_of_freedom(model, X, freedom=freedom, sample_weight=sample_weight)
    n = float(counts.sum())
    return np.array([_criterion(criterion, d, k, n) for d, k in zip(deviances, used, strict=True)])


def degrees_of_freedom(
    model: Any, X: Any = None, *, freedom: str = "distinct", sample_weight: Any = None
) -> Array:
    """Degrees of freedom after 1, 2, … hypotheses.

    Parameters
    ----------
    model : fitted model of this package
        Several problems of two classes are added up.
    X : array-like
        The training rows; only the trace reads them.
    freedom : {"distinct", "trace"}
        The number of different hypotheses, or the trace of the boosting operator.
    sample_weight : array-like, optional
        Weights as given to ``fit``.
    """
    check_choice("freedom", freedom, FREEDOMS)
    if freedom == "trace":
        return np.array(list(_staged_trace(model, X, sample_weight)))
    runs = [run.ensemble.members for run in model.model_.runs]
    n_stages = max(map(len, runs))
    total = np.zeros(n_stages)
    for members in runs:
        kinds = np.maximum.accumulate(_Ids().of(members)) + 1  # numbered as they first appear
        total += np.append(kinds, np.full(n_stages - len(kinds), kinds[-1]))
    return total


class InformationStopping(Callback):
    """End a run when an information criterion stops falling; keep its best round.

    For regressors, and for classifiers of two classes whose scores are log-odds (logistic and
    exponential loss, with the link of the loss). No validation rows are needed. Degrees of freedom
    are the number of different hypotheses.

    Parameters
    ----------
    criterion : {"aic", "bic", "aicc"}
        Which one.
    patience : int or None
        Rounds without a lower value before the run ends; None makes all rounds, and only then goes
        back to the best.

    Attributes
    ----------
    values_ : list of float
        Criterion after every round.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import L2BoostRegressor, LinearOracle
    >>> X, y = load_diabetes(return_X_y=True)
    >>> stop = InformationStopping("bic", patience=50)
    >>> model = L2BoostRegressor(LinearOracle(), n_estimators=2000, callbacks=[stop]).fit(X, y)
    >>> model.stop_reason_
    <Stop.NO_PROGRESS: 'no progress'>
    """

    def __init__(self, criterion: str = "aic", patience: int | None = 20) -> None:
        check_choice("criterion", criterion, CRITERIA)
        check_number("patience", patience, at_least=1, integer=True, optional=True)
        self.criterion, self.patience = criterion, patience

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Learn the link of the loss."""
        if isinstance(state.sample, LabelSample):
            raise TypeError(
                "callbacks: got InformationStopping for an algorithm of several classes at once, "
                "expected a regressor or an algorithm of two classes"
            )
        self._loss = rule.loss
        self._ids = _Ids()
        self.values_: list[float] = []

    def on_round(self, state: State) -> Stop | None:
        """Value of the round; stop when patience is at its end."""
        members = zip(self._ids.of(state.members), state.coef, strict=True)
        used = {k for k, weight in list(members)[state.first :] if weight != 0.0}
        value = _criterion(self.criterion, self._deviance(state), len(used), state.sample.total)
        self.values_.append(value)
        return keep_lowest(state, "criterion", value, self.patience)

    def _deviance(self, state: State) -> float:
        sample = state.sample
        if sample.numeric:
            return _normal_deviance(sample.y - state.scores, sample.prior * sample.total)
        outcomes = sample.outcomes(state.scores)
        own = expit(2.0 * outcomes) if self._loss is None else self._loss.probability(outcomes)
        return _label_deviance(own, sample.prior * sample.total)


# -- likelihood ----------------------------------------------------------------------------------


def _counts(sample_weight: Any, n: int) -> Array:
    if sample_weight is None:
        return np.ones(n)
    counts = vector("sample_weight", sample_weight, 0.0)
    if len(counts) != n:
        raise ValueError(f"sample_weight: got {len(counts)} weights, expected {n}")
    return counts


def _staged_deviance(model: Any, X: Any, y: Array, counts: Array) -> Iterator[float]:
    """Twice the negative log-likelihood after every stage."""
    if not isinstance(model.model_, ClassModel):
        for predicted in model.staged_predict(X):
            yield _normal_deviance(y - predicted, counts)
        return
    own = np.searchsorted(model.classes_, y)
    rows = np.arange(len(y))
    for shares in model.staged_predict_proba(X):
        yield _label_deviance(shares[rows, own], counts)


def _normal_deviance(residual: Array, counts: Array) -> float:
    """``n (1 + log(2π RSS / n))``; without residual it falls without end."""
    n, unit = float(counts.sum()), float(np.abs(residual).max())
    if unit == 0.0:
        return -math.inf
    variance = float(counts @ (residual / unit) ** 2) / n
    return n * (1.0 + math.log(2.0 * math.pi * variance) + 2.0 * math.log(unit))


def _label_deviance(own: Array, counts: Array) -> float:
    """``-2 Σ log p`` of the labels' own probabilities."""
    with np.errstate(divide="ignore"):
        return -2.0 * float(counts @ np.log(own))


def _criterion(name: str, deviance: float, used: float, n: float) -> float:
    if name == "bic":
        return deviance + used * math.log(n)
    value = deviance + 2.0 * used
    if name == "aic":
        return value
    left = n - used - 1.0
    return value + 2.0 * used * (used + 1.0) / left if left > 0.0 else math.inf


# -- degrees of freedom --------------------------------------------------------------------------


class _Ids:
    """Numbers of hypotheses: equal for equal ones and for one and its negative."""

    def __init__(self) -> None:
        self._known: dict[Hypothesis, int] = {}
        self._ids: list[int] = []

    def of(self, members: Sequence[Hypothesis]) -> list[int]:
        """Numbers of members, of which earlier calls have seen the first ones."""
        for member in members[len(self._ids) :]:
            found = self._known.get(member, self._known.get(member.negated()))
            if found is None:
                found = self._known[member] = len(self._known)
            self._ids.append(found)
        return self._ids[: len(members)]


def _staged_trace(model: Any, X: Any, sample_weight: Any) -> Iterator[float]:
    """Trace of ``B_t``, from ``I - B_t``, which each round multiplies by ``I - ν H_t``."""
    loss = as_loss("loss", getattr(model, "loss", "squared"))
    if isinstance(model.model_, ClassModel) or not isinstance(loss, Squared):
        raise TypeError(
            f"freedom: got 'trace' for a {type(model).__name__}, expected a regressor with squared "
            "loss: others are no linear operators"
        )
    rows = model.__read_rows__(X)
    dense, counts = rows.dense(0, rows.n_rows), _counts(sample_weight, rows.n_rows)
    left = np.eye(rows.n_rows)
    for t, member in enumerate(model.ensemble_.members):
        outputs = member(dense)
        n_leaves = member.n_leaves if isinstance(member, Tree) else 0
        rate = 1.0 if t == 0 and n_leaves == 1 else float(model.learning_rate)  # the mean is whole
        left -= rate * _projection(outputs, counts, left, n_leaves > 0)
        yield rows.n_rows - float(np.trace(left))


def _projection(outputs: Array, counts: Array, columns: Array, by_leaves: bool) -> Array:
    """Least-squares fit of a hypothesis to every column: of one number, or of one per leaf."""
    if not by_leaves:
        square = float(counts @ outputs**2)
        return np.outer(outputs, (counts * outputs) @ columns) / (square or 1.0)
    leaf = np.unique(outputs, return_inverse=True)[1].reshape(-1)
    member = np.equal.outer(np.arange(leaf.max() + 1), leaf) * counts
    return (member @ columns / np.maximum(member.sum(axis=1), 1e-300)[:, None])[leaf]
