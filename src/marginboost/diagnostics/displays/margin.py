"""The cumulative margin distribution, drawn (R1-Q12, Fig. 2.1, R1-E08; LB-E4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import Any, Self

import numpy as np

from ...core.certificate import Certificate
from ..arrays import distribution, signs, vector
from ..margins import MarginDistribution, margin_distribution
from ..sources import certificate_of, name_of, signs_of, training_margins_of
from .style import CYCLE, GREY, PALE, legend, new_axes, plain, verdict


class MarginDisplay:
    """Fraction of examples with margin at most θ, for one or several models or samples.

    A curve is 0 left of the smallest margin, which a dot marks; its height at 0 is the error rate.

    Parameters
    ----------
    curves : mapping of str to MarginDistribution
        Curves by name.
    certificate : Certificate, optional
        Bounds on the largest minimum margin ρ*, drawn as a band. It is about the training sample.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    lines_ : dict
        Line of each curve.
    minima_ : dict
        Dot at the smallest margin of each curve.
    bracket_ : artist or None
        The band.
    """

    def __init__(
        self, curves: Mapping[str, MarginDistribution], *, certificate: Certificate | None = None
    ) -> None:
        self.curves = dict(curves)
        self.certificate = certificate

    @classmethod
    def from_margins(
        cls,
        margins: Mapping[str, Any],
        *,
        certificate: Certificate | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw several sets of margins by name, say of two models, or of training and test rows."""
        curves = {str(name): margin_distribution(values) for name, values in margins.items()}
        return cls(curves, certificate=certificate).plot(ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        votes: Any,
        *,
        sample_weight: Any = None,
        name: str = "margins",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the margins of normalised votes, for labels -1 and +1."""
        margins = signs(y_true) * vector("votes", votes, -1.0, 1.0)
        curve = margin_distribution(margins, sample_weight)
        return cls({name: curve}).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        stages: Sequence[int] | None = None,
        sample_weight: Any = None,
        name: str | None = None,
        show_certificate: bool | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the margins of a fitted estimator or a run.

        Parameters
        ----------
        estimator : fitted estimator or Run
            The model.
        X, y : array-like, optional
            Rows and labels; without them the training margins are drawn.
        stages : sequence of int, optional
            Numbers of hypotheses: one curve after each. Needs X and y.
        sample_weight : array, optional
            Weights of the examples.
        name : str, optional
            Name of the curve; the estimator's by default.
        show_certificate : bool, optional
            Whether to draw the bracket of ρ*; by default for training margins alone, because it is
            about the training sample.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the lines.
        """
        if (X is None) != (y is None):
            raise ValueError("X, y: got one of them, expected both or none")
        if stages is not None:
            if X is None:
                raise ValueError("stages: needs X and y, whose votes it follows round by round")
            curves = _staged(estimator, X, y, stages, sample_weight)
        else:
            margins = training_margins_of(estimator) if X is None else estimator.margins(X, y)
            curves = {name or name_of(estimator): margin_distribution(margins, sample_weight)}
        show = X is None if show_certificate is None else show_certificate
        display = cls(curves, certificate=certificate_of(estimator) if show else None)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the lines.
        """
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        low, high = self._limits()
        self.ax_.axvline(0.0, color=PALE, linewidth=1.0, zorder=0)
        self.lines_, self.minima_ = {}, {}
        for (name, curve), color in zip(self.curves.items(), cycle(CYCLE), strict=False):
            x = np.concatenate([[min(low, curve.minimum)], curve.values, [max(high, 1e-9)]])
            heights = np.concatenate([[0.0], curve.fractions, [1.0]])
            style = {"color": color, "linewidth": 1.6, "drawstyle": "steps-post", **kwargs}
            label = f"{name} (min. {curve.minimum:.3f})"
            (self.lines_[name],) = self.ax_.plot(x, heights, label=label, **style)
            (self.minima_[name],) = self.ax_.plot(
                curve.minimum, 0.0, "o", color=style["color"], markersize=6, clip_on=False, zorder=5
            )
        self.bracket_ = self._draw_bracket() if self.certificate is not None else None
        self.ax_.set(xlim=(low, high), ylim=(0.0, 1.02))
        self.ax_.set(xlabel="margin θ", ylabel="fraction of examples with margin ≤ θ")
        plain(self.ax_)
        legend(self.ax_, outside=new)
        return self

    def _limits(self) -> tuple[float, float]:
        low = min(0.0, *(curve.minimum for curve in self.curves.values()))
        high = max(float(curve.values[-1]) for curve in self.curves.values())
        if self.certificate is not None and np.isfinite(self.certificate.upper):
            high = max(high, self.certificate.upper)
        pad = 0.04 * max(high - low, 1e-3)
        return low - pad, high + pad

    def _draw_bracket(self) -> Any:
        assert self.certificate is not None
        lower, upper = self.certificate.lower, self.certificate.upper
        if not (np.isfinite(lower) and np.isfinite(upper)):
            return None
        certified = self.certificate.certified
        label = f"largest min. margin ρ* in\n[{lower:.3f}, {upper:.3f}], {verdict(certified)}"
        return self.ax_.axvspan(
            lower,
            upper,
            facecolor=PALE,
            edgecolor=GREY,
            hatch=None if certified else "////",
            alpha=0.45,
            linewidth=0,
            zorder=0,
            label=label,
        )


def _staged(
    estimator: Any, X: Any, y: Any, stages: Sequence[int], sample_weight: Any
) -> dict[str, MarginDistribution]:
    wanted = sorted(set(stages))
    if not wanted or wanted[0] < 1:
        raise ValueError(f"stages: got {list(stages)}, expected numbers of hypotheses from 1 on")
    labels = signs_of(estimator, y)
    weights = distribution("sample_weight", sample_weight, len(labels))
    staged = islice(estimator.staged_decision_function(X), wanted[-1])
    votes = {stage: vote for stage, vote in enumerate(staged, 1) if stage in wanted}
    if wanted[-1] not in votes:
        raise ValueError(
            f"stages: got {wanted[-1]}, expected at most {len(estimator.estimator_weights_)}, the "
            "number of hypotheses in the model"
        )
    return {
        f"{stage} rounds" if stage > 1 else "1 round": margin_distribution(labels * vote, weights)
        for stage, vote in votes.items()
    }
