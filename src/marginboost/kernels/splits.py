"""Kernels that find the best split of a node from its sums by bin: scores, scans, choices.

The *channels* of a node are signed sums S, one per label, and its weight W, last. What a node
scores is one of the following; a split gains what its sides score together over what the node
scores.

=============  ========================  ========================================================
``SQUARES``    Σ S² / (W + l2)           Newton's step, with W a curvature; CART's Gini index
``ABSOLUTE``   Σ |S|                     edge of the best signs
``LARGEST``    max S                     edge of the best single label
``ENTROPY``    Σ S log2(S / W)           ID3; of one signed sum, those of the two signs' weights
``Z``          -2 √(W+ W-)               AdaBoost's bound; W± = (W ± S) / 2
=============  ========================  ========================================================

A *cut* of a numeric feature is the last bin that goes left, of a category the one that does; the
number of bins means that all present values do. Of a partition it is a place in
:func:`category_order`.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np

from ..types import Array
from .jit import inner_kernel, kernel, reducing_kernel
from .stumps import CATEGORY, PARTITION, THRESHOLD
from .ties import TIE, resolution

SQUARES, ABSOLUTE, LARGEST, ENTROPY, Z = 0, 1, 2, 3, 4

DIGITS = 30
"""Binary digits by which mean values of categories are told apart."""

SPLIT = np.dtype([("gain", "f8"), ("left_weight", "f8"), ("cut", "i8"), ("missing_left", "i8")])
"""Best split of one feature: a gain of zero means that there is none."""


# -- scores ----------------------------------------------------------------------------------------


@inner_kernel
def snapped(weight: float) -> float:
    """Return zero for a weight no larger than TIE.

    Differences of sums leave some 1e-17 where nothing is; the square root of Z would see it.
    """
    return weight if weight > TIE else 0.0


@inner_kernel
def score_one(signed: float, weight: float, criterion: int, l2: float) -> float:
    """Score of a node with one signed sum."""
    if criterion == SQUARES:
        return signed * signed / (weight + l2)
    if criterion == ABSOLUTE:
        return abs(signed)
    if criterion == LARGEST:
        return signed
    high, low = snapped(0.5 * (weight + signed)), snapped(0.5 * (weight - signed))
    if high == 0.0 or low == 0.0:
        return 0.0
    if criterion == Z:
        return -2.0 * np.sqrt(high * low)
    return high * np.log2(high / weight) + low * np.log2(low / weight)


@reducing_kernel
def score_several(
    left: Array, missing: Array, side: int, total: Array, weights: Any, criterion: int, l2: float
) -> float:
    """Score of two sides with a signed sum for each label; ``weights`` are those of the sides.

    The sums of the left side are ``left``, and ``missing`` where ``side`` is 1; the right side has
    the rest of ``total``.
    """
    a = b = 0.0
    if criterion == SQUARES:
        for label in range(left.size):
            here = left[label] + side * missing[label]
            there = total[label] - here
            a += here * here
            b += there * there
        return a / (weights[0] + l2) + (b / (weights[1] + l2) if weights[1] > 0.0 else 0.0)
    if criterion == ABSOLUTE:
        for label in range(left.size):
            here = left[label] + side * missing[label]
            a += abs(here) + abs(total[label] - here)
        return a
    if criterion == ENTROPY:
        for label in range(left.size):
            here = left[label] + side * missing[label]
            there = total[label] - here
            a += here * np.log2(here / weights[0]) if here > TIE else 0.0
            a += there * np.log2(there / weights[1]) if there > TIE else 0.0
        return a
    a = left[0] + side * missing[0]
    b = total[0] - a
    for label in range(1, left.size):
        here = left[label] + side * missing[label]
        a = max(a, here)
        b = max(b, total[label] - here)
    return a + b


@inner_kernel
def is_free(rules: Any) -> bool:
    """Whether neither bounds nor a direction restrict the values of leaves."""
    return rules[2] == -np.inf and rules[3] == np.inf and rules[4] == 0


@inner_kernel
def bounded_value(signed: float, weight: float, rules: Any) -> float:
    """Value of a leaf for SQUARES, within the bounds."""
    return min(max(signed / (weight + rules[1]), rules[2]), rules[3])


@inner_kernel
def score_value(signed: float, weight: float, value: float, l2: float) -> float:
    """What a leaf of this value scores; with the best value that is what SQUARES says."""
    return value * (2.0 * signed - (weight + l2) * value)


@inner_kernel
def score_two(signed: float, weight: float, other: float, rest: float, rules: Any) -> float:
    """Score of two sides with one signed sum; -inf where values go in the wrong direction."""
    criterion, l2 = rules[0], rules[1]
    if is_free(rules):
        return score_one(signed, weight, criterion, l2) + score_one(other, rest, criterion, l2)
    left, right = bounded_value(signed, weight, rules), bounded_value(other, rest, rules)
    if rules[4] * (right - left) < 0.0:
        return -np.inf
    return score_value(signed, weight, left, l2) + score_value(other, rest, right, l2)


@inner_kernel
def score(channels: Array, rules: Any) -> float:
    """Score of a node: that of a left side which has everything."""
    last, criterion, l2 = channels.size - 1, rules[0], rules[1]
    if last == 1:
        if rules[2] == -np.inf and rules[3] == np.inf:
            return score_one(channels[0], channels[1], criterion, l2)
        value = bounded_value(channels[0], channels[1], rules)
        return score_value(channels[0], channels[1], value, l2)
    weights, nowhere = (channels[last], 0.0), np.int64(0)  # a literal would be another type
    return score_several(channels[:last], channels, nowhere, channels, weights, criterion, l2)


# -- one feature -----------------------------------------------------------------------------------


@inner_kernel
def rounded(value: float) -> float:
    """Return the value to DIGITS binary digits, so that those equal but for rounding are equal."""
    mantissa, power = frexp(value)
    return ldexp(np.rint(ldexp(mantissa, DIGITS)), power - DIGITS)


@inner_kernel
def category_order(cells: Array) -> Array:
    """Categories by signed sum over weight, those without weight last; equal ones by code.

    The best two sets of categories are a prefix of this order and the rest, for any concave
    impurity of two classes and for least squares (Fisher; Breiman et al.).
    """
    means = np.empty(cells.shape[0] - 1)
    for k in range(means.size):
        means[k] = np.inf
        if cells[k, 1] > TIE:
            means[k] = rounded(cells[k, 0] / cells[k, 1]) if abs(cells[k, 0]) > TIE else 0.0
    return order_of(means)


@inner_kernel
def order_of(values: Array) -> Array:
    """Places of the values in ascending order, equal ones as they stand: Shell's sort.

    They are few, and NumPy's stable sort takes ten times as long to compile.
    """
    order, gap = np.empty(values.size, np.int64), 1
    for i in range(order.size):
        order[i] = i
    while gap < values.size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, order.size):
            mine, j = order[i], i
            while j >= gap:
                other = order[j - gap]
                if values[other] < values[mine]:
                    break
                if values[other] == values[mine] and other < mine:
                    break
                order[j] = other
                j -= gap
            order[j] = mine
        gap //= 3
    return order


@inner_kernel
def fill_left(cells: Array, here: int, total: Array, singles: bool, left: Array) -> None:
    """Bring the sums of the left side up to date for the next bin; the last one is all others."""
    if here == cells.shape[0] - 1:
        for label in range(left.size):
            left[label] = total[label] - cells[here, label]
    elif singles:
        for label in range(left.size):
            left[label] = cells[here, label]
    else:
        for label in range(left.size):
            left[label] += cells[here, label]


@inner_kernel
def score_sides(
    left: Array, missing: Array, side: int, total: Array, left_weight: float, rules: Any
) -> float:
    """Score of both sides together; missing values are left where ``side`` is 1."""
    rest = total[left.size] - left_weight
    if left.size > 1:
        return score_several(left, missing, side, total, (left_weight, rest), rules[0], rules[1])
    signed = left[0] + side * missing[0]
    return score_two(signed, left_weight, total[0] - signed, rest, rules)


@inner_kernel
def scan(
    cells: Array, kind: int, total: Array, floor: float, rules: Any, left: Array, split: Any
) -> None:
    """Write the best split of one feature to ``split``, the lowest cut on ties.

    ``cells`` (bins + 1, channels) are the sums by bin, those of missing values last, ``total`` the
    channels of the node, ``floor`` the least weight of a side, ``rules`` the criterion, l2, bounds
    on values of leaves and their direction (-1, 0, 1) along the feature;
    ``left`` is room for the left side's sums, which is a prefix of the bins, for PARTITION in
    :func:`category_order`; for CATEGORY one bin, or then last all of them. Missing values are tried
    on both sides, left first; where there are none they go to the heavier side. Alone they stand
    right.
    """
    n_bins, n_labels, singles = cells.shape[0] - 1, total.size - 1, kind == CATEGORY
    weight, missing = total[n_labels], cells[n_bins, n_labels]
    some_missing = missing > TIE * weight
    if kind == THRESHOLD and n_labels == 1 and not some_missing:
        scan_prefixes(cells, total, floor, rules, split)
        return
    order = category_order(cells) if kind == PARTITION else np.empty(0, np.int64)
    whole = score(total, rules)
    best, bar, best_weight = whole, whole + resolution(whole), 0.0
    best_cut = best_side = 0
    left, left_weight = left[:n_labels], 0.0
    left[:] = 0.0
    for cut in range(n_bins + (1 if singles and some_missing else 0)):
        here = order[cut] if order.size > 0 else cut
        if cells[here, n_labels] <= 0.0:
            continue  # nothing new on the left
        if cut == n_bins:  # all that are present
            left_weight = weight - missing
        else:
            left_weight = cells[here, n_labels] + (0.0 if singles else left_weight)
        fill_left(cells, here, total, singles, left)
        if left_weight <= TIE * weight:
            continue
        for side in range(1 if some_missing else 0, -1, -1):
            heavy = left_weight + side * missing
            if heavy < floor or weight - heavy < floor:
                continue
            found = score_sides(left, cells[n_bins], side, total, heavy, rules)
            if found > bar:
                best, bar = found, found + resolution(found)
                best_cut, best_side, best_weight = cut, side, heavy
    split["gain"], split["cut"], split["left_weight"] = best - whole, best_cut, best_weight
    split["missing_left"] = best_side if some_missing else is_heavier(best_weight, weight)


@inner_kernel
def scan_prefixes(cells: Array, total: Array, floor: float, rules: Any, split: Any) -> None:
    """Find the best cut of a numeric feature without missing values, for one signed sum.

    This is where most fits spend their scans.
    """
    l2, plain = rules[1], rules[0] == SQUARES and is_free(rules)
    all_signed, all_weight, whole = total[0], total[1], score(total, rules)
    best, bar, best_cut, best_weight = whole, whole + resolution(whole), 0, 0.0
    signed = weight = 0.0
    for cut in range(cells.shape[0] - 2):
        signed += cells[cut, 0]
        weight += cells[cut, 1]
        if weight < floor:
            continue
        rest = all_weight - weight
        if rest < floor:
            break
        other = all_signed - signed
        if plain:  # divided only where it is better
            left, right = weight + l2, rest + l2
            above, below = signed * signed * right + other * other * left, left * right
            if above <= bar * below:
                continue
            found = above / below
        else:
            found = score_two(signed, weight, other, rest, rules)
        if found > bar:
            best, bar = found, found + resolution(found)
            best_cut, best_weight = cut, weight
    split["gain"], split["cut"], split["left_weight"] = best - whole, best_cut, best_weight
    split["missing_left"] = is_heavier(best_weight, all_weight)


@kernel
def is_heavier(left_weight: float, weight: float) -> int:
    """Whether the left side of a node weighs no less than the right one."""
    return 1 if 2.0 * left_weight >= weight * (1.0 - TIE) else 0


# -- all features ----------------------------------------------------------------------------------


@inner_kernel
def first_best(splits: Array, whole: float) -> int:
    """First feature whose gain is the largest; -1 where nothing is gained.

    ``whole`` is what the node scores.
    """
    most = 0.0
    for j in range(splits.size):
        most = max(most, splits[j]["gain"])
    if most > 0.0:
        least = most - resolution(abs(whole) + most)
        for j in range(splits.size):
            if splits[j]["gain"] > least:
                return j
    return -1


@inner_kernel
def best_ratio(splits: Array, weight: float) -> int:
    """First feature with the largest ratio of gain to the information of the split itself.

    Only features of at least average gain count, the average being over those that gain anything:
    else splits that cut off next to nothing would win, because they carry next to no information.
    A tie is a gain within TIE of the largest ratio's, for a ratio of tiny numbers has few digits.
    """
    total, count = 0.0, 0
    for j in range(splits.size):
        if splits[j]["gain"] > 0.0:
            total += splits[j]["gain"]
            count += 1
    if count == 0:
        return -1
    least, best = total / count - TIE, 0.0
    information = np.empty(splits.size)
    for j in range(splits.size):
        share = min(max(splits[j]["left_weight"] / weight, TIE), 1.0 - TIE)
        rest = 1.0 - share
        information[j] = -(share * np.log2(share) + rest * np.log2(rest))
        if splits[j]["gain"] > max(0.0, least):
            best = max(best, splits[j]["gain"] / information[j])
    for j in range(splits.size):
        gain = splits[j]["gain"]
        if gain > max(0.0, least) and gain > best * information[j] - TIE:
            return j
    return -1
