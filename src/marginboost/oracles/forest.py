"""Trees laid one after the other, with tables that find the leaf of a row without walking.

The cuts of all trees part the values of a feature into cells; rows are told cell by cell once for
all trees. For a tree, each cell of a feature leaves some leaves open; the one that all features
leave open is where a row ends (after Lucchese et al.'s QuickScorer, with one table per tree and
feature in place of one comparison per split). Missing values have a cell of their own, and so has
each category that a split names: nothing is asked of a row but its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from ..kernels.predict import ROWS_AT_ONCE, find_cells, lay_cells
from ..kernels.trees import (
    MOST_LEAVES,
    NODE,
    Forest,
    add_values,
    fill_masks,
    open_leaves,
    walk_down,
)
from ..types import Array

MOST_MASKS = 1 << 23
"""Entries of all tables, 64 megabytes: with more, trees are walked down."""
FEW_ROWS = 512
"""Rows up to which trees are walked down: that takes less time than making tables."""
MOST_AT_ONCE = 1 << 17
"""Leaves of all rows and trees that are found before they are added up: half a megabyte."""


class Planted(Protocol):
    """A tree, as far as it is read here."""

    @property
    def nodes(self) -> Array:
        """Its nodes."""

    @property
    def categories(self) -> Array:
        """Codes that its splits name."""


def plant(trees: Sequence[Planted], *, tables: bool = True) -> Forest:
    """Lay trees one after the other, with tables where they pay: not for a tree used once."""
    sizes = [len(tree.nodes) for tree in trees]
    nodes = np.concatenate([np.empty(0, NODE), *(tree.nodes for tree in trees)], dtype=NODE)
    categories = np.concatenate([np.empty(0, np.int32), *(tree.categories for tree in trees)])
    if len(categories):
        offsets = np.cumsum([0, *(len(tree.categories) for tree in trees)])[:-1]
        for name in ("first", "last"):
            nodes[name] += np.repeat(offsets, sizes).astype(np.int32)
    roots = np.cumsum([0, *sizes])[:-1]
    none = np.empty(0, np.int64)
    walked = (lay_cells(none, []), none, none, none, np.empty(0, np.uint64))
    width = int(nodes["feature"].max(initial=-1)) + 1
    no_leaves = np.empty((0, MOST_LEAVES), np.uint32)
    forest = Forest(nodes, categories, roots, width, *walked, no_leaves)
    return with_tables(forest) if tables else forest


def with_tables(forest: Forest) -> Forest:
    """Add tables to trees, if they have few leaves and the tables would not be too large."""
    nodes, roots = forest.nodes, forest.roots
    sizes = np.diff(roots, append=len(nodes))
    if not len(roots) or sizes.max() >= 2 * MOST_LEAVES:
        return forest
    tree_of = np.repeat(np.arange(len(roots)), sizes)
    split = nodes["feature"] >= 0
    features = np.unique(nodes["feature"][split]).astype(np.int64)
    cuts = [_cuts(nodes[nodes["feature"] == feature], forest.categories) for feature in features]
    n_cells = np.array([len(mine) + 2 for mine in cuts], dtype=np.int64)
    slots = np.searchsorted(features, nodes["feature"][split])
    owners, slots = np.divmod(np.unique(tree_of[split] * len(features) + slots), len(features) or 1)
    ends = np.cumsum(n_cells[slots])
    n_masks = int(ends[-1]) if len(ends) else 0
    if n_masks > MOST_MASKS:
        return forest
    full = forest._replace(
        cells=lay_cells(features, cuts),
        tables=np.searchsorted(owners, np.arange(len(roots) + 1)),
        slots=slots,
        places=ends - n_cells[slots],
        masks=np.empty(max(1, n_masks), np.uint64),  # none at all would mean: walk
        leaves=np.zeros((len(roots), MOST_LEAVES), np.uint32),
    )
    fill_masks(full, np.concatenate([np.empty(0), *([*mine, np.inf, np.nan] for mine in cuts)]))
    return full


class Grove:
    """Trees that are asked about rows again and again; tables are made when many rows first come.

    Parameters
    ----------
    trees : sequence of trees
        Those that vote.
    """

    def __init__(self, trees: Sequence[Planted]) -> None:
        self.walked = plant(trees, tables=False)

    @cached_property
    def _full(self) -> Forest:
        return with_tables(self.walked)

    def leaf_blocks(self, rows: Array) -> Iterator[tuple[slice, Array]]:
        """Blocks of rows, with the node where each ends in each tree (trees, rows)."""
        return leaf_blocks(self.walked if len(rows) <= FEW_ROWS else self._full, rows)


def _cuts(splits: Array, categories: Array) -> Array:
    """Sorted cuts of a feature that part its values as these splits do.

    A category is the only number above the one before it and not above itself.
    """
    named = splits["last"] > splits["first"]
    cuts = [splits["threshold"][~named]]
    for first, last in zip(splits["first"][named], splits["last"][named], strict=True):
        codes = categories[first:last].astype(np.float64)
        cuts += [codes, np.nextafter(codes, -np.inf)]
    found = np.unique(np.concatenate(cuts))
    return found[np.isfinite(found)]


def leaf_blocks(forest: Forest, rows: Array) -> Iterator[tuple[slice, Array]]:
    """Blocks of rows, with the node where each ends in each tree (trees, rows)."""
    if rows.shape[1] < forest.width:  # the kernels do not check
        raise ValueError(f"a tree reads {forest.width} features, the rows have {rows.shape[1]}")
    size = max(ROWS_AT_ONCE, MOST_AT_ONCE // max(1, len(forest.roots)))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        at = np.empty((len(forest.roots), len(block)), dtype=np.uint32)
        if len(forest.masks):
            cells = np.empty((len(forest.cells.features), len(block)), dtype=np.uint32)
            find_cells(block, forest.cells, cells)
            open_leaves(cells, forest, at)
        else:
            walk_down(block, forest.nodes, forest.categories, forest.roots, at)
        yield slice(start, start + size), at


def tree_votes(trees: Sequence[Planted], coef: Array, columns: Array) -> Callable[[Array], Array]:
    """Return the function that adds ``coef[t]`` times tree t to column ``columns[t]`` of a row."""
    grove = Grove(trees)
    forest = grove.walked
    sizes = np.diff(forest.roots, append=len(forest.nodes))
    values = np.repeat(np.asarray(coef, dtype=np.float64), sizes) * forest.nodes["value"]
    n_columns = int(columns.max(initial=0)) + 1

    def vote(rows: Array) -> Array:
        total = np.zeros((len(rows), n_columns))
        for block, at in grove.leaf_blocks(rows):
            add_values(at, values, columns, total[block])
        return total

    return vote
