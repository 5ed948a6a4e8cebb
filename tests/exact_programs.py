"""Linear programs of a few rows, solved in rational numbers: no bound is compared with rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def largest(costs, matrix, most):
    """``max costs x`` subject to ``matrix x <= most``, ``x >= 0``, where ``most >= 0``.

    Simplex method on a tableau, by Bland's rule, so that it ends.
    """
    rows = [[*map(Fraction, row), Fraction(end)] for row, end in zip(matrix, most, strict=True)]
    price = [*(-Fraction(cost) for cost in costs), Fraction(0)]
    names, basis = list(range(len(costs))), [len(costs) + i for i in range(len(rows))]
    while True:
        inward = [(names[j], j) for j in range(len(names)) if price[j] < 0]
        if not inward:
            return price[-1]
        j = min(inward)[1]
        ratios = [(row[-1] / row[j], basis[i], i) for i, row in enumerate(rows) if row[j] > 0]
        i = min(ratios)[2]
        names[j], basis[i] = basis[i], names[j]
        _pivot(rows, price, i, j)


def _pivot(rows, price, i, j):
    """Exchange a column with a row, in place: columns of the basis are not kept."""
    pivot = rows[i][j]
    rows[i] = [entry / pivot for entry in rows[i]]
    rows[i][j] = 1 / pivot
    for row in [*rows[:i], *rows[i + 1 :], price]:
        factor = row[j]
        if factor:
            for k, entry in enumerate(rows[i]):
                row[k] = -factor * entry if k == j else row[k] - factor * entry


def all_stumps(X):
    """Outputs of one of each pair of opposite stumps, cuts between distinct values; no constant."""
    columns = []
    for values in np.asarray(X, dtype=float).T:
        columns += [np.where(values <= cut, 1, -1) for cut in np.unique(values)[:-1]]
    return np.array(columns, dtype=int).reshape(len(columns), len(X))


def tube_cost(y, weights, price=0.0, columns=(), epsilon=None, nu=None, quantile=None):
    """Least cost of a tube around a combination of columns and a constant, by the dual program.

    max Σ y d - ε Σ|d|,   Σd = 0,   -down p <= d <= up p,   Σ|d| <= ν,   edges <= price
    """
    y, w = [Fraction(t) for t in y], [Fraction(v) for v in weights]
    p, n = [v / sum(w) for v in w], len(y)
    up, down = (1, 1) if quantile is None else (Fraction(quantile), 1 - Fraction(quantile))
    width = Fraction(epsilon or 0.0)
    costs = [t - width for t in y] + [-t - width for t in y]
    balance, box = [1] * n + [-1] * n, [[int(i == k) for k in range(2 * n)] for i in range(2 * n)]
    matrix = [balance, [-one for one in balance], *box]
    most = [0, 0, *(up * v for v in p), *(down * v for v in p)]
    if nu is not None:
        matrix, most = [*matrix, [1] * (2 * n)], [*most, nu]
    edges = [[*map(int, h), *map(int, -h)] for h in columns]
    return largest(costs, [*matrix, *edges], [*most, *[price] * len(edges)])


def tube_gain(X, y, weights, price, unit, **kind):
    """Most that stumps gain over a constant, exactly."""
    stumps = all_stumps(X)
    constant = tube_cost(y, weights, **kind)
    best = tube_cost(y, weights, price, [*stumps, *-stumps], **kind)
    return (constant - best) / Fraction(unit)
