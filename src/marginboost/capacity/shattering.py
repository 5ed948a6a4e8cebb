"""Which labelings a class can give: shattering, forced labels, VC dimensions by search.

For a class as such there is :class:`~marginboost.capacity.HypothesisClass`; for the outputs of
finitely many hypotheses on a sample, a matrix. See LB-A7c, LB-A7d, LB-C11, LB-C12; R1-Q03; SF-Q12,
SF-Q14, SF-Q17, SF-C13; BA-Q9.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from ..diagnostics.arrays import matrix, signs
from ..types import Array
from ..validation import check_number
from .classes import MOST_POINTS, HypothesisClass, as_points


def shatters(hypotheses: HypothesisClass, X: Any) -> bool:
    """Whether the class labels the points in every way (SF-Q14; BA-Q9).

    >>> from marginboost.capacity import LinearClassifiers
    >>> shatters(LinearClassifiers(2), [[0, 0], [1, 0], [0, 1]])
    True
    >>> shatters(LinearClassifiers(2), [[0, 0], [1, 1], [2, 2]])
    False
    """
    points = as_points(X)
    check_number("len(X)", len(points), at_least=1, at_most=MOST_POINTS, integer=True)
    ways = product((-1.0, 1.0), repeat=len(points))
    return all(hypotheses.allows(points, way) for way in ways)


def forced_labels(hypotheses: HypothesisClass, X: Any, y: Any, new: Any) -> tuple[int, ...]:
    """Labels that a consistent hypothesis may give to a new point (LB-A7c, Fig. 6e, 6f).

    One label: it is forced, something was learnt. Both: the point is free. None: no hypothesis is
    consistent with the labels given.

    >>> from marginboost.capacity import Stumps
    >>> [forced_labels(Stumps(), [1, 2], [-1, 1], new) for new in (3, 1.5)]
    [(1,), (-1, 1)]
    """
    points, labels = as_points(X), signs(y)
    extended = np.vstack([points, as_points(np.atleast_1d(new).reshape(1, -1))])
    ways = ((label, np.append(labels, label)) for label in (-1, 1))
    return tuple(label for label, way in ways if hypotheses.allows(extended, way))


def search_vc_dimension(
    hypotheses: HypothesisClass,
    n_features: int,
    *,
    n_tries: int = 50,
    max_points: int = 8,
    random_state: int = 0,
) -> int:
    """Size of the largest set that was found to be shattered (LB-A7d): a lower bound.

    Points are drawn at random; a shattered set grows by one point at a time.
    """
    check_number("n_tries", n_tries, at_least=1, integer=True)
    check_number("max_points", max_points, at_least=1, integer=True)
    rng = np.random.default_rng(random_state)
    for size in range(1, max_points + 1):
        tries = (rng.normal(size=(size, n_features)) for _ in range(n_tries))
        if not any(shatters(hypotheses, points) for points in tries):
            return size - 1
    return max_points


def sample_labelings(outputs: Any) -> Array:
    """Distinct labelings of a sample by finitely many hypotheses, one per column (SF-Q12; R1-Q03).

    Parameters
    ----------
    outputs : array of shape (n_examples, n_hypotheses)
        Outputs; positive ones are +1, others -1.
    """
    return np.unique(np.where(matrix("outputs", outputs) > 0, 1, -1), axis=1)


def sample_vc_dimension(outputs: Any) -> int:
    """VC dimension of finitely many hypotheses on a sample, by enumeration (R1-Q03, SF-C13).

    The subset that is shattered must double the labelings with every point, so at most
    ``lg|H|`` points are tried together.

    >>> sample_vc_dimension([[1, -1, 1, -1], [1, 1, -1, -1]])
    2
    """
    labelings = sample_labelings(outputs)
    shattered: list[tuple[int, ...]] = [()]
    dimension = 0
    for size in range(1, int(np.log2(labelings.shape[1])) + 1):
        smaller = set(shattered)
        # every part of a shattered set is shattered
        candidates = (
            few
            for few in combinations(range(len(labelings)), size)
            if all(few[:i] + few[i + 1 :] in smaller for i in range(size))
        )
        shattered = [
            few for few in candidates if np.unique(labelings[list(few)], axis=1).shape[1] == 2**size
        ]
        if not shattered:
            break
        dimension = size
    return dimension


def error_sets(outputs: Any, y: Any) -> Array:
    """Distinct sets of examples that hypotheses get wrong, one per column (SF-Q17, SF-X2-9).

    There are as many as labelings, so that Thm 2.6, about families of sets, and Thm 2.3 are one.
    """
    labels = signs(y)
    wrong = np.where(matrix("outputs", outputs) > 0, 1, -1) != labels[:, None]
    return np.unique(wrong, axis=1)
