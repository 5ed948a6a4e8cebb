"""The bracket around the optimum as it closes (R1-Q17, R1-Q28)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...core.history import History
from ...types import Array
from ..arrays import same_length
from ..sources import certificate_of, history_of
from .style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    check_against,
    gap_scale,
    grid_axes,
    legend,
    plain,
    verdict,
)


class GapDisplay:
    """Upper and lower bound on the optimum above, their difference on a log axis below.

    Parameters
    ----------
    lower, upper : array
        Best bounds so far, one of each per round.
    seconds : array, optional
        Time since the run began, for the horizontal axis.
    certified : bool
        Whether the upper bound is a proof.

    Attributes
    ----------
    ax_ : list of two axes
        Bounds and gap.
    figure_
        Figure of the last plot.
    lower_line_, upper_line_, gap_line_
        The lines.
    """

    def __init__(
        self, lower: Any, upper: Any, *, seconds: Any = None, certified: bool = False
    ) -> None:
        self.lower = np.asarray(lower, dtype=np.float64)
        self.upper = np.asarray(upper, dtype=np.float64)
        self.seconds = None if seconds is None else np.asarray(seconds, dtype=np.float64)
        same_length(lower=self.lower, upper=self.upper)
        if self.seconds is not None:
            same_length(lower=self.lower, seconds=self.seconds)
        self.certified = certified

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, against: str = "round", ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the bounds of a fitted estimator or a run, against rounds or seconds."""
        history = history_of(estimator)
        certified = bool(certificate_of(estimator).certified)
        return cls.from_history(history, certified=certified, against=against, ax=ax, **kwargs)

    @classmethod
    def from_history(
        cls,
        history: History,
        *,
        certified: bool = False,
        against: str = "round",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the bounds of a history, against rounds or seconds."""
        display = cls(
            history["lower"], history["upper"], seconds=history["seconds"], certified=certified
        )
        return display.plot(against=against, ax=ax, **kwargs)

    def plot(self, ax: Any = None, *, against: str = "round", **kwargs: Any) -> Self:
        """Draw bounds and gap.

        Parameters
        ----------
        ax : sequence of two axes, optional
            For bounds and gap; a new figure by default.
        against : {"round", "seconds"}
            Horizontal axis.
        **kwargs
            For the lines.
        """
        check_against(against, [] if self.seconds is None else [self.seconds])
        axes = grid_axes(ax, 2, 1, (7.6, 2.4))
        self.ax_, self.figure_ = axes, axes[0].figure
        x = self.seconds if against == "seconds" else np.arange(1, len(self.lower) + 1)
        style = {"linewidth": 1.6, "drawstyle": "steps-post", **kwargs}
        word = verdict(self.certified)
        lower, upper = (_known(bound) for bound in (self.lower, self.upper))
        (self.upper_line_,) = axes[0].plot(
            x, upper, color=ORANGE, label=f"upper bound ({self.upper[-1]:.4f})", **style
        )
        (self.lower_line_,) = axes[0].plot(
            x, lower, color=BLUE, label=f"lower bound ({self.lower[-1]:.4f})", **style
        )
        axes[0].fill_between(x, lower, upper, step="post", color=GREY, alpha=0.15, lw=0, label=word)
        gap = upper - lower
        # A gap of zero, or below by rounding or for want of a proof, has no place on a log axis.
        shown = np.where(gap > 0, gap, np.nan)
        (self.gap_line_,) = axes[1].plot(
            x, shown, color=INK, label=f"gap ({gap[-1]:.2g}), {word}", **style
        )
        self._finish(against, outside=ax is None)
        return self

    def _finish(self, against: str, outside: bool) -> None:
        bounds, gap = self.ax_
        bounds.set_ylabel("bounds")
        gap.set(ylabel="gap", xlabel="seconds" if against == "seconds" else "round")
        gap_scale(gap, self.upper - self.lower)
        tail = slice(len(self.lower) // 10, None)
        inside = np.concatenate([self.lower[tail], self.upper])
        inside = inside[np.isfinite(inside)]
        if inside.size:
            pad = 0.05 * max(float(np.ptp(inside)), 1e-3)
            bounds.set_ylim(inside.min() - pad, inside.max() + pad)
        for ax in self.ax_:
            plain(ax)
            legend(ax, outside=outside)


def _known(bound: Array) -> Array:
    """Bounds with NaN, which is not drawn, where they are still infinite."""
    return np.where(np.isfinite(bound), bound, np.nan)
