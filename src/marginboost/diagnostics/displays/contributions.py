"""Importance of the features, and one row's answer as a waterfall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ...data.table import take_rows
from ...types import Array
from ...validation import check_number
from ..arrays import same_length, vector
from ..contributions import feature_values, row_contributions
from .style import BLUE, GREY, INK, ORANGE, new_axes, plain


class ImportanceDisplay:
    """How much each feature moves the answers of a model, as bars.

    Parameters
    ----------
    names : sequence of str
        Features.
    importances : array
        Their shares, ``feature_importances_``.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    bars_ : artist
        The bars, from the least to the most important.
    """

    def __init__(self, names: Sequence[str], importances: Any) -> None:
        self.names = [str(name) for name in names]
        self.importances = vector("importances", importances)
        same_length(names=np.arange(len(self.names)), importances=self.importances)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, top: int = 15, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the ``top`` features of a fitted estimator; further settings for the bars."""
        check_number("top", top, at_least=1, integer=True)
        shares, names = estimator.feature_importances_, estimator.model_.features.names
        order = np.argsort(-shares, kind="stable")[:top]
        used = order[shares[order] > 0.0]
        return cls([names[j] for j in used], shares[used]).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the bars."""
        self.ax_, _ = new_axes(ax, (6.4, 0.9 + 0.26 * len(self.names)))
        self.figure_ = self.ax_.figure
        places = np.arange(len(self.names))[::-1]
        self.bars_ = self.ax_.barh(places, self.importances, **{"color": BLUE, **kwargs})
        self.ax_.set_yticks(places, self.names)
        self.ax_.set_xlabel("share in what moves the answers", color=INK)
        plain(self.ax_)
        return self


class WaterfallDisplay:
    """From the mean answer to that for one row, feature by feature.

    Parameters
    ----------
    names : sequence of str
        What stands beside each step.
    parts : array
        Contributions, in the order in which they are added.
    intercept : float
        What they are added to.
    unit : str
        What the sum is: a vote, a score or a prediction.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    bars_ : artist
        The steps, the first on top.
    """

    def __init__(
        self, names: Sequence[str], parts: Any, intercept: float, *, unit: str = "vote"
    ) -> None:
        self.names = [str(name) for name in names]
        self.parts: Array = vector("parts", parts)
        same_length(names=np.arange(len(self.names)), parts=self.parts)
        self.intercept, self.unit = float(intercept), unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        row: int,
        *,
        background: Any = None,
        output: int = 0,
        top: int = 10,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the contributions to the answer for a row of ``X``.

        Parameters
        ----------
        estimator : fitted estimator
            Of stumps or trees.
        X : array, sparse matrix or data frame
            Rows.
        row : int
            Which one, from 0.
        background : array, sparse matrix or data frame, optional
            Rows that trees are explained against; None is ``X``.
        output : int
            Which class or problem, where there are several.
        top : int
            Features shown; the rest is summed up.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the bars.
        """
        check_number("top", top, at_least=1, integer=True)
        check_number("row", row, at_least=0, at_most=X.shape[0] - 1, integer=True)
        one = take_rows(X, np.array([row]))
        found = row_contributions(estimator, one, X if background is None else background)
        check_number("output", output, at_least=0, at_most=len(found) - 1, integer=True)
        part, table = found[output], feature_values(estimator, one)
        order = np.argsort(-np.abs(part.values[0]), kind="stable")
        shown, rest = order[:top], part.values[0][order[top:]]
        names = [f"{part.names[j]} = {_value(table, int(j))}" for j in shown]
        parts = part.values[0][shown]
        if len(rest):
            names, parts = [*names, f"{len(rest)} more"], np.append(parts, rest.sum())
        return cls(names, parts, part.intercept, unit=part.unit).plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the steps."""
        self.ax_, _ = new_axes(ax, (7.0, 1.1 + 0.28 * len(self.names)))
        self.figure_ = self.ax_.figure
        levels = self.intercept + np.concatenate([[0.0], np.cumsum(self.parts)])
        places = np.arange(len(self.names))[::-1]
        colours = [ORANGE if part > 0 else BLUE for part in self.parts]
        self.bars_ = self.ax_.barh(places, self.parts, left=levels[:-1], color=colours, **kwargs)
        for level, style in ((self.intercept, ":"), (float(levels[-1]), "-")):
            self.ax_.axvline(level, color=GREY, linewidth=1.0, linestyle=style)
        self.ax_.set_yticks(places, self.names)
        total = f"{self.unit} {levels[-1]:+.3g}, from a mean of {self.intercept:+.3g} (dotted)"
        self.ax_.set_xlabel(total, color=INK)
        plain(self.ax_)
        return self


def _value(table: Any, j: int) -> str:
    value, known = float(table.column(j)[0]), table.categories[j]
    if np.isnan(value):
        return "missing"
    return f"{value:.5g}" if known is None else str(known[int(value)])
