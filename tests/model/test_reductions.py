"""Several classes by way of two: codes, decoding, and every algorithm of the package on them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    AdaBoostMHClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    BinnedMatrix,
    Checkpoint,
    EarlyStopping,
    LPBoostClassifier,
    MulticlassBooster,
    RobustBoostClassifier,
    Stop,
    TimeBudget,
    TreeOracle,
    load,
)
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.model import CODES, Decoder, class_probabilities, make_code
from marginboost.model.codes import check_code
from marginboost.model.decoding import class_shares

FEW = settings(derandomize=True, deadline=None, max_examples=25, database=None)
EVERY = sorted(
    (
        m
        for m in BaseMarginClassifier.__registry__.values()
        if m.__module__.startswith("marginboost.")
    ),
    key=lambda make: make.__name__,
)
X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


# -- codes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 5, 7, 8, 26])
@pytest.mark.parametrize("code", CODES)
def test_named_codes_are_codes(code, n_classes):
    matrix = make_code(code, n_classes)
    np.testing.assert_array_equal(check_code(matrix, n_classes), matrix)
    columns = {tuple(column) for column in matrix.T}
    opposite = {tuple(-column) for column in matrix.T}
    assert len(columns) == matrix.shape[1]
    assert not columns & opposite or code == "one-vs-rest"
    expected = {
        "one-vs-rest": n_classes,
        "all-pairs": n_classes * (n_classes - 1) // 2,
        "error-correcting": 2 ** (n_classes - 1) - 1
        if n_classes <= 7
        else int(np.ceil(10 * np.log2(n_classes))),
    }
    assert matrix.shape == (n_classes, expected[code])


def test_error_correcting_codes_keep_rows_apart():
    for n_classes in (4, 7):
        matrix = make_code("error-correcting", n_classes)
        for first, second in itertools.combinations(matrix, 2):
            assert (first != second).sum() == 2 ** (n_classes - 2)
    matrix = make_code("error-correcting", 20)
    distances = [(a != b).sum() for a, b in itertools.combinations(matrix, 2)]
    assert min(distances) >= 0.25 * matrix.shape[1]
    np.testing.assert_array_equal(matrix, make_code("error-correcting", 20))
    assert not np.array_equal(matrix, make_code("error-correcting", 20, seed=1))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ecoc", "code: got 'ecoc', expected one of one-vs-rest, all-pairs, error-correcting"),
        ([1, -1, 1], r"code: got shape \(3,\), expected 3 rows"),
        ([[1, -1], [-1, 1]], r"code: got shape \(2, 2\), expected 3 rows"),
        ([[], [], []], r"code: got shape \(3, 0\)"),
        ([[1, 2], [-1, 1], [1, -1]], "code: expected entries -1, 0 and 1 only"),
        ([[1, 1], [0, 1], [1, -1]], "code: column 0 has not both a 1 and a -1"),
        ([[1, 1], [-1, -1], [-1, -1]], "code: no column sets class 1 against class 2"),
    ],
)
def test_bad_codes(code, message):
    with pytest.raises(ValueError, match=message):
        make_code(code, 3)
    with pytest.raises(ValueError, match="code: "):
        MulticlassBooster(code=code).fit(X, Y)


# -- decoding --------------------------------------------------------------------------------------


def losses(loss, code, values):
    """Total loss of every class, term by term."""
    return np.array(
        [[sum(loss(side * value) for side, value in zip(row, x, strict=True)) for row in code]
         for x in values]
    )  # fmt: skip


@FEW
@given(
    seed=st.integers(0, 2**20),
    code=st.sampled_from([*CODES, "custom"]),
    decoding=st.sampled_from(["linear", "ramp", "hamming", "exponential"]),
)
def test_the_class_of_least_loss_is_chosen(seed, code, decoding):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(3, 6))
    matrix = make_code("all-pairs" if code == "custom" else code, n_classes)
    if code == "custom":
        matrix = np.hstack([matrix, make_code("error-correcting", n_classes)])
    lengths = rng.uniform(0.5, 5.0, size=matrix.shape[1])
    votes = rng.uniform(-1, 1, size=(15, matrix.shape[1]))
    found = Decoder(matrix, decoding)(votes * lengths, lengths)
    assert (np.abs(found) <= 1 + 1e-12).all()
    loss, values = {
        "linear": (lambda z: -z, votes),
        "ramp": (lambda z: -min(max(z / 0.1, -1), 1), votes),
        "hamming": (lambda z: -np.sign(z), votes),
        "exponential": (lambda z: np.exp(-z), votes * lengths),
    }[decoding]
    expected = losses(loss, matrix, values)
    chosen = found.argmax(axis=1)
    best = expected.min(axis=1)
    np.testing.assert_allclose(expected[np.arange(15), chosen], best, rtol=1e-9, atol=1e-9)


def test_one_vs_rest_votes_are_those_of_the_problems():
    rng = np.random.default_rng(0)
    scores, lengths = rng.normal(size=(9, 4)), np.full(4, 5.0)
    matrix = make_code("one-vs-rest", 4)
    np.testing.assert_array_equal(Decoder(matrix)(scores, lengths), scores / 5.0)
    ranks = Decoder(matrix, "exponential")(scores, lengths).argsort(axis=1)
    np.testing.assert_array_equal(ranks, scores.argsort(axis=1))
    assert Decoder(matrix).loss == "linear"
    assert Decoder(make_code("all-pairs", 4)).loss == "ramp"


def test_exponential_decoding_does_not_overflow():
    matrix = make_code("all-pairs", 3)
    votes = Decoder(matrix, "exponential")(np.array([[900.0, -900.0, 1.0]]), np.ones(3))
    assert np.isfinite(votes).all()
    assert votes.argmax() == 1


@pytest.mark.parametrize("l1_norm", [0.5, 1.0, 3.0])
def test_links_get_scores_and_not_votes(l1_norm):
    votes = np.array([[0.2, 0.9, -0.5]])
    chances = 1.0 / (1.0 + np.exp(-l1_norm * votes))

    def link(scores):
        return np.column_stack([1.0 / (1.0 + np.exp(scores)), 1.0 / (1.0 + np.exp(-scores))])

    shares, odds = chances, chances / (1.0 - chances)
    found = class_shares(link, votes, l1_norm), class_probabilities(link, votes, l1_norm)
    for answer, expected in zip(found, (shares, odds), strict=True):
        np.testing.assert_allclose(answer, expected / expected.sum(), rtol=1e-8)


def test_probabilities_keep_the_order_at_the_limit():
    def certain(scores):
        return np.column_stack([scores < 0, scores >= 0]).astype(float)

    chances = class_probabilities(certain, np.array([[0.2, 0.9, 0.5], [-0.9, -0.1, -0.4]]), 1000.0)
    np.testing.assert_array_equal(chances.argsort(axis=1), [[0, 2, 1], [0, 2, 1]])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


@FEW
@given(seed=st.integers(0, 2**20), code=st.sampled_from(CODES))
def test_training_error_is_bounded_by_that_of_the_problems(seed, code):
    """Allwein et al.: at most 2 L ε / ρ of Hamming decoding, a tie counted as half an error."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(80, 3)), rng.permutation(np.arange(80) % 4)
    labels[rows[:, 0] > 0.3] = 0
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=5), code=code, decoding="hamming")
    model.fit(rows, labels)
    wrong = 0.0
    for problem, side in zip(model.problems_, model.code_.T, strict=True):
        votes = side[labels] * problem.decision_function(rows)
        wrong += (votes < 0).mean() + 0.5 * ((votes == 0) | (side[labels] == 0)).mean()
    distance = min(
        np.sum((1 - a.astype(int) * b) / 2) for a, b in itertools.combinations(model.code_, 2)
    )
    assert np.mean(model.predict(rows) != labels) <= 2 * wrong / distance + 1e-12


# -- every algorithm takes several classes ---------------------------------------------------------


@pytest.mark.parametrize("make", EVERY)
def test_every_algorithm_takes_several_classes(make):
    rows, names = X[::3], NAMES[::3]
    one_by_one = {"model": "soft-margin"} if make is RobustBoostClassifier else {}
    model = make(**one_by_one).fit(rows, names)
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    votes = model.decision_function(rows)
    assert votes.shape == (50, 3)
    assert (np.abs(votes) <= 1).all()
    assert model.score(rows, names) > 0.9
    np.testing.assert_array_equal(model.predict(rows), model.classes_[votes.argmax(axis=1)])
    chances = model.predict_proba(rows)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(chances.argmax(axis=1), votes.argmax(axis=1))
    np.testing.assert_allclose(model.margins(rows, names), model.margins_)
    assert (np.abs(model.margins_) <= 1).all()
    right = model.predict(rows) == names
    assert (right >= (model.margins_ > 0)).all()
    assert ((model.margins_ >= 0) >= right).all()
    *_, last = model.staged_decision_function(rows)
    np.testing.assert_allclose(last, votes, atol=1e-9)
    assert sum(1 for _ in model.staged_predict_proba(rows)) == max(map(len, model.estimators_))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert len(model.problems_) == len(model.certificate_) == len(model.history_) == 3
    assert model.certified_ == all(proof.certified for proof in model.certificate_)
    assert all(isinstance(reason, Stop) for reason in model.stop_reason_)
    assert model.n_iter_ == max(len(history) for history in model.history_)


@pytest.mark.parametrize("make", [AdaBoostClassifier, ArcGVClassifier, LPBoostClassifier])
def test_problems_are_the_models_of_two_classes(make):
    model = make().fit(X, NAMES)
    for k, problem in enumerate(model.problems_):
        alone = make().fit(X, model.classes_[k] == NAMES)
        assert problem.estimators_ == alone.estimators_
        np.testing.assert_array_equal(problem.estimator_weights_, alone.estimator_weights_)
        assert problem.certificate_ == alone.certificate_
        np.testing.assert_array_equal(problem.margins_, alone.margins_)
        np.testing.assert_array_equal(problem.dual_, alone.dual_)
        np.testing.assert_array_equal(model.decision_function(X)[:, k], alone.decision_function(X))


def test_all_pairs_learn_from_two_classes_each():
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=9), code="all-pairs").fit(X, NAMES)
    for problem, (a, b) in zip(model.problems_, [(0, 1), (0, 2), (1, 2)], strict=True):
        some = (a == Y) | (b == Y)
        bins = BinnedMatrix.from_data(X).take(np.flatnonzero(some))
        alone = AdaBoostClassifier(n_estimators=9).fit(bins, Y[some] == b)
        assert problem.estimators_ == alone.estimators_
        assert (problem.dual_[~some] == 0).all()
        assert (problem.margins_[~some] == 0).all()


@pytest.mark.parametrize("code", CODES)
def test_weights_are_copies_and_zero_is_no_row(code):
    counts = np.random.default_rng(0).integers(0, 3, size=150)
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=8), code=code)
    weighted = clone(model).fit(X, Y, counts)
    copied = clone(model).fit(X.repeat(counts, axis=0), Y.repeat(counts))
    np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X))
    assert weighted.margins_.shape == (150,)
    np.testing.assert_allclose(weighted.margins(X, Y), weighted.margins_)


def test_a_class_without_weight_is_no_class():
    weights = np.where(Y == 2, 0.0, 1.0)
    model = AdaBoostClassifier(n_estimators=5).fit(X, Y, weights)
    np.testing.assert_array_equal(model.classes_, [0, 1])
    assert not hasattr(model, "problems_")
    four = np.append(Y, 9)
    model.fit(np.vstack([X, X[:1]]), four, np.append(np.ones(150), 0.0))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert len(model.margins_) == 151


def test_a_new_fit_forgets_the_old_one():
    model = AdaBoostClassifier(n_estimators=5)
    two = model.fit(X[:100], Y[:100]).decision_function(X)
    assert two.shape == (150,)
    assert model.fit(X, Y).decision_function(X).shape == (150, 3)
    assert not hasattr(model, "ensemble_")
    np.testing.assert_array_equal(model.fit(X[:100], Y[:100]).decision_function(X), two)
    assert not hasattr(model, "problems_")


def test_bins_threads_and_trees():
    digits, labels = load_digits(return_X_y=True)
    bins = BinnedMatrix.from_data(digits)
    settings_ = {"estimator": TreeOracle(max_depth=2), "n_estimators": 5}
    plain = AdaBoostClassifier(**settings_, n_jobs=1).fit(digits, labels)
    for other, rows in (
        (AdaBoostClassifier(**settings_, n_jobs=3).fit(digits, labels), digits),
        (AdaBoostClassifier(**settings_).fit(bins, labels), bins),
    ):
        assert other.estimators_ == plain.estimators_
        np.testing.assert_array_equal(
            other.decision_function(rows), plain.decision_function(digits)
        )
    with pytest.raises(ValueError, match="has no cut at"):
        plain.predict(BinnedMatrix.from_data(digits, max_bins=2))


def test_random_algorithms_draw_anew_for_every_problem():
    model = BaggedVoteClassifier(n_estimators=4, random_state=5).fit(X, Y)
    seeds = [problem.random_state for problem in model.problems_]
    assert len(set(seeds)) == 3
    again = BaggedVoteClassifier(n_estimators=4, random_state=5).fit(X, Y)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_explanations_sum_to_the_votes():
    model = AdaBoostClassifier(n_estimators=12).fit(X, NAMES)
    parts = [part.intercept + part.contributions(X).sum(axis=1) for part in model.explain()]
    np.testing.assert_allclose(np.column_stack(parts), model.decision_function(X), atol=1e-12)


# -- callbacks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["one-vs-rest", "all-pairs"])
def test_early_stopping_watches_every_problem(code):
    stop = EarlyStopping(X[::2], NAMES[::2], patience=2)
    inner = AdaBoostClassifier(n_estimators=40, callbacks=[stop])
    model = MulticlassBooster(inner, code=code).fit(X[1::2], NAMES[1::2])
    assert not hasattr(stop, "errors_")  # each problem has a copy
    for problem, side in zip(model.problems_, model.code_.T, strict=True):
        (mine,) = problem.callbacks
        signs = side[Y[::2]]
        rows = X[::2][signs != 0]
        wrong = problem.predict(rows) != signs[signs != 0]
        assert wrong.mean() == pytest.approx(min(mine.errors_))


def test_checkpoints_are_refused_and_say_what_can(tmp_path):
    model = AdaBoostClassifier(callbacks=[Checkpoint(tmp_path / "run.json")])
    with pytest.raises(ValueError, match=r"callbacks: got a Checkpoint.*SAMMEClassifier"):
        model.fit(X, Y)
    assert list(tmp_path.iterdir()) == []
    model.fit(X[:100], Y[:100])


def test_a_time_budget_is_for_each_problem():
    model = AdaBoostClassifier(n_estimators=50, callbacks=[TimeBudget(1e-9)]).fit(X, Y)
    assert model.stop_reason_ == [Stop.PERFECT, Stop.TIME, Stop.TIME]


# -- the booster -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [*CODES, [[1, 1, 0], [-1, 1, 1], [0, -1, -1]]])
@pytest.mark.parametrize("decoding", ["auto", "linear", "ramp", "hamming", "exponential"])
def test_codes_and_decodings(code, decoding):
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=20), code=code, decoding=decoding)
    model.fit(X, NAMES)
    assert model.score(X, NAMES) > 0.9
    votes = model.decision_function(X)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), votes.argmax(axis=1))
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, votes, atol=1e-9)
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), atol=1e-9)
    *_, last = model.staged_score(X, NAMES)
    assert last == model.score(X, NAMES)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)).argmax(1), votes.argmax(1))
    assert len(list(model.staged_predict(X))) == 20
    assert len(model.explain()) == len(model.problems_)


def test_one_vs_rest_by_default_is_what_the_algorithm_does_itself():
    booster = MulticlassBooster().fit(X, NAMES)
    plain = AdaBoostClassifier().fit(X, NAMES)
    np.testing.assert_array_equal(booster.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(booster.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(booster.margins(X, NAMES), plain.margins_)
    np.testing.assert_array_equal(booster.margins_, plain.margins_)


def test_weights_of_classes_are_those_of_the_algorithm(tmp_path):
    inner, weights = AdaBoostClassifier(n_estimators=5), {"setosa": 1.0, "virginica": 3.0}
    model = MulticlassBooster(inner, code="all-pairs", class_weight=weights).fit(X, NAMES)
    same = MulticlassBooster(clone(inner).set_params(class_weight=weights), code="all-pairs")
    scores = same.fit(X, NAMES).decision_function(X)
    np.testing.assert_array_equal(model.decision_function(X), scores)
    repeated = np.repeat(np.arange(len(X)), np.where(NAMES == "virginica", 3, 1))
    copies = MulticlassBooster(inner, code="all-pairs").fit(X[repeated], NAMES[repeated])
    np.testing.assert_allclose(copies.decision_function(X), scores, atol=1e-9)
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").class_weight == weights
    with pytest.raises(ValueError, match="class_weight: got 'balanced', expected None where the"):
        clone(same).set_params(class_weight="balanced").fit(X, NAMES)


def test_two_classes_need_no_code():
    model = MulticlassBooster(code="error-correcting").fit(X[50:], Y[50:])
    plain = AdaBoostClassifier().fit(X[50:], Y[50:])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    with pytest.raises(ValueError, match=r"code: got shape \(3, 3\), expected 2 rows"):
        MulticlassBooster(code=make_code("all-pairs", 3)).fit(X[50:], Y[50:])


def test_grid_search_over_codes():
    grid = {"code": ["one-vs-rest", "all-pairs"], "estimator__n_estimators": [1, 5]}
    search = GridSearchCV(MulticlassBooster(AdaBoostClassifier()), grid, cv=3).fit(X, NAMES)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.estimator is not search.best_estimator_.estimator_


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(), AdaBoostMHClassifier(), "AdaBoost", TreeOracle()]
)
def test_the_booster_takes_algorithms_for_two_classes(estimator):
    with pytest.raises(TypeError, match=r"estimator: got .* an algorithm of this package for two"):
        MulticlassBooster(estimator).fit(X, Y)


def test_bad_decoding_and_missing_fit():
    with pytest.raises(ValueError, match="decoding: got 'vote', expected one of 'auto', 'linear'"):
        MulticlassBooster(decoding="vote").fit(X, Y)
    model = MulticlassBooster()
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(AttributeError, match="no attribute 'classes_'"):
        _ = model.classes_
    with pytest.raises(AttributeError, match="no attribute 'nonsense_'"):
        _ = model.fit(X, Y).nonsense_


def test_onnx_takes_problems_one_by_one():
    pytest.importorskip("onnx")
    model = MulticlassBooster(AdaBoostClassifier(n_estimators=3)).fit(X, Y)
    with pytest.raises(TypeError, match="to_onnx: got a model of 3 classes"):
        model.to_onnx()
    assert model.problems_[1].to_onnx().graph.node
