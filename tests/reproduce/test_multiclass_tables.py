"""The experiment with several classes runs, on small stand-ins for its data."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils import shuffle

from marginboost.reproduce import MissingData, multiclass_tables, run


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in multiclass_tables.SETS:
        y = np.arange(90) % 4
        X = rng.normal(size=(90, 3)) + 2 * y[:, None]
        split = {}
        if name == "letter":  # digits in place of letters
            X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
            split = {"train_idx": [np.arange(600)], "test_idx": [np.arange(600, 900)]}
        np.savez(tmp_path / f"uci_{name}.npz", X=X, y=y, **split)
    return tmp_path


def errors_in(table):
    """Test errors in %, one row of the table per line."""
    return np.array([[float(cell.split()[0]) for cell in row[1:]] for row in table.rows])


def test_every_road_learns_several_classes(folder, monkeypatch):
    """A guess errs on 75 % of the rows; these classes overlap a little."""
    monkeypatch.setattr(multiclass_tables, "ROUNDS", 6)
    monkeypatch.setattr(multiclass_tables, "SETS", ("vowel", "segment"))
    stumps = multiclass_tables.all_sets(folder, "stumps", multiclass_tables.stumps())
    trees = multiclass_tables.all_sets(folder, "trees", multiclass_tables.trees())
    assert set(stumps.columns) < set(trees.columns)
    for table in (stumps, trees):
        assert [row[0] for row in table.rows] == ["vowel, 4 classes", "segment, 4 classes"]
        weak = np.array([table is stumps and name == "SAMME" for name in table.columns])
        errors = errors_in(table)
        assert errors[:, ~weak].max() < 45
        assert (errors[:, weak] < 75).all()  # a stump names two labels of the four


def test_boosting_trees_goes_on_winning_after_the_training_error_is_gone(folder, monkeypatch):
    """Fig. 1.7 in small: no training error after five rounds, and a falling test error."""
    monkeypatch.setattr(multiclass_tables, "LETTER_LEAVES", 40)
    letters = multiclass_tables.letters(folder, rounds=12)
    assert letters.columns[0] == "book"
    cells = {row[0]: row[2:] for row in letters.rows}
    one, five, last, training = (
        np.array([float(cell) for cell in cells[name]])
        for name in (
            "test error, one tree (%)",
            "test error, 5 rounds (%)",
            "test error, 12 rounds (%)",
            "training error, 5 rounds (%)",
        )
    )
    assert (training < 1).all()
    assert (five < 0.85 * one).all()
    assert (last < five).all()


def test_a_tree_without_errors_ends_the_run(folder, monkeypatch):
    monkeypatch.setattr(multiclass_tables, "LETTER_LEAVES", 400)
    letters = multiclass_tables.letters(folder, rounds=2)
    assert letters.rows[1][3] == letters.rows[0][3]


def test_without_data_it_says_where_it_looked(tmp_path):
    with pytest.raises(MissingData, match=r"uci_letter: .* does not exist"):
        next(run("multiclass-tables", tmp_path))
