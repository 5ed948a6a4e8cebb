"""Binned matrices in files: the same bits, or a clear refusal."""

import hashlib
import json
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginboost import AdaBoostClassifier, BinnedMatrix, GradientBoostClassifier
from marginboost.data import bins_file
from marginboost.data.bins_file import MAGIC, PREFIX


@pytest.fixture(scope="module")
def bins():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.normal(size=200),
            "town": pd.Categorical(rng.choice(["rome", "oslo", "ghent"], 200)),
            "code": pd.Categorical(rng.integers(0, 4, 200)),
            "empty": np.nan,
            "ill": rng.choice(["no", "ja", "yes"], 200),
            "weight": rng.random(200),
        }
    )
    table.loc[3:9, "age"] = np.nan
    return BinnedMatrix.from_batches(table, label="ill", weight="weight")


def same(found, expected):
    np.testing.assert_array_equal(found.codes, expected.codes)
    assert found.codes.dtype == expected.codes.dtype
    assert (found.names, found.named) == (expected.names, expected.named)
    for pair in zip(found.cuts, expected.cuts, strict=True):
        np.testing.assert_array_equal(*pair)
    plain = [[None if c is None else c.tolist() for c in b.categories] for b in (found, expected)]
    assert plain[0] == plain[1]
    for name in ("labels", "weights"):
        values, others = getattr(found, name), getattr(expected, name)
        assert (values is None) == (others is None)
        assert values is None or (values.tolist() == others.tolist())


@pytest.mark.parametrize("mmap", [True, False])
def test_what_was_saved_is_read(bins, mmap, tmp_path):
    bins.save(tmp_path / "rows.bins")
    found = BinnedMatrix.load(tmp_path / "rows.bins", mmap=mmap)
    same(found, bins)
    assert os.listdir(tmp_path) == ["rows.bins"]
    base = found.codes
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap) == mmap


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 400), st.sampled_from([None, 255, 3]), st.sampled_from("iufbU"))
def test_matrices_of_all_sizes(tmp_path_factory, n_rows, max_bins, kind):
    rng = np.random.default_rng(n_rows)
    labels = np.array([0, 1, 1])[rng.integers(0, 3, n_rows)].astype(
        {"i": np.int64, "u": np.uint16, "f": np.float32, "b": bool, "U": "<U3"}[kind]
    )
    plain = BinnedMatrix.from_data(rng.normal(size=(n_rows, 2)), max_bins=max_bins)
    bins = BinnedMatrix(plain.codes, plain.cuts, plain.categories, plain.names, labels=labels)
    path = tmp_path_factory.mktemp("bins") / "rows"
    bins.save(path)
    same(BinnedMatrix.load(path), bins)


@pytest.mark.parametrize("kind", [AdaBoostClassifier, GradientBoostClassifier])
def test_fits_from_mapped_codes_are_the_same(bins, kind, tmp_path):
    bins.save(tmp_path / "rows.bins")
    found = BinnedMatrix.load(tmp_path / "rows.bins")
    models = [
        kind(n_estimators=5).fit(rows, rows.labels == "no", sample_weight=rows.weights)
        for rows in (bins, found)
    ]
    for fact in (lambda m: m.dual_, lambda m: m.margins_, lambda m: m.decision_function(bins)):
        expected, mapped = map(fact, models)
        np.testing.assert_array_equal(mapped.view(np.int64), expected.view(np.int64))
    before = (tmp_path / "rows.bins").read_bytes()
    found.codes[0, 0] += 1  # a private copy
    assert (tmp_path / "rows.bins").read_bytes() == before


def test_a_failing_write_leaves_the_old_file(bins, tmp_path, monkeypatch):
    bins.save(tmp_path / "rows.bins")
    before = (tmp_path / "rows.bins").read_bytes()
    blocks = bins_file._blocks

    def fail(array):
        yield from blocks(array)
        if array.dtype == np.float64 and fail.armed:
            raise MemoryError
        fail.armed = fail.armed or array.dtype == np.float64

    fail.armed = False
    monkeypatch.setattr(bins_file, "_blocks", fail)
    with pytest.raises(MemoryError):
        bins.save(tmp_path / "rows.bins")
    assert (tmp_path / "rows.bins").read_bytes() == before
    assert os.listdir(tmp_path) == ["rows.bins"]


# -- what is refused -----------------------------------------------------------------------------


@pytest.fixture
def content(bins, tmp_path):
    bins.save(tmp_path / "rows.bins")
    return (tmp_path / "rows.bins").read_bytes()


def refused(tmp_path, content, message):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        BinnedMatrix.load(tmp_path / "other")
    assert str(tmp_path / "other") in str(raised.value)


def rewritten(content, change):
    """A file whose header was changed by somebody who knows how."""
    length = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
    header = json.loads(content[PREFIX : PREFIX + length])
    arrays = content[-(-(PREFIX + length) // 64) * 64 :]
    change(header)
    text = json.dumps(header).encode()
    start = MAGIC + len(text).to_bytes(8, "little") + hashlib.sha256(text).digest() + text
    return start + bytes(-len(start) % 64) + arrays


def test_every_cut_off_file_is_refused(content, tmp_path):
    for length in [0, 10, PREFIX - 1, PREFIX, PREFIX + 20, len(content) // 2, len(content) - 70]:
        refused(tmp_path, content[:length], "cut off|no file of a BinnedMatrix|altered")


def test_every_changed_byte_is_found(content, tmp_path):
    rng = np.random.default_rng(0)
    used = set(range(PREFIX)) | set(rng.integers(0, len(content), 60).tolist())
    for place in sorted(used):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "other").write_bytes(changed)
        try:
            found = BinnedMatrix.load(tmp_path / "other")
        except ValueError:
            continue
        same(found, BinnedMatrix.load(tmp_path / "rows.bins"))  # a byte between two arrays


CHANGES = {
    "version": (lambda header: header.update(version=2), "version 2, expected 1"),
    "no names": (lambda header: header.pop("names"), "damaged header"),
    "few names": (lambda header: header["names"].pop(), "expected as many"),
    "objects": (lambda header: header["arrays"]["codes"].update(type="|O"), "damaged header"),
    "huge": (lambda header: header["arrays"]["codes"].update(shape=[9, 1 << 50]), "cut off"),
    "negative": (lambda header: header["arrays"]["codes"].update(start=-64), "damaged header"),
    "cuts": (lambda header: header.update(n_cuts=[1 << 40]), "damaged header"),
    "labels": (lambda header: header.update(label_values=["no"]), "damaged header"),
    "fewer categories": (
        lambda header: header["categories"].__setitem__(1, ["rome"]),
        "expected at most",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_headers_that_make_no_sense_are_refused(change, content, tmp_path):
    how, message = CHANGES[change]
    (tmp_path / "other").write_bytes(rewritten(content, how))
    with pytest.raises(ValueError, match=message):
        BinnedMatrix.load(tmp_path / "other")


def test_labels_that_no_file_can_hold(tmp_path):
    plain = BinnedMatrix.from_data([[1.0], [2.0]])
    labels = np.array([("a", 1), ("b", 2)], dtype=[("x", "U1"), ("y", int)])
    odd = BinnedMatrix(plain.codes, plain.cuts, plain.categories, plain.names, labels=labels)
    with pytest.raises(ValueError, match="labels: got"):
        odd.save(tmp_path / "rows.bins")
    assert not list(tmp_path.iterdir())
