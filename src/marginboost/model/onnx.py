"""Models as ONNX graphs, in double precision from input to output.

ONNX has operators for tree ensembles, but before version 5 of its machine-learning domain they
answer in single precision, so a value next to a threshold can change sides and a vote next to zero
its class. The graphs made here use the plain operators instead and repeat the package's own
kernels step by step: scores come out the same, bit for bit, on any runtime with operator set 15.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from ..kernels.ties import TIE
from ..types import Array
from .base import Model, RegressionModel, TargetsModel
from .classes import BinaryModel, LabelModel
from .links import LARGEST_CHANCE, LARGEST_LOG_ODDS, LEAST_CHANCE, NEXT_TO_EVEN, SigmoidLink
from .onnx_scores import INPUT, Graph, add_score

OPSET = 15
IR_VERSION = 8


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
        _add_prediction(graph, add_score(graph, model.ensemble), largest_log)
        return _finish(graph, model, {"prediction": (np.dtype(np.float64), ())})
    if isinstance(model, TargetsModel):
        scores = [add_score(graph, run.ensemble) for run in model.runs]
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
    score = add_score(graph, model.ensemble)
    l1_norm = float(model.ensemble.l1_norm or 1.0)
    _add_label_of_sign(graph, _add_votes(graph, score, l1_norm, output="vote"), classes)
    sides = [
        graph.add("Unsqueeze", side, graph.constant([1])) for side in link(graph, score, l1_norm)
    ]
    _add_probabilities(graph, graph.add("Concat", *sides, axis=1))
    return ()


def _add_classes(graph: Graph, model: BinaryModel, classes: str) -> tuple[int, ...]:
    """Outputs of a model with one score per class; returns how many votes a row has."""
    _check_softmax(model)
    n_classes, l1_norm = len(model.classes), float(model.ensemble.l1_norm or 1.0)
    score = add_score(graph, model.ensemble, n_classes)
    largest = graph.add("ReduceMax", score, axes=[1], keepdims=1)
    powers = graph.add("Exp", graph.add("Sub", score, largest))
    total = graph.add("ReduceSum", powers, graph.constant([1]), keepdims=1)
    _add_probabilities(graph, graph.add("Div", powers, total))
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


def _add_probabilities(graph: Graph, chances: str) -> None:
    limits = graph.constant(LEAST_CHANCE), graph.constant(LARGEST_CHANCE)
    graph.add("Clip", chances, *limits, output="probabilities")


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
