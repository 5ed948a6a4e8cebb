"""Regions of the vote over two features (R1-E03, Fig. 1.3)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...data.table import is_frame
from ...types import Array
from ...validation import check_number
from ..arrays import same_length
from .style import BLUE, INK, ORANGE, new_axes, plain, vote_colors

SIZE = 26.0
"""Area of a point of mean weight, in square points."""


class DecisionRegionDisplay:
    """Vote of a model over the plane, its decision boundary, and the examples.

    Parameters
    ----------
    x0, x1 : array
        Grid of each feature.
    votes : array (len(x1), len(x0))
        Normalised votes on the grid.
    X : array (n, 2)
        Examples.
    y : array
        Their labels.
    weights : array, optional
        Weights of the examples, signed or not, such as ``dual_``: the area of a point is
        proportional to its weight. Without them all points are equally large.
    names : sequence of str
        Names of the two features.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    surface_, boundary_
        The coloured votes and the line where the vote is 0 (None if it has one sign).
    points_ : dict
        Points of each class, by label.
    """

    def __init__(
        self,
        x0: Any,
        x1: Any,
        votes: Any,
        *,
        X: Any,
        y: Any,
        weights: Any = None,
        names: tuple[str, str] = ("x0", "x1"),
    ) -> None:
        self.x0, self.x1, self.votes = np.asarray(x0), np.asarray(x1), np.asarray(votes)
        if self.votes.shape != (len(self.x1), len(self.x0)):
            raise ValueError(
                f"votes: got shape {self.votes.shape}, expected {(len(self.x1), len(self.x0))}"
            )
        self.X, self.y = np.asarray(X, dtype=np.float64), np.asarray(y)
        same_length(X=self.X, y=self.y)
        if len(np.unique(self.y)) > 2:
            raise ValueError(f"y: got {len(np.unique(self.y))} classes, expected two")
        self.weights = None if weights is None else np.abs(np.asarray(weights, dtype=np.float64))
        if self.weights is not None:
            same_length(X=self.X, weights=self.weights)
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        weights: Any = None,
        grid_resolution: int = 300,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the votes of a model of two features.

        Parameters
        ----------
        estimator : fitted estimator
            With ``decision_function`` in [-1, 1].
        X : array or data frame (n, 2)
            Examples to show; they also set the limits.
        y : array
            Their labels.
        weights : array, optional
            Weights of the examples, such as ``estimator.dual_`` for the training rows.
        grid_resolution : int
            Grid points per feature.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the points.
        """
        check_number("grid_resolution", grid_resolution, at_least=2, integer=True)
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != 2:
            raise ValueError(f"X: got shape {values.shape}, expected two features")
        x0, x1 = (_grid(values[:, j], grid_resolution) for j in (0, 1))
        points = np.stack([part.ravel() for part in np.meshgrid(x0, x1)], axis=1)
        first, second = _names(X)
        rows = _like(X, {first: points[:, 0], second: points[:, 1]}) if is_frame(X) else points
        votes = estimator.decision_function(rows).reshape(len(x1), len(x0))
        display = cls(x0, x1, votes, X=values, y=y, weights=weights, names=(first, second))
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw votes, boundary and points.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the points.
        """
        self.ax_, _ = new_axes(ax, (6.6, 4.8))
        self.figure_ = self.ax_.figure
        limit = max(float(np.abs(self.votes).max()), 1e-9)
        self.surface_ = self.ax_.pcolormesh(
            self.x0,
            self.x1,
            self.votes,
            cmap=vote_colors(),
            vmin=-limit,
            vmax=limit,
            shading="nearest",
            rasterized=True,
        )
        self.boundary_ = None
        if self.votes.min() < 0 <= self.votes.max():
            self.boundary_ = self.ax_.contour(
                self.x0, self.x1, self.votes, levels=[0.0], colors=INK, linewidths=1.4
            )
        self._draw_points(kwargs)
        bar = self.figure_.colorbar(self.surface_, ax=self.ax_, label="normalised vote")
        bar.outline.set_visible(False)
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        plain(self.ax_)
        self._legend()
        return self

    def _draw_points(self, kwargs: dict[str, Any]) -> None:
        sizes = self._sizes()
        self.points_ = {}
        labels = np.unique(self.y)
        for label, color, marker in zip(labels, (BLUE, ORANGE), "os", strict=False):
            mine = self.y == label
            style = {
                "color": color,
                "marker": marker,
                "edgecolors": "white",
                "linewidths": np.minimum(0.6, np.sqrt(sizes[mine]) / 10),
                **kwargs,
            }
            self.points_[label.item()] = self.ax_.scatter(
                *self.X[mine].T, s=sizes[mine], label=f"class {label}", **style
            )

    def _legend(self) -> None:
        """Above the axes: points may lie anywhere inside them."""
        told = self.ax_.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=len(self.points_),
            frameon=False,
            fontsize=9,
            title=None if self.weights is None else "area proportional to weight",
            title_fontsize=9,
            alignment="left",
        )
        for handle in told.legend_handles:
            handle.set_sizes([SIZE])

    def _sizes(self) -> Array:
        if self.weights is None:
            return np.full(len(self.X), SIZE)
        return SIZE * self.weights / max(float(self.weights.mean()), 1e-300)


def _names(X: Any) -> tuple[str, str]:
    if not is_frame(X):
        return "x0", "x1"
    first, second = X.column_names if hasattr(X, "column_names") else X.columns
    return str(first), str(second)


def _like(X: Any, columns: dict[str, Array]) -> Any:
    """Make a data frame of the same kind as ``X``."""
    kind = type(X)
    return kind.from_pydict(columns) if hasattr(kind, "from_pydict") else kind(columns)


def _grid(values: Array, n: int) -> Array:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    pad = 0.06 * max(high - low, 1e-9)
    return np.linspace(low - pad, high + pad, n)
