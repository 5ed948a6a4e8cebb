"""Kernels that say which features a node of a growing tree may be split by.

Features that may not meet on one way from the root to a leaf, and features that are drawn anew for
every split. What is random follows from a seed of the node, so that trees do not depend on the
number of threads.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .jit import inner_kernel
from .shares import MAX_FEATURES, SMALL, TOGETHER, Job

FACTOR, MODULUS = 48271, 2147483647
"""Lehmer's random numbers: each is the one before times the factor, modulo a prime."""


@inner_kernel
def mark_path(job: Job, k: int, path: Array) -> int:
    """Mark the features that a node's ancestors are split by; returns how many they are."""
    path[:] = 0
    count, parent = 0, job.nodes[k]["parent"]
    while parent >= 0:
        j = job.nodes[parent]["feature"]
        count += 1 - path[j]
        path[j] = 1
        parent = job.nodes[parent]["parent"]
    return count


@inner_kernel
def allow_groups(groups: Array, path: Array, allowed: Array) -> None:
    """Allow all features of the groups that have every feature of the path."""
    allowed[:] = 0
    for group in range(groups.shape[0]):
        whole = True
        for j in range(path.size):
            if path[j] > groups[group, j]:
                whole = False
                break
        if whole:
            for j in range(path.size):
                allowed[j] = max(allowed[j], groups[group, j])


@inner_kernel
def draw_columns(seed: int, share: float, allowed: Array) -> None:
    """Leave a share of the allowed features, at least one, drawn without replacement."""
    found, count = np.empty(allowed.size, np.int64), 0
    for j in range(allowed.size):
        found[count] = j
        count += 1 if allowed[j] != 0 else 0
    found = found[:count]
    wanted = min(max(int(np.ceil(share * found.size - 1e-9)), 1), found.size)
    for place in range(wanted):
        seed = seed * FACTOR % MODULUS
        other = place + seed % (found.size - place)
        found[place], found[other] = found[other], found[place]
    for place in range(wanted, found.size):
        allowed[found[place]] = 0


@inner_kernel
def allow_by_path(job: Job, k: int, allowed: Array) -> None:
    """Say which features a node may be split by, after those of its ancestors."""
    if job.shape[TOGETHER] > 0:
        path = np.empty(allowed.size, np.uint8)
        full = mark_path(job, k, path) >= job.shape[TOGETHER]
        for j in range(allowed.size):
            allowed[j] = path[j] if full else 1
    elif job.groups.shape[0] > 0:
        path = np.empty(allowed.size, np.uint8)
        mark_path(job, k, path)
        allow_groups(job.groups, path, allowed)
    else:
        allowed[:] = 1


@inner_kernel
def choose_columns(job: Job, which: int) -> None:
    """Say which features the smaller or the larger of two new nodes may be split by."""
    k, allowed = job.order[SMALL + which], job.allowed[which]
    allow_by_path(job, k, allowed)
    if job.limits[MAX_FEATURES] < 1.0:
        draw_columns(job.seeds[k], job.limits[MAX_FEATURES], allowed)
