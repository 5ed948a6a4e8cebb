"""Gaussian bumps anywhere, of any width, as base learner: active kernels (R2-B3, B.6.3)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.expansions import bump_edge, function_edges
from ..types import Array
from ..validation import Constraints, Number
from .coordinates import Coordinates
from .kernel_expansion import KernelExpansion, measured

WIDTHS = (0.25, 0.5, 1.0, 2.0)
"""Widths of the bumps that a search may start from, in units of √(number of coordinates)."""
NARROWEST, WIDEST = 1e-2, 1e2
"""Limits of the search, in the same units."""


class ActiveKernelOracle(Oracle):
    """Gaussian bumps ``exp(-|x - μ|² / (2σ²))`` whose centre and width maximise the edge.

    The edge is not concave in μ and σ. Bumps on some rows, in a few widths, are measured first;
    from the best of them an ascent by gradients moves centre and width. So the answer is at least
    as good as the best of those bumps, but need not be the best of all: a run is not certified.

    The bump has height 1 whatever its width, not area 1 (B.21), so that outputs stay in [-1, 1] and
    narrow ones do not win by their height. Features are standardised; categories become indicators
    (of the 20 most frequent ones), and a missing value counts as the mean.

    Parameters
    ----------
    n_starts : int
        Ascents in each call.
    n_points : int
        Rows, drawn anew in each round where there are more, on which bumps are tried first.
    max_iter : int
        Most steps of an ascent; 0 keeps the bumps on rows.

    Examples
    --------
    >>> from marginboost import ActiveKernelOracle, LSBoostRegressor
    >>> X = np.linspace(-3, 3, 80)[:, None]
    >>> y = np.exp(-0.5 * (X[:, 0] - 0.123) ** 2 / 0.7**2)
    >>> model = LSBoostRegressor(ActiveKernelOracle(), n_estimators=20).fit(X, y)
    >>> bool(np.abs(model.predict(X) - y).max() < 0.05)
    True
    """

    saved = True
    exact = False
    class_name = "Gaussian bumps of any centre and width"
    __constraints__: ClassVar[Constraints] = {
        "n_starts": Number(at_least=1, integer=True),
        "n_points": Number(at_least=1, integer=True),
        "max_iter": Number(at_least=0, integer=True),
    }

    def __init__(self, n_starts: int = 3, n_points: int = 256, max_iter: int = 20) -> None:
        self.n_starts = n_starts
        self.n_points = n_points
        self.max_iter = max_iter

    def prepare(self) -> None:
        """Standardise the rows."""
        self._coordinates, self._rows = Coordinates.learn(self.sample, type(self).__name__)
        self._unit = math.sqrt(max(1, len(self._coordinates)))

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Bumps of the largest edge that the ascents come to."""
        dual = weights.dual
        points, log_widths, edges = self._starts(dual, round)
        order = np.argsort(-np.abs(edges), kind="stable")[: self.n_starts]
        sign = np.where(edges < 0.0, -1.0, 1.0)
        found = [self._climb(points[s], log_widths[s], sign[s] * dual) for s in order]
        candidates = [measured(bump, self._rows, dual, self.sample) for bump in found]
        return sorted(candidates, key=lambda candidate: -candidate.edge)[:k]

    def _starts(self, dual: Array, round: int) -> tuple[Array, Array, Array]:
        """Bumps on rows: centres, logarithms of widths, edges."""
        n_rows, rows = len(self._rows), np.arange(len(self._rows))
        if n_rows > self.n_points:
            rng = np.random.default_rng([self.sample.seed, round])
            rows = np.sort(rng.choice(n_rows, self.n_points, replace=False))
        points = np.repeat(self._rows[rows], len(WIDTHS), axis=0)
        log_widths = np.tile(np.log(np.array(WIDTHS) * self._unit), len(rows))
        edges, squares = np.empty(len(points)), np.empty(len(points))
        across, rates = np.ascontiguousarray(points.T), 0.5 * np.exp(-2.0 * log_widths)
        function_edges(self._rows, across, rates, dual, 0, 0.0, edges, squares)
        return points, log_widths, edges

    def _climb(self, point: Array, log_width: float, dual: Array) -> KernelExpansion:
        """Bump at the end of an ascent, or at its start where that is no worse."""
        start = np.append(point, log_width)
        if self.max_iter:
            low, high = math.log(NARROWEST * self._unit), math.log(WIDEST * self._unit)
            bounds = [(None, None)] * len(point) + [(low, high)]
            climbed = minimize(
                self._descent,
                start,
                args=(dual,),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": self.max_iter},
            )
            better = climbed.fun < self._descent(start, dual)[0] and np.isfinite(climbed.x).all()
            start = climbed.x if better else start
        rate = np.array([0.5 * math.exp(-2.0 * start[-1])])
        return KernelExpansion(self._coordinates, start[None, :-1].copy(), rate, np.ones(1))

    def _descent(self, where: Array, dual: Array) -> tuple[float, Array]:
        """Negative edge and its slope, in units of the whole weight."""
        slope = np.empty(len(where))
        rate = 0.5 * math.exp(-2.0 * where[-1])
        edge = bump_edge(self._rows, dual, where[:-1].copy(), rate, slope)
        total = float(np.abs(dual).sum()) or 1.0
        return -edge / total, -slope / total
