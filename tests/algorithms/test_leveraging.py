"""Leveraging in learner mode: equivalences, corrections, certificates, options.

See R1-A19 to R1-A25.
"""

import doctest
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from marginboost import LeveragingClassifier, StumpOracle, TreeOracle
from marginboost.algorithms import AdaBoost, Leveraging
from marginboost.checks import check_rule
from marginboost.core import Stop, train
from marginboost.datasets import circle_2d
from marginboost.diagnostics import has_finite_minimiser, linear_rate
from marginboost.kernels.parallel import ROW_BLOCK
from marginboost.losses import Loss
from marginboost.solvers import CoordinateProblem, coordinate_descent
from strategies import (
    binned_sample,
    few,
    flip_family,
    imperfect_sign_problems,
    leaning_matrix,
    plain_adaboost,
    problems,
    real_problems,
    recorded,
    run_matrix,
    stump_matrix,
    theory,
)

VALUE = {
    "exponential": lambda m: np.exp(-m),
    "logistic": lambda m: np.logaddexp(0, -m),
    "squared": lambda m: (1 - m) ** 2 / 2,
    "squared-hinge": lambda m: np.maximum(1 - m, 0) ** 2 / 2,
    "savage": lambda m: 1 / (1 + np.exp(2 * m)) ** 2,
    "tangent": lambda m: (2 * np.arctan(m) - 1) ** 2,
}
"""Losses of the margin, written down once more."""
CONVEX = ["exponential", "logistic", "squared", "squared-hinge"]
CORRECTIONS = ["newton", "sweeps", "parallel"]


def saved(name, m):
    """Share of the empty model's loss that margins save."""
    return 1 - VALUE[name](m).sum() / VALUE[name](np.zeros(len(m))).sum()


def least(name, H, y):
    """Least loss over the matrix with negatives, by coordinate descent with another rule."""
    problem = CoordinateProblem.of(name, H, y)
    return coordinate_descent(problem, "cyclic", max_steps=20_000, tol=1e-9).values[-1]


def noisy_stumps(n=80, seed=0, features=2):
    """Rows of few values, so that equal rows have both labels and minimisers are finite."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, features)).astype(float)
    return X, np.where(X.sum(axis=1) + 3 * rng.normal(size=n) > 1.5 * features, 1, -1)


# -- equivalences ----------------------------------------------------------------------------------


@theory
@given(problem=imperfect_sign_problems(), step=st.sampled_from(["exact", "closed"]))
def test_exponential_leveraging_is_adaboost_a20(problem, step):
    """Round for round: hypotheses, coefficients, weights (R1-A20, CH-C14, LB-C9)."""
    H, y = problem
    U = H * y[:, None]
    run, record = recorded(H, y, Leveraging("exponential", step), 12)
    chosen, _, steps, weights = plain_adaboost(U, 12)
    for t, coef in enumerate(steps):
        d = np.abs(record.duals[t])
        np.testing.assert_allclose(d, weights[t], atol=1e-9)
        mine = run.ensemble.members[t].index
        assert run.ensemble.coef[t] == pytest.approx(coef, abs=1e-8)
        if mine != chosen[t]:  # a tie: equally good, but from here on another path
            assert d @ U[:, mine] == pytest.approx(d @ U[:, chosen[t]], abs=1e-9)
            break


def test_exponential_leveraging_is_adaboost_with_stumps():
    X, y = noisy_stumps(200, features=5)
    runs = [
        train(binned_sample(X, y), StumpOracle(), rule, max_rounds=40)
        for rule in (AdaBoost(), Leveraging("exponential"))
    ]
    assert runs[0].ensemble.members == runs[1].ensemble.members
    np.testing.assert_allclose(runs[0].ensemble.coef, runs[1].ensemble.coef, rtol=1e-9)


@theory
@given(problem=real_problems(), name=st.sampled_from(CONVEX))
def test_leveraging_is_gauss_southwell(problem, name):
    """With negatives in the class: the same columns and steps as descent on the matrix (R1-C59)."""
    H, y = problem
    run = run_matrix(H, y, Leveraging(name), 6, closed=True)
    descent = coordinate_descent(CoordinateProblem.of(name, H, y), max_steps=6, tol=1e-13)
    assume(descent.finite)
    n = min(len(run.ensemble), len(descent.chosen), 6)
    signs = np.array([member.sign for member in run.ensemble.members])
    losses = 1 - run.history["lower"][:n]
    np.testing.assert_allclose(losses, descent.values[1 : n + 1] / descent.values[0], atol=1e-9)
    if np.abs(descent.steps[:n]).min() > 1e-6:
        assert [m.index for m in run.ensemble.members][:n] == list(descent.chosen[:n])
        np.testing.assert_allclose((signs * run.ensemble.coef)[:n], descent.steps[:n], atol=1e-7)


@theory
@given(problem=real_problems(), name=st.sampled_from(CONVEX))
def test_best_improvement_among_all_columns_a23(problem, name):
    """Asked for all columns, it is the maximal improvement of coordinate descent."""
    H, y = problem
    rule = Leveraging(name, selection="improvement", columns=2 * H.shape[1])
    run = run_matrix(H, y, rule, 1, closed=True)
    cd = CoordinateProblem.of(name, H, y)
    decreases = cd.steps(np.zeros(H.shape[1]), np.zeros(len(y)))[1]
    assume(np.isfinite(decreases).all() and decreases.max() > 1e-9)
    empty = VALUE[name](np.zeros(len(y))).sum()
    assert run.certificate.value * empty == pytest.approx(decreases.max(), rel=1e-8)
    by_edge = run_matrix(H, y, Leveraging(name), 1, closed=True)
    assert run.certificate.value >= by_edge.certificate.value - 1e-12


def test_first_version_of_least_squares_is_not_ours_v10():
    """Edges are slopes: the column of largest edge is (3, 0), scaled into [-1, 1]."""
    H = np.array([[0.0, 1.0], [0.1, 0.0]])
    run = run_matrix(H, np.array([1, -1]), Leveraging("squared"), 2, closed=True)
    assert run.ensemble.members[0].index == 1
    assert run.ensemble.coef[0] == pytest.approx(1.0)


# -- convergence -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exponential", "logistic", "squared"])
@pytest.mark.parametrize("delta", [1.0, 0.6])
def test_linear_convergence_to_the_least_loss_c47(name, delta):
    """Finite minimisers (R1-Q37) and a δ-optimal learner: a straight line in the logarithm."""
    rng = np.random.default_rng(1)
    H, y = np.clip(rng.normal(size=(12, 5)) / 3, -1, 1), rng.choice([-1, 1], 12)
    assert has_finite_minimiser(y[:, None] * H)
    selection = "best" if delta == 1.0 else "delta"
    run = run_matrix(H, y, Leveraging(name), 300, selection=selection, delta=delta, closed=True)
    values = (1 - run.history["lower"]) * VALUE[name](np.zeros(12)).sum()
    rate = linear_rate(values, least(name, H, y), floor=1e-8)
    assert rate.fitted < 0.98
    assert rate.worst < 1.0 + 1e-9


def test_separable_data_geometric_decrease_c56():
    """With margin ρ* every edge is at least ρ*, so the loss falls by √(1 - ρ*²) a round."""
    run = run_matrix(flip_family(6), np.ones(6, dtype=int), Leveraging("exponential"), 60)
    values = 1 - run.history["lower"]
    assert (values[1:] <= np.sqrt(1 - (2 / 3) ** 2) * values[:-1] * (1 + 1e-9)).all()
    assert run.stop is Stop.GAP  # nothing is left of the loss


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("name", CONVEX)
def test_corrections_reach_the_least_loss_lb_a5(name, correction):
    """All coefficients at work, over all stumps; never worse than one at a time (LB-C10)."""
    X, y = noisy_stumps()
    H = stump_matrix(X)
    best = saved(name, np.zeros(len(y))) + 1 - least(name, H, y) / VALUE[name](0 * y).sum()
    rule = Leveraging(name, correction=correction)
    run = train(binned_sample(X, y), StumpOracle(), rule, max_rounds=60, tol=1e-5)
    single = train(
        binned_sample(X, y), StumpOracle(), Leveraging(name), max_rounds=len(run.history)
    )
    assert run.certificate.value == pytest.approx(best, abs=2e-5)
    assert run.certificate.value >= single.certificate.value - 1e-7
    assert (run.ensemble.coef > 0).all()
    assert (np.diff(run.history["lower"]) >= -1e-12).all()
    margins = y * run.ensemble.scores(run.sample.rows)
    assert run.certificate.value == pytest.approx(saved(name, margins), abs=1e-12)


@few
@given(problem=problems(), name=st.sampled_from(CONVEX), correction=st.sampled_from(CORRECTIONS))
def test_joint_coefficients_are_no_worse_lb_c10(problem, name, correction):
    """One round with the same hypothesis: correcting starts where a single step ends."""
    H, y = problem
    joint = run_matrix(H, y, Leveraging(name, correction=correction, columns=1), 1)
    single = run_matrix(H, y, Leveraging(name), 1)
    assert joint.certificate.value >= single.certificate.value - 1e-6


# -- certificate -----------------------------------------------------------------------------------

CHEAP = {
    "exponential": lambda: Leveraging("exponential"),
    "squared, closed": lambda: Leveraging("squared", step="closed"),
    "logistic, closed": lambda: Leveraging("logistic", step="closed"),
    "short steps": lambda: Leveraging("logistic", max_step=0.1, learning_rate=0.5),
}
VARIANTS = {
    **CHEAP,
    "improvement": lambda: Leveraging("logistic", selection="improvement", columns=3),
    "newton": lambda: Leveraging("logistic", correction="newton"),
    "sweeps": lambda: Leveraging("squared-hinge", correction="sweeps", columns=2),
    "parallel": lambda: Leveraging("logistic", correction="parallel", columns=3),
}
ABOUT = ("bounds_hold", "an_interrupted", "scores_are")
"""Promises that the variants could break apart from the plain rule, which keeps all of them."""


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            c, id=f"{n}-{c.name}", marks=pytest.mark.slow if c.name.startswith("bounds") else ()
        )
        for n, make in VARIANTS.items()
        for c in check_rule(make)
        if c.name.startswith(ABOUT[:1] if n in CHEAP else ABOUT)
    ],
)
def test_contract(check):
    check()


@pytest.mark.parametrize("name", CONVEX)
def test_gap_closes_where_the_optimum_is_reached(name):
    """At the least loss edges vanish, and the bound is the loss itself (Fenchel)."""
    X, y = noisy_stumps(seed=3)
    rule = Leveraging(name, correction="newton")
    run = train(binned_sample(X, y), StumpOracle(), rule, max_rounds=100, tol=1e-9)
    assert run.stop in (Stop.GAP, Stop.STALLED, Stop.NO_EDGE)
    assert run.certificate.gap <= 1e-8
    assert run.certificate.certified


def test_bounds_are_about_the_present_length():
    """They may rise when Σα does: old ones are not kept beyond what they were proven for."""
    H, y = flip_family(5), np.ones(5, dtype=int)
    history = run_matrix(H, y, Leveraging("logistic", max_step=0.05), 60).history
    assert (np.diff(history["upper"]) > 0).any()
    assert (history["lower"] <= history["upper"] + 1e-12).all()


@pytest.mark.parametrize("name", [n for n, loss in Loss.__registry__.items() if not loss.convex])
def test_losses_that_are_not_convex(name):
    """The loss falls in every round; nothing is certified, and that is said."""
    X, y = circle_2d()
    model = LeveragingClassifier(loss=name, n_estimators=40).fit(X, y)
    assert (np.diff(model.history_["lower"]) >= 0).all()
    assert model.history_["lower"][-1] > model.history_["lower"][0]
    assert not model.certified_
    assert "not convex" in model.certificate_.reason
    assert model.certificate_.upper == 1.0
    assert model.score(X, y) > 0.8
    if name in VALUE:
        margins = np.where(y == model.classes_[1], 1, -1) * model.ensemble_.scores(
            model.__read_rows__(X)
        )
        assert model.certificate_.value == pytest.approx(saved(name, margins), abs=1e-10)


# -- steps and options -----------------------------------------------------------------------------


def test_closed_step_of_the_logistic_loss_v09():
    """½ log(W+/W-) is half of the exact step here (R1-A21)."""
    H, y = np.array([[1.0], [1.0], [1.0], [-1.0]]), np.ones(4, dtype=int)
    steps = [
        run_matrix(H, y, Leveraging("logistic", step), 1).ensemble.coef[0]
        for step in ("closed", "exact")
    ]
    assert steps == pytest.approx([0.549306, 1.098612], abs=1e-6)


@few
@given(problem=problems())
def test_closed_steps_lower_the_loss(problem):
    """By the auxiliary function of the exponential loss they do for the logistic one, too."""
    H, y = problem
    run = run_matrix(H, y, Leveraging("logistic", "closed"), 15)
    assert (np.diff(run.history["lower"]) >= -1e-12).all()


def test_bounded_steps_a25():
    U = leaning_matrix(60, 6, 0.6, 0)
    y = np.ones(60, dtype=int)
    short = run_matrix(U, y, Leveraging("logistic", max_step=0.05), 200)
    assert short.ensemble.coef.max() == 0.05
    assert short.certificate.value == pytest.approx(
        run_matrix(U, y, Leveraging("logistic"), 200).certificate.value, abs=0.02
    )


def test_a_hypothesis_without_errors_is_the_model():
    H = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
    run = run_matrix(H, np.ones(3, dtype=int), Leveraging("logistic"), 10)
    assert run.stop is Stop.PERFECT
    assert [member.index for member in run.ensemble.members] == [0]
    assert run.certificate.gap <= 1e-8


def test_a_hypothesis_that_abstains_does_not_end_the_run():
    """No row is hurt, so no step is the best; rows that it leaves alone still need the others."""
    H = np.array([[1.0, 0.3], [1.0, 0.3], [1.0, 0.3], [0.0, 0.5]])
    H = np.column_stack([H, [-0.5, 0.2, 0.2, 0.4]])
    run = run_matrix(H[:, [0, 2]], np.ones(4, dtype=int), Leveraging("logistic"), 20)
    assert run.stop is not Stop.PERFECT
    assert len(run.ensemble) > 1


def test_confidence_rated_trees_a24():
    """Trees with real outputs and a search along them: the loss falls in every round."""
    X, y = load_breast_cancer(return_X_y=True)
    model = LeveragingClassifier(
        TreeOracle(max_depth=2, criterion="Z"), loss="exponential", n_estimators=25
    ).fit(X, y)
    assert (np.diff(model.history_["lower"]) >= 0).all()
    assert model.history_["lower"][-1] > 0.95
    assert not model.certified_


@pytest.mark.parametrize("correction", ["none", *CORRECTIONS])
def test_a_weight_of_two_is_two_rows(correction):
    X, y = noisy_stumps(60)
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    settings = {"correction": correction, "n_estimators": 5, "max_bins": None}
    weighted = LeveragingClassifier(**settings).fit(X, y, sample_weight=counts)
    copied = LeveragingClassifier(**settings).fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), copied.decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("correction", ["none", *CORRECTIONS])
def test_threads_change_nothing(correction):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROW_BLOCK + 100, 3))
    y = X.sum(axis=1) + rng.normal(size=len(X)) > 0
    settings = {"correction": correction, "n_estimators": 2, "max_bins": 16}
    if correction != "none":
        settings["columns"] = 2
    one, two = (LeveragingClassifier(n_jobs=n, **settings).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)
    np.testing.assert_array_equal(one.dual_, two.dual_)


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared", "squared-hinge"])
def test_probabilities_by_the_loss_of_the_model(name):
    """Where every pattern of the features has its own score, they are the shares of the labels."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 600)
    y = rng.random(600) < np.array([0.2, 0.5, 0.9])[x]
    model = LeveragingClassifier(loss=name, correction="newton", n_estimators=20)
    model.fit(x[:, None], y)
    shares = [y[x == value].mean() for value in range(3)]
    found = model.predict_proba(np.array([[0.0], [1.0], [2.0]]))
    np.testing.assert_allclose(found[:, 1], shares, atol=1e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_newton_is_logistic_regression_on_stumps():
    X, y = noisy_stumps(300, features=3)
    model = LeveragingClassifier(correction="newton", tol=1e-9).fit(X, y)
    features = np.array([X[:, j] <= c for j in range(3) for c in range(3)]).T.astype(float)
    theirs = LogisticRegression(C=1e8, tol=1e-10, max_iter=10_000).fit(features, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], theirs.predict_proba(features)[:, 1], atol=1e-3
    )


def test_snippets_of_the_guide_run():
    guide = Path(__file__).parents[2] / "docs" / "leveraging.md"
    failures, tried = doctest.testfile(str(guide), module_relative=False)
    assert tried >= 10
    assert failures == 0


def test_several_classes_and_calibration():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    assert LeveragingClassifier(n_estimators=20).fit(X, y).score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(LeveragingClassifier(n_estimators=10), cv=3)
    assert calibrated.fit(X, y > 0).score(X, y > 0) > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinge"}, "expected one that is smooth"),
        ({"loss": "hunge"}, "loss: got 'hunge'"),
        ({"step": "long"}, "step: got 'long'"),
        ({"step": "closed", "loss": "huber"}, "step: got 'closed' with the huber loss"),
        ({"learning_rate": 0.0}, "learning_rate: got 0.0"),
        ({"max_step": -1.0}, "max_step: got -1.0"),
        ({"selection": "worst"}, "selection: got 'worst'"),
        ({"correction": "all"}, "correction: got 'all'"),
        ({"columns": 0}, "columns: got 0"),
        ({"correction": "newton", "loss": "savage"}, "correction: got 'newton' with the savage"),
        ({"correction": "sweeps", "max_step": 1.0}, "max_step: got 1.0 with correction='sweeps'"),
        ({"correction": "newton", "selection": "improvement"}, "selection: got 'improvement' with"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        LeveragingClassifier(**settings).fit(np.eye(4), [0, 1, 0, 1])
