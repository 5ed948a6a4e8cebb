"""Kernels of soft-margin problems: the smoothed hinge, and votes and edges of a pool of columns.

The hinge is smoothed at a temperature β: with ``z = (ρ - margin) / β`` it is ``log(1 + exp(z))``.

±1 columns are packed eight to a byte: a row's byte says what eight hypotheses answer. The vote of
eight columns is one look-up in a table of 256 sums, and their edges follow from the weight that
falls on each of the 256 bytes: an eighth of the work, and of the memory.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .exact import in_units
from .exponentials import exponential
from .jit import dividing_kernel, kernel, reducing_kernel
from .logistic import log_of_sum

PIECE = 2048
"""Rows worked on at a time, so that they stay in the cache."""


@dividing_kernel
def smoothed_weight(margin: float, rho: float, beta: float, cap: float) -> tuple[float, float]:
    """``cap σ(z)``, and its derivative by ρ, times β."""
    z = (rho - margin) / beta
    small = exponential(-abs(z))
    larger = 1.0 / (1.0 + small)
    smaller = small * larger
    return cap * (larger if z >= 0.0 else smaller), cap * smaller * larger


@dividing_kernel
def smoothed_cost(margin: float, rho: float, beta: float, cap: float) -> float:
    """``cap log(1 + exp(z))``."""
    z = (rho - margin) / beta
    return cap * ((z if z > 0.0 else 0.0) + log_of_sum(exponential(-abs(z))))


@reducing_kernel
def smoothed_weights(
    margins: Array, rho: float, beta: float, caps: Array, out: Array
) -> tuple[float, float]:
    """Write the weights of all rows; returns their sum and the sum of the derivatives."""
    total, slope = 0.0, 0.0
    for i in range(margins.size):
        out[i], change = smoothed_weight(margins[i], rho, beta, caps[i])
        total += out[i]
        slope += change
    return total, slope


@reducing_kernel
def smoothed_hinge(margins: Array, rho: float, beta: float, caps: Array) -> float:
    """Sum of the costs of all rows."""
    total = 0.0
    for i in range(margins.size):
        total += smoothed_cost(margins[i], rho, beta, caps[i])
    return total


# -- the same with sums in whole numbers of two units, see :mod:`.exact` ---------------------------


@kernel
def smoothed_weight_units(
    margins: Array, level: tuple[float, float], caps: Array, out: Array, steps: tuple[float, float]
) -> tuple[int, int, int, int]:
    """:func:`smoothed_weights` at a level (ρ, β): sum and slope in both units."""
    (rho, beta), (coarse, fine) = level, steps
    total, total_rest, slope, slope_rest = 0, 0, 0, 0
    for i in range(margins.size):
        out[i], change = smoothed_weight(margins[i], rho, beta, caps[i])
        first, second = in_units(out[i], coarse, fine)
        total += first
        total_rest += second
        first, second = in_units(change, coarse, fine)
        slope += first
        slope_rest += second
    return total, total_rest, slope, slope_rest


@kernel
def smoothed_hinge_units(
    margins: Array, level: tuple[float, float], caps: Array, steps: tuple[float, float]
) -> tuple[int, int]:
    """:func:`smoothed_hinge` in both units."""
    (rho, beta), (coarse, fine) = level, steps
    total, rest = 0, 0
    for i in range(margins.size):
        first, second = in_units(smoothed_cost(margins[i], rho, beta, caps[i]), coarse, fine)
        total += first
        rest += second
    return total, rest


# -- columns as they are, and packed ---------------------------------------------------------------


@kernel
def add_columns(columns: Array, used: Array, coef: Array, out: Array) -> None:
    """``out += Σ_j coef_j columns_j`` over the columns ``used``, a cache-sized piece at a time."""
    for start in range(0, out.size, PIECE):
        here = out[start : start + PIECE]
        for k in range(used.size):
            weight, column = coef[used[k]], columns[used[k], start : start + PIECE]
            for i in range(here.size):
                here[i] += weight * column[i]


@kernel
def set_bit(codes: Array, bit: int, column: Array) -> None:
    """Put a ±1 column into bits that are 0 so far."""
    for i in range(codes.size):
        codes[i] |= np.uint8((column[i] > 0) << bit)


@kernel
def set_bits(codes: Array, table: Array, out: Array) -> None:
    """Put ±1 columns that follow from one feature's codes into bits that are 0 so far.

    ``table`` has the bits of all of them by code.
    """
    for i in range(codes.size):
        out[i] |= table[codes[i]]


@kernel
def copy_bit(source: Array, bit: int, codes: Array, new_bit: int) -> None:
    """Copy a packed column to another place, whose bits are 0 so far."""
    for i in range(codes.size):
        codes[i] |= np.uint8(((source[i] >> bit) & 1) << new_bit)


@kernel
def unpack(codes: Array, scale: Array, out: Array) -> None:
    """``out[j, i] = ± scale_i``: the columns as numbers, times one factor per row."""
    for j in range(len(out)):
        byte, bit, column = codes[j // 8], j % 8, out[j]
        for i in range(column.size):
            column[i] = scale[i] if (byte[i] >> bit) & 1 else -scale[i]


@kernel
def add_tables(codes: Array, tables: Array, out: Array) -> None:
    """``out_i += Σ_g tables[g, codes[g, i]]``."""
    for start in range(0, out.size, PIECE):
        here = out[start : start + PIECE]
        g = 0
        while g + 4 <= len(codes):  # four look-ups for one read and write of the sum
            a, b = codes[g, start : start + PIECE], codes[g + 1, start : start + PIECE]
            c, d = codes[g + 2, start : start + PIECE], codes[g + 3, start : start + PIECE]
            p, q, r, s = tables[g], tables[g + 1], tables[g + 2], tables[g + 3]
            for i in range(here.size):
                here[i] += (p[a[i]] + q[b[i]]) + (r[c[i]] + s[d[i]])
            g += 4
        while g < len(codes):
            a, p = codes[g, start : start + PIECE], tables[g]
            for i in range(here.size):
                here[i] += p[a[i]]
            g += 1


@kernel
def sum_by_code(codes: Array, dual: Array, sums: Array) -> None:
    """``sums[g, c] = Σ dual_i`` over the rows with ``codes[g, i] = c``."""
    sums[:] = 0.0
    for start in range(0, dual.size, PIECE):
        weights = dual[start : start + PIECE]
        g = 0
        while g + 2 <= len(codes):
            a, b = codes[g, start : start + PIECE], codes[g + 1, start : start + PIECE]
            p, q = sums[g], sums[g + 1]
            for i in range(weights.size):
                p[a[i]] += weights[i]
                q[b[i]] += weights[i]
            g += 2
        if g < len(codes):
            a, p = codes[g, start : start + PIECE], sums[g]
            for i in range(weights.size):
                p[a[i]] += weights[i]
