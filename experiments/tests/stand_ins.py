"""Small stand-ins for data sets that experiments read: no test needs a folder of real data."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import shuffle

from marginboost.datasets import circle_2d, flip_labels

N_TRAIN, N_TEST = 100, 300


def write_stand_ins(folder, names):
    """Write a file for each name: noisy circles, digits, or a series."""
    for name in names:
        np.savez(folder / f"{name}.npz", **_arrays(name))


def _arrays(name):
    kind, _, rest = name.partition("_")
    if kind == "ts":
        t, rng = np.arange(800), np.random.default_rng(0)
        waves = np.sin(0.3 * t) + 0.5 * np.sin(0.17 * t)
        return {"series": waves + 0.1 * rng.normal(size=800), "n_train": 700}
    if kind == "ida":
        return _circle(sum(map(ord, rest)))
    X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
    return {"X": X, "y": y, "train_idx": [range(600)], "test_idx": [range(600, 900)]}


def _circle(seed):
    X, y = circle_2d(N_TRAIN + N_TEST, seed)
    y, _ = flip_labels(y, 0.1, seed)
    order = np.arange(len(y))
    return {"X": X, "y": y, "train_idx": [order[:N_TRAIN]], "test_idx": [order[N_TRAIN:]]}
