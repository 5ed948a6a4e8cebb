"""Points of the plane and pictures of votes that several experiments share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from marginboost.types import Array

EXTENT = (-1.9, 2.9, -1.6, 2.1)


def banana(n: int, variance: float, seed: int) -> tuple[Array, Array]:
    """Two interleaved arcs of radius one with normal noise of this variance; labels -1, 1.

    The thesis's own banana data are given by a figure only.
    """
    X, y = make_moons(n, noise=float(np.sqrt(variance)), random_state=seed)
    return X, np.where(y > 0, 1, -1)


def blobs(n: int, flipped: float, seed: int, spread: float = 0.6) -> tuple[Array, Array]:
    """Six Gaussian blobs of the plane, three a class; a share of the labels is flipped.

    The centres are the same for every seed.
    """
    rng = np.random.default_rng([7, seed])
    centres = np.array([(-2, 0), (1, 2), (1.5, -1.5), (-0.5, -2), (0, 0.3), (2.6, 0.6)])
    which = rng.integers(0, 6, n)
    X = centres[which] + spread * rng.normal(size=(n, 2))
    y = np.where(which < 3, 1, -1)
    flip = rng.permutation(n)[: round(flipped * n)]
    y[flip] *= -1
    return X, y


def lattice(extent: tuple[float, float, float, float] = EXTENT, n: int = 140) -> Array:
    """Points of a grid, row by row."""
    x0, x1 = np.linspace(*extent[:2], n), np.linspace(*extent[2:], n)
    return np.stack(np.meshgrid(x0, x1), axis=-1).reshape(-1, 2)


def draw_votes(
    ax: Any,
    votes: Any,
    X: Any,
    y: Any,
    weights: Any = None,
    extent: tuple[float, float, float, float] = EXTENT,
) -> None:
    """Colours of a vote on :func:`lattice`, its boundary, and points as large as their weights."""
    from marginboost.diagnostics.displays.style import BLUE, INK, ORANGE, vote_colors

    n = round(np.sqrt(len(votes)))
    values = np.array(votes).reshape(n, n)
    limit = max(float(np.abs(values).max()), 1e-9)
    ax.imshow(
        values,
        extent=extent,
        origin="lower",
        cmap=vote_colors(),
        vmin=-limit,
        vmax=limit,
        aspect="auto",
    )
    if values.min() < 0 < values.max():
        ax.contour(values, levels=[0], extent=extent, colors=INK, linewidths=1.2)
    X, y = np.array(X), np.array(y)
    sizes = np.full(len(y), 9.0) if weights is None else 12 * np.array(weights) * len(y)
    for label, color, marker in ((1, ORANGE, "o"), (-1, BLUE, "s")):
        mine = y == label
        style = {"color": color, "marker": marker, "edgecolors": "white", "linewidths": 0.3}
        ax.scatter(*X[mine].T, s=np.maximum(sizes[mine], 1.0), **style)
    ax.set(xticks=[], yticks=[], xlim=extent[:2], ylim=extent[2:])
