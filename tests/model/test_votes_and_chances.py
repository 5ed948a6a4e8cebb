"""Links, decodings and codes against their definitions, at the limits too."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import AdaBoostClassifier
from marginboost.model.codes import check_code, make_code
from marginboost.model.decoding import (
    Decoder,
    class_probabilities,
    class_shares,
    levelled,
    multiclass_margins,
)
from marginboost.model.links import SigmoidLink

FEW = settings(deadline=None, max_examples=60)
votes_of_three = st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3)


def sigmoid(odds):
    return 1.0 / (1.0 + math.exp(-odds))


@FEW
@given(st.floats(-2, 2), st.floats(0.01, 40), st.floats(-9, 9), st.sampled_from([0.0, 0.5, 2.0]))
def test_sigmoids_of_two_classes(score, slope, offset, l1_norm):
    """The class of the vote is never less likely; no odds are beyond the limit."""
    first, second = SigmoidLink(slope, (offset,))(np.array([score]), l1_norm)[0]
    vote = max(-1.0, min(1.0, score / (l1_norm or 1.0)))
    odds = slope * vote + offset
    odds = (max if vote > 0 else min)(odds, 1e-6 * vote)
    odds = max(-13.8, min(13.8, odds))
    assert second == pytest.approx(sigmoid(odds), rel=1e-9)
    assert first == pytest.approx(sigmoid(-odds), rel=1e-9)
    assert (second > first) == (vote > 0 and second != first)


@FEW
@given(votes_of_three, st.floats(0.01, 40), st.lists(st.floats(-9, 9), min_size=3, max_size=3))
def test_sigmoids_of_several_classes(scores, slope, offsets):
    """In proportion to ``exp(slope v + offset)``; the class with the largest vote is in front."""
    (found,) = SigmoidLink(slope, tuple(offsets))(np.array([scores]), 1.0)
    votes = np.clip(scores, -1.0, 1.0)
    odds = slope * votes + offsets
    first = int(np.argmax(votes > votes.max() - 1e-12))
    odds[first] = max(odds[first], odds.max() + 1e-6)
    odds = np.maximum(odds - odds.max(), -13.8)
    np.testing.assert_allclose(found, np.exp(odds) / np.exp(odds).sum(), rtol=1e-9)
    assert found.argmax() == first


def test_sigmoids_know_no_certainty():
    sure = SigmoidLink(1e6, (0.0, 0.0, 0.0))(np.array([[1.0, 0.0, -1.0]]), 1.0)[0]
    assert math.log(sure[0] / sure[2]) == pytest.approx(13.8)
    two = SigmoidLink(1e6, (0.0,))(np.array([-1.0, 0.0, 1.0]), 1.0)
    np.testing.assert_allclose(np.log(two[:, 1] / two[:, 0]), [-13.8, 0.0, 13.8], atol=1e-9)


CODES = {
    "one-vs-rest": make_code("one-vs-rest", 3),
    "all-pairs": make_code("all-pairs", 3),
    "error-correcting": make_code("error-correcting", 3),
    "own": np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]], dtype=np.int8),
    "square": np.array([[1, -1], [-1, 1]], dtype=np.int8),
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
@pytest.mark.parametrize("decoding", ["auto", "linear", "ramp", "hamming", "exponential"])
def test_votes_for_classes_by_definition(code, decoding):
    """Allwein, Schapire and Singer: losses of the scores at the sides that a class has."""
    rng = np.random.default_rng(0)
    n_classes, n_problems = code.shape
    scores = rng.normal(size=(40, n_problems)) * rng.choice([0.01, 0.3, 3.0], (40, 1))
    norms = rng.uniform(0.5, 2.0, n_problems)
    norms[0] = 0.0  # a model that has said nothing
    scores[:, 0] = 0.0
    found = Decoder(code, decoding)(scores, norms)
    meant = decoding if decoding != "auto" else "linear" if code.all() else "ramp"
    alone = n_classes == n_problems and all(
        code[r, s] == (1 if r == s else -1) for r in range(n_classes) for s in range(n_problems)
    )
    for i, r in product(range(40), range(n_classes)):
        sides = [float(r == s) if alone else float(code[r, s]) for s in range(n_problems)]
        if meant == "exponential":
            loss = sum(math.exp(-m * f) for m, f in zip(sides, scores[i], strict=True))
            worst = sum(math.exp(abs(f)) for f in scores[i])
            assert found[i, r] == pytest.approx(1.0 - 2.0 * loss / worst)
            continue
        vote = np.clip(scores[i] / np.where(norms > 0, norms, 1.0), -1.0, 1.0)
        if meant == "ramp":
            vote = np.clip(10.0 * vote, -1.0, 1.0)
        if meant == "hamming":
            vote = np.sign(vote)
        rows = np.eye(n_classes) if alone else code
        most = max(np.abs(row).sum() for row in rows)
        assert found[i, r] == pytest.approx(
            sum(m * v for m, v in zip(sides, vote, strict=True)) / most
        )
    assert (np.abs(found) <= 1.0 + 1e-12).all()


def test_scores_of_any_size_have_finite_votes():
    code = CODES["all-pairs"]
    huge = Decoder(code, "exponential")(np.array([[900.0, -900.0, 0.0]]), np.ones(3))
    assert np.isfinite(huge).all()
    assert huge.max() <= 1.0


@FEW
@given(votes_of_three, st.integers(0, 2))
def test_margins_are_half_the_lead(votes, label):
    others = [v for k, v in enumerate(votes) if k != label]
    (margin,) = multiclass_margins(np.array([votes]), np.array([label]))
    assert margin == pytest.approx((votes[label] - max(others)) / 2)


def test_only_what_differs_by_rounding_is_levelled():
    votes = np.array([[0.5, 0.5 - 1e-15, 0.4], [0.2, 0.3, 0.3 - 1e-6]])
    assert levelled(votes).tolist() == [[0.5, 0.5, 0.4], [0.2, 0.3, 0.3 - 1e-6]]


def logistic(scores):
    with np.errstate(over="ignore"):
        second = 1.0 / (1.0 + np.exp(-scores))
        return np.column_stack([1.0 / (1.0 + np.exp(scores)), second])


@FEW
@given(votes_of_three, st.sampled_from([1.0, 5.0]))
def test_probabilities_are_in_proportion_to_odds_and_to_shares(votes, l1_norm):
    row = np.array([votes])
    odds = np.exp(np.array(votes) * l1_norm)
    np.testing.assert_allclose(
        class_probabilities(logistic, row, l1_norm)[0], odds / odds.sum(), rtol=1e-6
    )
    shares = odds / (1.0 + odds)
    np.testing.assert_allclose(
        class_shares(logistic, row, l1_norm)[0], shares / shares.sum(), rtol=1e-6
    )


def test_probabilities_at_the_limit_are_in_the_order_of_votes():
    """Odds of e^700 and beyond are one; the votes tell them apart."""
    votes = np.array([[0.8, 0.9, -1.0]])
    for combine in (class_probabilities, class_shares):
        found = combine(logistic, votes, 1e6)[0]
        assert found[1] > found[0] > found[2]
        assert found[:2].sum() == pytest.approx(1.0)
        assert found[0] == pytest.approx(0.5, abs=1e-8)
    least = class_shares(logistic, np.array([[-0.8, -0.9, -1.0]]), 1e6)[0]
    assert least[0] > least[1] > least[2]
    np.testing.assert_allclose(least, 1 / 3, atol=1e-8)


# -- codes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 5, 7])
def test_codes_by_definition(n_classes):
    one = make_code("one-vs-rest", n_classes)
    assert one.tolist() == [
        [1 if r == s else -1 for s in range(n_classes)] for r in range(n_classes)
    ]
    pairs = make_code("all-pairs", n_classes)
    sides = {tuple(np.flatnonzero(column)) for column in pairs.T}
    assert sides == set(combinations(range(n_classes), 2))
    assert pairs.shape[1] == len(sides)
    assert all(column[np.flatnonzero(column)].tolist() == [-1, 1] for column in pairs.T)
    every = make_code("error-correcting", n_classes)
    assert every.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    assert all(code.dtype == np.int8 for code in (one, pairs, every))
    assert all(distinct_columns(code) for code in (every, pairs))


def distinct_columns(code):
    """Whether each column has both sides, and none is another one or its negative."""
    columns = {tuple(column) for column in code.T} | {tuple(-column) for column in code.T}
    both = all({-1, 1} <= set(column) for column in code.T)
    return both and len(columns) == 2 * code.shape[1]


@pytest.mark.parametrize("n_classes", [8, 12])
def test_random_codes_keep_classes_apart(n_classes):
    """⌈10 log₂ K⌉ columns; the best of many is further apart than one alone."""
    code = make_code("error-correcting", n_classes, seed=3)
    length = math.ceil(10 * math.log2(n_classes))
    assert code.shape == (n_classes, length)
    assert set(np.unique(code)) == {-1, 1}
    assert distinct_columns(code)

    def nearest(matrix):
        return min((a != b).sum() for a, b in combinations(matrix, 2))

    rng = np.random.default_rng(0)
    others = [nearest(rng.choice([-1, 1], code.shape)) for _ in range(200)]
    assert nearest(code) >= (max(others) - 1 if n_classes == 12 else np.median(others))
    np.testing.assert_array_equal(code, make_code("error-correcting", n_classes, seed=3))
    assert (code != make_code("error-correcting", n_classes, seed=4)).any()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ([1, -1], "got shape"),
        ([[1], [-1], [1]], "got shape .* expected 2 rows"),
        (np.empty((2, 0)), "got shape"),
        ([[1, 2], [-1, 1]], "entries -1, 0 and 1 only"),
        ([[1, 1], [-1, 1]], "column 1 has not both"),
        ([[1, -1], [-1, 0]], "column 1 has not both"),
        ([[1, 0], [-1, 0]], "column 1 has not both"),
    ],
)
def test_matrices_that_are_no_codes(code, message):
    with pytest.raises(ValueError, match=f"code: .*{message}"):
        check_code(code, 2)


def test_each_two_classes_are_set_against_each_other():
    """Else no vote could tell them apart; zeros set nobody against anybody."""
    with pytest.raises(ValueError, match="no column sets class 1 against class 3"):
        check_code([[1, 1], [-1, 1], [1, -1], [-1, 0]], 4)
    with pytest.raises(ValueError, match="no column sets class 0 against class 1"):
        check_code([[1, 0], [0, 1], [-1, -1]], 3)
    assert check_code([[1, 0, 1], [0, 1, -1], [-1, -1, 0]], 3).dtype == np.int8
    with pytest.raises(ValueError, match="code: got 'best', expected one of"):
        make_code("best", 3)
    many = np.vstack([np.ones((700, 1)), -np.ones((1, 1))])
    with pytest.raises(ValueError, match="no column sets class 0 against class 1"):
        check_code(many, 701)
    pairs = make_code("one-vs-rest", 600)
    pairs[590] = pairs[520]
    pairs[:, 590] = pairs[:, 520]
    with pytest.raises(ValueError, match="no column sets class 520 against class 590"):
        check_code(pairs, 600)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_margins_of_a_model_are_those_of_its_votes(n_classes):
    """Label times vote, or half the lead of the own class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=60), [-0.5, 0.5][: n_classes - 1])
    model = AdaBoostClassifier(n_estimators=5).fit(X, y).model_
    rows = model.read_rows(X)
    votes, found = model.votes(rows), model.margins(rows, y)
    if n_classes == 2:
        np.testing.assert_array_equal(found, np.where(y == 1, votes, -votes))
    else:
        np.testing.assert_array_equal(found, multiclass_margins(votes, y))
