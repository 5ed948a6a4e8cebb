"""More than two classes by way of two: which code, and how votes are decoded."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..model import make_code
from ..types import Array


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
        """Raise for a matrix of another size: two classes need no code."""
        if not isinstance(self.code, str):
            make_code(self.code, 2)

    def make_code(self, n_classes: int, seed: int) -> Array:
        """Matrix of the code (classes, problems)."""
        return make_code(self.code, n_classes, seed)


ONE_VS_REST = Reduction()
"""Each class against all others."""
