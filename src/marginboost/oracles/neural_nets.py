"""Neural nets with one hidden layer as base learner (BA-B3, BA-S5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.expansions import linear_scores
from ..kernels.parallel import run_rows
from ..solvers.neural_net import fit_net
from ..types import Array
from ..validation import Constraints, Number
from .coordinates import Coordinates, InCoordinates, read_numbers
from .kernel_expansion import BLOCK, drawn_rows, measured, weighted_goals

LARGEST = 1e100
"""Size of weights that a file may have."""


@dataclass(frozen=True, eq=False, repr=False)
class NeuralNet(InCoordinates):
    """``2 σ(V·[σ(U [z, 1]), 1]) - 1`` of a row in standardised coordinates z.

    Parameters
    ----------
    coordinates : Coordinates
        From rows to z.
    inner : array (n_hidden, n_coordinates + 1)
        U: weights of the hidden units, the last of each that of a constant.
    outer : array (n_hidden + 1,)
        V: weights of the output, the last that of a constant.
    """

    kind: ClassVar[str] = "neural_net"
    keys: ClassVar[tuple[str, ...]] = (*Coordinates.KEYS, "inner", "outer")

    inner: Array
    outer: Array

    def __repr__(self) -> str:
        return f"NeuralNet({len(self.inner)} hidden units)"

    def _content(self) -> tuple[bytes, ...]:
        return (*self.coordinates.content(), self.inner.tobytes(), self.outer.tobytes())

    def at(self, coordinates: Array, n_threads: int = 1) -> Array:
        """Outputs on rows that are given by their coordinates; units are added in their order."""
        out = np.empty(len(coordinates))

        def fill(start: int, stop: int) -> None:
            part = np.ascontiguousarray(coordinates[start:stop])
            total, unit = np.full(len(part), self.outer[-1]), np.empty(len(part))
            for weights, factor in zip(self.inner, self.outer[:-1], strict=True):
                linear_scores(part, weights[:-1].copy(), float(weights[-1]), unit)
                total += factor * expit(unit)
            out[start:stop] = np.tanh(0.5 * total)  # 2 σ - 1, to the last bit odd

        run_rows(fill, len(out), n_threads, BLOCK)
        return out

    def negated(self) -> Self:
        """Negate the weights of the output."""
        return replace(self, outer=-self.outer)

    def importances(self, n_features: int) -> Array:
        """By the sizes of the products of weights on all ways from a coordinate to the output."""
        sizes = np.abs(self.outer[:-1]) @ np.abs(self.inner[:, :-1])
        return self.coordinates.shares(sizes, n_features)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        weights = {"inner": self.inner.tolist(), "outer": self.outer.tolist()}
        return {"kind": self.kind, **self.coordinates.to_dict(), **weights}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a net from plain data, checking every field."""
        coordinates, outer = Coordinates.from_dict(data), read_numbers(data, "outer", LARGEST)
        units = data.get("inner")
        if not isinstance(units, list) or not units or len(units) != len(outer) - 1:
            raise ValueError(f"inner: expected {max(len(outer) - 1, 1)} lists of numbers")
        inner = [read_numbers({"inner": unit}, "inner", LARGEST) for unit in units]
        if any(len(unit) != len(coordinates) + 1 for unit in inner):
            raise ValueError(f"inner: expected {len(coordinates) + 1} numbers for every unit")
        return cls(coordinates, np.array(inner), outer)


class NeuralNetOracle(Oracle):
    """Fit one small net per round: a hidden layer of logistic units.

    Weighted log loss by L-BFGS, on standardised features; a row's goal is the sign of its
    weight, whose size is how much that counts, and a residual where there are targets. Categories
    become indicators (of the 20 most frequent ones), a missing value counts as the mean. Nothing is
    known about how close to the largest edge a net comes, so no run is certified.

    Parameters
    ----------
    n_hidden : int
        Hidden units.
    max_iter : int
        Most steps of L-BFGS.
    l2_regularization : float
        Weight of the squares of all weights of the net, relative to all weight of the rows.
    max_samples : int
        Most rows that a net is fitted to; of more, so many are drawn by weight.

    Examples
    --------
    >>> from marginboost import AdaBoostClassifier, NeuralNetOracle
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] * X[:, 1] > 0.0
    >>> model = AdaBoostClassifier(NeuralNetOracle(), n_estimators=5).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    saved = True
    offers_one = True
    exact = False
    class_name = "nets with one hidden layer"
    __constraints__: ClassVar[Constraints] = {
        "n_hidden": Number(at_least=1, at_most=10_000, integer=True),
        "max_iter": Number(at_least=1, integer=True),
        "l2_regularization": Number(at_least=0.0),
        "max_samples": Number(at_least=2, integer=True),
    }

    def __init__(
        self,
        n_hidden: int = 10,
        max_iter: int = 30,
        l2_regularization: float = 1e-4,
        max_samples: int = 5000,
    ) -> None:
        self.n_hidden = n_hidden
        self.max_iter = max_iter
        self.l2_regularization = l2_regularization
        self.max_samples = max_samples

    def prepare(self) -> None:
        """Standardise the rows."""
        self._coordinates, self._rows = Coordinates.learn(self.sample, type(self).__name__)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """One net."""
        rng = np.random.default_rng([self.sample.seed, round])
        goals = weighted_goals(weights.dual, self.sample)
        inner, outer = fit_net(
            *drawn_rows(self._rows, *goals, self.max_samples, rng),
            n_hidden=self.n_hidden,
            penalty=self.l2_regularization,
            max_iter=self.max_iter,
            rng=rng,
        )
        net = NeuralNet(self._coordinates, inner, outer)
        return [measured(net, self._rows, weights.dual, self.sample)]
