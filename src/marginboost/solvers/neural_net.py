"""A net of one hidden layer, fitted to weighted goals (BA-B3).

Problem: with z the coordinates of a row, w its weight, g its goal in [-1, 1] and σ the logistic
function, minimise over U, V (the last column or entry belongs to a constant)

    Σ w (log(1 + exp u) - t u) + λ (|U|² + |V|²),     u = V·[σ(U [z, 1]), 1],   t = 0.5 + 0.4 g,

the log loss of the output σ(u), which should be 0.9 or 0.1 for goals of 1 and -1: finite weights
reach that. By L-BFGS from small random weights; a local minimum is all that is promised.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ..types import Array

Task = tuple[Array, Array, Array, float]
"""Rows with a last column of ones, goals, weights, and λ."""
REACHED = 0.4
"""How far from one half the output should be for a goal of 1."""


def net_loss(
    parameters: Array, task: tuple[Array, Array, Array, float], n_hidden: int
) -> tuple[float, Array]:
    """Value and gradient of the problem at U and V, flat and one after the other.

    ``task`` is rows with a last column of ones, goals, weights, and λ.
    """
    rows, goal, weights, penalty = task
    inner = parameters[: n_hidden * rows.shape[1]].reshape(n_hidden, -1)
    outer = parameters[inner.size :]
    hidden = expit(rows @ inner.T)
    logit, wanted = hidden @ outer[:-1] + outer[-1], 0.5 + REACHED * goal
    loss = weights @ (np.logaddexp(0.0, logit) - wanted * logit)
    value = float(loss) + penalty * float(parameters @ parameters)
    slope = weights * (expit(logit) - wanted)
    back = slope[:, None] * outer[:-1] * hidden * (1.0 - hidden)
    gradient = np.concatenate([(back.T @ rows).ravel(), slope @ hidden, [slope.sum()]])
    return value, gradient + 2.0 * penalty * parameters


def fit_net(
    rows: Array,
    goal: Array,
    weights: Array,
    *,
    n_hidden: int,
    penalty: float,
    max_iter: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """U (n_hidden, coordinates + 1) and V (n_hidden + 1,) of a net."""
    rows = np.column_stack([rows, np.ones(len(rows))])
    width = rows.shape[1]
    reach = np.sqrt(6.0 / (width + n_hidden))
    start = rng.uniform(-reach, reach, n_hidden * (width + 1) + 1)
    task = (rows, goal, weights, penalty)
    options = {"maxiter": max_iter}
    found = minimize(
        net_loss, start, args=(task, n_hidden), jac=True, method="L-BFGS-B", options=options
    )
    inner = found.x[: n_hidden * width].reshape(n_hidden, width)
    return inner, found.x[n_hidden * width :]
