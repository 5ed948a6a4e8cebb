"""What every noise filter has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from ...data import BinnedMatrix
from ...data.table import is_frame
from ...fitting.inputs import distinct_labels, read_labels
from ...types import Array
from ..folds import take_rows


class NoiseFilter(BaseEstimator, ABC):
    """Finds rows whose label is probably wrong.

    Parameters are given to ``__init__`` and checked in ``fit``. A subclass says in ``_find`` how
    clean each row is and which rows it flags; being a subclass registers it.

    Attributes
    ----------
    flagged_ : array of bool
        The rows flagged.
    score_ : array of float
        How clean each row is, the larger the cleaner, in the filter's own unit; the most
        suspicious rows have the smallest, as in :class:`~marginboost.audit.LabelAudit`.
    """

    __registry__: ClassVar[dict[str, type[NoiseFilter]]] = {}
    reads_numbers: ClassVar[bool] = True
    """Whether rows must be numeric; else they are what the filter's voters take."""
    takes_missing: ClassVar[bool] = False
    """Whether numeric rows may miss values."""
    two_classes: ClassVar[bool] = False
    """Whether it is for two classes only."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.rpartition(".")[2].startswith("_"):
            NoiseFilter.__registry__[cls.__name__] = cls

    def fit(self, X: Any, y: Any) -> Self:
        """Find the noisy rows.

        Parameters
        ----------
        X : array-like or data frame
            Rows.
        y : array-like
            Their labels, some of them wrong.

        Returns
        -------
        self
        """
        self._check_parameters()
        rows = self._read_rows(X, y)
        labels = self._read_target(y, rows.shape[0])
        self.score_, self.flagged_ = self._find(rows, labels)
        return self

    def fit_clean(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Find the noisy rows; return the other rows, and their labels."""
        kept = np.flatnonzero(~self.fit(X, y).flagged_)
        return take_rows(X, kept), take_rows(y, kept)

    def companion(self) -> Any:
        """Return the classifier, not fitted, that goes with this filter where its authors name one.

        Single-algorithm filters classify with the algorithm that filters (CH-A12a).
        """
        raise ValueError(
            f"{type(self).__name__} has no classifier of its own; expected one to be given"
        )

    # -- what subclasses say ---------------------------------------------------------------------

    @abstractmethod
    def _find(self, X: Any, y: Array) -> tuple[Array, Array]:
        """Score of every row, and whether it is flagged."""

    def _check_parameters(self) -> None:
        """Raise unless the parameters are sound."""

    def _read_target(self, y: Any, n_rows: int) -> Array:
        labels = read_labels(y, n_rows)
        classes = distinct_labels(labels)
        if len(classes) < 2:
            raise ValueError(f"y: got one class ({classes.tolist()[0]!r}), expected at least two")
        if self.two_classes and len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(labels)}: {type(self).__name__} got {len(classes)} classes"
            )
        return labels

    def _read_rows(self, X: Any, y: Any) -> Any:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        if self.reads_numbers:
            finite: bool | str = "allow-nan" if self.takes_missing else True
            return validate_data(
                self, X, dtype=np.float64, ensure_min_samples=2, ensure_all_finite=finite
            )
        if isinstance(X, BinnedMatrix):
            self.n_features_in_ = X.n_features
            return X
        if is_frame(X):
            validate_data(self, X, skip_check_array=True)
            return X
        settings = {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": "allow-nan"}
        return validate_data(self, X, ensure_min_samples=2, **settings)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=not self.two_classes)
        tags.input_tags.sparse = not self.reads_numbers
        tags.input_tags.allow_nan = self.takes_missing or not self.reads_numbers
        return tags
