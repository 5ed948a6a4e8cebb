"""Targets around the tube of a regression, and residuals by prediction."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...types import Array
from ...validation import check_number
from ..arrays import same_length, vector
from ..regression import TubeFractions, tube_fractions
from ..sources import name_of
from .style import BLUE, GREEN, GREY, ORANGE, grid_axes, legend, new_axes, plain

BANDS = (0.1, 0.5, 0.9)
"""Quantiles of residuals that are drawn along the predictions."""
GROUPS = 20
"""Groups of rows with neighbouring predictions, at most, that these are taken of."""
LEAST_GROUP = 10
"""Rows of a group, at least."""


class TubeDisplay:
    """Which targets lie in the tube around the predictions, on its edge and outside.

    Targets outside pull at the model, each with the same force; those inside have no part in it.

    Parameters
    ----------
    y_true, y_pred : array
        Targets and predictions.
    epsilon : float
        Half width of the tube.
    x : array, optional
        What the rows are drawn over; None is the prediction.
    x_name : str, optional
        What that is called.
    name : str, optional
        Of the model.

    Attributes
    ----------
    fractions : TubeFractions
        Shares of rows outside, on the edge and inside.
    ax_, figure_
        Of the last plot.
    band_, line_, points_
        Tube, predictions, and targets: inside, on the edge, outside.
    """

    def __init__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        epsilon: float,
        x: Any = None,
        x_name: str | None = None,
        name: str | None = None,
    ) -> None:
        check_number("epsilon", epsilon, at_least=0.0)
        self.y_true, self.y_pred = vector("y_true", y_true), vector("y_pred", y_pred)
        self.x = self.y_pred if x is None else vector("x", x)
        same_length(y_true=self.y_true, y_pred=self.y_pred, x=self.x)
        self.epsilon, self.name = float(epsilon), name
        self.x_name = ("prediction" if x is None else "x") if x_name is None else x_name
        self.fractions: TubeFractions = tube_fractions(self.y_true - self.y_pred, self.epsilon)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, epsilon: float, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw targets and predictions.

        Parameters
        ----------
        y_true, y_pred : array-like
            Targets and predictions.
        epsilon : float
            Half width of the tube.
        ax : axes, optional
            Where to draw.
        **kwargs
            ``x``, ``x_name`` and ``name``, as in the constructor.
        """
        return cls(y_true, y_pred, epsilon=epsilon, **kwargs).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        feature: Any = None,
        epsilon: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the tube of a fitted model.

        Parameters
        ----------
        estimator : fitted regressor
            With ``epsilon_``, as ``LPBoostRegressor`` has, or any with ``epsilon`` given.
        X, y : array-like
            Rows and targets.
        feature : int or str, optional
            Column that the rows are drawn over, best of a model of one feature; None is the
            prediction.
        epsilon : float, optional
            Half width; None is that of the model.
        ax : axes, optional
            Where to draw.
        """
        if epsilon is None and not hasattr(estimator, "epsilon_"):
            raise TypeError(
                f"estimator: got {type(estimator).__name__} without epsilon_, expected a model "
                "with a tube, or epsilon"
            )
        values = None if feature is None else _column(X, feature)
        return cls(
            y,
            estimator.predict(X),
            epsilon=float(estimator.epsilon_ if epsilon is None else epsilon),
            x=values,
            x_name=None if feature is None else f"feature {feature}",
            name=name_of(estimator),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw tube and targets.

        Parameters
        ----------
        ax : axes, optional
            A new figure by default.
        """
        axes, new = new_axes(ax)
        self.ax_, self.figure_ = axes, axes.figure
        order = np.lexsort((self.y_pred, self.x))
        x, middle = self.x[order], self.y_pred[order]
        self.band_ = axes.fill_between(
            x,
            middle - self.epsilon,
            middle + self.epsilon,
            color=BLUE,
            alpha=0.18,
            linewidth=0.0,
            label=f"tube, ε = {self.epsilon:.4g}",
        )
        (self.line_,) = axes.plot(x, middle, color=BLUE, lw=1.2, label=self.name or "prediction")
        self.points_ = [
            axes.plot(self.x[rows], self.y_true[rows], style, ms=size, color=color, label=words)[0]
            for rows, style, size, color, words in self._kinds()
        ]
        axes.set(xlabel=self.x_name, ylabel="target")
        plain(axes)
        legend(axes, outside=new)
        return self

    def _kinds(self) -> list[tuple[Array, str, float, str, str]]:
        """Rows of each kind, and how they are drawn."""
        size = np.abs(self.y_true - self.y_pred)
        near = 1e-6 * float(size.max(initial=0.0))
        outside, inside = size > self.epsilon + near, size < self.epsilon - near
        shares = self.fractions
        return [
            (inside, ".", 4.0, GREY, f"{shares.inside:.1%} inside"),
            (~inside & ~outside, "o", 5.0, GREEN, f"{shares.edge:.1%} on the edge"),
            (outside, ".", 5.0, ORANGE, f"{shares.outside:.1%} outside"),
        ]


class ResidualDisplay:
    """How far off predictions are, and where: residuals by prediction, and their distribution.

    Left, target less prediction of each row over the prediction, with quantiles of neighbouring
    rows: a middle line off zero is a trend that the model missed, quantiles that part are a spread
    that grows. Right, how residuals are distributed.

    Parameters
    ----------
    y_true, y_pred : array
        Targets and predictions.
    name : str, optional
        Of the model.

    Attributes
    ----------
    residuals : array
        Targets less predictions.
    centres, bands : array
        Mean prediction of each group of rows, and the residuals' quantiles there (groups, 3).
    ax_, figure_
        Both axes and the figure of the last plot.
    points_, lines_, bars_
        Rows, quantiles, histogram.
    """

    def __init__(self, y_true: Any, y_pred: Any, *, name: str | None = None) -> None:
        self.y_true, self.y_pred = vector("y_true", y_true), vector("y_pred", y_pred)
        same_length(y_true=self.y_true, y_pred=self.y_pred)
        self.residuals, self.name = self.y_true - self.y_pred, name
        order = np.argsort(self.y_pred, kind="stable")
        n_groups = min(GROUPS, max(1, len(order) // LEAST_GROUP))
        groups = np.array_split(order, n_groups)
        self.centres = np.array([self.y_pred[rows].mean() for rows in groups])
        self.bands = np.array([np.quantile(self.residuals[rows], BANDS) for rows in groups])

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, name: str | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the residuals of predictions.

        Parameters
        ----------
        y_true, y_pred : array-like
            Targets and predictions.
        name : str, optional
            Of the model.
        ax : sequence of two axes, optional
            Where to draw.
        **kwargs
            For the points.
        """
        return cls(y_true, y_pred, name=name).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the residuals of a fitted regressor, not only one of this package.

        Parameters
        ----------
        estimator : fitted regressor
            With ``predict``.
        X, y : array-like
            Rows and targets, best such as the model has not seen.
        ax, **kwargs
            As in :meth:`from_predictions`.
        """
        return cls(y, estimator.predict(X), name=name_of(estimator)).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw residuals over predictions, and their histogram.

        Parameters
        ----------
        ax : sequence of two axes, optional
            A new figure by default.
        **kwargs
            For the points.
        """
        axes = grid_axes(ax, 2, 2, (4.6, 3.6))
        self.ax_, self.figure_ = axes, axes[0].figure
        style = {"ms": 3.5, "color": GREY, "alpha": 0.6, **kwargs}
        (self.points_,) = axes[0].plot(self.y_pred, self.residuals, ".", **style)
        axes[0].axhline(0.0, color=GREY, lw=0.8, ls=":")
        self.lines_ = [
            axes[0].plot(self.centres, band, color=color, lw=1.6, ls=dashes, label=words)[0]
            for band, color, dashes, words in zip(
                self.bands.T,
                (ORANGE, BLUE, ORANGE),
                ("--", "-", "--"),
                (None, "median", f"{BANDS[0]:.0%} and {BANDS[2]:.0%}"),
                strict=True,
            )
        ]
        n_bins = int(np.clip(np.sqrt(len(self.residuals)), 5, 50))
        *_, self.bars_ = axes[1].hist(self.residuals, bins=n_bins, color=BLUE, alpha=0.7)
        axes[0].set(xlabel="prediction", ylabel="target − prediction", title=self.name or "")
        size = float(np.abs(self.residuals).mean()) if len(self.residuals) else 0.0
        axes[1].set(xlabel="target − prediction", ylabel="rows", title=f"mean size {size:.4g}")
        for panel in axes:
            plain(panel)
        legend(axes[0], outside=False)
        return self


def _column(X: Any, feature: Any) -> Array:
    """Column of a frame or an array."""
    if hasattr(X, "columns"):
        return np.asarray(X[feature] if feature in list(X.columns) else X.iloc[:, feature])
    return np.asarray(X)[:, feature]
