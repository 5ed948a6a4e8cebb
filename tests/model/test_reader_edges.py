"""Files at the edge of what may be read: taken up to the limits, refused beyond them, by name."""

import copy
import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import marginboost
from marginboost import (
    AdaBoostClassifier,
    GradientBoostRegressor,
    LPBoostClassifier,
    PooledOracle,
    SoftmaxBoostClassifier,
    StumpOracle,
)
from marginboost.algorithms.cascade import CascadeBooster
from marginboost.algorithms.multiclass import saved_classes
from marginboost.model import file, reader, settings
from marginboost.model.fields import Field, ModelFileError, is_text
from marginboost.model.file import document_of, load_model, read_document, save_model
from marginboost.model.reader import model_from_document
from marginboost.model.settings import read_values

CLASSES = saved_classes()


def rows(n=150, n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] + rng.normal(size=n)
    return X, np.digitize(score, np.linspace(-0.7, 0.7, n_classes + 1)[1:-1])


def document(model, *data):
    return json.loads(json.dumps(document_of(model.fit(*data))))


@pytest.fixture(scope="module")
def documents():
    X, y = rows()
    three = rows(n_classes=3)[1]
    targets = np.column_stack([X[:, 0], X[:, 1] ** 2])
    return {
        "votes": document(LPBoostClassifier(nu=0.5, n_estimators=6), X, y),
        "odds": document(AdaBoostClassifier(n_estimators=4), X, y),
        "problems": document(LPBoostClassifier(nu=0.8, n_estimators=4), X, three),
        "odds of problems": document(AdaBoostClassifier(n_estimators=4), X, three),
        "labels": document(SoftmaxBoostClassifier(n_estimators=2), X, three),
        "cascade": document(CascadeBooster(n_stages=2), X, y),
        "targets": document(GradientBoostRegressor(n_estimators=2), X, targets),
        "number": document(GradientBoostRegressor(n_estimators=2), X, X[:, 0]),
    }


def changed(found, place, value):
    """Copy with one value changed, or added."""
    found = copy.deepcopy(found)
    *parents, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inner = found
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return found


def read(found):
    return model_from_document(found, CLASSES)


TAKEN = [
    ("votes", "link", {"slope": 1e-9, "offsets": [0.5]}),
    ("problems", "link", {"slope": 2, "offsets": [0.5, -1, 0]}),
    ("cascade", "stages.0.detection_rate", 0.0),
    ("cascade", "stages.0.detection_rate", 1.0),
    ("cascade", "stages.0.false_positive_rate", 0),
    ("cascade", "stages.0.threshold", -2.0),
    ("votes", "classes", {"dtype": "int64", "values": [7, 3]}),  # of two any order will do
    ("odds", "params.n_jobs", 1),
]


@pytest.mark.parametrize(("name", "place", "value"), TAKEN)
def test_fields_may_be_at_their_limits(documents, name, place, value):
    assert read(documents[name]) is not None
    again = document_of(read(changed(documents[name], place, value)))
    for key in place.split("."):
        again = again[int(key) if key.isdigit() else key]
    assert again == value


SOME_LINK = {"slope": 1.0, "offsets": [0.0]}
WRONG = [
    ("votes", "link", {"slope": 0.0, "offsets": [0.0]}, r"link\.slope: got 0.0, expected a number"),
    ("votes", "link", {"slope": -1.0, "offsets": [0.0]}, r"link\.slope"),
    ("votes", "link", {"slope": "NaN", "offsets": [0.0]}, r"link\.slope.*a finite number"),
    ("votes", "link", {"slope": 1.0, "offsets": []}, r"link\.offsets.*1 items"),
    ("votes", "link", {"slope": 1.0, "offsets": [0.0, 1.0]}, r"link\.offsets.*1 items"),
    ("votes", "link", {"slope": 1.0, "offsets": ["Infinity"]}, r"link\.offsets\[0\].*finite"),
    ("votes", "link", {"slope": 1.0}, "the key 'offsets'"),
    ("odds", "link", SOME_LINK, "link: got .* no link: that of AdaBoostClassifier is not fitted"),
    ("odds of problems", "link", {"slope": 1.0, "offsets": [0.0] * 3}, "no link: that of AdaBoost"),
    ("problems", "link", SOME_LINK, r"link\.offsets.*3 items"),
    ("number", "link", SOME_LINK, "'link' is unknown"),
    ("problems", "background", [], "'background' is unknown"),
    ("targets", "chosen", {}, "'chosen' is unknown"),
    ("cascade", "link", SOME_LINK, "'link' is unknown"),
    ("cascade", "stages", [], "stages: got .*, expected at least one stage"),
    ("cascade", "stages.0.detection_rate", 1.01, r"stages\[0\]\.detection_rate.*\[0, 1\]"),
    ("cascade", "stages.0.detection_rate", -0.01, r"detection_rate.*a share in \[0, 1\]"),
    ("cascade", "stages.0.false_positive_rate", 2, r"stages\[0\]\.false_positive_rate.*\[0, 1\]"),
    ("cascade", "stages.0.threshold", "Infinity", r"stages\[0\]\.threshold.*a finite number"),
    ("cascade", "estimator", "AdaBoostClassifier", "estimator: got 'AdaBoostClassifier'"),
    ("cascade", "classes.values", [1, 1], "distinct"),
    ("votes", "estimator", "CascadeBooster", "estimator: got 'CascadeBooster'"),
    ("votes", "version", 3, "'classes' is unknown|estimator"),
    ("number", "version", 5, "'stages'|estimator|classes"),
    ("targets", "problems", [], "problems: got .*, expected 2 to 4096 targets"),
    ("targets", "problems.1.n_iter", 9, r"problems\[1\]\.n_iter: got 9, expected 2"),
    ("targets", "estimator", "LPBoostRegressor", "one target|param"),
    ("labels", "classes.values", [0, 1], "2 outputs per row"),
    ("labels", "problems", [], "the key 'code'"),
    ("odds", "classes.values", [0, 1, 2], "two distinct classes"),
    ("odds", "format", "model", "format: got 'model', expected 'marginboost-model'"),
    ("odds", "version", 1.0, "version: got 1.0, expected an integer"),
    ("odds", "version", 6, "newer release"),
    ("odds", "version", 0, "an integer of at least 1"),
    ("odds", "features.names", ["a", "a", "b"], "names that differ"),
    ("odds", "background.0.feature", -1, "a number below 3, each once"),
    ("odds", "background.0.feature", 3, "a number below 3, each once"),
    ("odds", "background.0.cuts.0", "NaN", "a finite number"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), WRONG)
def test_fields_beyond_their_limits_are_named(documents, name, place, value, message):
    with pytest.raises(ModelFileError, match=message):
        read(changed(documents[name], place, value))


def test_a_feature_stands_in_the_background_once(documents):
    found = copy.deepcopy(documents["odds"])
    found["background"].append(found["background"][0])
    with pytest.raises(ModelFileError, match="each once"):
        read(found)


def test_one_target_of_several_is_one_too_few(documents):
    found = copy.deepcopy(documents["targets"])
    del found["problems"][1]
    with pytest.raises(ModelFileError, match="2 to 4096 targets"):
        read(found)
    assert len(read(documents["targets"]).model_.runs) == 2


@pytest.mark.parametrize(
    ("limit", "name", "message"),
    [("MAX_TARGETS", "targets", "2 to 1 targets"), ("MAX_CODED", "problems", "at most 1 classes")],
)
def test_problems_are_bounded(documents, monkeypatch, limit, name, message):
    """As many as the limit are read, and no more."""
    monkeypatch.setattr(reader, limit, 1)
    with pytest.raises(ModelFileError, match=message):
        read(documents[name])
    monkeypatch.setattr(reader, limit, 2 if name == "targets" else 3)
    assert read(documents[name]) is not None


@pytest.mark.parametrize("name", ["problems", "cascade"])
def test_problems_and_stages_are_of_two_classes(documents, name):
    """An algorithm that answers for all labels at once has neither."""
    found = copy.deepcopy(documents[name])
    if name == "problems":
        found |= {"estimator": "SoftmaxBoostClassifier", "params": {}}
    else:
        found["params"]["estimator"] = {"classifier": "SoftmaxBoostClassifier", "params": {}}
    with pytest.raises(ModelFileError, match=r"an algorithm for two classes|settings|estimator"):
        read(found)


def test_base_learners_may_be_wrapped_so_often(documents, monkeypatch):
    monkeypatch.setattr(settings, "MAX_WRAPPERS", 2)

    def wrapped(times):
        found = {"oracle": "StumpOracle", "params": {}}
        for _ in range(times):
            found = {"oracle": "PooledOracle", "params": {"oracle": found}}
        return changed(documents["odds"], "params.estimator", found)

    inner = read(wrapped(1)).estimator
    assert isinstance(inner, PooledOracle)
    assert isinstance(inner.oracle, StumpOracle)
    with pytest.raises(ModelFileError, match="at most 2 base learners wrapped in each other"):
        read(wrapped(2))


SETTINGS = [
    ("params.tol", {"loss": "huber", "params": {}}, "a setting, not a loss|huber|loss"),
    ("params.tol", {"classes": {"dtype": "int64", "values": [0]}, "weights": [1.0]}, "by class or"),
    ("params.estimator", 3, "a base learner"),
    ("params.callbacks", [], "callbacks"),
    ("params.tol", [None], r"params\.tol\[0\]"),
    ("params.tol", "\ud800", "text|tol"),
]


@pytest.mark.parametrize(("place", "value", "message"), SETTINGS)
def test_settings_of_the_wrong_kind(documents, place, value, message):
    with pytest.raises(ModelFileError, match=message):
        read(changed(documents["odds"], place, value))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dtype": "int8", "values": [True]}, "values of type int8"),
        ({"dtype": "bool", "values": [1]}, "values of type bool"),
        ({"dtype": "uint8", "values": [-1]}, "uint8 values"),
        ({"dtype": "float16", "values": [1e5]}, "values that fit in float16"),
        ({"dtype": "str", "values": [1]}, "values of type str"),
        ({"dtype": "float64", "values": [1, 1.0]}, "distinct values"),
        ({"dtype": "complex128", "values": [1]}, "dtype"),
        ({"dtype": "object", "values": [[1]]}, "a number, a string, true or false"),
    ],
)
def test_values_have_the_type_that_is_named(given, message):
    with pytest.raises(ModelFileError, match=message):
        read_values(Field(given))


@pytest.mark.parametrize(
    "dtype",
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "str",
        "object",
    ],
)
def test_values_of_every_type(dtype):
    values = {"bool": [True, False], "str": ["b", "aa"], "object": ["a", 1]}.get(dtype, [1, 2])
    found = read_values(Field({"dtype": dtype, "values": values}))
    assert found.tolist() == values
    assert found.dtype == np.dtype("U2" if dtype == "str" else dtype)
    assert read_values(Field({"dtype": "str", "values": ["x"]}), padded=False).dtype == object
    assert len(read_values(Field({"dtype": dtype, "values": []}))) == 0


def test_strings_that_NumPy_would_pad_are_bounded(monkeypatch):
    """Four bytes for each sign of the longest, as often as there are strings."""
    monkeypatch.setattr(settings, "MAX_PADDED", 24)
    for values, fits in ((["abc", "d"], True), (["abcd", "e"], False), (["abcdef"], True)):
        field = Field({"dtype": "str", "values": values})
        if fits:
            assert read_values(field).tolist() == values
        else:
            with pytest.raises(ModelFileError, match="at most 24 bytes"):
                read_values(field)
        assert read_values(field, padded=False).tolist() == values


# -- text, numbers, size --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775808", 2**63),
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1e308", 1e308),
        ('{"a": {"b": 1}, "b": {"b": 2}}', {"a": {"b": 1}, "b": {"b": 2}}),
    ],
)
def test_numbers_of_64_bits_are_read(tmp_path, text, value):
    path = tmp_path / "m.json"
    path.write_text(text)
    found = read_document(path)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("18446744073709551616", "out of the range of 64 bits"),
        ("-9223372036854775809", "out of the range of 64 bits"),
        ("1" + "0" * 5000, "out of the range of 64 bits"),
        ("100000000000000000000", "out of the range of 64 bits"),
        ("1e309", "out of range"),
        ("-1e309", "out of range"),
        ("NaN", "not a JSON number"),
        ('{"a": 1, "b": 2, "a": 3}', "key 'a' stands twice"),
    ],
)
def test_other_numbers_are_not(tmp_path, text, message):
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=message):
        read_document(path)


@pytest.mark.parametrize("packed", [False, True])
def test_files_are_read_up_to_the_limit(tmp_path, packed):
    """Of bytes when unpacked, and no further."""
    text = b"[" + b" " * 998 + b"]"
    path = tmp_path / ("m.json.gz" if packed else "m.json")
    path.write_bytes(gzip.compress(text) if packed else text)
    assert read_document(path, max_bytes=1000) == []
    with pytest.raises(ModelFileError, match="larger than 999 bytes"):
        read_document(path, max_bytes=999)


def test_files_hold_so_many_values(tmp_path, monkeypatch):
    """Told apart by commas and brackets, so that none is made before it is known."""
    monkeypatch.setattr(file, "MAX_VALUES", 6)
    path = tmp_path / "m.json"
    path.write_text('[1, 2, {"a": [3, 4]}]')  # three commas, three brackets
    assert read_document(path) == [1, 2, {"a": [3, 4]}]
    path.write_text('[1, 2, {"a": [3, 4, 5]}]')
    with pytest.raises(ModelFileError, match="more than 6 values"):
        read_document(path)


def test_what_is_written_can_be_read(tmp_path, monkeypatch):
    X, y = rows()
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    model.save(tmp_path / "a.json.gz")
    model.save(tmp_path / "b.json.gz")
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    size = len(json.dumps(document_of(model), separators=(",", ":")))
    monkeypatch.setattr(file, "MAX_BYTES", size - 1)
    with pytest.raises(ModelFileError, match=f"larger than {size - 1} bytes"):
        save_model(model, tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()
    monkeypatch.setattr(file, "MAX_BYTES", size)
    save_model(model, tmp_path / "c.json")
    assert load_model(tmp_path / "c.json", CLASSES).n_iter_ == 3


def with_classes(*labels):
    """A fitted model whose classes are these."""
    model = AdaBoostClassifier(n_estimators=2).fit(*rows(40))
    model.model_ = replace(model.model_, classes=np.array(labels, dtype=object))
    return model


@pytest.mark.parametrize("label", [2**63, -(2**63), 2**64 - 1, 1.5, True, "é", "\U0001f600"])
def test_labels_that_files_can_hold(tmp_path, label):
    with_classes("other", label).save(tmp_path / "m.json")
    (_, again) = marginboost.load(tmp_path / "m.json").classes_.tolist()
    assert (again, type(again)) == (label, type(label))


@pytest.mark.parametrize("label", [2**64, -(2**63) - 1, "\ud83d", float("inf"), None])
def test_labels_that_files_cannot_hold(tmp_path, label):
    with pytest.raises(TypeError, match=r"classes: .* cannot be written as data"):
        with_classes("other", label).save(tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


def test_text_is_of_whole_characters():
    assert is_text("plain")
    assert is_text("é\U0001f600\ue000\ud7ff")
    assert not is_text("\ud800")
    assert not is_text("é\udfff")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_JSON_has_not_are_words(value):
    assert repr(Field(value).number()) == repr(float(value))
    with pytest.raises(ModelFileError, match="a finite number"):
        Field(value).number(finite=True)
    for other in (value.lower(), None, True, [value]):
        with pytest.raises(ModelFileError, match="a number or one of NaN"):
            Field(other, "place").number()
    assert (Field(3).number(), Field(2.5).number(finite=True)) == (3.0, 2.5)


def test_columns_of_frames_are_those_of_the_file(tmp_path):
    X, y = rows()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    found = document(AdaBoostClassifier(n_estimators=3), table, y)
    assert found["features"] == {
        "names": ["a", "b", "c"],
        "had_names": True,
        "categories": [None] * 3,
    }
    plain = document(AdaBoostClassifier(n_estimators=3), X, y)
    assert plain["features"]["had_names"] is False
    assert not hasattr(read(plain), "feature_names_in_")
    assert read(found).feature_names_in_.tolist() == ["a", "b", "c"]
