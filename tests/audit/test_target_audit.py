"""Audit of numeric targets."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_info, threadpool_limits

from marginboost import GradientBoostRegressor, TargetAudit
from marginboost.audit.audit import flag
from marginboost.audit.residual_null import judge_residuals
from marginboost.reports import audit_page, target_payload, target_verdict


def planted(seed=0, n=300, n_wrong=12):
    """Noise that grows with x0, and a few wrong targets."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 4, size=(n, 3))
    y = 5.0 * X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) * (0.1 + 0.5 * X[:, 0])
    wrong = rng.choice(n, n_wrong, replace=False)
    y[wrong] += rng.choice([-1.0, 1.0], n_wrong) * rng.uniform(12.0, 20.0, n_wrong)
    return X, y, wrong


@pytest.fixture(scope="module")
def audited():
    X, y, wrong = planted()
    return TargetAudit(LinearRegression(), random_state=0).fit(X, y), y, wrong


def test_planted_targets_come_first(audited):
    audit, _, wrong = audited
    assert len(np.intersect1d(audit.suspects(12), wrong)) >= 11
    assert 8 <= audit.flagged_.sum() <= 15
    assert 0.01 < audit.noise_rate_ < 0.1


def test_parts_agree(audited):
    audit, y, _ = audited
    assert_allclose(audit.z_ * audit.spread_, y - audit.suggested_)
    assert_array_equal(np.sort(audit.rank_), np.arange(1, len(y) + 1))
    assert audit.rank_[audit.flagged_].max() == audit.flagged_.sum()  # the flagged come first
    for side in (audit.z_ > 0.0, audit.z_ < 0.0):
        outwards = np.argsort(np.abs(audit.z_[side]))
        assert (np.diff(audit.score_[side][outwards]) <= 0.0).all()
        assert (np.diff(audit.rank_[side][outwards]) < 0).all()
    assert ((audit.score_ >= 0.0) & (audit.score_ <= 1.0)).all()
    assert audit.score_[audit.flagged_].mean() <= audit.fdr
    assert_array_equal(np.flatnonzero(audit.flagged_), np.sort(audit.suspects()))


def test_the_spread_grows_where_the_noise_does():
    X, y, _ = planted(1, n=600, n_wrong=0)
    audit = TargetAudit(LinearRegression()).fit(X, y)
    quiet, loud = audit.spread_[X[:, 0] < 1.0].mean(), audit.spread_[X[:, 0] > 3.0].mean()
    assert loud > 1.2 * quiet


def test_units_make_no_difference():
    X, y, _ = planted(2)
    one = TargetAudit(LinearRegression()).fit(X, y)
    other = TargetAudit(LinearRegression()).fit(X, 1024.0 * y)
    assert_allclose(other.z_, one.z_, rtol=1e-6)
    assert_array_equal(other.flagged_, one.flagged_)


def test_p_values_are_uniform_without_wrong_targets():
    z = np.random.default_rng(3).standard_t(5, size=20_000)
    found = judge_residuals(2.0 * z)
    assert found.wrong < 1e-3
    assert found.right.min() > 0.5
    for level in (0.01, 0.05, 0.2, 0.5):
        assert np.mean(found.p_value <= level) == pytest.approx(level, rel=0.5)


def test_probabilities_are_those_of_a_known_mixture():
    rng = np.random.default_rng(4)
    n, rate = 4000, 0.1
    wrong = np.arange(n) < rate * n
    z = np.where(wrong, rng.normal(6.0, 1.5, n), rng.normal(size=n))
    true = (1.0 - rate) * stats.norm.pdf(z)
    true = true / (true + rate * stats.norm.pdf(z, 6.0, 1.5))
    found = judge_residuals(z)
    assert found.wrong == pytest.approx(rate, abs=0.02)
    near = (np.abs(z) < 2.0) | (z > 4.5)
    assert np.abs(found.right - true)[near].max() < 0.1
    assert np.abs(found.right - true).mean() < 0.02
    mirrored = judge_residuals(-z)
    assert_allclose(mirrored.right, found.right)


NOISE = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n),
    "Student": lambda rng, n: rng.standard_t(3, size=n),
    "skew": lambda rng, n: rng.exponential(size=n) - np.log(2.0),
}
every_noise = pytest.mark.parametrize("noise", NOISE)


def false_alarms_and_power(noise, n, rate, n_trials):
    """Mean share of false alarms among flagged rows, and of wrong rows that are flagged."""
    found = []
    for seed in range(n_trials):
        rng = np.random.default_rng([seed, n])
        z, wrong = NOISE[noise](rng, n), np.arange(n) < round(rate * n)
        far = np.median(np.abs(z)) * rng.uniform(6, 16, wrong.sum())
        z[wrong] += far * rng.choice([-1.0, 1.0], wrong.sum())
        flagged = flag(judge_residuals(z).right, np.ones(n, dtype=bool), 0.2)
        found.append((flagged & ~wrong).sum() / max(flagged.sum(), 1))
        found.append((flagged & wrong).sum() / max(wrong.sum(), 1))
    return np.mean(found[::2]), np.mean(found[1::2])


@every_noise
def test_few_false_alarms_and_wrong_targets_found(noise):
    """Also where tails are heavy or skew."""
    false, power = false_alarms_and_power(noise, 1000, 0.1, 3)
    assert false <= 0.25  # 0.2 and its error of estimation
    assert power > 0.5


@every_noise
def test_clean_residuals_are_not_flagged_however_many_there_are(noise):
    """Though no shape looked through is quite theirs."""
    for n in (300, 30_000):
        z = NOISE[noise](np.random.default_rng(n), n)
        found = judge_residuals(z)
        assert flag(found.right, np.ones(n, dtype=bool), 0.2).sum() <= 1e-3 * n


def test_one_far_group_among_few_rows():
    z = np.random.default_rng(0).normal(size=40)
    z[:3] = [25.0, 30.0, -28.0]
    found = judge_residuals(z)
    assert (found.right[:3] < 0.5).all()
    assert (found.right[3:] > 0.5).all()


def test_slipped_prices_are_flagged():
    """Prices of which the decimal point slipped, where noise grows with the price."""
    found, false = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        size = rng.uniform(20, 200, 500)
        price = 3.0 * size * np.exp(0.1 * rng.normal(size=500))
        slipped = rng.choice(500, 10, replace=False)
        price[slipped] /= 10
        model = GradientBoostRegressor(loss="huber", n_estimators=60, max_leaf_nodes=4)
        flagged = TargetAudit(model, cv=3).fit(size[:, None], price).suspects()
        found.append(len(np.intersect1d(flagged, slipped)))
        false.append(len(flagged) - found[-1])
    assert min(found) >= 7
    assert sum(false) <= 0.2 * sum(found)


def test_copies_near_duplicates_and_outliers():
    X, y, _ = planted(6, n=120, n_wrong=0)
    X[10], y[10] = X[11], y[11] + 100.0  # a copy with a target far off
    X[20], y[20] = X[21], y[21] + 0.01  # and one with nearly the same
    X[30] = 50.0
    audit = TargetAudit(LinearRegression()).fit(X, y)
    found = audit.similar
    assert_array_equal(np.flatnonzero(found.copies), [10, 11, 20, 21])
    assert_array_equal(np.flatnonzero(found.conflicting), [10, 11])
    assert found.outlier[30]
    frame = audit.to_frame()
    assert frame.loc[10, "conflicting"]
    assert len(frame) == 120
    assert frame["rank"].min() == 1
    payload = target_payload(audit)["similar"]
    assert payload["counts"]["conflicting"] == 2
    assert payload["groups"][0]["rows"] == ["10", "11"]
    assert payload["groups"][0]["labels"] == sorted([y[10], y[11]])


def test_all_alike():
    assert_array_equal(judge_residuals(np.zeros(5)).right, np.ones(5))
    audit = TargetAudit(LinearRegression()).fit(np.arange(20.0)[:, None], np.ones(20))
    assert not audit.flagged_.any()


def test_frames_with_categories_and_gaps():
    X, y, wrong = planted(5, n=200, n_wrong=5)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["sort"] = pd.Categorical(np.where(X[:, 2] > 2, "p", "q"))
    frame.loc[::9, "c"] = np.nan
    audit = TargetAudit(cv=3).fit(frame, y)
    assert len(np.intersect1d(audit.suspects(5), wrong)) >= 4
    payload = target_payload(audit, title="<b>", ids=[f"r{i}" for i in range(200)])
    assert payload["features"] == ["a", "b", "c", "sort"]
    first = payload["suspects"][0]
    assert first["id"].startswith("r")
    assert first["values"][3] in ("p", "q")
    page = audit_page(payload)
    assert "target audit" in page
    assert "&lt;b&gt;" in page


def test_verdicts(audited):
    audit, _, _ = audited
    assert f"{audit.flagged_.sum()} of 300 targets look wrong" in target_verdict(audit)


@pytest.mark.parametrize(
    ("settings", "rows", "words"),
    [
        ({"fdr": 1.0}, 20, "fdr: got 1.0"),
        ({"cv": 1}, 20, "cv: got 1"),
        ({}, 9, "got 9 rows, expected at least 10"),
        ({"predictors": {}}, 20, "predictors: got none"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, rows, words):
    with pytest.raises(ValueError, match=words):
        TargetAudit(**settings).fit(np.arange(float(rows))[:, None], np.arange(float(rows)))


def test_targets_must_be_numbers():
    with pytest.raises(ValueError, match="y"):
        TargetAudit().fit(np.zeros((20, 1)), [*range(19), np.nan])


ALGEBRA_THREADS = set()


class NotesThreads(DummyRegressor):
    """Notes how many threads linear algebra has while it learns."""

    def fit(self, X, y):
        facts = threadpool_info()
        ALGEBRA_THREADS.update(one["num_threads"] for one in facts if one["user_api"] == "blas")
        return super().fit(X, y)


def test_sums_do_not_depend_on_the_processors():
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    with threadpool_limits(2, "blas"):
        TargetAudit(NotesThreads(), cv=2).fit(X, y)
    assert list(ALGEBRA_THREADS) == [1]
