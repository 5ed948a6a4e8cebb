"""What estimators are given, as arrays: labels, their positions, weights."""

import numpy as np
import pytest

from marginboost.fitting.inputs import (
    class_positions,
    distinct_labels,
    known_positions,
    read_weights,
)

LABELS = [
    np.array([3, 1, 3, 1]),
    np.array([3, 1, 2, 1]),
    np.array([2, 2]),
    np.array([True, False, True]),
    np.array(["b", "a", "c", "a"]),
    np.array([0.5, 0.25, 0.5]),
    np.array([], dtype=int),
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_labels_are_at_the_positions_of_their_classes(labels):
    classes = distinct_labels(labels)
    assert classes.tolist() == sorted(set(labels.tolist()))
    assert classes.dtype == labels.dtype
    if labels.size:
        for positions in (class_positions(classes, labels), known_positions(classes, labels)):
            np.testing.assert_array_equal(classes[positions], labels)


@pytest.mark.parametrize("classes", [[1, 3], [1, 3, 5]])
def test_labels_of_no_class_have_some_position_or_none(classes):
    classes = np.array(classes)
    labels = np.array([0, 2, 9])
    assert set(class_positions(classes, labels)) <= set(range(len(classes)))
    with pytest.raises(ValueError, match="got label 0, expected one of"):
        known_positions(classes, labels)


def test_weights_are_one_for_each_row():
    np.testing.assert_array_equal(read_weights(None, 3), np.ones(3))
    np.testing.assert_array_equal(read_weights(2.0, 3), np.full(3, 2.0))
    np.testing.assert_array_equal(read_weights([0, 1, 2], 3), [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "shape"),
        ([[1.0], [2.0], [3.0]], "shape"),
        ([1.0, np.nan, 1.0], "NaN"),
        ([1.0, np.inf, 1.0], "infinity"),
        ([1.0, -1e-300, 1.0], "row 1"),
        ([0.0, 0.0, 0.0], "only zeros"),
        (0.0, "only zeros"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(ValueError, match=f"sample_weight: .*{message}"):
        read_weights(weights, 3)


def test_masked_weights_are_read_where_nothing_is_masked():
    np.testing.assert_array_equal(read_weights(np.ma.array([1.0, 2.0]), 2), [1.0, 2.0])
    with pytest.raises(ValueError, match="sample_weight"):
        read_weights(np.ma.array([1.0, 2.0], mask=[False, True]), 2)
