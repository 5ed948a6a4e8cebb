"""Learning to rank: NDCG against scikit-learn, slopes against their loss, better orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import ndcg_score

from marginboost import Checkpoint, GradientBoostRanker, GradientBoostRegressor, Stop, load
from marginboost.core import Callback
from marginboost.diagnostics import ndcg
from marginboost.kernels.ranking import BY_NDCG, PAIRWISE, rank_slopes
from strategies import few

SMALL = {"n_estimators": 15, "max_leaf_nodes": 6, "min_samples_leaf": 5, "learning_rate": 0.2}


def queries(seed, n_queries=30, n_rows=12):
    """Grades that depend on the query as well: only differences within one say something."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), n_rows)
    X = rng.normal(size=(len(qid), 5))
    level = 3.0 * rng.normal(size=n_queries)
    wanted = X[:, 0] + X[:, 1] * X[:, 2] + 0.4 * rng.normal(size=len(qid)) + level[qid]
    return X, np.clip(np.round(wanted), 0, 4), qid


# -- NDCG ------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    k=st.sampled_from([None, 1, 3, 50]),
    tied=st.booleans(),
    exponential=st.booleans(),
)
@few
def test_ndcg_is_scikit_learns(seed, k, tied, exponential):
    rng = np.random.default_rng(seed)
    y, scores = rng.integers(0, 4, (6, 9)).astype(float), rng.normal(size=(6, 9))
    y[:, 0] = 3.0  # a query without any gain is none
    scores = scores.round() if tied else scores
    gains = 2**y - 1 if exponential else y
    expected = ndcg_score(gains, scores, k=k)
    qid = np.arange(6).repeat(9)
    order = rng.permutation(54)  # rows of a query need not lie together
    found = ndcg(
        y.ravel()[order], scores.ravel()[order], qid[order], k=k, ndcg_exp_gain=exponential
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_queries_without_gain_are_left_out():
    assert ndcg([0, 0, 1, 0], [1, 2, 1, 0], [0, 0, 1, 1]) == 1.0
    assert ndcg([0, 0], [1, 2]) == 1.0
    with pytest.raises(ValueError, match="y: row 1 has the relevance -1, expected at least 0"):
        ndcg([0, -1], [1, 2])
    with pytest.raises(ValueError, match="y: row 0 has the relevance 40, expected at most 31"):
        ndcg([40, 1], [1, 2])


# -- slopes ----------------------------------------------------------------------------------------


def slopes_of(scores, gains, weights, level, kind):
    slopes, curvatures = np.empty(len(scores)), np.empty(len(scores))
    loss = rank_slopes(scores, gains, weights, level, kind, slopes, curvatures)
    return slopes, curvatures, loss


@given(seed=st.integers(0, 10_000), weighted=st.booleans())
@few
def test_pairwise_slopes_are_those_of_the_loss(seed, weighted):
    rng = np.random.default_rng(seed)
    scores, gains = rng.normal(size=7), rng.integers(0, 3, 7).astype(float)
    weights = rng.random(7) if weighted else np.ones(7)
    slopes, curvatures, loss = slopes_of(scores, gains, weights, 99, PAIRWISE)
    apart = scores[:, None] - scores[None, :]
    pairs = (gains[:, None] > gains[None, :]) * weights[:, None] * weights[None, :]
    total = pairs.sum() or 1.0
    assert loss == pytest.approx((pairs * np.log1p(np.exp(-apart))).sum() / total, rel=1e-12)
    chance = 1.0 / (1.0 + np.exp(apart))
    expected = (pairs * chance).sum(axis=1) - (pairs * chance).sum(axis=0)
    np.testing.assert_allclose(slopes, expected / total, atol=1e-14)
    both = pairs + pairs.T
    np.testing.assert_allclose(
        curvatures, (both * chance * (1 - chance)).sum(axis=1) / total, atol=1e-14
    )


@given(seed=st.integers(0, 10_000), level=st.sampled_from([2, 4, 99]))
@few
def test_lambdas_weigh_pairs_by_what_swapping_them_costs(seed, level):
    rng = np.random.default_rng(seed)
    scores, gains = rng.normal(size=6), rng.integers(0, 4, 6).astype(float)
    gains[0] = 3.0
    slopes, _, _ = slopes_of(scores, gains, np.ones(6), level, BY_NDCG)
    expected, places = np.zeros(6), np.argsort(np.argsort(-scores))
    for i in range(6):
        for j in range(6):
            if gains[i] > gains[j] and min(places[i], places[j]) < level:
                swapped = scores.copy()
                swapped[[i, j]] = scores[[j, i]]
                change = abs(
                    ndcg(gains, swapped, k=level, ndcg_exp_gain=False)
                    - ndcg(gains, scores, k=level, ndcg_exp_gain=False)
                )
                pull = change / (1.0 + np.exp(scores[i] - scores[j]))
                expected[[i, j]] += [pull, -pull]
    np.testing.assert_allclose(slopes, expected, atol=1e-12)


# -- models ----------------------------------------------------------------------------------------


def test_orders_are_better_than_those_of_a_regression():
    X, y, qid = queries(0, 60)
    T, relevance, other = queries(1, 60)
    regression = GradientBoostRegressor(n_estimators=40).fit(X, y)
    base = ndcg(relevance, regression.predict(T), other)
    for loss in ("lambdarank", "pairwise"):
        model = GradientBoostRanker(loss=loss, n_estimators=40).fit(X, y, qid=qid)
        assert model.score(T, relevance, qid=other) > base + 0.02
    assert not is_regressor(model)
    assert not is_classifier(model)


def test_as_good_as_lightgbms_ranker():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, _ = queries(0, 80, 20)
    T, relevance, other = queries(1, 80, 20)
    theirs = lightgbm.LGBMRanker(verbose=-1, n_jobs=1).fit(X, y.astype(int), group=[20] * 80)
    ours = GradientBoostRanker().fit(X, y, group=[20] * 80)
    expected = ndcg(relevance, theirs.predict(T), other)
    assert ours.score(T, relevance, qid=other) > expected - 0.02


def test_queries_by_size_or_by_name():
    X, y, qid = queries(2)
    by_size = GradientBoostRanker(**SMALL).fit(X, y, group=[12] * 30)
    names = np.array([f"q{number:02}" for number in qid])
    by_name = GradientBoostRanker(**SMALL).fit(X, y, qid=names)
    np.testing.assert_array_equal(by_size.predict(X), by_name.predict(X))
    order = np.random.default_rng(0).permutation(len(y))
    mixed = GradientBoostRanker(**SMALL).fit(X[order], y[order], qid=qid[order])
    assert mixed.score(X, y, qid=qid) == pytest.approx(by_size.score(X, y, qid=qid), abs=0.05)
    assert by_size.score(X, y, group=[12] * 30) == by_size.score(X, y, qid=names)


def test_only_the_order_within_queries_matters():
    """A query of equal relevances has nothing to say."""
    X, y, qid = queries(3)
    same = np.where(qid == 7, 2.0, y)
    without = qid != 7
    settings = {**SMALL, "min_samples_leaf": 1}
    one = GradientBoostRanker(**settings).fit(X, same, qid=qid)
    other = GradientBoostRanker(**settings).fit(X[without], y[without], qid=qid[without])
    assert np.corrcoef(one.predict(X), other.predict(X))[0, 1] > 0.9
    assert (one.dual_[~without] == 0.0).all()


def test_threads_change_nothing():
    X, y, qid = queries(4, 200)
    one, two = (GradientBoostRanker(n_jobs=n, **SMALL).fit(X, y, qid=qid) for n in (1, 2))
    assert one.estimators_ == two.estimators_
    np.testing.assert_array_equal(one.dual_, two.dual_)


def test_early_stopping_holds_whole_queries_back():
    X, y, qid = queries(5)
    settings = {**SMALL, "n_estimators": 100}
    stopped = GradientBoostRanker(early_stopping=True, validation_fraction=0.2, **settings)
    stopped.fit(X, y, qid=qid)
    assert stopped.stop_reason_ == Stop.NO_PROGRESS
    moved = np.array([np.any(stopped.dual_[qid == q] != 0) for q in range(30)])
    used = np.isin(qid, np.flatnonzero(moved))
    best = stopped.best_iteration_
    plain = GradientBoostRanker(**{**settings, "n_estimators": best})
    plain.fit(X[used], y[used], qid=qid[used])
    given = GradientBoostRanker(early_stopping=True, eval_at=5, **settings)
    given.fit(X[used], y[used], qid=qid[used], eval_set=(X, y), eval_qid=qid)
    expected = ndcg(y, given.predict(X), qid, k=5)
    assert given.validation_score_.max() == pytest.approx(expected, rel=1e-12)
    assert len(plain.estimators_) == len(stopped.estimators_)


class Crash(Callback):
    def on_round(self, state):
        if state.round == 5:
            raise KeyboardInterrupt


def test_files_checkpoints_and_going_on(tmp_path):
    X, y, qid = queries(6)
    whole = GradientBoostRanker(**SMALL, subsample=0.8).fit(X, y, qid=qid)
    whole.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(X), whole.predict(X))
    checkpoint = Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        GradientBoostRanker(**SMALL, subsample=0.8, callbacks=[Crash(), checkpoint]).fit(
            X, y, qid=qid
        )
    resumed = GradientBoostRanker(**SMALL, subsample=0.8, callbacks=[checkpoint])
    assert resumed.fit(X, y, qid=qid).estimators_ == whole.estimators_
    few_rounds = {**SMALL, "n_estimators": 6, "subsample": 0.8}
    first = GradientBoostRanker(**few_rounds).fit(X, y, qid=qid)
    rest = GradientBoostRanker(**{**few_rounds, "n_estimators": 9})
    assert rest.fit(X, y, qid=qid, init_model=first).estimators_ == whole.estimators_
    certificate = whole.certificate_
    assert certificate.value == pytest.approx(ndcg(y, whole.predict(X), qid), rel=1e-12)
    assert certificate.upper == 1.0


def test_bad_queries_are_told():
    X, y, qid = queries(7)
    model = GradientBoostRanker(**SMALL)
    for settings, message in (
        ({"group": [12]}, "group: got sizes with sum 12, expected whole numbers of rows"),
        ({"qid": qid[:-1]}, r"qid: got shape \(359,\), expected one query for each of 360"),
        ({"qid": qid, "group": [12] * 30}, "qid: got both group and qid, expected one"),
        ({"qid": qid, "eval_set": (X, y), "eval_group": [3]}, "eval_group: got sizes with sum 3"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, **settings)
    with pytest.raises(ValueError, match="y: row 0 has the relevance -1"):
        model.fit(X, np.full(len(y), -1.0), qid=qid)
    with pytest.raises(ValueError, match="validation_fraction: got rows of one query"):
        GradientBoostRanker(early_stopping=True).fit(X, y)
    for settings in ({"loss": "ndcg"}, {"eval_at": 0}, {"lambdarank_truncation_level": 0.5}):
        name = next(iter(settings))
        with pytest.raises((ValueError, TypeError), match=f"^{name}: got"):
            GradientBoostRanker(**settings).fit(X, y, qid=qid)
