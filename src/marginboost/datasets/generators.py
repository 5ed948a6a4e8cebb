"""Generators of small data sets of the literature, with known truth."""

from __future__ import annotations

import numpy as np

from ..types import Array


def book_toy() -> tuple[Array, Array]:
    """Ten points in the plane on which AdaBoost's first rounds are those of Table 1.1 (SF-E1).

    The coordinates in the book are a lost figure; this layout has the same three rounds: weighted
    errors 3/10, 3/14 and 3/22, and no training error after them.
    """
    points = [
        *[(6.0, 8.5), (6.5, 8.0), (7.0, 7.5), (9.0, 9.5), (1.0, 3.5)],
        *[(3.0, 5.5), (4.0, 5.0), (1.5, 2.5), (5.0, 4.5), (8.5, 1.0)],
    ]
    return np.array(points), np.array([1, 1, 1, -1, 1, -1, -1, 1, -1, -1])


def circle_2d(n: int = 200, seed: int = 0) -> tuple[Array, Array]:
    """Gaussian points in the plane, positive outside the circle ‖x‖² = 1.4 (LB-E2 to LB-E4)."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, 1, -1)


def sphere_10d(n: int = 200, seed: int = 0) -> tuple[Array, Array]:
    """Gaussian points in ten dimensions, positive outside the sphere ‖x‖² = 9.34 (LB-E5)."""
    X = np.random.default_rng(seed).normal(size=(n, 10))
    return X, np.where((X**2).sum(axis=1) > 9.34, 1, -1)


def flip_family(n: int) -> Array:
    """Outcomes of n hypotheses, each wrong on one example: ρ* = 1 - 2/n (R1-V03).

    >>> flip_family(3)
    array([[-1.,  1.,  1.],
           [ 1., -1.,  1.],
           [ 1.,  1., -1.]])
    """
    return np.ones((n, n)) - 2.0 * np.eye(n)


def coin_outcomes(n: int, n_hypotheses: int, p: float, seed: int = 0) -> Array:
    """±1 outcomes, right with probability ``p``, without perfect columns (R1-E09, Figure 2.2)."""
    rng = np.random.default_rng(seed)
    outcomes = np.where(rng.random((n, n_hypotheses)) < p, 1.0, -1.0)
    return outcomes[:, ~(outcomes == 1.0).all(axis=0)]


def flip_labels(y: Array, rate: float, seed: int = 0) -> tuple[Array, Array]:
    """Flip a share of two-class labels; returns the new labels and which rows were flipped."""
    labels = np.asarray(y)
    classes = np.unique(labels)
    if len(classes) != 2:
        raise ValueError(f"y: got {len(classes)} classes, expected two")
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate: got {rate!r}, expected a number in [0, 1]")
    rng = np.random.default_rng(seed)
    flipped = np.zeros(len(labels), dtype=bool)
    flipped[rng.choice(len(labels), size=round(rate * len(labels)), replace=False)] = True
    other = np.where(labels == classes[0], classes[1], classes[0])
    return np.where(flipped, other, labels), flipped
