"""The combination of voters: gradient, limits, and recovery of a known noise model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad

from marginboost.audit import stacking
from marginboost.audit.stacking import Stack, _negative_log_likelihood, confident_joint, stack_votes


def soft(scores):
    exp = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4))
def test_gradient_is_that_of_the_likelihood(seed, n_classes, n_voters):
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(n_voters, n_classes, 30))
    labels = rng.integers(0, n_classes, 30)
    point = np.concatenate([rng.uniform(0.1, 2, n_voters), rng.normal(size=n_classes)])
    noise = rng.dirichlet(np.ones(n_classes), n_classes)
    likely = noise[:, labels]
    value = lambda p: _negative_log_likelihood(p, likely, logs)[0]  # noqa: E731
    slope = lambda p: _negative_log_likelihood(p, likely, logs)[1]  # noqa: E731
    assert check_grad(value, slope, point) < 1e-5


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_noise_rate_is_recovered(n_classes, share):
    """Labels drawn from the model itself: ε comes back, and trust is calibrated."""
    rng = np.random.default_rng(1)
    n = 20_000
    belief = soft(8.0 * rng.normal(size=(n, n_classes)))
    true = (belief.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    given_labels = np.where(rng.random(n) < share, rng.integers(0, n_classes, n), true)
    coin = soft(rng.normal(size=(n, n_classes)))
    stack = stack_votes(np.array([belief, coin]), given_labels)
    drawn = share / n_classes + (1.0 - share) * np.eye(n_classes)
    assert stack.noise == pytest.approx(drawn, abs=0.05)
    assert stack.noise_rate == pytest.approx((given_labels != true).mean(), abs=0.05)
    assert stack.weights[0] > 0.8
    assert stack.weights[1] < 0.1
    trust = stack.trust(given_labels)
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        here = (trust >= low) & (trust < high)
        if here.sum() > 200:
            assert (given_labels == true)[here].mean() == pytest.approx(
                trust[here].mean(), abs=0.08
            )


def test_trust_is_bayes_rule():
    """P(right | x, y) by enumerating all cases."""
    belief = np.array([[0.7, 0.2, 0.1]])
    noise = np.array([[0.9, 0.1, 0.0], [0.3, 0.5, 0.2], [0.05, 0.15, 0.8]])
    stack = Stack(np.ones(1), noise, belief)
    everything_wrong = 0.0
    for y in range(3):
        right = belief[0, y] * noise[y, y]
        wrong = sum(belief[0, k] * noise[k, y] for k in range(3) if k != y)
        label = np.array([y])
        assert stack.trust(label)[0] == pytest.approx(right / (right + wrong), rel=1e-12)
        assert stack.posterior(label).sum() == pytest.approx(1.0, rel=1e-12)
        assert stack.losses(belief, label)[0] == pytest.approx(-np.log(right + wrong), rel=1e-12)
        everything_wrong += wrong
    assert stack.noise_rate == pytest.approx(everything_wrong, rel=1e-12)


@pytest.mark.parametrize("rates", [(0.0, 0.3), (0.25, 0.05)])
def test_noise_of_one_class_is_told_from_that_of_another(rates):
    """Voters that learnt from one-sided noise are biased; constants and shares undo that."""
    rng = np.random.default_rng(2)
    n = 20_000
    clean = 1 / (1 + np.exp(-8.0 * rng.normal(size=n)))
    true = (rng.random(n) < clean).astype(int)
    wrong = rng.random(n) < np.array(rates)[true]
    learnt = clean * (1 - rates[1]) + (1 - clean) * rates[0]
    given_labels = np.where(wrong, 1 - true, true)
    stack = stack_votes(np.array([np.column_stack([1 - learnt, learnt])]), given_labels)
    trust = stack.trust(given_labels)
    assert 1 - trust.mean() == pytest.approx(wrong.mean(), abs=0.02)
    for label in (0, 1):  # noise among the rows that carry the label
        mine = given_labels == label
        assert 1 - trust[mine].mean() == pytest.approx(wrong[mine].mean(), abs=0.03)
    assert wrong[trust < 0.5].mean() > 0.8
    assert (trust < 0.5)[wrong].mean() > 0.7


def test_a_perfect_voter_stays_finite():
    labels = np.arange(40) % 2
    sure = np.eye(2)[labels]
    stack = stack_votes(sure[None], labels)
    assert np.isfinite(stack.belief).all()
    assert stack.noise_rate < 0.05


def flipped(rates, n, seed):
    """Classes well apart, a rate of wrong labels in each, and voters that learnt from them."""
    chances = np.asarray(rates, dtype=float)
    n_classes = len(chances)
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n)
    clean = soft(5.0 * np.eye(n_classes)[true] + rng.normal(size=(n, n_classes)))
    noise = np.repeat(chances[:, None] / (n_classes - 1), n_classes, axis=1)
    np.fill_diagonal(noise, 1.0 - chances)
    given_labels = (noise[true].cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    votes = [soft(np.log(clean @ noise) + 0.3 * rng.normal(size=(n, n_classes))) for _ in range(2)]
    return votes, given_labels, true, noise


@pytest.mark.parametrize("rates", [(0.6, 0.0), (0.3, 0.0), (0.6, 0.0, 0.0, 0.0)])
def test_a_class_most_of_whose_labels_are_wrong_is_found(rates):
    """Even if nobody votes for it: of two classes the votes for the first are 0.4 at most."""
    votes, labels, true, noise = flipped(rates, 600, 3)
    if rates == (0.6, 0.0):
        assert (np.mean(votes, axis=0).argmax(axis=1) != true).mean() > 0.3
    stack = stack_votes(votes, labels)
    assert stack.noise == pytest.approx(noise, abs=0.12)
    assert (stack.belief.argmax(axis=1) == true).mean() > 0.93
    assert (stack.posterior(labels).argmax(axis=1) == true).mean() > 0.93


def has_rates(noise):
    """Whether each class has a rate of wrong labels, which are then any other ones alike.

    Of labels drawn by chance the columns are alike instead, off the diagonal.
    """
    others = noise[~np.eye(len(noise), dtype=bool)].reshape(len(noise), -1)
    return bool(np.ptp(others, axis=1).max() < 1e-12)


@pytest.mark.parametrize(
    ("rates", "expected"), [((0.2, 0.2, 0.2), 0), ((0.5, 0.0, 0.0), 10), ((0.6, 0.6, 0.0), 10)]
)
def test_classes_have_one_rate_unless_labels_say_otherwise(rates, expected):
    taken = [has_rates(stack_votes(*flipped(rates, 400, seed)[:2]).noise) for seed in range(10)]
    assert abs(sum(taken) - expected) <= 1


def test_flips_that_depend_on_the_row_are_no_rates_of_classes():
    """Up to half of the labels are wrong where a feature is large, whatever the class."""
    taken = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        true = rng.integers(0, 3, 400)
        clean = soft(5.0 * np.eye(3)[true] + rng.normal(size=(400, 3)))
        chance = 0.5 * rng.random(400) ** 2
        learnt = clean * (1.0 - 1.5 * chance[:, None]) + 0.5 * chance[:, None]
        wrong = rng.random(400) < chance
        labels = np.where(wrong, (true + rng.integers(1, 3, 400)) % 3, true)
        stack = stack_votes([soft(np.log(learnt) + 0.3 * rng.normal(size=(400, 3)))], labels)
        taken.append(has_rates(stack.noise))
    assert sum(taken) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_the_commonest_label_is_not_wrong_nearly_everywhere(seed):
    """Votes that could also mean that nearly all rows are of the rarer label's class."""
    rng = np.random.default_rng(seed)
    apart = rng.random(600) > 0.1
    labels = (apart & (rng.random(600) > 0.68)).astype(int)
    second = np.where(apart, 0.32, 0.02) + 0.01 * rng.random(600)
    stack = stack_votes([np.column_stack([1.0 - second, second])], labels)
    assert not stack.by_class
    assert stack.belief[:, 0].mean() > 0.5
    assert stack.trust(labels)[labels == 0].mean() > 0.5


def test_rates_of_classes_that_have_changed_places_are_refused(monkeypatch):
    votes, labels, *_ = flipped((0.5, 0.0, 0.0), 400, 0)
    found = stack_votes(votes, labels)
    assert found.by_class
    assert stacking.tells(found.noise)
    assert not stacking.tells(found.noise[[1, 0, 2]])
    monkeypatch.setattr(stacking, "tells", lambda noise: False)
    assert not stack_votes(votes, labels).by_class


def test_voters_that_vote_again_keep_the_rates_of_classes():
    votes, labels, true, _ = flipped((0.3, 0.0), 400, 4)
    first = stack_votes(votes, labels)
    second = stack_votes([soft(4.0 * np.eye(2)[true])], labels, first)
    assert second.by_class
    assert np.array_equal(second.noise, first.noise)
    joined = first.after(second)
    assert joined.by_class
    assert np.array_equal(joined.noise, first.noise)
    by_chance = Stack(first.weights, first.noise, first.belief)
    assert not stack_votes(votes, labels, by_chance).by_class


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 12))
def test_few_rows_and_classes_without_any(seed, n_classes, n_rows):
    rng = np.random.default_rng(seed)
    votes = [rng.dirichlet(np.ones(n_classes), n_rows) for _ in range(2)]
    labels = rng.integers(0, n_classes, n_rows)
    counts = confident_joint(votes[0].T, labels)
    assert counts.sum(axis=0) == pytest.approx(np.bincount(labels, minlength=n_classes))
    stack = stack_votes(votes, labels)
    assert stack.noise.sum(axis=1) == pytest.approx(1.0)
    assert (stack.noise >= 0.0).all()
    assert np.isfinite(stack.belief).all()
    assert np.array_equal(stack_votes(votes, labels).belief, stack.belief)
