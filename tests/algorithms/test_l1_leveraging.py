"""ℓ1-regularised leveraging: any convex loss, to the optimum of other solvers (R2-A7, Prop. 4.4).

Losses are written down once more here, and minimised by a quasi-Newton method over all columns.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, LogisticRegression

from marginboost import AdaBoostClassifier, L1LeveragingClassifier, TreeOracle
from marginboost.algorithms import BarrierBoost, L1Leveraging
from marginboost.checks import check_rule
from marginboost.core import Callback, Rule, Stop, train
from marginboost.datasets import circle_2d
from marginboost.kernels.parallel import ROW_BLOCK
from marginboost.losses import Huber, LogCosh, SmoothedHinge
from marginboost.oracles import FiniteOracle, matrix_sample
from strategies import few, problems

PHI = 0.5 / np.log(2)
TEXTBOOK = {
    "logistic": (lambda m: np.logaddexp(0, -m), lambda m: -1 / (1 + np.exp(m))),
    "exponential": (lambda m: np.exp(-m), lambda m: -np.exp(-m)),
    "squared": (lambda m: (1 - m) ** 2 / 2, lambda m: m - 1),
    "squared-hinge": (lambda m: np.maximum(1 - m, 0) ** 2 / 2, lambda m: -np.maximum(1 - m, 0)),
    "smoothed-hinge": (lambda m: np.logaddexp(0, 1 - m), lambda m: -1 / (1 + np.exp(m - 1))),
    "log-cosh": (
        lambda m: PHI * np.log(np.cosh((1 - m) / PHI)),
        lambda m: -np.tanh((1 - m) / PHI),
    ),
}
"""Loss of the margin and its derivative."""


def least(name, U, C, weights=None):
    """Least C Σα + Σ w loss over α >= 0, with its minimiser."""
    value, slope = TEXTBOOK[name]
    w = np.ones(len(U)) if weights is None else weights

    def penalised(coef):
        m = U @ coef
        return C * coef.sum() + w @ value(m), C + (w * slope(m)) @ U

    found = minimize(
        penalised,
        np.zeros(U.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * U.shape[1],
        options={"ftol": 0, "gtol": 1e-9, "maxiter": 20000, "maxfun": 200000},
    )
    return found.fun, found.x


def coefficients(run, m):
    """Coefficient of every column of the matrix."""
    coef = np.zeros(m)
    for weight, member in zip(run.ensemble.coef, run.ensemble.members, strict=True):
        coef[member.index] += weight
    return coef


@st.composite
def priced_problems(draw):
    H, y = draw(problems())
    weights = draw(st.sampled_from([None, "counts"]))
    if weights:
        weights = np.random.default_rng(len(y)).integers(1, 4, size=len(y)).astype(float)
    return H, y, weights, draw(st.sampled_from([0.3, 1.0, 3.0]))


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("steps", ["newton", "coordinate"])
@few
@given(problem=priced_problems())
def test_reaches_the_optimum_over_all_columns(name, steps, problem):
    H, y, weights, C = problem
    U = H * y[:, None]
    best, _ = least(name, U, C, weights)
    empty = TEXTBOOK[name][0](np.zeros(1))[0] * (len(y) if weights is None else weights.sum())
    rule = L1Leveraging(name, C, steps)
    sample = matrix_sample(H, y, weights)
    run = train(sample, FiniteOracle(), rule, max_rounds=400, tol=1e-7)
    assert (run.history["lower"] <= 1 - best / empty + 1e-9).all()
    assert (run.history["upper"] >= 1 - best / empty - 1e-9).all()
    if steps == "newton":
        assert run.certificate.gap <= 1e-7
        assert len(run.history) <= 60
    assert empty * (1 - run.certificate.value) == pytest.approx(best, rel=1e-3)
    assert (run.ensemble.coef > 0).all()


@pytest.mark.parametrize("name", TEXTBOOK)
def test_optimality_conditions(name):
    """Every edge is at most C, and C where the coefficient is positive (Lemma 5.1)."""
    rng = np.random.default_rng(5)
    U = np.where(rng.random((60, 40)) < 0.6, 1.0, -1.0) * rng.uniform(0.3, 1, (60, 40))
    C = 4.0
    sample = matrix_sample(U, np.ones(60))
    run = train(sample, FiniteOracle(), L1Leveraging(name, C), max_rounds=200)
    assert run.stop in (Stop.NO_EDGE, Stop.STALLED)
    coef = coefficients(run, 40)
    edges = -TEXTBOOK[name][1](U @ coef) @ U
    assert edges.max() <= C * (1 + 1e-7)
    np.testing.assert_allclose(edges[coef > 0], C, rtol=1e-7)
    np.testing.assert_allclose(coef, least(name, U, C)[1], atol=1e-5)


class Watch(Callback):
    """Record the coefficients at work, in every round."""

    def on_start(self, state, oracle, rule, max_rounds):
        self.rule, self.trials, self.memory = rule, [], []

    def on_round(self, state):
        self.memory.append(self.rule.get_state())
        self.trials.append(np.array(self.memory[-1]["trial"]))


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
@few
@given(problem=problems(), C=st.sampled_from([0.3, 1.0, 3.0]))
def test_every_round_lowers_the_objective(steps, problem, C):
    """P falls strictly, so the model is the last combination and its value the lower bound."""
    H, y = problem
    watch = Watch()
    rule = L1Leveraging("logistic", C, steps)
    run = train(matrix_sample(H, y), FiniteOracle(), rule, max_rounds=40, callbacks=[watch])
    values = [memory["value"] for memory in watch.memory]
    assert (np.diff(values) >= 0).all()
    assert run.certificate.value == run.certificate.lower == values[-1]
    assert all((trial >= 0).all() for trial in watch.trials)
    if len(run.ensemble):
        last = watch.trials[-1][watch.trials[-1] > 0]
        np.testing.assert_allclose(run.ensemble.coef, last, rtol=1e-5)


def test_the_history_has_the_changes_of_the_coefficients():
    """One a round; a hypothesis that comes again moves from where it was."""
    H = np.where(np.random.default_rng(0).random((12, 4)) < 0.7, 1.0, -1.0)
    rule = L1Leveraging("logistic", 0.3, "coordinate")
    run = train(matrix_sample(H, np.ones(12)), FiniteOracle(), rule, max_rounds=30)
    assert len(run.history) > 2 * H.shape[1]
    assert run.history["coef"].sum() == pytest.approx(run.ensemble.coef.sum(), abs=1e-9)


def test_single_steps_converge_linearly_c11():
    """At a fixed temperature P - P* shrinks by a factor over any stretch of rounds (Prop. 4.4)."""
    rng = np.random.default_rng(0)
    U = np.where(rng.random((80, 12)) < 0.6, 1.0, -1.0)
    best, _ = least("smoothed-hinge", U, 3.0)
    empty = 80 * np.logaddexp(0, 1)
    watch = Watch()
    rule = L1Leveraging(SmoothedHinge(1.0), 3.0, "coordinate")
    run = train(
        matrix_sample(U, np.ones(80)), FiniteOracle(), rule, max_rounds=400, callbacks=[watch]
    )
    excess = empty * (1 - np.array([memory["value"] for memory in watch.memory])) - best
    reached = excess[excess > 1e-9]
    assert len(reached) < len(run.history)  # it got there
    stretch = 20
    factors = reached[stretch:] / reached[:-stretch]
    assert len(factors) > 20
    assert factors.max() < 0.7


def test_squared_loss_is_the_lasso():
    rng = np.random.default_rng(1)
    H = rng.uniform(-1, 1, (50, 30))
    y = np.where(H[:, 0] - 0.5 * H[:, 1] + 0.3 * rng.normal(size=50) > 0, 1, -1)
    C = 2.0
    run = train(
        matrix_sample(H, y), FiniteOracle(closed=True), L1Leveraging("squared", C), max_rounds=300
    )
    lasso = Lasso(alpha=C / 50, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(H, y)
    coef = np.zeros(30)
    for weight, member in zip(run.ensemble.coef, run.ensemble.members, strict=True):
        coef[member.index] += weight * member.sign
    np.testing.assert_allclose(coef, lasso.coef_, atol=1e-6)


def test_logistic_loss_is_sparse_logistic_regression():
    rng = np.random.default_rng(2)
    H = rng.uniform(-1, 1, (80, 20))
    y = np.where(H[:, 0] - 0.5 * H[:, 1] + 0.3 * rng.normal(size=80) > 0, 1, -1)
    run = train(
        matrix_sample(H, y),
        FiniteOracle(closed=True),
        L1Leveraging("logistic", 2.0),
        max_rounds=300,
    )
    peer = LogisticRegression(
        l1_ratio=1.0, solver="liblinear", fit_intercept=False, C=0.5, tol=1e-10, max_iter=10_000
    ).fit(H, y)
    coef = np.zeros(20)
    for weight, member in zip(run.ensemble.coef, run.ensemble.members, strict=True):
        coef[member.index] += weight * member.sign
    np.testing.assert_allclose(coef, peer.coef_[0], atol=1e-5)


@pytest.mark.parametrize("steps", ["newton", "coordinate"])
@pytest.mark.parametrize("beta", [1.0, 0.1])
def test_smoothed_hinge_is_the_barrier_at_a_fixed_temperature(steps, beta):
    class Frozen(BarrierBoost):
        _cool, _accuracy = L1Leveraging._cool, L1Leveraging._accuracy

    del Rule.__registry__["Frozen"]
    rng = np.random.default_rng(3)
    H = np.where(rng.random((40, 25)) < 0.65, 1.0, -1.0)
    watch, twin = Watch(), Watch()
    for rule, callback in (
        (Frozen(3.0, steps, beta), watch),
        (L1Leveraging(SmoothedHinge(beta), 3.0, steps), twin),
    ):
        train(
            matrix_sample(H, np.ones(40)), FiniteOracle(), rule, max_rounds=15, callbacks=[callback]
        )
    for ours, theirs in zip(watch.trials, twin.trials, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert len(watch.trials) > 3


def test_small_price_is_plain_logistic_regression():
    """β = 1, C → 0: the logistic loss of the margin less 1, without regularisation (Remark 4.2)."""
    rng = np.random.default_rng(4)
    U = rng.uniform(-1, 1, (60, 5)) + 0.1
    run = train(
        matrix_sample(np.clip(U, -1, 1), np.ones(60)),
        FiniteOracle(closed=True),
        L1Leveraging(SmoothedHinge(1.0), 1e-9),
        max_rounds=100,
    )
    free = minimize(
        lambda a: np.logaddexp(0, 1 - np.clip(U, -1, 1) @ a).sum(), np.zeros(5), tol=1e-10
    )
    loss = 60 * np.logaddexp(0, 1) * (1 - run.certificate.value)
    assert loss == pytest.approx(free.fun, rel=1e-7)


# -- contracts and estimator ----------------------------------------------------------------------

VARIANTS = {
    "coordinate": lambda: L1Leveraging("exponential", 3.0, "coordinate"),
    "squared": lambda: L1Leveraging("squared", 3.0),
    "dear": lambda: L1Leveraging(LogCosh(2.0), 30.0),
}
SIGNED = ("squared", "weights_are_a_signed_distribution")
"""Of a residual loss the weights of rows beyond their label are negative."""


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{check.name}")
        for name, make in VARIANTS.items()
        for check in check_rule(make)
        if (name, check.name) != SIGNED
    ],
)
def test_variants_keep_the_contract(check):
    check()


def test_residual_losses_hold_margins_back():
    """Rows beyond their label get weights of the other sign; the absolute values sum to one."""
    rng = np.random.default_rng(0)
    H = np.where(rng.random((30, 40)) < 0.7, 1.0, -1.0)
    sample = matrix_sample(H, np.ones(30))
    run = train(sample, FiniteOracle(), L1Leveraging("squared", 1.0), max_rounds=40, tol=1e-8)
    assert run.certificate.gap <= 1e-8
    assert (run.dual[run.scores > 1 + 1e-9] < 0).all()
    assert (run.dual < 0).any()
    assert np.abs(run.dual).sum() == pytest.approx(1.0)


def test_too_dear_is_the_empty_model():
    X, y = circle_2d(60)
    model = L1LeveragingClassifier(C=1000.0).fit(X, y)
    assert model.stop_reason_ in (Stop.GAP, Stop.NO_EDGE)
    assert model.certificate_.value == 0.0
    assert model.certificate_.upper <= 1e-11
    assert len(model.estimators_) == 0
    np.testing.assert_array_equal(model.predict_proba(X), 0.5)
    np.testing.assert_array_equal(model.margins_, 0.0)


@pytest.mark.parametrize("loss", ["logistic", "exponential", Huber(0.5)])
def test_weights_are_copies(loss):
    X, y = circle_2d(80)
    counts = np.random.default_rng(0).integers(0, 3, size=80)
    weighted = L1LeveragingClassifier(loss=loss, tol=1e-9).fit(X, y, sample_weight=counts)
    copied = L1LeveragingClassifier(loss=loss, tol=1e-9).fit(X.repeat(counts, 0), y.repeat(counts))
    np.testing.assert_allclose(
        weighted.predict_proba(X),
        copied.predict_proba(X),
        atol=1e-4 if loss == "exponential" else 1e-5,
    )
    assert weighted.certificate_.value == pytest.approx(copied.certificate_.value, abs=1e-8)


def test_default_price_follows_the_weight_of_the_sample():
    X, y = circle_2d(100)
    own = L1LeveragingClassifier().fit(X, y)
    given_price = L1LeveragingClassifier(C=2.0).fit(X, y)
    np.testing.assert_array_equal(own.estimator_weights_, given_price.estimator_weights_)
    scaled = L1LeveragingClassifier().fit(X, y, sample_weight=np.full(100, 7.0))
    np.testing.assert_allclose(scaled.decision_function(X), own.decision_function(X), atol=1e-9)


def test_probabilities_are_those_of_the_loss():
    X, y = circle_2d(150)
    model = L1LeveragingClassifier().fit(X, y)
    scores = model.ensemble_.l1_norm * model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-9)
    boosted = L1LeveragingClassifier(loss="squared").fit(X, y)
    scores = boosted.ensemble_.l1_norm * boosted.decision_function(X)
    expected = np.clip((1 + scores) / 2, 0, 1)
    np.testing.assert_allclose(boosted.predict_proba(X)[:, 1], expected, atol=1e-9)


def test_results_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROW_BLOCK + 500, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0
    one, two = (L1LeveragingClassifier(n_estimators=4, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, two.dual_)


def test_a_learner_that_is_not_exact():
    """Greedy trees: nothing is proven, but every hypothesis found has the edge C in the end."""
    X, y = circle_2d(150)
    model = L1LeveragingClassifier(TreeOracle(max_depth=2), n_estimators=60, tol=None).fit(X, y)
    assert not model.certified_
    assert model.score(X, y) >= AdaBoostClassifier(n_estimators=5).fit(X, y).score(X, y)
    assert (model.estimator_weights_ > 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "savage"}, "loss: got 'savage', expected one that is convex and smooth"),
        ({"loss": "hinge"}, "loss: got 'hinge', expected one that is convex and smooth"),
        ({"loss": "cubic"}, "loss: got 'cubic', expected a Loss or one of"),
        ({"C": 0.0}, "C: got 0.0, expected a number above 0"),
        ({"steps": "long"}, "steps: got 'long', expected one of 'newton', 'coordinate'"),
    ],
)
def test_bad_settings(settings, message):
    X, y = circle_2d(30)
    with pytest.raises(ValueError, match=message):
        L1LeveragingClassifier(**settings).fit(X, y)
