"""Objectives once more: the value of a model and the best value, by solvers of other hands.

``outcomes[i, j]`` is ``y_i h_j(x_i)`` of row i and hypothesis j, rows weigh the same. Objectives of
residuals take the labels as the numbers that they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from ..core.objective import (
    CentredLoss,
    LossWithinNorm,
    Margin,
    MarginDistribution,
    NegativeMargin,
    Objective,
    PricedMargin,
    RegularisedLoss,
    SoftMargin,
    SquaredLoss,
    SquaredNorm,
    TrainingLoss,
    TubeGain,
    TubeShare,
)
from ..losses import Hinge, Loss
from ..solvers.margin_lp import solve_margin_lp, solve_priced_margin_lp
from ..types import Array

# -- best values ---------------------------------------------------------------------------------


@singledispatch
def optimum(objective: Objective, outcomes: Array, l1_norm: float, y: Array) -> float:
    """Best value over all combinations; ``l1_norm`` is the Σα that one of a moving norm allows."""
    raise AssertionError(f"no independent solver is known for the objective {objective!r}")


@optimum.register
def _(objective: Margin, outcomes: Array, l1_norm: float, y: Array) -> float:
    return solve_margin_lp(outcomes).value


@optimum.register
def _(objective: SoftMargin, outcomes: Array, l1_norm: float, y: Array) -> float:
    return solve_margin_lp(outcomes, objective.nu).value


@optimum.register
def _(objective: MarginDistribution, outcomes: Array, l1_norm: float, y: Array) -> float:
    from scipy.optimize import minimize  # here, not above: half a second at import

    m, mean = outcomes.shape[1], outcomes.mean(axis=0)
    spread = objective.D * np.atleast_2d(np.cov(outcomes.T, bias=True))
    sum_one = {"type": "eq", "fun": lambda c: c.sum() - 1.0, "jac": lambda c: np.ones(m)}
    found = minimize(
        lambda coef: 0.5 * coef @ spread @ coef - mean @ coef,
        np.full(m, 1.0 / m),
        jac=lambda coef: spread @ coef - mean,
        method="SLSQP",
        bounds=[(0.0, None)] * m,
        constraints=sum_one,
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return -float(found.fun)


@optimum.register
def _(objective: NegativeMargin, outcomes: Array, l1_norm: float, y: Array) -> float:
    from scipy.optimize import linprog  # here, not above: half a second at import

    n, m = outcomes.shape
    costs = np.append(-objective.C * outcomes.mean(axis=0), np.full(n, 1.0 / n))
    found = linprog(
        costs,
        A_ub=-np.hstack([outcomes, np.eye(n)]),
        b_ub=np.full(n, -objective.target_margin),
        A_eq=np.append(np.ones(m), np.zeros(n))[None],
        b_eq=[1.0],
    )
    return -float(found.fun)


@optimum.register
def _(objective: SquaredNorm, outcomes: Array, l1_norm: float, y: Array) -> float:
    from scipy.optimize import minimize  # here, not above: half a second at import

    n, m = outcomes.shape
    both = np.hstack([outcomes, np.eye(n)])
    slope = np.append(np.zeros(m), np.full(n, objective.C))
    quadratic = np.append(np.ones(m), np.zeros(n))
    found = minimize(
        lambda x: 0.5 * quadratic @ x**2 + slope @ x,
        np.append(np.zeros(m), np.ones(n)),
        jac=lambda x: quadratic * x + slope,
        method="SLSQP",
        bounds=[(0.0, None)] * (m + n),
        constraints={"type": "ineq", "fun": lambda x: both @ x - 1.0, "jac": lambda x: both},
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    return 1.0 - float(found.fun) / (objective.C * n)


@optimum.register
def _(objective: PricedMargin, outcomes: Array, l1_norm: float, y: Array) -> float:
    price = objective.price(len(outcomes))
    return 1.0 - solve_priced_margin_lp(outcomes, price).objective / len(outcomes)


@optimum.register
def _(objective: RegularisedLoss, outcomes: Array, l1_norm: float, y: Array) -> float:
    options = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 100_000}
    risk = _risk(objective.loss, outcomes, objective.price(len(outcomes)))
    return _most_saved(risk, outcomes.shape[1], method="L-BFGS-B", options=options)


@optimum.register
def _(objective: TrainingLoss, outcomes: Array, l1_norm: float, y: Array) -> float:
    return 1.0  # what any scores could save: no loss is below 0


@optimum.register
def _(objective: LossWithinNorm, outcomes: Array, l1_norm: float, y: Array) -> float:
    m = outcomes.shape[1]
    shorter = {
        "type": "ineq",
        "fun": lambda coef: l1_norm - coef.sum(),
        "jac": lambda coef: -np.ones(m),
    }
    options = {"ftol": 1e-12, "maxiter": 1000}
    risk = _risk(objective.loss, outcomes)
    return _most_saved(risk, m, method="SLSQP", constraints=shorter, options=options)


@optimum.register
def _(objective: SquaredLoss, outcomes: Array, l1_norm: float, y: Array) -> float:
    coef = np.linalg.lstsq(outcomes, np.ones(len(outcomes)), rcond=None)[0]
    return 1.0 - float(np.mean((outcomes @ coef - 1.0) ** 2))


@optimum.register
def _(objective: TubeGain, outcomes: Array, l1_norm: float, y: Array) -> float:
    nothing = np.zeros((len(y), 0))
    gain = _tube_cost(objective, nothing, y) - _tube_cost(objective, y[:, None] * outcomes, y)
    return gain / _spread(y)


@optimum.register
def _(objective: TubeShare, outcomes: Array, l1_norm: float, y: Array) -> float:
    least = _tube_cost(objective, y[:, None] * outcomes, y)
    return 1.0 - least / _tube_cost(objective, np.zeros((len(y), 0)), y)


@optimum.register
def _(objective: CentredLoss, outcomes: Array, l1_norm: float, y: Array) -> float:
    columns, price = y[:, None] * outcomes, objective.price(len(y))
    least = _centred_loss(objective.loss, columns, y / _spread(y), price)
    return 1.0 - least / _centred_loss(objective.loss, columns[:, :0], y / _spread(y), price)


def _centred_loss(loss: Loss, columns: Array, y: Array, price: float) -> float:
    """Least ``price Σα + Σ loss`` over α >= 0 and a free intercept."""
    from scipy.optimize import minimize  # here, not above: half a second at import

    both = np.hstack([columns, np.ones((len(y), 1))])
    prices = np.append(np.full(columns.shape[1], price), 0.0)

    def risk(coef: Array) -> tuple[float, Array]:
        t = loss.argument(y, both @ coef)
        return float(prices @ coef + loss.value(t).sum()), prices - loss.dual(t) @ both

    bounds = [(0.0, None)] * columns.shape[1] + [(None, None)]
    options = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 100_000}
    start = np.zeros(both.shape[1])
    found = minimize(risk, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return float(found.fun)


def _tube_cost(objective: TubeGain, columns: Array, y: Array) -> float:
    """Least ``price Σα + mean cost`` over α, intercept and tube, as one linear program."""
    from scipy.optimize import linprog  # here, not above: half a second at import

    (n, m), ones = columns.shape, np.ones((len(y), 1))
    q = objective.quantile
    over, under = (1.0, 1.0) if q is None else (q, 1.0 - q)
    width = (0.0, None) if objective.nu is not None else (objective.epsilon or 0.0,) * 2
    costs = [np.full(m, objective.price), np.array([0.0, objective.nu or 0.0])]
    costs += [np.full(n, over / n), np.full(n, under / n)]
    above = np.hstack([-columns, -ones, -ones, -np.eye(n), np.zeros((n, n))])
    below = np.hstack([columns, ones, -ones, np.zeros((n, n)), -np.eye(n)])
    bounds = [(0.0, None)] * m + [(None, None), width] + [(0.0, None)] * (2 * n)
    matrix, right = np.vstack([above, below]), np.concatenate([-y, y])
    return float(linprog(np.concatenate(costs), matrix, right, bounds=bounds).fun)


def _spread(y: Array) -> float:
    """Median distance from the median, else the mean one, else 1; lower medians."""
    middle = (len(y) - 1) // 2
    far = np.abs(y - np.sort(y)[middle])
    return float(np.sort(far)[middle] or far.mean() or 1.0)


def _risk(loss: Loss, outcomes: Array, C: float = 0.0) -> Callable[[Array], tuple[float, Array]]:
    """Return the function from coefficients to ``C Σα + Σ loss`` and its gradient."""
    labels = np.ones(len(outcomes))

    def risk(coef: Array) -> tuple[float, Array]:
        t = loss.argument(labels, outcomes @ coef)
        slope = C - loss.signed(labels, loss.dual(t)) @ outcomes
        return float(C * coef.sum() + loss.value(t).sum()), slope

    return risk


def _most_saved(risk: Callable[[Array], tuple[float, Array]], m: int, **settings: Any) -> float:
    """Share of ``risk(0)`` that the best coefficients, none negative, save."""
    from scipy.optimize import minimize  # here, not above: half a second at import

    start = np.zeros(m)
    result = minimize(risk, start, jac=True, bounds=[(0.0, None)] * m, **settings)
    return 1.0 - float(result.fun) / risk(start)[0]


# -- values of a model ---------------------------------------------------------------------------


@singledispatch
def attained(objective: Objective, y: Array, scores: Array, l1_norm: float) -> float:
    """Value of a model with these scores and this Σ|coef|, from the definition."""
    raise AssertionError(f"no definition is known for the objective {objective!r}")


@attained.register
def _(objective: Margin, y: Array, scores: Array, l1_norm: float) -> float:
    return float((y * scores).min()) / (l1_norm or 1.0)


@attained.register
def _(objective: SoftMargin, y: Array, scores: Array, l1_norm: float) -> float:
    margins = y * scores / (l1_norm or 1.0)
    shortfalls = np.maximum(margins[:, None] - margins, 0.0).mean(axis=1)
    return float((margins - shortfalls / objective.nu).max())


@attained.register
def _(objective: MarginDistribution, y: Array, scores: Array, l1_norm: float) -> float:
    margins = y * scores / (l1_norm or 1.0)
    return float(margins.mean() - 0.5 * objective.D * margins.var())


@attained.register
def _(objective: NegativeMargin, y: Array, scores: Array, l1_norm: float) -> float:
    margins = y * scores / (l1_norm or 1.0)
    short = np.maximum(objective.target_margin - margins, 0.0)
    return float(objective.C * margins.mean() - short.mean())


@attained.register
def _(objective: SquaredNorm, y: Array, scores: Array, l1_norm: float) -> float:
    return _saved(Hinge(), y, scores, 0.5 * l1_norm**2 / objective.C)


@attained.register
def _(objective: PricedMargin, y: Array, scores: Array, l1_norm: float) -> float:
    return _saved(Hinge(), y, scores, objective.price(len(y)) * l1_norm)


@attained.register
def _(objective: RegularisedLoss, y: Array, scores: Array, l1_norm: float) -> float:
    return _saved(objective.loss, y, scores, objective.price(len(y)) * l1_norm)


@attained.register
def _(objective: LossWithinNorm, y: Array, scores: Array, l1_norm: float) -> float:
    return _saved(objective.loss, y, scores)


@attained.register
def _(objective: SquaredLoss, y: Array, scores: Array, l1_norm: float) -> float:
    return _saved(objective.loss, y, scores)


@attained.register
def _(objective: TrainingLoss, y: Array, scores: Array, l1_norm: float) -> float:
    from scipy.optimize import minimize_scalar  # here, not above: half a second at import

    def total(at: Any) -> float:
        return float(objective.loss.value(objective.loss.argument(y, at + np.zeros(len(y)))).sum())

    constant = minimize_scalar(total, bounds=(-10.0, 10.0), method="bounded")
    return 1.0 - total(scores) / float(constant.fun)


@attained.register
def _(objective: TubeShare, y: Array, scores: Array, l1_norm: float) -> float:
    gain = attained.dispatch(TubeGain)(objective, y, scores, l1_norm)
    return gain * _spread(y) / _tube_cost(objective, np.zeros((len(y), 0)), y.astype(float))


@attained.register
def _(objective: CentredLoss, y: Array, scores: Array, l1_norm: float) -> float:
    loss, unit, price = objective.loss, _spread(y), objective.price(len(y))
    constant = _centred_loss(loss, np.zeros((len(y), 0)), y / unit, price)
    found = price * l1_norm / unit + float(loss.value((y - scores) / unit).sum())
    return 1.0 - found / constant


@attained.register
def _(objective: TubeGain, y: Array, scores: Array, l1_norm: float) -> float:
    off, q, nu = y - scores, objective.quantile, objective.nu
    if q is not None:
        cost = float(np.maximum(q * off, (q - 1.0) * off).mean())
    else:
        widths = np.append(np.abs(off), 0.0) if nu is not None else np.array([objective.epsilon])
        outside = np.maximum(np.abs(off) - widths[:, None], 0.0).mean(axis=1)
        cost = float((outside + (nu or 0.0) * widths).min())
    constant = _tube_cost(objective, np.zeros((len(y), 0)), y.astype(float))
    return (constant - objective.price * l1_norm - cost) / _spread(y)


def _saved(loss: Loss, y: Array, scores: Array, price: float = 0.0) -> float:
    """``1 - (price + Σ loss) / Σ loss(0)``."""
    empty = loss.value(loss.argument(y, np.zeros(len(y)))).sum()
    return 1.0 - float(price + loss.value(loss.argument(y, scores)).sum()) / float(empty)
