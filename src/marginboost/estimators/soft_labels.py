"""Labels that are known with probabilities only, for every row a distribution over the classes.

Problem: minimise the expected loss ``Σ_i w_i Σ_k P_ik L(k, F(x_i))`` where nobody knows which
class a row has. That is the loss of a table in which a row stands once for every class that it may
have, with weight ``w_i P_ik``; and since a weight of 2 means two rows, nothing else needs to
change. A row whose class is certain stands once.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..types import Array
from ..validation import read_numbers
from .classifier import BaseMarginClassifier
from .inputs import read_weights
from .multiclass import ONE_VS_REST

ROW_SUM = 1e-6
"""How far the probabilities of a row may be from a sum of one."""


class SoftLabels(BaseMarginClassifier):
    """A classifier that also learns from distributions over the classes."""

    soft_rows_: Array

    def fit_soft_labels(
        self, X: Any, probabilities: Any, *, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit the model to rows whose classes are known with probabilities.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value.
        probabilities : array-like (n_rows, n_classes)
            Probability of each class for every row; each row has sum one.
        classes : sequence, optional
            The labels that the columns are about, in sorted order; None is 0, 1, …
        sample_weight : array-like, optional
            Nonnegative weights of the rows.

        Returns
        -------
        self
            With ``soft_rows_``, the rows of X that ``dual_`` and ``margins_`` are about, one entry
            for every row and class that has a probability.

        Examples
        --------
        >>> import numpy as np
        >>> from marginboost import GradientBoostClassifier
        >>> X = np.arange(40.0)[:, None]
        >>> second = np.clip((X[:, 0] - 10.0) / 20.0, 0.0, 1.0)
        >>> model = GradientBoostClassifier(min_samples_leaf=2)
        >>> model = model.fit_soft_labels(X, np.column_stack([1.0 - second, second]))
        >>> model.predict_proba([[5.0], [20.0], [35.0]])[:, 1].round(1)
        array([0. , 0.5, 1. ])
        """
        oracle = self.checked_oracle()
        rows, features = self._learn_rows(X, probabilities)
        table, labels = read_soft_labels(probabilities, classes, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        which, label = np.nonzero(table)
        shares = weights[which] * table[which, label]
        self.learn_rows(rows.take(which), features, labels[label], shares, oracle, ONE_VS_REST)
        self.soft_rows_ = which
        return self


def read_soft_labels(probabilities: Any, classes: Any, n_rows: int) -> tuple[Array, Array]:
    """Distributions as an array (rows, classes) and the classes, checked.

    >>> read_soft_labels([[1, 0], [0.25, 0.75]], ["no", "yes"], 2)[1].tolist()
    ['no', 'yes']
    """
    table = read_numbers("probabilities", probabilities)
    if table.ndim != 2 or len(table) != n_rows or table.shape[1] < 2:
        raise ValueError(
            f"probabilities: got shape {table.shape}, expected {n_rows} rows and a column for each "
            "of two classes or more"
        )
    if not (table >= 0.0).all():
        raise ValueError("probabilities: got a negative number or NaN, expected probabilities")
    off = np.abs(table.sum(axis=1) - 1.0)
    if not (off <= ROW_SUM).all():
        row = int(np.argmax(off))
        raise ValueError(
            f"probabilities: row {row} has sum {table[row].sum():g}, expected 1 for every row"
        )
    labels = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
    if labels.shape != (table.shape[1],):
        raise ValueError(
            f"classes: got {len(labels)} labels for {table.shape[1]} columns of probabilities"
        )
    if not np.array_equal(labels, np.unique(labels)):
        raise ValueError(
            f"classes: got {labels.tolist()}, expected distinct labels in sorted order"
        )
    return table, labels
