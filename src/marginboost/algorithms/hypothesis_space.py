"""Support vector machines in hypothesis space (R1-A05 to R1-A07, R1-Q15; eq. 1.17, 1.19, 1.23).

Every hypothesis is a coordinate: Φ(x) = (h_1(x), …, h_J(x)). A vote of hypotheses is a plane
through the origin there. Boosting measures its margin with ‖α‖_1 = 1, support vector machines with
‖w‖_2 = 1; this module lets both see the same space:

    hard margin:  min ½‖w‖²            s.t.  y_i (⟨w, Φ(x_i)⟩ + b) >= 1
    soft margin:  min ½‖w‖² + C Σ ξ_i  s.t.  y_i (⟨w, Φ(x_i)⟩ + b) >= 1 - ξ_i,  ξ >= 0

Certificate: dual weights for the first (:func:`hard_margin_svm`), the duality gap of scikit-learn's
solution for the second (:func:`svm_report`).

Why boosting takes the other norm (R1-C14): outputs of J hypotheses with values ±1 lie on a sphere
of radius √J in ℓ_2, which grows with J, but within 1 in ℓ_∞, the distance that belongs to ‖α‖_1. A
bound by radius and margin survives an infinite class of hypotheses only in the second.

Reference: Rätsch 2001, sections 1.3.2-1.3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..fitting.inputs import read_weights
from ..model import Model
from ..solvers.norm_margin import solve_norm_margin
from ..types import Array
from .adaboost import AdaBoostClassifier


def hypothesis_features(model: Any, X: Any) -> Array:
    """Outputs of a model's hypotheses, each taken once: rows of X in hypothesis space (eq. 1.23).

    Parameters
    ----------
    model : fitted marginboost classifier
        Whose hypotheses are the coordinates, in the order in which they were found; with more than
        two classes, those of all its problems.
    X : array, sparse matrix, data frame or BinnedMatrix
        Rows, as the model takes them.

    Returns
    -------
    array (n_rows, n_hypotheses)
        ``h_j(x_i)``, in [-1, 1].

    Examples
    --------
    Radii of the sample: √J with Euclidean distances, 1 in the largest coordinate (R1-C14).

    >>> from marginboost import AdaBoostClassifier
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(100)
    >>> features = hypothesis_features(AdaBoostClassifier(n_estimators=9).fit(X, y), X)
    >>> J = features.shape[1]
    >>> bool(np.allclose(np.linalg.norm(features, axis=1), J**0.5)), float(np.abs(features).max())
    (True, 1.0)
    """
    check_is_fitted(model)
    rows = model.__read_rows__(X)
    members = _distinct(model)
    features = np.empty((rows.n_rows, len(members)))
    for start, stop in rows.chunks():
        dense = rows.dense(start, stop)
        for j, member in enumerate(members):
            features[start:stop, j] = member(dense)
    return features


def _distinct(model: Any) -> list[Any]:
    """Hypotheses of a model, or of all problems that its classes were reduced to."""
    fitted: Model = model.model_
    return list(dict.fromkeys(member for run in fitted.runs for member in run.ensemble.members))


class HypothesisSpace(TransformerMixin, BaseEstimator):
    """Learn hypotheses by boosting, then hand on their outputs as features.

    In a pipeline before a linear model it is that model in hypothesis space: before
    ``SVC(kernel="linear")`` the soft-margin SVM (R1-A06), before an ℓ_1-penalised one a sparse
    vote.

    Parameters
    ----------
    model : marginboost classifier or None
        Cloned and fitted; None is ``AdaBoostClassifier()``. Wrap a fitted one in
        ``sklearn.frozen.FrozenEstimator`` to keep its hypotheses.

    Attributes
    ----------
    model_ : fitted classifier
        Whose hypotheses are the features.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(200)
    >>> machine = make_pipeline(HypothesisSpace(), SVC(kernel="linear")).fit(X, y)
    >>> bool(machine.score(X, y) > 0.95)
    True
    """

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X, y : array-like
            Rows and labels.
        sample_weight : array-like, optional
            Weights of the rows.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.model_ = clone(self._unfitted()).fit(X, y, **weights)
        return self

    def _unfitted(self) -> Any:
        return AdaBoostClassifier() if self.model is None else self.model

    def transform(self, X: Any) -> Array:
        """Outputs of the hypotheses, see :func:`hypothesis_features`."""
        check_is_fitted(self, "model_")
        return hypothesis_features(self.model_, X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return h0, h1, …: one name per hypothesis."""
        check_is_fitted(self, "model_")
        return np.array([f"h{j}" for j in range(len(_distinct(self.model_)))], dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Number of features that the model reads."""
        return int(self._of_model("n_features_in_"))

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features that the model reads, where it was given names."""
        names: Array = self._of_model("feature_names_in_")
        return names

    def _of_model(self, name: str) -> Any:
        if "model_" not in vars(self):
            raise AttributeError(f"this HypothesisSpace is not fitted yet and has no {name}")
        return getattr(self.model_, name)

    def __sklearn_tags__(self) -> Any:
        tags, model = super().__sklearn_tags__(), get_tags(self._unfitted())
        tags.target_tags, tags.input_tags = model.target_tags, model.input_tags
        tags.classifier_tags = model.classifier_tags  # which labels it takes
        return tags


def hypothesis_kernel(model: Any) -> Callable[[Any, Any], Array]:
    """Return the kernel ``k(x, x') = Σ_j h_j(x) h_j(x')`` of a model's hypotheses (R1-A07).

    Parameters
    ----------
    model : fitted marginboost classifier
        Whose hypotheses span the space.

    Returns
    -------
    callable
        For ``SVC(kernel=...)`` and all else in scikit-learn that takes a kernel of two arrays.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from marginboost import AdaBoostClassifier
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(200)
    >>> model = AdaBoostClassifier(n_estimators=50).fit(X, y)
    >>> machine = SVC(kernel=hypothesis_kernel(model)).fit(X, y)
    >>> bool(machine.score(X, y) > 0.95)
    True
    """
    check_is_fitted(model)
    return partial(_gram, model)


def _gram(model: Any, first: Any, second: Any) -> Array:
    return hypothesis_features(model, first) @ hypothesis_features(model, second).T


@dataclass(frozen=True)
class HardMarginSVM:
    """Canonical plane of the hard-margin SVM (R1-A05, R1-Q15).

    Attributes
    ----------
    coef : array
        w, of smallest Euclidean norm.
    intercept : float
        b.
    margin : float
        ``1 / ‖w‖``, the distance of the nearest points from the plane.
    dual : array
        Multipliers λ of the constraints, ``w = Σ λ_i y_i x_i``.
    """

    coef: Array
    intercept: float
    margin: float
    dual: Array

    @property
    def support(self) -> Array:
        """Support vectors: points with a positive multiplier."""
        return np.flatnonzero(self.dual > 1e-9 * self.dual.max())


def hard_margin_svm(features: Any, y: Any) -> HardMarginSVM:
    """Solve ``min ½‖w‖²  s.t.  y_i (⟨w, x_i⟩ + b) >= 1`` (R1-A05, eq. 1.17).

    Raises ValueError where no plane separates the classes; the soft-margin SVM
    (``sklearn.svm.SVC``) always has a solution.

    Parameters
    ----------
    features : array (n_points, n_dimensions)
        The points, such as :func:`hypothesis_features`.
    y : array
        Labels, -1 or +1.

    Examples
    --------
    >>> plane = hard_margin_svm([[0.0, 0.0], [4.0, 0.0], [6.0, 1.0]], [-1, 1, 1])
    >>> plane.coef.round(9).tolist(), plane.intercept, plane.margin
    ([0.5, 0.0], -1.0, 2.0)
    """
    plane = solve_norm_margin(features, y, 2.0, bias=True)
    if not plane.separable:
        raise ValueError(
            "y: no plane separates the two classes, so the hard-margin SVM has no solution; "
            "use a soft margin, for example sklearn.svm.SVC"
        )
    scale = 1.0 / plane.value
    return HardMarginSVM(
        coef=plane.coef * scale,
        intercept=plane.intercept * scale,
        margin=plane.value,
        dual=plane.weights * scale**2,
    )


@dataclass(frozen=True)
class SVMReport:
    """What a soft-margin SVM attained on its training sample (R1-A06, R1-Q15).

    Attributes
    ----------
    margin : float
        ``1 / ‖w‖``.
    slack : array
        ``ξ_i = [1 - y_i f(x_i)]_+``.
    errors : int
        Training errors, a score of zero counted as one (R1-X01); never more than the sum of the
        slacks (R1-C11).
    primal, dual : float
        ``½‖w‖² + Σ C_i ξ_i`` and ``Σ λ_i - ½‖w‖²``: the optimum lies between them.
    """

    margin: float
    slack: Array
    errors: int
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Distance of the solution's value from the optimum, at most."""
        return self.primal - self.dual


def svm_report(machine: Any, X: Any, y: Any, sample_weight: Any = None) -> SVMReport:
    """Margin, slacks and duality gap of a fitted ``sklearn.svm.SVC``, whatever its kernel (R1-Q15).

    Parameters
    ----------
    machine : fitted SVC
        Of two classes, without class weights.
    X, y : array-like
        The rows and labels that it was fitted to.
    sample_weight : array-like, optional
        The weights that it was fitted with; they scale C.
    """
    if len(machine.classes_) != 2:
        raise ValueError(f"machine: got {len(machine.classes_)} classes, expected two")
    signs = np.where(np.asarray(y) == machine.classes_[1], 1.0, -1.0)
    scores = machine.decision_function(X)
    slack = np.maximum(1.0 - signs * scores, 0.0)
    signed = np.asarray(machine.dual_coef_)[0]
    # ⟨w, Φ(x)⟩ = f(x) - b and w = Σ λ y Φ: the norm needs no kernel.
    squared = float(signed @ (scores[machine.support_] - machine.intercept_[0]))
    prices = machine.C * read_weights(sample_weight, len(signs))
    return SVMReport(
        margin=squared**-0.5,
        slack=slack,
        errors=int((signs * scores <= 0).sum()),
        primal=0.5 * squared + float(prices @ slack),
        dual=float(np.abs(signed).sum()) - 0.5 * squared,
    )
