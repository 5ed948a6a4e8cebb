"""Losses: their contract, and their numbers against arbitrary precision.

``mpmath`` is the judge: each loss is written down once more here, in the form of the textbook, and
evaluated with enough digits that no care is needed.
"""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.optimize import minimize

from marginboost import GradientBoostRegressor
from marginboost.checks import check_loss
from marginboost.core import Sample
from marginboost.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    GeneralisedCrossEntropy,
    Hinge,
    Huber,
    LogCosh,
    Logistic,
    Loss,
    NoisyLogistic,
    Quantile,
    RobustFocal,
    Savage,
    SmoothedHinge,
    Squared,
    SquaredHinge,
    Tangent,
    as_loss,
)
from marginboost.solvers.line_search import best_constant
from marginboost.solvers.rounding import LOSSES as LOSSES_ROUND

LOSSES = [
    Absolute(),
    *(make() for make in Loss.__registry__.values() if make.__module__.startswith("marginboost.")),
    SmoothedHinge(0.05),
    SmoothedHinge(5.0),
    EpsilonInsensitive(0.0, 0.3),
    EpsilonInsensitive(1.5, 0.2),
    Huber(0.3),
    LogCosh(3.0),
    Quantile(0.9),
    Quantile(0.05, 0.05),
    GeneralisedCrossEntropy(0.2),
    NoisyLogistic(0.4),
    RobustFocal(0.0, 0.7),
    RobustFocal(1.0, 0.1),
]


@pytest.mark.parametrize(
    "check",
    [pytest.param(c, id=f"{loss}-{c.name}") for loss in LOSSES for c in check_loss(loss)],
)
def test_loss_keeps_its_contract(check):
    check()


# -- numbers --------------------------------------------------------------------------------------

SIZES = ["1e-20", "1e-8", "0.01", "0.3", "0.7", "1.2", "2.5", "10", "37", "700", "1e3", "1e20"]
ARGUMENTS = [*SIZES, *(f"-{size}" for size in SIZES), "0", "0.999999999"]


def textbook(loss):
    """φ and its conjugate, as functions of mpmath numbers."""
    beta, sigma = mpf(getattr(loss, "beta", 1.0)), mpf(getattr(loss, "sigma", 1.0))
    epsilon, tau = mpf(getattr(loss, "epsilon", 0.0)), mpf(getattr(loss, "quantile", 0.5))
    phi = sigma / (2 * mp.log(2))

    def soft(z):
        return mp.log1p(mp.exp(z)) if z < 0 else z + mp.log1p(mp.exp(-z))

    def entropy(d):
        return sum(x * mp.log(x) for x in (d, 1 - d) if x > 0)

    def double_conjugate(d):
        c = mp.cosh(epsilon / beta)
        u = (c * d + mp.sqrt(c**2 * d**2 + 1 - d**2)) / (1 - d)
        r = beta * mp.log(u)
        return d * r - beta * (soft((r - epsilon) / beta) + soft((-r - epsilon) / beta))

    return {
        "exponential": (lambda m: mp.exp(-m), lambda d: d * mp.log(d) - d),
        "logistic": (lambda m: soft(-m), entropy),
        "hinge": (lambda m: max(1 - m, 0), lambda d: -d),
        "smoothed-hinge": (
            lambda m: beta * soft((1 - m) / beta),
            lambda d: beta * entropy(d) - d,
        ),
        "squared-hinge": (lambda m: max(1 - m, 0) ** 2 / 2, lambda d: d**2 / 2 - d),
        "squared": (lambda r: r**2 / 2, lambda d: d**2 / 2),
        "absolute": (abs, lambda d: mpf(0)),
        "huber": (
            lambda r: r**2 / (2 * sigma) if abs(r) <= sigma else abs(r) - sigma / 2,
            lambda d: sigma * d**2 / 2,
        ),
        "log-cosh": (
            lambda r: phi * mp.log(mp.cosh(r / phi)),
            lambda d: phi / 2 * ((1 + d) * mp.log(1 + d) + (1 - d) * mp.log(1 - d)),
        ),
        "epsilon-insensitive": (
            lambda r: beta * (soft((r - epsilon) / beta) + soft((-r - epsilon) / beta)),
            double_conjugate,
        ),
        "quantile": (
            lambda r: tau * r + beta * soft(-r / beta),
            lambda d: beta * entropy(tau - d),
        ),
        "savage": (lambda m: 1 / (1 + mp.exp(2 * m)) ** 2, None),
        "tangent": (lambda m: (2 * mp.atan(m) - 1) ** 2, None),
        "generalised-cross-entropy": (
            lambda m: -mp.expm1(-mpf(loss.q) * soft(-m)) / mpf(loss.q),
            None,
        ),
        "robust-focal": (
            lambda m: (
                mp.exp(-mpf(loss.r) * soft(m)) * -mp.expm1(-mpf(loss.q) * soft(-m)) / mpf(loss.q)
            ),
            None,
        ),
        "noisy-logistic": (
            lambda m: -mp.log(mpf(loss.rate) + (1 - 2 * mpf(loss.rate)) / (1 + mp.exp(-m))),
            None,
        ),
    }[loss.name]


def derivatives(loss):
    """φ' and φ'' in closed form: differencing would need thousands of digits far out."""
    beta, sigma = mpf(getattr(loss, "beta", 1.0)), mpf(getattr(loss, "sigma", 1.0))
    epsilon, tau = mpf(getattr(loss, "epsilon", 0.0)), mpf(getattr(loss, "quantile", 0.5))
    phi = sigma / (2 * mp.log(2))

    def s(z):
        return 1 / (1 + mp.exp(-z)) if z > 0 else mp.exp(z) / (1 + mp.exp(z))

    def curvature(z):
        return s(z) * s(-z)

    def given(z):
        return rate + (1 - 2 * rate) * s(z)

    def short(z):
        return (1 - s(z) ** q) / q

    q, rate = mpf(getattr(loss, "q", 0.5)), mpf(getattr(loss, "rate", 0.1))
    r = mpf(getattr(loss, "r", 0.0))
    return {
        "exponential": (lambda m: -mp.exp(-m), lambda m: mp.exp(-m)),
        "logistic": (lambda m: -s(-m), curvature),
        "hinge": (lambda m: -mpf(m < 1), lambda m: mpf(0)),
        "smoothed-hinge": (
            lambda m: -s((1 - m) / beta),
            lambda m: curvature((1 - m) / beta) / beta,
        ),
        "squared-hinge": (lambda m: -max(1 - m, 0), lambda m: mpf(m < 1)),
        "squared": (lambda r: r, lambda r: mpf(1)),
        "absolute": (lambda r: mpf(int(r > 0) - int(r < 0)), lambda r: mpf(0)),
        "huber": (
            lambda r: max(-1, min(1, r / sigma)),
            lambda r: mpf(abs(r) < sigma) / sigma,
        ),
        "log-cosh": (lambda r: mp.tanh(r / phi), lambda r: mp.sech(r / phi) ** 2 / phi),
        "epsilon-insensitive": (
            lambda r: s((r - epsilon) / beta) - s((-r - epsilon) / beta),
            lambda r: (curvature((r - epsilon) / beta) + curvature((r + epsilon) / beta)) / beta,
        ),
        "quantile": (lambda r: tau - s(-r / beta), lambda r: curvature(r / beta) / beta),
        "savage": (
            lambda m: -4 * s(-2 * m) ** 2 * s(2 * m),
            lambda m: 8 * s(-2 * m) ** 2 * s(2 * m) * (2 - 3 * s(-2 * m)),
        ),
        "tangent": (
            lambda m: 4 * (2 * mp.atan(m) - 1) / (1 + m**2),
            lambda m: 8 * (1 - m * (2 * mp.atan(m) - 1)) / (1 + m**2) ** 2,
        ),
        "generalised-cross-entropy": (
            lambda m: -(s(m) ** q) * s(-m),
            lambda m: s(m) ** q * s(-m) * (s(m) - q * s(-m)),
        ),
        "robust-focal": (
            lambda m: -(s(-m) ** r) * (r * s(m) * short(m) + s(-m) * s(m) ** q),
            lambda m: (
                s(-m) ** r
                * (
                    r**2 * s(m) ** 2 * short(m)
                    + 2 * r * s(m) * s(-m) * s(m) ** q
                    - r * s(m) * s(-m) * short(m)
                    + s(-m) * s(m) ** q * (s(m) - q * s(-m))
                )
            ),
        ),
        "noisy-logistic": (
            lambda m: -(1 - 2 * rate) * curvature(m) / given(m),
            lambda m: (
                (1 - 2 * rate)
                * curvature(m)
                * ((1 - 2 * rate) * curvature(m) - (s(-m) - s(m)) * given(m))
                / given(m) ** 2
            ),
        ),
    }[loss.name]


def assert_rounded(found, exact, rtol=1e-12):
    """Equal up to rounding; beyond the largest number infinite, below the smallest near 0."""
    for got, true in zip(np.atleast_1d(found), exact, strict=True):
        if abs(true) > mpf("1e308"):
            assert got == np.sign(float(true)) * np.inf
        else:
            assert abs(mpf(float(got)) - true) <= rtol * abs(true) + mpf("1e-300")


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_values_and_slopes_at_any_size(loss):
    t = np.array([float(text) for text in ARGUMENTS])
    with mp.workdps(60):
        value, _ = textbook(loss)
        slope, curvature = derivatives(loss)
        points = [mpf(float(x)) for x in t]
        assert_rounded(loss.value(t), [value(p) for p in points])
        assert_rounded(loss.orientation * loss.dual(t), [slope(p) for p in points])
        assert_rounded(loss.curvature(t), [curvature(p) for p in points])


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_derivatives_are_those_by_the_score(loss):
    y = np.repeat([-1.0, 1.0], 12)
    scores, step = np.tile(np.linspace(-2.17, 2.31, 12), 2), 1e-6
    ahead, behind = (loss.derivatives(y, scores + way * step) for way in (1, -1))
    value, slope, curvature = loss.derivatives(y, scores)
    np.testing.assert_array_equal(value, loss.value(loss.argument(y, scores)))
    np.testing.assert_allclose(slope, (ahead[0] - behind[0]) / (2 * step), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(curvature, (ahead[1] - behind[1]) / (2 * step), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.convex], ids=str)
def test_conjugates_near_the_ends_of_their_range(loss):
    """Relative to the terms that cancel: a conjugate may vanish where its terms do not."""
    d = np.array([1e-300, 1e-20, 1e-8, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-9])
    if np.isfinite(loss.dual_range[1]):
        d *= loss.dual_range[1]
    with mp.workdps(400):  # d² must not vanish beside 1
        exact = [textbook(loss)[1](mpf(float(x))) for x in d]
        floor = mpf(1e-14) * abs(textbook(loss)[0](mpf(0))) + mpf("1e-300")
        for got, true in zip(loss.conjugate(d), exact, strict=True):
            assert abs(mpf(float(got)) - true) <= mpf(1e-12) * abs(true) + floor
        # What bounds allow for is what conjugates round.
        allowed = LOSSES_ROUND * np.asarray(loss.conjugate_terms(d))
        for got, true, room in zip(loss.conjugate(d), exact, allowed, strict=True):
            assert abs(mpf(float(got)) - true) <= mpf(float(room)) + mpf("1e-300")
    if loss.orientation == 1 and loss.symmetric:
        np.testing.assert_allclose(loss.conjugate(-d), loss.conjugate(d), atol=1e-15)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.convex], ids=str)
def test_duals_that_no_argument_has_cost_infinity(loss):
    low, high = loss.dual_range
    for end, beyond in ((low, low - 1e-9), (high, high + 1e-9)):
        if np.isfinite(end):  # the ends belong to the range
            assert loss.conjugate(np.array([beyond])) == np.inf
            assert np.isfinite(loss.conjugate(np.array([end])))
        else:
            assert np.isfinite(loss.conjugate(np.sign(end) * np.array([1.5])))


# -- facts ----------------------------------------------------------------------------------------


def test_log_cosh_is_a_smooth_huber_c28():
    """Same asymptote, slope 1, and 0.0545 apart at most, near 0.81 (R2-P2, σ = 1)."""
    r = np.linspace(0, 30, 300_001)
    apart = np.abs(LogCosh().value(r) - Huber().value(r))
    assert apart.max() == pytest.approx(0.0545, abs=5e-5)
    assert r[apart.argmax()] == pytest.approx(0.81, abs=0.01)
    assert apart[-1] < 1e-12
    assert LogCosh().value(np.array(1e6)) == pytest.approx(1e6 - 0.5, abs=1e-9)
    assert LogCosh().dual(np.array(50.0)) == 1.0


def test_divergences_have_their_names_a26():
    """Entropy, binary entropy, half the squared distance (R1-Q30)."""
    d, e = np.meshgrid(np.linspace(0.05, 0.95, 19), np.linspace(0.05, 0.95, 19))
    relative = d * np.log(d / e) - d + e
    binary = d * np.log(d / e) + (1 - d) * np.log((1 - d) / (1 - e))
    np.testing.assert_allclose(Exponential().divergence(d, e), relative, atol=1e-13)
    np.testing.assert_allclose(Logistic().divergence(d, e), binary, atol=1e-13)
    np.testing.assert_allclose(SmoothedHinge(0.2).divergence(d, e), 0.2 * binary, atol=1e-13)
    np.testing.assert_allclose(Squared().divergence(d, e), (d - e) ** 2 / 2, atol=1e-13)


def test_divergences_at_the_ends_of_the_range():
    zero, one, half = np.zeros(1), np.ones(1), np.full(1, 0.5)
    for loss in (Exponential(), Logistic()):
        assert loss.divergence(zero, zero) == 0.0
        assert loss.divergence(half, zero) == np.inf
        assert np.isfinite(loss.divergence(zero, half))
    assert Logistic().divergence(half, one) == np.inf


def test_links():
    scores = np.array([-0.5, 0.0, 0.3, 2.0])
    for loss in (Exponential(), Savage()):
        np.testing.assert_allclose(loss.probability(scores), 1 / (1 + np.exp(-2 * scores)))
    np.testing.assert_allclose(Logistic().probability(scores), 1 / (1 + np.exp(-scores)))
    for loss in (Squared(), SquaredHinge()):
        np.testing.assert_allclose(loss.probability(scores), np.clip((1 + scores) / 2, 0, 1))
    tangent = np.clip(np.arctan(scores) + 0.5, 0, 1)
    np.testing.assert_allclose(Tangent().probability(scores), tangent)
    np.testing.assert_allclose(Hinge().probability(scores), [0.5, 0.5, 0.5, 1.0])


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_link_minimises_the_expected_loss(loss):
    """Where the probability of a score is p, no other score has a smaller expected loss."""
    scores = np.array([-0.4, -0.1, 0.2, 0.5])
    grid = np.linspace(-3, 3, 3001)
    for score, p in zip(scores, loss.probability(scores), strict=True):

        def expected(f, p=p):
            values = [loss.value(loss.argument(y, np.asarray(f))) for y in (1.0, -1.0)]
            return p * values[0] + (1 - p) * values[1]

        assert expected(score) <= expected(grid).min() + 1e-12


@pytest.mark.parametrize(("loss", "limit"), [(Savage(), 1.0), (Tangent(), (np.pi + 1) ** 2)])
def test_bounded_losses_give_hopeless_rows_up(loss, limit):
    m = -np.logspace(0, 20, 50)
    assert (loss.value(m) <= limit).all()
    assert loss.value(m)[-1] == pytest.approx(limit)
    assert loss.dual(m)[-1] < 1e-15
    assert not loss.convex


def test_smoothed_hinge_limits_c9():
    """β → 0 is the hinge, at most β log 2 above it; β = 1 the logistic loss moved to 1."""
    m = np.linspace(-4, 6, 1001)
    for beta in (1.0, 0.1, 1e-3, 1e-8):
        above = SmoothedHinge(beta).value(m) - Hinge().value(m)
        assert (above >= -1e-15).all()
        assert above.max() == pytest.approx(beta * np.log(2), abs=1e-15)
    np.testing.assert_array_equal(SmoothedHinge(1.0).value(m), Logistic().value(m - 1))


def test_double_logistic_limit():
    """β → 0 is the ε-insensitive loss (5.10)."""
    r = np.linspace(-3, 3, 601)
    loss = EpsilonInsensitive(0.5, 1e-6)
    np.testing.assert_allclose(loss.value(r), np.maximum(np.abs(r) - 0.5, 0), atol=2e-6)
    np.testing.assert_allclose(
        loss.conjugate(np.array([-1, 0.5, 1.0])), [0.5, 0.25, 0.5], atol=1e-5
    )


@pytest.mark.parametrize("tau", [0.05, 0.5, 0.9])
def test_pinball_limit(tau):
    """β → 0 is the pinball, at most β log 2 above it."""
    r = np.linspace(-3, 3, 601)
    for beta in (0.1, 1e-6):
        above = Quantile(tau, beta).value(r) - np.maximum(tau * r, (tau - 1) * r)
        assert (above >= -1e-15).all()
        assert above.max() == pytest.approx(beta * np.log(2), rel=1e-12)


def weighted_quantile(values, weights, tau):
    """Least value with at least τ of the weight at or below it."""
    order = np.argsort(values)
    return values[order][np.searchsorted(np.cumsum(weights[order]), tau * weights.sum())]


@pytest.mark.parametrize("tau", [0.03, 0.27, 0.5, 0.88])
@pytest.mark.parametrize("centre", [0.0, 1e4])
def test_the_best_constant_is_the_weighted_quantile(tau, centre):
    rng = np.random.default_rng(0)
    y, weights = centre + rng.normal(size=101), rng.uniform(0.5, 2.0, size=101)
    sample = Sample.of_targets(y, weights)
    found, _ = best_constant(Quantile(tau, beta=1e-6), sample)
    assert found == pytest.approx(weighted_quantile(y, weights, tau), abs=1e-4)


def test_a_quantile_regressor_leaves_that_share_below():
    """A tree fit of the τ-quantile leaves about τ of the targets below it; the loss never rises."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(400, 2))
    y = 50.0 + 3.0 * X[:, 0] + (0.5 + X[:, 1]) * rng.exponential(size=400)
    for tau in (0.2, 0.8):
        model = GradientBoostRegressor(
            loss=Quantile(tau, 0.02), n_estimators=80, max_leaf_nodes=4, learning_rate=0.3
        ).fit(X, y)
        assert np.mean(y < model.predict(X)) == pytest.approx(tau, abs=0.06)
        assert (np.diff(model.history_["loss"]) <= 1e-12).all()
    assert GradientBoostRegressor(loss="quantile", n_estimators=2).fit(X, y).n_iter_ == 2


# -- settings -------------------------------------------------------------------------------------


def test_names_and_objects_mean_losses():
    assert as_loss("loss", "log-cosh") == LogCosh()
    assert as_loss("loss", Huber(2.0)) == Huber(2.0)
    with pytest.raises(ValueError, match="loss: got 'l2', expected a Loss or one of 'epsilon"):
        as_loss("loss", "l2")
    with pytest.raises(TypeError, match="loss: got None, expected a Loss or one of"):
        as_loss("loss", None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SmoothedHinge(0.0), "beta: got 0.0, expected a number above 0"),
        (lambda: EpsilonInsensitive(-1.0), "epsilon: got -1.0, expected a number at least 0"),
        (lambda: EpsilonInsensitive(0.1, -1.0), "beta: got -1.0"),
        (lambda: Huber(-1.0), "sigma: got -1.0, expected a number above 0"),
        (lambda: LogCosh(np.nan), "sigma: got nan"),
        (lambda: Quantile(1.0), "quantile: got 1.0, expected a number above 0 and below 1"),
        (lambda: Quantile(0.5, 0.0), "beta: got 0.0, expected a number above 0"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("loss", [Huber(0.3), Squared(), LogCosh()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("price", [0.2, 1.0, 5.0])
def test_dual_of_general_penalties_scales_their_conjugates_r2_x7(loss, price):
    """(A.14): ``max yᵀd - Σ g*(d) - C Σ P*(κ_j / C)`` with κ = Hᵀd, here P = α² / 2.

    It meets ``min Σ g(y - Hα) + C Σ P(α)`` only if the argument of P* is divided by C.
    """
    rng = np.random.default_rng(0)
    H, y = rng.normal(size=(25, 4)), rng.normal(size=25)

    def primal(alpha):
        residual = y - H @ alpha
        slope = -H.T @ loss.dual(residual) + price * alpha
        return loss.value(residual).sum() + 0.5 * price * alpha @ alpha, slope

    best = minimize(primal, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-10})
    d = loss.dual(y - H @ best.x)
    conjugates, kappa = loss.conjugate(d).sum(), H.T @ d
    dual = y @ d - conjugates - price * 0.5 * (kappa / price) @ (kappa / price)
    assert dual == pytest.approx(best.fun, rel=1e-7)
    unscaled = y @ d - conjugates - price * 0.5 * kappa @ kappa
    assert price == 1.0 or abs(unscaled - best.fun) > 1e-3
