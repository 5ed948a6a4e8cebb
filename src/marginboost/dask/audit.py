"""The label audit of a table on a cluster: the scores that one machine finds, bit for bit.

Gradient trees learn from all rows of a fold where these are. The simple voters learn from a random
choice of them in any case (:data:`~marginboost.audit.votes.LEARNING_ROWS`): those rows are brought
to the client as bins. All judge the rows of a fold where these are. What there is for every row,
labels, votes and scores, comes to the client, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from distributed import Client, Future
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..algorithms.gradient_boost import GradientBoostClassifier
from ..audit.audit import LabelAudit
from ..audit.folds import SEED, Fold, some_of_all
from ..audit.votes import FEW_ROWS, LEARNING_ROWS, MAX_BINS, Views, default_voters
from ..core.parts import Source
from ..data import BinnedMatrix
from ..estimators.base import fit_parts
from ..types import Array
from ..validation import check_number
from .estimators import client_of
from .holders import DaskParts
from .partitions import BinnedTable, bin_table

SHOWN_ROWS = 10_000
"""Rows besides the suspects that :meth:`DaskLabelAudit.to_local` brings to the client."""


class DaskLabelAudit(LabelAudit):
    """Find wrong labels in a table on a Dask cluster.

    Scores, flags, suggestions and noise rates are those of
    :class:`~marginboost.audit.LabelAudit`, for every row; :meth:`to_local` is an audit of the
    suspects and of other rows beside them, with evidence and all that a report shows.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        As in LabelAudit.
    fdr : float
        Share of false alarms allowed among the flagged rows.
    categorical_features : "from_dtype", None, or sequence of int or str
        Which columns of a data frame hold categories.
    n_jobs : int or None
        Threads on the client.
    random_state : int or None
        Seed of folds and voters; None is a fixed one.
    client : Client, optional
        Of the cluster; None is the one of this process.
    """

    def __init__(
        self,
        *,
        cv: Any = None,
        fdr: float = 0.2,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        client: Client | None = None,
    ) -> None:
        super().__init__(
            cv=cv,
            fdr=fdr,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.client = client

    def fit(self, X: Any, y: Any, *, pred_probs: Any = None) -> Self:
        """Audit the labels.

        Parameters
        ----------
        X : Dask array or data frame
            Rows. NaN is a missing value.
        y : Dask array, data frame or series
            Given labels, in as many partitions.
        pred_probs : None
            Probabilities of a model of your own need no cluster: LabelAudit takes them.

        Returns
        -------
        self
        """
        check_number("fdr", self.fdr, at_least=0.0, below=1.0)
        if pred_probs is not None:
            raise TypeError("pred_probs: got probabilities, expected None: LabelAudit takes them")
        client = client_of(self.client)
        reader = GradientBoostClassifier(
            max_bins=MAX_BINS,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )
        table = bin_table(client, reader, X, y, None)
        assert table.classes is not None
        self._rows = RowsOnCluster(client, table)
        self.index_, self.classes_, self.codes_ = None, table.classes, self._rows.codes
        self.n_features_in_ = table.layout.n_features
        if len(self.codes_) <= FEW_ROWS:
            return self.__fit_table__(None, self._rows.take(None), self.classes_[self.codes_])
        self.votes_ = dict(self._votes_on_cluster())
        self.stack_ = self.first_stack_ = self.last_stack_ = self._combined()
        self._judge()
        return self

    def _votes_on_cluster(self) -> Iterator[tuple[str, Array]]:
        """Out-of-fold class probabilities of each voter."""
        rows, folds, n_classes = self._rows, self._make_folds(), len(self.classes_)
        seed = SEED if self.random_state is None else self.random_state
        n_rows = len(self.codes_)
        for name, voter in default_voters(n_rows, n_classes, self.n_jobs, seed).items():
            votes = np.zeros((n_rows, n_classes))
            for fold in folds:
                model = self._fit_fold(voter, fold, LEARNING_ROWS.get(name))
                seen = np.asarray(model.classes_, dtype=int)
                votes[np.ix_(fold[1], seen)] = rows.predict(model, fold[1])
            yield name, votes

    def _fit_fold(self, voter: Any, fold: Fold, most: int | None) -> Any:
        """Fit a voter to the rows of a fold, on the client where it learns from some of them."""
        train, labels = fold[0], self.codes_
        if most is None:
            return self._rows.fit(clone(voter), train)
        if len(train) > most:
            train = train[some_of_all(labels[train], most)]
        return clone(voter).fit(self._rows.take(train), labels[train])

    def to_local(self, most: int = SHOWN_ROWS) -> LabelAudit:
        """Audit of the flagged rows and ``most`` others on this machine, to explain and show.

        Its rows are those numbered ``rows_``; scores and flags are those of the whole audit. The
        cluster must still hold the table.
        """
        check_is_fitted(self, "score_")
        n_rows = len(self.score_)
        others = np.random.default_rng(SEED).choice(n_rows, min(most, n_rows), replace=False)
        rows = np.union1d(np.flatnonzero(self.flagged_), others)
        local = LabelAudit(
            cv=self.cv, fdr=self.fdr, n_jobs=self.n_jobs, random_state=self.random_state
        )
        bins = self._rows.take(rows)
        stack = replace(self.stack_, belief=self.belief_[rows])
        votes = {name: mine[rows] for name, mine in self.votes_.items()}
        views = Views(bins, bins, self.n_jobs)
        local.__take_votes__(views, self.classes_, self.codes_[rows], votes, stack)
        local.flagged_, local.noise_rate_ = self.flagged_[rows], self.noise_rate_
        local.class_noise_rates_ = self.class_noise_rates_
        local.rows_ = rows
        return local

    def __similar_columns__(self) -> dict[str, Array]:
        """Duplicates and outliers; of large tables they are looked for in :meth:`to_local`."""
        return super().__similar_columns__() if len(self.score_) <= FEW_ROWS else {}

    @property
    def evidence(self) -> Any:
        """Why rows are suspect; of large tables it is found for the rows of :meth:`to_local`."""
        if len(self.score_) <= FEW_ROWS:
            return super().evidence
        raise AttributeError("a DaskLabelAudit has no evidence of its own; use to_local().evidence")


class RowsOnCluster:
    """Binned rows on a cluster, found by their numbers.

    Parameters
    ----------
    client : Client
        Of the cluster.
    table : BinnedTable
        The rows.

    Attributes
    ----------
    codes : array
        Positions of the classes of all rows.
    """

    def __init__(self, client: Client, table: BinnedTable) -> None:
        self._client, self._table = client, table
        labels = client.gather(client.map(labels_of, table.sources, pure=False))
        self.codes = np.concatenate(labels)
        self._ends = np.cumsum([len(mine) for mine in labels])

    def take(self, rows: Array | None) -> BinnedMatrix:
        """Bring rows to the client, in this order; None is all of them."""
        rows = np.arange(len(self.codes)) if rows is None else rows
        order = np.argsort(rows, kind="stable")
        found = self._client.gather(self._submit(codes_of, rows[order]))
        codes = np.concatenate(found, axis=1)
        back = np.empty(len(rows), dtype=np.int64)
        back[order] = np.arange(len(rows))
        layout = self._table.layout
        return BinnedMatrix(
            np.ascontiguousarray(codes[:, back]),
            layout.cuts,
            layout.categories,
            layout.names,
            named=layout.named,
        )

    def fit(self, model: Any, rows: Array) -> Any:
        """Fit a model of the package to some rows, in ascending order, where they are."""
        table, sources = self._table, self._submit(take_source, rows)
        assert table.classes is not None
        classes = np.arange(len(table.classes))
        sizes = self._client.gather(self._client.map(n_rows_of, sources, pure=False))
        parts = DaskParts(
            self._client, [one for one, size in zip(sources, sizes, strict=True) if size]
        )
        try:
            return fit_parts(model, table.features, table.layout, classes, parts)
        finally:
            parts.close()

    def predict(self, model: Any, rows: Array) -> Array:
        """Class probabilities of some rows, in ascending order, made where they are."""
        sent = self._client.submit(as_it_is, model, pure=False)  # not scattered: it can be lost
        return np.concatenate(self._client.gather(self._submit(predict_rows, rows, sent)))

    def _submit(self, task: Any, rows: Array, *args: Any) -> list[Future]:
        """Have a task done with each partition and its share of ascending row numbers."""
        starts = np.append(0, self._ends[:-1])
        borders = np.searchsorted(rows, self._ends[:-1])
        shares = np.split(rows, borders)
        return [
            self._client.submit(task, source, mine - start, *args, pure=False)
            for source, mine, start in zip(self._table.sources, shares, starts, strict=True)
        ]


# -- tasks -----------------------------------------------------------------------------------------


def as_it_is(model: Any) -> Any:
    """Send a model."""
    return model


def labels_of(source: Source) -> Array:
    """Positions of the classes."""
    return source.labels


def n_rows_of(source: Source) -> int:
    """Rows of a partition."""
    return len(source.labels)


def codes_of(source: Source, rows: Array) -> Array:
    """Codes of some rows."""
    return source.bins.codes[:, rows]


def take_source(source: Source, rows: Array) -> Source:
    """Some rows of a partition, to be fitted to."""
    return Source(
        source.bins.take(rows),
        source.labels[rows],
        source.weights[rows],
        source.n_threads,
        source.ends,
    )


def predict_rows(source: Source, rows: Array, model: Any) -> Array:
    """Class probabilities of some rows."""
    if not len(rows):
        return np.empty((0, len(model.classes_)))
    return np.asarray(model.predict_proba(source.bins.take(rows)))
