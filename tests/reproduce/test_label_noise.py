"""The experiment on label noise runs, on small stand-ins for its data."""

import numpy as np
import pytest

from marginboost.datasets import circle_2d
from marginboost.reproduce import MissingData, label_noise

N_TRAIN, N_TEST = 60, 80


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_TRAIN + N_TEST, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    order = np.arange(N_TRAIN + N_TEST)
    arrays = {"X": X, "y": y, "train_idx": [order[:N_TRAIN]], "test_idx": [order[N_TRAIN:]]}
    np.savez(tmp_path / "ida_banana.npz", **arrays)
    for name, value in {"SETS": ("banana",), "ROUNDS": 5, "SPLITS": 2, "FOLDS": 2}.items():
        monkeypatch.setattr(label_noise, name, value)
    return tmp_path


def test_errors_of_every_method_on_every_split(folder):
    errors = label_noise.measure(folder, "banana", 0.2, splits=2)
    assert errors.shape == (2, 5)
    assert ((errors >= 0) & (errors < 0.5)).all()
    again = label_noise.measure(folder, "banana", 0.2, splits=2)
    np.testing.assert_array_equal(errors, again)


def test_tables_hold_differences_and_wins(folder, monkeypatch):
    errors = np.array([[0.30, 0.20, 0.30, 0.40, 0.30], [0.20, 0.20, 0.20, 0.20, 0.20]])
    monkeypatch.setattr(label_noise, "NOISE", (0.0, 0.1))
    tables = list(label_noise.tables(iter([errors, errors])))
    assert [len(table.rows) for table in tables] == [1, 1, 2]
    name, adaboost, nu_lp, *_ = tables[0].rows[0]
    assert (name, adaboost) == ("banana", "25.0 ± 5.0")
    assert nu_lp == "20.0 ± 0.0 (-5.0 ± 5.0)"
    assert tables[-1].rows[1] == ("10%", "1 of 1", "0 of 1", "0 of 1", "0 of 1")


def test_regularised_boosting_wins_where_labels_are_flipped(tmp_path, monkeypatch):
    """The thesis' finding on a circle: with 30 % of the labels flipped AdaBoost_Reg errs less."""
    X, y = circle_2d(600)
    order = np.arange(600)
    arrays = {"X": X, "y": y, "train_idx": [order[:150]], "test_idx": [order[150:]]}
    np.savez(tmp_path / "ida_banana.npz", **arrays)
    monkeypatch.setattr(label_noise, "ROUNDS", 40)
    every = label_noise.methods(150)
    two = {"AdaBoost": every["AdaBoost"], "AdaBoost_Reg": every["AdaBoost_Reg"][2:3]}
    monkeypatch.setattr(label_noise, "methods", lambda n_rows: two)
    plain, soft = label_noise.measure(tmp_path, "banana", 0.3, splits=4).mean(axis=0)
    assert soft < plain - 0.03
    plain, _ = label_noise.measure(tmp_path, "banana", 0.0, splits=4).mean(axis=0)
    assert plain < 0.12


def test_without_data_it_says_where_it_looked(tmp_path):
    with pytest.raises(MissingData, match=r"ida_banana: .* does not exist"):
        label_noise.measure(tmp_path, "banana", 0.0)
