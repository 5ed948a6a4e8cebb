"""Scores of straight lines as ONNX graphs: each output with its own offset, once."""

import numpy as np
import pytest

from marginboost.core.ensemble import Ensemble
from marginboost.data import Table
from marginboost.model.onnx_scores import INPUT, Graph, add_score
from marginboost.oracles.coordinates import Coordinates
from marginboost.oracles.linear_scores import LinearScores

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def scores_of(ensemble, X, n_classes=None):
    """What the graph says of rows."""
    graph = Graph(onnx)
    output = add_score(graph, ensemble, n_classes)
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    body = helper.make_graph(
        graph.nodes,
        "scores",
        [helper.make_tensor_value_info(INPUT, double, ["rows", X.shape[1]])],
        [helper.make_tensor_value_info(output, double, None)],
        graph.constants,
    )
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run([output], {INPUT: X})[0]


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_lines_have_their_offsets_and_limits(n_outputs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) * 4
    X[:, 2] = rng.integers(0, 3, 30)
    X[::5, 0] = np.nan
    coordinates = Coordinates(
        np.array([0, 1, 2, 2]),
        np.array([-1, -1, 0, 2]),
        np.array([0.5, -0.25, 0.25, 0.5]),
        np.array([0.5, 2.0, 2.0, 1.5]),
    )
    members = [
        LinearScores(coordinates, rng.normal(size=(n_outputs, 4)), rng.normal(size=n_outputs), 1.5)
        for _ in range(2)
    ]
    ensemble = Ensemble(tuple(members), np.array([0.5, 2.0]))
    names = ["a", "b", "c"]
    expected = ensemble.scores(Table(X, names, [None] * 3))
    found = scores_of(ensemble, X, n_outputs if n_outputs > 1 else None)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.shape == ((30,) if n_outputs == 1 else (30, 3))
