"""Shape functions of a stump ensemble, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...data import Table
from ...data.table import as_source
from ...model.background import Distribution
from ...model.explanation import Explanation
from ...types import Array
from ...validation import check_number
from ..arrays import SLACK
from .style import BLUE, GREY, INK, ORANGE, PALE, grid_axes, plain

STRIPES = 60
"""Parts of the strip that shows where rows lie, where rows are given."""


@dataclass(frozen=True)
class Shape:
    """Contribution of one feature to the vote.

    Attributes
    ----------
    name : str
        Name of the feature.
    thresholds : array
        Where the contribution changes.
    levels : array
        Contribution before, between and after the thresholds; one more than these.
    missing : float
        Contribution of a missing value.
    categories : sequence of str, optional
        Names of the categories; then the contribution of category k is the level at k.
    values : array, optional
        Values in the data, for the limits and the strip.
    background : Distribution, optional
        Training rows along the feature, for the same where no values are given.
    """

    name: str
    thresholds: Array
    levels: Array
    missing: float = 0.0
    categories: Sequence[str] | None = None
    values: Array | None = None
    background: Distribution | None = None

    @property
    def reach(self) -> float:
        """How far the feature alone can move the vote."""
        return float(np.ptp(self.levels))

    def at(self, values: Any) -> Array:
        """Contribution at given values; a value on a threshold belongs to its left."""
        return self.levels[np.searchsorted(self.thresholds, values, side="left")]

    def limits(self) -> tuple[float, float]:
        """Range of the horizontal axis: all of the data, or a little beyond the thresholds."""
        known = self.thresholds
        if self.values is not None:
            known = self.values[np.isfinite(self.values)]
        elif self.background is not None and np.isfinite(self.background.low):
            known = np.array([self.background.low, self.background.high])
        if known.size == 0:
            return -1.0, 1.0
        low, high = float(known.min()), float(known.max())
        # A single threshold has no spread of its own: show a tenth of its size on either side.
        spread = high - low if high > low else abs(high) or 1.0
        pad = (0.12 if known is self.thresholds else 0.04) * spread
        return low - pad, high + pad

    def density(self) -> tuple[Array, Array]:
        """Ends of stripes along the axis, and how dense rows lie in each: 1 where densest."""
        if self.values is not None and np.isfinite(self.values).any():
            counts, ends = np.histogram(self.values[np.isfinite(self.values)], STRIPES)
            return ends, counts / counts.max()
        return (np.empty(0), np.empty(0)) if self.background is None else self.background.density()

    @property
    def shows_missing(self) -> bool:
        """Whether a missing value contributes something, and rows had some."""
        seen = self.background is None or self.background.shares[-1] > 0.0
        return seen and self.missing != 0.0


class ShapeDisplay:
    """Contribution of each feature to the vote, as steps; categories as bars.

    The vote of a row is exactly the intercept plus its contributions, whose mean over the training
    rows is 0: these pictures are the model. A strip below the steps is dark where many training
    rows lie; it comes with the model, or from ``X``.

    Parameters
    ----------
    shapes : sequence of Shape
        One per panel.
    total : int, optional
        Features that the model uses, shown or not.
    positive : str, optional
        Name of the class that positive contributions vote for.

    Attributes
    ----------
    ax_ : list of axes
        One per panel.
    figure_
        Figure of the last plot.
    lines_ : dict
        By name, the steps of a numeric feature or the bars of a categorical one.
    missing_ : dict
        By name, the dotted line at the level of a missing value, where that is not 0.
    """

    def __init__(
        self, shapes: Sequence[Shape], *, total: int | None = None, positive: str | None = None
    ) -> None:
        if not shapes:
            raise ValueError("shapes: got none, expected at least one")
        self.shapes = list(shapes)
        self.total = len(self.shapes) if total is None else total
        self.positive = positive

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        features: Sequence[str] | None = None,
        top: int = 6,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the shape functions of a fitted stump ensemble.

        Parameters
        ----------
        estimator : fitted estimator
            With ``explain()``.
        X : array-like, optional
            Rows whose values set the limits and the strip, in place of the training rows.
        features : sequence of str, optional
            Names of the features to draw; by default the ``top`` ones by importance.
        top : int
            Number of features.
        ax : sequence of axes, optional
            Where to draw, one per feature.
        **kwargs
            For the steps.
        """
        check_number("top", top, at_least=1, integer=True)
        explanation = estimator.explain()
        if isinstance(explanation, list):
            raise TypeError("got a model of several classes, expected one of its problems_")
        if features is None:
            features = list(explanation.importance())[:top]
        unknown = [name for name in features if name not in explanation.shapes]
        if unknown:
            raise ValueError(
                f"features: got {unknown[0]!r}, expected some of {sorted(explanation.shapes)}, the "
                "features that the model uses"
            )
        table = None if X is None else _table(X, explanation)
        shapes = [_shape(explanation, name, table) for name in features]
        display = cls(shapes, total=len(explanation.shapes), positive=str(estimator.classes_[1]))
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, *, n_cols: int = 3, **kwargs: Any) -> Self:
        """Draw the panels.

        Parameters
        ----------
        ax : sequence of axes, optional
            Where to draw, one per feature; a new figure by default.
        n_cols : int
            Panels side by side in a new figure.
        **kwargs
            For the steps.
        """
        self.ax_ = grid_axes(ax, len(self.shapes), n_cols, (2.9, 2.2))
        self.figure_ = self.ax_[0].figure
        self.lines_: dict[str, Any] = {}
        self.missing_: dict[str, Any] = {}
        largest = max(max(abs(float(s.levels.min())), float(s.levels.max())) for s in self.shapes)
        largest = max(largest, *(abs(s.missing) for s in self.shapes), SLACK)
        for panel, shape in zip(self.ax_, self.shapes, strict=True):
            panel.axhline(0.0, color=PALE, linewidth=1.0, zorder=0)
            draw = _draw_steps if shape.categories is None else _draw_bars
            self.lines_[shape.name] = draw(panel, shape, kwargs)
            if shape.shows_missing:
                self.missing_[shape.name] = _mark_missing(panel, shape)
            panel.set_ylim(-1.12 * largest, 1.12 * largest)
            panel.set_title(shape.name, fontsize=10, color=INK)
            plain(panel)
        if ax is None:
            self._label()
        return self

    def _label(self) -> None:
        shown = f"{len(self.shapes)} of the {self.total} features used"
        side = "" if self.positive is None else f" for {self.positive}"
        self.figure_.supylabel(f"contribution to the vote{side}", fontsize=10, color=INK)
        self.figure_.supxlabel(f"value of the feature ({shown})", fontsize=10, color=INK)
        for panel in self.ax_:  # the vertical scale is the same for all
            if not panel.get_subplotspec().is_first_col():
                panel.tick_params(labelleft=False)


def _draw_steps(panel: Any, shape: Shape, kwargs: dict[str, Any]) -> Any:
    low, high = shape.limits()
    x = np.concatenate([[low], shape.thresholds, [high]])
    y = np.append(shape.levels, shape.levels[-1])
    style = {"color": BLUE, "linewidth": 1.6, **kwargs}
    (line,) = panel.plot(x, y, drawstyle="steps-post", **style)
    panel.set_xlim(low, high)
    ends, dense = shape.density()
    foot = panel.get_xaxis_transform()
    for left, right, share in zip(ends[:-1], ends[1:], np.sqrt(dense), strict=True):
        panel.axvspan(left, right, 0.0, 0.045, transform=foot, color=GREY, alpha=share, lw=0)
    return line


def _draw_bars(panel: Any, shape: Shape, kwargs: dict[str, Any]) -> Any:
    assert shape.categories is not None
    codes = np.arange(len(shape.categories))
    bars = panel.bar(codes, shape.at(codes), width=0.7, **{"color": BLUE, **kwargs})
    turn = sum(len(str(name)) for name in shape.categories) > 24
    panel.set_xticks(codes, [str(name) for name in shape.categories], rotation=45 if turn else 0)
    if turn:
        for label in panel.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    panel.set_xlim(-0.6, len(codes) - 0.4)
    return bars


def _mark_missing(panel: Any, shape: Shape) -> Any:
    """Draw a dotted line, named at the end where the steps are farther from it."""
    line = panel.axhline(shape.missing, color=ORANGE, linewidth=1.2, linestyle=":")
    first, last = np.abs(shape.levels[[0, -1]] - shape.missing)
    left = first > last
    panel.annotate(
        "missing",
        (0.02 if left else 0.98, shape.missing),
        xycoords=panel.get_yaxis_transform(),
        xytext=(0, 2),
        textcoords="offset points",
        ha="left" if left else "right",
        va="bottom",
        fontsize=8,
        color=ORANGE,
    )
    return line


def _table(X: Any, explanation: Explanation) -> Table:
    source = as_source(X)
    return Table(source, explanation.names, explanation.categories)


def _shape(explanation: Explanation, name: str, table: Table | None) -> Shape:
    step = explanation.shapes[name]
    categories = explanation.categories[step.feature]
    return Shape(
        name=name,
        thresholds=step.thresholds,
        levels=step.levels[:-1],
        missing=float(step.levels[-1]),
        categories=None if categories is None else [str(c) for c in categories],
        values=None if table is None else np.asarray(table.column(step.feature), dtype=float),
        background=explanation.background.get(step.feature),
    )
