"""AdaBoost_Reg and the soft-margin recipe (R2-A1, R2-A2, R2-Q2, R2-Q3, R2-C8)."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from marginboost import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    Callback,
    Checkpoint,
    EarlyStopping,
    Stop,
    TreeOracle,
    load,
)
from marginboost.algorithms import AdaBoost, AdaBoostReg, ArcGV
from marginboost.checks import check_rule
from marginboost.core import train
from marginboost.datasets import DATA_VARIABLE, circle_2d, load_cleveland, load_wisconsin
from marginboost.diagnostics import InfluenceRecorder
from marginboost.estimators.base import algorithm_of
from marginboost.oracles import FiniteOracle, StumpOracle, matrix_sample
from strategies import imperfect_sign_problems, real_problems, recorded, run_matrix, theory

GRID = np.linspace(0.0, 5.0, 2001)[1:]

problems = st.one_of(imperfect_sign_problems(min_rows=4), real_problems(min_rows=4))


def noisy(n, seed, flips=0.2):
    """Rows of a circle, true labels, and labels of which some are flipped."""
    X, y = circle_2d(n, seed)
    flipped = np.random.default_rng([seed, 1]).random(n) < flips
    return X, y, np.where(flipped, -y, y), flipped


def steps_of(run):
    return run.history["coef"][run.history["coef"] > 0]


# -- the printed algorithm ---------------------------------------------------------------------


def printed_exponents(kind, C, U, alphas, weights):
    """``[ρ_i + C ζ_i] Σα`` from outcomes, coefficients and weights of all rounds so far.

    ``alphas`` has a row for each trial of the newest coefficient; ``C`` is the thesis' one.
    """
    length = alphas.sum(axis=1, keepdims=True)
    influence = alphas @ weights / length
    mistrust = influence if kind == "influence" else influence**2
    return (alphas @ U / length + C * mistrust) * length


def printed_loss(base, exponents):
    losses = np.log1p(np.exp(-exponents)) if base == "logistic" else np.exp(-exponents)
    return losses.sum(axis=1)


@theory
@given(
    problem=problems,
    C=st.sampled_from([0.0, 0.05, 0.2, 0.6]),
    kind=st.sampled_from(["influence", "squared"]),
    base=st.sampled_from(["adaboost", "arc-gv", "marginal", "logistic"]),
)
def test_every_step_minimises_the_printed_loss_a2(problem, C, kind, base):
    """No other step of a fine grid is better; weights are the printed ones."""
    H, y = problem
    thesis_C = C * (len(y) if kind == "influence" else len(y) ** 2)
    rule = AdaBoostReg(C=C, mistrust=kind, base=base, target_margin=0.1)
    run, recorder = recorded(H, y, rule, 6)
    if run.stop is Stop.PERFECT:
        return
    U = np.array([y * m.sign * H[:, m.index] for m in recorder.members])
    d = np.abs(recorder.duals)
    for t, step in enumerate(recorder.coef):
        trials = np.tile(recorder.coef[: t + 1], (len(GRID) + 1, 1))
        trials[1:, t] = GRID
        exponents = printed_exponents(kind, thesis_C, U[: t + 1], trials, d[: t + 1])
        target = run.history["target"][t]
        losses = printed_loss(base, exponents - target * trials.sum(axis=1, keepdims=True))
        assert losses[0] <= losses[1:].min() * (1 + 1e-9), step
        weights = np.exp(-exponents[0])
        if base == "logistic":
            weights = weights / (1 + weights)
        np.testing.assert_allclose(d[t + 1], weights / weights.sum(), atol=1e-10)


@theory
@given(problem=problems, C=st.sampled_from([0.05, 0.2, 0.6]))
def test_influence_is_the_average_weight_q2(problem, C):
    H, y = problem
    rule = AdaBoostReg(C=C)
    run, recorder = recorded(H, y, rule, 10)
    if run.stop is Stop.PERFECT or not len(run.ensemble):
        return
    alphas = np.array(recorder.coef)
    average = alphas @ np.abs(recorder.duals[: len(alphas)]) / alphas.sum()
    np.testing.assert_allclose(rule.influence(run.sample), average, atol=1e-12)
    assert rule.influence(run.sample).sum() == pytest.approx(1.0, abs=1e-12)
    expected = run.margins + C * len(y) * average
    np.testing.assert_allclose(rule.soft_margins(run.margins), expected, atol=1e-10)


def test_influence_agrees_with_the_recorder():
    X, _, y, _ = noisy(150, 0)
    recorder = InfluenceRecorder()
    model = AdaBoostRegClassifier(C=0.1, n_estimators=30, callbacks=[recorder]).fit(X, y)
    np.testing.assert_allclose(model.influence_, recorder.influence_, atol=1e-14)


# -- limits ------------------------------------------------------------------------------------


def untied(y):
    """Weights of examples with which no two hypotheses have the same edge by chance."""
    return np.random.default_rng(len(y)).uniform(0.5, 1.5, len(y))


def assert_same_steps(run, expected):
    """But for the last round: an edge that is zero up to rounding may or may not end the run."""
    ours, theirs = steps_of(run), steps_of(expected)
    assert abs(len(ours) - len(theirs)) <= 1
    n = min(len(ours), len(theirs))
    np.testing.assert_allclose(ours[:n], theirs[:n], rtol=1e-9, atol=1e-12)


@theory
@given(problem=problems)
def test_without_mistrust_it_is_adaboost_c8(problem):
    """C = 0, and for any C a mistrust of zero, while AdaBoost's own steps are below the cap."""
    H, y = problem
    plain = run_matrix(H, y, AdaBoost(), 12, prior=untied(y))
    if plain.stop is Stop.PERFECT or (steps_of(plain) > 5.0).any():
        return
    for rule in (AdaBoostReg(C=0.0), AdaBoostReg(C=0.7, mistrust=np.zeros(len(y)))):
        assert_same_steps(run_matrix(H, y, rule, 12, prior=untied(y)), plain)


def test_without_mistrust_it_is_adaboost_on_stumps_c8():
    X, _, y, _ = noisy(200, 1)
    plain = AdaBoostClassifier(n_estimators=100).fit(X, y)
    model = AdaBoostRegClassifier(C=0.0, n_estimators=100).fit(X, y)
    assert model.estimators_ == plain.estimators_
    np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_, rtol=1e-12)
    np.testing.assert_allclose(model.soft_margins_, plain.margins_, atol=1e-12)


@theory
@given(problem=imperfect_sign_problems(min_rows=4, min_columns=3))
def test_without_mistrust_the_bases_are_their_algorithms(problem):
    H, y = problem
    pairs = (
        (AdaBoostReg(C=0.0, base="marginal", target_margin=0.15), AdaBoost(target_margin=0.15)),
        (AdaBoostReg(C=0.0, base="arc-gv"), ArcGV()),
    )
    for soft, plain in pairs:
        expected = run_matrix(H, y, plain, 12, prior=untied(y))
        assert_same_steps(run_matrix(H, y, soft, 12, prior=untied(y)), expected)


def test_perfect_hypothesis_is_taken_alone():
    H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    y = np.array([1, 1, -1])
    run = run_matrix(H, y, AdaBoostReg(C=0.2), 10)
    assert run.stop is Stop.PERFECT
    assert run.ensemble.coef.tolist() == [1.0]
    assert run.certificate.value == 1.0


# -- the step ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mistrust", ["influence", "squared"])
def test_unbounded_first_step_is_capped_a2(mistrust):
    """C >= 1 gives every example at least its first loss back: the step would be infinite."""
    X, _, y, _ = noisy(120, 2)
    for C, capped in ((1.0, True), (0.5, False)):
        model = AdaBoostRegClassifier(C=C, n_estimators=5, mistrust=mistrust, max_step=3.0)
        steps = model.fit(X, y).history_["coef"]
        assert (steps[0] == 3.0) == capped
        assert (steps <= 3.0).all()


def test_stops_where_edge_and_mistrust_together_are_not_positive():
    """γ + C Σ d² / p, which is γ + C in the first round."""
    H, y = -np.ones((4, 1)), np.ones(4)
    H[0] = 1.0  # edge -1/2
    for C, rounds in ((0.4, 0), (0.5, 0), (0.6, 1)):
        run = run_matrix(H, y, AdaBoostReg(C=C), 1)
        assert len(run.ensemble) == rounds
        assert run.stop is (Stop.ROUNDS if rounds else Stop.NO_EDGE)


@theory
@given(problem=real_problems(min_rows=4), C=st.sampled_from([0.05, 0.3]))
def test_arc_gv_aims_at_the_largest_soft_margin(problem, C):
    H, y = problem
    run, recorder = recorded(H, y, AdaBoostReg(C=C, base="arc-gv"), 10)
    alphas, d = np.array(recorder.coef), np.abs(recorder.duals)
    target = 0.0
    for t in range(len(alphas)):
        assert run.history["target"][t] == pytest.approx(target, abs=1e-10)
        length = recorder.l1_norms[t]
        mistrust = alphas[: t + 1] @ d[: t + 1] / length * len(y)
        target = max(target, float((y * recorder.scores[t] / length + C * mistrust).min()))


# -- mistrust as given -------------------------------------------------------------------------


def test_rows_known_to_be_wrong_are_left_out():
    """With enough mistrust on the flipped rows, the model is the one of the other rows."""
    X, truth, y, flipped = noisy(200, 3)
    model = AdaBoostRegClassifier(C=50.0, mistrust=flipped.astype(float), n_estimators=40)
    model.fit(X, y)
    assert np.abs(model.dual_[flipped]).max() < 1e-10 < np.abs(model.dual_[~flipped]).max()
    assert model.score(X, truth) > AdaBoostClassifier(n_estimators=40).fit(X, y).score(X, truth)


def test_constant_operator_is_a_vector():
    X, _, y, _ = noisy(100, 4)
    doubt = np.linspace(0.0, 0.6, 100)
    for base in ("adaboost", "arc-gv", "logistic"):
        given_numbers = AdaBoostRegClassifier(C=0.5, mistrust=doubt, base=base, n_estimators=20)
        operator = clone(given_numbers).set_params(mistrust=lambda votes: doubt)
        np.testing.assert_array_equal(
            given_numbers.fit(X, y).estimator_weights_, operator.fit(X, y).estimator_weights_
        )


def test_operator_gets_the_votes_and_makes_the_soft_margins():
    X, _, y, _ = noisy(100, 5)
    seen = []

    def doubt(votes):
        seen.append(votes)
        return 1.0 - votes**2

    model = AdaBoostRegClassifier(C=0.3, mistrust=doubt, n_estimators=10).fit(X, y)
    seen = [votes for votes in seen if len(votes) == len(X)]  # not those of the held-out fit
    np.testing.assert_allclose(seen[-1], model.decision_function(X), atol=1e-12)
    assert not seen[0].any()
    expected = model.margins_ + 0.3 * (1.0 - model.margins_**2)
    np.testing.assert_allclose(model.soft_margins_, expected, atol=1e-12)


# -- weights are copies ------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["adaboost", "arc-gv", "logistic"])
@pytest.mark.parametrize("mistrust", ["influence", "squared", "vector"])
def test_a_weight_is_that_many_rows(base, mistrust):
    """The influence of a row of weight k is that of its k copies together."""
    X, _, y, _ = noisy(80, 6)
    counts = np.random.default_rng(6).integers(0, 4, size=80)
    doubt = np.linspace(0.0, 1.0, 80)
    whole = doubt if mistrust == "vector" else mistrust
    copied = doubt.repeat(counts) if mistrust == "vector" else mistrust
    model = AdaBoostRegClassifier(C=0.2, base=base, mistrust=whole, n_estimators=15, max_bins=None)
    twin = clone(model).set_params(mistrust=copied)
    model.fit(X, y, sample_weight=counts)
    twin.fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(model.estimator_weights_, twin.estimator_weights_, rtol=1e-7)
    together = np.zeros(80)
    np.add.at(together, np.arange(80).repeat(counts), twin.influence_)
    np.testing.assert_allclose(model.influence_, together, atol=1e-9)
    np.testing.assert_allclose(
        model.soft_margins_.repeat(counts), twin.soft_margins_, rtol=1e-6, atol=1e-8
    )
    assert (model.influence_[counts == 0] == 0.0).all()
    scaled = clone(model).fit(X, y, sample_weight=counts * 0.01)
    np.testing.assert_allclose(scaled.estimator_weights_, model.estimator_weights_, rtol=1e-7)


# -- contract, resuming, files -----------------------------------------------------------------


def fickle(votes):
    return 0.5 * (1.0 - votes**2)


VARIANTS = {
    "squared": {"mistrust": "squared", "C": 0.3},
    "Arc-GV": {"base": "arc-gv", "C": 1.5},
    "marginal": {"base": "marginal", "target_margin": 0.1},
    "logistic": {"base": "logistic", "mistrust": fickle},
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{check.name}")
        for name, settings in VARIANTS.items()
        for check in check_rule(lambda settings=settings: AdaBoostReg(**settings))
        if check.name.startswith(("bounds_hold", "a_weight_of_two", "an_interrupted"))
    ],
)
def test_every_variant_keeps_the_contract(check):
    check()


class Crash(Callback):
    def on_round(self, state):
        if state.round == 7:
            raise KeyboardInterrupt


@pytest.mark.parametrize("mistrust", ["influence", np.linspace(0, 1, 90)], ids=["μ", "vector"])
def test_interrupted_fit_goes_on(tmp_path, mistrust):
    X, _, y, _ = noisy(90, 7)
    model = AdaBoostRegClassifier(C=0.2, mistrust=mistrust, n_estimators=15)
    whole = clone(model).fit(X, y)
    checkpoint = Checkpoint(tmp_path / "run.json", every=1)
    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(callbacks=[checkpoint, Crash()]).fit(X, y)
    resumed = clone(model).set_params(callbacks=[checkpoint]).fit(X, y)
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.influence_, whole.influence_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)


def test_memory_is_plain_data():
    rule = AdaBoostReg()
    train(matrix_sample(np.eye(3) * 2 - 1, np.ones(3)), FiniteOracle(), rule, max_rounds=2)
    json.dumps(rule.get_state(), allow_nan=False)


def test_model_keeps_nothing_of_the_run(tmp_path):
    X, _, y, _ = noisy(60, 8)
    model = AdaBoostRegClassifier(mistrust=np.zeros(60), n_estimators=5).fit(X, y)
    assert not [name for name in vars(model) if "rule" in name]
    assert pickle.loads(pickle.dumps(model)).score(X, y) == model.score(X, y)
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(X), model.predict(X))
    model.set_params(mistrust=fickle).fit(X, y)
    with pytest.raises(TypeError, match="mistrust"):
        model.save(tmp_path / "operator.json")


def test_several_classes_have_an_influence_each():
    X, _, y, _ = noisy(90, 8)
    labels = np.where(X[:, 0] > 1.0, 7, y)
    model = AdaBoostRegClassifier(mistrust=np.linspace(0, 1, 90), n_estimators=5).fit(X, labels)
    assert not [name for name in vars(model) if "rule" in name]
    for problem in model.problems_:
        assert problem.influence_.sum() == pytest.approx(1.0)
        assert not [name for name in vars(problem) if "rule" in name]


def test_early_stopping_returns_a_shorter_model():
    X, _, y, _ = noisy(100, 9)
    stopping = EarlyStopping(*noisy(100, 10)[:2], patience=5)
    model = AdaBoostRegClassifier(n_estimators=60, callbacks=[stopping]).fit(X, y)
    assert len(model.estimators_) < 60
    assert model.soft_margins_.shape == model.margins_.shape


def test_logistic_scores_are_log_odds():
    X, _, y, _ = noisy(200, 11)
    model = AdaBoostRegClassifier(C=0.0, base="logistic", n_estimators=20).fit(X, y)
    scores = model.decision_function(X) * np.abs(model.estimator_weights_).sum()
    expected = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(algorithm_of(model).link(scores, 1.0)[:, 1], expected, atol=1e-12)
    # At the minimum along a constant hypothesis the mean probability is the share of the class.
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx((y > 0).mean(), abs=0.05)


# -- bad input ---------------------------------------------------------------------------------

BAD = [
    ({"C": -0.1}, "C: got -0.1"),
    ({"C": np.inf}, "C: got inf"),
    ({"max_step": 0.0}, "max_step: got 0.0"),
    ({"base": "boost"}, "base: got 'boost'"),
    ({"mistrust": "cubed"}, "mistrust: got 'cubed'"),
    ({"mistrust": [0.1, 0.2]}, r"mistrust: got shape \(2,\), expected one number for each of 40"),
    ({"mistrust": ["a"] * 40}, "mistrust: got .*expected numbers, one per row"),
    ({"mistrust": None}, r"mistrust: got shape \(\)"),
    ({"mistrust": np.full(40, -1.0)}, "mistrust: got negative"),
    ({"mistrust": np.full(40, np.nan)}, "mistrust: got negative, infinite or NaN"),
    ({"mistrust": lambda votes: votes[:3]}, r"mistrust: got shape \(3,\)"),
    ({"base": "marginal", "target_margin": 1.0}, "target_margin: got 1.0"),
]


@pytest.mark.parametrize(("settings", "message"), BAD, ids=[m for _, m in BAD])
def test_bad_input_is_named(settings, message):
    X, _, y, _ = noisy(40, 12)
    with pytest.raises(ValueError, match=message):
        AdaBoostRegClassifier(**settings).fit(X, y)


# -- what it is for ----------------------------------------------------------------------------


def test_mistrust_spreads_influence_c8():
    """Influence of outliers falls and more examples count, on the benchmark sets of the thesis.

    Means over the first five realisations of banana, against the numbers of the spec's check run;
    they are printed there for the thesis' C, with N = 400. A further check for those who have the
    data: the finding itself is tested on the embedded sets below.
    """
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        pytest.skip(f"{DATA_VARIABLE} names no folder with the banana data")
    largest, effective = [], []
    with np.load(Path(folder) / "ida_banana.npz") as data:
        for rows in data["train_idx"][:5]:
            X, y = data["X"][rows], data["y"][rows]
            runs = []
            for C in (0, 50, 100, 200, 1000):
                model = AdaBoostRegClassifier(C=C / 400, n_estimators=200, max_bins=None)
                runs.append(model.fit(X, y).influence_)
            largest.append([400 * mu.max() for mu in runs])
            effective.append([1 / (mu @ mu) for mu in runs])
    np.testing.assert_allclose(np.mean(largest, 0), [4.2, 2.5, 2.0, 1.5, 1.1], atol=0.06)
    np.testing.assert_allclose(np.mean(effective, 0), [297, 322, 350, 370, 396], atol=1.0)


@pytest.mark.parametrize("load_rows", [load_cleveland, load_wisconsin])
def test_mistrust_spreads_influence_on_real_data_c8(load_rows):
    """The more mistrust, the less the most influential row counts, and the more rows count."""
    X, y = load_rows(return_X_y=True)
    runs = [
        AdaBoostRegClassifier(C=C / len(y), n_estimators=100).fit(X, y).influence_
        for C in (0, 50, 200, 1000)
    ]
    largest = np.array([len(y) * mu.max() for mu in runs])
    effective = np.array([1 / (len(y) * mu @ mu) for mu in runs])
    assert (largest[1:] < 0.8 * largest[:-1]).all()
    assert (effective[1:] > 1.1 * effective[:-1]).all()
    assert largest[-1] < 2.5  # in the limit all rows count alike
    assert effective[-1] > 0.9


def test_outliers_lose_influence_e3():
    """Three mislabelled points in a clean set: AdaBoost leans on them, AdaBoost_Reg much less."""
    X, y = circle_2d(200)
    outliers = np.array([11, 57, 133])
    y[outliers] *= -1
    plain = AdaBoostRegClassifier(C=0.0, n_estimators=200).fit(X, y)
    soft = AdaBoostRegClassifier(C=0.2, n_estimators=200).fit(X, y)
    assert plain.influence_[outliers].sum() > 2 * soft.influence_[outliers].sum()
    assert soft.influence_[outliers].min() > 1 / 200  # they still are the hard ones


def test_soft_margins_help_against_flipped_labels():
    """Mean error on true labels, trees of depth 2, a fifth of the labels flipped."""
    errors = np.zeros(2)
    for seed in range(4):
        X, _, y, _ = noisy(300, seed)
        test, truth, _, _ = noisy(1000, 100 + seed)
        for k, C in enumerate((0.0, 0.2)):
            model = AdaBoostRegClassifier(TreeOracle(max_depth=2), C=C, n_estimators=60)
            errors[k] += 1 - model.fit(X, y).score(test, truth)
    assert errors[1] < 0.8 * errors[0]


def test_stumps_certify_the_margin():
    X, _, y, _ = noisy(100, 13)
    model = AdaBoostRegClassifier(StumpOracle(), n_estimators=50).fit(X, y)
    assert model.certified_
    assert model.certificate_.value <= model.certificate_.lower <= model.certificate_.upper
