"""Audit of numeric targets."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from marginboost import GradientBoostRegressor, TargetAudit
from marginboost.audit.audit import flag
from marginboost.audit.residual_null import local_fdr, null_p_values
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
    order = np.argsort(audit.rank_)
    assert (np.diff(np.abs(audit.z_)[order]) <= 0.0).all()
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
    p, wrong = null_p_values(2.0 * z, 12.0)
    assert wrong < 1e-3
    for level in (0.01, 0.05, 0.2, 0.5):
        assert np.mean(p <= level) == pytest.approx(level, rel=0.5)


NOISE = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n),
    "Student": lambda rng, n: rng.standard_t(3, size=n),
    "skew": lambda rng, n: rng.exponential(size=n) - np.log(2.0),
}


def false_alarms_and_power(noise, n, rate, n_trials):
    """Mean share of false alarms among flagged rows, and of wrong rows that are flagged."""
    found = []
    for seed in range(n_trials):
        rng = np.random.default_rng([seed, n])
        z, wrong = NOISE[noise](rng, n), np.arange(n) < round(rate * n)
        far = 4.0 * z.std()
        z[wrong] += far * rng.choice([-1.0, 1.0], wrong.sum()) * rng.uniform(1, 3, wrong.sum())
        p, _ = null_p_values(z, 0.67 * far)
        flagged = flag(local_fdr(p), np.ones(n, dtype=bool), 0.2)
        found.append((flagged & ~wrong).sum() / max(flagged.sum(), 1))
        found.append((flagged & wrong).sum() / max(wrong.sum(), 1))
    return np.mean(found[::2]), np.mean(found[1::2])


@pytest.mark.parametrize(
    ("noise", "n"),
    [("normal", 500), ("Laplace", 500), ("normal", 5000), ("Laplace", 5000), ("skew", 5000)],
)
def test_no_more_false_alarms_than_asked_for_and_most_wrong_targets_found(noise, n):
    """Also with tails that are not Student's, and skew ones."""
    for rate in (0.0, 0.05, 0.1):
        false, power = false_alarms_and_power(noise, n, rate, 8)
        assert false <= 0.25  # 0.2 and its error of estimation
        assert rate == 0.0 or power > 0.7
    false, power = false_alarms_and_power(noise, n, 0.01, 8)
    assert false <= 0.25
    assert noise != "normal" or power > 0.7  # rare ones are told apart where tails are light


def test_heavy_tails_make_few_false_alarms():
    """Three degrees of freedom: some right targets are as far out as wrong ones."""
    for rate in (0.01, 0.1):
        assert false_alarms_and_power("Student", 2000, rate, 8)[0] <= 0.3


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


def test_local_rates_are_those_of_a_known_mixture():
    rng = np.random.default_rng(4)
    right, wrong = rng.uniform(size=9000), rng.uniform(size=1000) * 1e-3
    found = local_fdr(np.concatenate([right, wrong]))
    # below 1e-3 there are 9 right ones and 1000 wrong ones
    assert found[9000:].mean() == pytest.approx(9 / 1009, abs=0.02)
    assert found[:9000][right > 0.1].mean() > 0.9
    order = np.argsort(np.concatenate([right, wrong]))
    assert (np.diff(found[order]) >= -1e-9).all()


def test_all_alike():
    assert_array_equal(local_fdr(np.ones(5)), np.ones(5))
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
