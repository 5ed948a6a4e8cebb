"""Trees laid one after the other, with tables that find the leaf of a row without walking.

The cuts of all trees part the values of a feature into cells; rows are told cell by cell once for
all trees. For a tree, each cell of a feature leaves some leaves open; the one that all features
leave open is where a row ends (after Lucchese et al.'s QuickScorer, with one table per tree and
feature in place of one comparison per split). Missing values have a cell of their own, and so has
each category that a split names: nothing is asked of a row but its cells. Trees with more leaves
than a word has bits are walked down, by several rows side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..kernels.predict import ROWS_AT_ONCE, find_cells, lay_cells
from ..kernels.trees import (
    MOST_LEAVES,
    NODE,
    Forest,
    Steps,
    add_values,
    fill_masks,
    open_leaves,
    walk_down,
    walk_side_by_side,
)
from ..types import Array

MOST_MASKS = 1 << 23
"""Entries of all tables, 64 megabytes: with more, trees are walked down."""
FEW_ROWS = 512
"""Rows up to which trees are walked down: that takes less time than making tables."""
MOST_AT_ONCE, MOST_WALKED = 1 << 17, 1 << 20
"""Leaves of all rows and trees that are found before they are added up: half a megabyte; four where
trees are walked down, each of which is then read seldom enough."""


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
    no_leaves, tall = np.empty((0, MOST_LEAVES), np.uint32), np.ones(len(roots), np.bool_)
    forest = Forest(nodes, categories, roots, width, *walked, no_leaves, tall, _steps(nodes[:0]))
    return with_tables(forest) if tables else forest


def with_tables(forest: Forest) -> Forest:
    """Add what finds leaves faster where there are many rows.

    Tables for trees of few leaves, if they would not be too large together; for the others steps.
    """
    nodes, roots = forest.nodes, forest.roots
    sizes = np.diff(roots, append=len(nodes))
    tall = sizes >= 2 * MOST_LEAVES
    tree_of = np.repeat(np.arange(len(roots)), sizes)
    short = nodes[~tall[tree_of]] if tall.any() else nodes
    tree_of = tree_of[~tall[tree_of]]
    split = short["feature"] >= 0
    features = np.unique(short["feature"][split]).astype(np.int64)
    cuts = [_cuts(short[short["feature"] == feature], forest.categories) for feature in features]
    n_cells = np.array([len(mine) + 2 for mine in cuts], dtype=np.int64)
    slots = np.searchsorted(features, short["feature"][split])
    owners, slots = np.divmod(np.unique(tree_of[split] * len(features) + slots), len(features) or 1)
    ends = np.cumsum(n_cells[slots])
    n_masks = int(ends[-1]) if len(ends) else 0
    if tall.all() or n_masks > MOST_MASKS:
        return _with_steps(forest)
    full = forest._replace(
        cells=lay_cells(features, cuts),
        tables=np.searchsorted(owners, np.arange(len(roots) + 1)),
        slots=slots,
        places=ends - n_cells[slots],
        masks=np.empty(max(1, n_masks), np.uint64),  # none at all would mean: walk
        leaves=np.zeros((len(roots), MOST_LEAVES), np.uint32),
        tall=tall,
    )
    fill_masks(full, np.concatenate([np.empty(0), *([*mine, np.inf, np.nan] for mine in cuts)]))
    return _with_steps(full)


def _with_steps(forest: Forest) -> Forest:
    """Add steps, if trees are walked down that ask for numbers only."""
    if not forest.tall.any() or forest.width == 0 or len(forest.categories):
        return forest
    sizes = np.diff(forest.roots, append=len(forest.nodes))
    return forest._replace(steps=_steps(forest.nodes, np.repeat(forest.roots, sizes)))


def _steps(nodes: Array, roots: Any = 0) -> Steps:
    """Steps of nodes, each of whose trees begins at one of the roots."""
    inner, own = nodes["feature"] >= 0, np.arange(len(nodes))
    children = [np.where(inner, roots + nodes[side], own) for side in ("right", "left")]
    return Steps(
        nodes["threshold"].copy(),
        np.where(inner, nodes["feature"], 0).astype(np.uint32),
        np.column_stack(children).astype(np.uint32),
        nodes["missing_left"] != 0,
    )


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
    by_steps = len(forest.steps.features) > 0
    most = MOST_WALKED if by_steps else MOST_AT_ONCE
    size = max(ROWS_AT_ONCE, most // max(1, len(forest.roots)))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        at = np.empty((len(forest.roots), len(block)), dtype=np.uint32)
        if len(forest.masks):
            cells = np.empty((len(forest.cells.features), len(block)), dtype=np.uint32)
            find_cells(block, forest.cells, cells)
            open_leaves(cells, forest, at)
        if by_steps:
            walk_side_by_side(block, forest, at)
        elif forest.tall.any():
            walk_down(block, forest, at)
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
