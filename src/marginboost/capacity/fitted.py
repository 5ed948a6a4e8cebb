"""What theorems say about a fitted model: all bounds that apply, and whether it can be compressed.

See R1-A38, R1-Q09, R1-Q13, R1-Q38; CH-Q13, CH-C16; BA-Q17; SF-Q8, SF-Q19.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..diagnostics.bounds import margin_bound
from ..diagnostics.sources import training_weights_of
from ..estimators.base import BaseBooster, algorithm_of
from ..oracles import StumpOracle
from ..oracles.wrapper import OracleWrapper
from ..types import Array
from ..validation import check_number
from .bound import FIXED_CLASS, OPEN_CONSTANT, Assumption, Bound
from .classes import Stumps
from .compression import compression_bound, risk_compression_bound
from .sample_size import combined_vc_dimension
from .theorems import hoeffding_bound, rounds_bound, vc_bound

SUPPORT = 1e-6
"""Share of the largest weight from which an example counts as one that the model rests on."""


def model_bounds(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    vc_dimension: float | None = None,
    delta: float = 0.05,
    X_test: Any = None,
    y_test: Any = None,
) -> list[Bound]:
    """All bounds on the error of a fitted vote that its training set, or a test set, gives.

    Most are vacuous on tables of everyday size, and some have open constants; printing one says so.
    The bound by a test set is short and needs only that the test set was kept away.

    Parameters
    ----------
    estimator : fitted classifier of two classes
        The vote.
    X, y : array-like
        The rows it was fitted to.
    vc_dimension : float, optional
        ϑ of the base learner; known for stumps.
    delta : float
        Probability δ with which each bound may fail.
    X_test, y_test : array-like, optional
        Rows that were not used in any way.

    Returns
    -------
    list of Bound
        The least first.
    """
    if isinstance(estimator, BaseBooster) and not algorithm_of(estimator).is_vote:
        raise ValueError(
            f"estimator: got {type(estimator).__name__}, whose model is no vote of hypotheses; "
            "bounds on votes say nothing of it, hoeffding_bound on a test set does"
        )
    labels = np.asarray(y)
    n, rounds = len(labels), len(estimator.estimators_)
    dimension = _vc_dimension(estimator, vc_dimension)
    risk = float((np.asarray(estimator.predict(X)) != labels).mean())
    bounds = [
        _by_margins(estimator.margins(X, labels), dimension, delta),
        rounds_bound(n, max(rounds, 1), dimension, risk, delta=delta),
    ]
    votes = max(combined_vc_dimension(dimension, max(rounds, 1)), dimension)
    if votes < n:
        open_constant = vc_bound(n, votes, risk, delta=delta)
        bounds.append(_with(open_constant, f"VC dimension of {rounds} votes", OPEN_CONSTANT))
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test, y_test: got one of them, expected both or none")
    if X_test is not None:
        missed = float((np.asarray(estimator.predict(X_test)) != np.asarray(y_test)).mean())
        held = hoeffding_bound(len(np.asarray(y_test)), missed, delta=delta)
        bounds.append(_with(held, "test set"))
    return sorted(bounds)


def _by_margins(margins: Array, vc_dimension: float, delta: float) -> Bound:
    found = margin_bound(margins, vc_dimension, delta=delta)
    terms = {f"share of margins up to {found.theta:.3g}": found.margin_error}
    terms["capacity and confidence"] = found.penalty
    needed = (FIXED_CLASS, OPEN_CONSTANT)
    return Bound(found.value, "margins", "R1-Q13", terms, delta, needed)


def _with(bound: Bound, name: str, *more: Assumption) -> Bound:
    """Return the same bound under another name, with further assumptions."""
    assumptions = (*bound.assumptions[1:], *more)
    return Bound(float(bound), name, bound.source, bound.terms, bound.delta, assumptions)


def _vc_dimension(estimator: Any, given: float | None) -> float:
    if given is not None:
        check_number("vc_dimension", given, above=0.0)
        return given
    base = getattr(estimator, "estimator", None)
    if isinstance(estimator, BaseBooster):  # which says what None means
        base = algorithm_of(estimator).oracle
    while isinstance(base, OracleWrapper):
        base = base.oracle
    if base is not None and not isinstance(base, StumpOracle):
        raise ValueError(
            f"vc_dimension: not known for {type(base).__name__}, expected the VC dimension of the "
            "base learner"
        )
    return Stumps(estimator.n_features_in_).vc_dimension


@dataclass(frozen=True)
class CompressionSet:
    """The examples that a model rests on, and whether they are enough to find it again (R1-A38).

    Attributes
    ----------
    indices : array
        Examples kept.
    agrees : float
        Share of all examples to which the model learnt from those kept gives the same label.
    bound : Bound
        What follows for the error: void unless all agree.
    """

    indices: Array
    agrees: float
    bound: Bound


def compression_set(
    estimator: Any, X: Any, y: Any, *, support: Any = None, delta: float = 0.05
) -> CompressionSet:
    """Keep the examples that carry weight, fit anew to them alone, and compare (R1-A38, B.5).

    Parameters
    ----------
    estimator : fitted classifier
        An SVM, with ``support_``, or a vote whose last weights say what it rests on.
    X, y : array
        The rows it was fitted to.
    support : array of int, optional
        The examples to keep, if others are meant.
    delta : float
        Probability δ with which the bound may fail.
    """
    rows, labels = np.asarray(X), np.asarray(y)
    kept = np.asarray(support) if support is not None else _support(estimator)
    known = np.asarray(estimator.predict(rows))
    if len(np.unique(labels[kept])) > 1:
        again = np.asarray(clone(estimator).fit(rows[kept], labels[kept]).predict(rows))
    else:
        again = np.full(len(rows), labels[kept][0] if len(kept) else labels[0])
    agrees, risk = float((again == known).mean()), float((known != labels).mean())
    n, q = len(rows), len(kept)
    if q >= n:
        raise ValueError(f"support: got all {n} examples, expected fewer")
    if risk == 0.0:
        bound = compression_bound(n, q, delta=delta)
    else:
        bound = risk_compression_bound(n, q, risk, delta=delta, stratified=True)
    rebuilt = Assumption("the model learnt from the examples kept is the same", agrees == 1.0)
    return CompressionSet(kept, agrees, _with(bound, "compression", rebuilt))


def _support(estimator: Any) -> Array:
    if hasattr(estimator, "support_"):
        return np.asarray(estimator.support_)
    weights = training_weights_of(estimator)
    return np.flatnonzero(weights > SUPPORT * weights.max())
