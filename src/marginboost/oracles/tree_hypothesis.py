"""A decision tree as a hypothesis: votes, plain data and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np

from ..core.ensemble import Ensemble
from ..core.hypothesis import Hypothesis, check_split
from ..core.oracle import Candidate
from ..kernels.trees import NODE
from ..types import Array
from .forest import leaf_blocks, plant, tree_votes


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Hypothesis):
    """A binary decision tree with a value in [-1, 1] at each leaf.

    Attributes
    ----------
    nodes : structured array
        One record per node, the root first, children after their parent. At a leaf ``feature`` is
        -1 and ``value`` counts. Elsewhere a row goes ``left`` if its feature is at most
        ``threshold`` (infinite: if it is present at all), and a row without a value if
        ``missing_left``. ``gain`` is by how much the split raised the score of its criterion.
    categories : array of int32
        A split with ``first < last`` asks instead whether the feature's code is among
        ``categories[first:last]``, which are sorted.
    """

    in_order: ClassVar[bool] = True
    kind: ClassVar[str] = "tree"
    keys: ClassVar[tuple[str, ...]] = (
        *("feature", "left", "right", "value", "gain", "threshold", "missing_left", "categories"),
    )

    nodes: Array
    categories: Array

    def __post_init__(self) -> None:
        self.nodes.flags.writeable = False
        self.categories.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nodes.copy(), self.categories.copy())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return f"Tree(n_leaves={self.n_leaves}, depth={self.depth})"

    @property
    def _bytes(self) -> tuple[bytes, bytes]:
        return self.nodes.tobytes(), self.categories.tobytes()

    @property
    def n_nodes(self) -> int:
        """Number of splits and leaves."""
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.nodes["feature"] < 0).sum())

    @cached_property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        depth = np.zeros(len(self.nodes), dtype=np.int64)
        for k, node in enumerate(self.nodes):
            if node["feature"] >= 0:
                depth[[node["left"], node["right"]]] = depth[k] + 1
        return int(depth.max())

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        values, forest = np.empty(len(rows)), plant([self], tables=False)
        for block, at in leaf_blocks(forest, rows):
            values[block] = self.nodes["value"][at[0]]
        return values

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One pass over the rows for all trees."""
        votes = tree_votes(members, coef, np.zeros(len(members), np.int64))

        def vote(rows: Array) -> Array:
            return votes(rows)[:, 0]

        return vote

    def negated(self) -> Tree:
        """Turn the leaves round."""
        return self.scaled(-1.0)

    def scaled(self, factor: float) -> Tree:
        """Multiply the leaves."""
        nodes = self.nodes.copy()
        nodes["value"] *= factor
        return Tree(nodes, self.categories)

    def with_features(self, features: Array) -> Tree:
        """Same questions to features of a wider table."""
        nodes = self.nodes.copy()
        splits = nodes["feature"] >= 0
        nodes["feature"][splits] = features[nodes["feature"][splits]]
        return Tree(nodes, self.categories.copy())

    def cuts(self) -> list[tuple[int, float]]:
        """All cuts between numbers."""
        numeric = (self.nodes["feature"] >= 0) & (self.nodes["first"] == self.nodes["last"])
        chosen = self.nodes[numeric]
        return list(zip(chosen["feature"].tolist(), chosen["threshold"].tolist(), strict=True))

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """All splits suit their features."""
        for node in self.nodes[self.nodes["feature"] >= 0]:
            codes = self.categories[node["first"] : node["last"]].tolist()
            check_split(int(node["feature"]), float(node["threshold"]), codes, categories)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the gain of all splits."""
        gains = self.gains(n_features)
        return gains / gains.sum() if gains.sum() > 0 else gains

    def gains(self, n_features: int) -> Array:
        """Gain of all splits of each feature."""
        splits = self.nodes[self.nodes["feature"] >= 0]
        return np.bincount(splits["feature"], weights=splits["gain"], minlength=n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: one list per field, with an entry for each node."""
        data: dict[str, Any] = {"kind": self.kind}
        for name in ("feature", "left", "right", "value", "gain"):
            data[name] = self.nodes[name].tolist()
        data["threshold"] = [
            t if np.isfinite(t) else None for t in self.nodes["threshold"].tolist()
        ]
        data["missing_left"] = self.nodes["missing_left"].astype(bool).tolist()
        if len(self.categories):
            ranges = zip(self.nodes["first"].tolist(), self.nodes["last"].tolist(), strict=True)
            data["categories"] = [self.categories[a:b].tolist() or None for a, b in ranges]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a tree from plain data, checking every field."""
        return cls(*_read_nodes(data))


def constant_tree(value: float) -> Tree:
    """Tree of one leaf: constants are hypotheses like any other.

    >>> constant_tree(0.5)(np.zeros((2, 3)))
    array([0.5, 0.5])
    """
    nodes = np.zeros(1, NODE)
    nodes["feature"] = nodes["left"] = nodes["right"] = -1
    nodes["value"] = value
    return Tree(nodes, np.empty(0, np.int32))


def constant_candidate(n_rows: int) -> Candidate:
    """Make the constant 1 a candidate."""
    return Candidate(constant_tree(1.0), 0.0, np.ones(n_rows, dtype=np.int8))


def norm_without_constant(ensemble: Ensemble) -> float:
    """Σ|α| of all hypotheses but the constant 1, which has no price in a regression."""
    constant = constant_tree(1.0)
    members = zip(ensemble.coef, ensemble.members, strict=True)
    return float(sum(abs(weight) for weight, member in members if member != constant))


# -- reading plain data ---------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    """Whether a value is a finite number; an integer must have an equal float."""
    if type(value) is int:
        return abs(value) <= 1 << 53
    return type(value) is float and isfinite(value)


def _is_index(value: object) -> bool:
    return type(value) is int and -1 <= value < 1 << 31


def _is_code_set(value: object) -> bool:
    """Whether a value is None or a list of codes that are sorted and different."""
    if value is None:
        return True
    if not isinstance(value, list) or not value:
        return False
    codes_ok = all(type(code) is int and 0 <= code < 1 << 31 for code in value)
    return codes_ok and all(a < b for a, b in pairwise(value))


_Check = Callable[[Any], bool]
_INTEGER = (_is_index, "an integer >= -1")
_FIELDS: dict[str, tuple[_Check, str]] = {
    "feature": _INTEGER,
    "left": _INTEGER,
    "right": _INTEGER,
    "value": (lambda v: _is_number(v) and -1 <= v <= 1, "a number in [-1, 1]"),
    "gain": (lambda v: _is_number(v) and v >= 0, "a finite number >= 0"),
    "threshold": (lambda v: v is None or _is_number(v), "a finite number or null"),
    "missing_left": (lambda v: type(v) is bool, "true or false"),
    "categories": (_is_code_set, "null or a list of ascending integers >= 0"),
}


def _read_nodes(data: dict[str, Any]) -> tuple[Array, Array]:
    """Arrays of a tree from plain data; raises ValueError where they are not a tree."""
    fields = {name: _read_field(data, name) for name in _FIELDS if name != "categories"}
    n_nodes = len(fields["feature"])
    sets = _read_field(data, "categories") if "categories" in data else [None] * n_nodes
    for name, values in {**fields, "categories": sets}.items():
        if len(values) != n_nodes or n_nodes == 0:
            raise ValueError(f"tree {name}: got {len(values)} entries, expected {n_nodes or 1}")
    _check_shape(fields["feature"], fields["left"], fields["right"], sets)
    nodes = np.zeros(n_nodes, NODE)
    fields["threshold"] = [np.inf if t is None else t for t in fields["threshold"]]
    for name, values in fields.items():
        nodes[name] = values
    return with_categories(nodes, sets)


def _read_field(data: dict[str, Any], name: str) -> list[Any]:
    good, expected = _FIELDS[name]
    values = data.get(name)
    if not isinstance(values, list):
        raise ValueError(f"tree {name}: got {short(values)}, expected a list")
    for k, value in enumerate(values):
        if not good(value):
            raise ValueError(f"tree {name}: got {short(value)} at node {k}, expected {expected}")
    return values


def _check_shape(
    feature: list[int], left: list[int], right: list[int], sets: list[list[int] | None]
) -> None:
    """Check that every node but the root is the child of exactly one node before it."""
    parents = [0] * len(feature)
    for k, split_on in enumerate(feature):
        if split_on < 0 and (left[k], right[k], sets[k]) != (-1, -1, None):
            raise ValueError(f"tree left, right, categories: got a child or set at leaf {k}")
        if split_on < 0:
            continue
        for name, child in (("left", left[k]), ("right", right[k])):
            if not k < child < len(feature):
                raise ValueError(
                    f"tree {name}: got {child} at node {k}, expected a later node, "
                    f"at most {len(feature) - 1}"
                )
            parents[child] += 1
    for k, count in enumerate(parents[1:], start=1):
        if count != 1:
            raise ValueError(f"tree left, right: node {k} has {count} parents, expected one")


def with_categories(nodes: Array, sets: Sequence[Sequence[int] | None]) -> tuple[Array, Array]:
    """Lay the sets of codes one after the other and write their places into the nodes."""
    ends = np.cumsum([0, *(len(codes or ()) for codes in sets)])
    nodes["first"], nodes["last"] = ends[:-1], ends[1:]
    flat = [code for codes in sets for code in codes or ()]
    return nodes, np.array(flat, dtype=np.int32)
