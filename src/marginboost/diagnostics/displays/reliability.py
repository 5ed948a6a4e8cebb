"""Predicted probabilities against what happened."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...types import Array
from ...validation import check_choice, check_number
from ..arrays import same_length, vector
from ..sources import name_of
from .style import BLUE, GREY, ORANGE, grid_axes, legend, plain


class ReliabilityDisplay:
    """Are the predicted probabilities right: of rows with P ≈ 0.8, are four in five positive.

    Above, the share of positive rows in each bin of the predicted probability; on the diagonal the
    two agree. Below, how many rows each bin has. Two numbers sum it up: the Brier score, the mean
    squared distance of probability and label, and the expected calibration error, the mean distance
    from the diagonal, rows counted.

    Parameters
    ----------
    observed, predicted : array
        Share of positive rows and mean predicted probability of each bin that has rows.
    counts : array
        Rows of each bin.
    brier : float
        Brier score.
    name : str, optional
        Label of the curve.

    Attributes
    ----------
    calibration_error : float
        Expected calibration error.
    ax_ : list of two axes
        Curve and counts.
    figure_
        Figure of the last plot.
    line_, diagonal_, bars_
        Curve, diagonal, counts.
    """

    def __init__(
        self, observed: Any, predicted: Any, counts: Any, *, brier: float, name: str | None = None
    ) -> None:
        self.observed = vector("observed", observed, 0.0, 1.0)
        self.predicted = vector("predicted", predicted, 0.0, 1.0)
        self.counts = vector("counts", counts, 0.0)
        same_length(observed=self.observed, predicted=self.predicted, counts=self.counts)
        self.brier, self.name = float(brier), name
        gaps = np.abs(self.observed - self.predicted)
        self.calibration_error = float(np.average(gaps, weights=self.counts))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 10,
        strategy: str = "uniform",
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw probabilities of a positive label.

        Parameters
        ----------
        y_true : array-like
            Whether each row is positive: True and False, 1 and 0, or 1 and -1.
        y_prob : array-like
            Predicted probability of that.
        n_bins : int
            Number of bins.
        strategy : {"uniform", "quantile"}
            Bins of equal width, or of equally many rows.
        name : str, optional
            Label of the curve.
        ax : sequence of two axes, optional
            Where to draw.
        **kwargs
            For the curve.
        """
        from sklearn.calibration import calibration_curve  # here, not above: slow to import

        check_number("n_bins", n_bins, at_least=1, integer=True)
        check_choice("strategy", strategy, ("uniform", "quantile"))
        chances = vector("y_prob", y_prob, 0.0, 1.0)
        positive = vector("y_true", np.asarray(y_true, dtype=np.float64), -1.0, 1.0) > 0
        same_length(y_true=positive, y_prob=chances)
        observed, predicted = calibration_curve(
            positive, chances, n_bins=n_bins, strategy=strategy, pos_label=True
        )
        counts = _counts(chances, n_bins, strategy)
        brier = float(np.mean((chances - positive) ** 2))
        return cls(observed, predicted, counts, brier=brier, name=name).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        label: Any = None,
        n_bins: int = 10,
        strategy: str = "uniform",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the probabilities that a fitted classifier predicts.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba``; not only one of this package.
        X, y : array-like
            Rows and labels, best such as the classifier has not seen.
        label : optional
            The class that counts as positive; the second of two by default.
        n_bins, strategy, ax, **kwargs
            As in :meth:`from_predictions`.
        """
        classes = estimator.classes_.tolist()
        label = classes[1] if label is None and len(classes) == 2 else label
        if label not in classes:
            raise ValueError(f"label: got {label!r}, expected one of {classes}")
        return cls.from_predictions(
            np.asarray(y) == label,
            estimator.predict_proba(X)[:, classes.index(label)],
            n_bins=n_bins,
            strategy=strategy,
            name=name_of(estimator),
            ax=ax,
            **kwargs,
        )

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw curve and counts.

        Parameters
        ----------
        ax : sequence of two axes, optional
            For curve and counts; a new figure by default.
        **kwargs
            For the curve.
        """
        axes = grid_axes(ax, 2, 1, (7.6, 2.6))
        self.ax_, self.figure_ = axes, axes[0].figure
        (self.diagonal_,) = axes[0].plot(
            [0, 1], [0, 1], color=GREY, lw=1.0, ls=":", label="predicted = observed"
        )
        facts = f"Brier score {self.brier:.4f}\ncalibration error {self.calibration_error:.4f}"
        style = {"linewidth": 1.6, "marker": "o", "markersize": 4, **kwargs}
        (self.line_,) = axes[0].plot(
            self.predicted,
            self.observed,
            color=BLUE,
            label=f"{self.name}\n{facts}" if self.name else facts,
            **style,
        )
        self.bars_ = axes[1].bar(
            self.predicted, self.counts, width=0.02, color=ORANGE, label="rows of the bin"
        )
        axes[0].set(ylabel="share of\npositive rows", ylim=(-0.02, 1.02))
        axes[1].set(xlabel="predicted probability", ylabel="rows")
        for panel in axes:
            panel.set_xlim(-0.02, 1.02)
            plain(panel)
            legend(panel, outside=ax is None)
        return self


def _counts(chances: Array, n_bins: int, strategy: str) -> Array:
    """Rows of each bin that has any, binned as scikit-learn does."""
    cuts = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        cuts = np.percentile(chances, 100.0 * cuts)
    counts = np.bincount(np.searchsorted(cuts[1:-1], chances), minlength=n_bins)
    return counts[counts > 0]
