"""Breiman's artificial problems: twonorm, ringnorm, waveform.

Known class densities, twenty or so features, and no single feature that tells much: the classic
tests of combined classifiers. After Breiman, *Bias, variance, and arcing classifiers*, 1996.
"""

from __future__ import annotations

import numpy as np

from ..types import Array

DIMENSION = 20
WAVE_POINTS = 21


def twonorm(n: int = 2000, seed: int = 0) -> tuple[Array, Array]:
    """Two unit normals in 20 dimensions, means ±2/√20 in every coordinate; Bayes error 2.3 %.

    >>> X, y = twonorm(10)
    >>> X.shape, sorted(set(y.tolist()))
    ((10, 20), [0, 1])
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    shift = 2.0 / np.sqrt(DIMENSION)
    return rng.normal(size=(n, DIMENSION)) + shift * (2 * y - 1)[:, None], y


def ringnorm(n: int = 2000, seed: int = 0) -> tuple[Array, Array]:
    """A normal with variance 4 around the origin, and a unit one at 2/√20 in every coordinate."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    noise = rng.normal(size=(n, DIMENSION))
    shift = 2.0 / np.sqrt(DIMENSION)
    return np.where(y[:, None] == 0, 2.0 * noise, noise + shift), y


def waveform(n: int = 2000, seed: int = 0) -> tuple[Array, Array]:
    """Three classes: random mixtures of two of three triangular waves, with unit noise."""
    rng = np.random.default_rng(seed)
    points = np.arange(1, WAVE_POINTS + 1)
    waves = np.maximum(6.0 - np.abs(points - np.array([[11.0], [15.0], [7.0]])), 0.0)
    y, share = rng.integers(0, 3, n), rng.random((n, 1))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    first, second = waves[pairs[y, 0]], waves[pairs[y, 1]]
    return share * first + (1.0 - share) * second + rng.normal(size=(n, WAVE_POINTS)), y
