"""Flip labels on purpose, in the ways they go wrong in life, to see whether an audit finds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fitting.inputs import distinct_labels
from ..types import Array
from ..validation import check_choice, check_number

KINDS = ("uniform", "class-conditional", "near-boundary", "feature-dependent")


def plant_flips(
    y: Any, rate: float, kind: str = "uniform", *, X: Any = None, belief: Any = None, seed: int = 0
) -> tuple[Array, Array]:
    """Give a share of the rows a wrong label.

    Parameters
    ----------
    y : array-like
        True labels, of two or more classes.
    rate : float
        Share of rows to flip, in [0, 1).
    kind : str
        ``"uniform"``: any row. ``"class-conditional"``: rows of one class, twice as often as the
        rate where that class is large enough; the others never. ``"near-boundary"``: the rows that
        are hardest to tell, by ``belief``. ``"feature-dependent"``: rows with large values in one
        feature, as when one instrument or one site is at fault.
    X : array, optional
        Numeric rows, for "feature-dependent"; the feature of largest spread of ranks is the first.
    belief : array (n_rows, n_classes), optional
        Class probabilities, for "near-boundary".
    seed : int
        Seed.

    Returns
    -------
    labels, flipped
        The new labels, and which rows were flipped. A flipped row gets one of the other labels, the
        most likely one where there is a belief, else a random one.

    Examples
    --------
    >>> labels, flipped = plant_flips([0, 1] * 50, 0.1)
    >>> int(flipped.sum()), int((labels != np.array([0, 1] * 50)).sum())
    (10, 10)
    """
    check_choice("kind", kind, KINDS)
    check_number("rate", rate, at_least=0.0, below=1.0)
    labels = np.asarray(y)
    classes = distinct_labels(labels)
    if len(classes) < 2:
        raise ValueError(f"y: got {len(classes)} class, expected at least two")
    codes, rng = np.searchsorted(classes, labels), np.random.default_rng(seed)
    chance = _chances(kind, codes, X, belief)
    chance = chance / chance.sum()
    flipped = np.zeros(len(labels), dtype=bool)
    number = min(round(rate * len(labels)), int(np.count_nonzero(chance)))
    flipped[rng.choice(len(labels), number, replace=False, p=chance)] = True
    wrong = _other_classes(codes, len(classes), belief, rng)
    return classes[np.where(flipped, wrong, codes)], flipped


def _chances(kind: str, codes: Array, X: Any, belief: Any) -> Array:
    """Relative chance of each row to be flipped."""
    if kind == "class-conditional":
        return (codes == np.bincount(codes).argmax()).astype(float)
    if kind == "near-boundary":
        if belief is None:
            raise ValueError("belief: got None, expected class probabilities for 'near-boundary'")
        ordered = np.sort(np.asarray(belief), axis=1)
        return np.exp(-8.0 * (ordered[:, -1] - ordered[:, -2]))
    if kind == "feature-dependent":
        if X is None:
            raise ValueError("X: got None, expected numeric rows for 'feature-dependent'")
        values = np.nan_to_num(np.asarray(X, dtype=np.float64)[:, 0])
        ranks = values.argsort(kind="stable").argsort(kind="stable") / len(values)
        return np.exp(4.0 * ranks)
    return np.ones(len(codes))


def _other_classes(codes: Array, n_classes: int, belief: Any, rng: np.random.Generator) -> Array:
    if belief is None:
        return (codes + rng.integers(1, n_classes, len(codes))) % n_classes
    likely = np.array(belief, dtype=np.float64)
    likely[np.arange(len(codes)), codes] = -1.0
    return likely.argmax(axis=1)
