"""Data with known truth, made on the spot, and real sets of the literature by name."""

from .acacia import acacia_stand_in, load_acacia
from .breiman import ringnorm, twonorm, waveform
from .embedded import load_cleveland, load_wisconsin
from .generators import book_toy, circle_2d, coin_outcomes, flip_family, flip_labels, sphere_10d
from .loading import DATA_VARIABLE, MissingDataError, Source, known, load, provenance
from .ring import ring
from .series import load_santa_fe, mackey_glass

__all__ = [
    "DATA_VARIABLE",
    "MissingDataError",
    "Source",
    "acacia_stand_in",
    "book_toy",
    "circle_2d",
    "coin_outcomes",
    "flip_family",
    "flip_labels",
    "known",
    "load",
    "load_acacia",
    "load_cleveland",
    "load_santa_fe",
    "load_wisconsin",
    "mackey_glass",
    "provenance",
    "ring",
    "ringnorm",
    "sphere_10d",
    "twonorm",
    "waveform",
]
