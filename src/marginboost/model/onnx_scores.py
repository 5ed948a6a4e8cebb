"""Scores of ensembles as ONNX graphs: the package's own kernels, step by step (see onnx.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..core.ensemble import Ensemble
from ..oracles.answer_tree import AnswerTree
from ..oracles.coordinates import FARTHEST, Coordinates
from ..oracles.half_spaces import HalfSpace
from ..oracles.kernel_expansion import KernelExpansion
from ..oracles.label_hypotheses import LabelTree, TreePerLabel
from ..oracles.linear_scores import LinearScores
from ..oracles.stumps import Stump, in_order_of_prediction, step_functions
from ..oracles.tree_hypothesis import Tree
from ..types import Array

INPUT = "X"


class Graph:
    """Nodes and constants of a graph under construction; a value is the name it has there.

    Parameters
    ----------
    onnx : module
        The package, imported only when a model is exported.
    """

    def __init__(self, onnx: ModuleType) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.n_rows = self.add("Gather", self.add("Shape", INPUT), self.constant([0]))

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node with one output."""
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any) -> str:
        """Add a constant: float64, int64, bool or string."""
        name = f"constant_{len(self.constants)}"
        array = np.asarray(values)
        exact = {"i": np.int64, "U": np.object_}.get(array.dtype.kind, array.dtype)
        array = array.astype(exact)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name


def add_score(graph: Graph, ensemble: Ensemble, n_classes: int | None = None) -> str:
    """``F`` of every row: the votes of one kind of hypothesis after the other, as in prediction."""
    shape = graph.n_rows
    if n_classes is not None:
        shape = graph.add("Concat", shape, graph.constant([n_classes]), axis=0)
    score = graph.add("Expand", graph.constant(0.0), shape)
    for kind, members, coef in ensemble.by_kind():
        if kind not in EXPORTERS:
            raise TypeError(f"to_onnx: got {kind.__name__} hypotheses, expected stumps or trees")
        score = graph.add("Add", score, EXPORTERS[kind](graph, members, coef))
    return score


def _add_stumps(graph: Graph, members: Sequence[Stump], coef: Array) -> str:
    """Look up all step functions at once: a binary search for every row and feature.

    The cuts of all features lie in one list. How far a search jumps in each step depends on the
    number of cuts only, so the jumps of a step are constants, one per feature.
    """
    steps = in_order_of_prediction(step_functions(members, coef))
    n_cuts = np.array([len(step.thresholds) for step in steps])
    first = np.concatenate([[0], np.cumsum(n_cuts)[:-1]])
    cuts = graph.constant(np.concatenate([*(step.thresholds for step in steps), [np.inf]]))
    levels = graph.constant(np.concatenate([step.levels for step in steps]))
    features = graph.constant(np.array([step.feature for step in steps]))
    values = graph.add("Gather", INPUT, features, axis=1)
    position = graph.constant(first[None, :])
    left = n_cuts.copy()
    while left.any():
        half = (left + 1) // 2
        probe = graph.add("Add", position, graph.constant(np.maximum(half - 1, 0)))
        right = graph.add("Less", graph.add("Gather", cuts, probe), values)
        jump = graph.add("Where", right, graph.constant(half), graph.constant(np.zeros_like(half)))
        position = graph.add("Add", position, jump)
        left -= half
    level = graph.add("Add", position, graph.constant(2 * np.arange(len(steps))))
    missing = graph.constant(first + n_cuts + 1 + 2 * np.arange(len(steps)))
    level = graph.add("Where", graph.add("IsNaN", values), missing, level)
    return _add_up(graph, graph.add("Gather", levels, level))


def _add_up(graph: Graph, terms: str) -> str:
    """Sum of each row from left to right; ReduceSum would choose its own order."""
    sums = graph.add("CumSum", terms, graph.constant(1))
    return graph.add("Gather", sums, graph.constant(-1), axis=1)


def _add_trees(graph: Graph, members: Sequence[Tree], coef: Array) -> str:
    """Add up the values of all trees' leaves."""
    sizes = [tree.n_nodes for tree in members]
    values = np.concatenate([tree.nodes["value"] for tree in members])
    shares = graph.constant(np.repeat(coef, sizes) * values)
    return _add_up(graph, graph.add("Gather", shares, _walk_down(graph, members)))


def _add_trees_of_labels(graph: Graph, members: Sequence[TreePerLabel], coef: Array) -> str:
    """Do so label by label."""
    columns = [
        graph.add("Unsqueeze", _add_trees(graph, trees, coef), graph.constant([1]))
        for trees in zip(*(member.trees for member in members), strict=True)
    ]
    return graph.add("Concat", *columns, axis=1)


def _add_label_trees(graph: Graph, members: Sequence[LabelTree], coef: Array) -> str:
    """Add up what the leaves of all trees say to every label.

    As in prediction a leaf with one label adds twice its coefficient to that label, and all labels
    lose the coefficients of such leaves at the end.
    """
    gains, losses = [], []
    for member, weight in zip(members, coef, strict=True):
        table = np.concatenate([2.0 * np.eye(member.shape[0]), member.sets[::-1]])
        gains.append(weight * table[member.answers])  # -1 is the first set
        losses.append(np.where(member.answers < 0, 0.0, weight))
    position = _walk_down(graph, [member.tree for member in members])
    gain, loss = (
        _add_up(graph, graph.add("Gather", graph.constant(np.concatenate(parts)), position))
        for parts in (gains, losses)
    )
    return graph.add("Sub", gain, graph.add("Unsqueeze", loss, graph.constant([1])))


def _walk_down(graph: Graph, members: Sequence[Tree]) -> str:
    """Go down all trees at once, one level per step; a row that is at a leaf stays there."""
    sizes = [tree.n_nodes for tree in members]
    roots = np.cumsum([0, *sizes])[:-1]
    nodes = np.concatenate([tree.nodes for tree in members])
    fields, sets = _node_constants(graph, members, nodes, np.repeat(roots, sizes))
    shape = graph.add("Concat", graph.n_rows, graph.constant([len(members)]), axis=0)
    position = graph.add("Expand", graph.constant(roots[None, :]), shape)
    for _ in range(max(tree.depth for tree in members)):
        here = {name: graph.add("Gather", field, position) for name, field in fields.items()}
        values = graph.add("GatherElements", INPUT, here["feature"], axis=1)
        absent = graph.add("IsNaN", values)
        below = graph.add("LessOrEqual", values, here["threshold"])
        astray = graph.add("And", absent, here["missing_left"])
        left = graph.add("Or", below, astray)
        if sets is not None:
            left = graph.add("Or", left, _is_in_set(graph, sets, here, values, absent))
        position = graph.add("Where", left, here["left"], here["right"])
    return position


def _node_constants(
    graph: Graph, members: Sequence[Tree], nodes: Array, roots: Array
) -> tuple[dict[str, str], str | None]:
    """One list per field with an entry for each node of all trees; children counted from the first.

    A split on a set of categories has a table, ``sets[first : first + last + 1]``: whether the code
    0, 1, … goes left, between two entries for the codes below and above. Other nodes have a table
    that is always false, and such a split has a threshold that nothing is below: so a value goes
    left if either of the two says so.
    """
    leaf, own = nodes["feature"] < 0, np.arange(len(nodes))
    code_sets = [
        tree.categories[node["first"] : node["last"]] for tree in members for node in tree.nodes
    ]
    first, last, sets = np.zeros(len(nodes), np.int64), np.zeros(len(nodes)), [False]
    threshold = nodes["threshold"].copy()
    for k, codes in enumerate(code_sets):
        if len(codes):
            known = np.isin(np.arange(codes.max() + 1), codes)
            first[k], last[k], threshold[k] = len(sets), len(known) + 1, -np.inf
            sets += [False, *known.tolist(), False]
    fields: dict[str, Array] = {
        "feature": np.maximum(nodes["feature"], 0).astype(np.int64),
        "threshold": threshold,
        "missing_left": nodes["missing_left"] != 0,
        "left": np.where(leaf, own, nodes["left"] + roots),
        "right": np.where(leaf, own, nodes["right"] + roots),
    }
    if len(sets) > 1:
        fields |= {"first": first, "last": last}
    table = graph.constant(np.array(sets)) if len(sets) > 1 else None
    return {name: graph.constant(values) for name, values in fields.items()}, table


def _is_in_set(graph: Graph, sets: str, here: dict[str, str], values: str, absent: str) -> str:
    """Whether a code is in the set of its node; a missing one never is."""
    code = graph.add("Where", absent, graph.constant(-1.0), values)
    entry = graph.add("Add", code, graph.constant(1.0))
    entry = graph.add("Min", graph.add("Max", entry, graph.constant(0.0)), here["last"])
    entry = graph.add("Cast", entry, to=graph.onnx.TensorProto.INT64)
    return graph.add("Gather", sets, graph.add("Add", here["first"], entry))


def _add_coordinates(graph: Graph, coordinates: Coordinates) -> str:
    """Rows in standardised coordinates, (rows, coordinates)."""
    values = graph.add("Gather", INPUT, graph.constant(coordinates.features), axis=1)
    missing = graph.add("IsNaN", values)
    indicators = coordinates.codes >= 0
    if indicators.any():
        same = graph.add("Equal", values, graph.constant(coordinates.codes.astype(float)))
        flags = graph.add("Cast", same, to=graph.onnx.TensorProto.DOUBLE)
        values = graph.add("Where", graph.constant(indicators[None, :]), flags, values)
    moved = graph.add("Sub", values, graph.constant(coordinates.means))
    scaled = graph.add("Mul", moved, graph.constant(coordinates.scales))
    within = graph.add("Clip", scaled, graph.constant(-FARTHEST), graph.constant(FARTHEST))
    return graph.add("Where", missing, graph.constant(0.0), within)


def _add_expansion(graph: Graph, rows: str, member: KernelExpansion) -> str:
    """Sum of kernel functions; distances are ``|z|² - 2 z·p + |p|²``, equal but for rounding."""
    forms = graph.add("MatMul", rows, graph.constant(np.ascontiguousarray(member.points.T)))
    rates = graph.constant(member.rates)
    if member.degree:
        base = graph.add("Add", graph.add("Mul", forms, rates), graph.constant(member.offset))
        values = base
        for _ in range(member.degree - 1):
            values = graph.add("Mul", values, base)
    else:
        squared = graph.add("Mul", rows, rows)
        lengths = graph.add("ReduceSum", squared, graph.constant([1]), keepdims=1)
        double = graph.add("Mul", forms, graph.constant(-2.0))
        squares = graph.constant((member.points**2).sum(axis=1))
        apart = graph.add("Add", graph.add("Add", double, lengths), squares)
        apart = graph.add("Max", apart, graph.constant(0.0))
        values = graph.add("Exp", graph.add("Neg", graph.add("Mul", apart, rates)))
    total = graph.add("MatMul", values, graph.constant(member.coef))
    return graph.add("Clip", total, graph.constant(-1.0), graph.constant(1.0))


def _add_half_space(graph: Graph, rows: str, member: HalfSpace) -> str:
    """Side of a plane, with scores added up as in prediction."""
    terms = graph.add("Mul", rows, graph.constant(member.weights))
    shape = graph.add("Concat", graph.n_rows, graph.constant([1]), axis=0)
    first = graph.add("Expand", graph.constant(member.offset), shape)
    score = _add_up(graph, graph.add("Concat", first, terms, axis=1))
    test = graph.add("Less" if member.side < 0 else "Greater", score, graph.constant(0.0))
    inside = graph.constant(member.sign * (-1.0 if member.side < 0 else 1.0))
    outside = graph.constant(-member.sign if member.side == 0 else 0.0)
    return graph.add("Where", test, inside, outside)


def _add_linear_scores(graph: Graph, members: Sequence[LinearScores], coef: Array) -> str:
    """Straight lines: terms of every output added up from its offset on, as in prediction."""
    total = None
    for member, weight in zip(members, coef, strict=True):
        limits = graph.constant(-member.limit), graph.constant(member.limit)
        within = graph.add("Clip", _add_coordinates(graph, member.coordinates), *limits)
        shape = graph.add("Concat", graph.n_rows, graph.constant([1]), axis=0)
        outputs = []
        for weights, offset in zip(member.weights, member.offsets, strict=True):
            terms = graph.add("Mul", within, graph.constant(weights))
            first = graph.add("Expand", graph.constant(float(offset)), shape)
            outputs.append(_add_up(graph, graph.add("Concat", first, terms, axis=1)))
        if member.shape:
            columns = [graph.add("Unsqueeze", one, graph.constant([1])) for one in outputs]
            outputs = [graph.add("Concat", *columns, axis=1)]
        part = graph.add("Mul", outputs[0], graph.constant(float(weight)))
        total = part if total is None else graph.add("Add", total, part)
    assert total is not None
    return total


def _add_answer_trees(graph: Graph, members: Sequence[AnswerTree], coef: Array) -> str:
    """Ask one hypothesis after the other: rows at a node that asks it go on to its children."""
    total = graph.add("Expand", graph.constant(0.0), graph.n_rows)
    for tree, weight in zip(members, coef, strict=True):
        question, left, right = map(graph.constant, (tree.question, tree.left, tree.right))
        at = graph.add("Expand", graph.constant(0), graph.n_rows)
        for t, member in enumerate(tree.members):
            answer = add_score(graph, Ensemble((member,), np.ones(1)))
            above = graph.add("Greater", answer, graph.constant(tree.threshold[t]))
            children = graph.add("Gather", right, at), graph.add("Gather", left, at)
            asked = graph.add("Equal", graph.add("Gather", question, at), graph.constant(t))
            at = graph.add("Where", asked, graph.add("Where", above, *children), at)
        shares = graph.constant(weight * np.array(tree.value))
        total = graph.add("Add", total, graph.add("Gather", shares, at))
    return total


def _one_by_one(add_one: Callable[[Graph, str, Any], str]) -> Callable[..., str]:
    """Weighted sum of members in their order; those that share coordinates compute them once."""

    def add_all(graph: Graph, members: Sequence[Any], coef: Array) -> str:
        systems: dict[Coordinates, str] = {}
        total = graph.add("Expand", graph.constant(0.0), graph.n_rows)
        for member, weight in zip(members, coef, strict=True):
            if member.coordinates not in systems:
                systems[member.coordinates] = _add_coordinates(graph, member.coordinates)
            output = add_one(graph, systems[member.coordinates], member)
            total = graph.add("Add", total, graph.add("Mul", output, graph.constant(weight)))
        return total

    return add_all


EXPORTERS: dict[type[Any], Callable[..., str]] = {
    Stump: _add_stumps,
    Tree: _add_trees,
    KernelExpansion: _one_by_one(_add_expansion),
    HalfSpace: _one_by_one(_add_half_space),
    LabelTree: _add_label_trees,
    TreePerLabel: _add_trees_of_labels,
    LinearScores: _add_linear_scores,
    AnswerTree: _add_answer_trees,
}
