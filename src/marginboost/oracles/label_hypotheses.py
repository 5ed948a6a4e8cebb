"""Hypotheses of several classes: a number in [-1, 1] for every label, from a tree or anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis, hypothesis_from_dict
from ..core.labels import own_labels
from ..kernels.trees import add_answers
from ..types import Array
from .any_sklearn import Fitted
from .forest import Grove, tree_votes
from .tree_hypothesis import Tree


@dataclass(frozen=True, eq=False, repr=False)
class LabelTree(Hypothesis):
    """A decision tree whose leaves answer with a label or with a set of labels.

    Attributes
    ----------
    tree : Tree
        The splits; its values mean nothing.
    answers : array of int32
        For each node, at a leaf, the label that is +1 while all others are -1; a negative number
        -1 - k stands for row k of ``sets``.
    sets : array of int8
        One row per set, one column per label: +1 or -1.
    """

    kind: ClassVar[str] = "label_tree"
    keys: ClassVar[tuple[str, ...]] = ("n_labels", "tree", "answers", "sets")

    tree: Tree
    answers: Array
    sets: Array

    def __post_init__(self) -> None:
        self.answers.flags.writeable = False
        self.sets.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tree, self.answers.copy(), self.sets.copy())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelTree) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return f"LabelTree(n_leaves={self.tree.n_leaves}, n_labels={self.shape[0]})"

    @property
    def _bytes(self) -> tuple[Any, ...]:
        return self.tree, self.answers.tobytes(), self.sets.tobytes()

    @property
    def shape(self) -> tuple[int, ...]:
        """One output per label."""
        return (self.sets.shape[1],)

    def __call__(self, rows: Array) -> Array:
        """Outputs (rows, labels)."""
        return type(self).voter([self], np.ones(1))(rows)

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One pass over the rows for all trees."""
        grove = Grove([member.tree for member in members])
        first_set = np.cumsum([0, *(len(member.sets) for member in members)])
        answers = np.concatenate(
            [
                np.where(member.answers < 0, member.answers - first, member.answers)
                for member, first in zip(members, first_set[:-1], strict=True)
            ]
        )
        sets = np.concatenate([member.sets for member in members])
        coef = np.ascontiguousarray(coef, dtype=np.float64)

        def vote(rows: Array) -> Array:
            total = np.zeros((len(rows), sets.shape[1]))
            for block, at in grove.leaf_blocks(rows):
                add_answers(at, answers, sets, coef, total[block])
            return total

        return vote

    def for_label(self, label: int) -> Tree:
        """Return the tree of one label's outputs."""
        nodes, in_set = self.tree.nodes.copy(), self.answers < 0
        nodes["value"] = np.where(self.answers == label, 1.0, -1.0)
        nodes["value"][in_set] = self.sets[-1 - self.answers[in_set], label]
        return Tree(nodes, self.tree.categories)

    def negated(self) -> LabelTree:
        """Turn all outputs round: a single label becomes the set of all others."""
        n_sets, n_labels = self.sets.shape
        others = 1 - 2 * np.eye(n_labels, dtype=np.int8)
        answers = np.where(self.answers < 0, self.answers, -1 - n_sets - self.answers)
        return LabelTree(self.tree, answers.astype(np.int32), np.concatenate([-self.sets, others]))

    def cuts(self) -> list[tuple[int, float]]:
        """All cuts between numbers."""
        return self.tree.cuts()

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Those of the tree."""
        self.tree.check_features(categories)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the gain of all splits."""
        return self.tree.importances(n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "n_labels": self.shape[0],
            "tree": self.tree.to_dict(),
            "answers": self.answers.tolist(),
            "sets": self.sets.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a tree from plain data, checking every field."""
        n_labels, tree = data.get("n_labels"), data.get("tree")
        if type(n_labels) is not int or not 2 <= n_labels < 1 << 31:
            raise ValueError(f"n_labels: got {short(n_labels)}, expected an integer of at least 2")
        splits = _read_tree("tree", tree)
        sets = _read_sets(data.get("sets"), n_labels)
        answers = data.get("answers")
        if not isinstance(answers, list) or len(answers) != splits.n_nodes:
            raise ValueError(f"answers: got {short(answers)}, expected one per node")
        for answer in answers:
            if type(answer) is not int or not -len(sets) <= answer < n_labels:
                raise ValueError(f"answers: got {short(answer)}, expected a label or a set")
        return cls(splits, np.array(answers, dtype=np.int32), sets)


@dataclass(frozen=True)
class TreePerLabel(Hypothesis):
    """A tree for every label, with values in [-1, 1]."""

    in_order: ClassVar[bool] = True
    kind: ClassVar[str] = "tree_per_label"
    keys: ClassVar[tuple[str, ...]] = ("trees",)

    trees: tuple[Tree, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """One output per label."""
        return (len(self.trees),)

    def __call__(self, rows: Array) -> Array:
        """Outputs (rows, labels)."""
        return type(self).voter([self], np.ones(1))(rows)

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """One pass over the rows for all trees of all labels."""
        trees = [tree for member in members for tree in member.trees]
        n_labels = len(members[0].trees)
        columns = np.tile(np.arange(n_labels), len(members))
        return tree_votes(trees, np.repeat(coef, n_labels), columns)

    def for_label(self, label: int) -> Tree:
        """Return the tree of one label."""
        return self.trees[label]

    def negated(self) -> TreePerLabel:
        """Turn all outputs round."""
        return TreePerLabel(tuple(tree.negated() for tree in self.trees))

    def cuts(self) -> list[tuple[int, float]]:
        """All cuts between numbers."""
        return [cut for tree in self.trees for cut in tree.cuts()]

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Those of all trees."""
        for tree in self.trees:
            tree.check_features(categories)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the gain of all splits of all trees."""
        gains = np.sum([tree.gains(n_features) for tree in self.trees], axis=0)
        return gains / gains.sum() if gains.sum() > 0 else gains

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "trees": [tree.to_dict() for tree in self.trees]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make the trees from plain data, checking every field."""
        trees = data.get("trees")
        if not isinstance(trees, list) or len(trees) < 2:
            raise ValueError(f"trees: got {short(trees)}, expected a list of at least 2")
        return cls(tuple(_read_tree("trees", tree) for tree in trees))


def _read_tree(name: str, data: Any) -> Tree:
    if not isinstance(data, dict) or data.get("kind") != Tree.kind:
        raise ValueError(f"{name}: got {short(data)}, expected a tree")
    tree = hypothesis_from_dict(data)
    assert isinstance(tree, Tree)
    return tree


def _read_sets(sets: Any, n_labels: int) -> Array:
    if not isinstance(sets, list):
        raise ValueError(f"sets: got {short(sets)}, expected a list")
    for row in sets:
        good = isinstance(row, list) and len(row) == n_labels
        if not good or not all(type(sign) is int and abs(sign) == 1 for sign in row):
            raise ValueError(f"sets: got {short(row)}, expected {n_labels} times 1 or -1")
    return np.array(sets, dtype=np.int8).reshape(len(sets), n_labels)


@dataclass(frozen=True)
class FittedLabels(Hypothesis):
    """A fitted classifier of several classes: +1 for the label it predicts, -1 for all others."""

    estimator: Any
    n_labels: int
    sign: int = 1

    @property
    def shape(self) -> tuple[int, ...]:
        """One output per label."""
        return (self.n_labels,)

    @property
    def fitted(self) -> Any:
        """The estimator itself; its classes are positions in ``classes_``."""
        return self.estimator

    def __call__(self, rows: Array) -> Array:
        """Outputs (rows, labels)."""
        own = own_labels(self.estimator.predict(rows), self.n_labels)
        return np.where(own, self.sign, -self.sign).astype(np.float64)

    def negated(self) -> FittedLabels:
        """Turn all outputs round."""
        return FittedLabels(self.estimator, self.n_labels, -self.sign)

    def importances(self, n_features: int) -> Array:
        """Take the estimator's own importances, or its absolute coefficients."""
        return Fitted(self.estimator).importances(n_features)
