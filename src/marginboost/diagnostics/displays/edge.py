"""Edges and margins round by round: the sandwich around the largest margin (R1-Q17, R1-C16)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...core.history import History
from ..arrays import same_length, vector
from ..sources import certificate_of, history_of
from .style import BLUE, GREEN, GREY, ORANGE, legend, new_axes, plain, verdict


class EdgeDisplay:
    """Edge and minimum margin of every round, with the best of each so far.

    The edge of any weighting of the examples bounds the largest minimum margin ρ* from above, the
    margin of any combination from below. The strip between the best of both holds ρ*.

    Parameters
    ----------
    edge : array
        Edge γ of each round.
    min_margin : array
        Smallest margin ρ after each round.
    target : array, optional
        Target margin ϱ of each round.
    certified : bool
        Whether the edges are the largest there are; else the upper side is an estimate.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    edge_line_, smallest_edge_line_, margin_line_, largest_margin_line_, target_line_
        The lines; ``target_line_`` is None without targets.
    strip_ : artist
        What lies between the best edge and the best margin.
    """

    def __init__(
        self, edge: Any, min_margin: Any, *, target: Any = None, certified: bool = False
    ) -> None:
        self.edge = vector("edge", edge, -1.0, 1.0)
        self.min_margin = vector("min_margin", min_margin, -1.0, 1.0)
        same_length(edge=self.edge, min_margin=self.min_margin)
        self.target = None if target is None else np.asarray(target, dtype=np.float64)
        self.certified = certified

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the edges of a fitted estimator or a run."""
        history = history_of(estimator)
        certified = bool(certificate_of(estimator).certified)
        return cls.from_history(history, certified=certified, ax=ax, **kwargs)

    @classmethod
    def from_history(
        cls, history: History, *, certified: bool = False, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the edges of a history."""
        target = history["target"]
        display = cls(
            history["edge"],
            history["min_margin"],
            target=None if np.isnan(target).all() else target,
            certified=certified,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the rounds.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the lines of edge and margin.
        """
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        rounds = np.arange(1, len(self.edge) + 1)
        smallest = np.minimum.accumulate(self.edge)
        largest = np.maximum.accumulate(self.min_margin)
        faint = {"linewidth": 0.9, "alpha": 0.55, **kwargs}
        best = {"linewidth": 1.8, "drawstyle": "steps-post"}
        draw = self.ax_.plot
        (self.edge_line_,) = draw(rounds, self.edge, color=ORANGE, label="edge γ", **faint)
        (self.smallest_edge_line_,) = draw(
            rounds, smallest, color=ORANGE, label=f"smallest edge ({smallest[-1]:.3f})", **best
        )
        (self.margin_line_,) = draw(
            rounds, self.min_margin, color=BLUE, label="min. margin", **faint
        )
        (self.largest_margin_line_,) = draw(
            rounds, largest, color=BLUE, label=f"largest min. margin ({largest[-1]:.3f})", **best
        )
        self.strip_ = self.ax_.fill_between(
            rounds,
            largest,
            smallest,
            step="post",
            color=GREY,
            alpha=0.15,
            linewidth=0,
            label=f"ρ* lies here ({verdict(self.certified)})",
        )
        self.target_line_ = None
        if self.target is not None:
            (self.target_line_,) = draw(
                rounds, self.target, color=GREEN, lw=1.4, ls="--", label="target margin ϱ"
            )
        self.ax_.set(xlabel="round", ylabel="edge, margin", xlim=(1, max(len(rounds), 2)))
        self.ax_.set_ylim(self._bottom(), min(1.0, float(self.edge.max()) + 0.05))
        plain(self.ax_)
        legend(self.ax_, outside=new)
        return self

    def _bottom(self) -> float:
        """Lower limit: margins near -1, after each start, would flatten all that follows."""
        lowest = float(np.quantile(self.min_margin, 0.1))
        if self.target is not None:
            lowest = min(lowest, float(np.nanmin(self.target)))
        return float(np.clip(lowest - 0.05, -1.0, -0.05))
