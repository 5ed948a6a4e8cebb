"""Classes of hypotheses whose labelings can be counted: growth functions, VC dimensions, learners.

A class answers three questions about points: which labelings it can give (``labelings``), whether a
given one is among them (``allows``), and, for ``learn``, by which hypothesis. Growth functions and
VC dimensions are formulas, which enumeration confirms.

See SF-B2, SF-B5 to SF-B9, SF-Q12, SF-Q14, SF-Q27.1 to SF-Q27.8; LB-A7a, LB-Q12, LB-Q15.1; R1-Q03;
BA-Q9, BA-P24.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..diagnostics.arrays import matrix, signs
from ..types import Array
from ..validation import check_number, read_numbers
from .growth import log_sauer, sauer
from .planes import separable

MOST_POINTS = 20
"""Points up to which all labelings are tried."""

Hypothesis = Callable[[Any], Array]
"""From points to labels -1 and +1."""


class HypothesisClass(ABC):
    """A class of functions from points to -1 and +1.

    Attributes
    ----------
    vc_dimension : float
        Size of the largest set of points that it labels in every way; may be infinite.
    """

    @property
    @abstractmethod
    def vc_dimension(self) -> float:
        """Size of the largest set of points that the class labels in every way."""

    @abstractmethod
    def allows(self, X: Any, y: Any) -> bool:
        """Whether a hypothesis of the class gives these labels to these points."""

    def growth(self, n_points: int) -> int:
        """Most labelings of so many points, Π(m): by Sauer's lemma unless known better."""
        if math.isinf(self.vc_dimension):
            return int(2**n_points)
        return sauer(n_points, int(self.vc_dimension))

    def log_growth(self, n_points: int) -> float:
        """``ln Π(m)``, also where Π(m) is no float."""
        return math.log(self.growth(n_points))

    def labelings(self, X: Any) -> Array:
        """All labelings of the points, one per row; a finite number of points, all ways tried."""
        points = as_points(X)
        check_number("len(X)", len(points), at_least=1, at_most=MOST_POINTS, integer=True)
        ways = np.array(list(product((-1, 1), repeat=len(points))), dtype=np.int8)
        return ways[[self.allows(points, way) for way in ways]]

    def learn(self, X: Any, y: Any) -> Hypothesis:
        """Return a hypothesis that is right on all points (SF-B5), or raise."""
        raise NotImplementedError(f"{type(self).__name__} has no learner of its own")

    def _refuse(self) -> ValueError:
        return ValueError(f"y: no member of {type(self).__name__} gives these labels to the points")


class Thresholds(HypothesisClass):
    """``+1`` from a threshold on, on the line: m + 1 labelings, VC dimension 1 (SF-Q27.1, SF-B2).

    >>> Thresholds().growth(5), len(Thresholds().labelings([1, 2, 3, 4, 5]))
    (6, 6)
    """

    vc_dimension = 1.0

    def growth(self, n_points: int) -> int:
        """``m + 1``."""
        return n_points + 1

    def errors(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Error of every threshold, by one scan (SF-B2, SF-E5b, Fig. 2.1).

        Returns
        -------
        cuts : array
            One threshold per gap, from -∞ on; between values the middle.
        errors : array
            Weight of the points on the wrong side, of a total of one.
        """
        x, labels = _line(X), signs(y)
        weights = np.full(len(x), 1.0 / len(x))
        if sample_weight is not None:
            weights = read_numbers("sample_weight", sample_weight)
            weights = weights / weights.sum()
        order = np.argsort(x, kind="stable")
        values, mass = x[order], (labels * weights)[order]
        steps = np.concatenate([[0.0], np.cumsum(mass)])
        errors = weights[labels == -1].sum() + steps  # from all +1: what falls below turns to -1
        ends = np.flatnonzero(np.append(True, values[1:] > values[:-1]))
        middles = (values[ends[1:] - 1] + values[ends[1:]]) / 2.0
        cuts = np.concatenate([[-np.inf], middles, [np.inf]])
        return cuts, errors[np.append(ends, len(values))]

    def learn(self, X: Any, y: Any) -> Hypothesis:
        """Return the threshold of least error, which need not be zero (R1-A01)."""
        cuts, errors = self.errors(X, y)
        cut = float(cuts[np.argmin(errors)])
        return lambda points: np.where(_line(points) >= cut, 1, -1)

    def allows(self, X: Any, y: Any) -> bool:
        """Whether all positive points lie above all negative ones."""
        x, labels = _line(X), signs(y)
        above = x[labels == 1].min(initial=np.inf)
        return bool(x[labels == -1].max(initial=-np.inf) < above)


class Stumps(HypothesisClass):
    """Two labels on the two sides of a cut on one of n features, constants included.

    At most ``2n(m-1) + 2`` labelings; the VC dimension is the largest d with ``C(d, ⌊d/2⌋) ≤ 2n``,
    logarithmic in n (SF-Q27.7, SF-X2-10; LB-Q15.1).

    >>> [Stumps(n).vc_dimension for n in (1, 2, 3, 4, 5)]
    [2.0, 3.0, 4.0, 4.0, 5.0]
    """

    def __init__(self, n_features: int = 1) -> None:
        check_number("n_features", n_features, at_least=1, integer=True)
        self.n_features = n_features

    @property
    def vc_dimension(self) -> float:
        """Largest d with ``C(d, ⌊d/2⌋) ≤ 2n``."""
        d = 2
        while math.comb(d + 1, (d + 1) // 2) <= 2 * self.n_features:
            d += 1
        return float(d)

    def growth(self, n_points: int) -> int:
        """``2n(m-1) + 2``, or all ``2^m``; exact for one feature."""
        return int(min(2 * self.n_features * max(n_points - 1, 0) + 2, 2**n_points))

    def labelings(self, X: Any) -> Array:
        """All labelings of the points, one per row: one scan per feature."""
        points = _features(X, self.n_features)
        cuts = [column >= value for column in points.T for value in np.unique(column)]
        one_way = np.unique(np.where(np.array(cuts), 1, -1), axis=0).astype(np.int8)
        return np.unique(np.vstack([one_way, -one_way]), axis=0)

    def allows(self, X: Any, y: Any) -> bool:
        """Whether a cut on one feature separates the classes, or there is only one."""
        labels = signs(y)
        for column in _features(X, self.n_features).T:
            up, down = column[labels == 1], column[labels == -1]
            if min(len(up), len(down)) == 0 or up.min() > down.max() or down.min() > up.max():
                return True
        return False


class Intervals(HypothesisClass):
    """``+1`` inside a union of at most n intervals of the line (SF-Q27.2, SF-Q27.6, SF-B8, SF-B9).

    ``Σ_{i<=2n} C(m, i)`` labelings exactly, VC dimension 2n. Without a limit the class fits
    everything and learns nothing: ``2^m`` and infinite.

    Parameters
    ----------
    n_intervals : int, optional
        n; None for any number.
    """

    def __init__(self, n_intervals: int | None = 1) -> None:
        check_number("n_intervals", n_intervals, at_least=1, integer=True, optional=True)
        self.n_intervals = n_intervals

    @property
    def vc_dimension(self) -> float:
        """Two per interval."""
        return math.inf if self.n_intervals is None else 2.0 * self.n_intervals

    def runs(self, X: Any, y: Any) -> Array:
        """First and last point of every run of positive points, one row each."""
        x, labels = _line(X), signs(y)
        order = np.lexsort((labels, x))
        x, positive = x[order], labels[order] == 1
        starts = positive & ~np.append(False, positive[:-1])
        ends = positive & ~np.append(positive[1:], False)
        return np.column_stack([x[starts], x[ends]])

    def allows(self, X: Any, y: Any) -> bool:
        """Whether there are few enough runs of positive points."""
        x, labels = _line(X), signs(y)
        if np.isin(x[labels == 1], x[labels == -1]).any():
            return False
        return self.n_intervals is None or len(self.runs(x, labels)) <= self.n_intervals

    def learn(self, X: Any, y: Any) -> Hypothesis:
        """One interval per run of positives (SF-B8, SF-X2-6)."""
        if not self.allows(X, y):
            raise self._refuse()
        runs = self.runs(X, y)

        def hypothesis(points: Any) -> Array:
            x = _line(points)[:, None]
            return np.where(((x >= runs[:, 0]) & (x <= runs[:, 1])).any(axis=1), 1, -1)

        return hypothesis


class LinearClassifiers(HypothesisClass):
    """Half-spaces ``⟨w, x⟩ + b > 0`` of n features (SF-Q27.3; LB-Q15.2; R1-Q03).

    VC dimension n + 1, or n through the origin. Points in general position have Cover's number of
    labelings without ties, ``2 Σ_{k<d} C(m-1, k)`` with d the VC dimension. A tie is negative:

    - ``w = 0`` labels all points so. Without an intercept that is one labeling more, if the points
      lie around the origin, which takes more than d of them.
    - Ties of another w make no more than Cover's number, whatever the position: on a large sphere
      of w, the labelings are cells that the m planes ``⟨w, x⟩ = 1`` cut out. Each plane adds at
      most as many cells as the planes before it cut its own section into, a sphere of one
      dimension less: Cover's recursion.

    >>> LinearClassifiers(2).growth(4), LinearClassifiers(2, intercept=False).growth(4)
    (14, 9)
    """

    def __init__(self, n_features: int = 2, *, intercept: bool = True) -> None:
        check_number("n_features", n_features, at_least=1, integer=True)
        self.n_features, self.intercept = n_features, intercept

    @property
    def vc_dimension(self) -> float:
        """One per coefficient, the intercept among them."""
        return float(self.n_features + self.intercept)

    def growth(self, n_points: int) -> int:
        """Cover's number, and one more for ties where they can make a labeling of their own."""
        if n_points == 0:
            return 1
        return 2 * sauer(n_points - 1, int(self.vc_dimension) - 1) + self._all_tied(n_points)

    def log_growth(self, n_points: int) -> float:
        """``ln Π(m)``, also where Π(m) is no float."""
        if n_points == 0:
            return 0.0
        strict = math.log(2.0) + log_sauer(n_points - 1, int(self.vc_dimension) - 1)
        return float(np.logaddexp(strict, 0.0)) if self._all_tied(n_points) else strict

    def _all_tied(self, n_points: int) -> bool:
        """Whether ``w = 0`` may label points as no other w does."""
        return not self.intercept and n_points > self.n_features

    def allows(self, X: Any, y: Any) -> bool:
        """Whether a plane separates the points, by a linear program."""
        return separable(_features(X, self.n_features), y, intercept=self.intercept)


class KernelClassifiers(HypothesisClass):
    """Planes in the space of an RBF kernel, which shatter distinct points (LB-Q15.3, LB-C13)."""

    vc_dimension = math.inf

    def __init__(self, gamma: float = 1.0) -> None:
        check_number("gamma", gamma, above=0.0)
        self.gamma = gamma

    def gram(self, X: Any) -> Array:
        """``exp(-γ ‖x - x'‖²)`` of all pairs of points, positive definite if they are distinct."""
        points = as_points(X)
        squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-self.gamma * squares)

    def allows(self, X: Any, y: Any) -> bool:
        """Whether equal points have equal labels."""
        points, labels = as_points(X), signs(y)
        _, place = np.unique(points, axis=0, return_inverse=True)
        given = np.column_stack([place.ravel(), labels])
        return len(np.unique(given, axis=0)) == len(np.unique(place))


class Boxes(HypothesisClass):
    """``+1`` inside a box with sides along the axes: VC dimension 2n (SF-Q27.5, SF-X2-4, SF-B7)."""

    def __init__(self, n_features: int = 2) -> None:
        check_number("n_features", n_features, at_least=1, integer=True)
        self.n_features = n_features

    @property
    def vc_dimension(self) -> float:
        """Two per feature."""
        return 2.0 * self.n_features

    def allows(self, X: Any, y: Any) -> bool:
        """Whether the smallest box around the positive points holds no other."""
        points, labels = _features(X, self.n_features), signs(y)
        return bool((self._smallest(points, labels)(points) == labels).all())

    def learn(self, X: Any, y: Any) -> Hypothesis:
        """The smallest box around the positive points, empty without any."""
        points, labels = _features(X, self.n_features), signs(y)
        box = self._smallest(points, labels)
        if (box(points) != labels).any():
            raise self._refuse()
        return box

    def compress(self, X: Any, y: Any) -> Array:
        """Indices of at most 2n points from which :meth:`learn` finds the same box (SF-X2-5)."""
        points, labels = _features(X, self.n_features), signs(y)
        inside = np.flatnonzero(labels == 1)
        if len(inside) == 0:
            return inside
        ends = [points[inside].argmin(axis=0), points[inside].argmax(axis=0)]
        return np.unique(inside[np.concatenate(ends)])

    def _smallest(self, points: Array, labels: Array) -> Hypothesis:
        inside = points[labels == 1]
        low = inside.min(axis=0, initial=np.inf)
        high = inside.max(axis=0, initial=-np.inf)

        def hypothesis(X: Any) -> Array:
            x = _features(X, self.n_features)
            return np.where(((x >= low) & (x <= high)).all(axis=1), 1, -1)

        return hypothesis


class Monomials(HypothesisClass):
    """Conjunctions of some of n Boolean variables: ``2^n`` hypotheses (SF-B6, SF-X2-3).

    ``+1`` where all the chosen variables are 1; the empty conjunction is always true. VC dimension
    n, all of ``lg|H|``.
    """

    def __init__(self, n_features: int = 2) -> None:
        check_number("n_features", n_features, at_least=1, integer=True)
        self.n_features = n_features

    @property
    def vc_dimension(self) -> float:
        """One per variable."""
        return float(self.n_features)

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return int(2**self.n_features)

    def growth(self, n_points: int) -> int:
        """Sauer's number, or all hypotheses."""
        return min(super().growth(n_points), self.size)

    def variables(self, X: Any, y: Any) -> Array:
        """Which variables the learner keeps: those that are 1 in all positive examples."""
        bits = _features(X, self.n_features)
        if not np.isin(bits, (0.0, 1.0)).all():
            raise ValueError("X: expected Boolean variables, 0 or 1")
        return (bits[signs(y) == 1] == 1.0).all(axis=0)

    def allows(self, X: Any, y: Any) -> bool:
        """Whether the conjunction that the learner keeps is right everywhere."""
        bits, kept = _features(X, self.n_features), self.variables(X, y)
        return bool(((bits[:, kept] == 1.0).all(axis=1) == (signs(y) == 1)).all())

    def learn(self, X: Any, y: Any) -> Hypothesis:
        """Delete the variables that a positive example contradicts; what is left is consistent."""
        if not self.allows(X, y):
            raise self._refuse()
        kept = self.variables(X, y)
        return lambda points: np.where((as_points(points)[:, kept] == 1.0).all(axis=1), 1, -1)


class AtMostPositives(HypothesisClass):
    """``+1`` at no more than d points of an infinite set: Sauer's sum attained (SF-Q27.8)."""

    def __init__(self, n_positives: int) -> None:
        check_number("n_positives", n_positives, at_least=0, integer=True)
        self.n_positives = n_positives

    @property
    def vc_dimension(self) -> float:
        """The number of positives."""
        return float(self.n_positives)

    def allows(self, X: Any, y: Any) -> bool:
        """Whether no more than d points are positive."""
        points, labels = as_points(X), signs(y)
        positives = np.unique(points[labels == 1], axis=0)
        negatives = np.unique(points[labels == -1], axis=0)
        both = len(np.unique(np.vstack([positives, negatives]), axis=0))
        return len(positives) <= self.n_positives and both == len(positives) + len(negatives)


def as_points(X: Any) -> Array:
    """Points as rows; numbers are points of the line."""
    array = read_numbers("X", X)
    return matrix("X", array[:, None] if array.ndim == 1 else array)


def _features(X: Any, n_features: int) -> Array:
    points = as_points(X)
    if points.shape[1] != n_features:
        raise ValueError(f"X: got {points.shape[1]} features, expected {n_features}")
    return points


def _line(X: Any) -> Array:
    return _features(X, 1)[:, 0]
