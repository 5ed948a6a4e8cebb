"""Weights of rows whose sum overflows, vanishes, or spans more than numbers can hold."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import is_regressor

from marginboost import LPBoostClassifier, MulticlassBooster, RobustBoostClassifier, algorithms
from marginboost.core.sample import Sample, bounded_weights
from marginboost.diagnostics import zero_one_error
from marginboost.estimators.base import algorithm_of

FACTORS = {"overflow": (2.0**1023, 2.0**27), "vanish": (2.0**-1000, 2.0**-27)}


def make_rows(n=60):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    target = X[:, 0] + 0.5 * X[:, 1] + 0.6 * rng.normal(size=n)
    return X, target, rng.integers(1, 5, size=n) / 3.0


def every_estimator():
    for name in algorithms.__all__:
        if name.endswith(("Classifier", "Regressor")) and name != "IntervalRegressor":
            yield pytest.param(getattr(algorithms, name)(), id=name)
    for kind in (algorithms.AdaBoostRegClassifierCV, algorithms.BarrierBoostClassifierCV):
        yield pytest.param(kind(cv=2), id=kind.__name__)
    yield pytest.param(algorithms.LPBoostClassifierCV(cv=2), id="LPBoostClassifierCV")
    yield pytest.param(MulticlassBooster(algorithms.AdaBoostClassifier()), id="MulticlassBooster")
    yield pytest.param(RobustBoostClassifier(cv=2), id="RobustBoostClassifier")


def short(model):
    """The same model with few rounds, wherever they are counted."""
    names = [name for name in model.get_params() if name.endswith("n_estimators")]
    return model.set_params(**dict.fromkeys(names, 6))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("scale", FACTORS)
@pytest.mark.parametrize("model", list(every_estimator()))
def test_the_same_model_as_with_weights_of_an_ordinary_scale(model, scale):
    """The scale is far beyond what a price or a least number of rows could tell from 2^±27."""
    X, target, weight = make_rows()
    y = target if is_regressor(model) else target > 0.2
    extreme, ordinary = FACTORS[scale]
    expected = short(model).fit(X, y, sample_weight=weight * ordinary).predict(X)
    got = short(model).fit(X, y, sample_weight=weight * extreme)
    if is_regressor(model):
        np.testing.assert_allclose(got.predict(X), expected, rtol=1e-6, atol=1e-8)
        return
    np.testing.assert_array_equal(got.predict(X), expected)
    assert not got.certified_ or np.isfinite(got.certificate_.gap)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("solver", ["simplex", "interior", "smooth"])
def test_a_price_of_nothing(solver):
    """C over the sum of the weights is next to zero: no numbers but finite ones come of it."""
    X, target, weight = make_rows()
    model = LPBoostClassifier(C=2.0, solver=solver, n_estimators=6)
    model.fit(X, target > 0.2, sample_weight=weight * 2.0**1023)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.dual_).all()
    assert not model.certified_ or np.isfinite(model.certificate_.gap)


def test_bounded_weights():
    ordinary = np.array([0.5, 3.0, 1e-200])
    np.testing.assert_array_equal(bounded_weights(ordinary), ordinary)
    large = bounded_weights(np.full(4, 1e308))
    assert 1e99 < large[0] == large[3] < 1e100
    tiny = bounded_weights(np.array([1e-310, 2e-310]))
    np.testing.assert_allclose(tiny / tiny.sum(), [1 / 3, 2 / 3], rtol=1e-9)
    wide = bounded_weights(np.array([1e300, 1e-300, 1e20]))
    assert wide[0] > 0.0
    assert wide[1] == 0.0
    np.testing.assert_allclose(wide[2] / wide[0], 1e-280)
    assert np.isfinite(Sample.of_labels(np.array([1, -1]), np.array([1e308, 1e308])).total)


def test_weights_that_count_for_nothing_are_as_zeros():
    """A range of 1e±300 in one vector."""
    X, target, weight = make_rows()
    y, light = target > 0.2, np.arange(len(target)) % 3 == 0
    extreme = np.where(light, 1e-300, 1e300 * weight)
    expected = LPBoostClassifier().fit(X, y, sample_weight=np.where(light, 0.0, weight))
    got = LPBoostClassifier().fit(X, y, sample_weight=extreme)
    np.testing.assert_allclose(got.decision_function(X), expected.decision_function(X), atol=1e-9)
    with pytest.raises(ValueError, match="class"):
        LPBoostClassifier().fit(X, y, sample_weight=np.where(y, 1e300, 1e-300))


def test_error_under_weights_whose_sum_overflows():
    votes, y = np.array([0.5, -0.5, 0.5]), np.array([1, 1, -1])
    assert zero_one_error(votes, y, sample_weight=np.full(3, 1e308)) == pytest.approx(2 / 3)


def test_no_certificate_without_finite_bounds():
    """A rule that proves nothing has no certificate, however exact the base learner is."""
    X, target, _ = make_rows()
    rule = algorithms.AdaBoost()
    rule.upper = lambda state, edge: np.inf
    model = algorithms.AdaBoostClassifier(n_estimators=3)
    made = replace(algorithm_of(model), rule=lambda problem, chosen: rule)
    model._algorithm = lambda: made
    certificate = model.fit(X, target > 0.2).certificate_
    assert certificate.upper == np.inf
    assert not certificate.certified
    assert "finite" in certificate.reason


def test_one_row_that_outweighs_all_others_by_far():
    """Slopes become so small that their unit, a power of two, has a square of zero."""
    X, target, weights = make_rows(2_000)
    weights[:2] = 1e200, 1e-200
    model = algorithms.GradientBoostClassifier().fit(X, target > 0, weights)
    assert model.predict(X[:1]) == (target[0] > 0)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("kind", [algorithms.MadaBoostClassifier, algorithms.SmoothBoostClassifier])
def test_capped_weights_where_the_rows_that_are_wrong_weigh_next_to_nothing(kind):
    """The largest weight is that of a row of prior 1e-200, or of one far on the right side."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    y, weights = np.array([0, 1, 0, 1, 1]), np.array([1.0, 1.0, 1e-200, 1.0, 1.0])
    model = kind(n_estimators=60).fit(X, y, sample_weight=weights)
    assert np.isfinite(model.dual_).all()
    np.testing.assert_allclose(np.abs(model.dual_).sum(), 1.0)
    assert (model.predict(X) == y)[weights == 1.0].all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_values_whose_sum_is_no_number():
    """scikit-learn sums the values up to see whether they are finite."""
    place = np.arange(400)[:, None] % 8  # eight sums are kept, one is inf and one -inf
    X = np.where(place == 0, 1e308, np.where(place == 1, -1e308, 0.0))
    algorithms.AdaBoostClassifier(n_estimators=2).fit(X, place[:, 0] == 0).predict(X)
