"""Exact Shapley values of ensembles of stumps, trees and lines: what moved each score, how far.

Problem: a score minus its mean over a background is shared between the features so that every
feature gets what it adds on average over all orders in which features become known (Shapley 1953;
Lundberg and others, *From local explanations to global understanding*, 2020). The values of a row
and the base value sum up to its score.

The score is ``F(x) = Σ α h(x)``: a prediction in regression, log-odds in gradient boosting, the
vote before it is normalised elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..kernels.parallel import resolve_n_jobs, run_blocks
from ..kernels.shap import LONGEST, add_answers, find_patterns, pair_weights, play
from ..kernels.trees import NODE
from ..oracles.answer_tree import AnswerTree
from ..oracles.label_hypotheses import LabelTree, TreePerLabel
from ..oracles.linear_scores import LinearScores
from ..oracles.stumps import Stump
from ..oracles.tree_hypothesis import Tree, with_categories
from ..types import Array
from ..validation import check_choice, check_number
from .base import Model

METHODS = ("interventional", "path")
ROWS_AT_ONCE = 4096
"""Rows whose patterns are kept at once, and what a thread takes at a time."""
TABULATED = 8
"""Features on the way to a leaf up to which the answers to all patterns are tabulated."""


@dataclass(frozen=True, repr=False)
class ShapValues:
    """Shapley values of rows.

    Attributes
    ----------
    values : array (n_rows, n_features) or (n_rows, n_features, n_outputs)
        What each feature added to each score.
    base : float or array (n_outputs,)
        Mean score of the background; together with the values of a row its score.
    names : list of str
        Feature names.
    """

    values: Array
    base: Any
    names: list[str]

    def __repr__(self) -> str:
        base = np.array2string(np.asarray(self.base), precision=4, threshold=6)
        shape = " × ".join(map(str, self.values.shape))
        return f"<ShapValues {shape}, added to {base}>"

    def importance(self) -> dict[str, float]:
        """Mean absolute value of each feature, the largest first."""
        size = np.abs(self.values).mean(axis=0)
        size = size.sum(axis=1) if size.ndim == 2 else size
        order = np.argsort(-size, kind="stable")
        return {self.names[j]: float(size[j]) for j in order}


def shap_values(
    model: Model,
    X: Any,
    background: Any,
    *,
    method: str = "interventional",
    max_background: int = 200,
    n_jobs: int | None = None,
) -> ShapValues:
    """Share out the scores of rows between the features.

    Parameters
    ----------
    model : Model
        Of stumps and trees, and straight lines through single features.
    X : array, sparse matrix or data frame
        Rows to explain.
    background : array, sparse matrix or data frame
        Rows that a feature's absence is measured by, such as the training rows.
    method : {"interventional", "path"}
        Absent features have the values of the rows of the background, whole rows at a time; or they
        take each branch of a split with the share of the background that did (quicker, and the
        usual default of other packages).
    max_background : int
        Rows of the background that "interventional" uses: evenly spaced ones, if there are more.
    n_jobs : int, optional
        Threads; None is all cores.

    Returns
    -------
    ShapValues
        With one column of values per feature; models of several runs or outputs per row have a
        third axis.
    """
    check_choice("method", method, METHODS)
    check_number("max_background", max_background, at_least=1, integer=True)
    rows, known = model.read_rows(X), model.read_rows(background)
    dense, behind = rows.dense(0, rows.n_rows), known.dense(0, known.n_rows)
    if method == "interventional" and len(behind) > max_background:
        behind = behind[np.linspace(0, len(behind) - 1, max_background).round().astype(int)]
    found = [
        part for run in model.runs for part in _of_run(run.ensemble, dense, behind, method, n_jobs)
    ]
    names = [str(name) for name in model.features.names]
    if len(found) == 1 and not model.reduced:
        return ShapValues(found[0][0], found[0][1], names)
    values = np.stack([values for values, _ in found], axis=2)
    return ShapValues(values, np.array([base for _, base in found]), names)


def _of_run(
    ensemble: Ensemble, rows: Array, background: Array, method: str, n_jobs: int | None
) -> list[tuple[Array, Any]]:
    """Values and base value of every output of an ensemble."""
    width, n_features = ensemble.shape[0] if ensemble.shape else 1, rows.shape[1]
    linear = np.array([isinstance(member, LinearScores) for member in ensemble.members], dtype=bool)
    trees: list[list[Tree]] = [[] for _ in range(width)]
    for t in np.flatnonzero(~linear):
        for output, tree in enumerate(_as_trees(ensemble.members[t])):
            trees[output].append(tree)
    coef = ensemble.coef[~linear]
    found = [_explain(grown, coef, rows, background, n_features, method, n_jobs) for grown in trees]
    for t in np.flatnonzero(linear):
        found = _with_lines(found, ensemble.members[t], float(ensemble.coef[t]), rows, background)
    return found


def _with_lines(
    found: list[tuple[Array, Any]], lines: Any, factor: float, rows: Array, background: Array
) -> list[tuple[Array, Any]]:
    """Add lines: features add up, so each gets its own line less its mean, by either method."""
    own = lines.contributions(rows, rows.shape[1])
    mean = lines.contributions(background, rows.shape[1]).mean(axis=0)
    return [
        (
            values + factor * (own[:, :, k] - mean[:, k]),
            base + factor * float(lines.offsets[k] + mean[:, k].sum()),
        )
        for k, (values, base) in enumerate(found)
    ]


def _as_trees(member: Any) -> Sequence[Tree]:
    if isinstance(member, Tree):
        return [member]
    if isinstance(member, Stump):
        return [_stump_tree(member)]
    if isinstance(member, TreePerLabel):
        return member.trees
    if isinstance(member, LabelTree):
        return [_label_tree(member, label) for label in range(member.shape[0])]
    if isinstance(member, AnswerTree):
        return [_answer_tree(member)]
    raise TypeError(f"shap_values: got a {type(member).__name__}, expected stumps, trees and lines")


def _stump_tree(stump: Stump) -> Tree:
    """A stump as a tree: first whether there is a value, then the cut."""
    nodes = np.zeros(5, NODE)
    nodes["feature"] = [stump.feature, stump.feature, -1, -1, -1]
    nodes["left"] = [1, 3, -1, -1, -1]
    nodes["right"] = [2, 4, -1, -1, -1]
    nodes["threshold"] = [np.inf, stump.threshold, 0.0, 0.0, 0.0]
    nodes["value"] = [0.0, 0.0, stump.missing, stump.left, stump.right]
    codes = np.array(stump.categories or (), dtype=np.int32)
    nodes["last"][1] = len(codes)
    return Tree(nodes, np.sort(codes))


def _answer_tree(member: AnswerTree) -> Tree:
    """A tree whose questions are stumps: a node asks whether there is a value, then for a side."""
    nodes = np.zeros(2 * len(member.question), NODE)
    nodes["feature"] = nodes["left"] = nodes["right"] = -1
    nodes["value"][::2] = member.value
    sets: list[Sequence[int] | None] = [None] * len(nodes)
    for k, asked in enumerate(member.question):
        if asked < 0:
            continue
        stump, own = member.members[asked], slice(2 * k, 2 * k + 2)
        if not isinstance(stump, Stump):
            raise TypeError(
                f"shap_values: got a tree that asks a {type(stump).__name__}, expected stumps"
            )
        outputs = np.array([stump.missing, stump.left, stump.right])
        above = outputs > member.threshold[asked]
        missing, left, right = 2 * np.where(above, member.right[k], member.left[k])
        nodes["feature"][own] = stump.feature
        nodes["threshold"][own] = np.inf, stump.threshold
        nodes["left"][own] = 2 * k + 1, left
        nodes["right"][own] = missing, right
        sets[2 * k + 1] = None if stump.categories is None else sorted(stump.categories)
    return Tree(*with_categories(nodes, sets))


def _label_tree(member: LabelTree, label: int) -> Tree:
    """What a tree of labels says about one of them."""
    nodes, answers = member.tree.nodes.copy(), member.answers
    row = np.where(answers < 0, -1 - answers, 0)
    sets = member.sets[row, label] if len(member.sets) else np.zeros(len(answers))
    nodes["value"] = np.where(answers < 0, sets, np.where(answers == label, 1.0, -1.0))
    return Tree(nodes, member.tree.categories)


class _Paths:
    """The ways to the leaves of one tree: steps, conditions, features."""

    def __init__(self, tree: Tree) -> None:
        nodes, starts = tree.nodes, [0]
        steps: list[tuple[int, bool]] = []
        slots: list[int] = []
        self.features: list[Array] = []
        self.leaves: list[int] = []
        todo: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
        while todo:
            k, path = todo.pop()
            if nodes[k]["feature"] >= 0:
                todo.append((int(nodes[k]["right"]), (*path, (k, False))))
                todo.append((int(nodes[k]["left"]), (*path, (k, True))))
                continue
            used = list(dict.fromkeys(int(nodes[parent]["feature"]) for parent, _ in path))
            if len(used) > LONGEST:
                raise ValueError(
                    f"shap_values: a tree asks for {len(used)} features on the way to one leaf, "
                    f"expected at most {LONGEST}"
                )
            steps.extend(path)
            slots.extend(used.index(int(nodes[parent]["feature"])) for parent, _ in path)
            starts.append(len(steps))
            self.features.append(np.array(used, dtype=np.int64))
            self.leaves.append(k)
        self.tree = tree
        self.nodes = np.array([parent for parent, _ in steps], dtype=np.int64)
        self.left = np.array([way for _, way in steps], dtype=np.uint8)
        self.slots = np.array(slots, dtype=np.int64)
        self.starts = np.array(starts, dtype=np.int64)
        self.n_slots = np.array([len(used) for used in self.features], dtype=np.int64)
        self.values = tree.nodes["value"][self.leaves]

    def patterns(self, rows: Array) -> Array:
        """Which conditions of each leaf the rows pass."""
        out = np.empty((len(self.leaves), len(rows)), dtype=np.int64)
        find_patterns(
            rows,
            self.tree.nodes,
            self.tree.categories,
            self.nodes,
            self.left,
            self.slots,
            self.starts,
            self.n_slots,
            out,
        )
        return out

    def reached(self, patterns: Array) -> Array:
        """Rows that reach each leaf: those that pass all its conditions."""
        full = (np.int64(1) << self.n_slots) - 1
        return np.asarray((patterns == full[:, None]).sum(axis=1))

    def shares(self, reached: Array) -> list[Array]:
        """Share of the background that passes each condition of each leaf, at its splits."""
        nodes = self.tree.nodes
        count = np.zeros(len(nodes))
        count[self.leaves] = reached
        for k in range(len(nodes) - 1, -1, -1):  # children come after their parent
            if nodes[k]["feature"] >= 0:
                count[k] = count[nodes[k]["left"]] + count[nodes[k]["right"]]
        found = []
        for leaf in range(len(self.leaves)):
            part = np.ones(self.n_slots[leaf])
            for step in range(self.starts[leaf], self.starts[leaf + 1]):
                parent = self.nodes[step]
                child = nodes[parent]["left" if self.left[step] else "right"]
                ratio = count[child] / count[parent] if count[parent] else 0.5
                part[self.slots[step]] *= ratio
            found.append(part)
        return found


@dataclass(frozen=True)
class _Leaf:
    """A leaf as a game: what it says, about which features, against whom."""

    value: float
    features: Array
    shares: Array
    others: Array
    counts: Array

    def answers(self, patterns: Array) -> Array:
        """Shapley values for every pattern."""
        out = np.empty((len(patterns), len(self.features)))
        play(patterns, self.shares, self.others, self.counts, pair_weights(), self.value, out)
        return out


def _games(paths: _Paths, factor: float, background: Array, method: str) -> tuple[float, list[Any]]:
    """Mean of one tree over the background, and its leaves as games."""
    patterns = paths.patterns(background)
    reached, values = paths.reached(patterns), factor * paths.values
    nobody = np.empty(0, np.int64), np.empty(0)
    if method == "path":
        shares = paths.shares(reached)
        base = sum(v * part.prod() for v, part in zip(values.tolist(), shares, strict=True))
        others = [nobody] * len(values)
    else:
        base = float(values @ reached) / len(background)
        shares = [np.empty(0)] * len(values)
        kinds = [np.unique(line, return_counts=True) for line in patterns]
        others = [(which, count / len(background)) for which, count in kinds]
    leaves = zip(values.tolist(), paths.features, shares, others, strict=True)
    return base, [_Leaf(v, used, part, *rest) for v, used, part, rest in leaves]


def _explain(
    trees: Sequence[Tree],
    coef: Array,
    rows: Array,
    background: Array,
    n_features: int,
    method: str,
    n_jobs: int | None,
) -> tuple[Array, float]:
    """Values of one output, and its base value."""
    base, plan = 0.0, []
    for tree, factor in zip(trees, coef.tolist(), strict=True):
        paths = _Paths(tree)
        mean, leaves = _games(paths, factor, background, method)
        base += mean
        plan.append((paths, leaves, [_table(leaf, len(rows)) for leaf in leaves]))
    out = np.zeros((len(rows), n_features))
    starts = range(0, len(rows), ROWS_AT_ONCE)

    def block(number: int) -> None:
        part = slice(starts[number], starts[number] + ROWS_AT_ONCE)
        for paths, leaves, tables in plan:
            patterns = paths.patterns(rows[part])
            for leaf, table, own in zip(leaves, tables, patterns, strict=True):
                if table is not None:
                    add_answers(table, own, leaf.features, out[part])
                elif leaf.value != 0.0 and len(leaf.features):
                    kinds, places = np.unique(own, return_inverse=True)
                    add_answers(leaf.answers(kinds), places, leaf.features, out[part])

    run_blocks(block, len(starts), resolve_n_jobs(n_jobs))
    return out, base


def _table(leaf: _Leaf, n_rows: int) -> Array | None:
    """Answers to all patterns of a leaf, where there are fewer than rows."""
    n_slots = len(leaf.features)
    if leaf.value == 0.0 or not 0 < n_slots <= TABULATED or 2**n_slots > n_rows:
        return None
    return leaf.answers(np.arange(2**n_slots, dtype=np.int64))
