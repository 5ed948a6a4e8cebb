"""RBF nets with adaptive centres (R2-B1): least squares by conjugate gradients.

Problem, with weights q of the rows, Σ q = 1, and a goal y of each row:

    min_{μ, σ, w}  E = ½ Σ_n q_n (y_n - f(z_n))² + ½ λ Σ_k w_k²,
    f(z) = Σ_k w_k exp(-|z - μ_k|² / (2 σ_k²)).

The factors w are eliminated: for given centres and widths they solve a ridge problem,
(GᵀQG + λI) w = GᵀQy, and the slope of what is left, E(μ, σ), is the partial one at that w, since E
is stationary in w (R2-C24). λ is relative to all weight; printed is 2λ'/N against a total of N
(R2-X10), so λ = 2λ'/N².

References: Rätsch 2001, B.6.1; Müller et al. 1998.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..kernels.expansions import radial_values
from ..types import Array

NARROWEST, WIDEST = 1e-3, 1e3
"""Limits of widths, in units of the rows' spread."""
LLOYD_STEPS = 10
TRIALS = 4
"""Most evaluations of one line search."""


@dataclass(frozen=True)
class Task:
    """What a net is fitted to.

    Parameters
    ----------
    rows : array (n_rows, n_coordinates)
        Rows, standardised.
    goal, weights : array (n_rows,)
        What the net should answer, and how much that counts; weights have sum one.
    penalty : float
        λ.
    """

    rows: Array
    goal: Array
    weights: Array
    penalty: float


@dataclass(frozen=True)
class Net:
    """Centres, logarithms of widths, and the best factors for them."""

    centres: Array
    log_widths: Array
    coef: Array
    loss: float
    slope: Array
    """Of the loss by centres, then by logarithms of widths, flat."""

    @property
    def rates(self) -> Array:
        """``1 / (2 σ²)``."""
        return 0.5 * np.exp(-2.0 * self.log_widths)


def fit_net(task: Task, n_centres: int, n_steps: int, rng: np.random.Generator) -> Net:
    """Fit a net: centres of clusters first, then steps of conjugate gradients."""
    centres = _cluster(task, n_centres, rng)
    return descend(task, evaluate(task, centres, _widths(task, centres)), n_steps)


def evaluate(task: Task, centres: Array, log_widths: Array) -> Net:
    """Net with the best factors for these centres and widths."""
    n_rows, n_centres = len(task.rows), len(centres)
    values, squares = np.empty((n_rows, n_centres)), np.empty((n_rows, n_centres))
    rates = 0.5 * np.exp(-2.0 * log_widths)
    radial_values(task.rows, np.ascontiguousarray(centres.T), rates, values, squares)
    weighted = task.weights[:, None] * values
    gram = weighted.T @ values
    gram[np.diag_indices(n_centres)] += task.penalty
    coef = cho_solve(cho_factor(gram, check_finite=False), weighted.T @ task.goal)
    miss = values @ coef - task.goal
    loss = 0.5 * float(task.weights @ miss**2) + 0.5 * task.penalty * float(coef @ coef)
    pulls = weighted * miss[:, None] * coef  # (B.17), (B.18), with 1/σ² = 2 rate
    moves = 2.0 * rates[:, None] * (pulls.T @ task.rows - pulls.sum(axis=0)[:, None] * centres)
    widths = 2.0 * rates * (pulls * squares).sum(axis=0)
    return Net(centres, log_widths, coef, loss, np.concatenate([moves.ravel(), widths]))


def descend(task: Task, net: Net, n_steps: int) -> Net:
    """Conjugate gradients (Polak and Ribière) on centres and widths; the loss never rises."""
    direction, length = -net.slope, 0.0
    for _ in range(n_steps):
        fall = float(net.slope @ direction)
        if fall >= 0.0:  # no way down: begin anew along the gradient
            direction = -net.slope
            fall = -float(net.slope @ net.slope)
        size = float(np.abs(direction).max(initial=0.0))
        if size <= 1e-12 or net.loss <= 1e-15:
            break
        found, length = _search(task, net, direction, fall, length or 0.1 / size)
        if found.loss >= net.loss:
            break
        change = float(found.slope @ (found.slope - net.slope)) / float(net.slope @ net.slope)
        direction = -found.slope + max(change, 0.0) * direction
        net = found
    return net


def _search(
    task: Task, net: Net, direction: Array, fall: float, length: float
) -> tuple[Net, float]:
    """Best of a few lengths, each the lowest point of the parabola through the last one."""
    best, best_length = net, length
    for _ in range(TRIALS):
        tried = _moved(task, net, direction, length)
        better = tried.loss < best.loss
        if better:
            best, best_length = tried, length
        elif best is not net:
            break
        rise = tried.loss - net.loss - length * fall  # curvature times length² / 2
        lowest = -0.5 * fall * length**2 / rise if rise > 0.0 else 4.0 * length
        following = min(max(lowest, 0.1 * length), 4.0 * length)
        if better and abs(following - length) <= 0.2 * length:
            break
        length = following
    return best, best_length


def _moved(task: Task, net: Net, direction: Array, length: float) -> Net:
    n_moves = net.centres.size
    centres = net.centres + length * direction[:n_moves].reshape(net.centres.shape)
    log_widths = net.log_widths + length * direction[n_moves:]
    if np.abs(log_widths).max() > np.log(WIDEST) or np.abs(centres).max(initial=0.0) > WIDEST:
        return replace(net, loss=np.inf)
    return evaluate(task, centres, log_widths)


# -- the start -------------------------------------------------------------------------------------


def _cluster(task: Task, n_centres: int, rng: np.random.Generator) -> Array:
    """Weighted k-means from rows drawn by weight; centres that fall together are one."""
    n_rows = len(task.rows)
    possible = int(np.count_nonzero(task.weights))
    drawn = rng.choice(n_rows, min(n_centres, possible), replace=False, p=task.weights)
    centres = np.unique(task.rows[drawn], axis=0)
    for _ in range(LLOYD_STEPS):
        unused, squares = np.empty((n_rows, len(centres))), np.empty((n_rows, len(centres)))
        flat = np.zeros(len(centres))  # rates of zero: only the distances are wanted
        radial_values(task.rows, np.ascontiguousarray(centres.T), flat, unused, squares)
        belongs = np.zeros((n_rows, len(centres)))
        belongs[np.arange(n_rows), np.argmin(squares, axis=1)] = task.weights
        mass = belongs.sum(axis=0)
        filled = mass > 0.0  # of two centres that fell together the second has no rows
        means = (belongs.T @ task.rows)[filled] / mass[filled, None]
        following = np.clip(means, -WIDEST, WIDEST)
        settled = (
            len(following) == len(centres) and np.abs(following - centres).max(initial=0.0) <= 1e-8
        )
        centres = following
        if settled:
            break
    return np.unique(centres, axis=0)


def _widths(task: Task, centres: Array) -> Array:
    """Logarithm of the distance to the nearest other centre; of one centre, the rows' spread."""
    if len(centres) == 1:
        apart = task.rows - centres[0]
        widths = np.sqrt(task.weights @ (apart**2).sum(axis=1))[None]
    else:
        apart = ((centres[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        apart[np.diag_indices(len(centres))] = np.inf
        widths = np.sqrt(apart.min(axis=1))
    return np.log(np.clip(widths, NARROWEST, WIDEST))
