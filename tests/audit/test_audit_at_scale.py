"""Audits of large tables: on bins, by voters that learn from some rows, with sampled evidence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from marginboost import BinnedMatrix, RobustBoostClassifier
from marginboost.audit import LabelAudit, evidence, plant_flips, votes
from marginboost.audit.linear import BinnedLinear
from marginboost.datasets import circle_2d
from marginboost.reports import audit_payload


@pytest.fixture
def all_tables_are_large(monkeypatch):
    monkeypatch.setattr(votes, "FEW_ROWS", 100)
    monkeypatch.setattr("marginboost.audit.audit.FEW_ROWS", 100)


@pytest.fixture(scope="module")
def noisy_circle():
    X, y = circle_2d(900)
    noisy, flipped = plant_flips(y, 0.1, seed=1)
    return X, noisy, flipped


# -- on bins -------------------------------------------------------------------------------------


@pytest.mark.parametrize("large", [True, False])
def test_batches_are_audited_like_the_table(noisy_circle, large, request, tmp_path):
    X, noisy, flipped = noisy_circle
    if large:
        request.getfixturevalue("all_tables_are_large")
    whole = np.column_stack([X, noisy])
    bins = BinnedMatrix.from_batches([whole[:200], whole[200:]], label="x2")
    found = LabelAudit(n_jobs=1).fit(bins, bins.labels)
    assert flipped[found.suspects(60)].mean() > 0.8
    expected = LabelAudit(n_jobs=1).fit(X, noisy)
    if large:  # the same bits: no voter sees more than bins
        np.testing.assert_array_equal(found.score_.view(np.int64), expected.score_.view(np.int64))
    else:
        assert np.corrcoef(found.score_, expected.score_)[0, 1] > 0.99
    assert found.to_frame()["given"].tolist() == noisy.tolist()


def test_the_report_of_bins_shows_values_in_them(noisy_circle, all_tables_are_large):
    X, noisy, _ = noisy_circle
    bins = BinnedMatrix.from_data(X)
    audit = LabelAudit(n_jobs=1).fit(bins, noisy)
    rows = audit.suspects(5)
    exact = LabelAudit(n_jobs=1).fit(X, noisy).evidence.contributions(rows)
    np.testing.assert_allclose(audit.evidence.contributions(rows), exact)
    payload = audit_payload(audit, most=5)
    shown = payload["suspects"][0]["contributions"]
    width = np.diff(np.quantile(X, [0.0, 1.0], axis=0), axis=0).max() / 20
    names = [feature["name"] for feature in payload["features"]]
    for place, value, _ in shown:
        assert abs(value - X[rows[0], bins.names.index(names[place])]) < width


@pytest.mark.slow
def test_robust_models_of_bins(noisy_circle):
    X, noisy, flipped = noisy_circle
    model = RobustBoostClassifier(n_jobs=1, n_estimators=20).fit(BinnedMatrix.from_data(X), noisy)
    assert model.trust_[flipped].mean() < 0.5 < model.trust_[~flipped].mean()
    assert model.score(X, noisy) > 0.8


def test_voters_that_cannot_read_bins_are_refused(noisy_circle):
    X, noisy, _ = noisy_circle
    with pytest.raises(TypeError, match="expected classifiers of this package"):
        LabelAudit(LogisticRegression()).fit(BinnedMatrix.from_data(X), noisy)


# -- the linear voter ----------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_linear_model_of_bins_is_one_of_their_middles(n_classes):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (300, 3)).astype(float)
    y = np.minimum(X[:, 0] // 2, n_classes - 1).astype(int)
    bins = BinnedMatrix.from_data(X)
    np.testing.assert_array_equal(np.column_stack([bins.column(j) for j in range(3)]), X)
    model = BinnedLinear().fit(bins, y)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = LogisticRegression(max_iter=1000).fit(standard, y).predict_proba(standard)
    np.testing.assert_allclose(model.predict_proba(bins), expected, atol=1e-4)
    assert (model.predict(bins) == y).mean() > 0.8


def test_a_linear_model_of_categories_and_missing_values():
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 400)
    value = np.where(rng.random(400) < 0.3, np.nan, rng.normal(size=400))
    table = pd.DataFrame({"kind": pd.Categorical(kind), "value": value, "empty": np.nan})
    bins = BinnedMatrix.from_data(table)
    for y in (kind == "b", np.isnan(value)):
        assert (BinnedLinear().fit(bins, y).predict(bins) == y).all()


def test_middles_lie_in_their_bins():
    values = [1e16, 1e16 + 2, 1e16 + 4, -1.7e308, 1.7e308, 5e-324, 0.0, 1.0, 1.0 + 2**-52]
    bins = BinnedMatrix.from_data(np.array(values)[:, None])
    middles = bins.column(0)
    assert np.isfinite(middles).all()
    np.testing.assert_array_equal(bins.bin(middles[:, None]).codes, bins.codes)


# -- evidence of a sample ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("binned", [False, True])
def test_evidence_of_large_tables_is_that_of_a_sample(noisy_circle, binned, monkeypatch):
    X, noisy, _ = noisy_circle
    monkeypatch.setattr(evidence, "EVIDENCE_ROWS", 300)
    monkeypatch.setattr(evidence, "MOST_SUSPECT", 20)
    audit = LabelAudit(n_jobs=1).fit(BinnedMatrix.from_data(X) if binned else X, noisy)
    found = audit.evidence
    rows, first = found.rows, audit.suspects(20)
    assert np.isin(first, rows).all()
    assert len(rows) < 330
    for values in (found.weight_at_cap, found.slack, found.influence, found.log_cell_volume):
        assert values.shape == (900,)
        np.testing.assert_array_equal(np.isfinite(values), np.isin(np.arange(900), rows))
    assert found.contributions(np.arange(900)).shape == (900, 2)
    near = found.neighbours(first)
    assert np.isin(near.agreeing, rows).all()
    assert (noisy[near.agreeing] == noisy[first]).all()
    assert (noisy[near.disagreeing] != noisy[first]).all()
    some = np.zeros(900)
    some[rows] = 1.0
    assert 0.05 <= found.nu_for(weights=some) <= 0.9
    payload = audit_payload(audit, most=20)
    assert len(payload["suspects"]) == 20
    assert payload["volumes"] is not None
