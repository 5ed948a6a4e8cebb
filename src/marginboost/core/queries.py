"""Samples of rows that belong to queries: only the order within a query matters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from ..types import Array
from .sample import Sample


@dataclass(frozen=True)
class QuerySample(Sample):
    """Rows with relevances, each of a query.

    Parameters
    ----------
    queries : array of int
        Number of each row's query.
    """

    _: KW_ONLY
    queries: Array

    @cached_property
    def order(self) -> Array:
        """Rows query by query, in their own order within each."""
        return np.argsort(self.queries, kind="stable")

    @cached_property
    def starts(self) -> Array:
        """Where each query begins in ``order``, and where the last one ends."""
        return query_starts(self.queries)

    def content(self) -> Iterator[Array]:
        """Everything but the rows that tells this sample from others."""
        yield from super().content()
        yield self.queries


def query_starts(queries: Array) -> Array:
    """Where each query begins once rows are sorted by query, and where the last one ends.

    >>> query_starts(np.array([4, 2, 4, 4]))
    array([0, 1, 4])
    """
    counts = np.unique(queries, return_counts=True)[1]
    return np.concatenate([[0], np.cumsum(counts)])
