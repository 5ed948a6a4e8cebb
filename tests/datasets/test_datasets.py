"""Generated data follow the laws they are named after; embedded data are as published."""

import inspect

import numpy as np
import pytest

from marginboost import datasets
from marginboost.datasets import (
    book_toy,
    circle_2d,
    coin_outcomes,
    flip_family,
    flip_labels,
    load_cleveland,
    load_wisconsin,
    ringnorm,
    sphere_10d,
    twonorm,
    waveform,
)

MANY = 20_000
CLOSE = 0.06
"""Five standard errors of a mean of a third of :data:`MANY` numbers of variance two, and some."""


def moments(X, y, label):
    rows = X[y == label]
    return rows.mean(axis=0), rows.var(axis=0)


def test_twonorm_has_opposite_means_and_unit_variance():
    X, y = twonorm(MANY)
    assert X.shape == (MANY, 20)
    for label, sign in ((0, -1.0), (1, 1.0)):
        mean, variance = moments(X, y, label)
        np.testing.assert_allclose(mean, sign * 2.0 / np.sqrt(20.0), atol=CLOSE)
        np.testing.assert_allclose(variance, 1.0, atol=CLOSE)


def test_ringnorm_is_a_wide_normal_around_a_narrow_one():
    X, y = ringnorm(MANY)
    assert X.shape == (MANY, 20)
    for label, centre, width in ((0, 0.0, 4.0), (1, 2.0 / np.sqrt(20.0), 1.0)):
        mean, variance = moments(X, y, label)
        np.testing.assert_allclose(mean, centre, atol=2 * CLOSE)
        np.testing.assert_allclose(variance / width, 1.0, atol=CLOSE + 0.02)


def test_waveform_mixes_two_of_three_triangles():
    """Of ``U a + (1 - U) b`` with U even on [0, 1]: mean (a + b) / 2, variance (a - b)² / 12."""
    X, y = waveform(MANY)
    assert X.shape == (MANY, 21)
    assert sorted(set(y.tolist())) == [0, 1, 2]

    def wave(centre):
        return np.array([max(6.0 - abs(i - centre), 0.0) for i in range(1, 22)])

    middle, late, early = wave(11), wave(15), wave(7)
    for label, (a, b) in enumerate([(middle, late), (middle, early), (late, early)]):
        mean, variance = moments(X, y, label)
        np.testing.assert_allclose(mean, (a + b) / 2.0, atol=0.12)
        np.testing.assert_allclose(variance, 1.0 + (a - b) ** 2 / 12.0, rtol=0.1)


@pytest.mark.parametrize("make", [twonorm, ringnorm, waveform])
def test_classes_are_even_and_seeds_matter(make):
    _, y = make(MANY)
    assert np.ptp(np.bincount(y)) < 0.05 * MANY
    assert not np.array_equal(make(10, seed=0)[0], make(10, seed=1)[0])
    np.testing.assert_array_equal(make(10)[0], make(10, seed=0)[0])


@pytest.mark.parametrize(("make", "width", "radius"), [(circle_2d, 2, 1.4), (sphere_10d, 10, 9.34)])
def test_labels_say_on_which_side_of_the_sphere(make, width, radius):
    X, y = make()
    assert X.shape == (200, width)
    far = [sum(value**2 for value in row) > radius for row in X]
    assert y.tolist() == [1 if outside else -1 for outside in far]


def test_the_points_of_the_toy_problem():
    X, y = book_toy()
    positive = {tuple(row) for row in X[y == 1]}
    negative = {tuple(row) for row in X[y == -1]}
    assert positive == {(6.0, 8.5), (6.5, 8.0), (7.0, 7.5), (1.0, 3.5), (1.5, 2.5)}
    assert negative == {(9.0, 9.5), (3.0, 5.5), (4.0, 5.0), (5.0, 4.5), (8.5, 1.0)}


def test_every_hypothesis_of_the_flip_family_is_wrong_once():
    outcomes = flip_family(5)
    assert (outcomes.sum(axis=0) == 3.0).all()
    assert (np.diag(outcomes) == -1.0).all()
    assert set(outcomes.ravel().tolist()) == {-1.0, 1.0}


def test_coins_are_right_as_often_as_asked_and_never_always():
    outcomes = coin_outcomes(400, 50, 0.7)
    assert outcomes.shape == (400, 50)
    assert set(outcomes.ravel().tolist()) == {-1.0, 1.0}
    assert abs((outcomes == 1.0).mean() - 0.7) < 0.02
    few = coin_outcomes(2, 200, 0.7)
    assert 0 < few.shape[1] < 200
    assert (few == -1.0).any(axis=0).all()


def test_flipped_labels_are_those_said():
    y = np.array(["a"] * 30 + ["b"] * 10)
    new, flipped = flip_labels(y, 0.25)
    assert flipped.sum() == 10
    np.testing.assert_array_equal(new != y, flipped)
    assert set(new.tolist()) == {"a", "b"}
    for rate, count in ((0.0, 0), (1.0, 40)):
        assert flip_labels(y, rate)[1].sum() == count


@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan])
def test_a_rate_is_a_share(rate):
    with pytest.raises(ValueError, match="rate"):
        flip_labels(np.array([0, 1]), rate)


@pytest.mark.parametrize("y", [[1, 1], [0, 1, 2]])
def test_labels_to_flip_are_of_two_classes(y):
    with pytest.raises(ValueError, match="classes"):
        flip_labels(np.array(y), 0.5)


@pytest.mark.parametrize("name", ["circle_2d", "coin_outcomes", "flip_labels", "sphere_10d"])
def test_the_seed_is_zero_unless_given(name):
    assert inspect.signature(getattr(datasets, name)).parameters["seed"].default == 0


def test_embedded_sets_have_the_published_counts():
    wisconsin, heart = load_wisconsin(), load_cleveland()
    assert np.bincount(wisconsin.target).tolist() == [458, 241]
    assert np.bincount(heart.target).tolist() == [164, 139]
    assert int(np.isnan(wisconsin.data).sum()) == 16
    assert int(np.isnan(heart.data).sum()) == 6
    assert (np.nanmin(wisconsin.data), np.nanmax(wisconsin.data)) == (1.0, 10.0)
    assert len(wisconsin.feature_names) == 9
    assert wisconsin.categorical_features == []
    assert heart.target_names == ["healthy", "ill"]
    X, y = load_cleveland(return_X_y=True)
    np.testing.assert_array_equal(X, heart.data)
    np.testing.assert_array_equal(y, heart.target)
