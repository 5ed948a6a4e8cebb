"""Time series: the Mackey-Glass equation, and the Santa Fe competition's data from a file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..types import Array
from .loading import load

DELAY = 17.0
"""Time by which the equation looks back."""
SANTA_FE = ("A", "D")
FILES = {"A": "ts_santafe_laser_A", "D": "ts_santafe_D"}
"""Names for :func:`marginboost.datasets.load`."""


def mackey_glass(
    n_values: int = 1000,
    *,
    step: float = 0.1,
    interval: float = 1.0,
    start: float = 1.2,
    n_dropped: int = 1000,
) -> Array:
    """Chaotic series of ``dx/dt = -0.1 x(t) + 0.2 x(t - 17) / (1 + x(t - 17)^10)`` (R2-E12).

    Parameters
    ----------
    n_values : int
        Values returned.
    step : float
        Step of the fourth-order Runge-Kutta method; 17 and ``interval`` are multiples of it.
    interval : float
        Time between values.
    start : float
        Value up to time 0.
    n_dropped : int
        Values left out first, until the series has forgotten its start.

    Examples
    --------
    >>> series = mackey_glass(500)
    >>> len(series), bool(0.2 < series.min() < series.max() < 1.4)
    (500, True)
    """
    back, stride = round(DELAY / step), round(interval / step)
    if abs(back * step - DELAY) > 1e-9 or abs(stride * step - interval) > 1e-9 or stride < 1:
        raise ValueError(
            f"step: got {step:g}, expected one that divides {DELAY:g} and {interval:g}"
        )
    n_steps = (n_values + n_dropped) * stride
    past = np.full(n_steps + back + 1, start)

    def slope(x: float, late: float) -> float:
        return -0.1 * x + 0.2 * late / (1.0 + late**10)

    for i in range(n_steps):
        x, late, later = float(past[i + back]), float(past[i]), float(past[i + 1])
        half = 0.5 * (late + later)  # the delayed value between two steps
        k1 = slope(x, late)
        k2 = slope(x + 0.5 * step * k1, half)
        k3 = slope(x + 0.5 * step * k2, half)
        k4 = slope(x + step * k3, later)
        past[i + back + 1] = x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return past[back + 1 :][stride - 1 :: stride][n_dropped:]


def load_santa_fe(name: str, path: str | os.PathLike[str] | None = None) -> tuple[Array, int]:
    """A series of the Santa Fe competition, and how many of its values were given to learn from.

    The data do not come with the package.

    Parameters
    ----------
    name : {"A", "D"}
        The laser, or the driven particle.
    path : path, optional
        A file: .npz with the arrays ``series`` and ``n_train``, or text with one number per line.
        None looks for one in the folder that the environment variable ``MARGINBOOST_DATA`` names.

    Returns
    -------
    series : array
    n_train : int
        1000 of A, 100,000 of D, or as the file says.
    """
    if name not in SANTA_FE:
        raise ValueError(f"name: got {name!r}, expected one of {', '.join(SANTA_FE)}")
    if path is None:
        found = load(FILES[name])
        return found.series, found.n_train
    file = Path(path)
    usual = {"A": 1000, "D": 100_000}[name]
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            series = np.asarray(arrays["series"], dtype=np.float64).ravel()
            return series, int(arrays["n_train"]) if "n_train" in arrays else usual
    series = np.loadtxt(file, dtype=np.float64).ravel()
    return series, min(usual, len(series))
