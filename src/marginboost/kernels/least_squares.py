"""Slopes and curvatures of the squared loss, with its value."""

from __future__ import annotations

from ..types import Array
from .exact import add_units
from .jit import dividing_kernel
from .logistic import least_outcome

Sums = tuple[int, int, int, int]


@dividing_kernel
def squared_slopes(
    y: Array,
    scores: Array,
    weights: Array,
    unit: float,
    square: float,
    dual: Array,
    curvature: Array,
    sizes: Array,
    losses: Array,
) -> tuple[Sums, Sums, Sums, float]:
    """Write slopes and curvatures of ``u² ½ (r/u)²``, sizes of the slopes, and the losses.

    ``square`` is u². Empty ``weights`` stand for ones. Returns the sums of sizes, of losses and of
    curvatures, as :func:`~.exact.add_units` has them, and the smallest ``y F``. A slope over its
    residual is one but for rounding.
    """
    for i in range(scores.size):
        residual = y[i] - scores[i]
        share = residual / unit
        slope = unit * share
        second = slope / residual if residual != 0.0 else 1.0
        weight = 1.0 if weights.size == 0 else weights[i]
        dual[i] = slope * weight
        curvature[i] = (1.0 if second == 0.0 and slope != 0.0 else second) * weight
        sizes[i] = abs(dual[i])
        losses[i] = weight * (square * (0.5 * (share * share)))
    return add_units(sizes), add_units(losses), add_units(curvature), least_outcome(y, scores)
