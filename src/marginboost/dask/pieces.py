"""Partitions of a table on a cluster, and answers of tasks about them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future, KilledWorker, wait
from scipy import sparse

from ..data import Table
from ..data.table import Categories, is_frame, read_array
from ..types import Array
from .waiting import await_workers

LOOK = 1.0
"""Seconds after which it is looked whether there are workers at all."""

Weighed = tuple[Array, Array, Array]
"""Rows of a partition that count, positions of their classes or targets, and weights."""


class Pieces(NamedTuple):
    """One partition of rows, labels or targets, and weights, on the cluster."""

    X: Future
    y: Future
    weights: Future | None


def read_rows(X: Any) -> Any:
    """Rows of a partition: a frame as it is, else numbers."""
    if is_frame(X):
        return X
    found = read_array(X)
    if not sparse.issparse(found):
        found = np.asarray(found)
        found = found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)
    return found


def used_rows(X: Any, used: Array, names: list[str], categories: Categories) -> Table:
    """Rows of a partition that count."""
    table = Table(read_rows(X), names, categories)
    return table if len(used) == table.n_rows else table.take(used)


def gather(client: Client, futures: list[Future]) -> Any:
    """Answers of tasks; where workers die of one, says what that may be."""
    try:
        while not any(future.status == "error" for future in futures):
            with suppress(TimeoutError):
                wait(futures, timeout=LOOK)
                break
            await_workers(client)
        return client.gather(futures)
    except KilledWorker as error:
        raise RuntimeError(
            "workers were lost one after the other at the same step; most often they lack memory: "
            "use smaller partitions, more workers, or ones with more memory"
        ) from error
