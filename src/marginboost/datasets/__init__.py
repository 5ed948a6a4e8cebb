"""Data with known truth, made on the spot."""

from .breiman import ringnorm, twonorm, waveform
from .generators import book_toy, circle_2d, coin_outcomes, flip_family, flip_labels, sphere_10d

__all__ = [
    "book_toy",
    "circle_2d",
    "coin_outcomes",
    "flip_family",
    "flip_labels",
    "ringnorm",
    "sphere_10d",
    "twonorm",
    "waveform",
]
