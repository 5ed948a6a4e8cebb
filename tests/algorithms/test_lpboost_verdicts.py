"""LPBoost where ν does not suit the table: what it says, how soon, and what the CV makes of it."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import ShuffleSplit

from marginboost import LPBoostClassifier, LPBoostClassifierCV, Stop


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


def test_the_cv_drops_what_is_hopeless_and_shows_how_far_it_is(capsys):
    X, noisy = contradictions()
    split = ShuffleSplit(2, random_state=0)
    model = LPBoostClassifierCV(nus=[0.9, 0.1, 0.05], cv=split, tol=0.05, verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, noisy)
    results = model.cv_results_
    np.testing.assert_array_equal(results["errors"][:, 1], results["errors"][:, 2])
    assert "fold 2 of 2: nu" in capsys.readouterr().err
