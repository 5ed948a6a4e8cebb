"""Rows of a cluster that are held back from a second fit: the same as those of one machine.

They are found and fetched while the rows themselves are still there: a fit keeps their bins only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from distributed import Client, Future
from scipy import sparse

from ..data import Table
from ..data.table import is_frame, take_rows
from ..fitting.held_back import (
    Borders,
    HeldBack,
    KeyedRows,
    add_weights,
    count_rows,
    divide,
    find_borders,
    fingerprints,
)
from ..kernels.exact import rounded
from ..model import Features
from ..types import Array
from .pieces import Weighed, gather, read_rows, used_rows


def hold_back(
    client: Client,
    rows: list[Future],
    weighed: list[Future],
    features: Features,
    n_classes: int,
) -> HeldBack:
    """Bring the rows that are held back to the client; none where classes have too few.

    Parameters
    ----------
    client : Client
        Of the cluster.
    rows, weighed : list of Future
        Partitions with rows that count, and what they weigh.
    features : Features
        Names and categories of the columns.
    n_classes : int
        Classes of all partitions.
    """
    pairs = list(zip(rows, weighed, strict=True))
    keyed = [client.submit(key_rows, X, own, features, pure=False) for X, own in pairs]

    def ask(question: Callable[..., Any], *args: Any) -> list[Any]:
        answers = [client.submit(question, own, *args, pure=False) for own in keyed]
        found: list[Any] = gather(client, answers)
        return found

    borders = find_borders(ask, n_classes)
    n_rows, total = int(np.sum(ask(count_rows, n_classes))), rounded(sum(ask(add_weights)))
    taken = gather(
        client,
        [
            client.submit(take_held, X, weights, keys, borders, pure=False)
            for (X, weights), keys in zip(pairs, keyed, strict=True)
        ],
    )
    pieces, labels, weights, judge = zip(*taken, strict=True)
    table = Table(joined(pieces), features.names, features.categories)
    facts = np.concatenate(labels), np.concatenate(weights), np.concatenate(judge)
    return HeldBack(table, *facts, n_rows, total)


def key_rows(X: Any, weighed: Weighed, features: Features) -> KeyedRows:
    """Numbers of the rows of a partition that count, with their classes and weights."""
    used, labels, weights = weighed
    table = used_rows(X, used, features.names, features.categories)
    return KeyedRows(fingerprints(table), labels, weights)


def take_held(
    X: Any, weighed: Weighed, keyed: KeyedRows, borders: Borders | None
) -> tuple[Any, Array, Array, Array]:
    """Rows of a partition that are held back, labels, weights, and which of them judge."""
    used, labels, weights = weighed
    learn, judge = np.zeros((2, len(labels)), dtype=bool)
    if borders is not None:
        learn, judge = divide(keyed, borders)
    which = np.flatnonzero(learn | judge)
    return take_rows(read_rows(X), used[which]), labels[which], weights[which], judge[which]


def joined(pieces: Any) -> Any:
    """Rows of all partitions, one after the other."""
    if is_frame(pieces[0]):
        import pandas as pd  # frames of Dask are made of these

        return pd.concat(pieces, ignore_index=True)
    if sparse.issparse(pieces[0]):
        return sparse.vstack(pieces, format="csr")
    return np.concatenate(pieces)
