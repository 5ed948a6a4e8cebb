"""Model files made to take time or memory, or to slip past the checks."""

import gzip
import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

from marginboost import AdaBoostClassifier
from marginboost.core.hypothesis import Hypothesis
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.model import file as model_file
from marginboost.model.fields import ModelFileError
from marginboost.model.file import document_of, load_model, read_document, save_model
from marginboost.model.reader import MAX_CODED, MAX_TARGETS, model_from_document
from marginboost.model.settings import MAX_PADDED, MAX_WRAPPERS
from marginboost.oracles.stumps import Stump, step_functions

REGISTRY = BaseMarginClassifier.__registry__


def rows(n_classes=2):
    X = np.random.default_rng(0).normal(size=(90, 3))
    return X, np.arange(90) % n_classes


@pytest.fixture(scope="module")
def document():
    return json.loads(json.dumps(document_of(AdaBoostClassifier(n_estimators=3).fit(*rows()))))


@pytest.fixture(scope="module")
def several():
    model = AdaBoostClassifier(n_estimators=2).fit(*rows(3))
    return json.loads(json.dumps(document_of(model)))


PATIENCE = 3.0
"""Seconds of processor time; what these tests are about would take many times as much."""


def assert_refused(document, message):
    """Refused, and soon."""
    started = time.process_time()
    with pytest.raises(ModelFileError, match=message):
        model_from_document(document, REGISTRY)
    assert time.process_time() - started < PATIENCE


def written(path, text):
    path.write_text(text)
    return path


def test_a_repeated_key_is_found_in_one_pass(tmp_path):
    keys = ",".join(f'"k{i}":0' for i in range(40_000))
    started = time.process_time()
    with pytest.raises(ModelFileError, match="key 'k39999' stands twice"):
        read_document(written(tmp_path / "m.json", f'{{{keys},"k39999":1}}'))
    assert time.process_time() - started < PATIENCE


def test_values_are_counted_before_they_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "MAX_VALUES", 10)
    for text in ("[1,1,1,1,1,1,1,1,1,1,1]", "[" * 11 + "]" * 11, "[" + "{}," * 6 + "{}]"):
        with pytest.raises(ModelFileError, match="more than 10 values"):
            read_document(written(tmp_path / "m.json", text))
    assert read_document(written(tmp_path / "m.json", "[1,1,1,1,1,1,1,1,1,1]")) == [1] * 10


def test_packed_values_are_counted_too(tmp_path):
    path = tmp_path / "m.json.gz"
    path.write_bytes(gzip.compress(b"[" + b"[]," * (1 << 24) + b"0]", 9))
    assert path.stat().st_size < 1 << 17
    with pytest.raises(ModelFileError, match=f"more than {1 << 24} values"):
        read_document(path)


def test_bytes_are_counted_on_both_sides_of_the_limit(tmp_path):
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b" " * 98 + b"[]")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path in (plain, packed):
        assert read_document(path, max_bytes=100) == []
        with pytest.raises(ModelFileError, match="larger than 99 bytes"):
            read_document(path, max_bytes=99)


def test_what_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    model = AdaBoostClassifier(n_estimators=3).fit(*rows())
    monkeypatch.setattr(model_file, "MAX_VALUES", 50)
    with pytest.raises(ModelFileError, match="more than 50 values"):
        save_model(model, tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_an_error_of_the_file(tmp_path, monkeypatch):
    def loads(*_, **__):
        raise MemoryError

    monkeypatch.setattr(model_file.json, "loads", loads)
    with pytest.raises(ModelFileError, match=r"m\.json: too large for the memory of this machine"):
        load_model(written(tmp_path / "m.json", "{}"), REGISTRY)


def test_strings_are_not_padded_beyond_a_limit(document):
    longest = MAX_PADDED // 8
    for length in (longest, longest + 1):
        classes = {"dtype": "str", "values": ["a", "b" * length]}
        changed = {**document, "classes": classes}
        if length == longest:
            assert model_from_document(changed, REGISTRY).classes_.nbytes == MAX_PADDED
        else:
            assert_refused(changed, f"at most {MAX_PADDED} bytes")


def test_categories_are_not_padded(document):
    names = [f"{i}" for i in range(5000)]
    known = {"dtype": "str", "values": [*names, "x" * 50_000]}
    features = {**document["features"], "categories": [None, None, known]}
    members = [{**m, "feature": 0} for m in document["ensemble"]["members"]]
    ensemble = {**document["ensemble"], "members": members}
    model = model_from_document({**document, "features": features, "ensemble": ensemble}, REGISTRY)
    assert model.model_.features.categories[2].tolist() == known["values"]
    assert model.model_.features.categories[2].nbytes < 1 << 20


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("str", ["a", "a\0"]),  # NumPy drops zeros at the end
        ("float16", [1.0, 1.0001]),
        ("float32", [16777216, 16777217]),
        ("object", [1, True]),
    ],
)
def test_values_must_differ_in_their_type(document, dtype, values):
    assert_refused({**document, "classes": {"dtype": dtype, "values": values}}, "distinct")
    if dtype != "str":  # kept as objects, they do differ
        known = [{"dtype": dtype, "values": values}, None, None]
        changed = {**document, "features": {**document["features"], "categories": known}}
        assert_refused(changed, "distinct values")


def test_codes_of_many_classes_are_compared_at_once(several):
    n_classes = 3000
    bits = (np.arange(n_classes)[:, None] >> np.arange(12)) & 1
    code = (2 * bits - 1).tolist()
    code[-1] = code[-2]
    classes = {"dtype": "int64", "values": list(range(n_classes))}
    changed = {**several, "classes": classes, "code": code}
    assert_refused(changed, f"no column sets class {n_classes - 2} against class {n_classes - 1}")


def test_codes_of_many_problems(several):
    code = [[1] * 100_000, [-1] * 100_000, [0] * 99_999 + [1]]
    assert_refused({**several, "code": code}, "no column sets class 0 against class 2")
    code = [[1] * 100_000, [-1] * 99_999 + [1], [1] * 100_000]
    assert_refused({**several, "code": code}, "column 99999 has not both a 1 and a -1")


def test_the_number_of_classes_of_a_code_is_bounded(several):
    n_classes = MAX_CODED + 1
    classes = {"dtype": "int64", "values": list(range(n_classes))}
    changed = {**several, "classes": classes, "code": [[1]] * n_classes}
    assert_refused(changed, f"at most {MAX_CODED} classes")
    classes = {"dtype": "int64", "values": list(range(MAX_CODED))}
    changed = {**several, "classes": classes, "code": [[1]] * MAX_CODED}
    assert_refused(changed, "a code of 4096 classes")


def test_many_features_cost_no_more_than_many_stumps():
    stumps = [Stump(feature, 0.0, -1.0, 1.0) for feature in range(15_000)]
    started = time.process_time()
    steps = step_functions(stumps, np.ones(len(stumps)))
    assert time.process_time() - started < PATIENCE
    assert [step.feature for step in steps] == list(range(15_000))


HALF = "\ud800"


@pytest.mark.parametrize(
    "change",
    [
        {"classes": {"dtype": "str", "values": ["a", HALF]}},
        {"classes": {"dtype": "object", "values": ["a", "b\udfff"]}},
        {"features": {"names": ["a", "b", HALF], "had_names": True, "categories": [None] * 3}},
        {"library": HALF},
    ],
)
def test_half_a_character_is_no_text(document, change):
    assert_refused({**document, **change}, "half a surrogate pair")


def test_half_a_character_cannot_be_written(tmp_path):
    X, y = rows()
    model = AdaBoostClassifier(n_estimators=3).fit(X, np.array(["a", HALF])[y])
    with pytest.raises(TypeError, match="strings of whole characters"):
        save_model(model, tmp_path / "m.json")


def test_feature_names_must_differ(document):
    features = {"names": ["a", "b", "a"], "had_names": True, "categories": [None] * 3}
    assert_refused({**document, "features": features}, r"features\.names: .* names that differ")


def test_kinds_that_nobody_checks_are_refused(document):
    class Unchecked(Hypothesis):
        kind = "unchecked"

        @classmethod
        def from_dict(cls, data):
            return cls()

        def __call__(self, rows):
            return rows[:, 10**9]

        def negated(self):
            return self

    try:
        ensemble = {"members": [{"kind": "unchecked"}], "coef": [1.0]}
        assert_refused({**document, "ensemble": ensemble}, "does not check its features")
    finally:
        del Hypothesis.__registry__["unchecked"]


def test_documented_limits_are_those_of_the_code():
    document = (Path(__file__).parents[2] / "docs" / "model-file.md").read_text(encoding="utf-8")
    table = document.split("| what | at most |")[1].split("\n\n")[0]
    limits = [
        int(n.replace(",", "")) for n in re.findall(r"\| ([\d,]+)(?: \(.*\))? \|$", table, re.M)
    ]
    most = model_file.MAX_BYTES, model_file.MAX_VALUES
    constants = [*most, MAX_PADDED, MAX_CODED, MAX_TARGETS, MAX_WRAPPERS]
    assert limits == constants
