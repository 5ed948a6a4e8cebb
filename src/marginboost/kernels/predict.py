"""Kernels that score raw rows with a finished stump ensemble: one step function per feature."""

from __future__ import annotations

import numpy as np

from ..types import Array
from .binning import BYTE_CUTS, FEW, count_below, count_below_few, count_below_narrow
from .jit import kernel


def pad_cuts(cuts: Array) -> Array:
    """Pad sorted cuts with infinity to 31 or 255, for which there are faster searches.

    More are left as they are.
    """
    width = FEW if len(cuts) <= FEW else max(BYTE_CUTS, len(cuts))
    return np.concatenate([cuts, np.full(width - len(cuts), np.inf)])


@kernel
def add_step_functions(
    rows: Array, features: Array, cuts: Array, levels: Array, starts: Array, out: Array
) -> None:
    """``out[i] += Σ_j step_j(rows[i, features[j]])``, whatever the number of stumps behind it.

    Cuts (see :func:`pad_cuts`) and levels of all steps lie one after the other; ``starts``
    (n_steps + 1, 2) says where each one's begin. The last level of a step is for NaN.
    """
    for j in range(features.size):
        mine = cuts[starts[j, 0] : starts[j + 1, 0]]
        heights = levels[starts[j, 1] : starts[j + 1, 1]]
        feature, missing = features[j], heights.size - 1
        if mine.size == FEW:
            for i in range(rows.shape[0]):
                value = rows[i, feature]
                place = missing if np.isnan(value) else count_below_few(mine, value)
                out[i] += heights[place]
        elif mine.size == BYTE_CUTS:
            for i in range(rows.shape[0]):
                value = rows[i, feature]
                place = missing if np.isnan(value) else count_below_narrow(mine, value)
                out[i] += heights[place]
        else:
            for i in range(rows.shape[0]):
                value = rows[i, feature]
                place = missing if np.isnan(value) else count_below(mine, value)
                out[i] += heights[place]


@kernel
def sum_stumps(
    steps: Array, thresholds: Array, outputs: Array, coef: Array, cuts: Array, starts: Array
) -> Array:
    """Levels of the step functions that stumps add up to, each level added up in their order.

    Parameters
    ----------
    steps, thresholds, coef : array (stumps,)
        The step that each stump is part of, its threshold and its coefficient.
    outputs : array (stumps, 3)
        Its outputs: left, right, missing.
    cuts : array
        Sorted distinct thresholds of all steps, one after the other, infinity left out.
    starts : array (steps + 1,)
        Where those of each begin. Its levels begin two places later per step before it.
    """
    levels = np.zeros(cuts.size + 2 * (starts.size - 1))
    for s in range(steps.size):
        first, last = starts[steps[s]], starts[steps[s] + 1]
        shift, weight, threshold = 2 * steps[s], coef[s], thresholds[s]
        left, right = weight * outputs[s, 0], weight * outputs[s, 1]
        for k in range(first, last):
            levels[k + shift] += left if cuts[k] <= threshold else right
        levels[last + shift] += left if threshold == np.inf else right
        levels[last + shift + 1] += weight * outputs[s, 2]
    return levels
