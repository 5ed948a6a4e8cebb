"""Kernels that find the best split of one feature from its sums of slope and curvature.

A leaf with sums G and H is worth ``G² / (H + l2)``; the split that adds most worth is taken. A
*cut* of a numeric feature is the last bin that goes left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .stumps import CATEGORY, PARTITION, THRESHOLD, TIE

Array = np.ndarray[Any, np.dtype[Any]]

SLACK = 1e-9
"""Relative rounding in the number of rows on a side."""
L2, MIN_ROWS, ROW_WEIGHT, LIMITS_LENGTH = 0, 1, 2, 3
"""Places in the limits of a tree that are not whole numbers."""

GRADIENT_SPLIT = np.dtype(
    [
        ("gain", "f8"),
        ("left_slope", "f8"),
        ("left_curvature", "f8"),
        ("cut", "i8"),
        ("missing_left", "i8"),
    ]
)
"""Best split of one feature: a gain of zero means that there is none."""


@kernel
def worth(slope: float, curvature: float, l2: float) -> float:
    """Return ``G² / (H + l2)``: twice what Newton's step in a leaf gains."""
    return slope * slope / (curvature + l2)


@kernel
def scan_pairs(sums: Array, order: Array, kind: int, node: Any, limits: Array, split: Any) -> None:
    """Write the best split of one feature to ``split``, the lowest cut on ties.

    The left side is a prefix of the bins in ``order``, or for CATEGORY one bin, or then last all of
    them. Both sides are tried for missing values, left first; where there are none, they go to the
    side of more curvature. The rows of a side are estimated by its share of the node's curvature;
    where all rows have the same, that is their number.
    """
    n_bins, singles, l2 = order.size, kind == CATEGORY, limits[L2]
    floor = limits[MIN_ROWS] * (1.0 - SLACK) * node.curvature / node.rows
    miss_slope, miss_curvature = sums[n_bins, 0], sums[n_bins, 1]
    some_missing = miss_curvature > TIE * node.curvature
    whole = worth(node.slope, node.curvature, l2)
    best = whole
    slope = curvature = 0.0
    for cut in range(n_bins + (1 if singles and some_missing else 0)):
        if cut == n_bins:
            slope, curvature = node.slope - miss_slope, node.curvature - miss_curvature
        else:
            here = order[cut]
            slope = sums[here, 0] if singles else slope + sums[here, 0]
            curvature = sums[here, 1] if singles else curvature + sums[here, 1]
        for side in range(2 if some_missing else 1):  # missing values left, then right
            left_slope, left_curvature = slope, curvature
            if side == 0 and some_missing:
                left_slope += miss_slope
                left_curvature += miss_curvature
            right_slope = node.slope - left_slope
            right_curvature = node.curvature - left_curvature
            if left_curvature < floor or right_curvature < floor:
                continue
            found = worth(left_slope, left_curvature, l2) + worth(right_slope, right_curvature, l2)
            if found > best + TIE:
                best = found
                split.cut, split.left_slope, split.left_curvature = cut, left_slope, left_curvature
                heavier = 2.0 * left_curvature >= node.curvature * (1.0 - TIE)
                split.missing_left = 1 - side if some_missing else (1 if heavier else 0)
    split.gain = best - whole


@kernel
def scan_plain(sums: Array, n_bins: int, node: Any, limits: Array, split: Any) -> None:
    """Do the same for a numeric feature without missing values: where a fit spends its scans."""
    l2, total_slope, total_curvature = limits[L2], node.slope, node.curvature
    floor = limits[MIN_ROWS] * (1.0 - SLACK) * total_curvature / node.rows
    whole = worth(total_slope, total_curvature, l2)
    best, best_cut, best_slope, best_curvature = whole + TIE, -1, 0.0, 0.0
    slope = curvature = 0.0
    for cut in range(n_bins - 1):
        slope += sums[cut, 0]
        curvature += sums[cut, 1]
        if curvature < floor:
            continue
        rest = total_curvature - curvature
        if rest < floor:
            break
        other = total_slope - slope
        left, right = curvature + l2, rest + l2
        found = (slope * slope * right + other * other * left) / (left * right)
        if found > best:
            best, best_cut, best_slope, best_curvature = found + TIE, cut, slope, curvature
    split.gain = 0.0
    if best_cut >= 0:
        split.gain, split.cut = best - TIE - whole, best_cut
        split.left_slope, split.left_curvature = best_slope, best_curvature
        split.missing_left = 1 if 2.0 * best_curvature >= total_curvature * (1.0 - TIE) else 0


@kernel
def mean_order(sums: Array, order: Array) -> None:
    """Put categories in the order of their Newton steps, those without curvature last.

    For no l2 the best two sets of categories are a prefix of this order and the rest (Fisher).
    Steps within one part in 1e9 keep the order of the codes.
    """
    for k in range(order.size):
        place = k
        while place > 0 and comes_before(sums, k, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = k


@kernel
def comes_before(sums: Array, a: int, b: int) -> bool:
    """Whether category a has a clearly smaller step than b."""
    if sums[a, 1] <= TIE or sums[b, 1] <= TIE:
        return sums[a, 1] > TIE
    first, second = sums[a, 0] / sums[a, 1], sums[b, 0] / sums[b, 1]
    return first < second - SLACK * max(abs(first), abs(second))


@kernel
def search_feature(sums: Array, feature: Array, node: Any, limits: Array, split: Any) -> None:
    """Best split of one feature; ``feature`` is its kind and number of bins.

    When all present values go left and missing ones right, the cut is the last bin, or for CATEGORY
    the number of bins. For PARTITION a cut is a position in :func:`mean_order`.
    """
    kind, n_bins = feature[0], feature[1]
    if kind == THRESHOLD and sums[n_bins, 1] <= TIE * node.curvature:
        scan_plain(sums, n_bins, node, limits, split)
        return
    order = np.arange(n_bins)
    if kind == PARTITION:
        mean_order(sums, order)
    scan_pairs(sums, order, kind, node, limits, split)
