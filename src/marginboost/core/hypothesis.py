"""What a base learner returns: a bounded function of a row."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from ..types import Array


class Hypothesis(ABC):
    """A function with values in [-1, 1].

    A subclass with a ``kind`` can be written to and read from model files and checkpoints.
    """

    kind: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    """Keys of its plain data besides ``kind``; data with others is refused."""
    in_order: ClassVar[bool] = False
    """Whether :meth:`voter` adds one member after the other: the same bits as one by one."""
    __registry__: ClassVar[dict[str, type[Hypothesis]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("kind"):
            Hypothesis.__registry__[cls.kind] = cls

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the output on one row: () for a number, (K,) for one per label."""
        return ()

    @property
    def fitted(self) -> Any:
        """What a user knows it as: itself, or the fitted estimator that it wraps."""
        return self

    @abstractmethod
    def __call__(self, rows: Array) -> Array:
        """Outputs on dense rows."""

    @abstractmethod
    def negated(self) -> Self:
        """The hypothesis with all outputs negated."""

    @classmethod
    def voter(cls, members: Sequence[Self], coef: Array) -> Callable[[Array], Array]:
        """Return the function ``rows -> Σ coef · member(rows)``.

        A kind with a faster way than one member after the other overrides this.
        """

        def vote(rows: Array) -> Array:
            total = np.zeros((len(rows), *members[0].shape))
            for weight, member in zip(coef, members, strict=True):
                total += weight * member(rows)
            return total

        return vote

    def check_features(self, categories: Sequence[Array | None]) -> None:
        """Raise ValueError unless the features of a model suit this hypothesis.

        Kernels read what it names without looking, so a kind that is read from files must check.

        Parameters
        ----------
        categories : sequence
            The categories of each feature of the model, None of a number.
        """
        raise ValueError(f"a {self.kind} hypothesis does not check its features: not read")

    def cuts(self) -> Iterable[tuple[int, float]]:
        """Features and thresholds that this hypothesis compares, for kinds that read bins."""
        raise TypeError(f"a {type(self).__name__} hypothesis cannot read a BinnedMatrix")

    def with_features(self, features: Array) -> Self:
        """Same function where its feature j is number ``features[j]`` of a wider table."""
        raise TypeError(f"a {type(self).__name__} hypothesis cannot be moved to other features")

    def importances(self, n_features: int) -> Array:
        """Share of each feature in this hypothesis; sums to one, or to zero for a constant."""
        raise NotImplementedError(f"{type(self).__name__} does not say which features it uses")

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which :meth:`from_dict` makes an equal hypothesis."""
        raise TypeError(
            f"a {type(self).__name__} hypothesis cannot be written as data; stumps and trees can. "
            "Use pickle or joblib, for files that you trust"
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of :meth:`to_dict`; raises ValueError on data that is not sound."""
        raise NotImplementedError


def check_feature(feature: int, categories: Sequence[Array | None]) -> None:
    """Raise unless the model has this feature."""
    if not 0 <= feature < len(categories):
        raise ValueError(f"feature {feature} of {len(categories)}")


def check_split(
    feature: int, threshold: float, codes: Sequence[int], categories: Sequence[Array | None]
) -> None:
    """Raise unless a split asks a category for a code, and a number for its size.

    Without codes and with an infinite threshold it asks whether there is a value: that suits both.
    """
    check_feature(feature, categories)
    known = categories[feature]
    if known is None and len(codes):
        raise ValueError(f"feature {feature} is numeric and cannot be split by category")
    if known is not None and not len(codes) and math.isfinite(threshold):
        raise ValueError(f"feature {feature} is categorical and cannot be split by size")
    n_codes = 0 if known is None else max(1, len(known))
    if any(code >= n_codes for code in codes):
        raise ValueError(f"a category above {n_codes - 1} of feature {feature}")


def hypothesis_from_dict(data: dict[str, Any]) -> Hypothesis:
    """Make a hypothesis from plain data, by its ``kind``."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in Hypothesis.__registry__:
        raise ValueError(
            f"hypothesis kind: got {kind!r}, expected one of {sorted(Hypothesis.__registry__)}"
        )
    chosen = Hypothesis.__registry__[kind]
    unknown = sorted(set(data) - {"kind", *chosen.keys}) if chosen.keys else []
    if unknown:
        raise ValueError(f"{kind}: got the key {unknown[0]!r}, expected {', '.join(chosen.keys)}")
    return chosen.from_dict(data)
