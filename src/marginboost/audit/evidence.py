"""Why a label is suspect: what the margin theory says about each row.

The score of an audit rests on votes alone. This is what else speaks for or against a label, each
computed once, when it is first asked for, from models fitted to the given labels (but for
contributions):

========================  =========================================================================
weight_at_cap, slack      dual weight of the row in the soft-margin program, as a share of its cap,
                          and by how much the row misses the margin (R2-A3, R2-Q4): a row at the
                          cap with slack is one that the program buys off
influence                 average weight in AdaBoost, 1 for a typical row (R2-Q2)
log_decision_volume       region of the given label around the row (CH-A17): minus infinity where
                          the boosted stumps contradict the label
log_cell_volume           cell of the stumps around the row (CH-A19)
neighbours                nearest row with the same label and nearest with another one
similar                   copies, near duplicates and outliers, with the same and other labels
contributions             contribution of each feature to the vote for the given label, of boosted
                          stumps that learnt from the other folds
========================  =========================================================================

With more than two classes each row is seen in the problem "its given class against the others". Of
large tables a sample speaks: the most suspect rows and :data:`EVIDENCE_ROWS` others; what is said
of single rows is NaN for all that are not in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from ..algorithms.adaboost_reg import AdaBoostRegClassifier
from ..algorithms.lpboost import LPBoostClassifier
from ..core.certificate import Certificate
from ..data import BinnedMatrix, Table
from ..solvers.masters.problem import soft_margin
from ..types import Array
from .leaks import leaking_features
from .neighbours import nearest_rows
from .reasons import Reasons
from .similar import MOST_ROWS, SimilarRows, find_similar
from .volumes import log_cell_volumes, log_decision_volumes
from .votes import Views

ROUNDS = 100
"""Stumps of the models that evidence is read from."""
GAP = 1e-2
"""Gap to which the soft-margin program is solved: weights at the cap are known long before 1e-3."""
EVIDENCE_ROWS = 50_000
"""Rows of a large table that evidence is found for, besides the most suspect ones."""
MOST_SUSPECT = 1_000
"""The latter, as many as a report shows."""
REFERENCE_ROWS = 20_000
"""Rows among which neighbours are looked for, at most."""


@dataclass(frozen=True)
class Neighbours:
    """Nearest rows of some rows.

    Attributes
    ----------
    agreeing, disagreeing : array of int
        Nearest row with the same label, and with another one; -1 where there is none.
    agreeing_distance, disagreeing_distance : array
        Euclidean distance in standardised features.
    """

    agreeing: Array
    disagreeing: Array
    agreeing_distance: Array
    disagreeing_distance: Array


class Evidence:
    """What speaks for and against the labels.

    Parameters
    ----------
    views : Views
        The rows.
    labels : array of int
        Given classes, as positions.
    trust : array
        Probability that each label is right.
    reasons : Reasons, optional
        What boosted stumps learnt in each fold, where they voted.
    """

    def __init__(
        self, views: Views, labels: Array, trust: Array, reasons: Reasons | None = None
    ) -> None:
        self._all, self._all_labels, self._trust = views, labels, trust
        self._known_reasons = reasons or Reasons()

    @cached_property
    def rows(self) -> Array:
        """Rows that evidence is found for, in their order: all, or a sample of a large table."""
        n_rows = len(self._trust)
        if n_rows <= EVIDENCE_ROWS + MOST_SUSPECT:
            return np.arange(n_rows)
        suspects = np.argpartition(self._trust, MOST_SUSPECT)[:MOST_SUSPECT]
        others = np.random.default_rng(0).choice(n_rows, EVIDENCE_ROWS, replace=False)
        return np.union1d(suspects, others)

    @property
    def _sampled(self) -> bool:
        return len(self.rows) < len(self._trust)

    @cached_property
    def _views(self) -> Views:
        return self._all.take(self.rows) if self._sampled else self._all

    @cached_property
    def _labels(self) -> Array:
        return self._all_labels[self.rows]

    def _spread(self, values: Array) -> Array:
        """Numbers of the rows with evidence as numbers of all rows."""
        if not self._sampled:
            return values
        spread = np.full(len(self._trust), np.nan)
        spread[self.rows] = values
        return spread

    def _problems(self) -> Iterator[tuple[int, Array, Array]]:
        """Positive class, two-class labels, and rows judged in this problem."""
        n_classes = int(self._labels.max()) + 1
        if n_classes == 2:
            yield 1, self._labels == 1, np.arange(len(self._labels))
            return
        for k in range(n_classes):
            yield k, self._labels == k, np.flatnonzero(self._labels == k)

    @property
    def complete_numbers(self) -> Array | None:
        """The rows with evidence as an array, if they are all numbers and none is missing."""
        return self._views.complete_numbers

    @property
    def bins(self) -> BinnedMatrix:
        """All rows, binned."""
        return self._all.bins

    @property
    def table(self) -> Table | BinnedMatrix:
        """All rows."""
        return self._all.table

    @cached_property
    def leaking(self) -> list[str]:
        """Features from which nearly every label can be read off, which make an audit worthless."""
        return leaking_features(self._all.bins, self._all_labels)

    @cached_property
    def nu(self) -> float:
        """ν of the soft-margin program over stumps."""
        return self.nu_for()

    def nu_for(self, estimator: Any = None, weights: Array | None = None) -> float:
        """ν of a soft-margin program over the hypotheses of a base learner; None is stumps.

        There is room for wrong labels, and for what even boosting, which fits all it can, does not
        fit, both counted by the weights of the rows. With less, the best soft margin is 0, weights
        in the dual mean nothing, and the program takes long.
        """
        models = self.models if estimator is None else self._boosted(estimator)
        wrong = float(np.average(1.0 - self._trust, weights=weights))
        some = None if weights is None else weights[self.rows]
        unfitted = [np.where(model.margins_ <= 0, 1.0, 0.0) for model in models.values()]
        most = max(wrong, *(float(np.average(share, weights=some)) for share in unfitted))
        return soft_margin_nu(most, len(self._trust))

    @cached_property
    def _soft_margin(self) -> tuple[Array, Array, list[Certificate]]:
        weight, slack = np.zeros(len(self._labels)), np.zeros(len(self._labels))
        certificates = []
        for _, positive, rows in self._problems():
            model = LPBoostClassifier(
                n_estimators=ROUNDS, nu=self.nu, tol=GAP, n_jobs=self._views.n_jobs
            )
            with warnings.catch_warnings():  # about ν, which is not the user's to choose here
                warnings.simplefilter("ignore", UserWarning)
                model.fit(self._views.bins, positive)
            cap = 1.0 / (self.nu * len(positive))
            _, rho = soft_margin(model.margins_, np.full(len(positive), 1 / len(positive)), self.nu)
            weight[rows] = np.minimum(np.abs(model.dual_[rows]) / cap, 1.0)
            slack[rows] = np.maximum(rho - model.margins_[rows], 0.0)
            certificates.append(model.certificate_)
        return self._spread(weight), self._spread(slack), certificates

    @property
    def weight_at_cap(self) -> Array:
        """Dual weight as a share of the cap, in [0, 1]."""
        return self._soft_margin[0]

    @property
    def slack(self) -> Array:
        """By how much each row misses the soft margin."""
        return self._soft_margin[1]

    @property
    def certificates(self) -> list[Certificate]:
        """Bounds on the soft margin of each problem: how far the weights above can be trusted."""
        return self._soft_margin[2]

    @cached_property
    def models(self) -> dict[int, AdaBoostRegClassifier]:
        """Boosted stumps by positive class; a single one for two classes."""
        return self._boosted(None)

    def _boosted(self, estimator: Any) -> dict[int, AdaBoostRegClassifier]:
        views = self._views
        rows = views.bins if estimator is None else views.given  # not all learners read bins
        plain = AdaBoostRegClassifier(estimator, C=0.0, n_estimators=ROUNDS, n_jobs=views.n_jobs)
        return {k: clone(plain).fit(rows, positive) for k, positive, _ in self._problems()}

    @cached_property
    def influence(self) -> Array:
        """Average weight in AdaBoost, over that of a typical row."""
        out = np.zeros(len(self._labels))
        for k, _, rows in self._problems():
            out[rows] = self.models[k].influence_[rows] * len(out)
        return self._spread(out)

    @cached_property
    def log_decision_volume(self) -> Array:
        """Region of the given label; NaN where rows are not complete and numeric."""
        return self._volumes(lambda model, rows, y: log_decision_volumes(model, rows, y))

    @cached_property
    def log_cell_volume(self) -> Array:
        """Cell of the stumps; NaN where rows are not complete and numeric."""
        return self._volumes(lambda model, rows, y: log_cell_volumes(model, rows))

    def _volumes(self, volumes: Any) -> Array:
        out = np.full(len(self._labels), np.nan)
        numbers = self._views.complete_numbers
        if numbers is not None:
            for k, positive, rows in self._problems():
                out[rows] = volumes(self.models[k], numbers, positive)[rows]
        return self._spread(out)

    @cached_property
    def similar(self) -> SimilarRows:
        """Duplicates and outliers."""
        few = len(self._all_labels) <= MOST_ROWS
        encoded = self._all.encoded if few else None
        return find_similar(self._all.table, encoded, self._all_labels)

    @cached_property
    def _reasons(self) -> Reasons:
        if not self._known_reasons.folds:
            self._known_reasons.learn(self._all, self._all_labels)
        return self._known_reasons

    def contributions(self, rows: Array) -> Array:
        """Contribution of each feature to the vote for the given label, one line per row.

        The votes are those of boosted stumps that did not see the row; with :meth:`intercepts` a
        line sums up to the vote.
        """
        return self._reasons.contributions(self.table, self._all_labels, np.asarray(rows))[0]

    def intercepts(self, rows: Array) -> Array:
        """What the contributions of rows are added to."""
        return self._reasons.contributions(self.table, self._all_labels, np.asarray(rows))[1]

    def neighbours(self, rows: Array) -> Neighbours:
        """Nearest agreeing and disagreeing rows of some rows, among those with evidence."""
        rows, labels = np.asarray(rows), self._all_labels
        known = self.rows
        if len(known) > REFERENCE_ROWS:
            known = np.random.default_rng(0).choice(known, REFERENCE_ROWS, replace=False)
        if self._sampled:  # only what is compared is made dense
            near = np.union1d(known, rows)
            encoded, places = self._all.take(near).encoded, np.searchsorted(near, rows)
            known = np.searchsorted(near, known)
        else:
            near, encoded, places = np.arange(len(labels)), self._all.encoded, rows
        found: dict[bool, tuple[Array, Array]] = {}
        for same in (True, False):
            index, distance = np.full(len(rows), -1), np.full(len(rows), np.nan)
            for label in np.unique(labels[rows]):
                mine = np.flatnonzero(labels[rows] == label)
                others = known[(labels[near[known]] == label) == same]
                nearest = nearest_rows(encoded, places[mine], others, 1)
                index[mine], distance[mine] = (values[:, 0] for values in nearest)
            found[same] = np.where(index < 0, -1, near[index]), distance
        (agreeing, near_by), (disagreeing, far_off) = found[True], found[False]
        return Neighbours(agreeing, disagreeing, near_by, far_off)


def soft_margin_nu(failing: float, n_rows: int) -> float:
    """ν for data of which a share must fail: those rows, and twice as many others, may fall short.

    >>> soft_margin_nu(0.25, 1000)
    0.75
    """
    return float(np.clip(3.0 * failing, max(0.05, 2.0 / n_rows), 0.9))
