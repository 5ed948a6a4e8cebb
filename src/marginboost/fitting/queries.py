"""Queries of rows that are ranked, as users bring them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Array


def read_queries(given: tuple[Any, Any], n_rows: int, prefix: str = "") -> Array:
    """Query of each row, from sizes of queries whose rows lie together or from a name per row.

    >>> read_queries(([2, 1], None), 3), read_queries((None, ["b", "a", "b"]), 3)
    (array([0, 0, 1]), array([1, 0, 1]))
    """
    group, qid = given
    if group is not None and qid is not None:
        raise ValueError(f"{prefix}qid: got both {prefix}group and {prefix}qid, expected one")
    if group is not None:
        sizes = np.asarray(group)
        whole = sizes.ndim == 1 and sizes.dtype.kind in "iu" and (sizes >= 0).all()
        if not whole or sizes.sum() != n_rows:
            raise ValueError(
                f"{prefix}group: got sizes with sum {sizes.sum()}, expected whole numbers of rows "
                f"with sum {n_rows}, one for each query"
            )
        return np.repeat(np.arange(len(sizes)), sizes)
    if qid is None:
        return np.zeros(n_rows, np.int64)
    names = np.asarray(qid)
    if names.shape != (n_rows,):
        raise ValueError(
            f"{prefix}qid: got shape {names.shape}, expected one query for each of {n_rows} rows"
        )
    return np.unique(names, return_inverse=True)[1]
