"""Paths of coefficients, drawn (CH-A6b)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...validation import check_number
from ..coefficient_path import CoefficientPath, coefficient_path, lars_path
from .style import CYCLE, PALE, grid_axes, legend, plain


class CoefficientPathDisplay:
    """Coefficients of the features against the sum of their sizes, as a run goes on.

    For component-wise L2Boosting (:class:`~marginboost.LinearOracle`) the path of least angle
    regression stands beside it, on the same axes: with small steps the two are alike.

    Parameters
    ----------
    *paths : CoefficientPath
        One per panel.
    top : int
        Features to colour and name: those of the largest coefficients at the end of the first path.

    Attributes
    ----------
    ax_ : list of axes
        One a path.
    figure_
        Figure of the last plot.
    lines_ : list of lists of lines
        For each path one line per feature, in the order of the features.
    """

    def __init__(self, *paths: CoefficientPath, top: int = 6) -> None:
        if not paths:
            raise ValueError("paths: got none, expected at least one CoefficientPath")
        check_number("top", top, at_least=1, integer=True)
        self.paths, self.top = paths, top

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        top: int = 6,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the path of a fitted estimator, and that of LARS where targets are given.

        Parameters
        ----------
        estimator : fitted estimator
            Of one run.
        X, y : array-like, optional
            The training rows and targets. Rows are needed for lines through one feature; with
            targets, the path of least angle regression is drawn beside.
        sample_weight : array-like, optional
            Weights of the rows.
        top : int
            Features to colour and name.
        ax : sequence of axes, optional
            One a path; a new figure by default.
        **kwargs
            For the lines.
        """
        paths = [coefficient_path(estimator, X, sample_weight)]
        if y is not None:
            paths.append(lars_path(estimator, X, y, sample_weight))
        return cls(*paths, top=top).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw one panel per path.

        Parameters
        ----------
        ax : sequence of axes, optional
            One a path; a new figure by default.
        **kwargs
            For the lines.
        """
        axes = grid_axes(ax, len(self.paths), 1, (7.6, 3.0))
        self.ax_, self.figure_ = axes, axes[0].figure
        order = np.argsort(-np.abs(self.paths[0].coefficients[-1]), kind="stable")
        longest = float(self.paths[0].l1_norms.max()) or 1.0
        self.lines_ = [
            self._draw(panel, path, order.tolist(), kwargs)
            for panel, path in zip(axes, self.paths, strict=True)
        ]
        shown = [path.at(np.linspace(0.0, longest, 101)) for path in self.paths]
        low, high = min(part.min() for part in shown), max(part.max() for part in shown)
        pad = 0.05 * ((high - low) or 1.0)
        for panel in axes:
            panel.set(xlim=(0.0, longest), ylim=(low - pad, high + pad))
            plain(panel)
        axes[-1].set_xlabel("Σ |coefficient|")
        legend(axes[0], outside=ax is None, title="feature")
        return self

    def _draw(
        self, panel: Any, path: CoefficientPath, order: list[int], kwargs: dict[str, Any]
    ) -> list[Any]:
        lines = {}
        for rank, j in enumerate(order):
            style = {"color": PALE, "linewidth": 1.0, "zorder": 1, "label": "_nolegend_"}
            if rank < self.top:
                colour = CYCLE[rank % len(CYCLE)]
                style = {"color": colour, "linewidth": 1.6, "zorder": 2, "label": path.names[j]}
            (lines[j],) = panel.plot(path.l1_norms, path.coefficients[:, j], **{**style, **kwargs})
        panel.set_ylabel(f"coefficient,\n{path.title}")
        return [lines[j] for j in range(len(order))]
