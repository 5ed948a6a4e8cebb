"""Graph separation boosting: few hypotheses of a simple class, put together by more than a vote.

Problem: find hypotheses that tell every two rows of different labels apart; a function of their
answers then has no training error. Rows are the nodes of a graph, two of different labels are
joined. Every round weighs a row by how many it is still joined to, asks for the hypothesis of
largest edge, and takes away the pairs on which its answers differ:

    d_i ∝ p_i Σ p_j  over the rows j of the other label that all hypotheses so far answer like i.

So what is left joins rows of one cell, the rows that have the same answers of all hypotheses, and
no pair need ever be made: a round costs one pass over the rows.

Certificate: as a plain vote, the largest edge bounds the largest margin from above, the smallest
margin from below.
Rate: of a pair that stays joined the hypothesis gets one row wrong and one right. With an edge γ
the wrong ones have the weight (1 - γ) / 2, so of the weight of all pairs at most the share 1 - γ
stays: after ln(P) / γ rounds none of P pairs is left. Boosters that vote need of the order
ln(N) / γ², and some cannot do with less; here the hypotheses are of a simple class (of bounded VC
dimension, for the answers on other rows), and put together by a table in place of a vote.

The paper leaves open what to say of answers that no row of the sample has; here it is the label of
the nearest ones that have been seen, those with the fewest answers changed.

Reference: Alon, Gonen, Hazan & Moran, *Boosting simple learners*, 2021 (TheoretiCS 2023).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate, Oracle
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..types import Array

ROUNDING = 1e-12
"""An edge that is no more than this is none."""
BLOCK = 1024
"""Rows whose answers are compared with all cells at once."""


class GraphSeparation(Rule):
    """Weigh rows by the pairs that they are in; equal coefficients."""

    def start(self, state: State) -> None:
        """Join all rows of different labels, or take away what the hypotheses tell apart."""
        self._cells: Array = np.zeros(len(state.sample.y), dtype=np.int64)
        self._pairs = math.nan
        for member in state.members:
            self._split(state.sample.column(member))
        self._weigh(state)

    def value(self, state: State) -> float:
        """Smallest margin of the plain vote."""
        return state.min_margin

    def upper(self, state: State, edge: float) -> float:
        """What the largest edge proves."""
        return edge

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Take away the pairs that the hypothesis tells apart."""
        best, before = found[0], self._pairs
        if not before > 0.0:
            return Stop.SEPARATED
        if best.edge <= ROUNDING:
            return Stop.NO_EDGE
        self._split(best.column)
        state.move(best, 1.0)
        state.min_margin = float((state.sample.y * state.scores).min()) / state.l1_norm
        self._weigh(state)
        state.note(coef=1.0, normaliser=self._pairs / before, loss=self._pairs)
        return None if self._pairs > 0.0 else Stop.SEPARATED

    def _split(self, column: Array) -> None:
        """Part every cell by the answers."""
        parted = 2 * self._cells + (np.asarray(column) > 0)
        self._cells = np.unique(parted, return_inverse=True)[1].reshape(-1)

    def _weigh(self, state: State) -> None:
        """Weigh rows by their pairs; where none is left, the last weights stay, or the first."""
        y, prior = state.sample.y, state.sample.prior
        sides = [np.bincount(self._cells, weights=np.where(y == s, prior, 0.0)) for s in (-1, 1)]
        self._pairs = float(sides[0] @ sides[1])
        if self._pairs > 0.0:
            degrees = prior * np.where(y > 0, sides[0][self._cells], sides[1][self._cells])
            state.dual[:] = y * degrees / degrees.sum()
        elif not state.dual.any():
            state.dual[:] = y * prior


@dataclass(frozen=True)
class SeparationTable:
    """A function of the answers of a few hypotheses.

    Attributes
    ----------
    members : tuple of Hypothesis
        The hypotheses.
    answers : array (cells, 1 + hypotheses)
        A constant 1 and their answers -1 and +1 on the cells of the sample.
    leaning : array
        For each cell, the weight of its rows with label +1 less that of those with -1.
    run : Run
        The run that found them.
    """

    members: tuple[Hypothesis, ...]
    answers: Array
    leaning: Array
    run: Run

    def __call__(self, rows: Array) -> Array:
        """Answers -1 and +1 on dense rows: those of the nearest cells."""
        said = _answers([member(rows) for member in self.members], len(rows))
        labels = np.empty(len(said), dtype=np.int8)
        for start in range(0, len(said), BLOCK):
            alike = said[start : start + BLOCK] @ self.answers.T
            nearest = alike == alike.max(axis=1, keepdims=True)
            labels[start : start + BLOCK] = np.where(nearest @ self.leaning > 0.0, 1, -1)
        return labels

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return len(self.members)


def graph_separation(sample: Sample, oracle: Oracle, max_rounds: int = 1000) -> SeparationTable:
    """Learn hypotheses that tell rows of different labels apart, and the table of their answers.

    Parameters
    ----------
    sample : Sample
        Rows with labels ±1.
    oracle : Oracle
        The base learner, not bound.
    max_rounds : int
        Most hypotheses. Rows that are equal but for their labels are never told apart: the run ends
        when no hypothesis has an edge, and their cell has the label of most weight.
    """
    if max_rounds < 1:
        raise ValueError(f"max_rounds: got {max_rounds!r}, expected 1 or more")
    run = train(sample, oracle, GraphSeparation(), max_rounds=max_rounds)
    members = run.ensemble.members
    said = _answers([sample.column(member) for member in members], len(sample.y))
    answers, cells = np.unique(said, axis=0, return_inverse=True)
    leaning = np.bincount(cells.reshape(-1), weights=sample.y * sample.prior)
    return SeparationTable(members, answers, leaning, run)


def rounds_needed(n_positive: int, n_negative: int, edge: float) -> int:
    """Rounds after which no pair is left, where every edge is at least this.

    >>> rounds_needed(50, 50, 0.2)
    36
    """
    if edge >= 1.0:
        return 1
    return math.floor(math.log(n_positive * n_negative) / -math.log1p(-edge)) + 1


def _answers(columns: list[Array], n_rows: int) -> Array:
    """Signs of outputs, one row per row and one column per hypothesis, after a constant."""
    signs = [np.where(np.asarray(column) > 0, 1.0, -1.0) for column in columns]
    return np.column_stack([np.ones(n_rows), *signs]).astype(np.float32)
