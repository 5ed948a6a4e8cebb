"""The gaps of several runs, against rounds or against time (R1-Q17; R2-E11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, Self

import numpy as np

from ...types import Array
from ..arrays import same_length
from ..sources import history_of, name_of
from .style import CLOSED, CYCLE, check_against, gap_scale, legend, new_axes, plain


class GapRaceDisplay:
    """How fast several algorithms close the gap between their bounds, on a log axis.

    A triangle marks where a gap closes.

    Parameters
    ----------
    gaps : mapping of str to array
        Gap after each round, by name.
    seconds : mapping of str to array, optional
        Time since the run began, after each round; needed to draw against seconds.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    lines_ : dict
        Line of each run.
    """

    def __init__(
        self, gaps: Mapping[str, Any], *, seconds: Mapping[str, Any] | None = None
    ) -> None:
        if not gaps:
            raise ValueError("gaps: got no run, expected at least one")
        self.gaps = _arrays(gaps)
        self.seconds = None if seconds is None else _arrays(seconds)
        if self.seconds is not None:
            if set(self.seconds) != set(self.gaps):
                raise ValueError(
                    f"seconds: got {sorted(self.seconds)}, expected the runs {sorted(self.gaps)}"
                )
            for name, gap in self.gaps.items():
                same_length(gaps=gap, seconds=self.seconds[name])

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any] | Sequence[Any],
        *,
        against: str = "round",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the gaps of fitted estimators or runs, by name or one after the other.

        Parameters
        ----------
        estimators : mapping of str to estimator or Run, or sequence of them
            Whose gaps to draw; names must differ.
        against : {"round", "seconds"}
            Horizontal axis.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the lines.
        """
        if not isinstance(estimators, Mapping):
            named = {name_of(one): one for one in estimators}
            if len(named) < len(estimators):
                raise ValueError("estimators: two have the same name, expected a mapping by name")
            estimators = named
        histories = {str(name): history_of(one) for name, one in estimators.items()}
        gaps = {name: history["upper"] - history["lower"] for name, history in histories.items()}
        seconds = {name: history["seconds"] for name, history in histories.items()}
        return cls(gaps, seconds=seconds).plot(against=against, ax=ax, **kwargs)

    def plot(self, ax: Any = None, *, against: str = "round", **kwargs: Any) -> Self:
        """Draw the gaps.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        against : {"round", "seconds"}
            Horizontal axis.
        **kwargs
            For the lines.
        """
        check_against(against, list((self.seconds or {}).values()))
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = {}
        bottom = gap_scale(self.ax_, np.concatenate(list(self.gaps.values())))
        for (name, gap), color in zip(self.gaps.items(), cycle(CYCLE), strict=False):
            x = np.arange(1.0, len(gap) + 1.0)
            if against == "seconds":
                assert self.seconds is not None
                x = self.seconds[name]
            shut = gap <= CLOSED
            # Before both bounds are known the gap is infinite and not drawn.
            shown = np.where(np.isfinite(gap), np.where(shut, bottom, gap), np.nan)
            style = {"color": color, "linewidth": 1.6, "drawstyle": "steps-post", **kwargs}
            label = f"{name} ({'closed' if shut[-1] else f'{gap[-1]:.2g}'})"
            (self.lines_[name],) = self.ax_.plot(x, shown, label=label, **style)
            if shut.any():
                self.ax_.plot(x[shut][0], bottom, "v", color=style["color"], ms=8, clip_on=False)
        self.ax_.set(xlabel=against, ylabel="gap between the bounds")
        plain(self.ax_)
        legend(self.ax_, outside=new, title="run (last gap)")
        return self


def _arrays(series: Mapping[str, Any]) -> dict[str, Array]:
    return {str(name): np.asarray(values, dtype=np.float64) for name, values in series.items()}
