"""A finite set of hypotheses given as a matrix, with every way of choosing from it (R1-A15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.hypothesis import Hypothesis, check_feature
from ..core.oracle import Candidate, Oracle
from ..core.sample import Sample
from ..core.weights import Weights
from ..data import Table
from ..kernels.ties import TIE
from ..solvers.margin_lp import solve_margin_lp
from ..types import Array
from ..validation import Effects, Where, read_numbers


@dataclass(frozen=True, slots=True)
class Column(Hypothesis):
    """A column of the given matrix, with its sign: its outputs are the rows' own entries."""

    kind: ClassVar[str] = "column"
    keys: ClassVar[tuple[str, ...]] = ("index", "sign")

    index: int
    sign: float = 1.0

    def __call__(self, rows: Array) -> Array:
        """Outputs on rows of the same matrix."""
        return self.sign * rows[:, self.index]

    def negated(self) -> Column:
        """Flip the sign."""
        return Column(self.index, -self.sign)

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """The column is there."""
        check_feature(self.index, categories)

    def importances(self, n_features: int) -> Array:
        """All on its column."""
        share = np.zeros(n_features)
        share[self.index] = 1.0
        return share

    def to_dict(self) -> dict[str, object]:
        """Plain data."""
        return {"kind": self.kind, "index": self.index, "sign": self.sign}

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> Column:
        """Make a column from plain data."""
        index, sign = data.get("index"), data.get("sign")
        if type(index) is not int or index < 0 or sign not in (1.0, -1.0):
            raise ValueError(f"column: got index {index!r} and sign {sign!r}")
        return cls(index, float(sign))


def _largest(edges: Array, k: int) -> list[int]:
    """Places of the k largest edges; ties, up to rounding, go to the lowest column."""
    left, chosen = edges.copy(), []
    for _ in range(min(k, len(edges))):
        chosen.append(int(np.argmax(left >= left.max() - TIE)))
        left[chosen[-1]] = -np.inf
    return chosen


def matrix_sample(matrix: Array, y: Array, prior: Array | None = None, seed: int = 0) -> Sample:
    """Sample for matrix mode: row i of ``matrix`` holds the outputs of all hypotheses on example i.

    >>> from marginboost.algorithms import AdaBoost
    >>> from marginboost.core import train
    >>> flips = np.ones((3, 3)) - 2 * np.eye(3)
    >>> run = train(matrix_sample(flips, np.ones(3)), FiniteOracle(), AdaBoost(), max_rounds=300)
    >>> round(run.certificate.value, 2)
    0.33
    """
    matrix = read_numbers("matrix", matrix)
    if matrix.ndim != 2 or len(matrix) != len(y):
        raise ValueError(
            f"matrix: got shape {matrix.shape}, expected one row for each of {len(y)} labels"
        )
    table = Table(matrix, [f"h{j}" for j in range(matrix.shape[1])])
    return Sample.of_labels(y, prior, rows=table, seed=seed)


class FiniteOracle(Oracle):
    """Choose among the columns of a matrix: the rows of the sample are the matrix itself.

    Parameters
    ----------
    selection : {"best", "worst", "delta", "cyclic", "random"}
        ``best`` takes the largest edge. ``worst`` takes the smallest edge that is still at least
        ρ* (found by a linear program): the adversary of the worst-case theorems. ``delta`` takes
        the smallest edge that is at least ``delta`` times the largest. ``cyclic`` goes round all
        columns, ``random`` draws one with edge at least ρ*.
    delta : float
        Share of the largest edge, for ``delta``.
    closed : bool
        Whether the negative of every column belongs to the set too.
    """

    saved = True
    __effects__: ClassVar[Effects] = {"delta": Where("selection", ("delta",))}
    SELECTIONS: ClassVar[tuple[str, ...]] = ("best", "worst", "delta", "cyclic", "random")
    class_name = "the given columns"

    def __init__(self, selection: str = "best", delta: float = 1.0, closed: bool = False) -> None:
        self.selection = selection
        self.delta = delta
        self.closed = closed

    def prepare(self) -> None:
        """Take the matrix from the sample; find ρ* where the selection needs it."""
        if self.selection not in self.SELECTIONS:
            raise ValueError(
                f"selection: got {self.selection!r}, expected one of {self.SELECTIONS}"
            )
        rows = self.sample.rows
        if rows is None:
            raise ValueError("FiniteOracle: the sample has no rows")
        matrix = rows.dense(0, rows.n_rows)
        if not (np.abs(matrix) <= 1).all():
            raise ValueError("the matrix of hypotheses must hold finite outputs in [-1, 1]")
        self._matrix = np.hstack([matrix, -matrix]) if self.closed else matrix
        self._binary = bool((np.abs(matrix) == 1).all())
        self._n_columns = matrix.shape[1]
        self.exact = self.selection == "best"
        if self.selection in ("worst", "random"):
            self.value = solve_margin_lp(self.sample.y[:, None] * self._matrix).value

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Columns by the rule of selection."""
        edges = weights.dual @ self._matrix
        best = self.selection == "best"
        chosen = _largest(edges, k) if best else [self._select(edges, round)]
        return [self._candidate(j, float(edges[j])) for j in chosen]

    def _select(self, edges: Array, round: int) -> int:
        if self.selection == "cyclic":
            return (round - 1) % len(edges)
        floor = self.delta * edges.max() if self.selection == "delta" else self.value - 1e-9
        allowed = np.flatnonzero(edges >= floor)
        if allowed.size == 0:  # rounding put every edge just below ρ*
            return int(np.argmax(edges))
        if self.selection == "random":
            return int(np.random.default_rng([self.sample.seed, round]).choice(allowed))
        return int(allowed[np.argmin(edges[allowed])])

    def _candidate(self, j: int, edge: float) -> Candidate:
        column = self._matrix[:, j]
        if self._binary:
            column = column.astype(np.int8)
        sign = 1.0 if j < self._n_columns else -1.0
        return Candidate(Column(j % self._n_columns, sign), edge, np.ascontiguousarray(column))
