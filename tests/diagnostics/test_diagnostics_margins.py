import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from marginboost import AdaBoostClassifier
from marginboost.algorithms import AdaBoost
from marginboost.core.run import train
from marginboost.diagnostics import (
    class_margins,
    compare_norms,
    margin_distribution,
    margin_error,
    minimum_margin,
    voting_margins,
    zero_one_error,
)
from marginboost.oracles.finite import FiniteOracle, matrix_sample

margin_arrays = arrays(
    np.float64, st.integers(1, 30), elements=st.sampled_from(np.linspace(-1, 1, 9).tolist())
)


def test_voting_margins_by_hand():
    assert voting_margins([3.0, -1.0, 0.5], [1, 1, -1], 4.0).tolist() == [0.75, -0.25, -0.125]


def test_empty_combination_has_zero_margins():
    assert voting_margins([0.0, 0.0], [1, -1], 0.0).tolist() == [0.0, 0.0]


def test_margins_do_not_change_when_coefficients_are_rescaled():
    rng = np.random.default_rng(0)
    U, coef = rng.choice([-1, 1], (20, 5)), rng.random(5)
    y = rng.choice([-1, 1], 20)
    small = voting_margins(U @ coef, y, coef.sum())
    assert np.allclose(small, voting_margins(U @ (7 * coef), y, 7 * coef.sum()), atol=1e-15)
    assert (np.abs(small) <= 1).all()


def test_minimum_margin_overall_and_by_class():
    margins, y = [0.3, -0.2, 0.1, 0.5], np.array(["a", "b", "a", "b"])
    assert minimum_margin(margins) == -0.2
    assert class_margins(margins, y) == {"a": 0.1, "b": -0.2}
    assert min(class_margins(margins, y).values()) == minimum_margin(margins)


def test_margin_error_conventions_at_a_tie():
    margins = [-0.5, 0.0, 0.0, 0.5]
    assert margin_error(margins, 0.0) == 0.75
    assert margin_error(margins, 0.0, ties="correct") == 0.25


def test_three_conventions_of_the_error_rate_at_a_zero_score():
    scores, y = [0.0, 0.0, 0.0, 1.0], [1, -1, -1, 1]
    assert zero_one_error(scores, y, ties="rule") == 0.25
    assert zero_one_error(scores, y, ties="error") == 0.75
    assert zero_one_error(scores, y, ties="correct") == 0.0


def test_error_rate_is_what_score_leaves():
    """A model that says nothing votes zero, and predicts the first class."""
    X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    model = AdaBoostClassifier(n_estimators=3).fit(X, y, sample_weight=[1, 1, 1, 3])
    votes = model.decision_function(X)
    assert (votes == 0.0).all()
    assert zero_one_error(votes, np.where(y == 1, 1, -1)) == 1.0 - model.score(X, y) == 0.25


@given(margin_arrays)
def test_error_conventions_bracket_each_other(margins):
    y = np.where(np.arange(len(margins)) % 2 == 0, 1.0, -1.0)
    low, rule, high = (zero_one_error(margins * y, y, ties=t) for t in ("correct", "rule", "error"))
    assert low <= rule <= high
    assert high == pytest.approx(margin_error(margins, 0.0))
    assert low == pytest.approx(margin_error(margins, 0.0, ties="correct"))


@given(margin_arrays)
def test_curve_is_a_right_continuous_distribution_function(margins):
    curve = margin_distribution(margins)
    assert (np.diff(curve.values) > 0).all()
    assert (np.diff(curve.fractions) > 0).all()
    assert curve.fractions[-1] == 1.0
    assert curve(np.nextafter(curve.minimum, -2)) == 0.0
    for theta in (-1.0, -0.3, 0.0, 0.25, 1.0, *curve.values):
        assert curve(theta) == pytest.approx(margin_error(margins, theta), abs=1e-12)


@given(margin_arrays, st.data())
def test_weights_mean_the_same_as_copies(margins, data):
    copies = data.draw(arrays(np.int64, len(margins), elements=st.integers(0, 3)))
    copies[0] += 1
    weighted = margin_distribution(margins, copies)
    repeated = margin_distribution(np.repeat(margins, copies))
    assert weighted.values.tolist() == repeated.values.tolist()
    assert np.allclose(weighted.fractions, repeated.fractions)
    assert margin_error(margins, 0.0, sample_weight=copies) == pytest.approx(
        margin_error(np.repeat(margins, copies), 0.0)
    )


def test_quantiles_invert_the_curve():
    curve = margin_distribution([0.1, 0.2, 0.3, 0.4])
    assert [curve.quantile(q) for q in (0.0, 0.25, 0.26, 0.5, 1.0)] == [0.1, 0.1, 0.2, 0.2, 0.4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: voting_margins([1.0], [2], 1.0), "y: got .* expected labels -1 and"),
        (lambda: voting_margins([1.0, 2.0], [1], 1.0), "scores and y: got 2 scores, 1 y"),
        (lambda: margin_error([2.0]), r"margins: got 2, expected .* \[-1, 1\]"),
        (lambda: margin_error([]), "margins: got shape"),
        (lambda: margin_error([0.1, np.nan]), "margins: got NaN at position 1"),
        (lambda: margin_error([0.1], ties="half"), "ties: got 'half'"),
        (lambda: margin_error([0.1], sample_weight=[0.0]), "sample_weight: got only zeros"),
        (lambda: margin_error([0.1], sample_weight=[1.0, 1.0]), "sample_weight: got 2 weights"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- both norms (CH-A10c) ------------------------------------------------------------------------


def sparse_vote(seed, n_hypotheses, n_used=3):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(-1.0, 1.0, (40, n_hypotheses))
    return columns, np.where(columns[:, :n_used].sum(axis=1) > 0.0, 1, -1)


@pytest.mark.parametrize("seed", range(3))
def test_each_norm_has_its_own_best_vote_ch_a10c(seed):
    columns, y = sparse_vote(seed, 30)
    sample = matrix_sample(columns, y)
    run = train(sample, FiniteOracle(closed=True), AdaBoost(), max_rounds=200)
    boosted = np.zeros(30)
    for member, weight in zip(run.ensemble.members, run.ensemble.coef, strict=True):
        boosted[member.index] += weight * member.sign
    found = compare_norms(columns, y, boosted=boosted, equal=np.ones(30))
    assert set(found) == {"boosted", "equal", "LP", "SVM"}
    largest = np.abs(columns).max(axis=1)
    by_hand = (y * (columns @ boosted) / largest).min() / np.abs(boosted).sum()
    assert found["boosted"].l1 == pytest.approx(by_hand)
    for pair in found.values():
        assert pair.l1 <= found["LP"].l1 + 1e-7
        assert pair.l2 <= found["SVM"].l2 + 1e-7


def test_norms_part_in_many_dimensions_ch_a10c():
    shares = []
    for n_hypotheses in (3, 60):
        runs = [compare_norms(*sparse_vote(seed, n_hypotheses)) for seed in range(2)]
        shares.append(np.mean([found["SVM"].l1 / found["LP"].l1 for found in runs]))
    assert shares[0] > 0.95
    assert shares[1] < 0.85


def test_an_example_without_outputs_has_no_direction():
    with pytest.raises(ValueError, match="columns: got an example"):
        compare_norms([[0.0, 0.0], [1.0, 1.0]], [1, 1])
