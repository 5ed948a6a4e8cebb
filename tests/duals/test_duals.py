"""Weights are those that their formulas say, written out row by row."""

import math

import numpy as np
import pytest

from marginboost.core.oracle import Candidate
from marginboost.core.sample import Sample
from marginboost.core.state import State
from marginboost.duals import ExponentialWeights, NewtonWeights
from marginboost.duals.capped_exponential import CappedExponentialWeights
from marginboost.losses import EpsilonInsensitive, Exponential, Hinge, Logistic, Quantile, Squared

Y = np.array([1, -1, 1, -1, 1])
SCORES = np.array([0.5, 0.25, -1.0, -2.0, 3.0])
PRIORS = [None, np.array([1.0, 2.0, 3.0, 1.0, 1.0])]


def state_of(prior=None, scores=SCORES, l1_norm=4.0, y=Y, targets=False):
    make = Sample.of_targets if targets else Sample.of_labels
    state = State(make(y, prior))
    state.scores[:] = scores
    state.l1_norm = l1_norm
    return state


def normalised(weights):
    return np.array(weights) / math.fsum(weights)


@pytest.mark.parametrize("prior", PRIORS, ids=["uniform", "weighted"])
@pytest.mark.parametrize("shift", [0.0, 0.7, 1000.0, -1000.0])
def test_exponential_weights(prior, shift):
    """The guess of the shift changes nothing, not even where all weights underflow or overflow."""
    state, rule = state_of(prior), ExponentialWeights()
    assert (rule.shift, rule.log_scale, rule.log_total) == (0.0, 0.0, 0.0)
    rule.refresh(state, shift)
    terms = [p * math.exp(-y * f) for p, y, f in zip(state.sample.prior, Y, SCORES, strict=True)]
    np.testing.assert_allclose(state.dual, Y * normalised(terms), rtol=1e-12)
    assert math.fsum(np.abs(state.dual)) == pytest.approx(1.0, abs=1e-14)
    assert rule.log_total == pytest.approx(math.log(math.fsum(terms)), abs=1e-12)
    assert rule.log_scale == pytest.approx(rule.log_total, abs=1e-12)
    assert state.min_margin == -1.0 / 4.0


@pytest.mark.parametrize("prior", PRIORS, ids=["uniform", "weighted"])
@pytest.mark.parametrize("target", [-0.5, 0.0, 0.1, 0.6])
def test_capped_weights(prior, target):
    state, rule = state_of(prior), CappedExponentialWeights(rate=1.5, target=target)
    assert rule.log_share == 0.0
    rule.refresh(state)
    terms = [
        p * min(1.0, math.exp(-1.5 * (y * f - target * 4.0)))
        for p, y, f in zip(state.sample.prior, Y, SCORES, strict=True)
    ]
    np.testing.assert_allclose(state.dual, Y * normalised(terms), rtol=1e-12)
    assert rule.log_share == pytest.approx(math.log(math.fsum(terms)), abs=1e-12)
    assert state.min_margin == -1.0 / 4.0


def test_capped_weights_fall_at_rate_one_above_zero_unless_told():
    rule = CappedExponentialWeights()
    assert (rule.rate, rule.target) == (1.0, 0.0)


@pytest.mark.parametrize("make", [CappedExponentialWeights, ExponentialWeights])
def test_the_empty_combination_has_margin_minus_one(make):
    state = state_of(scores=np.zeros(5), l1_norm=0.0)
    rule = make()
    rule.refresh(state, *([0.0] if make is ExponentialWeights else []))
    assert state.min_margin == -1.0
    np.testing.assert_allclose(state.dual, Y / 5.0, rtol=1e-15)


@pytest.mark.parametrize("prior", PRIORS, ids=["uniform", "weighted"])
@pytest.mark.parametrize("loss", [Logistic(), Exponential(), Hinge()], ids=lambda loss: loss.name)
def test_weights_of_a_loss_of_the_margin(loss, prior):
    state, rule = state_of(prior), NewtonWeights(loss)
    assert rule.refresh(state)
    margins, p = Y * SCORES, state.sample.prior
    slope, bend = loss.dual(margins), np.abs(loss.curvature(margins))
    bend = np.where((bend == 0.0) & (slope != 0.0), 1.0, bend)
    size = math.fsum(p * slope)
    np.testing.assert_allclose(state.dual, Y * p * slope / size, rtol=1e-12)
    np.testing.assert_allclose(state.weights.curvature, p * bend / size, rtol=1e-12)
    assert rule.mean_loss == pytest.approx(math.fsum(p * loss.value(margins)), rel=1e-12)
    assert state.min_margin == -1.0 / 4.0


@pytest.mark.parametrize("prior", PRIORS, ids=["uniform", "weighted"])
@pytest.mark.parametrize(
    "loss",
    [Squared(), EpsilonInsensitive(0.25), Quantile(0.2)],
    ids=lambda loss: type(loss).__name__,
)
def test_weights_of_a_loss_of_the_residual(loss, prior):
    """The curvature is that of the parabola that touches the even part of the loss."""
    y = np.array([0.5, -1.0, 2.0, 0.0, 1.5])
    state, rule = state_of(prior, y=y, targets=True), NewtonWeights(loss)
    assert rule.refresh(state)
    residual, p = y - SCORES, state.sample.prior
    assert residual[0] == 0.0
    slope = loss.dual(residual)
    even = (slope - loss.dual(-residual)) / 2.0
    size = math.fsum(np.abs(p * slope))
    np.testing.assert_allclose(state.dual, p * slope / size, rtol=1e-12)
    bends = (p * even / size)[1:] / residual[1:]
    np.testing.assert_allclose(state.weights.curvature[1:], bends, rtol=1e-12)
    assert rule.mean_loss == pytest.approx(math.fsum(p * loss.value(residual)), rel=1e-12)
    assert state.min_margin == -1.0  # of targets: untouched


def test_no_slope_means_no_weights():
    """Beyond the hinge nothing pulls; a margin that overflows the loss pulls without a measure."""
    flat = state_of(scores=2.0 * Y)
    flat.dual[:] = 7.0
    assert not NewtonWeights(Hinge()).refresh(flat)
    assert (np.abs(flat.dual) != 7.0).all()
    assert (flat.dual == 0.0).all()
    with np.errstate(over="ignore"):
        assert not NewtonWeights(Exponential()).refresh(state_of(scores=-1000.0 * Y))


def test_an_empty_combination_keeps_its_margin_under_any_loss():
    state = state_of(scores=np.zeros(5), l1_norm=0.0)
    assert NewtonWeights(Logistic()).refresh(state)
    assert state.min_margin == -1.0


def test_the_room_for_curvatures_is_made_once():
    state, rule = state_of(), NewtonWeights(Logistic())
    rule.refresh(state)
    room = state.weights.curvature
    rule.refresh(state)
    assert state.weights.curvature is room


def test_a_short_combination_has_a_margin_too():
    state = state_of(l1_norm=0.5, scores=SCORES / 8.0)
    assert NewtonWeights(Logistic()).refresh(state)
    assert state.min_margin == -1.0 / 4.0


def test_a_move_of_capped_weights_adds_the_hypothesis():
    """It is on record, in the scores, and in the weights."""
    state, rule = state_of(scores=np.zeros(5), l1_norm=0.0), CappedExponentialWeights()
    column = np.array([1, 1, 1, -1, 1], dtype=np.int8)
    candidate = Candidate("some hypothesis", 0.0, column)
    rule.move(state, candidate, 0.5)
    assert (state.members, state.coef, state.l1_norm) == (["some hypothesis"], [0.5], 0.5)
    np.testing.assert_array_equal(state.scores, 0.5 * column)
    expected = np.minimum(1.0, np.exp(-Y * state.scores))
    np.testing.assert_allclose(state.dual, Y * expected / expected.sum(), rtol=1e-14)
