"""Three ways to report the error of a run of many rounds (BA-Q25, BA-Q26, BA-E16, BA-A9).

The least test error over all rounds is an oracle's choice: it looks at the answers, and flatters
an erratic run more than a steady one. The round chosen on other rows, and the last one, do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array


@dataclass(frozen=True)
class SelectedErrors:
    """Test errors of one run, by how the round was chosen.

    Attributes
    ----------
    oracle, validated, last : float
        Test error of the round that is best on the test rows themselves, of the one that is best on
        validation rows, and of the last one.
    oracle_round, validated_round, rounds : int
        Which rounds these are, from 1; the first where several are as good.
    """

    oracle: float
    validated: float
    last: float
    oracle_round: int
    validated_round: int
    rounds: int

    def __str__(self) -> str:
        return (
            f"best on test {self.oracle:.3f} (round {self.oracle_round}), chosen on validation "
            f"{self.validated:.3f} (round {self.validated_round}), last {self.last:.3f} "
            f"(round {self.rounds})"
        )


def select_round(test_errors: Any, validation_errors: Any) -> SelectedErrors:
    """Report a run by its errors in every round.

    Parameters
    ----------
    test_errors, validation_errors : array
        One error per round each.

    Examples
    --------
    >>> print(select_round([0.3, 0.1, 0.2], [0.2, 0.2, 0.1]))
    best on test 0.100 (round 2), chosen on validation 0.200 (round 3), last 0.200 (round 3)
    """
    test: Array = np.asarray(test_errors, dtype=np.float64)
    valid: Array = np.asarray(validation_errors, dtype=np.float64)
    if test.ndim != 1 or test.shape != valid.shape or not len(test):
        raise ValueError(
            f"validation_errors: got shape {valid.shape} beside {test.shape}, expected one error "
            "per round each"
        )
    best, chosen = int(np.argmin(test)), int(np.argmin(valid))
    return SelectedErrors(
        float(test[best]), float(test[chosen]), float(test[-1]), best + 1, chosen + 1, len(test)
    )


def selected_errors(
    model: Any, X_test: Any, y_test: Any, X_validation: Any, y_validation: Any
) -> SelectedErrors:
    """Report a fitted classifier with ``staged_score`` in all three ways.

    Parameters
    ----------
    model : classifier
        Fitted.
    X_test, y_test : array-like
        Rows whose error is reported.
    X_validation, y_validation : array-like
        Rows by which a round is chosen.

    Examples
    --------
    >>> from marginboost import PBoostClassifier
    >>> from marginboost.datasets import ring
    >>> model = PBoostClassifier(p=1.5).fit(*ring(50, noise=0.2))
    >>> errors = selected_errors(model, *ring(2000, seed=1), *ring(50, noise=0.2, seed=2))
    >>> errors.oracle <= min(errors.validated, errors.last)
    True
    """
    test = [1.0 - score for score in model.staged_score(X_test, y_test)]
    valid = [1.0 - score for score in model.staged_score(X_validation, y_validation)]
    return select_round(test, valid)


def survivors(lengths: Any, rounds: Any) -> Array:
    """Count the runs that had not ended before each of some rounds (BA-Q25).

    A mean over trials at a late round is one of those that came so far; this is how many.

    Parameters
    ----------
    lengths : array of int
        Rounds that each run made.
    rounds : array of int
        Rounds to look at, from 1.

    Examples
    --------
    >>> survivors([3, 10, 10, 1], [1, 2, 5, 10, 11]).tolist()
    [4, 3, 2, 2, 0]
    """
    made, asked = np.asarray(lengths, dtype=np.int64), np.asarray(rounds, dtype=np.int64)
    if made.ndim != 1 or not len(made) or made.min() < 0:
        raise ValueError("lengths: expected the number of rounds of one run or more")
    return len(made) - np.searchsorted(np.sort(made), asked, side="left")
