"""The label audit of a cluster finds the scores of one machine, bit for bit."""

import numpy as np
import pandas as pd
import pytest

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from marginboost.audit import LabelAudit, votes  # noqa: E402
from marginboost.dask import DaskLabelAudit  # noqa: E402


@pytest.fixture
def few_rounds(monkeypatch):
    """Let all tables be large, and voters quick."""
    large = votes.default_voters

    def quick(*args):
        found = large(*args)
        found["gradient trees"].set_params(n_estimators=5)
        return found

    for module in ("votes", "audit"):
        monkeypatch.setattr(f"marginboost.audit.{module}.FEW_ROWS", 100)
        monkeypatch.setattr(f"marginboost.audit.{module}.default_voters", quick)
    monkeypatch.setattr("marginboost.dask.audit.FEW_ROWS", 100)
    monkeypatch.setattr("marginboost.dask.audit.default_voters", quick)
    for module in ("audit.audit", "dask.audit"):
        monkeypatch.setattr(f"marginboost.{module}.LEARNING_ROWS", {"linear": 150})


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as made:
        yield made


def table(n_classes, n_rows=600):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["a", "b"])
    frame["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], n_rows))
    cuts = [0.0] if n_classes == 2 else [-0.5, 0.5]
    y = np.digitize(frame["a"] - frame["b"] + (frame["kind"] == "x"), cuts)
    wrong = rng.random(n_rows) < 0.06
    y[wrong] = (y[wrong] + 1) % n_classes
    return frame, pd.Series(np.array(["no", "yes", "so"])[y]), wrong


@pytest.mark.parametrize("n_classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_scores_are_those_of_one_machine(client, few_rounds, n_classes):
    frame, y, wrong = table(n_classes)
    expected = LabelAudit().fit(frame, y)
    parts = [dd.from_pandas(data, npartitions=5) for data in (frame, y)]
    audit = DaskLabelAudit().fit(*parts)
    for name, mine in expected.votes_.items():
        np.testing.assert_array_equal(audit.votes_[name], mine, name)
    np.testing.assert_array_equal(audit.score_, expected.score_)
    np.testing.assert_array_equal(audit.flagged_, expected.flagged_)
    assert audit.noise_rate_ == expected.noise_rate_
    assert wrong[audit.suspects(20)].mean() > 0.7
    assert audit.to_frame()["given"].tolist() == y.tolist()
    some = audit.to_local(most=50)
    assert set(np.flatnonzero(audit.flagged_)) <= set(some.rows_)
    assert len(some.rows_) >= 50
    np.testing.assert_array_equal(some.score_, audit.score_[some.rows_])
    assert some.flagged_.sum() == audit.flagged_.sum()
    assert np.isfinite(some.evidence.influence).all()
    with pytest.raises(AttributeError, match="to_local"):
        audit.evidence  # noqa: B018


@pytest.mark.slow
def test_small_tables_are_audited_by_the_client(client):
    frame, y, _ = table(2, 150)
    rows = frame[["a", "b"]].to_numpy()
    labels = y.to_numpy(dtype="U3")
    lazy = da.from_array(rows, chunks=70), da.from_array(labels, chunks=70)
    audit = DaskLabelAudit(cv=2).fit(*lazy)
    assert np.corrcoef(audit.score_, LabelAudit(cv=2).fit(rows, labels).score_)[0, 1] > 0.9
    assert len(audit.evidence.influence) == 150
    with pytest.raises(TypeError, match="pred_probs"):
        DaskLabelAudit().fit(None, None, pred_probs=[[0.5, 0.5]])
