"""Fit, drop the outlying points, fit again (CH-A16h): the single-algorithm filter of regression.

Reference: John, *Robust decision trees*, 1995, names it as the model of his method; any textbook.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.utils.validation import column_or_1d

from ...types import Array
from ...validation import check_number
from .base import NoiseFilter


class RegressionFilter(NoiseFilter):
    """Flag points with large residuals, refitting without them until no more are flagged.

    For a numeric target instead of labels; complete numeric rows.

    Parameters
    ----------
    estimator : regressor or None
        None is least squares.
    threshold : float
        Flag residuals above this many root mean squares of those of the points that are left.
    max_iter : int
        Most fits.

    Attributes
    ----------
    flagged_ : array of bool
        The points flagged.
    score_ : array
        Minus the absolute residual of every point from the last fit, over the root mean square of
        the residuals of the points it was made from. A point flagged earlier may have come closer.
    model_ : fitted regressor
        The last fit.
    n_iter_ : int
        Fits made.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0)[:, None]
    >>> y = 2 * X.ravel()
    >>> y[3] = 40.0
    >>> np.flatnonzero(RegressionFilter(threshold=2.5).fit(X, y).flagged_)
    array([3])
    """

    def __init__(
        self, estimator: Any = None, *, threshold: float = 3.0, max_iter: int = 10
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.max_iter = max_iter

    def companion(self) -> Any:
        """Return the regressor itself."""
        return LinearRegression() if self.estimator is None else clone(self.estimator)

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, above=1.0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        if self.estimator is not None and not is_regressor(self.estimator):
            raise TypeError(f"estimator: got {self.estimator!r}, expected a regressor")

    def _read_target(self, y: Any, n_rows: int) -> Array:
        target = column_or_1d(y, warn=True, dtype=np.float64)
        if len(target) != n_rows:
            raise ValueError(f"y: got {len(target)} values for {n_rows} rows of X")
        if not np.isfinite(target).all():
            raise ValueError("y: got NaN or infinity, expected finite numbers")
        return target

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        noisy = np.zeros(len(y), dtype=bool)
        rounding = np.finfo(float).eps * len(y) * max(np.abs(y).max(), 1.0)
        for fits in range(1, self.max_iter + 1):
            self.n_iter_ = fits
            self.model_ = self.companion().fit(X[~noisy], y[~noisy])
            residual = np.abs(y - self.model_.predict(X))
            spread = max(float(np.sqrt(np.mean(residual[~noisy] ** 2))), rounding)
            outlying = ~noisy & (residual > self.threshold * spread)
            if not outlying.any():
                break
            noisy |= outlying
        return -residual / spread, noisy
