"""LPBoostRegressor as an estimator: certificates, weights, interruptions, odd targets."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes

from marginboost import Checkpoint, EarlyStopping, LPBoostRegressor, Stop, TreeOracle, load, verify
from marginboost.algorithms import LPBoost, LPRegression

KINDS = {
    "tube": LPBoostRegressor(),
    "given tube": LPBoostRegressor(epsilon=30.0),
    "quantile": LPBoostRegressor(loss="quantile", quantile=0.8),
    "interior": LPBoostRegressor(solver="interior"),
    "smooth": LPBoostRegressor(solver="smooth"),
}
every = pytest.mark.parametrize("model", KINDS.values(), ids=KINDS)


@pytest.fixture(scope="module")
def data():
    X, y = load_diabetes(return_X_y=True)
    return X[:150], y[:150]


@every
def test_certificates_are_verified_anew(model, data, tmp_path):
    X, y = data
    fitted = clone(model).fit(X, y)
    assert fitted.certified_
    assert 0.0 < fitted.certificate_.gap + 1e-12 <= 1e-3 + 1e-12
    found = verify(fitted, X, y)
    assert found.holds, found.contradictions
    assert found.upper - found.lower <= 2e-3
    fitted.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert again.epsilon_ == fitted.epsilon_
    assert verify(again, X, y).holds
    assert not verify(again, X, y[::-1]).holds


@every
def test_weights_are_copies(model, data):
    """The value is the same; where a program has several solutions, the solution need not be."""
    X, y = data
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = clone(model).fit(X, y, sample_weight=counts)
    copied = clone(model).fit(X.repeat(counts, axis=0), y.repeat(counts))
    one, other = weighted.certificate_, copied.certificate_
    assert one.lower <= other.upper + 1e-8
    assert other.lower <= one.upper + 1e-8
    assert (weighted.dual_[counts == 0] == 0).all()


@every
@pytest.mark.parametrize("unit", [1e-150, 1e-6, 1e140])
def test_units_of_the_targets_do_not_matter(model, unit, data):
    X, y = data
    scaled = clone(model)
    if model.epsilon is not None:
        scaled.set_params(epsilon=unit * model.epsilon)
    plain, there = clone(model).fit(X, y), scaled.fit(X, unit * y)
    assert there.certificate_.lower == pytest.approx(plain.certificate_.lower, abs=2e-3)
    assert np.isfinite(there.predict(X)).all()


@pytest.mark.parametrize("solver", ["simplex", "interior", "smooth"])
@pytest.mark.parametrize("kind", [{}, {"epsilon": 20.0}, {"loss": "quantile", "quantile": 0.9}])
def test_interrupted_runs_go_on_bit_for_bit(solver, kind, data, tmp_path):
    X, y = data
    model = LPBoostRegressor(solver=solver, **kind)
    whole = clone(model).fit(X, y)
    file = tmp_path / "run.json"
    rounds = max(whole.n_iter_ // 2, 1)
    clone(model).set_params(n_estimators=rounds, callbacks=[Checkpoint(file, every=1)]).fit(X, y)
    resumed = clone(model).set_params(callbacks=[Checkpoint(file, every=1)]).fit(X, y)
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


@every
@pytest.mark.parametrize("constant", [0.0, 1e-6, -3.0, 1e9])
def test_constant_targets(model, constant, data):
    X, _ = data
    fitted = clone(model).set_params(tol=None).fit(X, np.full(len(X), constant))
    np.testing.assert_array_equal(fitted.predict(X), constant)
    assert fitted.stop_reason_ is Stop.NO_EDGE
    assert fitted.certificate_.gap == 0.0


def test_few_and_equal_rows(data):
    X, y = data
    assert LPBoostRegressor().fit(X[:1], y[:1]).predict(X[:1]) == y[0]
    same = LPBoostRegressor().fit(np.ones((6, 2)), [1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    assert np.ptp(same.predict(np.ones((3, 2)))) == 0.0
    assert same.certificate_.gap <= 1e-9


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_bad_targets_are_refused(bad, data):
    X, y = data
    with pytest.raises(ValueError, match="y: row 3"):
        LPBoostRegressor().fit(X, np.where(np.arange(len(y)) == 3, bad, y))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "squared"}, "loss: got 'squared'"),
        ({"nu": 0.0}, "nu: got 0.0"),
        ({"epsilon": -1.0}, "epsilon: got -1.0"),
        ({"quantile": 1.0}, "quantile: got 1.0"),
        ({"C": 0.0}, "C: got 0.0"),
        ({"C_scale": "both"}, "C_scale: got 'both'"),
        ({"solver": "magic"}, "solver: got 'magic'"),
    ],
)
def test_settings_are_checked_before_rows_are_read(settings, message):
    with pytest.raises(ValueError, match=message):
        LPBoostRegressor(**settings).fit(None, None)


def test_both_scales_of_c_are_one_program(data):
    """R2-P4, R2-X5: C of the experiments is 1/C of the formulas."""
    X, y = data
    loss = LPBoostRegressor(C=25.0).fit(X, y)
    formula = LPBoostRegressor(C=1 / 25.0, C_scale="regularizer").fit(X, y)
    np.testing.assert_array_equal(loss.predict(X), formula.predict(X))


def test_wild_targets_count_as_near_ones(data):
    X, y = data
    wild = np.where(np.arange(len(y)) % 30 == 0, 1e9, y)
    plain, moved = (LPBoostRegressor().fit(X, t).predict(X) for t in (y, wild))
    off, spoilt = (np.median(np.abs(y - predicted)) for predicted in (plain, moved))
    assert spoilt < 1.25 * off


def test_two_quantiles_are_an_interval():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (600, 2))
    y = X[:, 0] + (1.0 + np.abs(X[:, 1])) * rng.normal(size=600)
    low, high = (LPBoostRegressor(loss="quantile", quantile=q).fit(X, y) for q in (0.1, 0.9))
    for model, share in ((low, 0.1), (high, 0.9)):
        below = np.mean(y < model.predict(X) - 1e-9), np.mean(y <= model.predict(X) + 1e-9)
        assert below[0] <= share + 1e-9
        assert below[1] >= share - 1e-9


def test_trees_are_not_certified_and_early_stopping_works(data):
    X, y = data
    trees = LPBoostRegressor(TreeOracle(max_depth=2), n_estimators=20).fit(X, y)
    assert not trees.certified_
    for criterion in ("loss", "error"):
        stop = EarlyStopping(X[100:], y[100:], 3, criterion)
        early = LPBoostRegressor(callbacks=[stop]).fit(X[:100], y[:100])
        assert early.certificate_.value <= early.certificate_.upper + 1e-9


def test_checkpoints_of_earlier_versions_name_the_same_settings():
    """A checkpoint is of the same run if the public settings of the rule are the same."""
    names = {name for name in vars(LPRegression()) if not name.startswith("_")}
    shared = "C nu solver solver_seconds columns_per_round stumps least_margin rtol"
    assert names == {*shared.split(), "price", "epsilon", "quantile", "descent_tol"}
    assert {name for name in vars(LPBoost()) if not name.startswith("_")} == set(shared.split())
