"""Training error under its bound (R1-Q08, R1-C05, R1-C06; LB-E3, LB-E5)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...types import Array
from ..arrays import distribution, same_length, vector
from ..bounds import exponential_loss, training_error_bound
from ..margins import zero_one_error
from ..sources import signs_of
from .style import BLUE, GREEN, INK, ORANGE, legend, new_axes, plain


class TrainingErrorDisplay:
    """Training error after each round, with the bounds that hold it down.

    The mean exponential loss ``Π Z_t`` bounds the error of every combination. For AdaBoost it
    equals ``Π √(1 - γ_t²)``, which the edges alone give. The bound falls every round; the error
    need not (LB-C5, LB-C6).

    Parameters
    ----------
    error : array
        Training error after each round.
    loss : array
        Mean exponential loss after each round.
    edge_bound : array, optional
        ``Π √(1 - γ_t²)``.
    test_error : array, optional
        Error on other rows.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    error_line_, loss_line_, edge_bound_line_, test_error_line_
        The lines; None for what was not given.
    """

    def __init__(
        self, error: Any, loss: Any, *, edge_bound: Any = None, test_error: Any = None
    ) -> None:
        self.error, self.loss = vector("error", error, 0.0, 1.0), vector("loss", loss, 0.0)
        same_length(error=self.error, loss=self.loss)
        self.edge_bound = None if edge_bound is None else vector("edge_bound", edge_bound, 0.0)
        self.test_error = None if test_error is None else vector("test_error", test_error, 0.0, 1.0)
        for name in ("edge_bound", "test_error"):
            if getattr(self, name) is not None:
                same_length(**{"error": self.error, name: getattr(self, name)})

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        X_test: Any = None,
        y_test: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the training error of a fitted estimator, stage by stage.

        Parameters
        ----------
        estimator : fitted estimator
            With ``staged_decision_function``.
        X, y : array-like
            The training rows and labels.
        X_test, y_test : array-like, optional
            Other rows, for the test error.
        sample_weight : array, optional
            Weights of the training rows, as given to ``fit``.
        ax : axes, optional
            Where to draw.
        **kwargs
            For the lines of the errors.
        """
        labels = signs_of(estimator, y)
        weights = distribution("sample_weight", sample_weight, len(labels))
        l1_norms = np.cumsum(np.abs(estimator.estimator_weights_))
        error, loss = [], []
        for votes, l1_norm in zip(estimator.staged_decision_function(X), l1_norms, strict=True):
            error.append(zero_one_error(votes, labels, sample_weight=weights))
            loss.append(exponential_loss(l1_norm * votes, labels, sample_weight=weights))
        test_error = None
        if X_test is not None:
            signs = signs_of(estimator, y_test)
            staged = estimator.staged_decision_function(X_test)
            test_error = [zero_one_error(votes, signs) for votes in staged]
        bound = _edge_bound(estimator)
        display = cls(error, loss, edge_bound=bound, test_error=test_error)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw errors and bounds.

        Parameters
        ----------
        ax : axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the lines of the errors.
        """
        self.ax_, new = new_axes(ax)
        self.figure_ = self.ax_.figure
        rounds = np.arange(1, len(self.error) + 1)
        style = {"linewidth": 1.6, **kwargs}
        (self.error_line_,) = self.ax_.plot(
            rounds, self.error, color=BLUE, label="training error", **style
        )
        (self.loss_line_,) = self.ax_.plot(
            rounds, self.loss, color=ORANGE, lw=1.6, label="bound: mean\nexponential loss Π Z"
        )
        self.edge_bound_line_ = self.test_error_line_ = None
        if self.edge_bound is not None:
            (self.edge_bound_line_,) = self.ax_.plot(
                rounds, self.edge_bound, color=INK, lw=1.1, ls="--", label="bound: Π √(1 − γ²)"
            )
        if self.test_error is not None:
            (self.test_error_line_,) = self.ax_.plot(
                rounds, self.test_error, color=GREEN, label="test error", **style
            )
        self.ax_.set(xlabel="round", ylabel="error rate, bound", xlim=(1, max(len(rounds), 2)))
        self.ax_.set_ylim(0.0, min(1.02, 1.05 * float(max(self.loss.max(), self.error.max()))))
        plain(self.ax_)
        legend(self.ax_, outside=new)
        return self


def _edge_bound(estimator: Any) -> Array | None:
    """``Π √(1 - γ²)``, where each round added one hypothesis with AdaBoost's own coefficient."""
    history, coef = estimator.history_, np.asarray(estimator.estimator_weights_)
    edges = history["edge"][history["coef"] > 0]  # the last round may have added nothing
    if len(edges) != len(coef) or (np.abs(edges) >= 1.0).any():
        return None
    return training_error_bound(edges) if np.allclose(np.arctanh(edges), coef, rtol=1e-6) else None
