"""The experiment with several classes runs, on small stand-ins for its data."""

import numpy as np
import pytest

from marginboost.reproduce import MissingData, multiclass_tables, run


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in multiclass_tables.SETS:
        y = np.arange(90) % 4
        X = rng.normal(size=(90, 3)) + y[:, None]
        split = {}
        if name == "letter":
            split = {"train_idx": [np.arange(60)], "test_idx": [np.arange(60, 90)]}
        np.savez(tmp_path / f"uci_{name}.npz", X=X, y=y, **split)
    return tmp_path


def test_tables(folder, monkeypatch):
    monkeypatch.setattr(multiclass_tables, "ROUNDS", 3)
    monkeypatch.setattr(multiclass_tables, "LETTER_LEAVES", 6)
    stumps = multiclass_tables.all_sets(folder, "stumps", multiclass_tables.stumps())
    trees = multiclass_tables.all_sets(folder, "trees", multiclass_tables.trees())
    for table, n_models in ((stumps, 6), (trees, 7)):
        assert len(table.columns) == n_models
        assert [row[0] for row in table.rows] == [
            f"{name}, 4 classes" for name in multiclass_tables.SETS
        ]
        assert all(len(row) == n_models + 1 for row in table.rows)
    letters = multiclass_tables.letters(folder, rounds=6)
    assert letters.columns[:2] == ("book", "M1, pruned trees")
    assert letters.rows[2][:2] == ("test error, 6 rounds (%)", "3.1")


def test_without_data_it_says_where_it_looked(tmp_path):
    with pytest.raises(MissingData, match=r"uci_letter: .* does not exist"):
        next(run("multiclass-tables", tmp_path))
