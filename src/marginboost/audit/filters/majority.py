"""The majority filter (CH-A13): most of the voters are against the label.

With voters that err independently with probability q < 1/2 it errs less than any one of them, both
by discarding good rows and by missing bad ones: :mod:`marginboost.audit.error_formulas` (CH-C17).

Reference: Brodley & Friedl, *Identifying mislabeled training data*, 1999.
"""

from __future__ import annotations

from typing import Any

from ...types import Array
from ...validation import check_number
from .base import NoiseFilter
from .voting import check_voters, error_share, voter_errors


class MajorityFilter(NoiseFilter):
    """Flag rows that more than a share of cross-validated voters mislabel.

    Any input that the voters take, any number of classes.

    Parameters
    ----------
    voters : list of classifiers or None
        The voters; None is a decision tree, a nearest neighbour and logistic regression.
    threshold : float
        Share of the voters, in [0, 1): strictly more must be wrong. A larger one never flags more
        rows (CH-C19).
    cv : int, splitter or iterable of (train, test)
        Folds; an integer makes that many shuffled, stratified ones.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Share of the voters that are right.
    errors_ : array (n_rows, n_voters)
        1 where a voter mislabels a row.
    """

    reads_numbers = False

    def __init__(
        self,
        voters: Any = None,
        *,
        threshold: float = 0.5,
        cv: Any = 3,
        random_state: Any = None,
    ) -> None:
        self.voters = voters
        self.threshold = threshold
        self.cv = cv
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_voters(self.voters)
        check_number("threshold", self.threshold, at_least=0.0, below=1.0)

    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        self.errors_ = voter_errors(self.voters, X, y, self.cv, self.random_state)
        wrong = error_share(self.errors_)
        return 1.0 - wrong, wrong > self.threshold
