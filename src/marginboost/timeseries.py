"""Time series as tables: delays for features, and predictions fed back (R2-E12, R2-E13).

A regressor knows rows, not time. :func:`lagged` makes a row of each moment, of values in the past,
and its target is a value in the future; :func:`predict_ahead` lets a fitted model go on from the
end of a series, with its own predictions in place of values that are not there yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Array
from .validation import check_number, read_numbers


def lagged(
    series: Any, n_lags: int, delay: int = 1, horizon: int | None = None
) -> tuple[Array, Array]:
    """Rows of delayed values, and the values to be predicted from them.

    Row t is ``(x_t, x_{t - delay}, …)``, newest first, and its target is ``x_{t + horizon}``.

    Parameters
    ----------
    series : array-like
        Values at equal distances in time, finite numbers.
    n_lags : int
        Values in a row: the embedding dimension d.
    delay : int
        Steps between them: τ.
    horizon : int, optional
        Steps from the newest value to the target; None is ``delay``.

    Returns
    -------
    X : array (n_rows, n_lags)
    y : array (n_rows,)

    Examples
    --------
    >>> X, y = lagged([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], n_lags=2, delay=2)
    >>> X.tolist(), y.tolist()
    ([[2.0, 0.0], [3.0, 1.0]], [4.0, 5.0])
    """
    values = _read_series(series)
    check_number("n_lags", n_lags, at_least=1, integer=True)
    check_number("delay", delay, at_least=1, integer=True)
    ahead = delay if horizon is None else horizon
    check_number("horizon", ahead, at_least=1, integer=True)
    reach = (n_lags - 1) * delay
    n_rows = len(values) - reach - ahead
    if n_rows < 1:
        raise ValueError(
            f"series: got {len(values)} values, expected at least {reach + ahead + 1} for "
            f"{n_lags} lags of {delay} and a horizon of {ahead}"
        )
    columns = [values[reach - k * delay : reach - k * delay + n_rows] for k in range(n_lags)]
    return np.column_stack(columns), values[reach + ahead :].copy()


def predict_ahead(model: Any, series: Any, n_steps: int, n_lags: int, delay: int = 1) -> Array:
    """Iterated prediction: ``n_steps`` values after the end of a series.

    The model was fitted to :func:`lagged` rows with the same ``n_lags`` and ``delay`` and predicts
    ``delay`` steps ahead. What it needs and the series does not have, it has predicted before.

    Parameters
    ----------
    model : regressor
        Fitted to rows of :func:`lagged`.
    series : array-like
        Past values, at least ``n_lags * delay`` of them.
    n_steps : int
        Values to predict.
    n_lags, delay : int
        As in :func:`lagged`.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> wave = np.sin(0.3 * np.arange(100))
    >>> model = LinearRegression().fit(*lagged(wave, n_lags=2))
    >>> found = predict_ahead(model, wave, 50, n_lags=2)
    >>> bool(np.abs(found - np.sin(0.3 * np.arange(100, 150))).max() < 1e-8)
    True
    """
    values = _read_series(series)
    check_number("n_steps", n_steps, at_least=1, integer=True)
    check_number("n_lags", n_lags, at_least=1, integer=True)
    check_number("delay", delay, at_least=1, integer=True)
    if len(values) < n_lags * delay:
        raise ValueError(
            f"series: got {len(values)} values, expected at least {n_lags * delay} for {n_lags} "
            f"lags of {delay}"
        )
    known = np.concatenate([values[-n_lags * delay :], np.empty(n_steps)])
    first = n_lags * delay
    for done in range(0, n_steps, delay):  # so many rows are known before any is predicted
        ends = np.arange(first + done, min(first + done + delay, len(known)))
        rows = np.stack([known[ends - (k + 1) * delay] for k in range(n_lags)], axis=1)
        known[ends] = model.predict(rows)
    return known[first:]


def _read_series(series: Any) -> Array:
    values = read_numbers("series", series)
    if values.ndim != 1:
        raise ValueError(f"series: got {values.ndim} dimensions, expected a list of numbers")
    if not np.isfinite(values).all():
        place = int(np.argmax(~np.isfinite(values)))
        raise ValueError(f"series: got {values[place]} at place {place}, expected finite numbers")
    return values
