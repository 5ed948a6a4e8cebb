"""LPBoost where ν does not suit the table: what it says, how soon, and what the CV makes of it."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import ShuffleSplit

from marginboost import LPBoostClassifier, LPBoostClassifierCV, Stop
from marginboost.algorithms._column_generation import DOUBT
from marginboost.fitting import cross_validation
from marginboost.solvers.masters.interior import InteriorMaster
from marginboost.solvers.masters.smooth import FEW_COLUMNS


def contradictions():
    """Rows of ten kinds, each with both labels nearly equally often."""
    random = np.random.default_rng(0)
    return (np.arange(300) % 10)[:, None].astype(float), random.integers(0, 2, 300)


@pytest.fixture(scope="module")
def rare():
    return make_classification(
        400, 6, n_informative=4, weights=[0.9], flip_y=0.05, class_sep=0.7, random_state=2
    )


def test_too_large_a_nu_for_a_rare_class_asks_for_a_smaller_one(rare):
    with pytest.warns(UserWarning, match="smaller nu, below 0.2"):
        model = LPBoostClassifier(nu=0.5).fit(*rare)
    share = rare[1].mean()
    assert model.certificate_.value >= 1 - 2 * share / 0.5 - 1e-3  # that of a constant


def test_weights_of_classes_are_the_remedy(rare):
    X, y = rare
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LPBoostClassifier(nu=0.5, class_weight="balanced").fit(X, y)
    assert (model.predict(X) == 1)[y == 1].mean() > 0.5
    heaviest = [np.abs(model.dual_[y == label]).max() for label in (0, 1)]
    assert heaviest[1] > 3 * heaviest[0]  # the cap of a class follows its weight


def test_a_hopeless_nu_ends_the_run_at_once():
    X, noisy = contradictions()
    with pytest.warns(UserWarning, match="larger nu"):
        model = LPBoostClassifier(nu=0.1, tol=0.05).fit(X, noisy)
    proven = model.history_.to_dict()["upper"]
    assert model.stop_reason_ in (Stop.NO_MARGIN, Stop.GAP)
    assert (np.array(proven)[:-2] > 0.05).all()  # hardly a round more than the proof took
    assert model.n_iter_ < 20


@pytest.mark.parametrize("n_rows", [4, 5, 8, 19])
def test_the_cv_chooses_from_what_few_rows_allow(n_rows):
    X, y = np.random.default_rng(n_rows).normal(size=(n_rows, 3)), np.arange(n_rows) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LPBoostClassifierCV().fit(X, y)
    assert model.nu_ in model.cv_results_["nu"]


def test_the_cv_drops_what_is_hopeless_and_shows_how_far_it_is(capsys, monkeypatch):
    X, _ = contradictions()
    noisy = (X[:, 0] > 4) ^ (np.arange(300) // 10 % 3 == 0)
    trained, train = [], cross_validation.train

    def watched(sample, oracle, rule, **settings):
        trained.append(rule.nu)
        return train(sample, oracle, rule, **settings)

    monkeypatch.setattr(cross_validation, "train", watched)
    split = ShuffleSplit(2, random_state=0)
    model = LPBoostClassifierCV(nus=[0.9, 0.1, 0.05], cv=split, tol=0.05, verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, noisy)
    assert "fold 2 of 2: nu" in capsys.readouterr().err
    assert trained == [0.9, 0.1] * 2  # once no margin is left, smaller values are not tried
    results = model.cv_results_
    np.testing.assert_array_equal(results["errors"][:, 1], results["errors"][:, 2])


def like_a_banks(n_rows):
    return make_classification(
        n_rows, 16, n_informative=6, weights=[0.88], flip_y=0.02, class_sep=0.7, random_state=1
    )


@pytest.fixture(scope="module")
def bank():
    return like_a_banks(36_000)


@pytest.mark.parametrize(("nu", "weights"), [(0.05, None), (0.15, None), (0.3, "balanced")])
def test_the_verdict_on_a_table_without_a_soft_margin_takes_few_rounds(nu, weights, bank):
    """Column after column it took 250 rounds; weights of all stumps at once are the proof."""
    X, y = bank
    with pytest.warns(UserWarning, match="about zero"):
        model = LPBoostClassifier(nu=nu, class_weight=weights).fit(X, y)
    assert model.n_iter_ <= DOUBT + 1
    assert model.certified_
    assert model.certificate_.upper <= 1e-3
    assert model.certificate_.value >= -1e-3
    # The proof, from scratch: no weight above its cap, and none of these cuts has a large edge.
    caps = (np.ones(2) if weights is None else 0.5 * len(y) / np.bincount(y))[y] / (nu * len(y))
    dual = np.abs(model.dual_)
    assert dual.sum() == pytest.approx(1.0)
    assert (dual <= caps * (1 + 1e-6)).all()
    cuts = [hypothesis for hypothesis in model.estimators_ if hypothesis.left != hypothesis.right]
    edges = [model.dual_ @ stump(X) for stump in cuts[::20]]
    assert len(edges) > 20
    assert max(edges) <= model.certificate_.upper + 1e-9


@pytest.mark.parametrize("labels", ["product", "noise"])
def test_a_soft_margin_hardly_above_zero_takes_few_rounds(labels):
    """Stumps cannot fit these labels: column after column it took 150 rounds and more."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 10))
    y = X[:, 0] * X[:, 1] > 0 if labels == "product" else random.integers(0, 2, 2000)
    model = LPBoostClassifier().fit(X, y)
    assert model.n_iter_ <= 80
    assert model.certified_
    assert model.certificate_.gap <= 1e-3
    assert 0.0 < model.certificate_.value < 0.005


def test_where_a_margin_exists_the_run_is_what_it_was(monkeypatch):
    """Looking for a proof that there is none leaves no trace where there is one."""
    X, y = like_a_banks(2000)
    settings = {"nu": 0.1, "class_weight": "balanced"}
    model = LPBoostClassifier(**settings).fit(X, y)
    assert model.certificate_.value > 1e-3
    assert model.n_iter_ > DOUBT
    monkeypatch.setattr("marginboost.algorithms._column_generation.DOUBT", -1)
    other = LPBoostClassifier(**settings).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert model.certificate_ == other.certificate_


def test_no_nu_is_chosen_at_which_a_class_is_given_up():
    X, y = like_a_banks(3000)
    model = LPBoostClassifierCV(cv=2).fit(X, y)
    assert model.cv_results_["nu"].max() < 2 * y.mean()
    assert model.cv_error_ < y.mean()
    balanced = LPBoostClassifierCV(cv=2, class_weight="balanced").fit(X, y)
    assert balanced.cv_results_["nu"].max() == 0.7
    assert balanced.predict(X)[y == 1].mean() > 0.6


def test_where_every_nu_is_hopeless_the_cv_names_weights_of_classes():
    """Not a larger ν, which would give the class up, and not itself."""
    X, _ = contradictions()
    y = np.arange(300) // 10 % 6 == 0
    with pytest.warns(UserWarning, match='Below 0.333.*class_weight="balanced"') as caught:
        LPBoostClassifierCV(cv=2, tol=0.05).fit(X, y)
    assert not any("larger" in str(warning.message) for warning in caught)
    with pytest.warns(UserWarning, match='larger nu.*finds one.*class_weight="balanced"'):
        LPBoostClassifier(nu=0.1, tol=0.05).fit(X, y)


def test_of_several_classes_each_must_be_worth_its_votes():
    """A class told from K - 1 others has a share of about 1/K, whatever the weights."""
    random = np.random.default_rng(0)
    y = np.arange(300) % 6
    X = y[:, None] + 0.3 * random.normal(size=(300, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LPBoostClassifierCV(cv=2, n_estimators=30, class_weight="balanced").fit(X, y)
    assert all(problem.cv_results_["nu"].max() < 2 / 6 for problem in model.problems_)


def test_systems_of_many_columns_are_not_solved_by_newton(monkeypatch):
    """Noise as labels brings column after column; systems as large would take most of the time."""
    sizes, solve = [], InteriorMaster.solve

    def watched(self, pool, start, gap):
        sizes.append(len(start))
        return solve(self, pool, start, gap)

    monkeypatch.setattr(InteriorMaster, "solve", watched)
    random = np.random.default_rng(0)
    X, y = random.normal(size=(600, 6)), random.integers(0, 2, 600)
    model = LPBoostClassifier(tol=5e-3, n_jobs=1).fit(X, y)
    assert model.certificate_.gap <= 5e-3
    assert len(model.estimators_) > FEW_COLUMNS
    assert 0 < max(sizes) <= FEW_COLUMNS
