"""Audits, filters and robust estimators answer as they did when the record was written.

``python tests/audit/test_audit_golden.py`` writes it anew, for a change that is meant. Of every
array the record has the mean and a projection, which tell it from another one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import marginboost.audit
from marginboost import RobustBoostClassifier
from marginboost.audit import FilteredClassifier, LabelAudit, NoiseFilter, TargetAudit, plant_flips
from marginboost.audit.leaks import leaking_features
from marginboost.audit.votes import committee_trees, default_folds, default_voters
from marginboost.data import BinnedMatrix

RECORD = Path(__file__).with_name("golden_audits.json")
LARGE = [f"marginboost.audit.{name}" for name in ("votes", "audit", "committee", "robust")]


def table(n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Numbers, some missing or equal, and categories; two rows stand twice, one is far out."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    frame["d"] = random.integers(0, 5, n_rows).astype(float)
    frame["kind"] = pd.Categorical(random.choice(["x", "y", "z"], n_rows, p=[0.6, 0.3, 0.1]))
    frame.loc[random.random(n_rows) < 0.05, "c"] = np.nan
    frame.iloc[1] = frame.iloc[0]
    frame.iloc[3] = frame.iloc[2]
    frame.loc[5, ["a", "b"]] = 40.0, -40.0
    return frame


def labels(frame: pd.DataFrame, n_classes: int, rate: float) -> np.ndarray:
    """Classes with some of them wrong."""
    random = np.random.default_rng(1)
    score = frame["a"] + (frame["kind"] == "x") + 0.3 * random.normal(size=len(frame))
    return plant_flips(np.digitize(score, [0.5, 1.4][: n_classes - 1]), rate, seed=2)[0]


def facts(value: Any) -> Any:
    """What the record keeps of a value: numbers as they are, of an array two numbers."""
    if isinstance(value, dict):
        return {str(key): facts(inner) for key, inner in sorted(value.items(), key=str)}
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size:
        flat = np.nan_to_num(value.astype(np.float64).ravel(), nan=-7.0, posinf=1e3, neginf=-1e3)
        flat = np.clip(flat, -1e3, 1e3)
        return [float(flat.mean()), float(np.cos(np.arange(flat.size) ** 2) @ flat)]
    return None


def attributes(model: Any) -> dict[str, Any]:
    """Everything that a fitted model says in numbers."""
    found = {
        name: facts(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_")
    }
    return {name: value for name, value in found.items() if value is not None}


def of_audit(audit: Any) -> dict[str, Any]:
    """What an audit says, with its table and the reasons for it."""
    frame = audit.to_frame()
    told = {
        column: facts(frame[column].to_numpy())
        for column in frame
        if frame[column].dtype.kind in "biuf"
    }
    evidence = vars(audit.evidence) if hasattr(audit, "evidence") else {}
    reasons = {name: facts(value) for name, value in evidence.items()}
    return {**attributes(audit), "frame": told, "evidence": reasons}


def of_classifier(model: Any, more: Any) -> dict[str, Any]:
    return {**attributes(model), "chances": facts(model.predict_proba(more))}


FILTERS = sorted(
    name
    for name in marginboost.audit.__all__
    if name.endswith("Filter") and name != NoiseFilter.__name__
)


def of_filter(name: str) -> dict[str, Any]:
    frame = table(90)
    rows = frame[["a", "b", "d"]].to_numpy()
    return attributes(getattr(marginboost.audit, name)().fit(rows, labels(frame, 2, 0.1)))


def settings_of_voters() -> dict[str, Any]:
    """Of tables of every size."""
    found: dict[str, Any] = {}
    for n_rows in (15, 60, 1000, 5000, 5001, 10_000, 10_001, 200_000):
        found[f"folds {n_rows}"] = default_folds(n_rows)
        for n_classes in (2, 3):
            for name, voter in default_voters(n_rows, n_classes).items():
                found[f"{name} {n_rows} {n_classes}"] = repr(voter)
            for clean in (False, True):
                for width in (5, 5000):
                    made = committee_trees((n_rows, width), n_classes, clean)
                    found[f"committee {n_rows} {width} {n_classes} {clean}"] = repr(made)
    return found


def leaks() -> dict[str, Any]:
    """Columns from which the label can be read: by cuts, by categories, nearly; and names."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    nearly = y.astype(float)
    nearly[:3] = 1 - nearly[:3]
    frame = pd.DataFrame(
        {
            "number": y + 0.1 * random.random(400),
            "nearly": nearly,
            "row": np.arange(400.0),
            "kind": pd.Categorical(np.array(["n", "y"])[y]),
            "name": pd.Categorical([f"r{k}" for k in range(400)]),
            "chance": random.random(400),
        }
    )
    found = leaking_features(BinnedMatrix.from_data(frame), y)
    return {name: name in found for name in frame}


def small(n_classes: int, rate: float = 0.1, n_rows: int = 130) -> tuple[pd.DataFrame, np.ndarray]:
    frame = table(n_rows)
    return frame, labels(frame, n_classes, rate)


def target_audit() -> dict[str, Any]:
    frame = table(130)
    y = 3.0 * frame["a"].clip(-3, 3) + (frame["kind"] == "x")
    y = y + np.random.default_rng(4).standard_t(4, len(frame)) * 0.3
    y[7:130:17] += 9.0
    return of_audit(TargetAudit().fit(frame, y.to_numpy()))


CASES: dict[str, Any] = {
    "label audit, two classes": lambda: of_audit(LabelAudit().fit(*small(2))),
    "label audit, three classes": lambda: of_audit(LabelAudit().fit(*small(3))),
    "large label audit": lambda: of_audit(LabelAudit().fit(*small(3, n_rows=200))),
    "target audit": target_audit,
    "robust": lambda: of_classifier(RobustBoostClassifier().fit(*small(2)), table(40, 9)),
    "robust, nearly clean": lambda: of_classifier(
        RobustBoostClassifier().fit(*small(2, 0.01)), table(40, 9)
    ),
    "robust, three classes": lambda: of_classifier(
        RobustBoostClassifier().fit(*small(3, 0.2)), table(40, 9)
    ),
    "large robust": lambda: of_classifier(
        RobustBoostClassifier().fit(*small(2, 0.1, 200)), table(40, 9)
    ),
    "filtered": lambda: of_classifier(
        FilteredClassifier().fit(table(90)[["a", "b", "d"]], labels(table(90), 2, 0.1)),
        table(40, 9)[["a", "b", "d"]],
    ),
    "voters": settings_of_voters,
    "leaks": leaks,
    **{name: lambda name=name: of_filter(name) for name in FILTERS},
}


def outcome(case: str, patch: pytest.MonkeyPatch) -> Any:
    """What is said today; tables of the large kind begin early, so that they are quick."""
    if case.startswith("large"):
        for module in LARGE if "label" in case else LARGE[1:]:  # forests of large tables are slow
            for name, value in (("FEW_ROWS", 100), ("LEARNING_ROWS", {"linear": 90})):
                patch.setattr(f"{module}.{name}", value, raising=False)
    return json.loads(json.dumps(CASES[case]()))


def assert_alike(found: Any, expected: Any, place: str) -> None:
    """Equal but for rounding, which is not the same on all processors."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key, inner in expected.items():
            assert_alike(found[key], inner, f"{place}.{key}")
    elif isinstance(expected, str):
        assert found == expected, place
    elif expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=place)


@pytest.mark.parametrize("case", CASES, ids=str.lower)  # quick, also of what is costly elsewhere
def test_answers_are_those_on_record(case, monkeypatch):
    assert_alike(outcome(case, monkeypatch), json.loads(RECORD.read_text())[case], case)


def test_no_case_is_left_out():
    assert set(json.loads(RECORD.read_text())) == set(CASES)


if __name__ == "__main__":
    with_all = {}
    for one in CASES:
        with pytest.MonkeyPatch.context() as patched:
            with_all[one] = outcome(one, patched)
    RECORD.write_text(json.dumps(with_all, indent=1) + "\n")
    sys.stdout.write(f"{len(with_all)} cases written to {RECORD}\n")
