"""Fitted models of classes: two, several by way of two, several at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .base import FittedRun, Model, OneRunModel
from .decoding import Decoder, class_probabilities, class_shares, levelled, multiclass_margins
from .features import FeatureRows
from .links import Link, inside


@dataclass(frozen=True)
class ClassModel(Model):
    """What fitted classifiers have in common: classes, votes, probabilities, margins.

    Attributes
    ----------
    classes : array
        The labels, sorted; of two, the second is the positive class.
    """

    classes: Array

    @abstractmethod
    def votes(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Normalised votes in [-1, 1]: of two classes one per row, of more one column per class."""

    @abstractmethod
    def probabilities(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Probabilities of the classes (rows, classes); none is 0 or 1."""

    @abstractmethod
    def staged_votes(self, rows: FeatureRows) -> Iterator[Array]:
        """Votes after 1, 2, … hypotheses (of each problem, where there are several)."""

    @abstractmethod
    def staged_probabilities(self, rows: FeatureRows) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses."""

    def labels(self, votes: Array) -> Array:
        """Class with the largest vote of each row; a tie goes to the first class."""
        if votes.ndim == 2:
            return self.classes[levelled(votes).argmax(axis=1)]
        return self.classes[(votes > 0).astype(int)]

    def margins(self, rows: FeatureRows, index: Array, n_jobs: int | None = None) -> Array:
        """Margins of rows whose classes have these positions: positive if classified right."""
        votes = self.votes(rows, n_jobs)
        return multiclass_margins(votes, index) if votes.ndim == 2 else (2 * index - 1) * votes


@dataclass(frozen=True)
class BinaryModel(ClassModel, OneRunModel):
    """A model of two classes with one score per row.

    Attributes
    ----------
    link : Link
        From scores to probabilities.
    """

    link: Link

    def votes(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Votes ``Σ α h(x) / Σ|α|``, positive for the second class."""
        return _share(self.scores(rows, n_jobs), self.run.ensemble.l1_norm)

    def probabilities(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Probabilities by the link."""
        return self.link_of(self.scores(rows, n_jobs))

    def link_of(self, scores: Array) -> Array:
        """Probabilities of scores."""
        return inside(self.link(scores, self.run.ensemble.l1_norm))

    def staged_votes(self, rows: FeatureRows) -> Iterator[Array]:
        """Votes after 1, 2, … hypotheses."""
        l1_norms = self.run.ensemble.l1_norms
        for scores, l1_norm in zip(self.staged_scores(rows), l1_norms, strict=True):
            yield _share(scores, l1_norm)

    def staged_probabilities(self, rows: FeatureRows) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses."""
        return map(self.link_of, self.staged_scores(rows))


@dataclass(frozen=True)
class LabelModel(BinaryModel):
    """A model whose hypotheses answer for all classes at once, with one score per class."""

    def scores(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Scores (rows, classes)."""
        if not len(self.run.ensemble):
            return np.zeros((rows.n_rows, len(self.classes)))
        return super().scores(rows, n_jobs)

    def class_votes(self, scores: Array) -> Array:
        """Votes (rows, classes) of scores, of two classes too."""
        return _share(scores, self.run.ensemble.l1_norm)

    def votes(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Votes of more than two classes; of two, half the lead of the second."""
        return _lead(super().votes(rows, n_jobs))

    def staged_votes(self, rows: FeatureRows) -> Iterator[Array]:
        """Votes after 1, 2, … hypotheses."""
        return map(_lead, super().staged_votes(rows))


@dataclass(frozen=True)
class ReducedModel(ClassModel):
    """Several classes as problems of two.

    Attributes
    ----------
    code : array (classes, problems)
        Side of each class in each problem: -1, 1, or 0 for neither.
    decoding : str
        How the problems' votes choose a class, see :class:`~marginboost.model.decoding.Decoder`.
    problems : tuple of BinaryModel
        The models of two classes, one per column of the code.
    common_scale : bool
        Whether scores compare between problems as they are, being log-odds or the like.
    link : Link or None
        From votes for classes to probabilities; None is by the problems' own links.
    """

    code: Array
    decoding: str
    problems: tuple[BinaryModel, ...]
    common_scale: bool = False
    link: Link | None = None

    @property
    def runs(self) -> tuple[FittedRun, ...]:
        """One run per problem."""
        return tuple(problem.run for problem in self.problems)

    @property
    def reduced(self) -> bool:
        """True: several problems of two classes make this model."""
        return True

    def votes(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Votes for the classes: of each against all others."""
        scores = [problem.scores(rows, n_jobs) for problem in self.problems]
        l1_norms = np.array([run.ensemble.l1_norm for run in self.runs])
        return self._decode(np.column_stack(scores), l1_norms)

    def _decode(self, scores: Array, l1_norms: Array) -> Array:
        divisors = np.full(len(l1_norms), l1_norms.max()) if self.common_scale else l1_norms
        return levelled(Decoder(self.code, self.decoding)(scores, divisors))

    def probabilities(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Probabilities by the odds of each class's vote."""
        return self._chances(self.votes(rows, n_jobs), self._longest.run.ensemble.l1_norm)

    @property
    def _longest(self) -> BinaryModel:
        """The problem of largest Σ|α|."""
        return max(self.problems, key=lambda problem: problem.run.ensemble.l1_norm)

    def _chances(self, votes: Array, l1_norm: float) -> Array:
        if self.link is not None:
            return inside(self.link(votes, 1.0))
        combine = class_shares if self.common_scale else class_probabilities
        return inside(combine(self._longest.link_of, votes, l1_norm))

    def staged_votes(self, rows: FeatureRows) -> Iterator[Array]:
        """Votes after 1, 2, … hypotheses of each problem."""
        return (votes for votes, _ in self._staged(rows))

    def staged_probabilities(self, rows: FeatureRows) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses of each problem."""
        return (self._chances(votes, l1_norm) for votes, l1_norm in self._staged(rows))

    def _staged(self, rows: FeatureRows) -> Iterator[tuple[Array, float]]:
        """All problems in step, with the largest Σ|α|; one without more hypotheses stays so."""
        ensembles = [run.ensemble for run in self.runs]
        stages = [ensemble.staged_scores(rows) for ensemble in ensembles]
        norms = [ensemble.l1_norms for ensemble in ensembles]
        scores, l1_norms = np.zeros((rows.n_rows, len(stages))), np.zeros(len(stages))
        for t in range(max(map(len, ensembles))):
            for s, ensemble in enumerate(ensembles):
                if t < len(ensemble):
                    scores[:, s] = next(stages[s])
                    l1_norms[s] = norms[s][t]
            yield self._decode(scores, l1_norms), float(l1_norms.max())

    def to_onnx(self, largest_log: float | None = None) -> Any:
        """Refused: each of the problems can be exported."""
        raise TypeError(
            f"to_onnx: got a model of {len(self.classes)} classes as several problems, "
            "expected one run; each model in problems_ can be exported"
        )


def _share(scores: Array, l1_norm: float) -> Array:
    """Scores as shares of Σ|α|."""
    return np.clip(scores / (l1_norm or 1.0), -1.0, 1.0)


def _lead(votes: Array) -> Array:
    """Votes of more than two classes; of two, half the lead of the second."""
    return votes if votes.shape[1] > 2 else (votes[:, 1] - votes[:, 0]) / 2.0
