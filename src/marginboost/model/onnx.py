"""Models as ONNX graphs, in double precision from input to output.

ONNX has operators for tree ensembles, but before version 5 of its machine-learning domain they
answer in single precision, so a value next to a threshold can change sides and a vote next to zero
its class. The graphs made here use the plain operators instead and repeat the package's own
kernels step by step: scores come out the same, bit for bit, on any runtime with operator set 15.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from ..core.ensemble import Ensemble
from ..kernels.ties import TIE
from ..oracles.coordinates import FARTHEST, Coordinates
from ..oracles.half_spaces import HalfSpace
from ..oracles.kernel_expansion import KernelExpansion
from ..oracles.label_hypotheses import LabelTree, TreePerLabel
from ..oracles.linear_scores import LinearScores
from ..oracles.stumps import Stump, in_order_of_prediction, step_functions
from ..oracles.tree_hypothesis import Tree
from ..types import Array
from .base import Model, RegressionModel, TargetsModel
from .classes import BinaryModel, LabelModel
from .links import LARGEST_LOG_ODDS, NEXT_TO_EVEN, SigmoidLink

OPSET = 15
IR_VERSION = 8
INPUT = "X"


def to_onnx(model: Model, largest_log: float | None = None) -> Any:
    """Make an ONNX model of a fitted model.

    Parameters
    ----------
    model : Model
        With stumps, trees, kernel functions or half-spaces; of several classes one run.
    largest_log : float, optional
        Of a regressor whose scores are logarithms of the prediction: where they are cut.

    Returns
    -------
    onnx.ModelProto
        Input ``X``, double, (rows, features): NaN is a missing value, a category is its position
        in the list of categories, which is in the metadata. Outputs of a classifier are ``label``
        (as ``predict``), ``probabilities`` (as ``predict_proba``) and ``vote`` (as
        ``decision_function``), that of a regressor is ``prediction``.

    Raises
    ------
    ImportError
        If the package ``onnx`` is not installed.
    TypeError
        If the model has hypotheses, classes or probabilities that the export does not know.
    """
    graph = Graph(_import_onnx())
    if isinstance(model, RegressionModel):
        _add_prediction(graph, _add_score(graph, model.ensemble), largest_log)
        return _finish(graph, model, {"prediction": (np.dtype(np.float64), ())})
    if isinstance(model, TargetsModel):
        scores = [_add_score(graph, run.ensemble) for run in model.runs]
        columns = [graph.add("Unsqueeze", score, graph.constant([1])) for score in scores]
        _add_prediction(graph, graph.add("Concat", *columns, axis=1), largest_log)
        return _finish(graph, model, {"prediction": (np.dtype(np.float64), (len(scores),))})
    assert isinstance(model, BinaryModel)
    classes = _class_values(model.classes)
    several = _add_classes if isinstance(model, LabelModel) else _add_two_classes
    n_votes = several(graph, model, graph.constant(classes))
    shapes = {
        "label": (classes.dtype, ()),
        "probabilities": (np.dtype(np.float64), (len(classes),)),
        "vote": (np.dtype(np.float64), n_votes),
    }
    return _finish(graph, model, shapes)


def _add_prediction(graph: Graph, score: str, largest_log: float | None) -> None:
    """Output of a regressor: the score, or its exponential."""
    if largest_log is None:
        graph.add("Identity", score, output="prediction")
    else:
        cut = graph.add("Min", score, graph.constant(largest_log))
        graph.add("Exp", cut, output="prediction")


def _add_two_classes(graph: Graph, model: BinaryModel, classes: str) -> tuple[int, ...]:
    """Outputs of a model with one score per row; returns how many votes a row has."""
    link = _find_link(model)
    score = _add_score(graph, model.ensemble)
    l1_norm = float(model.ensemble.l1_norm or 1.0)
    _add_label_of_sign(graph, _add_votes(graph, score, l1_norm, output="vote"), classes)
    sides = [
        graph.add("Unsqueeze", side, graph.constant([1])) for side in link(graph, score, l1_norm)
    ]
    graph.add("Concat", *sides, axis=1, output="probabilities")
    return ()


def _add_classes(graph: Graph, model: BinaryModel, classes: str) -> tuple[int, ...]:
    """Outputs of a model with one score per class; returns how many votes a row has."""
    _check_softmax(model)
    n_classes, l1_norm = len(model.classes), float(model.ensemble.l1_norm or 1.0)
    score = _add_score(graph, model.ensemble, n_classes)
    largest = graph.add("ReduceMax", score, axes=[1], keepdims=1)
    powers = graph.add("Exp", graph.add("Sub", score, largest))
    total = graph.add("ReduceSum", powers, graph.constant([1]), keepdims=1)
    graph.add("Div", powers, total, output="probabilities")
    if n_classes == 2:
        votes = _add_votes(graph, score, l1_norm)
        first, second = (graph.add("Gather", votes, graph.constant(k), axis=1) for k in (0, 1))
        lead = graph.add("Sub", second, first)
        vote = graph.add("Div", lead, graph.constant(2.0), output="vote")
        _add_label_of_sign(graph, vote, classes)
        return ()
    votes = _add_votes(graph, score, l1_norm, output="vote")
    most = graph.add("ReduceMax", votes, axes=[1], keepdims=1)
    near = graph.add("Greater", votes, graph.add("Sub", most, graph.constant(TIE)))
    number = graph.add("Cast", near, to=graph.onnx.TensorProto.INT32)
    graph.add("Gather", classes, graph.add("ArgMax", number, axis=1, keepdims=0), output="label")
    return (n_classes,)


def _add_votes(graph: Graph, score: str, l1_norm: float, output: str | None = None) -> str:
    share = graph.add("Div", score, graph.constant(l1_norm))
    return graph.add("Clip", share, graph.constant(-1.0), graph.constant(1.0), output=output)


def _add_label_of_sign(graph: Graph, vote: str, classes: str) -> None:
    second = graph.add("Greater", vote, graph.constant(0.0))
    which = graph.add("Cast", second, to=graph.onnx.TensorProto.INT64)
    graph.add("Gather", classes, which, output="label")


def _import_onnx() -> ModuleType:
    try:
        import_module("onnx.checker")
        return import_module("onnx")
    except ImportError as error:
        raise ImportError(
            'to_onnx needs the package onnx: pip install "marginboost[onnx]"'
        ) from error


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


# -- scores --------------------------------------------------------------------------------------


def _add_score(graph: Graph, ensemble: Ensemble, n_classes: int | None = None) -> str:
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
}


# -- labels and probabilities --------------------------------------------------------------------


def _class_values(classes: Array) -> Array:
    """Classes in a type that ONNX has: int64, string, bool or double."""
    values = classes.tolist()
    for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64), (str, np.str_)):
        if all(type(value) is kind for value in values):
            if kind is int and max(values) >= 2**63:
                break
            return np.array(values, dtype=dtype)
    raise TypeError(
        f"to_onnx: got classes {values!r}, expected integers of 64 bits, strings, floats or bools"
    )


Side = Callable[[Graph, str, float], str]
Link = Callable[[Graph, str, float], tuple[str, str]]


def _add_sigmoid(graph: Graph, odds: str) -> str:
    """Not the operator Sigmoid: runtimes lose the digits of small probabilities in it."""
    one = graph.constant(1.0)
    powers = graph.add("Exp", graph.add("Neg", odds))
    return graph.add("Div", one, graph.add("Add", one, powers))


def _sigmoid_link(factor: float) -> Side:
    def link(graph: Graph, score: str, l1_norm: float) -> str:
        return _add_sigmoid(graph, graph.add("Mul", score, graph.constant(factor)))

    return link


def _fitted_link(fitted: SigmoidLink) -> Link:
    def link(graph: Graph, score: str, l1_norm: float) -> tuple[str, str]:
        votes = _add_votes(graph, score, l1_norm)
        slope, offset = graph.constant(fitted.slope), graph.constant(fitted.offsets[0])
        odds = graph.add("Add", graph.add("Mul", votes, slope), offset)
        even = graph.add("Mul", votes, graph.constant(NEXT_TO_EVEN))
        for_second = graph.add("Greater", votes, graph.constant(0.0))
        most, least = graph.add("Max", odds, even), graph.add("Min", odds, even)
        odds = graph.add("Where", for_second, most, least)
        limits = graph.constant(-LARGEST_LOG_ODDS), graph.constant(LARGEST_LOG_ODDS)
        odds = graph.add("Clip", odds, *limits)
        return _add_sigmoid(graph, graph.add("Neg", odds)), _add_sigmoid(graph, odds)

    return link


def _symmetric(side: Side) -> Link:
    """Both classes by the function for the second."""

    def link(graph: Graph, score: str, l1_norm: float) -> tuple[str, str]:
        first = side(graph, graph.add("Neg", score), l1_norm)
        return first, side(graph, score, l1_norm)

    return link


def _vote_link(graph: Graph, score: str, l1_norm: float) -> str:
    votes = graph.add("Div", score, graph.constant(l1_norm))
    return graph.add("Div", graph.add("Add", graph.constant(1.0), votes), graph.constant(2.0))


LINKS: dict[Side, Callable[[Array, float], Array]] = {
    _sigmoid_link(2.0): lambda scores, l1_norm: expit(2.0 * scores),  # exponential loss
    _sigmoid_link(1.0): lambda scores, l1_norm: expit(scores),  # logistic loss
    _vote_link: lambda scores, l1_norm: (1.0 + scores / l1_norm) / 2.0,
}
"""Probability of the second class, as nodes and as a function; that of the first is at ``-F``."""


def _find_link(model: BinaryModel) -> Link:
    """Find the known link that gives the model's own probabilities.

    A class may have a link of its own. Comparing results, not classes, makes sure that a new one
    is refused instead of being exported wrongly.
    """
    if isinstance(model.link, SigmoidLink):
        return _fitted_link(model.link)
    l1_norm = float(model.ensemble.l1_norm or 1.0)
    scores = np.linspace(-l1_norm, l1_norm, 61)  # no row has a score outside
    expected = model.link_of(scores)
    for link, compute in LINKS.items():
        both = np.column_stack([compute(-scores, l1_norm), compute(scores, l1_norm)])
        if np.allclose(expected, both, rtol=0, atol=1e-12):
            return _symmetric(link)
    raise _unknown(model)


def _check_softmax(model: BinaryModel) -> None:
    """Raise unless the model's own probabilities are the softmax of its scores."""
    n_classes = len(model.classes)
    scores = np.linspace(-9.0, 9.0, 7 * n_classes).reshape(n_classes, 7).T
    if not np.allclose(model.link_of(scores), softmax(scores, axis=1), rtol=0, atol=1e-12):
        raise _unknown(model)


def _unknown(model: BinaryModel) -> TypeError:
    return TypeError(f"to_onnx: the probabilities of {model.name} are not known to it")


# -- the model -----------------------------------------------------------------------------------


def _finish(graph: Graph, model: Model, outputs: dict[str, tuple[Any, tuple[int, ...]]]) -> Any:
    """Make the model of a graph; ``outputs`` are types, and shapes of what a row gets."""
    helper, types = graph.onnx.helper, graph.onnx.TensorProto
    kinds = {"b": types.BOOL, "i": types.INT64, "f": types.DOUBLE, "U": types.STRING}
    body = helper.make_graph(
        graph.nodes,
        model.name,
        [helper.make_tensor_value_info(INPUT, types.DOUBLE, ["rows", len(model.features)])],
        [
            helper.make_tensor_value_info(name, kinds[dtype.kind], ["rows", *shape])
            for name, (dtype, shape) in outputs.items()
        ],
        graph.constants,
    )
    exported = helper.make_model(
        body,
        producer_name="marginboost",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    categories = [None if known is None else known.tolist() for known in model.features.categories]
    metadata = {
        "features": json.dumps([str(name) for name in model.features.names]),
        "categories": json.dumps(categories, default=str),
    }
    helper.set_model_props(exported, metadata)
    graph.onnx.checker.check_model(exported)
    return exported
