"""Which examples carry the weight, and which are at their cap (R2-Q5, R2-C3, R2-E4; Fig. 4.6)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...types import Array
from ...validation import check_number
from ..arrays import distribution, same_length, vector
from ..soft_margins import nu_margin
from ..sources import nu_of, training_margins_of, training_weights_of
from .style import BLUE, GREY, INK, ORANGE, PALE, legend, new_axes, plain

NEAR = 1e-6
"""Share of the cap by which a weight may miss it, or exceed zero, and still count as there."""


class DualWeightDisplay:
    """Weight of every example against its margin, with the cap that ν puts on weights.

    Weights are drawn in units of the example's share: 1 is what all would weigh if none were hard,
    1/ν the cap. At the optimum of the ν-LP an example below the margin ρ is at the cap, one beyond
    it has no weight (R2-C3).

    Parameters
    ----------
    margins : array
        Margins of the examples.
    weights : array
        Weights of the examples, signed or not; normalised.
    nu : float, optional
        ν, for the cap and for ρ.
    sample_weight : array, optional
        Weights that the examples were given; they scale shares and caps.

    Attributes
    ----------
    at_cap_ : array of int
        Examples at their cap; empty without ν.
    ax_, figure_
        Axes and figure of the last plot.
    points_ : dict
        Points drawn, by name: "at the cap", "between" ("with weight" without ν), "no weight".
    cap_line_, rho_line_
        The lines; None without ν.
    """

    def __init__(
        self, margins: Any, weights: Any, *, nu: float | None = None, sample_weight: Any = None
    ) -> None:
        check_number("nu", nu, above=0.0, at_most=1.0, optional=True)
        self.margins = vector("margins", margins, -1.0, 1.0)
        d = np.abs(vector("weights", weights))
        same_length(margins=self.margins, weights=d)
        d = distribution("weights", d, len(d))
        share = distribution("sample_weight", sample_weight, len(d))
        self.nu = nu
        self.shares = share
        self.loads = np.divide(d, share, out=np.zeros(len(d)), where=share > 0)
        cap = np.inf if nu is None else 1.0 / nu
        self.at_cap_ = np.flatnonzero(self.loads >= cap * (1.0 - NEAR))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        nu: float | None = None,
        sample_weight: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the last weights of a fitted estimator or a run.

        Parameters
        ----------
        estimator : fitted estimator or Run
            Whose weights to draw.
        nu : float, optional
            ν; the estimator's own by default, if it has one.
        sample_weight : array, optional
            Weights of the rows, as given to ``fit``.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the points.
        """
        margins, weights = training_margins_of(estimator), training_weights_of(estimator)
        share = nu_of(estimator) if nu is None else nu
        display = cls(margins, weights, nu=share, sample_weight=sample_weight)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the weights.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the points.
        """
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        self.cap_line_ = self.rho_line_ = None
        self.ax_.axhline(1.0, color=PALE, lw=1.0, zorder=0, label=self._once("equal weights"))
        if self.nu is not None:
            rho = nu_margin(self.margins, self.nu, sample_weight=self.shares).rho
            cap = f"cap, 1/ν = {1.0 / self.nu:.3g}"
            self.cap_line_ = self.ax_.axhline(
                1.0 / self.nu, color=ORANGE, lw=1.0, ls="--", label=self._once(cap)
            )
            self.rho_line_ = self.ax_.axvline(
                rho, color=INK, lw=1.0, ls=":", label=self._once(f"margin ρ = {rho:.4f}")
            )
        self.points_ = {}
        for name, which, color in self._groups():
            label = f"{name}: {len(which)} ({self.shares[which].sum():.0%})"
            style = {"s": 22, "color": color, "alpha": 0.7, "linewidths": 0, "label": label}
            self.points_[name] = self.ax_.scatter(
                self.margins[which], self.loads[which], **{**style, **kwargs}
            )
        self.ax_.set(xlabel="margin", ylabel="weight, in units of its share")
        top = 1.08 * max(float(self.loads.max()), 1.0 / (self.nu or 1.0))
        self.ax_.set_ylim(-0.03 * top, top)
        plain(self.ax_)
        legend(self.ax_, outside=new)
        return self

    def _once(self, label: str) -> str:
        """Label of a line, unless another display has put it into these axes' legend."""
        return "_nolegend_" if label in self.ax_.get_legend_handles_labels()[1] else label

    def _groups(self) -> list[tuple[str, Array, str]]:
        """Examples at their cap, with less weight, without; only groups that have any."""
        counted = self.shares > 0
        capped = np.isin(np.arange(len(self.loads)), self.at_cap_)
        none = self.loads <= NEAR * self.loads.max()
        some = "with weight" if self.nu is None else "between"
        groups = [
            ("at the cap", np.flatnonzero(capped & counted), ORANGE),
            (some, np.flatnonzero(~capped & ~none), BLUE),
            ("no weight", np.flatnonzero(none & counted), GREY),
        ]
        return [group for group in groups if len(group[1])]
