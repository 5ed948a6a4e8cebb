"""Planes: separability by linear programs, capacity by margin and radius, the perceptron.

See R1-Q03, R1-Q14, R1-C09; LB-A6, LB-A7b, LB-Q13, LB-Q14, LB-C14.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from ..diagnostics.arrays import matrix, signs
from ..solvers.norm_margin import solve_norm_margin
from ..types import Array
from ..validation import check_number
from .bound import FIXED_CLASS, OPEN_CONSTANT, Assumption, Bound, excess_bound

GAP = 1e-10
"""Relative change of the radius at which the search for the smallest ball ends."""
MOST_PASSES = 1_000_000
"""Passes of a perceptron that may be asked for: without a separating plane all are made."""


def separable(X: Any, y: Any, *, intercept: bool = True) -> bool:
    """Whether a plane has ``⟨w, x⟩ + b > 0`` at the positive points alone (LB-A7b).

    A linear program: scaling makes ``> 0`` into ``>= 1``, and columns alike in size.
    """
    points, labels = matrix("X", X), signs(y)
    if len(points) != len(labels):
        raise ValueError(f"y: got {len(labels)} labels, expected {len(points)}")
    columns = np.column_stack([points, np.ones(len(points))]) if intercept else points
    scale = np.abs(columns).max(axis=0)
    scaled = np.divide(columns, scale, out=np.zeros_like(columns), where=scale > 0.0)
    solved = linprog(
        np.zeros(columns.shape[1]),
        A_ub=-labels[:, None] * scaled,
        b_ub=np.where(labels == 1, -1.0, 0.0),
        bounds=(None, None),
        method="highs",
    )
    return bool(solved.status == 0)


def geometric_margin(X: Any, y: Any, *, intercept: bool = True) -> float:
    """Largest distance that a separating plane keeps from all points; 0 without one (LB-Q14)."""
    return float(solve_norm_margin(matrix("X", X), signs(y), p=2.0, bias=intercept).value)


def enclosing_radius(X: Any = None, *, gram: Any = None, centred: bool = True) -> float:
    """Radius of the smallest ball around the points, in input or kernel space (R1-Q14; LB-Q14).

    Parameters
    ----------
    X : array, optional
        Points.
    gram : array, optional
        Inner products of the points, in place of them.
    centred : bool
        Whether the centre is free; otherwise it is the origin.
    """
    if (X is None) == (gram is None):
        raise ValueError("X, gram: got both or none, expected one of them")
    products = matrix("gram", gram) if gram is not None else _gram(matrix("X", X), centred)
    if products.shape[0] != products.shape[1]:
        raise ValueError(f"gram: got shape {products.shape}, expected a square matrix")
    squares = np.diag(products).copy()
    if not centred:
        return math.sqrt(max(float(squares.max()), 0.0))
    # max over the simplex of Σ β_i k_ii - β'Kβ, by steps towards and away from one point
    weights = np.zeros(len(squares))
    weights[0] = 1.0
    for _ in range(100_000):
        distance = squares - 2.0 * products @ weights  # up to a constant: ‖c‖² of the centre
        centre = float(weights @ products @ weights)
        far = int(np.argmax(distance))
        value, bound = float(weights @ squares) - centre, float(distance[far]) + centre
        if bound - value <= GAP * max(bound, 1e-300):
            break
        held = np.flatnonzero(weights > 0.0)
        near = int(held[np.argmin(distance[held])])
        _shift(weights, products, distance, far, near)
    return math.sqrt(max(bound, 0.0))


def _gram(points: Array, centred: bool) -> Array:
    shifted = points - points.mean(axis=0) if centred else points  # a free centre has no origin
    return shifted @ shifted.T


def _shift(weights: Array, products: Array, distance: Array, far: int, near: int) -> None:
    """Move weight from the nearest point held to the farthest one, as much as is best."""
    curvature = products[far, far] - 2.0 * products[far, near] + products[near, near]
    gain = distance[far] - distance[near]
    step = min(gain / (2.0 * curvature), weights[near]) if curvature > 0.0 else weights[near]
    weights[far] += step
    weights[near] -= step


def linear_capacity(norm: float, radius: float) -> float:
    """VC dimension of planes with ``‖w‖ ≤ Λ`` in a ball of radius R, at most ``Λ²R² + 1``.

    See R1-Q14, eq. 1.14. Points that are shattered with margin γ through the origin number at most
    ``R²/γ²`` (LB-Q13), the perceptron's bound on its mistakes.
    """
    check_number("norm", norm, at_least=0.0)
    check_number("radius", radius, at_least=0.0)
    return _squared_size(norm, radius) + 1.0


def _squared_size(norm: float, radius: float) -> float:
    """``Λ²R²``, infinite where floating point has no such number."""
    size = float(norm) * float(radius)
    return size * size


def svm_bound(
    n_examples: int,
    norm: float,
    radius: float,
    empirical_risk: float = 0.0,
    *,
    constant: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """Bound on the error of a plane by margin and radius (R1-Q14, eq. 1.15).

    ``R ≤ R_emp + c √((R²Λ²/N) (log₂(N/(R²Λ²)) + 1) + log₂(1/δ)/N)``, for R²Λ² < N. It does not
    depend on the number of features.
    """
    check_number("delta", delta, above=0.0, below=1.0)
    check_number("constant", constant, above=0.0)
    check_number("empirical_risk", empirical_risk, at_least=0.0)
    check_number("n_examples", n_examples, at_least=1)
    check_number("norm", norm, above=0.0)
    check_number("radius", radius, above=0.0)
    size = max(_squared_size(norm, radius), sys.float_info.min)  # the bound rises with it
    small = Assumption("R²Λ² is less than the number of examples", bool(size < n_examples))
    if not small.holds:
        excess = math.inf
    else:
        capacity = size / n_examples * (math.log2(n_examples) - math.log2(size) + 1.0)
        excess = constant * math.sqrt(capacity + math.log2(1.0 / delta) / n_examples)
    needed = (FIXED_CLASS, small, OPEN_CONSTANT)
    return excess_bound("SVM margin", "R1-Q14", empirical_risk, excess, delta, *needed)


@dataclass(frozen=True)
class PerceptronResult:
    """What a perceptron learnt.

    Attributes
    ----------
    coef : array
        The plane through the origin.
    n_mistakes : int
        Corrections made.
    n_passes : int
        Passes over the sample, the last without a mistake if ``converged``.
    converged : bool
        Whether every example is on its side.
    """

    coef: Array
    n_mistakes: int
    n_passes: int
    converged: bool


def perceptron(X: Any, y: Any, *, max_passes: int = 1000) -> PerceptronResult:
    """Learn a plane through the origin from its mistakes (LB-A6).

    ``w ← w + y x`` at every example with ``y ⟨w, x⟩ ≤ 0``. If a plane keeps the distance γ from all
    points and ``‖x‖ ≤ R``, there are at most ``R²/γ²`` mistakes, whatever their order (LB-C14);
    see :func:`mistake_bound`. Where no plane separates them it ends after ``max_passes``, of which
    there may be up to a million.
    """
    points, labels = matrix("X", X), signs(y)
    if len(labels) != len(points):
        raise ValueError(f"y: got {len(labels)} labels for {len(points)} rows of X")
    check_number("max_passes", max_passes, at_least=1, at_most=MOST_PASSES, integer=True)
    coef, mistakes = np.zeros(points.shape[1]), 0
    for n_pass in range(1, max_passes + 1):
        before = mistakes
        for point, label in zip(points, labels, strict=True):
            if label * (coef @ point) <= 0.0:
                coef = coef + label * point
                mistakes += 1
        if mistakes == before:
            return PerceptronResult(coef, mistakes, n_pass, converged=True)
    return PerceptronResult(coef, mistakes, max_passes, converged=False)


def mistake_bound(X: Any, y: Any) -> float:
    """``R²/γ²`` of a sample, for planes through the origin; infinite if none separates it."""
    margin = geometric_margin(X, y, intercept=False)
    radius = enclosing_radius(X, centred=False)
    return (radius / margin) ** 2 if margin > 0.0 else math.inf
