"""Codes: one row per class, one column per binary problem, entries -1, 0 and +1.

A problem asks whether a row's class has +1 or -1 in its column; classes with 0 are left out.

======================  ================  ==========================================================
code                    problems          which
======================  ================  ==========================================================
``one-vs-rest``         K                 each class against all others
``all-pairs``           K (K - 1) / 2     each class against each other, on the rows of the two
``error-correcting``    2^(K-1) - 1 for   all ways to part the classes in two; for more than seven
                        K <= 7, else      classes the best of many random codes, by the smallest
                        ⌈10 log2 K⌉       distance between two rows
======================  ================  ==========================================================

References: Dietterich & Bakiri 1995; Allwein, Schapire & Singer 2000.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from ..types import Array

CODES = ("one-vs-rest", "all-pairs", "error-correcting")

EXHAUSTIVE_CLASSES = 7
"""Classes up to which the error-correcting code has every column there is."""

ROWS_AT_ONCE = 512
"""Classes that are compared with all others at a time."""

TRIES = 200
"""Random codes of which the best is taken."""


def make_code(code: Any, n_classes: int, seed: int = 0) -> Array:
    """Code matrix of shape (n_classes, problems).

    Parameters
    ----------
    code : {"one-vs-rest", "all-pairs", "error-correcting"} or array-like
        Name of a code, or the matrix itself.
    n_classes : int
        Number of classes K, at least 2.
    seed : int
        Seed of random codes.

    Examples
    --------
    >>> make_code("one-vs-rest", 3)
    array([[ 1, -1, -1],
           [-1,  1, -1],
           [-1, -1,  1]], dtype=int8)
    >>> make_code("all-pairs", 3)
    array([[-1, -1,  0],
           [ 1,  0, -1],
           [ 0,  1,  1]], dtype=int8)
    """
    if not isinstance(code, str):
        return check_code(code, n_classes)
    if code == "one-vs-rest":
        return 2 * np.eye(n_classes, dtype=np.int8) - 1
    if code == "all-pairs":
        pairs = list(combinations(range(n_classes), 2))
        matrix = np.zeros((n_classes, len(pairs)), dtype=np.int8)
        for problem, (first, second) in enumerate(pairs):
            matrix[first, problem], matrix[second, problem] = -1, 1
        return matrix
    if code == "error-correcting":
        return (
            _exhaustive(n_classes) if n_classes <= EXHAUSTIVE_CLASSES else _random(n_classes, seed)
        )
    raise ValueError(f"code: got {code!r}, expected one of {', '.join(CODES)}, or a matrix")


def check_code(code: Any, n_classes: int) -> Array:
    """Return a user's matrix as int8; raises ValueError where it is no code for so many classes."""
    matrix = np.asarray(code)
    if matrix.ndim != 2 or matrix.shape[0] != n_classes or matrix.shape[1] == 0:
        raise ValueError(
            f"code: got shape {matrix.shape}, expected {n_classes} rows, one per class, "
            "and one column per problem"
        )
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise ValueError("code: expected entries -1, 0 and 1 only")
    both = (matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)
    if not both.all():
        raise ValueError(f"code: column {int(np.argmin(both))} has not both a 1 and a -1")
    _check_opposed(matrix.astype(np.float32))
    return matrix.astype(np.int8)


def _check_opposed(matrix: Array) -> None:
    """Raise unless each two rows have opposite signs in some column."""
    sizes = np.abs(matrix)
    for first in range(0, len(matrix), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        # Σ|ab| and Σab, whole numbers and exact, are equal where no product is negative.
        alike = sizes[part] @ sizes.T == matrix[part] @ matrix.T
        alike &= np.arange(len(matrix)) > np.arange(len(matrix))[part, None]
        if alike.any():
            one, other = np.argwhere(alike)[0].tolist()
            raise ValueError(f"code: no column sets class {first + one} against class {other}")


def _exhaustive(n_classes: int) -> Array:
    """Every column that is neither constant nor the negative of another."""
    numbers = np.arange(1, 2 ** (n_classes - 1))
    bits = (numbers[None, :] >> np.arange(n_classes)[:, None]) & 1
    return (2 * bits - 1).astype(np.int8)


def _random(n_classes: int, seed: int) -> Array:
    """Best of many random matrices: the smallest distance between rows is largest.

    No column is constant, or the same as another or its negative.
    """
    rng = np.random.default_rng(seed)
    length = math.ceil(10 * math.log2(n_classes))
    best, most = np.empty((0, 0), dtype=np.int8), -1
    for _ in range(TRIES):
        bits = rng.integers(0, 2, size=(n_classes, length))
        matrix = 2.0 * bits - 1.0
        agreement = matrix @ matrix.T
        np.fill_diagonal(agreement, -length)
        distance = int((length - agreement.max()) // 2)
        if distance > most:
            parts = np.unique(bits ^ bits[-1], axis=1)
            if parts.shape[1] == length and parts.any(axis=0).all():
                best, most = matrix.astype(np.int8), distance
    return best
