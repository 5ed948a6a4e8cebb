"""Ten files of every kind of model, as version 0.1.0 wrote them, still load and predict the same.

``every_kind.json.gz`` holds documents and predictions of the estimators of ``of_every_kind`` at the
commit before estimators became algorithm values; it is only ever added to.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import marginboost

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from problems import more_problems, of_every_kind  # noqa: E402

ENTRIES = json.loads(gzip.decompress((HERE / "every_kind.json.gz").read_bytes()))
DATA = more_problems()


def loaded(document, folder):
    path = folder / "model.json"
    path.write_text(json.dumps(document))
    return marginboost.load(path)


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_files_predict_as_when_they_were_written(name, tmp_path):
    entry, more = ENTRIES[name], DATA[name.split(" | ")[1]]["more"]
    model = loaded(entry["document"], tmp_path)
    found = model.predict(more)
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, entry["predictions"], rtol=0, atol=1e-12)
    else:
        assert found.tolist() == entry["predictions"]
    if "chances" in entry:
        np.testing.assert_allclose(model.predict_proba(more), entry["chances"], rtol=0, atol=1e-12)


def test_there_are_ten_of_every_kind(tmp_path):
    kinds = Counter(
        type(loaded(entry["document"], tmp_path).model_).__name__ for entry in ENTRIES.values()
    )
    every = {"BinaryModel", "LabelModel", "ReducedModel", "TargetsModel", "RegressionModel"}
    assert set(kinds) >= {*every, "CascadeModel"}
    assert min(kinds.values()) >= 10
    assert set(ENTRIES) == set(of_every_kind())


def test_a_committee_of_an_old_file_has_no_share(tmp_path):
    """Files wrote 0 for the share of rows that may fall short, where a committee has none."""
    entry = ENTRIES["robust soft committee | two classes"]
    assert entry["document"]["chosen"]["nu_"] == 0.0
    model = loaded(entry["document"], tmp_path)
    assert not hasattr(model, "nu_")
    assert model.noise_rate_ == entry["document"]["chosen"]["noise_rate_"]
