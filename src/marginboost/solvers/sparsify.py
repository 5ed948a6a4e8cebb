"""Support reduction: the same predictions by fewer hypotheses (R2-P6, R2-C17; Prop. 5.4, A.4.4).

With more than N active columns a direction Δ of the coefficients changes no score: HΔ = 0. Along it
or against it a concave penalty does not rise, and some coefficient comes to 0 there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import Array

ROUNDING = 1e-10
"""Share of the largest singular value that counts as 0."""


def sparsify(
    columns: Array,
    coef: Array,
    *,
    intercept: bool = False,
    penalty: Callable[[Array], Array] | None = None,
) -> tuple[Array, float]:
    """Reduce coefficients to as many as the columns' rank, at most N, with the same scores.

    Parameters
    ----------
    columns : array (n_rows, n_columns)
        Outputs of the hypotheses.
    coef : array
        Coefficients, none negative.
    intercept : bool
        Whether a constant may change along with them; it counts as one more column.
    penalty : callable, optional
        Concave and increasing penalty of each coefficient, 0 at 0; by default the coefficient
        itself, the ℓ1 norm. The sum of penalties does not rise.

    Returns
    -------
    coef, shift
        New coefficients, and what to add to the intercept.

    Examples
    --------
    >>> H = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, 1.0]])
    >>> coef, _ = sparsify(H, np.array([0.5, 0.2, 0.4]))
    >>> int(np.count_nonzero(coef)), (H @ coef).round(12)
    (2, array([0.3, 0.7]))
    """
    cost = (lambda c: c) if penalty is None else penalty
    coef, shift = np.array(coef, dtype=float), 0.0
    columns = np.asarray(columns, dtype=float)
    while True:
        used = np.flatnonzero(coef)
        active = columns[:, used]
        if intercept:
            active = np.hstack([active, np.ones((len(columns), 1))])
        direction = _null_vector(active)
        if direction is None or not np.abs(direction[: len(used)]).max(initial=0.0) > ROUNDING:
            return coef, shift
        ends = [_end(coef[used], sign * direction[: len(used)]) for sign in (1.0, -1.0)]
        costs = [float(np.sum(cost(end))) if end is not None else np.inf for _, end in ends]
        best = int(np.argmin(costs))
        step, end = ends[best]
        assert end is not None
        coef[used] = end
        if intercept:
            shift += (1.0 - 2.0 * best) * step * float(direction[-1])


def _null_vector(matrix: Array) -> Array | None:
    """Direction that the matrix maps to 0; None where there is none."""
    _, sizes, right = np.linalg.svd(matrix, full_matrices=True)
    rank = int(np.sum(sizes > ROUNDING * max(float(sizes.max(initial=0.0)), 1e-300)))
    return None if rank == matrix.shape[1] else np.asarray(right[-1])


def _end(coef: Array, direction: Array) -> tuple[float, Array | None]:
    """Step at which the first coefficient is 0, and all coefficients there."""
    falls = direction < -1e-15
    if not falls.any():
        return 0.0, None
    steps = np.where(falls, -coef / np.where(falls, direction, 1.0), np.inf)
    first = int(np.argmin(steps))
    end = np.maximum(coef + steps[first] * direction, 0.0)
    end[first] = 0.0
    return float(steps[first]), end
