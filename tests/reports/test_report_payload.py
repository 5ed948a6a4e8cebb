"""What the page is told: complete, consistent, plain, and not too much."""

import copy
import json
import re

import numpy as np
import pandas as pd
import pytest
from report_audits import (
    HOSTILE,
    fit,
    hostile_audit,
    leaking_audit,
    mixed_audit,
    numeric_audit,
    quick_audit,
)

from marginboost.audit import LabelAudit
from marginboost.reports import audit_page, audit_payload, verdict, write_audit_report
from marginboost.reports.curves import volume_curves


@pytest.mark.parametrize(
    "audit", [numeric_audit, mixed_audit, hostile_audit, lambda: numeric_audit(n_classes=3)]
)
def test_payload_is_plain_and_consistent(audit):
    audit = audit()
    payload = audit_payload(audit)
    assert json.loads(json.dumps(payload, allow_nan=False)) == json.loads(json.dumps(payload))
    n_rows, flagged = len(audit.score_), int(audit.flagged_.sum())
    assert payload["rows"] == n_rows == sum(payload["labels"]["rows"])
    assert payload["flagged"] == flagged == sum(payload["labels"]["flagged"])
    assert sum(payload["margins"]["flagged"]) == flagged == sum(c[2] for c in payload["confusions"])
    assert sum(payload["margins"]["others"]) == n_rows - flagged
    rows = payload["suspects"]
    assert [row["rank"] for row in rows] == list(range(1, n_rows + 1))
    assert [row["row"] for row in rows] == audit.suspects(n_rows).tolist()
    assert sum(row["flagged"] for row in rows) == flagged
    for row in rows:
        assert row["other"] != row["given"]
        assert row["suggested"] in (row["given"], row["other"])
        assert (row["suggested"] == row["given"]) == (row["evidence"]["margin"] >= 0)
        strengths = [abs(push) for _, _, push in row["contributions"]]
        assert strengths == sorted(strengths, reverse=True)
        assert all(0 <= j < len(payload["features"]) for j, _, _ in row["contributions"])


def test_rows_are_those_of_the_data():
    """Values, typical values and neighbours, from the frame itself."""
    audit = mixed_audit()
    payload = audit_payload(audit)
    frame = audit.evidence.table.source
    trusted = frame[~audit.flagged_]
    codes = audit.codes_[~audit.flagged_]
    for feature in payload["features"]:
        for k, typical in feature["typical"].items():
            mine = trusted[feature["name"]][codes == int(k)]
            if feature["name"] == "age":
                assert typical == pytest.approx(mine.quantile([0.25, 0.5, 0.75]).tolist(), rel=1e-4)
                assert feature["low"] <= typical[0] <= typical[2] <= feature["high"]
            else:
                assert typical[0] == mine.mode()[0]
                assert typical[1] == pytest.approx((mine == typical[0]).mean(), rel=1e-4)
    names = [feature["name"] for feature in payload["features"]]
    seen = set()
    for suspect in payload["suspects"]:
        line = frame.iloc[suspect["row"]]
        for j, value, _ in suspect["contributions"]:
            expected = line[names[j]]
            seen.add(type(value))
            assert value == expected or (value is None and np.isnan(expected))
        assert suspect["same"][2] == suspect["given"] != suspect["differ"][2]
        assert audit.codes_[int(suspect["differ"][0])] == suspect["differ"][2]
    assert seen == {str, float, type(None)}


def test_names_of_rows_and_features():
    audit = numeric_audit()
    n = len(audit.score_)
    ids, numbers = [f"p{i}" for i in range(n)], np.arange(n) + 100
    payload = audit_payload(audit, ids=ids, row_numbers=numbers, feature_names=list("abcde"))
    for row, expected in zip(payload["suspects"], audit.suspects(n), strict=True):
        assert row["row"] == expected + 100
        assert row["id"] == f"p{expected}"
        assert row["same"][0].startswith("p")
    assert {feature["name"] for feature in payload["features"]} <= set("abcde")
    assert {step["name"] for step in payload["shapes"][0]["steps"]} <= set("abcde")
    for name, wrong, of in (
        ("ids", ids[:3], "240 rows"),
        ("row_numbers", [1], "240 rows"),
        ("feature_names", list("ab"), "5 features"),
    ):
        with pytest.raises(ValueError, match=f"{name}: got {len(wrong)}, expected one .* {of}"):
            audit_payload(audit, **{name: wrong})


def test_pictures():
    two, three = audit_payload(numeric_audit()), audit_payload(numeric_audit(n_classes=3))
    assert len(two["volumes"]["flagged"]) == len(two["volumes"]["others"]) == 50
    assert three["volumes"] is None
    assert audit_payload(mixed_audit())["volumes"] is None
    assert [problem["positive"] for problem in two["shapes"]] == [1]
    assert [problem["positive"] for problem in three["shapes"]] == [0, 1, 2]
    assert len(three["certificates"]) == 3
    for step in two["shapes"][0]["steps"]:
        assert len(step["levels"]) == len(step["cuts"]) + 1
    for certificate in (*two["certificates"], *three["certificates"]):
        assert certificate["lower"] <= certificate["upper"]
    bars = {s["name"]: s for s in audit_payload(mixed_audit())["shapes"][0]["steps"]}["kind"]
    levels = dict(map(tuple, bars["bars"]))
    assert set(levels) == {"red", "green", "blue"}
    assert min(levels, key=levels.get) == "red"  # up is "well", and red rows are ill


@pytest.mark.parametrize(
    ("flagged", "rate", "text"),
    [
        (0, 0.0, "No label of the 100 stands out as wrong; estimated noise is less than 0.1%."),
        (1, 0.01, "1 of 100 labels looks wrong, with at most 20% false alarms expected among them"),
        (7, 0.065, "7 of 100 labels look wrong, .*; an estimated 6.5% of all labels are wrong."),
    ],
)
def test_verdict(flagged, rate, text):
    audit = LabelAudit()
    audit.score_, audit.noise_rate_ = np.ones(100), rate
    audit.flagged_ = np.arange(100) < flagged
    assert re.match(text, verdict(audit))


def test_columns_that_leak_are_named():
    assert audit_payload(leaking_audit())["leaking"] == ["code"]
    assert audit_payload(leaking_audit(), feature_names=["a", "b"])["leaking"] == ["b"]
    assert audit_payload(numeric_audit())["leaking"] == []


def test_nothing_to_suspect():
    """Labels that any model gets right: no row is flagged, the page can still be made."""
    X = np.r_[np.zeros((20, 1)), np.ones((20, 1))]
    audit = fit(np.hstack([X, X**2]), [0] * 20 + [1] * 20)
    payload = audit_payload(audit)
    assert payload["flagged"] == 0
    assert payload["volumes"] is None
    assert "No label" in payload["verdict"]
    assert audit_page(payload)


@pytest.fixture(scope="module")
def large_audit():
    """10,000 rows, thousands of them flagged, categories of 10,000 signs."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(10_000, 8))
    kinds = rng.integers(0, 300, (10_000, 3))
    score = numbers[:, 0] + (kinds < 40).sum(axis=1)
    y = np.where(rng.random(10_000) < 0.4, rng.integers(0, 2, 10_000), score > 0.5).astype(int)
    frame = pd.DataFrame(numbers)
    for j in range(3):
        categories = [f"{k} {HOSTILE[0] * 400}" for k in range(300)]
        frame[f"kind {j}"] = pd.Categorical.from_codes(kinds[:, j], categories)
    audit = quick_audit(frame.rename(columns=str), y)
    assert audit.flagged_.sum() > 1000
    return audit


@pytest.mark.parametrize("text", ["plain", HOSTILE[0] * 400, "\ud83d lone surrogate " * 500])
def test_ten_thousand_rows_fit_in_two_megabytes(large_audit, text):
    """Even where ids and names are long, and all different."""
    ids = [f"{i} {text}" for i in range(10_000)]
    names = [f"{j} {text}" for j in range(11)]
    payload = audit_payload(large_audit, title=text, ids=ids, feature_names=names)
    assert len(payload["suspects"]) == 1000
    assert any(
        isinstance(value, str)
        for row in payload["suspects"]
        for _, value, _ in row["contributions"]
    )
    assert len(audit_page(payload).encode()) < 2_000_000


def test_write_audit_report(tmp_path):
    path = tmp_path / "report.html"
    write_audit_report(numeric_audit(), path, title="My rows")
    assert "<title>My rows – label audit</title>" in path.read_text(encoding="utf-8")


def test_shapes_span_the_data_and_show_what_missing_values_do():
    audit = mixed_audit()
    age = audit.evidence.table.source["age"]
    steps = {step["name"]: step for step in audit_payload(audit)["shapes"][0]["steps"]}
    assert steps["age"]["low"] == pytest.approx(age.min(), rel=1e-4)
    assert steps["age"]["high"] == pytest.approx(age.max(), rel=1e-4)
    counts = np.histogram(age.dropna(), len(steps["age"]["strip"]))[0]
    assert steps["age"]["strip"] == pytest.approx((counts / counts.max()).tolist(), abs=0.1)
    levels = audit.evidence.models[1].explain().shapes["age"].levels
    assert steps["age"]["missing"] == pytest.approx(levels[-1], rel=1e-3)
    assert steps["age"]["levels"] == pytest.approx(levels[:-1].tolist(), rel=1e-3)
    assert "missing" not in steps["kind"]


def test_volumes_need_rows_of_both_kinds():
    """Where nothing is flagged, or everything, there is nothing to compare."""
    audit = numeric_audit()
    assert volume_curves(audit) is not None
    for value in (False, True):
        other = copy.copy(audit)
        other.flagged_ = np.full(len(audit.flagged_), value)
        assert volume_curves(other) is None
