"""A weighted vote of hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..kernels.parallel import run_blocks
from ..types import Array
from .hypothesis import Hypothesis


class Rows(Protocol):
    """Anything that hands out dense rows: a table or a binned matrix."""

    n_rows: int

    def dense(self, start: int, stop: int) -> Array:
        """Rows as numbers."""

    def chunks(self) -> Any:
        """Row ranges small enough to be made dense."""


@dataclass(frozen=True)
class Ensemble:
    """``F(x) = Σ coef_t h_t(x)``, with equally many coefficients and hypotheses.

    The coefficients are kept as a copy that cannot be written, since tables for prediction are made
    from them once.
    """

    members: tuple[Hypothesis, ...]
    coef: Array

    def __post_init__(self) -> None:
        if len(self.members) != len(self.coef):
            raise ValueError(f"{len(self.members)} hypotheses but {len(self.coef)} coefficients")
        coef = np.array(self.coef, dtype=np.float64)
        coef.flags.writeable = False
        object.__setattr__(self, "coef", coef)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.members, self.coef)  # and no tables

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def l1_norm(self) -> float:
        """Sum of absolute coefficients: scores divided by it are votes in [-1, 1]."""
        return float(np.abs(self.coef).sum())

    @property
    def l1_norms(self) -> Array:
        """Sums of the first 1, 2, … absolute coefficients; the last one is :attr:`l1_norm`.

        A running sum may end in another last bit than the sum of all.
        """
        norms = np.cumsum(np.abs(self.coef))
        norms[-1:] = self.l1_norm
        return norms

    @property
    def in_order(self) -> bool:
        """Whether :meth:`scores` are the same bits as those of one hypothesis after the other."""
        kinds = {type(member) for member in self.members}
        return not kinds or (len(kinds) == 1 and kinds.pop().in_order)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the score of one row."""
        return self.members[0].shape if self.members else ()

    def scores(self, rows: Rows, n_threads: int = 1) -> Array:
        """``F`` for every row, a chunk of rows at a time."""
        voters = self._voters
        out = np.zeros((rows.n_rows, *self.shape))
        chunks = list(rows.chunks())

        def one(chunk: int) -> None:
            start, stop = chunks[chunk]
            dense = rows.dense(start, stop)
            for vote in voters:
                out[start:stop] += vote(dense)

        run_blocks(one, len(chunks), n_threads)
        return out

    def staged_scores(self, rows: Rows) -> Iterator[Array]:
        """``F`` after 1, 2, … hypotheses: each stage costs one hypothesis, not all before it.

        The last stage is :meth:`scores`, bit for bit.
        """
        dense = rows.dense(0, rows.n_rows)
        scores = np.zeros((rows.n_rows, *self.shape))
        last = len(self) if self.in_order else len(self) - 1
        for weight, member in zip(self.coef[:last], self.members[:last], strict=True):
            scores = scores + weight * member(dense)
            yield scores
        if last < len(self):  # tables add up by feature, not by hypothesis
            yield self.scores(rows)

    @cached_property
    def _voters(self) -> list[Callable[[Array], Array]]:
        """Votes of each kind of hypothesis, with their tables.

        Made when first needed; two threads that both come first make the same ones.
        """
        return [kind.voter(members, coef) for kind, members, coef in self.by_kind()]

    def by_kind(self) -> Iterator[tuple[type[Hypothesis], Sequence[Any], Array]]:
        """Hypotheses of each kind, with their coefficients."""
        places: dict[type[Hypothesis], list[int]] = {}
        for t, member in enumerate(self.members):
            places.setdefault(type(member), []).append(t)
        for kind, which in places.items():
            yield kind, [self.members[t] for t in which], self.coef[which]
