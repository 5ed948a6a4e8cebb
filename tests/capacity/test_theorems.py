"""Bounds against the numbers of the sources, each other, and draws with known truth."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marginboost import AdaBoostClassifier
from marginboost.capacity import (
    Bound,
    binomial_tail,
    compression_bound,
    consistent_bound,
    consistent_finite_bound,
    consistent_growth_bound,
    covering_bound,
    covering_number,
    description_prior,
    erm_excess_bound,
    finite_class_bound,
    finite_class_sample_size,
    growth_bound,
    hoeffding_bound,
    hoeffding_tail,
    hull_bound,
    log_polynomial_growth,
    log_sauer,
    occam_bound,
    rounds_bound,
    sauer,
    scheme_compression_bound,
    svm_bound,
    union_bound,
    vc_bound,
)
from marginboost.datasets import circle_2d
from marginboost.diagnostics import margin_bound


def test_vectors_of_the_book():
    """Values of SF-Q6 to SF-Q22 at m = 1000, δ = 0.05 (SF-Q16 at 100,000)."""
    thresholds = math.log(1001), math.log(100_001), math.log(2001)
    expected = [
        (hoeffding_bound(1000), 0.03870228),
        (hoeffding_bound(1000, two_sided=True), 0.04294694),
        (finite_class_bound(1000, 1e6, 0.1), 0.19168218),
        (growth_bound(1000, thresholds[0]), 0.6192622),
        (growth_bound(100_000, thresholds[1]), 0.0728574),
        (vc_bound(100_000, 10, theorem="book"), 0.1851949),
        (vc_bound(100_000, 10, theorem="sauer"), 0.1833900),
        (consistent_finite_bound(1000, 1e6), 0.01681124),
        (consistent_growth_bound(1000, thresholds[2]), 0.03257687),
        (consistent_bound(1000, 10, theorem="book"), 0.19237488),
        (consistent_finite_bound(1000, 1), 0.00299573),
        (scheme_compression_bound(1000, 2, 0.1), 0.1919744),
        (scheme_compression_bound(1000, 2), 0.01684493),
        (occam_bound(1000, 2.0**-20, 0.1), 0.1918114),
        (binomial_tail(100, 0.5, 0.1), 0.0284440),
        (hoeffding_tail(100, 0.1), 0.1353353),
        (binomial_tail(100, 0.3, 0.1), 0.0164629),
        (binomial_tail(200, 0.1, 0.05), 0.0080712),
        (hoeffding_tail(200, 0.05), 0.3678794),
        (log_sauer(1000, 10), 53.938129),
        (log_polynomial_growth(1000, 10), 56.051702),
    ]
    for found, value in expected:
        assert found == pytest.approx(value, rel=1e-5)
    assert finite_class_sample_size(2**20, epsilon=0.05) == 338


def test_vectors_of_barnes():
    """BA-Q8, BA-Q10, BA-Q14, BA-Q22 with and without what the print drops."""
    assert finite_class_bound(50, 200, theorem="barnes") == pytest.approx(0.59957, abs=5e-6)
    assert vc_bound(500, 3, theorem="barnes") == pytest.approx(0.10951, abs=5e-6)
    assert covering_bound(1000, 1e6) == pytest.approx(0.37421, abs=5e-6)
    values = {0.5: (0.33943, 0.29224), 1.0: (0.73931, 0.62000), 1.5: (11.450, 9.5332)}
    for p, (printed, exact) in values.items():
        assert hull_bound(1000, p, 2, 0.5, printed=True) == pytest.approx(printed, rel=5e-5)
        assert hull_bound(1000, p, 2, 0.5) == pytest.approx(exact, rel=5e-5)


@given(
    st.integers(1, 400),
    st.floats(0.0, 1.0, allow_subnormal=False),
    st.floats(0.0, 1.0, allow_subnormal=False),
)
def test_hoeffding_is_above_the_exact_tail_sf_c10(n, p, epsilon):
    assert binomial_tail(n, p, epsilon) <= hoeffding_tail(n, epsilon) * (1 + 1e-9)


@given(st.integers(0, 12), st.integers(0, 12))
def test_sauer_between_everything_and_the_polynomial_sf_c11(m, d):
    assert sauer(m, d) == (2**m if m <= d else sum(math.comb(m, i) for i in range(d + 1)))
    assert log_sauer(m, d) == pytest.approx(math.log(sauer(m, d)))
    if m >= d >= 1:
        assert log_sauer(m, d) <= log_polynomial_growth(m, d) + 1e-12


FAMILIES = {
    "one": lambda n, c, delta: hoeffding_bound(n, delta=delta),
    "finite": lambda n, c, delta: finite_class_bound(n, c, delta=delta),
    "finite, barnes": lambda n, c, delta: finite_class_bound(n, c, delta=delta, theorem="barnes"),
    "occam": lambda n, c, delta: occam_bound(n, 1 / c, delta=delta),
    "growth": lambda n, c, delta: growth_bound(n, math.log(c), delta=delta),
    "vapnik": lambda n, c, delta: vc_bound(n, c, delta=delta),
    "book": lambda n, c, delta: vc_bound(n, c, delta=delta, theorem="book"),
    "sauer": lambda n, c, delta: vc_bound(n, c, delta=delta, theorem="sauer"),
    "barnes": lambda n, c, delta: vc_bound(n, c, delta=delta, theorem="barnes"),
    "consistent": lambda n, c, delta: consistent_bound(n, c, delta=delta),
    "consistent, book": lambda n, c, delta: consistent_bound(n, c, delta=delta, theorem="book"),
    "consistent, finite": lambda n, c, delta: consistent_finite_bound(n, c, delta=delta),
    "consistent, growth": lambda n, c, delta: consistent_growth_bound(n, math.log(c), delta=delta),
    "scheme": lambda n, c, delta: scheme_compression_bound(n, int(c), delta=delta),
    "covering": lambda n, c, delta: covering_bound(n, c, delta=delta),
    "hull": lambda n, c, delta: hull_bound(n, 0.8, c, 0.3, delta=delta),
    "svm": lambda n, c, delta: svm_bound(n, math.sqrt(c), 1.0, delta=delta),
    "rounds": lambda n, c, delta: rounds_bound(n, int(c), 3, delta=delta),
}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize(("n", "complexity", "delta"), [(500, 3, 0.1), (20_000, 40, 0.001)])
def test_bounds_fall_in_m_and_rise_in_complexity_and_confidence(family, n, complexity, delta):
    """SF-C12, BA-Q17, BA-P23: monotone in all three."""
    value = family(n, complexity, delta)
    assert isinstance(value, Bound)
    assert value > 0
    assert family(2 * n, complexity, delta) < value
    assert family(n, 2 * complexity, delta) >= value
    assert family(n, complexity, delta / 2) >= value


def test_rates_without_and_with_errors_sf_e10():
    """Without training errors bounds fall like 1/m, else like 1/√m."""
    for consistent, general in [
        (consistent_finite_bound, finite_class_bound),
        (consistent_bound, vc_bound),
    ]:
        small, large = consistent(10_000, 5), consistent(1_000_000, 5)
        assert small / large > 50
        assert 7 < general(10_000, 5) / general(1_000_000, 5) < 10 + 1e-9
        assert consistent(1_000_000, 5) < general(1_000_000, 5)


def test_the_votes_bound_grows_with_rounds_ch_c16():
    """√(T d / n) is twice for a vote said four times over, whose margins are what they were."""
    X, y = circle_2d(1000, seed=0)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    signs, outputs = np.where(y == model.classes_[1], 1, -1), model.estimators_

    def bounds(votes, coef):
        margins = signs * sum(a * h(X) for a, h in zip(coef, votes, strict=True)) / coef.sum()
        return rounds_bound(1000, len(votes), 2), margin_bound(margins, 2, theta=0.1).value

    short, by_margins = bounds(outputs, model.estimator_weights_)
    long, again = bounds(4 * outputs, np.tile(model.estimator_weights_ / 4, 4))
    assert long == pytest.approx(2 * short)
    assert again == pytest.approx(by_margins)
    assert not short.valid  # its constant is open


def test_the_covering_number_is_that_of_the_votes_ba_x6():
    """BA-X6: (2.22) has N(H), of the base hypotheses; their votes F need more to be covered."""
    H = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    shares = np.linspace(0.0, 1.0, 21)
    base, votes = (covering_number(outputs, 0.5) for outputs in (H, H @ [shares, 1.0 - shares]))
    assert base < votes
    exact = math.sqrt(8 / 1000 * math.log(2 * votes / 0.05))
    assert covering_bound(1000, votes) == pytest.approx(exact)
    assert covering_bound(1000, base) < exact  # as printed: less than theorem 3 proves


def test_occam_and_finite_classes_are_one_for_equal_priors():
    for size in (1, 10, 1e6):
        assert occam_bound(500, 1 / size, 0.2) == pytest.approx(finite_class_bound(500, size, 0.2))
    lengths = np.arange(0, 40)
    assert math.fsum(2.0**n * description_prior(int(n)) for n in lengths) <= 1.0
    assert description_prior(3, prefix_free=True) == 1 / 8


def test_union_and_excess_of_the_best_sf_q9_sf_q10():
    assert union_bound([0.25, 0.25]) == 0.5
    assert union_bound([0.7, 0.7]) == 1.0
    both = finite_class_bound(1000, 50, delta=0.025)  # either side with half of δ
    assert erm_excess_bound(1000, 50) == pytest.approx(2 * both)


# -- draws with known truth: never too small, and the study can fail ------------------------------


def thresholds_study(n, delta, n_draws=4000, seed=0):
    """Errors and training errors of the worst deviation over all thresholds, noisy labels.

    Labels are fair coins: every threshold errs with probability one half, whatever it is, and the
    training error of the best is as far below as chance allows.
    """
    labels = np.random.default_rng(seed).integers(0, 2, (n_draws, n))
    prefix = np.concatenate([np.zeros((n_draws, 1)), np.cumsum(2 * labels - 1, axis=1)], axis=1)
    least = (labels == 0).sum(axis=1) + prefix.min(axis=1)
    return least / n


@pytest.mark.parametrize("delta", [0.2, 0.05])
def test_bounds_hold_for_the_best_of_all_thresholds_sf_c15(delta):
    """The share of draws in which the true error, ½, exceeds the bound is at most δ."""
    n = 200
    least = thresholds_study(n, delta)
    penalties = {
        "growth": growth_bound(n, math.log(n + 1), delta=delta),
        "book": vc_bound(n, 1, theorem="book", delta=delta),
        "vapnik": vc_bound(n, 1, delta=delta),
        "finite": finite_class_bound(n, n + 1, delta=delta),
    }
    for name, penalty in penalties.items():
        assert (least + penalty < 0.5).mean() <= delta, name
    # the tightest of them is caught when it is shrunk, so the study can fail
    assert (least + 0.4 * penalties["finite"] < 0.5).mean() > delta


@pytest.mark.parametrize(("n", "delta"), [(50, 0.2), (200, 0.1)])
def test_the_bound_for_one_hypothesis_holds_and_is_caught_if_shrunk(n, delta):
    rng = np.random.default_rng(1)
    rates = rng.binomial(n, 0.5, 20_000) / n
    penalty = hoeffding_bound(n, delta=delta)
    assert (rates + penalty < 0.5).mean() <= delta
    assert (rates + 0.4 * penalty < 0.5).mean() > delta


def test_consistent_members_of_finite_classes_hold_and_are_caught_if_shrunk():
    """A thousand hypotheses of error ε each: the chance that any of them looks consistent."""
    n, size, delta = 100, 1000, 0.1
    bound = consistent_finite_bound(n, size, delta=delta)

    def fooled(error):
        return 1.0 - (1.0 - (1.0 - error) ** n) ** size

    assert fooled(float(bound)) <= delta
    assert fooled(0.8 * float(bound)) > delta


# -- what a bound says about itself ---------------------------------------------------------------


def test_a_bound_prints_what_makes_it_valid_or_void():
    text = str(vc_bound(1000, 10, 0.1, theorem="barnes"))
    assert "BA-Q10" in text
    assert "void" in text
    assert "leaves it open" in text
    assert ": NO" in text
    fine = vc_bound(1_000_000, 3, 0.1)
    assert fine.valid
    assert not fine.vacuous
    assert fine.verdict == "valid"
    assert "0.1000  empirical risk" in str(fine)
    assert "to be judged" in str(fine)
    assert vc_bound(20, 10).verdict == "vacuous"
    assert "by VC dimension, vacuous" in repr(vc_bound(20, 10))
    assert math.fsum(fine.terms.values()) == float(fine)


def test_a_copied_bound_keeps_what_it_knows():
    bound = compression_bound(200, 10)
    for again in (pickle.loads(pickle.dumps(bound)), copy.copy(bound), copy.deepcopy(bound)):
        assert again == bound
        assert str(again) == str(bound)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hoeffding_bound(0), "n_examples: got 0"),
        (lambda: finite_class_bound(10, 0.5), "size: got 0.5"),
        (lambda: finite_class_bound(10, 5, theorem="x"), "theorem: got 'x'"),
        (lambda: occam_bound(10, 1.5), "prior: got 1.5"),
        (lambda: growth_bound(10, -1.0), "log_growth: got -1.0"),
        (lambda: vc_bound(10, 2, theorem="other"), "theorem: got 'other'"),
        (lambda: hull_bound(10, 2.0, 2, 0.5), "p: got 2.0"),
        (lambda: hull_bound(10, 1.0, 2, 0.0), "gamma: got 0.0"),
        (lambda: scheme_compression_bound(10, 10), "n_kept: got 10"),
        (lambda: binomial_tail(10, 1.5, 0.1), "p: got 1.5"),
        (lambda: union_bound([0.5, 2.0]), "probabilities: got 2.0"),
        (lambda: svm_bound(10, 0.0, 1.0), "norm: got 0.0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
