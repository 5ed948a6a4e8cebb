"""Small tables, weights and targets at the ends of what numbers can hold."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

NEAR = (0.3, 0.1 + 0.2, 0.30000000000000004 + 5.6e-17, np.nextafter(0.3, 0.0), 0.3)
"""Numbers that differ by rounding, if at all."""
SIZES = (5e-324, 1e-310, 1e-300, 1e-200, 1e-100, 1e-16, 1e-12, 1e-6, 1.0, 1e3, 1e6, 1e9, 1e18)
HUGE = (1e100, 1e200, 1e300, 1e308)


@dataclass(frozen=True)
class Data:
    """What a fit gets.

    Attributes
    ----------
    X : array or sparse array
        Rows.
    y : array
        Labels or targets.
    weights : array or None
        Weights of the rows.
    words : str
        What they are, for the report.
    """

    X: Any
    y: Any
    weights: Any
    words: str


def make_data(rng: random.Random, *, numeric: bool) -> Data:
    """Draw a table."""
    n = rng.choice([1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 8, 12, 20, 40])
    X, rows = _rows(rng, n)
    y, answers = (_targets if numeric else _labels)(rng, X)
    weights, mass = _weights(rng, n)
    if not np.isnan(X).any() and rng.random() < 0.1:
        X, rows = csr_array(X), f"sparse {rows}"
    return Data(X, y, weights, f"{n} rows of {rows}, {answers}, {mass}")


def _column(rng: random.Random, n: int) -> tuple[np.ndarray, str]:
    kind = rng.choice(["plain", "few", "constant", "near", "sizes", "missing", "plain"])
    if kind == "plain":
        values = [rng.gauss(0.0, 1.0) for _ in range(n)]
    elif kind == "few":
        values = [float(rng.randrange(3)) for _ in range(n)]
    elif kind == "constant":
        values = [rng.choice([0.0, 1.0, 5e-324, 1e308])] * n
    elif kind == "near":
        values = [rng.choice([*NEAR, 0.4]) for _ in range(n)]
    elif kind == "sizes":
        values = [rng.choice([-1.0, 1.0]) * rng.choice([*SIZES, *HUGE]) for _ in range(n)]
    else:
        values = [rng.choice([np.nan, float(rng.randrange(4))]) for _ in range(n)]
    return np.array(values), kind


def _rows(rng: random.Random, n: int) -> tuple[np.ndarray, str]:
    columns, kinds = zip(*(_column(rng, n) for _ in range(rng.choice([1, 1, 2, 3]))), strict=True)
    X, words = np.column_stack(columns), "+".join(kinds)
    if rng.random() < 0.15:
        X, words = X[[rng.randrange(n) for _ in range(n)]], f"repeated {words}"
    return X, words


def _labels(rng: random.Random, X: np.ndarray) -> tuple[np.ndarray, str]:
    n = len(X)
    kind = rng.choice(["random", "random", "rule", "one", "lone", "three", "text"])
    if kind == "rule":
        y = np.nan_to_num(X[:, 0]) > np.median(np.nan_to_num(X[:, 0]))
    elif kind == "one":
        y = np.ones(n)
    elif kind == "lone":
        y = np.arange(n) == rng.randrange(n)
    elif kind == "three":
        y = np.array([rng.randrange(3) for _ in range(n)])
    else:
        y = np.array([rng.randrange(2) for _ in range(n)])
    return (np.where(y, "yes", "no") if kind == "text" else y), f"{kind} labels"


def _targets(rng: random.Random, X: np.ndarray) -> tuple[np.ndarray, str]:
    n = len(X)
    kinds = ["plain", "constant", "near", "near and far", "sizes", "huge", "two", "one size", "far"]
    kind = rng.choice(kinds)
    if kind == "plain":
        values = [rng.gauss(0.0, 1.0) for _ in range(n)]
    elif kind == "constant":
        values = [rng.choice([0.0, 0.3, 5e-324, 1e308, -1e300])] * n
    elif kind == "near":
        values = [rng.choice(NEAR) for _ in range(n)]
    elif kind == "near and far":
        values = [rng.choice([*NEAR, *NEAR, rng.choice([1.0, -1131.0, 1e6])]) for _ in range(n)]
    elif kind == "sizes":
        values = [rng.choice([-1.0, 1.0]) * rng.choice(SIZES) for _ in range(n)]
    elif kind == "huge":
        values = [rng.choice([-1.0, 1.0]) * rng.choice([*HUGE, 1.0]) for _ in range(n)]
    elif kind == "two":
        ends = [0.0, rng.choice([*SIZES, *HUGE])]
        values = [rng.choice(ends) for _ in range(n)]
    elif kind == "one size":
        size = rng.choice([*SIZES, *HUGE])
        values = [size * rng.uniform(-1.0, 1.0) for _ in range(n)]
    else:
        values = [rng.choice([0.0, 0.0, 0.0, -1131.0, -198.0, 1.0]) for _ in range(n)]
    return np.array(values), f"{kind} targets"


def _weights(rng: random.Random, n: int) -> tuple[np.ndarray | None, str]:
    kind = rng.choice(["no", "no", "no", "small", "wide", "one heavy", "some", "tiny", "huge"])
    if kind == "no":
        return None, "no weights"
    if kind == "small":
        values = [float(rng.randrange(1, 4)) for _ in range(n)]
    elif kind == "wide":
        values = [rng.choice([1.0, 10.0 ** rng.uniform(-200.0, 200.0)]) for _ in range(n)]
    elif kind == "one heavy":
        values = [1.0] * n
        values[rng.randrange(n)] = rng.choice([1e6, 1e9, 1e18, 1e200])
    elif kind == "some":
        values = [rng.choice([0.0, 1.0, 0.1]) for _ in range(n)]
    elif kind == "tiny":
        values = [rng.choice([5e-324, 1e-310, 1e-308]) for _ in range(n)]
    else:
        values = [rng.choice([1e308, 1e300, 1.0]) for _ in range(n)]
    return np.array(values), f"{kind} weights"
