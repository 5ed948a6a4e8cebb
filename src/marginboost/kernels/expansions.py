"""Kernels over sums of radial and polynomial functions: values, outputs, edges.

A function ``k(z, p)`` of a row z and a point p is ``exp(-rate |z - p|²)`` where ``degree`` is 0,
else ``(rate z·p + offset)^degree``. Points are handed over one coordinate per row, (coordinates,
points), so that inner loops run over points and use vector lanes; the sum over coordinates keeps
its order, and a value is the same number whatever rows and points are computed with it.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .jit import kernel


@kernel
def fill_forms(row: Array, points: Array, degree: int, out: Array) -> None:
    """Squared distances of a row from all points, or its scalar products with them."""
    out[:] = 0.0
    for j in range(points.shape[0]):
        value = row[j]
        if degree == 0:
            for k in range(out.size):
                apart = value - points[j, k]
                out[k] += apart * apart
        else:
            for k in range(out.size):
                out[k] += value * points[j, k]


@kernel
def apply_function(forms: Array, rates: Array, degree: int, offset: float, out: Array) -> None:
    """Values of the function from distances or products."""
    if degree == 0:
        for k in range(forms.size):
            out[k] = math.exp(-rates[k] * forms[k])
    else:
        for k in range(forms.size):
            base, power = rates[k] * forms[k] + offset, 1.0
            for _ in range(degree):
                power *= base
            out[k] = power


@kernel
def radial_values(rows: Array, points: Array, rates: Array, values: Array, squares: Array) -> None:
    """``exp(-rate |z - p|²)`` of all rows and points, and the squared distances."""
    for i in range(rows.shape[0]):
        fill_forms(rows[i], points, 0, squares[i])
        apply_function(squares[i], rates, 0, 0.0, values[i])


@kernel
def clipped_sums(
    rows: Array, points: Array, rates: Array, coef: Array, degree: int, offset: float, out: Array
) -> None:
    """``out[i] = Σ_k coef_k k(rows[i], p_k)``, clipped to [-1, 1]; 0 where it is no number."""
    values = np.empty(coef.size)
    for i in range(rows.shape[0]):
        fill_forms(rows[i], points, degree, values)
        apply_function(values, rates, degree, offset, values)
        total = 0.0
        for k in range(coef.size):
            total += coef[k] * values[k]
        out[i] = 0.0 if math.isnan(total) else min(max(total, -1.0), 1.0)


@kernel
def function_edges(
    rows: Array,
    points: Array,
    rates: Array,
    dual: Array,
    degree: int,
    offset: float,
    edges: Array,
    squares: Array,
) -> None:
    """``edges[k] = Σ_i dual_i k(rows[i], p_k)``, and the sums of the squared values."""
    values = np.empty(edges.size)
    edges[:] = 0.0
    squares[:] = 0.0
    for i in range(rows.shape[0]):
        fill_forms(rows[i], points, degree, values)
        apply_function(values, rates, degree, offset, values)
        for k in range(values.size):
            edges[k] += dual[i] * values[k]
            squares[k] += values[k] * values[k]


@kernel
def bump_edge(rows: Array, dual: Array, point: Array, rate: float, slope: Array) -> float:
    """Edge of ``exp(-rate |z - p|²)``; its slope along the point and the logarithm of the width."""
    edge, width_slope = 0.0, 0.0
    slope[:] = 0.0
    for i in range(rows.shape[0]):
        square = 0.0
        for j in range(point.size):
            apart = rows[i, j] - point[j]
            square += apart * apart
        share = dual[i] * math.exp(-rate * square)
        edge += share
        width_slope += share * square
        for j in range(point.size):
            slope[j] += share * (rows[i, j] - point[j])
    for j in range(point.size):
        slope[j] *= 2.0 * rate
    slope[point.size] = 2.0 * rate * width_slope
    return edge


@kernel
def linear_scores(rows: Array, weights: Array, offset: float, out: Array) -> None:
    """``offset + Σ_j weights_j rows[i, j]``, added up from left to right."""
    for i in range(rows.shape[0]):
        total = offset
        for j in range(weights.size):
            total += weights[j] * rows[i, j]
        out[i] = total
