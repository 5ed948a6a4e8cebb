"""Synthetic data of known difficulty, and the quality of a model's scores on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

Array = np.ndarray[Any, np.dtype[Any]]

LABEL_NOISE = 0.2
TRAIN, TEST = 0, 1


def synthetic(
    n_rows: int, n_features: int, part: int = TRAIN, seed: int = 0
) -> tuple[Array, Array]:
    """Draw rows of a noisy two-class problem with mixed features.

    Every column is seen through one of four monotone scales, in turn: normal, uniform, log-normal,
    and whole numbers with about twenty distinct values. Monotone scales change nothing that a stump
    could know, but much about binning.

    Every other column is informative: it adds one of four effects to a score (linear, step,
    quadratic, wave), so no single stump suffices. The columns between them are decoys, correlated
    (0.6) with the informative column before. The label is the sign of the score; then 20 % of the
    labels, drawn at random, are flipped. The best possible accuracy is therefore 0.8.

    Parameters
    ----------
    n_rows, n_features : int
        Shape of X.
    part : int
        ``TRAIN`` and ``TEST`` draw different rows of the same problem.
    seed : int
        Seed of the rows.

    Returns
    -------
    X : array (n_rows, n_features) of float64, in C order
    y : array of int64, 0 and 1
    """
    rng = np.random.default_rng([seed, part, n_rows, n_features])
    X = np.empty((n_rows, n_features))
    score = np.zeros(n_rows)
    latent = np.zeros(n_rows)
    for j in range(n_features):
        fresh = rng.standard_normal(n_rows)
        if j % 2 == 0:
            latent = fresh
            score += _effect(latent, j // 2)
            X[:, j] = _scale(latent, j)
        else:
            X[:, j] = _scale(0.6 * latent + 0.8 * fresh, j)
    flip = rng.random(n_rows) < LABEL_NOISE
    return X, ((score > 0) ^ flip).astype(np.int64)


def _effect(z: Array, k: int) -> Array:
    """Effect number ``k`` of a standard normal value; each has mean zero and similar size."""
    effects = (
        lambda: z,
        lambda: np.where(z > 0.5, 1.4, -0.62),
        lambda: 0.7 * (z**2 - 1.0),
        lambda: np.sin(2.0 * z),
    )
    return effects[k % 4]()


def _scale(z: Array, j: int) -> Array:
    """Value of column ``j`` as users would see it."""
    scales = (
        lambda: z,
        lambda: ndtr(z),
        lambda: np.exp(z),
        lambda: np.rint(3.0 * z),
    )
    return scales[(j // 2 + j) % 4]()


def quality(log_odds: Array, y: Array) -> dict[str, float]:
    """Log loss and accuracy of log-odds, computed here so that no contender reports its own."""
    signed = np.where(y == 1, log_odds, -np.asarray(log_odds))
    return {
        "log_loss": float(np.logaddexp(0.0, -signed).mean()),
        "accuracy": float(((log_odds >= 0) == (y == 1)).mean()),
    }
