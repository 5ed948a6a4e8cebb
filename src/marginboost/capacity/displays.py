"""Bounds on one axis, and the curves of structural risk minimisation, drawn.

Drawing needs matplotlib (the extra ``plot``), imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..diagnostics.displays.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    legend,
    new_axes,
    plain,
)
from .bound import Bound
from .fitted import model_bounds
from .risk import StructuralRisk


class BoundDisplay:
    """Bounds on the error of one model on one axis, beside its test error.

    Each bar is a bound, made of what was measured (dark) and what the theorem adds (light). Bounds
    that are void, by an assumption that fails or a constant nobody knows, are hatched; those above
    one, which say nothing, end at the border with their value.

    Parameters
    ----------
    bounds : sequence of Bound
        The bounds, drawn from above.
    test_error : float, optional
        Error on a test set.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    bars_ : list
        One pair of bars per bound.
    """

    def __init__(self, bounds: Sequence[Bound], *, test_error: float | None = None) -> None:
        if not bounds:
            raise ValueError("bounds: got none, expected at least one")
        self.bounds = list(bounds)
        self.test_error = test_error

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        X_test: Any = None,
        y_test: Any = None,
        vc_dimension: float | None = None,
        delta: float = 0.05,
        ax: Any = None,
    ) -> Self:
        """Draw all bounds that apply to a fitted vote; see :func:`model_bounds`."""
        bounds = model_bounds(
            estimator,
            X,
            y,
            vc_dimension=vc_dimension,
            delta=delta,
            X_test=X_test,
            y_test=y_test,
        )
        error = None
        if X_test is not None:
            error = float((np.asarray(estimator.predict(X_test)) != np.asarray(y_test)).mean())
        return cls(bounds, test_error=error).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bounds.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        """
        self.ax_, _ = new_axes(ax, size=(7.6, 1.4 + 0.45 * len(self.bounds)))
        self.figure_ = self.ax_.figure
        self.bars_ = [self._bar(row, bound) for row, bound in enumerate(self.bounds)]
        if self.test_error is not None:
            self.ax_.axvline(self.test_error, color=ORANGE, linewidth=1.6, zorder=3)
            self.ax_.annotate(
                f"test error {self.test_error:.3f}",
                (self.test_error, -0.75),
                color=ORANGE,
                fontsize=9,
                xytext=(4, 0),
                textcoords="offset points",
                annotation_clip=False,
            )
        self.ax_.set_yticks(range(len(self.bounds)), [bound.name for bound in self.bounds])
        self.ax_.set(xlim=(0.0, 1.0), ylim=(len(self.bounds) - 0.5, -1.0), xlabel="error rate")
        plain(self.ax_)
        return self

    def _bar(self, row: int, bound: Bound) -> tuple[Any, Any]:
        terms = list(bound.terms.values())
        measured = terms[0] if len(terms) > 1 else 0.0
        hatch = None if bound.valid else "////"
        (dark,) = self.ax_.barh(row, measured, height=0.6, color=BLUE)
        (light,) = self.ax_.barh(
            row,
            min(float(bound), 1.0) - measured,
            left=measured,
            height=0.6,
            color=PALE,
            edgecolor=GREY,
            hatch=hatch,
            linewidth=0.6,
        )
        inside = float(bound) > 0.75
        self.ax_.annotate(
            f"{float(bound):.3f}  {bound.verdict}",
            (min(float(bound), 1.0), row),
            xytext=(-6 if inside else 6, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center",
            fontsize=9,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85},
        )
        return dark, light


class StructuralRiskDisplay:
    """Risk on the sample, what the theorem adds, and their sum, against complexity (R1-E02; SF-E9).

    Parameters
    ----------
    structural_risk : StructuralRisk
        The three curves.
    test_error : array, optional
        Error on a test set at each complexity.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    lines_ : dict
        The lines by name.
    """

    def __init__(self, structural_risk: StructuralRisk, *, test_error: Any = None) -> None:
        self.structural_risk = structural_risk
        self.test_error = None if test_error is None else np.asarray(test_error, dtype=np.float64)

    def plot(self, ax: Any = None, *, xlabel: str = "complexity") -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        xlabel : str
            What grows along the structure.
        """
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        found = self.structural_risk
        curves: dict[str, tuple[Any, str]] = {
            "bound": (found.bound, INK),
            "empirical risk": (found.empirical_risk, BLUE),
            "confidence term": (found.confidence, GREEN),
        }
        if self.test_error is not None:
            curves["test error"] = (self.test_error, ORANGE)
        self.lines_ = {}
        for name, (values, color) in curves.items():
            shown = np.where(np.isfinite(values), values, np.nan)
            (self.lines_[name],) = self.ax_.plot(
                found.complexity, shown, color=color, linewidth=1.6, label=name
            )
        if np.isfinite(found.bound[found.best]):
            chosen = found.complexity[found.best]
            self.ax_.axvline(chosen, color=PALE, linewidth=1.0, zorder=0)
            self.ax_.plot(chosen, found.bound[found.best], "o", color=INK, markersize=6)
        self.ax_.set(xlabel=xlabel, ylabel="error rate")
        self.ax_.set_ylim(bottom=0.0)
        plain(self.ax_)
        legend(self.ax_, outside=new)
        return self
