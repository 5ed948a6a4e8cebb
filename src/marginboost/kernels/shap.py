"""Shapley values of trees, leaf by leaf.

A leaf says ``value`` where all splits on the way to it are passed. Splits on one feature count as
one condition, so a leaf is a product of D conditions on D features, and the Shapley values of a
product are known in closed form. All that a row contributes is which of the D conditions it passes,
a pattern of D bits: for short ways the answers to all patterns are tabulated once.

Two games are played. *Interventional*: features outside a coalition come from a row of the
background; only which conditions that row passes matters. *Path-dependent*: they pass a condition
with the share of the background that does so at those splits.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..types import Array
from .jit import kernel
from .trees import goes_left

LONGEST = 62
"""Features on the way to a leaf: as many as a pattern has bits."""


@kernel
def find_patterns(
    rows: Array,
    nodes: Array,
    categories: Array,
    path_nodes: Array,
    path_left: Array,
    path_slots: Array,
    path_starts: Array,
    n_slots: Array,
    out: Array,
) -> None:
    """Which conditions of each leaf of one tree the rows pass: ``out[leaf, row]``."""
    left = np.empty(nodes.size, np.uint8)
    for i in range(rows.shape[0]):
        for k in range(nodes.size):
            if nodes[k]["feature"] >= 0:
                left[k] = goes_left(nodes[k], categories, rows[i, nodes[k]["feature"]])
        for leaf in range(n_slots.size):
            pattern = (np.int64(1) << np.int64(n_slots[leaf])) - np.int64(1)
            for step in range(path_starts[leaf], path_starts[leaf + 1]):
                if left[path_nodes[step]] != path_left[step]:
                    pattern &= ~(np.int64(1) << np.int64(path_slots[step]))
            out[leaf, i] = pattern


@kernel
def game_by_shares(pattern: int, shares: Array, value: float, room: Array, out: Array) -> None:
    """Shapley values of one leaf, where others pass a condition with its share.

    With o_i whether condition i is passed and z_i its share, ``Π (z_i + o_i t)`` has as coefficient
    of ``t^s`` the sum over coalitions of s conditions; condition j is taken out by division.
    """
    d = shares.size
    for s in range(d + 1):
        room[s] = 0.0
    room[0] = 1.0
    for i in range(d):
        passed = float((pattern >> i) & 1)
        for s in range(i + 1, 0, -1):
            room[s] = room[s] * shares[i] + passed * room[s - 1]
        room[0] *= shares[i]
    for j in range(d):
        passed = float((pattern >> j) & 1)
        out[j] = 0.0
        if passed == 0.0 and shares[j] == 0.0:
            continue
        weight, total, above = 1.0 / d, 0.0, 0.0
        for s in range(d - 1, -1, -1):  # weight = s! (d-1-s)! / d!
            with_it = room[s + 1] - shares[j] * above
            above = with_it if passed == 1.0 else room[s] / shares[j]
            total += weight * above
            weight *= (d - s) / s if s > 0 else 1.0
        out[j] = value * (passed - shares[j]) * total


@kernel
def game_by_rows(
    pattern: int, others: Array, counts: Array, weights: Array, d: int, value: float, out: Array
) -> None:
    """Shapley values of one leaf, where others are rows that pass the conditions ``others``.

    ``weights[a, b] = (a-1)! b! / (a+b)!``: of the a conditions that only the row passes and the b
    that only the other passes, each of the a gains and each of the b loses.
    """
    full = (np.int64(1) << np.int64(d)) - np.int64(1)
    for j in range(d):
        out[j] = 0.0
    for k in range(others.size):
        other = others[k]
        if (pattern | other) != full:
            continue
        ours, theirs = pattern & ~other, other & ~pattern
        a, b = 0, 0
        for j in range(d):
            a += (ours >> j) & 1
            b += (theirs >> j) & 1
        gain = value * counts[k] * weights[a, b]
        loss = value * counts[k] * weights[b, a]
        for j in range(d):
            if (ours >> j) & 1:
                out[j] += gain
            elif (theirs >> j) & 1:
                out[j] -= loss


@kernel
def play(
    patterns: Array,
    shares: Array,
    others: Array,
    counts: Array,
    weights: Array,
    value: float,
    out: Array,
) -> None:
    """Shapley values of one leaf for every pattern; by shares unless there are others."""
    d = out.shape[1]
    room = np.empty(d + 1)
    for i in range(patterns.size):
        if others.size:
            game_by_rows(patterns[i], others, counts, weights, d, value, out[i])
        else:
            game_by_shares(patterns[i], shares, value, room, out[i])


@kernel
def add_answers(answers: Array, places: Array, features: Array, out: Array) -> None:
    """Add to every row the answer for its pattern, feature by feature."""
    for i in range(places.size):
        for j in range(features.size):
            out[i, features[j]] += answers[places[i], j]


@cache
def pair_weights(most: int = LONGEST) -> Any:
    """``weights[a, b] = (a-1)! b! / (a+b)!``, 0 for a = 0."""
    from scipy.special import betaln

    a, b = np.meshgrid(np.arange(1.0, most + 1), np.arange(0.0, most + 1), indexing="ij")
    weights = np.zeros((most + 1, most + 1))
    weights[1:] = np.exp(betaln(a, b + 1.0))
    return weights
