"""Boosting on p-convex hulls: every variant against its definition (BA-A3, BA-P9 to BA-P22)."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.tree import DecisionTreeClassifier

import marginboost
from marginboost import AdaBoostClassifier, Checkpoint, EarlyStopping, PBoostClassifier, Stop
from marginboost.algorithms import (
    AdaBoost,
    GravityPBoost,
    NaivePBoost,
    SloppyPBoost,
    SloppyPBoostAsRun,
    StrictPBoost,
)
from marginboost.algorithms.p_boost import VARIANTS
from marginboost.core import Callback
from marginboost.core.run import train
from marginboost.datasets import ring
from marginboost.oracles.finite import FiniteOracle, matrix_sample
from marginboost.solvers.p_hull import p_norm

X, Y = ring(50, 0.2, seed=3)


class Watch(Callback):
    """Keeps coefficients and scores of every round."""

    def __init__(self):
        self.coef, self.scores = [], []

    def on_round(self, state):
        self.coef.append(np.array(state.coef))
        self.scores.append(state.scores.copy())


def outcomes(rows=30, columns=40, right=0.6, seed=0):
    return np.where(np.random.default_rng(seed).random((rows, columns)) < right, 1.0, -1.0)


def run(rule, matrix=None, rounds=30, counts=None, y=None):
    matrix = outcomes() if matrix is None else matrix
    y = np.ones(len(matrix), dtype=int) if y is None else y
    watch = Watch()
    done = train(
        matrix_sample(matrix * y[:, None], y, counts),
        FiniteOracle(),
        rule,
        max_rounds=rounds,
        callbacks=[watch],
    )
    return done, watch


def columns_of(done):
    return [member.index for member in done.ensemble.members]


# -- all variants --------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.8, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("make", [StrictPBoost, SloppyPBoost, SloppyPBoostAsRun])
def test_coefficients_stay_on_the_hull(make, p):
    _, watch = run(make(p))
    for t, coef in enumerate(watch.coef, start=1):
        assert (coef > 0.0).all()
        assert p_norm(coef, p) == pytest.approx(1.0, abs=1e-12)
        assert coef.sum() <= max(1.0, t ** (1.0 - 1.0 / p)) + 1e-12


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_learn_several_classes_and_come_back_from_files(variant, tmp_path):
    rng = np.random.default_rng(0)
    rows, names = rng.normal(size=(60, 3)), np.array(["a", "b", "c"])
    labels = names[np.digitize(rows[:, 0], [-0.4, 0.4])]
    model = PBoostClassifier(variant=variant, n_estimators=20).fit(rows, labels)
    assert model.score(rows, labels) > 0.8
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
    assert loaded.get_params(deep=False)["variant"] == variant


@pytest.mark.parametrize("variant", VARIANTS)
def test_weights_are_copies_of_rows(variant):
    counts = np.random.default_rng(1).integers(0, 3, len(Y))
    settings = {"search": "published"} if variant == "strict" else {}
    weighted = PBoostClassifier(variant=variant, n_estimators=6, **settings)
    weighted.fit(X, Y, sample_weight=counts)
    copied = PBoostClassifier(variant=variant, n_estimators=6, **settings)
    copied.fit(X.repeat(counts, axis=0), Y.repeat(counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), copied.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("p", [0.0, -1.0, math.nan, math.inf, "two"])
def test_bad_p_is_refused(p):
    with pytest.raises((ValueError, TypeError), match="p: got"):
        PBoostClassifier(p=p).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variant", "lax"),
        ("search", "guess"),
        ("weight_update", "none"),
        ("penalty", -0.1),
        ("acceleration", -1.0),
        ("max_restarts", -1),
    ],
)
def test_bad_settings_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}: got"):
        PBoostClassifier(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("variant", VARIANTS)
def test_tiny_and_huge_p_end_with_a_reason(variant):
    with np.errstate(all="raise", under="ignore"):
        for p in (1e-6, 1e-3, 0.01, 100.0):
            model = PBoostClassifier(p=p, variant=variant, n_estimators=15).fit(X, Y)
            assert model.stop_reason_ in (Stop.ROUNDS, Stop.STALLED, Stop.SOLVER)
            assert len(model.estimators_) >= 1
            assert np.isfinite(model.estimator_weights_).all()
            assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_perfect_hypothesis_is_the_model(variant):
    rows = np.arange(6.0)[:, None]
    model = PBoostClassifier(variant=variant).fit(rows, rows[:, 0] > 2)
    assert model.stop_reason_ is Stop.PERFECT
    assert model.estimator_weights_.tolist() == [1.0]


def test_any_base_learner():
    for variant in ("strict", "sloppy-as-run", "gravity"):
        tree = PBoostClassifier(DecisionTreeClassifier(max_depth=2), variant=variant)
        assert tree.set_params(n_estimators=10).fit(X, Y).score(X, Y) > 0.75


def test_early_stopping_follows_a_vote_that_shrinks():
    for variant in ("strict", "sloppy", "naive"):
        stopping = EarlyStopping(X[:25], Y[:25], patience=40)
        model = PBoostClassifier(variant=variant, n_estimators=30, callbacks=[stopping])
        model.fit(X[25:], Y[25:])
        errors = np.array(stopping.errors_)
        plain = PBoostClassifier(variant=variant, n_estimators=30).fit(X[25:], Y[25:])
        staged = [np.mean(answer != Y[:25]) for answer in plain.staged_predict(X[:25])]
        np.testing.assert_allclose(errors, staged)
        assert len(model.estimators_) == 1 + int(np.argmin(errors))


def test_an_interrupted_fit_goes_on(tmp_path):
    class Break(Callback):
        def on_round(self, state):
            if state.round == 12:
                raise KeyboardInterrupt

    for variant in VARIANTS:
        settings = {"variant": variant, "n_estimators": 25, "p": 0.9, "max_restarts": 3}
        whole = PBoostClassifier(**settings).fit(X, Y)
        saved = Checkpoint(tmp_path / f"{variant}.json", every=5)
        try:
            PBoostClassifier(**settings, callbacks=[saved, Break()]).fit(X, Y)
        except KeyboardInterrupt:
            again = PBoostClassifier(**settings, callbacks=[saved]).fit(X, Y)
            np.testing.assert_array_equal(again.estimator_weights_, whole.estimator_weights_)


# -- strict --------------------------------------------------------------------------------------


def test_strict_at_one_is_frank_wolfe_with_exact_line_search():
    from scipy.optimize import minimize_scalar

    matrix = outcomes(seed=4)
    _, watch = run(StrictPBoost(1.0), matrix, rounds=12)
    scores, costs = np.zeros(len(matrix)), []
    for t, ours in enumerate(watch.scores):
        weights = np.exp(-scores)
        column = matrix[:, np.argmax(weights @ matrix)]

        def cost(theta, start=scores, end=column):
            return np.exp(-((1.0 - theta) * start + theta * end)).sum()

        theta = 1.0
        if t:
            options = {"xatol": 1e-12}
            theta = minimize_scalar(cost, bounds=(0, 1), method="bounded", options=options).x
        scores = (1.0 - theta) * scores + theta * column
        costs.append(np.exp(-scores).sum())
        np.testing.assert_allclose(ours, scores, atol=1e-5)
        scores = ours
    assert (np.diff(costs) < 1e-9).all()


def test_strict_above_one_never_lacks_a_step():
    for p, seed in product((1.05, 1.3, 2.0, 4.0), range(5)):
        done, _ = run(StrictPBoost(p), outcomes(right=0.55, seed=seed), rounds=60)
        assert done.stop is Stop.ROUNDS


def test_strict_below_one_ends_early_and_leaves_the_vote_unchanged():
    rule = StrictPBoost(0.5, search="global")
    done, watch = run(rule, outcomes(right=0.7, seed=1), rounds=50)
    assert done.stop is Stop.STALLED
    assert len(done.history) < 10
    np.testing.assert_array_equal(watch.scores[-1], watch.scores[-2])
    np.testing.assert_array_equal(watch.coef[-1], watch.coef[-2])


def test_fresh_starts_go_on_from_the_prior_weights():
    matrix = outcomes(right=0.7, seed=1)
    short, _ = run(StrictPBoost(0.8, search="global"), matrix, rounds=80)
    rule = StrictPBoost(0.8, search="global", max_restarts=2)
    done, _ = run(rule, matrix, rounds=80)
    assert short.stop is Stop.STALLED
    assert len(done.history) > len(short.history)
    at = len(short.history)
    assert done.history["coef"][at - 1] == 0.0
    np.testing.assert_allclose(done.history["edge"][at], matrix.mean(axis=0).max())


def test_a_search_that_does_not_converge_is_a_typed_stop(monkeypatch):
    monkeypatch.setattr("marginboost.solvers.p_hull.MOST_ITERATIONS", 2)
    done, _ = run(StrictPBoost(1.5))
    assert done.stop is Stop.SOLVER
    assert len(done.ensemble) == 1


# -- sloppy --------------------------------------------------------------------------------------


def normed_boosting(matrix, p, rounds, acceleration=0.0):
    """Definition of BA-A3, in NumPy: AdaBoost's step, then all coefficients over their norm."""
    b, used = np.zeros(0), []
    for t in range(rounds):
        scores = sum(
            (w * matrix[:, j] for w, j in zip(b, used, strict=True)), np.zeros(len(matrix))
        )
        steep = max(t, 1.0) ** acceleration
        weights = np.exp(-steep * scores)
        weights /= weights.sum()
        j = int(np.argmax(weights @ matrix))
        error = weights[matrix[:, j] < 0].sum()
        b = np.append(b, 0.5 * math.log((1.0 - error) / error) / steep)
        used.append(j)
        b /= (b**p).sum() ** (1.0 / p)
    return b, used


@pytest.mark.parametrize("acceleration", [0.0, 0.5])
@pytest.mark.parametrize("p", [0.7, 1.0, 2.0])
def test_sloppy_is_normed_boosting(p, acceleration):
    matrix = outcomes(seed=2)
    done, _ = run(SloppyPBoost(p, acceleration), matrix, rounds=15)
    b, used = normed_boosting(matrix, p, 15, acceleration)
    assert columns_of(done) == used
    np.testing.assert_allclose(done.ensemble.coef, b, rtol=1e-9)


def test_sloppy_step_is_adaboosts_under_its_weights():
    done, watch = run(SloppyPBoost(1.5), rounds=15)
    for t in range(1, 15):
        step = math.atanh(done.history["edge"][t])
        expected = step / (1.0 + step**1.5) ** (1.0 / 1.5)
        assert watch.coef[t][-1] == pytest.approx(expected)


def test_sloppy_as_run_has_one_sequence_for_every_p_and_a_closed_form():
    matrix = outcomes(seed=5)
    runs = {p: run(SloppyPBoostAsRun(p), matrix, rounds=25)[0] for p in (0.5, 1.0, 2.0)}
    assert columns_of(runs[0.5]) == columns_of(runs[1.0]) == columns_of(runs[2.0])
    p, b = 2.0, runs[2.0].ensemble.coef
    steps = [1.0]
    for t in range(1, 25):  # b_t = α_t (1 + α_t^p)^(-1/p) ... solved for α from the last one down
        tail = runs[p].ensemble.coef[t:]
        share = tail[0] ** p / (1.0 - (tail[1:] ** p).sum())
        steps.append((share / (1.0 - share)) ** (1.0 / p))
    for q, done in runs.items():
        factors = [(1.0 + a**q) ** (-1.0 / q) for a in steps[1:]]
        expected = [steps[0] * math.prod(factors)]
        expected += [steps[t] * math.prod(factors[t - 1 :]) for t in range(1, 25)]
        np.testing.assert_allclose(done.ensemble.coef, expected, rtol=1e-6)
    assert b[-1] > b[0]


def test_sloppy_as_run_is_adaboost_but_for_its_first_step():
    matrix = outcomes(rows=200, seed=6)
    done, _ = run(SloppyPBoostAsRun(1.0), matrix, rounds=8)
    scores = np.zeros(len(matrix))
    for t, j in enumerate(columns_of(done)):
        weights = np.exp(-scores) / np.exp(-scores).sum()
        assert j == int(np.argmax(weights @ matrix))
        scores += (math.atanh(weights @ matrix[:, j]) if t else 1.0) * matrix[:, j]


def test_sloppy_as_described_is_not_sloppy_as_run():
    ours = run(SloppyPBoost(1.0), rounds=20)[0]
    theirs = run(SloppyPBoostAsRun(1.0), rounds=20)[0]
    assert columns_of(ours) != columns_of(theirs)


def test_at_one_neither_strict_nor_sloppy_is_adaboost():
    first = np.sign(run(AdaBoost())[0].scores)
    for rule in (StrictPBoost(1.0), SloppyPBoost(1.0)):
        assert (np.sign(run(rule)[0].scores) != first).any()


# -- naive ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_naive_has_adaboosts_hypotheses_and_powers_its_coefficients(p):
    theirs, _ = run(AdaBoost())
    done, _ = run(NaivePBoost(p))
    assert columns_of(done) == columns_of(theirs)
    np.testing.assert_allclose(done.history["edge"], theirs.history["edge"], rtol=1e-9)
    np.testing.assert_allclose(done.ensemble.coef, theirs.ensemble.coef ** (1.0 / p), rtol=1e-9)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (0.01, (5.279, 3.282, 2.298, 1.516)),
        (0.1, (1.207, 1.144, 1.099, 1.048)),
        (0.2, (0.4805, 0.5924, 0.6931, 0.8326)),
        (0.3, (0.1795, 0.2932, 0.4236, 0.6509)),
        (0.4, (0.0411, 0.1023, 0.2027, 0.4503)),
    ],
)
def test_naive_coefficients_of_the_source(error, expected):
    matrix = np.ones((100, 1))
    matrix[: round(100 * error)] = -1.0
    for p, coef in zip((0.5, 0.7, 1.0, 2.0), expected, strict=True):
        done, _ = run(NaivePBoost(p), matrix, rounds=1)
        assert done.ensemble.coef[0] == pytest.approx(coef, abs=5.1e-4)


def test_naive_weights_may_come_from_the_powered_coefficients():
    matrix = outcomes(seed=7)
    done, _ = run(NaivePBoost(0.7, weight_update="pboost"), matrix, rounds=10)
    scores = np.zeros(len(matrix))
    for coef, j in zip(done.ensemble.coef, columns_of(done), strict=True):
        weights = np.exp(-scores) / np.exp(-scores).sum()
        assert j == int(np.argmax(weights @ matrix))
        assert coef == pytest.approx(math.atanh(weights @ matrix[:, j]) ** (1.0 / 0.7))
        scores += coef * matrix[:, j]


def test_naive_powers_beyond_the_range_of_numbers_keep_their_ratios():
    matrix, p = outcomes(seed=8, right=0.8), 0.002
    done, _ = run(NaivePBoost(p), matrix, rounds=20)
    theirs, _ = run(AdaBoost(), matrix, rounds=20)
    logs = np.log(theirs.ensemble.coef) / p
    kept = logs > logs.max() - 300.0
    assert len(done.ensemble) <= 20
    largest = np.log(np.sort(done.ensemble.coef)[::-1][: kept.sum()])
    np.testing.assert_allclose(
        largest - largest[0], np.sort(logs[kept])[::-1] - logs.max(), rtol=1e-6, atol=1e-6
    )


def test_signed_naive_takes_hypotheses_worse_than_guessing():
    matrix = -np.ones((10, 1))
    matrix[:2] = 1.0  # right on two rows of ten: edge -0.6
    assert run(NaivePBoost(2.0), matrix, rounds=1)[0].stop is Stop.NO_EDGE
    done, _ = run(NaivePBoost(2.0, signed=True), matrix, rounds=1)
    assert done.ensemble.coef[0] == pytest.approx(-(math.atanh(0.6) ** 0.5))
    assert np.mean(done.scores > 0) == 0.8


# -- gravity and acceleration --------------------------------------------------------------------


def test_gravity_without_a_price_is_adaboost():
    model = PBoostClassifier(variant="gravity", penalty=0.0, n_estimators=30).fit(X, Y)
    theirs = AdaBoostClassifier(n_estimators=30).fit(X, Y)
    np.testing.assert_allclose(model.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_a_larger_price_shortens_the_first_step(p):
    steps = [
        run(GravityPBoost(p, penalty), rounds=1)[0].ensemble.coef.sum()
        for penalty in (0.0, 0.05, 0.1, 0.2, 0.4)
    ]
    assert (np.diff(steps) <= 1e-9).all()
    assert steps[0] > steps[2]


def test_gravity_at_one_is_a_soft_threshold():
    matrix, price = outcomes(seed=9), 0.1
    done, _ = run(GravityPBoost(1.0, price), matrix, rounds=200)
    scores = np.zeros(len(matrix))
    for coef, j in zip(done.ensemble.coef, columns_of(done), strict=True):
        weights = np.exp(-scores) / len(matrix)
        right, wrong = weights[matrix[:, j] > 0].sum(), weights[matrix[:, j] < 0].sum()
        u = (math.sqrt(price**2 + 4.0 * right * wrong) - price) / (2.0 * wrong)
        assert coef == pytest.approx(math.log(u), abs=1e-6)
        scores += coef * matrix[:, j]
    assert done.stop is Stop.STALLED
    assert (np.exp(-scores) @ matrix).max() / len(matrix) <= price + 1e-6


def test_gravity_lowers_its_objective_every_round():
    for p in (0.7, 1.5):
        _, watch = run(GravityPBoost(p, 0.02), outcomes(seed=10))
        totals = [
            np.mean(np.exp(-scores)) + 0.02 * p_norm(coef, p)
            for scores, coef in zip(watch.scores, watch.coef, strict=True)
        ]
        assert (np.diff(totals) <= 1e-12).all()
        assert totals[0] < 1.0


def test_gravity_averages_over_the_rows_each_with_its_own_label():
    """BA-X18: (4.14) has l and all of y in print; it is about m rows and the label of each."""
    matrix, p, price = outcomes(rows=20, seed=10), 1.5, 0.05
    y = np.where(np.arange(20) % 3 == 0, -1, 1)
    done, _ = run(GravityPBoost(p, price), matrix, rounds=8, y=y)
    outputs, scores, earlier = matrix * y[:, None], np.zeros(20), np.zeros(0)
    for coef, j in zip(done.ensemble.coef, columns_of(done), strict=True):

        def printed_with_m_and_y_i(step, j=j, scores=scores, earlier=earlier):
            losses = [math.exp(-y[i] * (scores[i] + step * outputs[i, j])) for i in range(20)]
            return sum(losses) / 20 + price * p_norm(np.append(earlier, step), p)

        best = minimize_scalar(printed_with_m_and_y_i, bounds=(0.0, 5.0), options={"xatol": 1e-9})
        assert coef == pytest.approx(best.x, abs=1e-6)
        scores, earlier = scores + coef * outputs[:, j], np.append(earlier, coef)
    thrice, _ = run(GravityPBoost(p, price), np.repeat(matrix, 3, 0), 8, y=np.repeat(y, 3))
    np.testing.assert_allclose(thrice.ensemble.coef, done.ensemble.coef, rtol=1e-6)


def test_acceleration_reaches_training_errors_that_sloppy_does_not():
    rows, labels = ring(50, seed=1)
    errors = {
        rate: 1.0
        - PBoostClassifier(variant="accelerated", p=1.0, acceleration=rate, n_estimators=300)
        .fit(rows, labels)
        .score(rows, labels)
        for rate in (0.0, 0.5)
    }
    assert errors[0.5] == 0.0
    assert errors[0.0] > 0.0


def test_a_vote_on_another_hull_predicts_the_same_but_another_p_does_not():
    one, two = (PBoostClassifier(p=p, n_estimators=40).fit(X, Y) for p in (1.0, 2.0))
    grid = np.random.default_rng(0).random((500, 2))
    scores = one.decision_function(grid)
    scaled = scores / p_norm(one.estimator_weights_, 2.0)
    np.testing.assert_array_equal(np.sign(scaled), np.sign(scores))
    assert (one.predict(grid) != two.predict(grid)).any()
