"""Pruning of grown trees: which splits to take back (CH-B2, SF-B3).

Both ways give every node a cost for being a leaf and look for the subtree with the same root whose
leaves cost least. Costs add up over leaves, so one pass from the leaves to the root finds it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from ..kernels.ties import TIE
from ..types import Array


def cheapest_subtree(left: Array, right: Array, leaf_cost: Array) -> Array:
    """Nodes to be made leaves so that the leaves cost least; of equally cheap trees the smallest.

    ``left`` and ``right`` are the children, which come after their parent, or -1 at a leaf.

    >>> left, right = np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])
    >>> cheapest_subtree(left, right, np.array([0.5, 0.1, 0.2, 0.1, 0.1]))
    array([False, False,  True, False, False])
    """
    cost = leaf_cost.astype(np.float64)
    taken_back = np.zeros(len(left), dtype=bool)
    for k in reversed(range(len(left))):
        if left[k] >= 0:
            below = cost[left[k]] + cost[right[k]]
            taken_back[k] = cost[k] <= below + TIE
            cost[k] = min(cost[k], below)
    return taken_back


def complexity_cost(positive: Array, negative: Array, ccp_alpha: float) -> Array:
    """Weighted error of each node as a leaf, plus the price of a leaf.

    The cheapest subtree is then the one that weakest-link pruning reaches at ``ccp_alpha``
    (Breiman et al., 1984).
    """
    return np.minimum(positive, negative) + ccp_alpha


def pessimistic_cost(positive: Array, negative: Array, confidence: float, n_rows: int) -> Array:
    """Weight of each node times the upper confidence limit of its error rate (Quinlan, 1993).

    The limit U is the rate at which so few errors have probability ``confidence``. Weights count as
    ``n_rows`` rows in all. Through the incomplete beta function U is defined for counts that are
    not whole, and is C4.5's ``1 - confidence^(1/n)`` where there is no error.
    """
    return pessimistic_error(
        positive + negative, np.minimum(positive, negative), confidence, n_rows
    )


def pessimistic_error(weight: Array, errors: Array, confidence: float, n_rows: float) -> Array:
    """Pessimistic cost of nodes with any number of classes, from their weights and errors."""
    limit = betaincinv(errors * n_rows + 1.0, (weight - errors) * n_rows, 1.0 - confidence)
    return weight * np.where(weight > 0, limit, 0.0)
