"""Rows to train with, in the types they came in; decisions count more than the audit."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from marginboost.audit import LabelAudit

WRONG = [3, 20, 51]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 2)) + 4 * y[:, None]
    y[WRONG] = 1 - y[WRONG]
    return X, y


@pytest.fixture(scope="module")
def audit(data):
    return LabelAudit(cv=3).fit(*data)


def test_columns_come_back_as_they_came(data, audit):
    X, y = data
    names = np.array(["no", "yes"])[y]
    index = pd.Index([f"r{i}" for i in range(120)])
    frame = pd.DataFrame(X, columns=["a", "b"], index=index)
    text = LabelAudit(cv=3).fit(frame, names)
    kinds = [
        pd.Series(names, index=index, name="t"),
        pd.Series(names, index=index, name="t", dtype="category"),
        pl.Series("t", names),
        pa.array(names.tolist()),
        names.tolist(),
        names,
    ]
    truth = np.array(["no", "yes"])[np.arange(120) % 2]
    for labels in kinds:
        _, better, weight = text.clean(frame, labels, "relabel")
        assert type(better) is type(labels)
        assert list(better if not isinstance(better, pa.Array) else better.to_pylist()) == list(
            truth
        )
        rows, kept, weight = text.clean(frame, labels, "drop")
        assert type(kept) is type(labels)
        assert len(kept) == len(rows) == len(weight) == 117
    series = kinds[0]
    assert text.clean(frame, series, "relabel")[1].index.equals(index)
    assert text.clean(frame, series, "relabel")[1].name == "t"
    assert (
        text.clean(frame, series)[0].index.tolist() == text.clean(frame, series)[1].index.tolist()
    )
    assert text.clean(frame, kinds[1], "relabel")[1].dtype == kinds[1].dtype
    assert series.equals(pd.Series(names, index=index, name="t"))  # the caller's is left alone
    assert sorted(text.suspects(by_index=True)) == sorted(f"r{i}" for i in WRONG)
    assert text.to_frame().index.equals(index)


def test_decisions_count_more(data, audit):
    X, y = data
    decisions = {3: "right", 10: "wrong"}
    rows = audit.clean(np.arange(120), y, decisions=decisions)[0]
    assert set(range(120)) - set(rows.tolist()) == {10, 20, 51}
    rows = audit.clean(np.arange(120), y, decisions=decisions, undecided="keep")[0]
    assert set(range(120)) - set(rows.tolist()) == {10}
    better = audit.clean(X, y, "relabel", decisions=decisions)[1]
    assert better[10] == 1 - y[10]  # though the audit thought it right
    assert better[3] == y[3]
    weight = audit.clean(X, y, "downweight", decisions=decisions)[2]
    assert weight[10] == 0.0
    assert weight[3] == 1.0
    np.testing.assert_array_equal(np.delete(weight, [3, 10]), np.delete(audit.score_, [3, 10]))
    kept = audit.clean(X, y, "downweight", decisions=decisions, undecided="keep")[2]
    assert kept.sum() == 119


def test_frame_and_trade_off(audit):
    frame = audit.to_frame()
    assert frame["flagged"].sum() == 3
    assert frame.sort_values("rank").index[:3].sort_values().tolist() == WRONG
    trade = audit.trade_off()
    assert trade["recall"][-1] == pytest.approx(1.0)
    assert (np.diff(trade["precision"]) <= 1e-12).all()
    assert trade["precision"][-1] == pytest.approx(audit.noise_rate_)
    assert trade["precision"][2] == pytest.approx(1 - audit.score_[WRONG].mean())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"decisions": {500: "wrong"}}, "decisions: got row 500"),
        ({"decisions": {True: "wrong"}}, "decisions: got row True"),
        ({"decisions": {1: "maybe"}}, "decisions: got 'maybe' for row 1"),
        ({"undecided": "later"}, "undecided: got 'later'"),
        ({"policy": "burn"}, "policy: got 'burn'"),
    ],
)
def test_bad_input(data, audit, arguments, message):
    with pytest.raises(ValueError, match=message):
        audit.clean(*data, **arguments)
    with pytest.raises(ValueError, match="by_index"):
        audit.suspects(by_index=True)
