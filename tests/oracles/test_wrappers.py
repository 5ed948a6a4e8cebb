"""Base learners in front of another one pass everything on: weights, curvature, what is kept."""

import numpy as np
import pytest

import marginboost
from marginboost import (
    AdaBoostClassifier,
    Checkpoint,
    GradientBoostClassifier,
    GradientTreeOracle,
    LazyOracle,
    PooledOracle,
    ResamplingOracle,
    StumpOracle,
    TreeOracle,
)
from marginboost.core import Callback, Oracle, Sample, Weights
from marginboost.data import BinnedMatrix, Table

TREES = GradientTreeOracle(max_leaf_nodes=4, min_samples_leaf=3)


class DrawnAsWeighted(ResamplingOracle):
    """Every row comes as often as its weight says: resampling without chance."""

    def draw(self, shares, round):
        return len(shares) * shares


class Recorder(Oracle):
    """Keeps the weights it was given; its one hypothesis is a stump."""

    given: list = []  # noqa: RUF012  (an oracle is cloned: the record is shared on purpose)
    needs_bins = True

    def find(self, weights, k, round):
        Recorder.given.append(weights)
        return StumpOracle().bind(self.sample).best(weights.dual, k, round=round)


class Interrupt(Callback):
    saves_state = True

    def on_round(self, state):
        if state.round == 5:
            raise KeyboardInterrupt


def make_rows(n=150):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 0.6


def make_sample():
    X, y = make_rows()
    table = Table(X, list("abcd"))
    bins = BinnedMatrix.from_table(table, n_jobs=1)
    return Sample.of_labels(np.where(y, 1, -1), rows=table, bins=bins)


def test_curvature_reaches_the_base_learner():
    """Newton's steps in the leaves come out as without the wrapper, not as plain gradient steps."""
    X, y = make_rows()
    settings = {"n_estimators": 10, "learning_rate": 0.5}
    plain = GradientBoostClassifier(TREES, **settings).fit(X, y)
    wrapped = GradientBoostClassifier(DrawnAsWeighted(TREES), **settings).fit(X, y)
    np.testing.assert_allclose(wrapped.history_["loss"], plain.history_["loss"], rtol=1e-9)
    np.testing.assert_allclose(wrapped.estimator_weights_, plain.estimator_weights_, rtol=1e-9)


def test_draws_keep_the_ratio_of_slope_and_curvature():
    """A row that is drawn twice as often as its weight says has twice its curvature too."""
    sample = make_sample()
    rng = np.random.default_rng(1)
    dual = sample.y * rng.dirichlet(np.ones(len(sample.y)))
    dual[3] = 0.0
    curvature = rng.random(len(dual))
    Recorder.given.clear()
    ResamplingOracle(Recorder()).bind(sample).best(Weights(dual, curvature))
    (drawn,) = Recorder.given
    np.testing.assert_allclose(drawn.curvature * np.abs(dual), curvature * np.abs(drawn.dual))
    assert drawn.curvature[3] == 0.0
    assert drawn.change is None
    assert np.abs(drawn.dual).sum() == pytest.approx(1.0)


def test_the_pool_passes_the_very_weights_on():
    sample = make_sample()
    weights = Weights(sample.y * sample.prior, np.ones(len(sample.y)))
    Recorder.given.clear()
    PooledOracle(Recorder()).bind(sample).best(weights)
    assert Recorder.given == [weights]


@pytest.mark.parametrize("wrapper", [PooledOracle, ResamplingOracle])
@pytest.mark.parametrize("oracle", [TREES, StumpOracle(), TreeOracle()], ids=str)
def test_wrappers_need_what_their_base_learner_needs(wrapper, oracle):
    wrapped = wrapper(wrapper(oracle))
    assert wrapped.needs_bins == oracle.needs_bins
    assert wrapped.reads_curvature == oracle.reads_curvature
    bound = wrapped.bind(make_sample())
    assert bound.exact == (oracle.exact and wrapper is PooledOracle)
    assert bound.closed == oracle.closed


@pytest.mark.parametrize(
    "make",
    [
        lambda: GradientBoostClassifier(ResamplingOracle(PooledOracle(TREES))),
        lambda: GradientBoostClassifier(PooledOracle(ResamplingOracle(PooledOracle(TREES)))),
    ],
    ids=["resampled pool", "pool in a pool"],
)
def test_a_run_over_wrappers_goes_on_bit_for_bit(tmp_path, make):
    """The pool inside of another wrapper comes back too: its hypotheses compete in later rounds."""
    X, y = make_rows()
    whole = make().set_params(n_estimators=14, random_state=3).fit(X, y)
    checkpoint = Checkpoint(tmp_path / "run.json", every=1)
    again = make().set_params(n_estimators=14, random_state=3)
    with pytest.raises(KeyboardInterrupt):
        again.set_params(callbacks=[checkpoint, Interrupt()]).fit(X, y)
    again.set_params(callbacks=[checkpoint]).fit(X, y)
    assert again.estimators_ == whole.estimators_
    np.testing.assert_array_equal(again.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(again.dual_, whole.dual_)


# -- LazyBoosting (CH-M12) -----------------------------------------------------------------------


@pytest.mark.parametrize("base", [StumpOracle(), TreeOracle(max_depth=2)], ids=str)
def test_lazy_with_all_features_is_the_base_learner(base):
    X, y = make_rows()
    lazy = AdaBoostClassifier(LazyOracle(base, 1.0), n_estimators=20).fit(X, y)
    plain = AdaBoostClassifier(base, n_estimators=20).fit(X, y)
    assert lazy.estimators_ == plain.estimators_
    np.testing.assert_array_equal(lazy.estimator_weights_, plain.estimator_weights_)
    assert lazy.certificate_ == plain.certificate_


def test_lazy_finds_the_best_of_the_features_it_drew():
    sample = make_sample()
    oracle, dual = LazyOracle(StumpOracle(), 0.5).bind(sample), sample.y * sample.prior
    each = {c.hypothesis.feature: c.edge for c in StumpOracle().bind(sample).best(dual, 4)}
    seen = set()
    for round in range(1, 30):
        rng = np.random.default_rng([sample.seed, round])
        drawn = set(rng.choice(4, 2, replace=False).tolist())
        (found,) = oracle.best(dual, round=round)
        assert found.hypothesis.feature in drawn
        assert found.edge == pytest.approx(max(each[j] for j in drawn), abs=1e-12)
        seen.add(found.hypothesis.feature)
    assert len(seen) >= 3


def test_lazy_runs_keep_the_bound_on_errors_and_prove_no_margin():
    X, y = make_rows()
    model = AdaBoostClassifier(LazyOracle(TreeOracle(max_depth=2), 0.25), n_estimators=40).fit(X, y)
    bounds = np.cumprod(np.sqrt(1.0 - model.history_["edge"] ** 2))
    for predicted, bound in zip(model.staged_predict(X), bounds, strict=True):
        assert np.mean(predicted != y) <= bound + 1e-12
    assert not model.certified_
    assert all(len({j for j, _ in tree.cuts()}) == 1 for tree in model.estimators_)


def test_lazy_draws_again_where_features_say_nothing(tmp_path):
    X, y = make_rows()
    wide = np.hstack([np.zeros((len(X), 30)), X])
    model = AdaBoostClassifier(LazyOracle(StumpOracle()), n_estimators=30).fit(wide, y)
    assert model.n_iter_ == 30
    model.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json")
    assert again.get_params()["estimator__max_features"] == 0.1
    np.testing.assert_array_equal(again.predict_proba(wide), model.predict_proba(wide))


def test_lazy_refuses_what_it_cannot_narrow():
    with pytest.raises(TypeError, match="colsample_bytree"):
        AdaBoostClassifier(LazyOracle(TREES)).fit(*make_rows())
    with pytest.raises(ValueError, match="max_features: got 0"):
        AdaBoostClassifier(LazyOracle(StumpOracle(), 0.0)).fit(*make_rows())
