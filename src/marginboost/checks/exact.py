"""Values and optima in rational arithmetic, for small problems whose objective is a linear program.

Floating-point numbers are rationals: on a few rows a certificate can be compared with the true
optimum itself, without any tolerance. Weights, outputs and targets are taken as the numbers that
they are, whatever their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from ..core.objective import (
    Margin,
    NegativeMargin,
    Objective,
    PricedMargin,
    SoftMargin,
    TubeGain,
    TubeShare,
)
from ..types import Array

Row = list[Fraction]


def fractions(values: Sequence[float] | Array) -> Row:
    """Numbers as the rationals that they are."""
    return [Fraction(float(value)) for value in values]


# -- the linear program ----------------------------------------------------------------------------


def maximum(costs: Row, rows: list[Row], limits: Row) -> Fraction:
    """Largest ``costs @ x`` over ``rows @ x <= limits`` and ``x >= 0``, with no limit below 0.

    The simplex method from the origin; Bland's rule ends it whatever the ties. A program without a
    largest value is an AssertionError.

    >>> maximum(fractions([1, 1]), [fractions([2, 1]), fractions([1, 3])], fractions([2, 3]))
    Fraction(7, 5)
    """
    n, m = len(costs), len(rows)
    table = [
        [*row, *(Fraction(int(i == k)) for k in range(m)), limit]
        for i, (row, limit) in enumerate(zip(rows, limits, strict=True))
    ]
    slopes = [*(-cost for cost in costs), *[Fraction(0)] * (m + 1)]
    basis = list(range(n, n + m))
    while True:
        enters = next((j for j in range(n + m) if slopes[j] < 0), None)
        if enters is None:
            return slopes[-1]
        ratios = [
            (row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > 0
        ]
        if not ratios:
            raise AssertionError("the program has no largest value")
        leaves = min(ratios)[2]
        pivot = table[leaves]
        table[leaves] = pivot = [value / pivot[enters] for value in pivot]
        for row in (*table, slopes):
            if row is not pivot and row[enters]:
                factor = row[enters]
                row[:] = [a - factor * b if b else a for a, b in zip(row, pivot, strict=True)]
        basis[leaves] = enters


# -- problems --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExactProblem:
    """A sample and all hypotheses on it.

    Attributes
    ----------
    columns : list of list of Fraction
        Outputs ``h_j(x_i)``, one list per hypothesis.
    y : list of Fraction
        Labels, -1 or +1, or targets.
    weights : list of Fraction
        Weights of rows with sum one.
    total : Fraction
        Sum of the weights as they were given: what a price is compared with.
    unit : Fraction
        Unit of the targets in the certificate of a regression.
    """

    columns: list[Row]
    y: Row
    weights: Row
    total: Fraction
    unit: Fraction = Fraction(1)

    @classmethod
    def of(
        cls,
        columns: Sequence[Sequence[float]],
        y: Sequence[float] | Array,
        weights: Sequence[float] | Array,
        unit: float = 1.0,
    ) -> ExactProblem:
        """Take numbers as the rationals that they are; equal columns are one."""
        distinct = {tuple(fractions(column)) for column in columns}
        mass = fractions(weights)
        shares = [weight / sum(mass) for weight in mass]
        ordered = [list(column) for column in sorted(distinct)]
        return cls(ordered, fractions(y), shares, sum(mass, Fraction(0)), Fraction(float(unit)))

    def spread(self) -> Fraction:
        """Median distance of the targets from their median, else the mean or largest one, else 1.

        The definition is that of :func:`~marginboost.algorithms.gradient_boost_regressor.spread`:
        a distance that numbers cannot resolve beside the median or the largest one is no unit.
        """
        middle = self._median(self.y)
        far = [abs(y - middle) for y in self.y]
        unit, largest = self._median(far), max(far)
        least = max(abs(middle) / 2**48, largest / 2**200, Fraction(1, 2**1000))
        if unit <= least:
            unit = dot(self.weights, far)
            unit = largest if unit <= largest / 2**17 else unit
        return unit if unit > least else Fraction(1)

    def _median(self, values: Row) -> Fraction:
        """The lower median, up to the rounding of weights."""
        below = Fraction(0)
        for value, weight in sorted(zip(values, self.weights, strict=True)):
            below += weight
            if below >= Fraction(1, 2) - Fraction(1, 10**12):
                return value
        return max(values)

    def outcomes(self) -> list[Row]:
        """``y_i h_j(x_i)``, one list per row."""
        return [[y * column[i] for column in self.columns] for i, y in enumerate(self.y)]


def dot(one: Row, other: Row) -> Fraction:
    """Inner product."""
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


# -- best values -----------------------------------------------------------------------------------


@singledispatch
def exact_optimum(objective: Objective, problem: ExactProblem) -> Fraction | None:
    """Best value over all combinations with coefficients >= 0; None where no program is known."""
    return None


@exact_optimum.register
def _(objective: Margin, problem: ExactProblem) -> Fraction | None:
    return _soft_margin(problem, None)


@exact_optimum.register
def _(objective: SoftMargin, problem: ExactProblem) -> Fraction | None:
    return _soft_margin(problem, Fraction(objective.nu))


def _soft_margin(problem: ExactProblem, nu: Fraction | None) -> Fraction:
    """``max ρ - Σ p ξ / ν`` under ``Σ_j α_j y h_j + ξ >= ρ``, raised by 2 so that ρ is above 0."""
    outcomes, n, m = problem.outcomes(), len(problem.y), len(problem.columns)
    one = Fraction(1)
    short = 0 if nu is None else n
    costs = [one, *[Fraction(0)] * m, *(-p / nu for p in problem.weights if nu is not None)]
    rows = [
        [one, *(-(value + 2) for value in row), *(Fraction(-int(i == k)) for k in range(short))]
        for i, row in enumerate(outcomes)
    ]
    rows.append([Fraction(0), *[one] * m, *[Fraction(0)] * short])
    return maximum(costs, rows, [*[Fraction(0)] * n, one]) - 2


@exact_optimum.register
def _(objective: NegativeMargin, problem: ExactProblem) -> Fraction | None:
    """``max Σ_j α_j C mean_j - Σ p ξ``, the mean margin raised by 2 where Σα <= 1 is met."""
    outcomes, n, m = problem.outcomes(), len(problem.y), len(problem.columns)
    C, aim = Fraction(objective.C), Fraction(objective.target_margin)
    gains = [C * dot(problem.weights, [row[j] for row in outcomes]) for j in range(m)]
    # Shortfalls of the empty combination are aim + 2 at once, and margins raised by 2 reduce them:
    # s = covered part of the shortfall, at most aim + 2 and at most what Σ α (y h + 2) gives.
    raised = [gain + 2 * C + 2 for gain in gains]
    costs = [*raised, *problem.weights]
    rows = [
        [*(-(value + 2) for value in row), *(Fraction(int(i == k)) for k in range(n))]
        for i, row in enumerate(outcomes)
    ]
    rows += [[*[Fraction(0)] * m, *(Fraction(int(i == k)) for k in range(n))] for i in range(n)]
    rows.append([*[Fraction(1)] * m, *[Fraction(0)] * n])
    limits = [*[Fraction(0)] * n, *[aim + 2] * n, Fraction(1)]
    return maximum(costs, rows, limits) - 2 * C - 2 - (aim + 2)


@exact_optimum.register
def _(objective: PricedMargin, problem: ExactProblem) -> Fraction | None:
    """``1 - P / P(0)`` by the dual ``max Σd`` under ``d <= w`` and every edge at most C."""
    outcomes, n, m = problem.outcomes(), len(problem.y), len(problem.columns)
    price = Fraction(objective.price(float(problem.total)))
    rows = [[row[j] for row in outcomes] for j in range(m)]
    rows += [[Fraction(int(i == k)) for k in range(n)] for i in range(n)]
    weights = [problem.total * weight for weight in problem.weights]
    least = maximum([Fraction(1)] * n, rows, [*[price] * m, *weights])
    return 1 - least / problem.total


@exact_optimum.register
def _(objective: TubeGain, problem: ExactProblem) -> Fraction | None:
    constant = tube_cost(objective, problem, with_hypotheses=False)
    return (constant - tube_cost(objective, problem)) / problem.unit


@exact_optimum.register
def _(objective: TubeShare, problem: ExactProblem) -> Fraction | None:
    constant = tube_cost(objective, problem, with_hypotheses=False)
    return 1 - tube_cost(objective, problem) / constant if constant else Fraction(0)


def tube_cost(
    objective: TubeGain, problem: ExactProblem, *, with_hypotheses: bool = True
) -> Fraction:
    """Least ``price Σα + mean cost``, by the dual over signed weights, up less down."""
    p, zero, one = problem.weights, Fraction(0), Fraction(1)
    n = len(p)
    q = None if objective.quantile is None else Fraction(objective.quantile)
    over, under = (one, one) if q is None else (q, 1 - q)
    epsilon = Fraction(objective.epsilon or 0.0)
    costs = [*(y - epsilon for y in problem.y), *(-y - epsilon for y in problem.y)]
    rows = [[*[one] * n, *[-one] * n], [*[-one] * n, *[one] * n]]
    limits = [zero, zero]
    for i in range(2 * n):
        rows.append([Fraction(int(i == k)) for k in range(2 * n)])
        limits.append(p[i % n] * (over if i < n else under))
    if objective.nu is not None:
        rows.append([one] * (2 * n))
        limits.append(Fraction(objective.nu))
    for column in problem.columns if with_hypotheses else []:
        rows.append([*column, *(-value for value in column)])
        limits.append(Fraction(objective.price))
    return maximum(costs, rows, limits)


# -- values of a model -----------------------------------------------------------------------------


@singledispatch
def exact_value(
    objective: Objective, problem: ExactProblem, scores: Row, norm: Fraction
) -> Fraction | None:
    """Value of a model with these scores and this Σ|coef|; None where it is no rational."""
    return None


def _margins(problem: ExactProblem, scores: Row, norm: Fraction) -> Row:
    return [y * score / (norm or 1) for y, score in zip(problem.y, scores, strict=True)]


@exact_value.register
def _(objective: Margin, problem: ExactProblem, scores: Row, norm: Fraction) -> Fraction | None:
    return min(_margins(problem, scores, norm))


@exact_value.register
def _(objective: SoftMargin, problem: ExactProblem, scores: Row, norm: Fraction) -> Fraction | None:
    margins, nu = _margins(problem, scores, norm), Fraction(objective.nu)
    return max(rho - _shortfall(problem, margins, rho) / nu for rho in margins)


@exact_value.register
def _(
    objective: NegativeMargin, problem: ExactProblem, scores: Row, norm: Fraction
) -> Fraction | None:
    margins = _margins(problem, scores, norm)
    short = _shortfall(problem, margins, Fraction(objective.target_margin))
    return Fraction(objective.C) * dot(problem.weights, margins) - short


@exact_value.register
def _(
    objective: PricedMargin, problem: ExactProblem, scores: Row, norm: Fraction
) -> Fraction | None:
    price = Fraction(objective.price(float(problem.total)))
    outcomes = [y * score for y, score in zip(problem.y, scores, strict=True)]
    return 1 - price * norm / problem.total - _shortfall(problem, outcomes, Fraction(1))


@exact_value.register
def _(objective: TubeGain, problem: ExactProblem, scores: Row, norm: Fraction) -> Fraction | None:
    constant = tube_cost(objective, problem, with_hypotheses=False)
    return (constant - _model_cost(objective, problem, scores, norm)) / problem.unit


@exact_value.register
def _(objective: TubeShare, problem: ExactProblem, scores: Row, norm: Fraction) -> Fraction | None:
    constant = tube_cost(objective, problem, with_hypotheses=False)
    cost = _model_cost(objective, problem, scores, norm)
    return 1 - cost / constant if constant else Fraction(0)


def _shortfall(problem: ExactProblem, margins: Row, aim: Fraction) -> Fraction:
    """Mean of what margins lack."""
    return dot(problem.weights, [max(aim - margin, Fraction(0)) for margin in margins])


def _model_cost(
    objective: TubeGain, problem: ExactProblem, scores: Row, norm: Fraction
) -> Fraction:
    """``price Σα + mean cost`` of predictions as they are, at the best width where ν is given."""
    off = [y - score for y, score in zip(problem.y, scores, strict=True)]
    price = Fraction(objective.price) * norm
    if objective.quantile is not None:
        q = Fraction(objective.quantile)
        return price + dot(problem.weights, [max(q * r, (q - 1) * r) for r in off])

    def cost(width: Fraction) -> Fraction:
        return dot(problem.weights, [max(abs(r) - width, Fraction(0)) for r in off])

    if objective.nu is None:
        return price + cost(Fraction(objective.epsilon or 0.0))
    nu = Fraction(objective.nu)
    return price + min(cost(width) + nu * width for width in [Fraction(0), *map(abs, off)])
