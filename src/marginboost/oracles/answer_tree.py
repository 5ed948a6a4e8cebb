"""A tree whose questions are hypotheses: a function of their answers that is no vote.

Rows begin at the root. A node asks one hypothesis, an answer above its threshold leads to the right
and any other to the left, and the leaf has the output. A hypothesis may be asked by many nodes, and
a row meets them in their order, so that each is asked once for the rows that need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np

from ..core.hypothesis import Hypothesis, hypothesis_from_dict
from ..types import Array

NODE_KEYS = ("question", "left", "right", "value")
KEYS = ("threshold", *NODE_KEYS)


@dataclass(frozen=True, repr=False)
class AnswerTree(Hypothesis):
    """A decision tree over the answers of hypotheses.

    Attributes
    ----------
    members : tuple of Hypothesis
        The hypotheses, with one output each.
    threshold : tuple of float
        What the answer of each is compared with.
    question : tuple of int
        Number of the hypothesis that a node asks, larger than that of its parent; -1 at a leaf. The
        root is the first node, children come after their parent.
    left, right : tuple of int
        Node for answers up to the threshold, and for those above; -1 at a leaf.
    value : tuple of float
        Outputs in [-1, 1]; those of leaves count.
    """

    kind: ClassVar[str] = "answer_tree"
    keys: ClassVar[tuple[str, ...]] = ("members", *KEYS)

    members: tuple[Hypothesis, ...]
    threshold: tuple[float, ...]
    question: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def __repr__(self) -> str:
        leaves = sum(asked < 0 for asked in self.question)
        return f"AnswerTree(n_members={len(self.members)}, n_leaves={leaves})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.members, *(getattr(self, name) for name in KEYS))  # and no arrays

    @cached_property
    def _nodes(self) -> tuple[Array, Array, Array, Array]:
        """Nodes as arrays."""
        links = (np.array(part, np.int64) for part in (self.question, self.left, self.right))
        question, left, right = links
        return question, left, right, np.array(self.value, np.float64)

    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""
        question, left, right, value = self._nodes
        at = np.zeros(len(rows), np.int64)
        for t, member in enumerate(self.members):
            asked = np.flatnonzero(question[at] == t)
            if len(asked):
                node = at[asked]
                above = member(rows[asked]) > self.threshold[t]
                at[asked] = np.where(above, right[node], left[node])
        outputs: Array = value[at]
        return outputs

    def negated(self) -> Self:
        """Turn the leaves round."""
        return replace(self, value=tuple(-value for value in self.value))

    def with_features(self, features: Array) -> Self:
        """Same questions to features of a wider table."""
        return replace(self, members=tuple(m.with_features(features) for m in self.members))

    def cuts(self) -> Iterable[tuple[int, float]]:
        """Cuts of all hypotheses."""
        return [cut for member in self.members for cut in member.cuts()]

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Those of all hypotheses."""
        for member in self.members:
            member.check_features(categories)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the questions, one for each node that asks."""
        asked = np.bincount(1 + self._nodes[0], minlength=1 + len(self.members))[1:]
        total = np.zeros(n_features)
        for often, member in zip(asked, self.members, strict=True):
            total += often * member.importances(n_features)
        return total / total.sum() if total.sum() > 0 else total

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        parts = {name: list(getattr(self, name)) for name in KEYS}
        return {"kind": self.kind, "members": [m.to_dict() for m in self.members], **parts}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make the tree from plain data, checking every field."""
        names = ("members", *KEYS)
        lists = (_read_list(name, data.get(name)) for name in names)
        members, threshold, question, left, right, value = lists
        if len(members) != len(threshold):
            raise ValueError("members, threshold: expected equally many entries")
        if not len(question) == len(left) == len(right) == len(value) > 0:
            raise ValueError(f"{', '.join(NODE_KEYS)}: expected one or more entries, equally many")
        _check_nodes(question, left, right, len(members))
        parts = tuple(_read_member(member) for member in members)
        nodes = tuple(question), tuple(left), tuple(right)
        return cls(
            parts, _read_bounded("threshold", threshold), *nodes, _read_bounded("value", value)
        )


def _read_list(name: str, entries: Any) -> list[Any]:
    if not isinstance(entries, list):
        raise ValueError(f"{name}: got {short(entries)}, expected a list")
    return entries


def _read_bounded(name: str, numbers: list[Any]) -> tuple[float, ...]:
    for number in numbers:
        if type(number) not in (int, float) or not -1.0 <= number <= 1.0:
            raise ValueError(f"{name}: got {short(number)}, expected numbers in [-1, 1]")
    return tuple(map(float, numbers))


def _read_member(data: Any) -> Hypothesis:
    """Make a hypothesis of one output that is no tree of this kind: those are not nested."""
    if not isinstance(data, dict) or data.get("kind") == AnswerTree.kind:
        raise ValueError(f"members: got {short(data)}, expected hypotheses of other kinds")
    member = hypothesis_from_dict(data)
    if member.shape:
        raise ValueError(f"members: got {short(data)}, expected hypotheses of one output")
    return member


def _check_nodes(question: list[Any], left: list[Any], right: list[Any], n_members: int) -> None:
    """Raise unless questions grow and children follow their parent: every walk ends at a leaf."""
    n_nodes = len(question)
    for name, entries in (("question", question), ("left", left), ("right", right)):
        below = n_members if name == "question" else n_nodes
        for entry in entries:
            if type(entry) is not int or not -1 <= entry < below:
                raise ValueError(f"{name}: got {short(entry)}, expected -1 to {below - 1}")
    for node, asked in enumerate(question):
        for child in (left[node], right[node]):
            if asked < 0:
                good = child == -1
            else:
                good = child > node and (question[child] == -1 or question[child] > asked)
            if not good:
                raise ValueError(
                    f"node {node}: got the child {child}, expected -1 at a leaf, else a later node "
                    "with a later question"
                )
