"""Results on record: the same data back, and the same bytes for the same data."""

import gzip
import json

import pytest

from marginboost_experiments.packed import read_json, write_json

DATA = {"title": "p = ½ | ν", "rows": [[1, 0.1, None], [True, -0.0, 1e-300]], "empty": {}}


@pytest.mark.parametrize("name", ["found.json", "deep/found.json.gz"])
def test_what_is_read_is_what_was_written(tmp_path, name):
    path = tmp_path / name
    write_json(path, DATA)
    assert json.dumps(read_json(path)) == json.dumps(DATA)
    first = path.read_bytes()
    assert (first[:2] == b"\x1f\x8b") == name.endswith(".gz")
    write_json(path, DATA)
    assert path.read_bytes() == first


def test_no_time_of_day_is_in_the_bytes(tmp_path):
    write_json(tmp_path / "found.json.gz", DATA)
    content = (tmp_path / "found.json.gz").read_bytes()
    assert content[4:8] == bytes(4)
    assert json.loads(gzip.decompress(content)) == DATA
