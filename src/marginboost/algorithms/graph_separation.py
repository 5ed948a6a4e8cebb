"""Graph separation boosting: few hypotheses of a simple class, put together by more than a vote.

Problem: find hypotheses that tell every two rows of different labels apart; a function of their
answers then has no training error. Rows are the nodes of a graph, two of different labels are
joined. Every round weighs a row by how many it is still joined to, asks for the hypothesis of
largest edge, and takes away the pairs on which its answers differ:

    d_i ∝ p_i Σ p_j  over the rows j of the other label that all hypotheses so far answer like i.

So what is left joins rows of one cell, the rows that have the same answers of all hypotheses, and
no pair need ever be made: a round costs one pass over the rows.

Certificate: none, for the model is no vote; the share of pairs that are left is the loss of the
history.
Rate: of a pair that stays joined the hypothesis gets one row wrong and one right. With an edge γ
the wrong ones have the weight (1 - γ) / 2, so of the weight of all pairs at most the share 1 - γ
stays: after ln(P) / γ rounds none of P pairs is left. Boosters that vote need of the order
ln(N) / γ², and some cannot do with less; here the hypotheses are of a simple class (of bounded VC
dimension, for the answers on other rows), and put together by a tree in place of a vote.

Outputs between -1 and 1 are compared with the threshold of largest edge: the mean edge of all
thresholds is that of the outputs themselves, so the promise stays.

The paper leaves open what to say of answers that no row of the sample has. Here a cell is only
parted while it has rows of both labels and they have both answers, so that cells are the leaves of
a tree, and every row comes to one of them.

Reference: Alon, Gonen, Hazan & Moran, *Boosting simple learners*, 2021 (TheoretiCS 2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..core.hypothesis import Hypothesis
from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.run import Run
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..data.binned import midpoints
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..kernels.ties import TIE
from ..model import VoteLink
from ..oracles.answer_tree import AnswerTree
from ..types import Array

ROUNDING = 1e-12
"""An edge that is no more than this is none."""
NO_VOTE = "a tree of answers is no vote: nothing bounds its margin but 1"


class Cells:
    """Rows that hypotheses answer alike, as the leaves of a tree of questions.

    Parameters
    ----------
    sample : Sample
        Rows with labels ±1.
    members : iterable of Hypothesis
        Those that have been asked.
    """

    def __init__(self, sample: Sample, members: Iterable[Hypothesis] = ()) -> None:
        self._plus = np.where(sample.y > 0, sample.prior, 0.0)
        self._minus = np.where(sample.y > 0, 0.0, sample.prior)
        self.leaf: Array = np.zeros(len(sample.y), np.int64)
        """Node of each row."""
        self._question: Array = np.full(1, -1)
        self._left, self._right = self._question.copy(), self._question.copy()
        self.thresholds: list[float] = []
        """What answers were compared with, one for each hypothesis."""
        self._weigh()
        for member in members:
            self.split(sample.column(member))

    def split(self, column: Array) -> None:
        """Ask one more hypothesis, in every cell of both labels in which answers differ."""
        threshold, n_asked = self._best_threshold(column), len(self.thresholds)
        said, n_nodes = np.asarray(column) > threshold, len(self._question)
        yes = np.bincount(self.leaf, weights=said, minlength=n_nodes)
        rows = np.bincount(self.leaf, minlength=n_nodes)
        asked = np.flatnonzero((self.plus > 0) & (self.minus > 0) & (yes > 0) & (yes < rows))
        leaves = np.full(2 * len(asked), -1)
        self._question, self._left, self._right = (
            np.append(part, leaves) for part in (self._question, self._left, self._right)
        )
        self._question[asked] = n_asked
        self._left[asked] = n_nodes + 2 * np.arange(len(asked))
        self._right[asked] = self._left[asked] + 1
        moved = np.flatnonzero(self._question[self.leaf] == n_asked)
        node = self.leaf[moved]
        self.leaf[moved] = np.where(said[moved], self._right[node], self._left[node])
        self.thresholds.append(threshold)
        self._weigh()

    def _best_threshold(self, column: Array) -> float:
        """Place of largest edge; both labels have the same weight, so one side is enough."""
        outputs = np.asarray(column, np.float64)
        values = np.array([outputs.min(), outputs.max()])
        if not ((outputs == values[0]) | (outputs == values[1])).all():
            values, place = np.unique(outputs, return_inverse=True)
            signed = np.where(self._plus > 0, 1.0, -1.0) * self.degrees
            edges = np.abs(np.cumsum(np.bincount(place.reshape(-1), weights=signed))[:-1])
            best = int(np.argmax(edges >= edges.max() * (1.0 - TIE)))
            values = values[best : best + 2]
        return float(midpoints(values[0], values[1]))

    def _weigh(self) -> None:
        """Weight of each label in each node."""
        sizes = {"minlength": len(self._question)}
        self.plus = np.bincount(self.leaf, weights=self._plus, **sizes)
        self.minus = np.bincount(self.leaf, weights=self._minus, **sizes)

    @property
    def pairs(self) -> float:
        """Weight of the pairs of different labels that are left."""
        return float(self.plus @ self.minus)

    @property
    def degrees(self) -> Array:
        """Weight of the pairs that each row is in."""
        return np.asarray(self._plus * self.minus[self.leaf] + self._minus * self.plus[self.leaf])

    @property
    def values(self) -> Array:
        """Mean label of each node; 0 where no row is."""
        weight = self.plus + self.minus
        return np.asarray((self.plus - self.minus) / np.where(weight > 0, weight, 1.0))

    def tree(self, members: tuple[Hypothesis, ...]) -> AnswerTree:
        """Make the tree of the hypotheses that were asked."""
        question, left, right, values = (
            tuple(part.tolist()) for part in (self._question, self._left, self._right, self.values)
        )
        return AnswerTree(members, tuple(self.thresholds), question, left, right, values)


class GraphSeparation(Rule):
    """Weigh rows by the pairs that they are in; equal coefficients."""

    def start(self, state: State) -> None:
        """Join all rows of different labels, or take away what the hypotheses tell apart."""
        self._cells = Cells(state.sample, state.members)
        self._weigh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Take away the pairs that the hypothesis tells apart."""
        best, before = found[0], self._cells.pairs
        if not before > 0.0:
            return Stop.SEPARATED
        if best.edge <= ROUNDING:
            return Stop.NO_EDGE
        self._cells.split(best.column)
        state.move(best, 1.0)
        state.min_margin = float((state.sample.y * state.scores).min()) / state.l1_norm
        self._weigh(state)
        pairs = self._cells.pairs
        state.note(coef=1.0, normaliser=pairs / before, loss=pairs)
        return None if pairs > 0.0 else Stop.SEPARATED

    def _weigh(self, state: State) -> None:
        """Weigh rows by their pairs; where none is left, the last weights stay, or the first."""
        degrees = self._cells.degrees
        if self._cells.pairs > 0.0:
            state.dual[:] = state.sample.y * degrees / degrees.sum()
        elif not state.dual.any():
            state.dual[:] = state.sample.y * state.sample.prior


@document
class GraphSepBoostClassifier(BaseMarginClassifier):
    """Few hypotheses that tell all rows of different labels apart, and a tree of their answers.

    The model is no vote: ``estimators_`` is one :class:`~marginboost.oracles.AnswerTree`, whose
    ``members`` are the hypotheses. Votes are mean labels of the rows in a leaf.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump. Outputs other than ±1 are compared with a threshold.
    n_estimators : int
        Most hypotheses; the run ends earlier when no two rows of different labels are left that all
        of them answer alike, or no hypothesis has an edge. Fewer keep it from wrong labels.
    {common}

    Attributes
    ----------
    {fitted}

    Notes
    -----
    Bounds in ``history_`` are on margins of the plain vote, its ``loss`` is the weight of the pairs
    that are left. Staged predictions have one stage.

    References
    ----------
    Alon, Gonen, Hazan and Moran, *Boosting simple learners*, 2021.

    Examples
    --------
    >>> from marginboost import GraphSepBoostClassifier
    >>> from marginboost.datasets import circle_2d
    >>> X, y = circle_2d(200)
    >>> model = GraphSepBoostClassifier().fit(X, y)
    >>> str(model.stop_reason_), model.score(X, y), model.n_iter_ < 20
    ('separated', 1.0, True)
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"certifies": False, "explains": False}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "fewest hypotheses that tell all rows of different labels apart; no vote",
        "guarantee": "no training error after ln(P)/γ rounds, P pairs, edges at least γ",
        "reference": "Alon, Gonen, Hazan & Moran 2021",
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(
            lambda problem, chosen: GraphSeparation(),
            link=VoteLink(),
            is_vote=False,
            conclude=_tree_of_answers,
        )


def _tree_of_answers(run: Run) -> Run:
    """Put a tree of the answers in the place of the vote."""
    members = run.ensemble.members
    cells = Cells(run.sample, members)
    scores = cells.values[cells.leaf]
    least = float((run.sample.y * scores).min())
    ensemble = Ensemble((cells.tree(members),), np.ones(1))
    certificate = Certificate(least, 1.0, least, certified=False, reason=NO_VOTE)
    return replace(run, ensemble=ensemble, scores=scores, certificate=certificate)


def rounds_needed(n_positive: int, n_negative: int, edge: float) -> int:
    """Rounds after which no pair is left, where every edge is at least this.

    >>> rounds_needed(50, 50, 0.2)
    36
    """
    if edge >= 1.0:
        return 1
    return math.floor(math.log(n_positive * n_negative) / -math.log1p(-edge)) + 1
