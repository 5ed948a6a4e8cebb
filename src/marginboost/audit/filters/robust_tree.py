"""John's robust decision tree (CH-A16c): prune the tree, then the data, then grow it again.

A pruned node says that the examples in it do not matter locally; so they should not matter globally
either. Rows that the pruned tree misclassifies are removed and the tree is grown anew, until none
is. No cross-validation.

Reference: John, *Robust decision trees: removing outliers from databases*, 1995.
"""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ...types import Array
from ...validation import check_number
from ...warning import warn_user
from ..folds import SEED
from .base import NoiseFilter


class RobustTreeFilter(NoiseFilter):
    """Flag rows that a pruned tree misclassifies, again and again on the rows that are left.

    Any number of classes; numeric rows, which may miss values. John prunes by the pessimistic error
    of C4.5; here scikit-learn's cost-complexity pruning does it.

    Parameters
    ----------
    ccp_alpha : float
        Cost-complexity pruning: least decrease of the Gini impurity that a split must bring, as a
        share of all rows.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array
        One minus one over the pass that removed the row; 1 for rows that stayed.
    tree_ : DecisionTreeClassifier
        The last tree, right on every row that is left.
    n_iter_ : int
        Trees grown.
    """

    takes_missing = True

    def __init__(self, ccp_alpha: float = 0.01) -> None:
        self.ccp_alpha = ccp_alpha

    def companion(self) -> DecisionTreeClassifier:
        """Return the tree itself."""
        return DecisionTreeClassifier(ccp_alpha=self.ccp_alpha, random_state=SEED)

    def _check_parameters(self) -> None:
        check_number("ccp_alpha", self.ccp_alpha, at_least=0.0)

    def _find(self, X: Array, y: Array) -> tuple[Array, Array]:
        score, left, self.n_iter_ = np.ones(len(y)), np.arange(len(y)), 0
        while True:
            self.n_iter_ += 1
            self.tree_ = self.companion().fit(X[left], y[left])
            wrong = self.tree_.predict(X[left]) != y[left]
            kept = left[~wrong]
            if len(np.unique(y[kept])) < len(np.unique(y)):
                warn_user(
                    f"pass {self.n_iter_} would remove every row of a class and is left out; "
                    f"a smaller ccp_alpha than {self.ccp_alpha:g} prunes less"
                )
                wrong[:] = False
            if not wrong.any():
                return score, score < 1.0
            score[left[wrong]] = 1.0 - 1.0 / self.n_iter_
            left = kept
