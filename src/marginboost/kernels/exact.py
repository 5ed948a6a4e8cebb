"""Sums of rows that come out the same in any order, and however the rows are divided.

Additions of floating point round, so a sum depends on their order. Whole numbers do not round. A
sum is therefore made of whole numbers of a tiny unit, is exact, and is rounded once, at its end:

- :func:`exact_sum` adds any finite numbers, each without any loss (a small superaccumulator, Neal,
  *Fast exact summation using small and large superaccumulators*, 2015), in three nanoseconds
  each; in one where their sizes are not too different;
- :func:`column_sum` and :func:`~.weights.sign_weights` know a bound on their numbers, round each of
  them once to a multiple of 2⁻⁸⁰ of it, and take a fifth of that time;
- :func:`on_grid` rounds numbers whose sizes sum to one to multiples of 2⁻⁵¹: then all their sums in
  floating point are exact too, as those by bin of a tree are.

Totals are Python integers, in units of 2⁻¹⁰⁷⁵: they are added as such, and :func:`rounded` makes a
float of them.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .intrinsics import bits_of
from .jit import inner_kernel, kernel

SMALLEST = 1075
"""The unit is two to minus this: no float has digits beyond it."""
DIGIT = 32
"""Binary digits in a place of the superaccumulator."""
PLACES = 2048 // DIGIT + 3
COARSE, FINE = 40, 80
"""Binary digits of a number below its bound that are summed, in two steps."""
UNSIGNED = (1 << 63) - 1
"""All bits of a number but its sign."""
THIRD, MANTISSA, MOST_ROWS = 120, 53, 1 << 22
"""Those that three steps sum; those that a float has; how many numbers may be summed in steps."""
LOWEST_BOUND, HIGHEST_BOUND = -900, 900
"""Bounds beyond two to these are taken as that: the constants below must be ordinary numbers."""
WIDE = 1 << 20
"""In place of a bound: sizes are too different."""
SMALLEST_NORMAL = 2.0**-1022
"""Numbers below it have lost digits, and the reciprocals of most are beyond all numbers."""
LARGEST_WEIGHT = 4.0
"""Weights above this are added as this: their total has no use, see :func:`~.sign_weights`."""


def rounded(total: int) -> float:
    """Float next to a total; one beyond all floats is infinite.

    >>> rounded(exact_sum(np.array([1e100, 1.0, -1e100, 1e-300])))
    1.0
    """
    try:
        return total / (1 << SMALLEST)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def exact_sum(values: Array) -> int:
    """Sum of finite numbers, without any rounding.

    Where their sizes are not too different, all digits are whole numbers of three units.
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    return total_of(add_units(values), values)


def total_of(sums: tuple[int, int, int, int], values: Array) -> int:
    """Total of what :func:`add_units` found of numbers, which it may have found too different."""
    bound, first, second, third = map(int, sums)
    if bound != WIDE:
        return as_total((first, second), bound) + (third << (SMALLEST - THIRD + bound))
    digits = np.zeros(PLACES, np.int64)
    add_digits(values, digits)
    return sum(digit << (DIGIT * place) for place, digit in enumerate(digits.tolist()) if digit)


@inner_kernel
def exponents(values: Array) -> tuple[int, int]:
    """Exponents of the smallest and of the largest number in size, zeros left out."""
    words = values.view(np.int64)
    least, most = UNSIGNED, 0
    for i in range(values.size):
        size = words[i] & UNSIGNED
        most = size if size > most else most
        nonzero = UNSIGNED if size == 0 else size
        least = nonzero if nonzero < least else least
    return (least >> 52) - 1023, (most >> 52) - 1023


@kernel
def add_units(values: Array) -> tuple[int, int, int, int]:
    """Bound of numbers, and their sum in whole numbers of three units below it.

    Where that would not be exact the bound is WIDE. See :func:`in_units`.
    """
    lowest, highest = exponents(values)
    bound = int(highest) + 1
    known = LOWEST_BOUND <= bound <= HIGHEST_BOUND and values.size <= MOST_ROWS
    if not known or bound - lowest > THIRD - MANTISSA:
        return WIDE, 0, 0, 0
    coarse, fine = math.ldexp(1.5, 52 - COARSE + bound), math.ldexp(1.5, 52 - FINE + bound)
    finest = math.ldexp(1.5, 52 - THIRD + bound)
    zeros = bits_of(coarse), bits_of(fine), bits_of(finest)
    first = second = third = 0
    for i in range(values.size):
        above = values[i] + coarse
        rest = values[i] - (above - coarse)
        first += bits_of(above) - zeros[0]
        above = rest + fine
        rest -= above - fine
        second += bits_of(above) - zeros[1]
        third += bits_of(rest + finest) - zeros[2]
    return bound, first, second, third


@kernel
def add_digits(values: Array, digits: Array) -> None:
    """Add the binary digits of numbers to those of a sum, 32 to a place, no more than 2³¹ times."""
    words, low = values.view(np.int64), (1 << DIGIT) - 1
    for i in range(values.size):
        word = words[i]
        exponent, mantissa = (word >> 52) & 2047, word & ((1 << 52) - 1)
        if exponent > 0:
            mantissa |= 1 << 52
        else:
            exponent = 1
        place, shift = exponent >> 5, exponent & (DIGIT - 1)
        above = mantissa >> (DIGIT - shift)
        sign = -1 if word < 0 else 1
        digits[place] += sign * ((mantissa << shift) & low)
        digits[place + 1] += sign * (above & low)
        digits[place + 2] += sign * (above >> DIGIT)


# -- numbers with a bound --------------------------------------------------------------------------


def bound_of(largest: float) -> int:
    """Exponent of the least power of two above a size, for :func:`column_sum`.

    >>> bound_of(1.0), bound_of(0.3), bound_of(0.0)
    (1, -1, -900)
    """
    exponent = math.frexp(largest)[1] if largest > 0.0 else LOWEST_BOUND
    return min(max(exponent, LOWEST_BOUND), HIGHEST_BOUND)


def steps_below(bound: int) -> tuple[float, float]:
    """Constants that, added to numbers below two to the bound, round them to the two units."""
    return math.ldexp(1.5, 52 - COARSE + bound), math.ldexp(1.5, 52 - FINE + bound)


def as_total(sums: tuple[int, int], bound: int) -> int:
    """Total of whole numbers of both units."""
    units = (int(sums[0]) << (FINE - COARSE)) + int(sums[1])
    return units << (SMALLEST - FINE + bound)


def column_sum(dual: Array, column: Array, bound: int) -> int:
    """``dual · column`` of at most 2²² rows, where no product exceeds two to the bound in size."""
    return as_total(add_column_units(dual, column, *steps_below(bound)), bound)


@inner_kernel
def in_units(number: float, coarse: float, fine: float) -> tuple[int, int]:
    """Whole numbers of two units that make up a number.

    A number plus 1.5 · 2⁵² units has them in its last binary digits; what that leaves over is
    counted in the same way in the smaller unit. There is no branch, so that vector lanes can be
    used.
    """
    above = number + coarse
    rest = (number - (above - coarse)) + fine
    return bits_of(above) - bits_of(coarse), bits_of(rest) - bits_of(fine)


@kernel
def add_column_units(dual: Array, column: Array, coarse: float, fine: float) -> tuple[int, int]:
    """``dual · column`` in whole numbers of two units."""
    all_first, all_second = 0, 0
    for i in range(dual.size):
        first, second = in_units(dual[i] * column[i], coarse, fine)
        all_first += first
        all_second += second
    return all_first, all_second


def grid(values: Array) -> Array:
    """Round an array as :func:`on_grid` does a number."""
    return (values + 3.0) - 3.0


@kernel
def on_grid(value: float) -> float:
    """Round a number of at most one in size to a multiple of 2⁻⁵¹.

    Where sizes sum to four or less, all sums of such numbers are floats: none is rounded.

    >>> on_grid(0.25), on_grid(0.1) == -on_grid(-0.1), on_grid(1e-300)
    (0.25, True, 0.0)
    """
    return (value + 3.0) - 3.0
