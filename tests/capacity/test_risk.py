"""Risks with known truth, structural risk minimisation, PAC checks, bounds of fitted models."""

import math
from itertools import product

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from marginboost import AdaBoostClassifier, LPBoostClassifier
from marginboost.capacity import (
    BoundDisplay,
    Intervals,
    Monomials,
    StructuralRiskDisplay,
    Stumps,
    Thresholds,
    best_guesser,
    compression_set,
    covering_number,
    disc_risk,
    empirical_risk_minimiser,
    exponential_threshold_error,
    finite_class_sample_size,
    gaussian_threshold_error,
    hull_log2_covering,
    hull_norm,
    in_hull,
    line_table,
    midpoint_threshold,
    model_bounds,
    onto_hull,
    pac_check,
    pac_sample_size,
    rounds_structural_risk,
    structural_risk,
    sup_distance,
    true_risk,
    uniform_covering_number,
    vc_bound,
)
from marginboost.datasets import circle_2d, flip_labels

matplotlib.use("Agg")


# -- the book's examples --------------------------------------------------------------------------


def test_tables_of_the_line_sf_e5():
    x, y = line_table()
    cuts, errors = Thresholds().errors(x, y)
    assert errors.min() == 0.0
    assert cuts[errors.argmin()] == pytest.approx(5.3)
    x, y = line_table(noisy=True)
    cuts, errors = Thresholds().errors(x, y)
    counts = np.rint(12 * errors).astype(int).tolist()
    assert counts == [7, 6, 5, 4, 3, 4, 3, 2, 3, 4, 3, 4, 5]  # Fig. 2.1
    assert cuts[errors.argmin()] == pytest.approx(5.3)
    pieces = Intervals(None).runs(x, y)  # eq. 2.2: three runs of positives
    assert len(pieces) == 3
    assert (Intervals(None).learn(x, y)(x) == y).all()


def test_the_best_of_many_guessers_sf_e6():
    assert best_guesser(50)[8:].sum() == pytest.approx(0.940, abs=5e-4)
    assert best_guesser(50)[9:].sum() == pytest.approx(0.417, abs=5e-4)
    assert best_guesser(1000)[10] == pytest.approx(0.624, abs=5e-4)
    means = [best_guesser(n) @ np.arange(11) for n in (1, 10, 50, 1000)]
    np.testing.assert_allclose(means, [5.0, 7.38, 8.40, 9.62], atol=5e-3)


def test_generative_and_discriminative_rules_sf_c17():
    """Normal classes: both tend to the best threshold. Skewed ones: the midpoint does not."""
    rng, n = np.random.default_rng(0), 40_000
    y = rng.choice([-1, 1], n)
    normal = rng.normal(size=n) + y  # means ±1, two deviations apart
    cuts, errors = Thresholds().errors(normal, y)
    least = gaussian_threshold_error(2)
    assert errors.min() == pytest.approx(least, abs=0.01)
    assert abs(midpoint_threshold(normal, y)) < 0.03
    skewed = rng.exponential(size=n) + (y > 0)
    cuts, errors = Thresholds().errors(skewed, y)
    found = exponential_threshold_error(float(cuts[errors.argmin()]), 1.0)
    generative = exponential_threshold_error(midpoint_threshold(skewed, y), 1.0)
    assert found == pytest.approx(0.5 * math.exp(-1.0), abs=0.005)
    assert generative == pytest.approx(0.30830, abs=0.005)


def test_the_training_error_of_the_best_is_too_good_sf_x2_1():
    """E[êrr(ĥ)] ≤ err(h*) ≤ E[err(ĥ)]: thresholds on uniform points, 20 % flips (SF-C16)."""
    rng = np.random.default_rng(1)
    seen, true = [], []
    for _ in range(400):
        x = rng.random(30)
        y = np.where(x >= 0.5, 1, -1) * np.where(rng.random(30) < 0.2, -1, 1)
        cuts, errors = Thresholds().errors(x, y)
        best = float(np.clip(cuts[errors.argmin()], 0.0, 1.0))
        seen.append(errors.min())
        true.append(0.2 + 0.6 * abs(best - 0.5))
    assert np.mean(seen) + 0.01 < 0.2 < np.mean(true) - 0.01


# -- risks ----------------------------------------------------------------------------------------


def ring(n, seed=0):
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.where(((X - 0.5) ** 2).sum(axis=1) < 0.125, 1, -1)


def test_risk_on_the_disc_is_exact_ba_q4():
    """By area and by a million draws; constants err π/8 and 1 - π/8."""
    assert disc_risk(lambda X: np.full(len(X), -1), []) == pytest.approx(math.pi / 8)
    assert disc_risk(lambda X: np.full(len(X), 1), []) == pytest.approx(1 - math.pi / 8)
    half = disc_risk(lambda X: np.where(X[:, 0] > 0.5, 1, -1), [(0, 0.5)])
    assert half == pytest.approx(0.5)
    model = AdaBoostClassifier(n_estimators=40).fit(*ring(60))
    cuts = [cut for hypothesis in model.estimators_ for cut in hypothesis.cuts()]
    exact = disc_risk(model.predict, cuts)
    drawn = true_risk(model.predict, lambda n: ring(n, seed=9), 400_000)
    assert abs(exact - drawn.value) < 4 * drawn.standard_error
    assert drawn.standard_error < 1e-3


def test_the_minimiser_of_the_empirical_risk_r1_a01():
    predictors = [lambda x, cut=cut: np.where(np.asarray(x) >= cut, 1, -1) for cut in range(9)]
    x, y = line_table(noisy=True)
    best, risks = empirical_risk_minimiser(predictors, x, y)
    assert best == int(np.argmin(risks))
    assert risks[best] == pytest.approx(3 / 12)
    squared = empirical_risk_minimiser(predictors, x, y, loss=lambda a, b: (a - b) ** 2.0)[1]
    np.testing.assert_allclose(squared, 4 * risks)
    weighted = empirical_risk_minimiser(predictors, x, y, sample_weight=np.where(y > 0, 1, 0))
    assert weighted[0] == 0
    with pytest.raises(ValueError, match="predictors: got none"):
        empirical_risk_minimiser([], x, y)


def test_structural_risk_has_an_inner_minimum_r1_a02():
    """Unions of k intervals on noisy labels: risk falls, the term rises, the sum is U-shaped."""
    n, rng = 8000, np.random.default_rng(0)
    x = np.sort(rng.random(n))
    y = np.where(np.floor(4 * x) % 2 == 0, 1, -1) * np.where(rng.random(n) < 0.1, -1, 1)
    risks = [interval_risk(y, k) for k in range(1, 6)]
    found = structural_risk(risks, [2 * k for k in range(1, 6)], n)
    assert (np.diff(found.empirical_risk) <= 0).all()
    assert (np.diff(found.confidence) > 0).all()
    assert found.best == 1  # two intervals, as in the truth
    np.testing.assert_allclose(found.bound, found.empirical_risk + found.confidence)
    # sharing δ costs a little, and makes the chosen bound hold though it was chosen
    alone = structural_risk(risks, [2 * k for k in range(1, 6)], n, shared=False)
    assert (alone.bound < found.bound).all()
    assert alone.bounds[2] == vc_bound(n, 6, risks[2])
    with pytest.raises(ValueError, match="vc_dimensions"):
        structural_risk([0.1, 0.2], [3, 2], 100)


def interval_risk(y, k):
    """Least error of k intervals on points in order, by dynamic programming over runs."""
    wrong_in, wrong_out = (y < 0).astype(float), (y > 0).astype(float)
    outside, inside = np.zeros(k + 1), np.full(k + 1, np.inf)
    for a, b in zip(wrong_in, wrong_out, strict=True):
        entered = np.concatenate([[np.inf], outside[:-1]])
        inside, outside = np.minimum(inside, entered) + a, np.minimum(outside, inside) + b
    return min(outside.min(), inside.min()) / len(y)


def test_rounds_are_a_structure_too():
    X, y = circle_2d(400, 1)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    errors = [(stage != y).mean() for stage in model.staged_predict(X)]
    found = rounds_structural_risk(errors, 3, 1_000_000)
    assert (np.diff(found.confidence) >= 0).all()
    assert np.isinf(rounds_structural_risk(errors, 3, 100).bound[-1])


def test_consistent_thresholds_are_pac_learners_r1_c02_r1_q07():
    epsilon, delta = 0.1, 0.1

    def draw(n, seed):
        x = np.random.default_rng(seed).random(n)
        return x, np.where(x >= 0.5, 1, -1)

    def error(predict):
        grid = np.linspace(0, 1, 2001)
        return float((predict(grid) != np.where(grid >= 0.5, 1, -1)).mean())

    def check(n):
        return pac_check(
            Thresholds().learn,
            draw,
            error,
            n_examples=n,
            epsilon=epsilon,
            delta=delta,
            n_trials=300,
        )

    enough = check(pac_sample_size(1, epsilon=epsilon, delta=delta))
    assert enough.holds is True
    assert enough.successes == 300
    few = check(3)
    assert few.holds is False
    assert few.low < few.successes / 300 < few.high


def test_monomials_are_pac_learnable_sf_x2_3():
    """Rows of bits; the truth is that two of six are 1. Rows enough by SF-Q20, and too few."""
    monomials, epsilon, delta = Monomials(6), 0.1, 0.1

    def truth(X):
        return np.where(X[:, [0, 2]].all(axis=1), 1, -1)

    def draw(n, seed):
        X = np.random.default_rng(seed).integers(0, 2, (n, 6))
        return X, truth(X)

    every = np.array(list(product((0, 1), repeat=6)))
    enough = finite_class_sample_size(monomials.size, epsilon=epsilon, delta=delta)
    holds = [
        pac_check(
            monomials.learn,
            draw,
            lambda predict: float((predict(every) != truth(every)).mean()),
            n_examples=n,
            epsilon=epsilon,
            delta=delta,
            n_trials=200,
        ).holds
        for n in (enough, 3)
    ]
    assert holds == [True, False]


def test_weak_learners_keep_one_pair_and_strong_ones_every_pair_sf_q25():
    """A majority of three features: a stump errs by a quarter however many rows, boosted less."""

    def draw(n, seed):
        X = np.random.default_rng(seed).random((n, 3))
        return X, np.where((X > 0.5).sum(axis=1) >= 2, 1, -1)

    X_test, y_test = draw(4000, 10_000)

    def holds(rounds, n, epsilon, delta=0.1):
        return pac_check(
            lambda X, y: AdaBoostClassifier(n_estimators=rounds).fit(X, y).predict,
            draw,
            lambda predict: float((predict(X_test) != y_test).mean()),
            n_examples=n,
            epsilon=epsilon,
            delta=delta,
            n_trials=60,
        ).holds

    assert holds(1, 100, epsilon=0.5 - 0.15)  # weak: below one half by γ = 0.15
    assert holds(1, 100, epsilon=0.2) is holds(1, 1000, epsilon=0.2) is False  # and not strong
    for epsilon, n in ((0.35, 100), (0.2, 100), (0.05, 400), (0.02, 1500)):
        assert holds(60, n, epsilon)  # strong: any ε, with rows enough


def test_boosting_makes_a_strong_learner_of_a_weak_one_sf_a2_r1_c04():
    """One stump on a majority of three features errs by a quarter; boosted it hardly errs."""
    rng = np.random.default_rng(0)

    def draw(n):
        X = rng.random((n, 3))
        return X, np.where((X > 0.5).sum(axis=1) >= 2, 1, -1)

    test = draw(20_000)
    errors = {}
    for n in (30, 300, 3000):
        X, y = draw(n)
        errors[n] = 1 - AdaBoostClassifier(n_estimators=100).fit(X, y).score(*test)
    weak = 1 - AdaBoostClassifier(n_estimators=1).fit(X, y).score(*test)
    assert 0.2 < weak < 0.5
    assert errors[3000] < 0.005 < errors[30]
    assert errors[3000] < errors[300] + 1e-9


# -- covers and hulls -----------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=7))
def test_covers_shrink_with_the_scale_ba_p25(columns):
    outcomes = np.array(columns).T
    sizes = [covering_number(outcomes, epsilon) for epsilon in (0.05, 0.3, 1.0, 2.5)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert all(covering_number(outcomes, e, exact=False) >= s for e, s in ((0.3, sizes[1]),))
    few = [uniform_covering_number(outcomes, 0.3, m) for m in (1, 2, 3)]
    assert few == sorted(few)
    assert few[-1] == sizes[1]


def test_greedy_covers_may_be_larger():
    line = [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]
    assert covering_number(line, 1.5) == 2
    assert sup_distance([0.0, 1.0], [0.5, -1.0]) == 2.0


coefficients = st.lists(st.floats(0.001, 10), min_size=1, max_size=6)


@given(coefficients, st.floats(0.2, 3), st.floats(0.2, 3))
def test_hulls_are_nested_ba_p8(coef, p, q):
    low, high = sorted((p, q))
    on_the_smaller = onto_hull(coef, low)
    assert in_hull(on_the_smaller, low)
    assert in_hull(on_the_smaller, high)
    assert hull_norm(on_the_smaller, low) == pytest.approx(1.0)
    assert hull_norm(coef, high) <= hull_norm(coef, low) * (1 + 1e-9)


def test_hulls_of_smaller_p_have_smaller_covers_ba_q16():
    sizes = [hull_log2_covering(p, 2, 0.25) for p in (0.5, 0.8, 1.0, 1.2, 1.5)]
    np.testing.assert_allclose([sizes[0], sizes[2], sizes[4]], [10.0794, 64, 16384], rtol=1e-5)
    assert sizes == sorted(sizes)
    with pytest.raises(ValueError, match="only zeros"):
        onto_hull([0.0], 1.0)


# -- fitted models --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noisy():
    X, y = circle_2d(300, 3)
    return X, flip_labels(y, 0.1, 0)[0]


def test_bounds_of_a_fitted_model(noisy):
    X, y = noisy
    model = AdaBoostClassifier(n_estimators=50).fit(X, y)
    test = circle_2d(5000, 8)
    bounds = model_bounds(model, X, y, X_test=test[0], y_test=test[1])
    assert bounds == sorted(bounds)
    named = {bound.name: bound for bound in bounds}
    assert set(named) >= {"margins", "number of rounds", "test set"}
    error = 1 - model.score(*test)
    assert error < named["test set"] < error + 0.03
    assert named["test set"].valid
    assert not named["margins"].valid
    assert all(bound > error for bound in bounds)
    # the vote's own margin bound does not know the number of rounds; the VC-type bound does
    longer = AdaBoostClassifier(n_estimators=200).fit(X, y)
    more = {bound.name: bound for bound in model_bounds(longer, X, y)}
    growth = more["number of rounds"].terms["capacity and confidence"]
    assert growth == pytest.approx(2 * named["number of rounds"].terms["capacity and confidence"])
    capacity = Stumps(2).vc_dimension
    assert model_bounds(model, X, y, vc_dimension=capacity)[0] == model_bounds(model, X, y)[0]


def test_models_of_other_base_learners_must_say_their_dimension(noisy):
    from marginboost import (
        BaggedVoteClassifier,
        GradientBoostClassifier,
        GraphSepBoostClassifier,
        TreeOracle,
    )

    X, y = noisy
    model = AdaBoostClassifier(TreeOracle(max_depth=2), n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="vc_dimension: not known for TreeOracle"):
        model_bounds(model, X, y)
    assert model_bounds(model, X, y, vc_dimension=8)
    trees = GradientBoostClassifier(n_estimators=2).fit(X, y)  # not stumps where none is given
    with pytest.raises(ValueError, match="vc_dimension: not known for GradientTreeOracle"):
        model_bounds(trees, X, y)
    assert model_bounds(BaggedVoteClassifier(n_estimators=3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="whose model is no vote"):
        model_bounds(GraphSepBoostClassifier(n_estimators=3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="X_test, y_test"):
        model_bounds(model, X, y, vc_dimension=8, X_test=X)


def test_an_svm_is_found_again_from_its_support_r1_a38():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X = X[np.abs(X.sum(axis=1)) > 0.4]
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    model = SVC(kernel="linear", C=1e6).fit(X, y)
    kept = compression_set(model, X, y)
    assert len(kept.indices) <= 5
    assert kept.agrees == 1.0
    assert kept.bound.valid
    assert not kept.bound.vacuous
    # other examples do not tell the same: the bound is void
    wrong = compression_set(model, X, y, support=np.arange(4))
    assert wrong.agrees < 1.0
    assert not wrong.bound.valid


def test_a_vote_rests_on_the_examples_with_weight(noisy):
    X, y = noisy
    model = LPBoostClassifier(nu=0.4).fit(X, y)
    kept = compression_set(model, X, y)
    assert 0.4 * len(X) <= len(kept.indices) < len(X)
    with pytest.raises(ValueError, match="expected fewer"):
        compression_set(model, X, y, support=np.arange(len(X)))


def test_displays(noisy, tmp_path):
    X, y = noisy
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    display = BoundDisplay.from_estimator(model, X, y, X_test=X[:50], y_test=y[:50])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [
        bound.name for bound in display.bounds
    ]
    assert all(
        light.get_hatch() == (None if bound.valid else "////")
        for bound, (_, light) in zip(display.bounds, display.bars_, strict=True)
    )
    with pytest.raises(ValueError, match="bounds: got none"):
        BoundDisplay([])
    found = structural_risk([0.3, 0.1, 0.09], [2, 4, 60], 5000)
    curves = StructuralRiskDisplay(found, test_error=[0.3, 0.12, 0.12]).plot()
    assert set(curves.lines_) == {"bound", "empirical risk", "confidence term", "test error"}
    np.testing.assert_allclose(curves.lines_["bound"].get_ydata(), found.bound)
    display.figure_.savefig(tmp_path / "bounds.png")
    curves.figure_.savefig(tmp_path / "risk.png")
