"""However the rows are divided, a run makes the same model, bit for bit."""

from itertools import pairwise

import numpy as np
import pytest

from marginboost import (
    BinnedMatrix,
    Checkpoint,
    GradientBoostRegressor,
    GradientTreeOracle,
    LPBoostClassifier,
    SoftmaxBoostClassifier,
    StumpOracle,
    TreeOracle,
)
from marginboost.algorithms._lpboost_on_parts import PartedLPBoost
from marginboost.algorithms.adaboost import AdaBoost
from marginboost.algorithms.adaboost_star import AdaBoostStar
from marginboost.algorithms.arc_gv import ArcGV
from marginboost.algorithms.brown_boost import BrownBoost
from marginboost.algorithms.gradient_boost import GradientBoost
from marginboost.algorithms.lpboost import LPBoost
from marginboost.algorithms.madaboost import MadaBoost
from marginboost.algorithms.marginal_adaboost import MarginalAdaBoost
from marginboost.algorithms.smoothboost import SmoothBoost
from marginboost.core import Sample, train
from marginboost.core.callbacks import Callback
from marginboost.core.parts import LocalParts, Part, PartedSample, Source
from marginboost.core.stop import Stop
from marginboost.estimators.base import fit_parts
from marginboost.model import Features
from marginboost.oracles.parted_trees import divide_nodes

N_ROWS = 3_000
SIDES = np.array([-1, 1], np.int8)
DIVISIONS = {
    "one": [0, N_ROWS],
    "two": [0, 777, N_ROWS],
    "seven": [0, 1, 8, 500, 501, 1400, 2900, N_ROWS],
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 5))
    X[:, 4] = rng.integers(0, 4, N_ROWS)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X) @ [1.0, -1.0, 0.5, 0.0, 0.3] + rng.normal(size=N_ROWS) > 0.3).astype(int)
    X[y == 0, 3] = np.abs(X[y == 0, 3])  # so that there is something to find here too
    return BinnedMatrix.from_data(X, categorical=[4]), y, rng.uniform(0.1, 3.0, N_ROWS)


def whole(rows, weighted):
    bins, y, weights = rows
    return Sample.of_labels(SIDES[y], weights if weighted else None, rows=bins, bins=bins)


def parted(rows, weighted, division):
    bins, y, weights = rows
    weights = weights if weighted else np.ones(N_ROWS)
    parts = [
        Part.of(Source(bins.take(np.arange(start, stop)), y[start:stop], weights[start:stop]))
        for start, stop in pairwise(division)
    ]
    return PartedSample.of(LocalParts(parts), bins, SIDES, 0)


def assert_same_bits(one, other):
    assert one.ensemble.members == other.ensemble.members
    np.testing.assert_array_equal(one.ensemble.coef, other.ensemble.coef)
    assert one.certificate == other.certificate
    assert one.stop == other.stop
    for name in one.history:
        if name != "seconds":
            np.testing.assert_array_equal(one.history[name], other.history[name], name)


RULES = {
    "AdaBoost": AdaBoost,
    "Arc-GV": lambda: ArcGV(monotone=False),
    "AdaBoost*": lambda: AdaBoostStar(0.05),
    "Marginal AdaBoost": lambda: MarginalAdaBoost(0.4),
    "MadaBoost": MadaBoost,
    "SmoothBoost": lambda: SmoothBoost(0.2, 0.05),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_same_bits_in_any_number_of_parts(rows, rule, weighted):
    expected = train(whole(rows, weighted), StumpOracle(), RULES[rule](), max_rounds=40)
    assert len(expected.history) > 5
    for division in DIVISIONS.values():
        sample = parted(rows, weighted, division)
        assert_same_bits(train(sample, StumpOracle(), RULES[rule](), max_rounds=40), expected)


PROGRAMS = {
    "soft margin": {"nu": 0.7},
    "hard margin": {"nu": None},
    "C-form": {"C": 150.0},
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_linear_program_in_any_number_of_parts(rows, program, weighted):
    settings, budget = PROGRAMS[program], {"max_rounds": 4, "tol": 1e-3}
    if program == "soft margin":
        budget["max_rounds"] = 20
    rule = LPBoost(solver="smooth", **settings)
    expected = train(whole(rows, weighted), StumpOracle(), rule, **budget)
    if program == "soft margin":
        assert expected.certificate.gap <= 1e-3
    for division in DIVISIONS.values():
        run = train(
            parted(rows, weighted, division), StumpOracle(), PartedLPBoost(**settings), **budget
        )
        assert_same_bits(run, expected)


def test_an_interrupted_linear_program_goes_on(rows, tmp_path):
    settings, budget = {"nu": 0.3}, {"max_rounds": 8, "tol": 1e-3}
    expected = train(
        whole(rows, True), StumpOracle(), LPBoost(solver="smooth", **settings), **budget
    )
    for callbacks in ([Interrupted(5)], []):
        sample = parted(rows, True, DIVISIONS["two"])
        saved = [*callbacks, Checkpoint(tmp_path / "run.json", every=2)]
        try:
            run = train(sample, StumpOracle(), PartedLPBoost(**settings), **budget, callbacks=saved)
        except KeyboardInterrupt:
            assert (tmp_path / "run.json").exists()
    assert_same_bits(run, expected)


@pytest.mark.parametrize("solver", ["simplex", "interior"])
def test_masters_that_need_all_rows_say_so(rows, solver):
    sample = parted(rows, False, DIVISIONS["two"])
    with pytest.raises(TypeError, match="solver: got"):
        train(sample, StumpOracle(), PartedLPBoost(0.3, solver), max_rounds=2)


TREES = {
    "31 leaves": (GradientTreeOracle(), "logistic"),
    "any size": (GradientTreeOracle(max_leaf_nodes=None, max_depth=4), "savage"),
    "constraints": (
        GradientTreeOracle(
            9,
            monotonic_cst={0: 1},
            interaction_cst="pairwise",
            max_features=0.7,
            grow_policy="depthwise",
            min_split_gain=0.5,
        ),
        "logistic",
    ),
    "drawn columns": (
        GradientTreeOracle(max_leaf_nodes=None, max_depth=5, max_features=0.5),
        "logistic",
    ),
    "symmetric": (
        GradientTreeOracle(64, grow_policy="symmetric", min_samples_leaf=1, l2_regularization=3.0),
        "logistic",
    ),
    "symmetric, drawn columns": (
        GradientTreeOracle(
            None, max_depth=4, grow_policy="symmetric", max_features=0.5, monotonic_cst={0: 1}
        ),
        "logistic",
    ),
    "small leaves": (GradientTreeOracle(12, min_samples_leaf=1, max_step=4.0), "exponential"),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("trees", TREES)
def test_same_trees_in_any_number_of_parts(rows, trees, weighted):
    oracle, loss = TREES[trees]
    expected = train(whole(rows, weighted), oracle, GradientBoost(loss), max_rounds=8)
    assert len(expected.ensemble) == 9
    for division in DIVISIONS.values():
        sample = parted(rows, weighted, division)
        assert_same_bits(train(sample, oracle, GradientBoost(loss), max_rounds=8), expected)


class Counted(LocalParts):
    """Parts that count the questions to which somebody waits for an answer, and their divisions."""

    def __init__(self, parts):
        super().__init__(parts)
        self.n_questions, self.n_divided = 0, 0

    def each(self, question, *args):
        self.n_questions += 1
        if question is divide_nodes:
            self.n_divided += len(args[0])
        return super().each(question, *args)

    def tell(self, question, *args):
        super().each(question, *args)


@pytest.mark.parametrize(
    ("trees", "levels"),
    [
        ({}, 0),
        ({"max_leaf_nodes": 8, "grow_policy": "depthwise"}, 0),
        ({"max_leaf_nodes": None, "max_depth": 5}, -1),  # the last level is not asked for
        ({"max_leaf_nodes": 32, "grow_policy": "symmetric"}, 0),
    ],
)
def test_a_tree_takes_as_many_questions_as_it_is_deep(rows, trees, levels):
    bins, y, weights = rows
    halves = [np.arange(777), np.arange(777, N_ROWS)]
    parts = Counted([Part.of(Source(bins.take(at), y[at], weights[at])) for at in halves])
    sample = PartedSample.of(parts, bins, SIDES, 0)
    run = train(sample, GradientTreeOracle(**trees), GradientBoost(), max_rounds=6)
    grown = run.ensemble.members[1:]
    assert len(grown) == 6
    # Sums of all rows, and new scores with weights, are two more for each; four come before.
    deep = sum(tree.depth + levels for tree in grown)
    assert parts.n_questions <= deep + 2 * len(grown) + 4
    assert parts.n_divided <= 1.25 * sum(tree.n_leaves - 1 for tree in grown)


@pytest.mark.parametrize(
    "setting",
    [
        {"subsample": 0.5},
        {"colsample_bytree": 0.5},
        {"splits": "gradient"},
        {"categorical": "partition"},
    ],
)
def test_settings_of_trees_that_need_all_rows_say_so(rows, setting):
    sample = parted(rows, False, DIVISIONS["two"])
    with pytest.raises(TypeError, match=next(iter(setting))):
        train(sample, GradientTreeOracle(**setting), GradientBoost(), max_rounds=2)


def test_a_perfect_hypothesis_is_the_whole_model(rows):
    y = rows[1]
    X = np.column_stack([np.arange(N_ROWS) % 7, 2 * y])
    easy = BinnedMatrix.from_data(X), y, None
    run = train(parted(easy, False, DIVISIONS["seven"]), StumpOracle(), AdaBoost(), max_rounds=9)
    assert run.stop == Stop.PERFECT
    assert run.certificate.value == 1.0
    assert_same_bits(run, train(whole(easy, False), StumpOracle(), AdaBoost(), max_rounds=9))


class Interrupted(Callback):
    def __init__(self, round=17):
        self.round = round

    def on_round(self, state):
        if state.round == self.round:
            raise KeyboardInterrupt


def test_an_interrupted_run_goes_on(rows, tmp_path):
    expected = train(whole(rows, True), StumpOracle(), AdaBoost(), max_rounds=30)
    for callbacks in ([Interrupted()], []):
        sample = parted(rows, True, DIVISIONS["two"])
        saved = [*callbacks, Checkpoint(tmp_path / "run.json", every=5)]
        try:
            run = train(sample, StumpOracle(), AdaBoost(), max_rounds=30, callbacks=saved)
        except KeyboardInterrupt:
            assert (tmp_path / "run.json").exists()
    assert_same_bits(run, expected)


@pytest.mark.parametrize(
    ("oracle", "rule"), [(StumpOracle(), BrownBoost()), (TreeOracle(), AdaBoost())]
)
def test_what_must_see_all_rows_says_so(rows, oracle, rule):
    sample = parted(rows, False, DIVISIONS["two"])
    with pytest.raises(TypeError, match="must see all rows at once"):
        train(sample, oracle, rule, max_rounds=2)


TARGET_LOSSES = ["squared", "huber", "quantile", "poisson"]


def divided(bins, labels, weights, division):
    """Features of a table, and its rows in parts."""
    parts = [
        Part.of(Source(bins.take(np.arange(start, stop)), labels[start:stop], weights[start:stop]))
        for start, stop in pairwise(DIVISIONS[division])
    ]
    return Features(list(bins.names), list(bins.categories), bins.named), LocalParts(parts)


def assert_same_model(model, expected):
    assert model.estimators_ == expected.estimators_
    np.testing.assert_array_equal(model.estimator_weights_, expected.estimator_weights_)
    assert model.certificate_ == expected.certificate_
    assert not hasattr(model, "dual_")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", TARGET_LOSSES)
def test_same_regression_in_any_number_of_parts(rows, loss, weighted):
    bins, y, weights = rows
    targets = 3.0 * y + np.random.default_rng(1).exponential(size=N_ROWS)
    weights = weights if weighted else np.ones(N_ROWS)
    settings = {"n_estimators": 3, "loss": loss}
    expected = GradientBoostRegressor(**settings).fit(bins, targets, weights)
    for division in DIVISIONS:
        features, parts = divided(bins, targets, weights, division)
        model = fit_parts(GradientBoostRegressor(**settings), features, bins, None, parts)
        assert model.spread_ == expected.spread_
        assert_same_model(model, expected)


def test_targets_that_do_not_suit_the_loss(rows):
    bins, y, _ = rows
    part = Part.of(Source(bins, y - 1.0, np.ones(N_ROWS)))
    features = Features(list(bins.names), list(bins.categories), bins.named)
    with pytest.raises(ValueError, match="a row has the target -1, expected numbers at least 0"):
        fit_parts(GradientBoostRegressor(loss="poisson"), features, bins, None, LocalParts([part]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["softmax", "noisy-softmax"])
def test_same_softmax_in_any_number_of_parts(rows, loss, weighted):
    bins, y, weights = rows
    labels = y + (np.random.default_rng(2).random(N_ROWS) < 0.3)
    weights = weights if weighted else np.ones(N_ROWS)
    settings = {"n_estimators": 2, "loss": loss, "max_leaf_nodes": 9}
    expected = SoftmaxBoostClassifier(**settings).fit(bins, labels, weights)
    for division in DIVISIONS:
        features, parts = divided(bins, labels, weights, division)
        model = SoftmaxBoostClassifier(**settings)
        assert_same_model(fit_parts(model, features, bins, np.arange(3), parts), expected)


def test_trees_of_one_feature_know_where_the_rows_in_parts_lie(rows):
    bins, y, weights = rows
    labels = y + (np.random.default_rng(2).random(N_ROWS) < 0.3)
    settings = {"n_estimators": 2, "max_leaf_nodes": 2}
    expected = SoftmaxBoostClassifier(**settings).fit(bins, labels, weights)
    features, parts = divided(bins, labels, weights, "seven")
    model = SoftmaxBoostClassifier(**settings)
    fit_parts(model, features, bins, np.arange(3), parts)
    wanted = expected.model_.runs[0].background
    assert wanted
    for feature, found in model.model_.runs[0].background.items():
        np.testing.assert_array_equal(found.cuts, wanted[feature].cuts)
        np.testing.assert_array_equal(found.shares, wanted[feature].shares)


def fit_whole_and_parted(rows, labels, settings):
    bins, _, weights = rows
    expected = LPBoostClassifier(solver="smooth", **settings).fit(bins, labels, weights)
    features, parts = divided(bins, labels, weights, "two")
    classes = np.unique(labels)
    model = fit_parts(LPBoostClassifier(**settings), features, bins, classes, parts)
    return expected, model


def test_soft_margins_of_several_classes(rows):
    labels = rows[1] + (np.random.default_rng(2).random(N_ROWS) < 0.3)
    expected, model = fit_whole_and_parted(rows, labels, {"nu": 0.8, "n_estimators": 3})
    assert model.estimators_ == expected.estimators_
    for one, other in zip(model.problems_, expected.problems_, strict=True):
        assert one.rho_ == other.rho_
        assert one.certificate_ == other.certificate_


def test_a_price_that_no_hypothesis_is_worth(rows):
    with pytest.warns(UserWarning, match="the empty model is optimal"):
        expected, model = fit_whole_and_parted(rows, rows[1], {"C": 1e9})
    assert len(model.estimators_) == len(expected.estimators_) == 0
    assert model.rho_ == expected.rho_


def test_a_share_below_that_of_the_lightest_row(rows):
    with pytest.raises(ValueError, match="nu: got 1e-09, expected at least"):
        train(
            parted(rows, True, DIVISIONS["two"]), StumpOracle(), PartedLPBoost(1e-9), max_rounds=2
        )
