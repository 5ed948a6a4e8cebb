"""More than two classes by way of two: a problem of two sides for every column of a code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..core.oracle import Oracle
from ..data import Table
from ..model import make_code
from ..types import Array
from ..validation import random_numbers

if TYPE_CHECKING:
    from .classifier import BaseMarginClassifier, TrainingSet

    C = TypeVar("C", bound=BaseMarginClassifier)


class Reduction(NamedTuple):
    """How several classes become problems of two, and their votes those of classes.

    Attributes
    ----------
    code : str or array
        Name of a code or the matrix itself, see :mod:`marginboost.model.codes`.
    decoding : str
        See :mod:`marginboost.model.decoding`.
    """

    code: Any = "one-vs-rest"
    decoding: str = "auto"

    def check_two_classes(self) -> None:
        """Two classes need no code, but a matrix of other size is a mistake."""
        if not isinstance(self.code, str):
            make_code(self.code, 2)


ONE_VS_REST = Reduction()
"""Each class against all others."""


def solve_problems(
    classifier: C, data: TrainingSet, oracle: Oracle, reduction: Reduction
) -> tuple[Array, list[C]]:
    """Solve a problem of two classes for every column of the code; all share the bins.

    Returns
    -------
    code : array (classes, problems)
    problems : list of fitted classifiers
    """
    if any(callback.saves_state for callback in classifier.callbacks or ()):
        raise ValueError(
            "callbacks: got a Checkpoint, which keeps one run; expected none with more than "
            "two classes, where each problem is a run (SAMMEClassifier, AdaBoostM1Classifier, "
            "AdaBoostM2Classifier, AdaBoostMHClassifier and SoftmaxBoostClassifier make one "
            "run of all classes)"
        )
    state = 0 if classifier.random_state is None else classifier.random_state
    random = random_numbers(state)
    code = make_code(reduction.code, len(data.classes), int(random.randint(2**31 - 1)))
    rows, bins, used = data.rows, None, np.flatnonzero(data.weights > 0)
    if isinstance(rows, Table) and oracle.needs_bins:
        table = rows if len(used) == len(data.weights) else rows.take(used)
        bins = classifier.bin_rows(table, data.weights[used])
    problems = [
        classifier.solve_side(
            data.of_problem(k), sides, oracle, bins, int(random.randint(2**31 - 1))
        )
        for k, sides in enumerate(code.T)
    ]
    return code, problems
