"""The consensus filter (CH-A14): every voter is against the label.

Conservative: of voters that err independently it discards fewer good rows than any one of them, and
misses more bad ones (CH-C18). What it flags, the majority filter flags too.

Reference: Brodley & Friedl, *Identifying mislabeled training data*, 1999.
"""

from __future__ import annotations

from typing import Any

from ...types import Array
from .base import NoiseFilter
from .voting import check_voters, error_share, voter_errors


class ConsensusFilter(NoiseFilter):
    """Flag rows that all cross-validated voters mislabel.

    Any input that the voters take, any number of classes.

    Parameters
    ----------
    voters : list of classifiers or None
        The voters; None is a decision tree, a nearest neighbour and logistic regression.
    cv : int, splitter or iterable of (train, test)
        Folds; an integer makes that many shuffled, stratified ones.
    random_state : int, RandomState or None
        Seed of the shuffle, if ``cv`` is an integer; None is a fixed one.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        Share of the voters that are right; 0 for the rows flagged.
    errors_ : array (n_rows, n_voters)
        1 where a voter mislabels a row.
    """

    reads_numbers = False

    def __init__(self, voters: Any = None, *, cv: Any = 3, random_state: Any = None) -> None:
        self.voters = voters
        self.cv = cv
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_voters(self.voters)

    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        self.errors_ = voter_errors(self.voters, X, y, self.cv, self.random_state)
        wrong = error_share(self.errors_)
        return 1.0 - wrong, wrong == 1.0
