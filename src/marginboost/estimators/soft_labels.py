"""Labels that are known with probabilities only, for every row a distribution over the classes.

Problem: minimise the expected loss ``Σ_i w_i Σ_k P_ik L(k, F(x_i))`` where nobody knows which
class a row has. That is the loss of a table in which a row stands once for every class that it may
have, with weight ``w_i P_ik``; and since a weight of 2 means two rows, nothing else needs to
change. A row whose class is certain stands once.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..fitting.inputs import read_weights
from ..fitting.soft_labels import read_soft_labels
from ..types import Array
from .base import algorithm_to_fit
from .classifier import BaseMarginClassifier


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
        algorithm = algorithm_to_fit(self)
        rows, features = self._learn_features(X, probabilities)
        table, labels = read_soft_labels(probabilities, classes, rows.n_rows)
        weights = read_weights(sample_weight, rows.n_rows)
        which, label = np.nonzero(table)
        shares = weights[which] * table[which, label]
        training = self._training_rows(rows.take(which), features, labels[label], shares)
        self._fit_rows(algorithm, training)
        self.soft_rows_ = which
        return self
