"""Rules of an alternating decision tree as base learner (CH-M11).

A *rule* asks one question of the rows that reach a place of the tree, and says 0 of all others. In
the beginning the only place is the root, which all rows reach; every rule makes two new ones, its
sides. With W+ and W- the weights of the labels on a side, a rule at place c makes AdaBoost's
normaliser

    Z = 2 Σ_sides √(W+ W-) + W(other places),       value of a side: ½ log(W+ / W-)

and the one of least Z is taken, over all places and all cuts that tell rows apart there: a question
whose sides would have the value that all rows at the place have together is none.

Reference: Freund & Mason, *The alternating decision tree learning algorithm*, 1999.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.hypothesis import hypothesis_from_dict
from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.histograms import pair_sizes
from ..kernels.parallel import run_rows
from ..kernels.splits import Z
from ..kernels.ties import TIE
from ..kernels.weights import weighted_sum
from ..types import Array
from ..validation import Constraints, Number
from .growth import CATEGORICAL, SIZES, Growth, Limits, TreeGrower
from .tree_hypothesis import Tree, constant_tree, with_categories


@dataclass(frozen=True, eq=False)
class Place:
    """Where a rule may be put: a leaf of the rule that made it, and the rows that reach it."""

    rule: Tree
    leaf: int
    rows: Array | None
    """In ascending order; None is all."""


class AlternatingTreeOracle(Oracle):
    """Add the rule of least Z to an alternating decision tree, exactly.

    A rule is a tree of one way from the root: splits that lead to its place, where all other leaves
    are 0, and its own split, whose leaves are half the log-odds of the labels there. Cuts are those
    between the bins; a split learns a side for missing values. Ties go to the oldest place, the
    lowest feature, the lowest cut. Outputs lie in [-1, 1]; ``scale`` makes up for that.

    It remembers the rules it has found, so its calls are to be the rounds of one run.

    Parameters
    ----------
    max_depth : int or None
        Most questions on a way from the root: with 1 all rules are at the root, and the tree is a
        sum of stumps.
    categorical : {"equality", "partition"}
        How a categorical feature is split: one category against the rest, or the best partition of
        all categories in two sets.
    smoothing : float
        Weight added to both signs in the values of sides, as a share of the total weight.
    """

    saved = True
    offers_one = True
    exact = False
    needs_bins = True
    class_name = "rules at the places of an alternating tree"
    __constraints__: ClassVar[Constraints] = {
        "max_depth": SIZES["max_depth"],
        "categorical": tuple(CATEGORICAL),
        "smoothing": Number(above=0.0),
    }

    def __init__(
        self,
        max_depth: int | None = None,
        categorical: str = "equality",
        smoothing: float = 1e-3,
    ) -> None:
        self.max_depth = max_depth
        self.categorical = categorical
        self.smoothing = smoothing

    def prepare(self) -> None:
        """Check the settings, lay out the memory of a split, begin with the root."""
        bins = self.sample.bins
        if bins is None:
            raise ValueError("AlternatingTreeOracle: the sample has no binned rows")
        limits = Limits(Z, max_depth=1, min_weight=Limits.least_share(0.0), stop_pure=True)
        threads = self.sample.n_threads
        self._grower = TreeGrower(bins, limits, threads, categorical=self.categorical)
        self.rules: list[Tree] = []
        self.places = [Place(constant_tree(0.0), 0, None)]

    def get_state(self) -> dict[str, Any]:
        """Return the rules found."""
        return {"rules": [rule.to_dict() for rule in self.rules]}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Put them back in their order."""
        self.rules, self.places = [], self.places[:1]
        for data in saved["rules"]:
            rule = hypothesis_from_dict(data)
            assert isinstance(rule, Tree)
            last = len(rule.nodes) - 1
            self._remember(rule, [self._rows_at(rule, leaf) for leaf in (last - 1, last)])

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The rule of least Z; one that is 0 everywhere if there is nothing to split."""
        dual, most, best = weights.dual, 0.0, None
        sums, sizes = self._weigh(dual), np.abs(dual)
        for place in self.places:
            here = 1.0 if place.rows is None else float(sizes[place.rows].sum() / sizes.sum())
            if here <= most + TIE:  # a rule takes no more off Z than all that is there
                continue
            growth = self._grower.grow(place.rows, sums)
            saved = here - _rest(growth)
            if len(growth.nodes) == 3 and saved > most + TIE:
                most, best = saved, place
        column = np.zeros(len(dual))
        if best is None:
            return [Candidate(constant_tree(0.0), 0.0, column, 0.0)]
        growth = self._grower.grow(best.rows, sums).by_level()
        values = self._values(growth)
        scale = float(np.abs(values).max())
        rule = graft(best.rule, best.leaf, growth.tree(), values / scale)
        sides = _sides(growth)
        for rows, value in zip(sides, values / scale, strict=True):
            column[rows] = value
        if (np.abs(column) == 1.0).all():
            column = column.astype(np.int8)
        self._remember(rule, sides)
        return [Candidate(rule, weighted_sum(dual, column), column, scale)]

    def _weigh(self, dual: Array) -> Array:
        """Write signed weights and their sizes, which sum to one; return their sums."""
        size, grower = float(np.abs(dual).sum()), self._grower
        factor = 1.0 / size if size > 0.0 else 1.0

        def pair(start: int, stop: int) -> tuple[float, float]:
            return pair_sizes(dual[start:stop], factor, grower.job.values[start:stop])

        return np.sum(run_rows(pair, len(dual), grower.n_threads), axis=0)

    def _values(self, growth: Growth) -> Array:
        """Half the log-odds of both sides."""
        positive, negative = _signs(growth)
        return 0.5 * np.log((positive + self.smoothing) / (negative + self.smoothing))

    def _remember(self, rule: Tree, sides: Any) -> None:
        """Note a rule, and its sides as places for further ones."""
        self.rules.append(rule)
        first = len(rule.nodes) - 2
        if self.max_depth is not None and len(rule.nodes) // 2 >= self.max_depth:
            return
        for side, rows in enumerate(sides):
            labels = self.sample.y[rows]
            if len(rows) and labels.min() < labels.max():
                self.places.append(Place(rule, first + side, rows))

    def _rows_at(self, rule: Tree, leaf: int) -> Array:
        """Rows that reach a leaf of a rule."""
        nodes = rule.nodes.copy()
        nodes["value"] = np.arange(len(nodes)) == leaf
        column = self.sample.column(Tree(nodes, rule.categories.copy()))
        return np.flatnonzero(column).astype(np.uint32)


def _signs(growth: Growth) -> tuple[Array, Array]:
    """W+ and W- of the leaves."""
    signed, weight = growth.sums[growth.leaves].T
    return np.maximum(0.5 * (weight + signed), 0.0), np.maximum(0.5 * (weight - signed), 0.0)


def _rest(growth: Growth) -> float:
    """``2 Σ √(W+ W-)``: what a rule leaves of the weight at its place."""
    positive, negative = _signs(growth)
    return 2.0 * float(np.sqrt(positive * negative).sum())


def _sides(growth: Growth) -> tuple[Array, Array]:
    """Rows of both leaves of a tree of one split, in ascending order."""
    left, right = (
        np.sort(growth.rows[growth.nodes["start"][k] : growth.nodes["stop"][k]]) for k in (1, 2)
    )
    return left, right


def graft(rule: Tree, leaf: int, split: Tree, values: Array) -> Tree:
    """Put a split with these values in the place of a leaf; all other leaves become 0.

    Its leaves are the last nodes.
    """
    size = len(rule.nodes)
    nodes = np.concatenate([rule.nodes, split.nodes[1:]])
    nodes[leaf] = split.nodes[0]
    nodes["left"][leaf], nodes["right"][leaf] = size, size + 1
    nodes["value"] = [*np.zeros(size), *values]
    sets = [*code_sets(rule), *code_sets(split)[1:]]
    sets[leaf] = code_sets(split)[0]
    return Tree(*with_categories(nodes, sets))


def code_sets(tree: Tree) -> list[list[int] | None]:
    """Codes that go left at each node; None where it asks for none."""
    ranges = zip(tree.nodes["first"].tolist(), tree.nodes["last"].tolist(), strict=True)
    return [tree.categories[a:b].tolist() or None for a, b in ranges]
