"""Margins of examples and their distribution (R1-Q11, R1-Q12, R1-Q21; LB-Q10, LB-Q11).

The margin of an example is its label times the normalised vote, a number in [-1, 1]: the sign says
whether the example is classified right, the size how far the vote is from the other decision.

A vote of exactly zero is where conventions part (R1-X01, LB-X6). The classification rule sends
it to the first class, -1, as scikit-learn's does; the margin error counts it as an error for both
classes, so that ``margin <= 0`` bounds the error rate; the lecture's step function counts it as
right. Functions here say which they use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..solvers.norm_margin import norm_margins, solve_norm_margin
from ..types import Array
from ..validation import check_choice, check_number
from .arrays import distribution, same_length, signs, vector


def voting_margins(scores: Any, y: Any, l1_norm: float) -> Array:
    """Margin ``y F(x) / Σ|α|`` of each example (R1-Q11, eq. 1.11; LB-Q10).

    Parameters
    ----------
    scores : array
        Unnormalised votes ``F(x) = Σ α h(x)``.
    y : array
        Labels, -1 or +1.
    l1_norm : float
        ``Σ|α|``. With 0, the empty combination, all margins are 0.

    Examples
    --------
    >>> voting_margins([3.0, -1.0], [1, 1], l1_norm=4.0).tolist()
    [0.75, -0.25]
    """
    check_number("l1_norm", l1_norm, at_least=0.0)
    labels, values = signs(y), vector("scores", scores)
    same_length(scores=values, y=labels)
    return labels * values / (l1_norm or 1.0)


def minimum_margin(margins: Any) -> float:
    """Margin of the ensemble: that of its worst example (R1-Q17, eq. 2.1)."""
    return float(vector("margins", margins, -1.0, 1.0).min())


def class_margins(margins: Any, y: Any) -> dict[Any, float]:
    """Smallest margin of each class, by label (R1-Q21, eq. 2.9).

    Boosting drives them together (Prop. 2.1, R1-C27): a lasting difference says that the run is not
    near its limit, or that the base learner cannot favour one class.

    Examples
    --------
    >>> class_margins([0.1, 0.4, 0.2], [1, 1, -1])
    {-1: 0.2, 1: 0.1}
    """
    values, labels = vector("margins", margins, -1.0, 1.0), np.asarray(y)
    same_length(margins=values, y=labels)
    return {label.item(): float(values[labels == label].min()) for label in np.unique(labels)}


def margin_error(
    margins: Any, theta: float = 0.0, *, sample_weight: Any = None, ties: str = "error"
) -> float:
    """Fraction of the examples with margin at most θ (R1-Q12; LB-Q11).

    Parameters
    ----------
    margins : array
        Margins of the examples.
    theta : float
        Threshold θ.
    sample_weight : array, optional
        Weights of the examples, of any sum.
    ties : {"error", "correct"}
        Whether a margin of exactly θ counts. "error" is the convention of all bounds here, makes
        the curve right-continuous, and counts a zero vote as wrong; "correct" is the lecture's
        training error, whose step function is 1 only above zero (LB errata 6).

    Examples
    --------
    >>> margin_error([-0.2, 0.0, 0.3, 0.5]), margin_error([-0.2, 0.0, 0.3, 0.5], ties="correct")
    (0.5, 0.25)
    """
    check_choice("ties", ties, ("error", "correct"))
    values = vector("margins", margins, -1.0, 1.0)
    weights = distribution("sample_weight", sample_weight, len(values))
    below = values <= theta if ties == "error" else values < theta
    return float(weights[below].sum())


def zero_one_error(scores: Any, y: Any, *, sample_weight: Any = None, ties: str = "rule") -> float:
    """Error rate of the signs of the scores, with zero scores by one of three conventions (R1-X01).

    Parameters
    ----------
    scores : array
        Votes, normalised or not.
    y : array
        Labels, -1 or +1.
    sample_weight : array, optional
        Weights of the examples.
    ties : {"rule", "error", "correct"}
        What a zero score is: the first class, -1, as in ``predict``, so that one minus this is
        ``score``; wrong for both classes as in the 0/1 loss of the bounds; or right for both as in
        the lecture.
    """
    check_choice("ties", ties, ("rule", "error", "correct"))
    values, labels = vector("scores", scores), signs(y)
    same_length(scores=values, y=labels)
    wrong = labels * values < 0
    if ties == "error":
        wrong |= values == 0
    elif ties == "rule":
        wrong |= (values == 0) & (labels > 0)
    return float(distribution("sample_weight", sample_weight, len(values))[wrong].sum())


@dataclass(frozen=True)
class MarginDistribution:
    """Cumulative margin distribution θ ↦ fraction of margins at most θ (R1-Q12, Fig. 2.1; LB-E4).

    Right-continuous: 0 below the smallest margin, 1 from the largest on (LB-C7).

    Attributes
    ----------
    values : array
        Distinct margins, increasing.
    fractions : array
        Fraction of the weight at or below each of them; the last is 1.
    """

    values: Array
    fractions: Array

    def __call__(self, theta: Any) -> Array:
        """Fraction of margins at most each θ."""
        index = np.searchsorted(self.values, np.asarray(theta, dtype=np.float64), side="right")
        return np.concatenate([[0.0], self.fractions])[index]

    def quantile(self, fraction: float) -> float:
        """Smallest margin at or below which at least this fraction lies."""
        check_number("fraction", fraction, at_least=0.0, at_most=1.0)
        index = int(np.searchsorted(self.fractions, fraction - 1e-12, side="left"))
        return float(self.values[index])

    @property
    def minimum(self) -> float:
        """Smallest margin."""
        return float(self.values[0])


def margin_distribution(margins: Any, sample_weight: Any = None) -> MarginDistribution:
    """Cumulative distribution of the margins.

    Parameters
    ----------
    margins : array
        Margins of the examples.
    sample_weight : array, optional
        Weights of the examples; rows of weight zero do not count.

    Examples
    --------
    >>> curve = margin_distribution([0.5, -0.1, 0.5, 0.2])
    >>> curve.values.tolist(), curve.fractions.tolist()
    ([-0.1, 0.2, 0.5], [0.25, 0.5, 1.0])
    """
    values = vector("margins", margins, -1.0, 1.0)
    weights = distribution("sample_weight", sample_weight, len(values))
    distinct, inverse = np.unique(values[weights > 0], return_inverse=True)
    fractions = np.cumsum(np.bincount(inverse, weights=weights[weights > 0]))
    return MarginDistribution(distinct, fractions / fractions[-1])


class BothNorms(NamedTuple):
    """Smallest margin of one vote in boosting's norms and in those of a support vector machine.

    ``l1`` is that of ``y F / (‖α‖₁ ‖h(x)‖_∞)``, ``l2`` that of ``y F / (‖α‖₂ ‖h(x)‖₂)``.
    """

    l1: float
    l2: float


def compare_norms(columns: Any, y: Any, **votes: Any) -> dict[str, BothNorms]:
    """Smallest margins of votes over the same hypotheses, in both norms (CH-A10c, CH-Q16).

    Beside the given ones are those that are best in either norm, ``"LP"`` and ``"SVM"``.

    Parameters
    ----------
    columns : array (n_examples, n_hypotheses)
        Outputs of the hypotheses.
    y : array
        Labels, -1 or +1.
    **votes : array
        Coefficients of the hypotheses, under any name.

    Examples
    --------
    Three hypotheses, each wrong on one example; equal coefficients are best in both norms:

    >>> flips = np.ones((3, 3)) - 2 * np.eye(3)
    >>> found = compare_norms(flips, np.ones(3), first=[1.0, 1.0, 0.0])
    >>> {name: (round(pair.l1, 6), round(pair.l2, 6)) for name, pair in found.items()}
    {'first': (0.0, 0.0), 'LP': (0.333333, 0.333333), 'SVM': (0.333333, 0.333333)}
    """
    outputs = np.asarray(columns, dtype=np.float64)
    lengths = np.linalg.norm(outputs, axis=1), np.abs(outputs).max(axis=1)
    if not (lengths[1] > 0.0).all():
        raise ValueError("columns: got an example on which all hypotheses are 0")
    directions = outputs / lengths[0][:, None]
    best = {
        "LP": solve_norm_margin(outputs / lengths[1][:, None], y, 1.0).coef,
        "SVM": solve_norm_margin(directions, y, 2.0).coef,
    }
    return {
        name: BothNorms(
            float((norm_margins(outputs, y, coef, p=1.0) / lengths[1]).min()),
            float(norm_margins(directions, y, coef, p=2.0).min()),
        )
        for name, coef in {**votes, **best}.items()
    }
