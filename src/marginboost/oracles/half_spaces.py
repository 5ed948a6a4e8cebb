"""Sparse classification functions as base learner (R2-B4, B.6.4).

The hypothesis with the largest edge among ``sign(w·x + b)`` is hard to find: it is the classifier
with the least weighted error (B.23). What is solved instead is the linear program

    min_{w, b, ξ}  Σ_n |d_n| ξ_n   s.t.  sign(d_n) (w·x_n + b) >= 1 - ξ_n,  ‖w‖₁ <= δ,  ξ >= 0.

A small δ leaves few features in w. Of all planes with that w, the one of the largest edge is taken:
that is a search along one line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.expansions import linear_scores
from ..kernels.parallel import run_rows
from ..kernels.ties import TIE
from ..types import Array
from ..validation import Constraints, Number
from .coordinates import Coordinates, InCoordinates, is_number, read_numbers
from .kernel_expansion import BLOCK, measured

SIDES = (-1, 0, 1)
COLUMNS = ("auto", "sign", "halves")
FLAT = 1e-9
"""Sizes of w up to which the program has found no direction."""


@dataclass(frozen=True, eq=False)
class HalfSpace(InCoordinates):
    """Which side of a plane ``w·z + b = 0`` a row is on, in standardised coordinates z.

    Parameters
    ----------
    coordinates : Coordinates
        From rows to z.
    weights : array
        w.
    offset : float
        b.
    side : {0, 1, -1}
        0 answers 1 where ``w·z + b > 0`` and -1 elsewhere; 1 answers 1 above and 0 elsewhere; -1
        answers -1 below and 0 elsewhere.
    sign : float
        1, or -1 of the negative.
    """

    kind: ClassVar[str] = "half_space"
    keys: ClassVar[tuple[str, ...]] = (*Coordinates.KEYS, "weights", "offset", "side", "sign")

    weights: Array
    offset: float
    side: int = 0
    sign: float = 1.0

    def _content(self) -> tuple[Any, ...]:
        plane = (self.weights.tobytes(), self.offset, self.side, self.sign)
        return (*self.coordinates.content(), *plane)

    def at(self, coordinates: Array, n_threads: int = 1) -> Array:
        """Outputs on rows that are given by their coordinates."""
        scores = np.empty(len(coordinates))

        def fill(start: int, stop: int) -> None:
            linear_scores(coordinates[start:stop], self.weights, self.offset, scores[start:stop])

        run_rows(fill, len(scores), n_threads, BLOCK)
        if self.side < 0:
            return self.sign * np.where(scores < 0.0, -1.0, 0.0)
        return self.sign * np.where(scores > 0.0, 1.0, -1.0 if self.side == 0 else 0.0)

    def negated(self) -> Self:
        """Turn the sign round."""
        return replace(self, sign=-self.sign)

    def importances(self, n_features: int) -> Array:
        """By the sizes of w."""
        return self.coordinates.shares(np.abs(self.weights), n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        plane = {"weights": self.weights.tolist(), "offset": self.offset}
        sides = {"side": self.side, "sign": self.sign}
        return {"kind": self.kind, **self.coordinates.to_dict(), **plane, **sides}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a half-space from plain data."""
        coordinates = Coordinates.from_dict(data)
        weights, offset = read_numbers(data, "weights", 1e100), data.get("offset")
        side, sign = data.get("side"), data.get("sign")
        if len(weights) != len(coordinates):
            raise ValueError(f"weights: got {len(weights)}, expected {len(coordinates)}")
        if not is_number(offset, 1e100):
            raise ValueError(f"offset: got {offset!r:.50}, expected a number")
        if type(side) is not int or side not in SIDES or sign not in (1.0, -1.0):
            raise ValueError(f"side, sign: got {side!r:.50} and {sign!r:.50}")
        return cls(coordinates, weights, float(offset), side, float(sign))  # type: ignore[arg-type]


class HalfSpaceOracle(Oracle):
    """Classification functions of few features: planes found by a linear program.

    Features are standardised; categories become indicators (of the 20 most frequent ones), and a
    missing value counts as the mean. The program bounds the weighted error from above and does not
    find the plane of least error, so no run is certified.

    Parameters
    ----------
    delta : float
        Bound on ‖w‖₁, in units of 1 over a standard deviation: the smaller, the fewer features.
    columns : {"auto", "sign", "halves"}
        ``sign`` offers the side of the plane, -1 or 1; ``halves`` offers two hypotheses, 1 above
        the plane and -1 below it, each 0 on the other side (rules that take several columns in a
        round get both). ``auto`` is halves for targets, sign for labels.
    max_samples : int
        Most rows in the program; of more, so many are drawn by weight.

    Examples
    --------
    >>> from marginboost import AdaBoostClassifier, HalfSpaceOracle
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = X[:, 1] > X[:, 3]
    >>> model = AdaBoostClassifier(HalfSpaceOracle(), n_estimators=5).fit(X, y)
    >>> bool(model.feature_importances_[[1, 3]].sum() > 0.9)
    True
    """

    saved = True
    exact = False
    class_name = "half-spaces"
    __constraints__: ClassVar[Constraints] = {
        "delta": Number(above=0.0, at_most=1e6),
        "columns": COLUMNS,
        "max_samples": Number(at_least=2, integer=True),
    }

    def __init__(self, delta: float = 2.0, columns: str = "auto", max_samples: int = 2000) -> None:
        self.delta = delta
        self.columns = columns
        self.max_samples = max_samples

    def prepare(self) -> None:
        """Standardise the rows."""
        self._coordinates, self._rows = Coordinates.learn(self.sample, type(self).__name__)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The side of one plane, or its two halves."""
        dual = weights.dual
        plane = HalfSpace(self._coordinates, *self._plane(dual, round))
        halves = {"auto": self.sample.numeric, "sign": False, "halves": True}[self.columns]
        found = [replace(plane, side=side) for side in ((1, -1) if halves else (0,))]
        candidates = [measured(new, self._rows, dual, self.sample) for new in found]
        return sorted(candidates, key=lambda candidate: -candidate.edge)[:k]

    def _plane(self, dual: Array, round: int) -> tuple[Array, float]:
        """``w`` of the program, with the ``b`` of largest edge; an axis where the program has none.

        The program answers w = 0 where no plane has less than half of the weight on its wrong side
        by a margin, although some plane may have a small edge.
        """
        weights = self._solve(dual, round)
        if np.abs(weights).max(initial=0.0) > FLAT:
            tried = [weights]
        else:
            tried = list(np.identity(len(weights)))
        best = np.zeros(len(weights)), 1.0, abs(float(dual.sum()))
        for direction in tried:
            scores = np.empty(len(dual))
            linear_scores(self._rows, direction, 0.0, scores)
            cut, edge = _best_cut(scores, dual)
            if edge > best[2] + TIE:
                best = direction, -cut, edge
        return best[0], best[1]

    def _solve(self, dual: Array, round: int) -> Array:
        """``w``; variables are w⁺, w⁻, b and one ξ for each row."""
        rows, sizes = self._rows, np.abs(dual)
        signs = np.where(dual > 0.0, 1.0, -1.0)
        if len(rows) > self.max_samples:
            rng = np.random.default_rng([self.sample.seed, round])
            times = rng.multinomial(self.max_samples, sizes / sizes.sum())
            drawn = np.flatnonzero(times)
            rows, signs, sizes = rows[drawn], signs[drawn], times[drawn].astype(float)
        n_rows, width = rows.shape
        signed = signs[:, None] * rows
        slack = sparse.identity(n_rows, format="csr")
        upper = sparse.hstack([-signed, signed, -signs[:, None], -slack])
        length = sparse.csr_matrix(np.append(np.ones(2 * width), np.zeros(1 + n_rows))[None, :])
        solved = linprog(
            np.concatenate([np.zeros(2 * width + 1), sizes / (sizes.max() or 1.0)]),
            A_ub=sparse.vstack([upper, length], format="csr"),
            b_ub=np.append(-np.ones(n_rows), self.delta),
            bounds=[(0, None)] * (2 * width) + [(None, None)] + [(0, None)] * n_rows,
            method="highs",
        )
        if solved.x is None:
            return np.zeros(width)
        return solved.x[:width] - solved.x[width : 2 * width]


def _best_cut(scores: Array, dual: Array) -> tuple[float, float]:
    """Cut between scores for which ``|Σ dual sign(score - cut)|`` is largest, and that edge."""
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    edges = np.abs(dual.sum() - 2.0 * np.cumsum(dual[order]))[:-1]
    edges[ranked[1:] <= ranked[:-1]] = -1.0  # no room for a cut
    if not len(edges) or edges.max() < 0.0:
        return 0.0, -1.0
    best = int(np.argmax(edges >= edges.max() - TIE))
    return 0.5 * (ranked[best] + ranked[best + 1]), float(edges[best])
