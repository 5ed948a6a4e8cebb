"""SAMME, AdaBoost.M1, M2 and MH: their published forms, theorems, limit cases and manners."""

import itertools
import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import AdaBoostClassifier as TheirAdaBoost
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    BinnedMatrix,
    Callback,
    Checkpoint,
    EarlyStopping,
    LabelTreeOracle,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stop,
    StumpOracle,
    solve_margin_lp,
)
from marginboost.core import LabelByLabel, LabelPairs, RightOrWrong, State
from marginboost.model import multiclass_margins

FEW = settings(derandomize=True, deadline=None, max_examples=15, database=None)
EVERY = [SAMMEClassifier, AdaBoostM1Classifier, AdaBoostM2Classifier, AdaBoostMHClassifier]
ONE_RUN = [*EVERY, SoftmaxBoostClassifier]
TREE = LabelTreeOracle(max_depth=3)
SET_TREE = LabelTreeOracle(max_depth=3, answers="set")


def blobs(n=120, n_classes=4, seed=0, noise=0.8, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n_classes, d))[y] * 1.5 + noise * rng.normal(size=(n, d))
    return X, y


class Weights(Callback):
    """Keeps the weights of every round."""

    def on_start(self, state, oracle, rule, max_rounds):
        self.duals = [state.dual.copy()]

    def on_round(self, state):
        self.duals.append(state.dual.copy())


# -- samples: columns and their transpose ----------------------------------------------------------


@FEW
@given(seed=st.integers(0, 2**20), make=st.sampled_from([RightOrWrong, LabelByLabel, LabelPairs]))
def test_edges_are_the_same_on_rows_and_on_labels(seed, make):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(2, 9)), int(rng.integers(2, 6))
    labels, weights = rng.integers(0, n_classes, size=n), rng.exponential(size=n)
    sample = make.of_classes(labels, n_classes, weights)
    assert sample.prior.sum() == pytest.approx(1.0)
    assert sample.total == pytest.approx(weights.sum())
    outputs, dual = rng.uniform(-1, 1, size=(n, n_classes)), rng.normal(size=len(sample.y))
    column = sample.on_rows(outputs, labels)
    assert column.shape == sample.y.shape
    matrix = sample.label_weights(dual)
    assert dual @ column == pytest.approx((matrix * outputs).sum(), abs=1e-12)


def test_pairs_of_labels_have_the_multiclass_margin():
    rng = np.random.default_rng(0)
    votes, labels = rng.uniform(-1, 1, size=(20, 5)), rng.integers(0, 5, size=20)
    pairs = LabelPairs.of_classes(labels, 5, np.ones(20))
    lead = pairs.on_rows(votes, labels).reshape(20, 4).min(axis=1)
    np.testing.assert_allclose(lead, multiclass_margins(votes, labels))
    right = votes.argmax(axis=1) == labels
    np.testing.assert_array_equal(lead > 0, right)


def test_pseudo_loss_of_a_random_label_is_one_half_ch_c11():
    """CH-C11: the mean over all labels that a guess may name, for any weights."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 5, size=30)
    pairs = LabelPairs.of_classes(labels, 5, np.ones(30))
    dual = rng.dirichlet(np.ones(len(pairs.y)))
    guesses = [np.where(np.arange(5) == guess, 1.0, -1.0) for guess in range(5)]
    edges = [dual @ pairs.on_rows(np.tile(row, (30, 1)), labels) for row in guesses]
    assert np.mean([(1 - edge) / 2 for edge in edges]) == pytest.approx(0.5)


# -- SAMME is scikit-learn's -----------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_samme_is_that_of_scikit_learn_with_the_same_trees(n_classes, depth, rate):
    X, y = blobs(300, n_classes, seed=3, noise=1.5)
    tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=15)  # small nodes have ties
    theirs = TheirAdaBoost(tree, n_estimators=12, learning_rate=rate, random_state=0).fit(X, y)
    ours = SAMMEClassifier(tree, n_estimators=12, learning_rate=rate).fit(X, y)
    assert len(ours.estimators_) == len(theirs.estimators_)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(2 * ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    stages = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    for t, (mine, other) in enumerate(stages):
        assert np.mean(mine != other) <= (0.02 if t == 0 else 0), t  # ties of single votes


@pytest.mark.parametrize("n_classes", [3, 5])
def test_samme_as_published_ch_a5(n_classes):
    X, y = blobs(150, n_classes, noise=2.0)
    record = Weights()
    model = SAMMEClassifier(n_estimators=10, callbacks=[record]).fit(X, y)
    weights = np.full(len(y), 1 / len(y))
    for t, tree in enumerate(model.estimators_):
        np.testing.assert_allclose(record.duals[t], weights, rtol=1e-9)
        wrong = tree(X).argmax(axis=1) != y
        error = weights[wrong].sum()
        assert error < 1 - 1 / n_classes
        alpha = np.log((1 - error) / error) + np.log(n_classes - 1)
        assert model.estimator_weights_[t] == pytest.approx(alpha / 2)
        weights = weights * np.exp(alpha * wrong)
        weights /= weights.sum()
    votes = sum(
        a * (tree(X) > 0)
        for a, tree in zip(model.estimator_weights_, model.estimators_, strict=True)
    )
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


@pytest.mark.parametrize("n_classes", [3, 8])
def test_samme_goes_on_until_guessing_ch_c10(n_classes):
    """CH-C10: steps are positive exactly while the error is below 1 - 1/K."""
    rng = np.random.default_rng(0)
    y, guess = np.arange(120) % n_classes, 1 - 1 / n_classes
    model = SAMMEClassifier(n_estimators=60).fit(rng.integers(0, 3, size=(120, 2)), y)
    steps = model.history_["coef"]
    np.testing.assert_array_equal(steps > 0, model.estimator_errors_ < guess - 1e-12)
    assert (steps > 0).sum() >= 10
    assert model.estimator_errors_[0] > 0.5  # where AdaBoost.M1 could not begin
    nothing_to_learn = SAMMEClassifier().fit(np.zeros((120, 1)), y)
    assert nothing_to_learn.stop_reason_ is Stop.NO_EDGE
    assert nothing_to_learn.estimator_errors_ == pytest.approx([guess])
    assert len(nothing_to_learn.estimators_) == 0


def test_two_classes_are_adaboost_ch_c10():
    X, y = blobs(150, 2, noise=2.0)
    plain = AdaBoostClassifier(n_estimators=30).fit(X, y)
    for make in (SAMMEClassifier, AdaBoostM1Classifier):
        model = make(LabelTreeOracle(1, criterion="edge"), n_estimators=30).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X))
        np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))
        np.testing.assert_allclose(model.margins_, plain.margins_)
        np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_)
    single = LabelTreeOracle(1, criterion="edge")
    pseudo = AdaBoostM2Classifier(single, n_estimators=30).fit(X, y)
    np.testing.assert_allclose(pseudo.decision_function(X), plain.decision_function(X))
    printed = SAMMEClassifier(single, n_estimators=30, variant="printed").fit(X, y)
    np.testing.assert_allclose(printed.decision_function(X), pseudo.decision_function(X))


# -- pseudo-loss -----------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", ["label", "set"])
@pytest.mark.parametrize("printed", [False, True])
def test_pseudo_loss_as_published_ch_a3_ch_a4(answers, printed):
    """CH-A3 by repeated multiplication, sets of labels and single ones; CH-A4 adds log(K - 1)."""
    n_classes = 4
    X, y = blobs(80, n_classes, noise=1.5)
    record = Weights()
    oracle = LabelTreeOracle(1, criterion="edge", answers=answers)
    make = SAMMEClassifier if printed else AdaBoostM2Classifier
    extra = {"variant": "printed"} if printed else {}
    model = make(oracle, n_estimators=8, callbacks=[record], **extra).fit(X, y)
    own = y[:, None] == np.arange(n_classes)
    weights = np.where(own, 0, 1 / (len(y) * (n_classes - 1)))
    bound = n_classes - 1.0
    for t, tree in enumerate(model.estimators_):
        np.testing.assert_allclose(record.duals[t], weights[~own], rtol=1e-8)
        chosen = tree(X) > 0
        cost = (1 - chosen[own])[:, None] + chosen
        error = 0.5 * (weights * cost).sum()
        assert model.estimator_errors_[t] == pytest.approx(error)
        alpha = 0.5 * np.log((1 - error) / error) + printed * np.log(n_classes - 1)
        assert model.estimator_weights_[t] == pytest.approx(alpha)
        weights = weights * np.exp(alpha * cost)
        weights /= weights.sum()
        bound *= 2 * np.sqrt(error * (1 - error))
    votes = sum(
        a * (tree(X) > 0)
        for a, tree in zip(model.estimator_weights_, model.estimators_, strict=True)
    )
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))
    if not printed:
        assert 1 - model.score(X, y) <= bound


def test_exact_steps_minimise_the_ranking_loss():
    X, y = blobs(80, 4, noise=1.5)

    def loss(model, coef):
        scores = sum(a * h(X) for a, h in zip(coef, model.estimators_, strict=True))
        lead = scores[np.arange(len(y)), y][:, None] - scores
        return np.exp(-lead / 2).sum()

    losses = {}
    for step in ("closed", "exact"):
        model = AdaBoostM2Classifier(n_estimators=1, step=step).fit(X, y)
        coef = model.estimator_weights_
        losses[step] = loss(model, coef)
        near = [loss(model, coef * factor) for factor in (0.999, 1.001)]
        assert (min(near) > losses[step]) == (step == "exact")
    assert losses["exact"] < losses["closed"]


# -- bounds of training error and margins ----------------------------------------------------------


@FEW
@given(seed=st.integers(0, 2**20), n_classes=st.integers(2, 5), rounds=st.integers(1, 12))
def test_training_error_bounds(seed, n_classes, rounds):
    X, y = blobs(60, n_classes, seed=seed, noise=1.5)
    factors = {
        AdaBoostM1Classifier(TREE): 1.0,
        AdaBoostM2Classifier(): n_classes - 1.0,
        AdaBoostM2Classifier(step="exact"): n_classes - 1.0,
        AdaBoostM2Classifier(SET_TREE): n_classes - 1.0,
        AdaBoostMHClassifier(): n_classes / 2.0,
        AdaBoostMHClassifier(SET_TREE): n_classes / 2.0,
    }
    for model, factor in factors.items():
        model.set_params(n_estimators=rounds).fit(X, y)
        if model.stop_reason_ is Stop.PERFECT:
            assert model.score(X, y) == 1.0
            continue
        steps = model.history_["normaliser"]
        assert 1 - model.score(X, y) <= factor * np.prod(steps) + 1e-9
        wrong = model.margins_ <= 0
        assert np.mean(wrong) <= factor * np.prod(steps) + 1e-9


@FEW
@given(seed=st.integers(0, 2**20))
def test_margins_are_at_least_those_of_the_rows(seed):
    """A lead over all wrong votes, or label by label, is a lead over the best other class."""
    X, y = blobs(40, 3, seed=seed, noise=1.5)
    for make in EVERY:
        model = make(n_estimators=8).fit(X, y)
        if not len(model.estimators_):
            continue
        value, least = model.certificate_.value, model.margins_.min()
        assert least >= value - 1e-9
        if make is AdaBoostM2Classifier:
            assert least == pytest.approx(value, abs=1e-9)
        assert (np.abs(model.margins_) <= 1).all()


def label_stumps(X, y, n_classes, answers):
    """Outputs (columns, rows, labels) of every split with every answer on both sides."""
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=n_classes)))
    if answers == "label":
        signs = 2 * np.eye(n_classes) - 1
    sides = [np.ones(len(X), dtype=bool)]
    for values in X.T:
        cuts = np.unique(values)[:-1]
        sides += [values <= cut for cut in cuts]
    return [
        np.where(side[:, None], left, right) for side in sides for left in signs for right in signs
    ]


@pytest.mark.parametrize("make", EVERY)
def test_certificates_hold_against_the_linear_program(make):
    """Bounds on the largest margin over all stumps, from an independent solver (R1-C16)."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 4, size=(14, 2)).astype(float), np.arange(14) % 3
    answers = "label" if make in (SAMMEClassifier, AdaBoostM1Classifier) else "set"
    oracle = LabelTreeOracle(1, criterion="edge", answers=answers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make(oracle, n_estimators=60, max_bins=None).fit(X, y)
    sample = {"AdaBoostM2Classifier": LabelPairs, "AdaBoostMHClassifier": LabelByLabel}.get(
        make.__name__, RightOrWrong
    ).of_classes(y, 3, np.ones(14))
    columns = [sample.y * sample.on_rows(h, y) for h in label_stumps(X, y, 3, answers)]
    best = solve_margin_lp(np.array(columns).T).value
    assert model.certificate_.certified
    assert model.certificate_.lower <= best + 1e-9
    assert model.certificate_.upper >= best - 1e-9


# -- edge cases ------------------------------------------------------------------------------------


def test_m1_says_when_its_base_learner_is_too_weak():
    X, y = load_digits(return_X_y=True)
    stump = LabelTreeOracle(1, criterion="edge")
    with pytest.warns(UserWarning, match="the first hypothesis errs on half"):
        model = AdaBoostM1Classifier(stump).fit(X, y)
    assert model.stop_reason_ is Stop.NO_EDGE
    assert model.decision_function(X[:5]).shape == (5, 10)
    assert (model.decision_function(X) == 0).all()
    np.testing.assert_allclose(model.predict_proba(X[:3]), 0.1)
    assert list(model.staged_predict(X)) == []
    assert SAMMEClassifier(stump, n_estimators=20).fit(X, y).score(X, y) > 0.3
    assert AdaBoostM2Classifier(n_estimators=20).fit(X, y).score(X, y) > 0.7


@pytest.mark.parametrize("make", EVERY)
def test_a_perfect_hypothesis_is_the_whole_model(make):
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    answers = "label" if make in (SAMMEClassifier, AdaBoostM1Classifier) else "set"
    model = make(LabelTreeOracle(None, answers=answers)).fit(X, y)
    assert model.stop_reason_ is Stop.PERFECT
    assert len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_allclose(model.margins_, 1.0)


@pytest.mark.parametrize("make", ONE_RUN)
def test_weights_are_copies_and_zero_is_no_row(make):
    X, y = blobs(60, 3)
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, size=60)
    weighted = make(n_estimators=6).fit(X, y, sample_weight=counts)
    copied = make(n_estimators=6).fit(X.repeat(counts, axis=0), y.repeat(counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), copied.decision_function(X), atol=1e-9
    )
    assert weighted.margins_.shape == (60,)
    assert weighted.dual_.shape == (60, 3)
    assert (weighted.dual_[counts == 0] == 0).all()
    assert np.abs(weighted.dual_).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("make", ONE_RUN)
def test_predictions_of_all_kinds_agree(make):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    model = make(n_estimators=15).fit(X, names[y])
    votes = model.decision_function(X)
    assert votes.shape == (150, 3)
    assert (np.abs(votes) <= 1).all()
    np.testing.assert_array_equal(model.predict(X), names[votes.argmax(axis=1)])
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(chances.argmax(axis=1), votes.argmax(axis=1))
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, votes, atol=1e-12)
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, chances, atol=1e-12)
    *_, last = model.staged_score(X, names[y])
    assert last == model.score(X, names[y])
    np.testing.assert_allclose(model.margins(X, names[y]), model.margins_)
    right = model.predict(X) == names[y]
    assert (right >= (model.margins_ > 0)).all()
    assert ((model.margins_ >= 0) >= right).all()
    assert model.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("make", ONE_RUN)
def test_threads_and_binned_input_change_nothing(make):
    X, y = blobs(200, 4)
    plain = make(n_estimators=8, n_jobs=1).fit(X, y)
    threaded = make(n_estimators=8, n_jobs=3).fit(X, y)
    bins = BinnedMatrix.from_data(X)
    binned = make(n_estimators=8).fit(bins, y)
    for other, rows in ((threaded, X), (binned, bins)):
        assert other.estimators_ == plain.estimators_
        np.testing.assert_array_equal(other.decision_function(rows), plain.decision_function(X))


def test_categories_and_missing_values():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "green", "red", "white"], size=200)
    X = pd.DataFrame({"c": pd.Categorical(colour), "x": rng.normal(size=200)})
    X.loc[::9, "x"] = np.nan
    X.loc[::11, "c"] = None
    y = np.where(colour == "red", "r", np.where(X["x"].isna(), "m", "o"))
    for make in EVERY:
        answers = "label" if make in (SAMMEClassifier, AdaBoostM1Classifier) else "set"
        model = make(LabelTreeOracle(3, answers=answers), n_estimators=20).fit(X, y)
        assert model.score(X, y) > 0.95


@pytest.mark.parametrize("make", EVERY)
def test_an_interrupted_run_goes_on_bit_for_bit(make, tmp_path):
    X, y = blobs(80, 3, noise=1.5)
    oracle = LabelTreeOracle(1, criterion="edge", answers="set" if make in EVERY[2:] else "label")
    whole = make(oracle, n_estimators=12).fit(X, y)

    class Crash(Callback):
        def on_round(self, state: State):
            if state.round == 7:
                raise KeyboardInterrupt

    keep = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        make(oracle, n_estimators=12, callbacks=[keep, Crash()]).fit(X, y)
    assert json.loads((tmp_path / "run.json").read_text())["state"]["round"] == 6
    other = np.where(y == 0, 1, np.where(y == 1, 0, y))
    with pytest.raises(ValueError, match="made by another run"):
        make(oracle, n_estimators=12, callbacks=[keep]).fit(X, other)
    resumed = make(oracle, n_estimators=12, callbacks=[keep]).fit(X, y)
    assert resumed.estimators_ == whole.estimators_
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)


@pytest.mark.parametrize("make", EVERY)
def test_early_stopping_watches_the_class_error(make):
    X, y = blobs(200, 4, noise=1.5)
    X_new, y_new = blobs(200, 4, noise=1.5, seed=0)
    stop = EarlyStopping(X_new, y_new, patience=3)
    model = make(n_estimators=40, callbacks=[stop]).fit(X, y)
    errors = [np.mean(predicted != y_new) for predicted in model.staged_predict(X_new)]
    best = int(np.argmin(stop.errors_))
    np.testing.assert_allclose(stop.errors_[: len(errors)], errors)
    assert len(model.estimators_) == best + 1
    assert 1 - model.score(X_new, y_new) == pytest.approx(min(stop.errors_))


@pytest.mark.parametrize("make", EVERY)
def test_any_classifier_as_base_learner(make):
    X, y = blobs(120, 3)
    for estimator in (DecisionTreeClassifier(max_depth=2), GaussianNB()):
        model = make(estimator, n_estimators=5, random_state=1).fit(X, y)
        assert model.score(X, y) > 0.6
        again = make(estimator, n_estimators=5, random_state=1).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
        with pytest.raises(TypeError, match="joblib"):
            model.save("never.json")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("estimator", [StumpOracle(), "tree", 3, DecisionTreeClassifier])
def test_wrong_base_learners(make, estimator):
    with pytest.raises(TypeError, match=r"estimator: got .* a base learner of several classes"):
        make(estimator).fit(*blobs(20))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SAMMEClassifier(variant="SAMME.R"), "variant: got 'SAMME.R'"),
        (SAMMEClassifier(learning_rate=0), "learning_rate: got 0"),
        (AdaBoostM1Classifier(learning_rate=-1), "learning_rate: got -1"),
        (AdaBoostM2Classifier(step="long"), "step: got 'long'"),
        (AdaBoostMHClassifier(n_estimators=0), "n_estimators: got 0"),
        (AdaBoostM1Classifier(LabelTreeOracle(answers="set")), "answers: got 'set'"),
    ],
)
def test_bad_settings(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*blobs(20))


def test_a_scikit_learn_base_learner_does_not_read_bins():
    X, y = blobs(30)
    with pytest.raises(TypeError, match="got a BinnedMatrix, which only trees can read"):
        SAMMEClassifier(DecisionTreeClassifier()).fit(BinnedMatrix.from_data(X), y)
