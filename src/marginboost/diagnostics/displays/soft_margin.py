"""Margins cut at the share ν (R2-Q4, R2-Q5, R2-E4; Fig. 4.4, 4.5)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...types import Array
from ..arrays import signs, vector
from ..margins import margin_distribution
from ..soft_margins import NuMargin, nu_margin
from ..sources import nu_of, training_margins_of
from .style import BLUE, INK, ORANGE, grid_axes, legend, plain


class SoftMarginDisplay:
    """Where a share ν of the examples falls short: the margin ρ, the slack, the soft margin.

    Above, the cumulative margin distribution. It is cut where it reaches ν; that margin is ρ. The
    area under the curve left of it is the mean slack. Below, the soft margin for every ρ: it rises
    as long as the curve is below ν and falls beyond, so the cut is the best one (Prop. 4.1).

    Parameters
    ----------
    cut : NuMargin
        Margins and their cut, from :func:`~marginboost.diagnostics.nu_margin`.

    Attributes
    ----------
    ax_ : list of two axes
        Distribution and soft margin.
    figure_
        Figure of the last plot.
    curve_, nu_line_, rho_line_, slack_, objective_, optimum_
        Distribution, line at ν, line at ρ, area of the slack, soft margin, dot at its optimum.
    """

    def __init__(self, cut: NuMargin) -> None:
        self.cut = cut

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        votes: Any,
        nu: float,
        *,
        sample_weight: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the margins of normalised votes, for labels -1 and +1."""
        margins = signs(y_true) * vector("votes", votes, -1.0, 1.0)
        return cls(nu_margin(margins, nu, sample_weight=sample_weight)).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        nu: float | None = None,
        sample_weight: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the margins of a fitted estimator or a run.

        Parameters
        ----------
        estimator : fitted estimator or Run
            Whose margins to draw.
        X, y : array-like, optional
            Rows and labels; by default the training rows.
        nu : float, optional
            ν; the estimator's own by default.
        sample_weight : array, optional
            Weights of the rows.
        ax : sequence of two axes, optional
            Where to draw.
        **kwargs
            For the lines.
        """
        if (X is None) != (y is None):
            raise ValueError("X, y: got one of them, expected both or none")
        share = nu_of(estimator) if nu is None else nu
        if share is None:
            raise ValueError(f"nu: {type(estimator).__name__} has none, expected one to be given")
        margins = training_margins_of(estimator) if X is None else estimator.margins(X, y)
        return cls(nu_margin(margins, share, sample_weight=sample_weight)).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw distribution and soft margin.

        Parameters
        ----------
        ax : sequence of two axes, optional
            For distribution and soft margin; a new figure by default.
        **kwargs
            For the lines of both.
        """
        axes = grid_axes(ax, 2, 1, (7.6, 2.5))
        self.ax_, self.figure_ = axes, axes[0].figure
        style = {"linewidth": 1.6, **kwargs}
        low, high = self._limits()
        self._draw_distribution(axes[0], low, high, style)
        self._draw_objective(axes[1], low, high, style)
        for panel in axes:
            panel.axvline(self.cut.rho, color=ORANGE, linewidth=1.2, linestyle="--", zorder=1)
            panel.set_xlim(low, high)
            plain(panel)
            legend(panel, outside=ax is None)
        return self

    def _limits(self) -> tuple[float, float]:
        counted = self.cut.margins[self.cut.weights > 0]
        low, high = min(float(counted.min()), self.cut.rho), max(float(counted.max()), self.cut.rho)
        pad = 0.04 * max(high - low, 1e-3)
        return low - pad, high + pad

    def _draw_distribution(self, ax: Any, low: float, high: float, style: dict[str, Any]) -> None:
        cut = self.cut
        curve = margin_distribution(cut.margins, cut.weights)
        x = np.concatenate([[low], curve.values, [high]])
        heights = np.concatenate([[0.0], curve.fractions, [1.0]])
        parts = cut.fractions()
        below = np.append(x[x < cut.rho], cut.rho)
        self.slack_ = ax.fill_between(
            below,
            curve(below),
            step="post",
            color=ORANGE,
            alpha=0.3,
            linewidth=0,
            label=f"mean slack {cut.cost * cut.nu:.4f}",
        )
        (self.curve_,) = ax.plot(
            x, heights, color=BLUE, drawstyle="steps-post", label="margins", **style
        )
        self.nu_line_ = ax.axhline(cut.nu, color=INK, lw=1.0, ls=":", label=f"ν = {cut.nu:g}")
        (self.rho_line_,) = ax.plot(
            [], [], color=ORANGE, lw=1.2, ls="--", label=f"ρ = {cut.rho:.4f}: {_share(parts)}"
        )
        ax.set(ylim=(0.0, 1.02), ylabel="fraction of\nexamples with margin ≤ θ")

    def _draw_objective(self, ax: Any, low: float, high: float, style: dict[str, Any]) -> None:
        cut = self.cut
        rho = np.unique(np.clip(np.concatenate([[low, cut.rho, high], cut.margins]), low, high))
        values = _soft_margin_at(rho, cut)
        (self.objective_,) = ax.plot(rho, values, color=INK, label="soft margin at ρ", **style)
        (self.optimum_,) = ax.plot(
            cut.rho,
            cut.value,
            "o",
            color=ORANGE,
            markersize=6,
            label=f"its largest, {cut.value:.4f}",
        )
        rise = max(cut.value - float(values[0]), 1e-3)
        ax.set_ylim(cut.value - 1.3 * rise, cut.value + 0.25 * rise)
        ax.set(xlabel="margin θ, ρ", ylabel="soft margin\nρ − (1/ν) mean [ρ − margin]₊")


def _soft_margin_at(rho: Array, cut: NuMargin) -> Array:
    """``ρ - (1/ν) Σ p [ρ - ρ_i]_+`` for sorted ρ, by running sums over the sorted margins."""
    order = np.argsort(cut.margins)
    mass = np.concatenate([[0.0], np.cumsum(cut.weights[order])])
    moment = np.concatenate([[0.0], np.cumsum((cut.weights * cut.margins)[order])])
    below = np.searchsorted(cut.margins[order], rho, side="left")
    return rho - (rho * mass[below] - moment[below]) / cut.nu


def _share(parts: Any) -> str:
    return f"\n{parts.errors:.1%} below, {parts.on:.1%} on it"
