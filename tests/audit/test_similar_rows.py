"""Duplicates and outliers: found, told apart by their labels, in frame and report."""

import numpy as np
import pandas as pd

from marginboost.audit import LabelAudit
from marginboost.audit.similar import MOST_ROWS, equal_rows, find_similar
from marginboost.data import Table
from marginboost.reports import audit_payload, similar_counts


def planted(n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    X[10], y[10] = X[3], y[3]  # a copy
    X[20], y[20] = X[4], "yes" if y[4] == "no" else "no"  # a copy with another label
    X[30], y[30] = X[5] + 1e-4, "yes" if y[5] == "no" else "no"
    X[40] = 60.0
    return X, y


def audited():
    X, y = planted()
    frame = pd.DataFrame(X, columns=list("abcd"), index=[f"p{i}" for i in range(len(X))])
    return LabelAudit(n_jobs=1).fit(frame, y)


def test_equal_rows_with_missing_values_and_categories():
    frame = pd.DataFrame({"a": [1.0, np.nan, 1.0, np.nan, 1.0], "b": list("xyxyz")})
    table = Table.learn(frame.astype({"b": "category"}), ["a", "b"], None)
    assert equal_rows(table).tolist() == [0, 1, 0, 1, 4]


def test_what_was_planted_is_found():
    found = audited().to_frame()
    assert found.index[found["copies"] > 0].tolist() == ["p3", "p4", "p10", "p20"]
    assert found.index[found["conflicting"]].tolist() == ["p4", "p20"]
    assert found.loc["p5", "near_duplicate"] == 30
    assert found.loc["p30", "near_duplicate"] == 5
    assert found.loc[["p5", "p30"], "near_conflicting"].all()
    assert found.index[found["outlier"]].tolist() == ["p40"]
    assert (found["near_duplicate"] >= 0).sum() == 2


def test_the_report_names_them():
    audit = audited()
    payload = audit_payload(audit)
    similar = payload["similar"]
    assert similar["counts"] == similar_counts(audit.evidence.similar)
    assert similar["groups"][0] == {"rows": ["p4", "p20"], "size": 2, "labels": [0, 1]}
    assert similar["groups"][1]["rows"] == ["p3", "p10"]
    assert similar["pairs"][0][:2] == ["p5", "p30"]
    assert similar["outliers"][0][0] == "p40"
    assert {row["id"] for row in payload["suspects"]} <= {f"p{i}" for i in range(120)}


def test_large_tables_are_searched_for_copies_only():
    X = np.arange(MOST_ROWS + 1.0)[:, None]
    X[7] = X[5]
    found = find_similar(Table(X, ["a"]), X, np.zeros(len(X), dtype=int))
    assert np.flatnonzero(found.copies).tolist() == [5, 7]
    assert np.isnan(found.isolation).all()
    assert not found.outlier.any()
    assert (found.near < 0).all()


def test_tables_of_few_kinds_of_rows_have_no_outliers():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    found = find_similar(Table(X, ["a", "b"]), X, np.zeros(40, dtype=int))
    assert (found.copies == 19).all()
    assert not found.outlier.any()
    assert not found.conflicting.any()
