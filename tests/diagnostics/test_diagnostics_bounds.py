import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from marginboost.algorithms.adaboost import AdaBoost
from marginboost.core import Sample, train
from marginboost.data import Table
from marginboost.diagnostics import (
    asymptotic_margin,
    binary_relative_entropy,
    edge_from_error,
    entropy_bound,
    exponential_loss,
    margin_bound,
    margin_error,
    margin_error_bound,
    normaliser_bound,
    simplified_training_error_bound,
    softmax_weights,
    training_error_bound,
)
from marginboost.oracles import FiniteOracle

edges = st.floats(-0.99, 0.99)


def matrix_run(seed, target=0.0, learning_rate=1.0, rounds=25, n=40, selection="best"):
    """AdaBoost over random ±1 columns that agree with the label more often than not."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], n)
    right = np.where(rng.random((n, 60)) < 0.65, 1.0, -1.0)
    rows = Table(y[:, None] * right, [str(j) for j in range(60)])
    sample = Sample.of_labels(y, rows=rows)
    rule = AdaBoost(target, learning_rate)
    return train(sample, FiniteOracle(selection), rule, max_rounds=rounds)


# -- training error ------------------------------------------------------------------------------


def test_training_error_bound_by_hand():
    errors = np.array([0.3, 0.2, 0.4])
    expected = np.cumprod(2 * np.sqrt(errors * (1 - errors)))
    assert np.allclose(training_error_bound(edge_from_error(errors)), expected, rtol=1e-14)


def test_training_error_bound_neither_underflows_to_nan_nor_counts_discarded_rounds():
    bound = training_error_bound(np.full(200_000, 0.5))
    assert bound[-1] == 0.0
    assert np.isfinite(bound).all()
    assert training_error_bound([0.6, 0.0, -0.2]).tolist() == pytest.approx([0.8, 0.8, 0.8])
    assert training_error_bound([0.6, 1.0]).tolist() == pytest.approx([0.8, 0.0])


@given(st.floats(0.01, 0.99), st.integers(1, 200))
def test_simplified_bound_lies_above_the_product(gamma, rounds):
    product = training_error_bound(np.full(rounds, gamma))[-1]
    assert product <= simplified_training_error_bound(rounds, gamma) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_and_equal_the_loss_on_a_run(seed):
    run = matrix_run(seed)
    y, history = run.sample.y, run.history
    product = training_error_bound(history["edge"])
    assert exponential_loss(run.scores, y) == pytest.approx(product[-1], rel=1e-12)
    assert normaliser_bound(history["normaliser"], history["coef"])[-1] == pytest.approx(
        product[-1], rel=1e-12
    )
    assert np.allclose(history["normaliser"], np.sqrt(1 - history["edge"] ** 2), rtol=1e-12)
    assert margin_error(run.margins) <= product[-1]


def test_weights_of_a_run_are_the_softmax_of_its_margins():
    run = matrix_run(1)
    d = softmax_weights(run.margins, 1 / run.ensemble.l1_norm)
    assert np.allclose(d, np.abs(run.dual), rtol=1e-10)


# -- margin errors -------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0.0, 0.1, -0.2])
@pytest.mark.parametrize("theta", [-0.5, 0.0, 0.1, 0.3, 1.0])
def test_margin_error_bound_holds_on_runs(target, theta):
    for seed in range(4):
        run = matrix_run(seed, target)
        bound = margin_error_bound(run.history["edge"], theta, target)[-1]
        assert margin_error(run.margins, theta) <= bound + 1e-12


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_general_bound_holds_with_any_learning_rate(rate):
    run = matrix_run(0, learning_rate=rate)
    for theta in (-0.2, 0.0, 0.2):
        bound = normaliser_bound(run.history["normaliser"], run.history["coef"], theta)[-1]
        assert margin_error(run.margins, theta) <= bound + 1e-12


def test_loss_with_target_equals_the_entropy_form():
    target = 0.1
    run = matrix_run(2, target)
    entropy = entropy_bound(run.history["edge"], target)[-1]
    loss = exponential_loss(run.scores, run.sample.y, l1_norm=run.ensemble.l1_norm, target=target)
    assert loss == pytest.approx(entropy, rel=1e-11)
    assert margin_error_bound(run.history["edge"], target, target)[-1] == pytest.approx(
        entropy, rel=1e-11
    )


def test_sequence_of_targets_is_the_product_of_single_rounds():
    gammas, targets, theta = [0.5, 0.4, 0.6], [0.0, 0.1, 0.3], 0.05
    single = [margin_error_bound([g], theta, t)[0] for g, t in zip(gammas, targets, strict=True)]
    assert np.allclose(margin_error_bound(gammas, theta, targets), np.cumprod(single))


def test_margin_error_bound_at_the_ends():
    assert margin_error_bound([1.0], 0.5).tolist() == [0.0]
    assert margin_error_bound([1.0], 1.0).tolist() == pytest.approx([2.0])
    assert margin_error_bound([0.5], -1.0).tolist() == pytest.approx([0.5])


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(-0.9, 0.9))
def test_constant_target_at_theta_is_the_best_choice(theta, other, gamma):
    best = margin_error_bound([gamma], theta, theta)[0]
    assert best <= margin_error_bound([gamma], theta, other)[0] + 1e-12
    assert best == pytest.approx(entropy_bound([gamma], theta)[0], abs=1e-12)


@given(st.lists(st.floats(0.0, 0.99), min_size=1, max_size=8), st.floats(-1, 1), st.floats(-1, 1))
def test_margin_error_bound_grows_with_theta(gammas, one, two):
    low, high = sorted([one, two])
    assert (margin_error_bound(gammas, low) <= margin_error_bound(gammas, high) + 1e-12).all()


# -- relative entropy ----------------------------------------------------------------------------


@given(edges, edges)
def test_entropy_is_at_least_half_the_squared_difference(rho, gamma):
    assume(rho == gamma or abs(rho - gamma) > 1e-140)  # squares below that lose digits
    assert binary_relative_entropy(rho, gamma) >= 0.5 * (rho - gamma) ** 2 * (1 - 1e-9)


def test_entropy_at_the_ends():
    assert binary_relative_entropy(0.3, 0.3) == 0.0
    assert binary_relative_entropy(1.0, 1.0) == 0.0
    assert binary_relative_entropy(0.5, 1.0) == math.inf
    assert binary_relative_entropy(1.0, 0.5) == pytest.approx(math.log(4 / 3))
    assert binary_relative_entropy([0.0, 0.2], 0.2).shape == (2,)


@pytest.mark.parametrize(
    ("rho", "gamma"),
    [
        (0.3, 0.3 + 1e-9),
        (0.3, 0.3068),  # just before and just after the series gives way to the formula
        (0.3, 0.307),
        (0.3, 0.31),
        (-0.999999, 0.999999),
        (0.5, 1 - 1e-15),
    ],
)
def test_entropy_keeps_its_digits(rho, gamma):
    with localcontext() as context:
        context.prec = 60
        r, g = Decimal(rho), Decimal(gamma)
        exact = (1 + r) / 2 * ((1 + r) / (1 + g)).ln() + (1 - r) / 2 * ((1 - r) / (1 - g)).ln()
    assert binary_relative_entropy(rho, gamma) == pytest.approx(float(exact), rel=1e-12, abs=0)


# -- margin in the limit -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gamma", "rho", "value"),
    [
        (0.1, 0.0, 0.0500837),
        (0.3, 0.0, 0.1523501),
        (0.5, 0.0, 0.2618595),
        (0.9, 0.0, 0.5640230),
        (0.5, 1 / 3, 0.4190226),
        (0.9, 1 / 3, 0.6853613),
        (0.6, 0.5, 0.5513205),
        (0.2, -0.3, -0.0522093),
    ],
)
def test_asymptotic_margin_values_of_the_specification(gamma, rho, value):
    assert asymptotic_margin(gamma, rho) == pytest.approx(value, abs=5e-8)


def test_asymptotic_margin_in_its_limits():
    assert asymptotic_margin(0.4, 0.4) == 0.4
    assert asymptotic_margin(1.0, 0.4) == 1.0
    assert asymptotic_margin(0.4 + 1e-13, 0.4) == pytest.approx(0.4, abs=1e-12)
    assert asymptotic_margin(1 - 1e-15, 0.0) == pytest.approx(1.0, abs=0.05)


@given(edges, edges, edges)
def test_asymptotic_margin_lies_between_target_and_edge_and_grows(a, b, c):
    low, middle, high = sorted([a, b, c])
    value = asymptotic_margin(high, middle)
    assert middle - 1e-12 <= value <= high + 1e-12
    assert asymptotic_margin(high, low) <= value + 1e-12
    assert asymptotic_margin(middle, low) <= asymptotic_margin(high, low) + 1e-12
    if high + middle >= 0:
        assert value >= (high + middle) / 2 - 1e-12


def test_worst_selection_does_not_fall_below_the_asymptotic_margin():
    run = matrix_run(0, rounds=3000, n=15, selection="worst")
    promised = asymptotic_margin(run.history["edge"].min())
    assert run.history["min_margin"][-1] >= promised - 0.01


# -- test error ----------------------------------------------------------------------------------


def test_margin_bound_by_hand():
    bound = margin_bound([0.1] * 50 + [0.5] * 50, 2, theta=0.2, delta=0.1, constant=0.5)
    penalty = 0.5 * math.sqrt(2 * math.log(50) ** 2 / (100 * 0.04) + math.log(10) / 100)
    assert bound.margin_error == 0.5
    assert bound.penalty == pytest.approx(penalty)
    assert bound.value == pytest.approx(0.5 + penalty)


def test_confidence_costs_what_the_theorem_says():
    """At one θ the squared penalties of two δ differ by c² log(δ₂/δ₁) / N; by default δ = 0.05."""
    margins, settings = np.linspace(-0.1, 0.9, 80), {"theta": 0.4, "constant": 0.7}
    sure, unsure, default = (
        margin_bound(margins, 3, **settings, **given)
        for given in ({"delta": 0.01}, {"delta": 0.3}, {})
    )
    gap = sure.penalty**2 - unsure.penalty**2
    assert gap == pytest.approx(0.7**2 * math.log(30.0) / 80, rel=1e-9)
    assert default == margin_bound(margins, 3, delta=0.05, **settings)
    assert sure.margin_error == unsure.margin_error
    assert margin_bound(margins, 3).penalty == margin_bound(margins, 3, constant=1.0).penalty


def test_weights_are_copies_in_the_margin_error():
    bound = margin_bound([0.1, 0.5, 0.9], 1, theta=0.2, sample_weight=[2, 1, 1])
    assert bound.margin_error == 0.5
    at_theta = margin_bound([0.2, 0.5, 0.9, 0.9], 1, theta=0.2)
    assert at_theta.margin_error == 0.25  # a margin of θ is an error


@given(st.integers(0, 50), st.floats(0.01, 1.0))
def test_best_theta_is_best(seed, theta):
    margins = np.random.default_rng(seed).uniform(-0.2, 0.9, 300)
    best = margin_bound(margins, 2, constant=0.05)
    assert best.value <= margin_bound(margins, 2, constant=0.05, theta=theta).value + 1e-12
    again = margin_bound(margins, 2, constant=0.05, theta=best.theta)
    assert again == best


def test_best_theta_stops_just_before_a_jump():
    best = margin_bound([0.5] * 100, 1, constant=0.01)
    assert best.margin_error == 0.0
    assert best.theta == np.nextafter(0.5, 0.0)


def test_simplified_bound_by_hand():
    assert simplified_training_error_bound([0, 8, 50], 0.5).tolist() == pytest.approx(
        [1.0, math.exp(-1.0), math.exp(-6.25)]
    )


def test_without_a_target_it_is_zero():
    assert entropy_bound([0.5]) == entropy_bound([0.5], 0.0)
    assert asymptotic_margin(0.5) == asymptotic_margin(0.5, 0.0)
    assert exponential_loss([0.5], [1], l1_norm=3.0) == pytest.approx(math.exp(-0.5))
    assert exponential_loss([0.5], [1], target=0.2) == pytest.approx(math.exp(-0.5))


def test_exponential_loss_by_hand():
    loss = exponential_loss([0.5, -1.0], [1, 1], l1_norm=2.0, target=0.25)
    assert loss == pytest.approx((math.exp(0.5 - 0.5) + math.exp(0.5 + 1.0)) / 2)


def test_normaliser_bound_by_hand():
    bound = normaliser_bound([0.9, 0.8], [0.3, 0.5], 0.5)
    assert bound.tolist() == pytest.approx([0.9 * math.exp(0.15), 0.72 * math.exp(0.4)])
    assert normaliser_bound([0.9, 0.0], [0.3, 0.5]).tolist() == [pytest.approx(0.9), 0.0]


def test_loss_does_not_overflow_in_logs():
    assert exponential_loss([-1e4, 0.0], [1, 1], log=True) == pytest.approx(1e4 - math.log(2))


def test_weighted_loss_is_the_loss_of_copies():
    weighted = exponential_loss([0.3, -0.2], [1, 1], sample_weight=[2, 1])
    assert weighted == pytest.approx(exponential_loss([0.3, 0.3, -0.2], [1, 1, 1]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: training_error_bound([1.5]), "edges: got 1.5"),
        (lambda: margin_error_bound([0.5], 2.0), "theta: got 2.0"),
        (lambda: margin_error_bound([0.5], 0.0, 1.0), "target: got -1 or 1"),
        (lambda: margin_error_bound([0.5] * 3, 0.0, [0.1, 0.2]), "got 3 edges, 2 target"),
        (lambda: asymptotic_margin(0.1, 0.2), "edge: got 0.1 below the target 0.2"),
        (lambda: asymptotic_margin(1.5), r"edge: got 1.5, expected finite numbers in \[-1, 1\]"),
        (
            lambda: asymptotic_margin(-1.5, -0.5),
            "edge: got -1.5, expected finite numbers",
        ),
        (lambda: normaliser_bound([0.5], [-1.0]), "coef: got -1"),
        (lambda: margin_bound([0.1, 0.2], 5), "vc_dimension: got 5"),
        (lambda: margin_bound([0.1, 0.2], 2), "vc_dimension: got 2"),
        (lambda: margin_bound([0.1, 0.2], 0), "vc_dimension: got 0"),
        (lambda: margin_bound([0.1, 0.2], 1, theta=0.0), "theta: got 0.0"),
        (lambda: margin_bound([0.1, 0.2], 1, theta=1.1), "theta: got 1.1"),
        (lambda: margin_bound([0.1, 0.2], 1, delta=0.0), "delta: got 0.0"),
        (lambda: margin_bound([0.1, 0.2], 1, delta=1.0), "delta: got 1.0"),
        (lambda: margin_bound([0.1, 0.2], 1, constant=0.0), "constant: got 0.0"),
        (lambda: simplified_training_error_bound(3, 1.5), "edge: got 1.5"),
        (lambda: simplified_training_error_bound(3, -0.5), "edge: got -0.5"),
        (lambda: normaliser_bound([0.5], [1.0], 1.5), "theta: got 1.5"),
        (lambda: normaliser_bound([0.5, 0.5], [1.0]), "got 2 normalisers, 1 coef"),
        (lambda: binary_relative_entropy(1.5, 0.0), "target: got 1.5"),
        (lambda: exponential_loss([0.1], [1, -1]), "got 1 scores, 2 y"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
