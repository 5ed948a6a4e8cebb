"""RBF nets with adaptive centres as base learner (R2-B1, B.6.1)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..solvers.rbf_net import Task, fit_net
from ..types import Array
from ..validation import Constraints, Number
from .coordinates import Coordinates
from .kernel_expansion import KernelExpansion, drawn_rows, measured, weighted_goals

SMALL = 1e-12


class RBFNetOracle(Oracle):
    """Nets of a few Gaussian bumps whose centres and widths are fitted: smooth nonlinear learners.

    A net is ``f(x) = Σ_k w_k exp(-|x - μ_k|² / (2 σ_k²))``. Its centres start at those of k-means
    clusters, its widths at the distance to the nearest other centre; then factors w (ridge
    regression) and, by conjugate gradients, centres and widths are fitted by weighted least
    squares. With labels the goal of a row is the sign of its weight, and its size is how much that
    counts; with targets the goal is the residual. Outputs are clipped to [-1, 1].

    Features are standardised; categories become indicators (of the 20 most frequent ones), and a
    missing value counts as the mean. Nothing is known about how close to the largest edge a net
    comes, so no run is certified.

    Parameters
    ----------
    n_centers : int
        Most bumps of a net.
    max_iter : int
        Steps of conjugate gradients; 0 keeps the centres of the clusters.
    l2_regularization : float
        Weight λ of Σ w², relative to all weight.
    max_samples : int
        Most rows that a net is fitted to; of more, so many are drawn by weight.

    Examples
    --------
    >>> from marginboost import AdaBoostClassifier, RBFNetOracle
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.hypot(X[:, 0], X[:, 1]) < 1.0
    >>> bool(AdaBoostClassifier(RBFNetOracle(), n_estimators=20).fit(X, y).score(X, y) > 0.95)
    True
    """

    saved = True
    offers_one = True
    exact = False
    class_name = "RBF nets with free centres and widths"
    __constraints__: ClassVar[Constraints] = {
        "n_centers": Number(at_least=1, at_most=10_000, integer=True),
        "max_iter": Number(at_least=0, integer=True),
        "l2_regularization": Number(at_least=SMALL),
        "max_samples": Number(at_least=2, integer=True),
    }

    def __init__(
        self,
        n_centers: int = 10,
        max_iter: int = 5,
        l2_regularization: float = 1e-6,
        max_samples: int = 5000,
    ) -> None:
        self.n_centers = n_centers
        self.max_iter = max_iter
        self.l2_regularization = l2_regularization
        self.max_samples = max_samples

    def prepare(self) -> None:
        """Standardise the rows."""
        self._coordinates, self._rows = Coordinates.learn(self.sample, type(self).__name__)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One net."""
        dual = weights.dual
        rng = np.random.default_rng([self.sample.seed, round])
        net = fit_net(self._task(dual, rng), self.n_centers, self.max_iter, rng)
        hypothesis = KernelExpansion(self._coordinates, net.centres, net.rates, net.coef)
        if self.sample.numeric:  # a residual has no size of its own: use the whole of [-1, 1]
            hypothesis = self._stretched(hypothesis)
        return [measured(hypothesis, self._rows, dual, self.sample)]

    def _task(self, dual: Array, rng: np.random.Generator) -> Task:
        """Goal and weights of the rows, or of a draw from them."""
        goals = weighted_goals(dual, self.sample)
        rows = drawn_rows(self._rows, *goals, self.max_samples, rng)
        return Task(*rows, self.l2_regularization)

    def _stretched(self, net: KernelExpansion) -> KernelExpansion:
        largest = float(np.abs(net.coef).sum())
        if largest == 0.0:
            return net
        small = KernelExpansion(net.coordinates, net.points, net.rates, net.coef / largest)
        size = float(np.abs(small.at(self._rows, self.sample.n_threads)).max())
        if size <= SMALL:
            return net
        factor = (1.0 - 1e-15) / (largest * size)
        return KernelExpansion(net.coordinates, net.points, net.rates, net.coef * factor)
