"""Data with known truth, made on the spot, and two small real sets of the literature."""

from .acacia import acacia_stand_in, load_acacia
from .breiman import ringnorm, twonorm, waveform
from .embedded import load_cleveland, load_wisconsin
from .generators import book_toy, circle_2d, coin_outcomes, flip_family, flip_labels, sphere_10d
from .ring import ring
from .series import load_santa_fe, mackey_glass

__all__ = [
    "acacia_stand_in",
    "book_toy",
    "circle_2d",
    "coin_outcomes",
    "flip_family",
    "flip_labels",
    "load_acacia",
    "load_cleveland",
    "load_santa_fe",
    "load_wisconsin",
    "mackey_glass",
    "ring",
    "ringnorm",
    "sphere_10d",
    "twonorm",
    "waveform",
]
