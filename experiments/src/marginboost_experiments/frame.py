"""What an experiment is: cases, one trial for each, and what is made of the trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from marginboost.types import Array

from .tables import Comparison, Mean

Case = dict[str, Any]
"""Settings of one trial: numbers and text, no more. Equal settings are the same trial."""
Result = dict[str, Any]
"""What a trial measured: numbers, text, lists."""


class Trials:
    """Finished trials, each a case with its result.

    Parameters
    ----------
    pairs : iterable of (case, result)
        In the order of the plan.
    """

    def __init__(self, pairs: Iterable[tuple[Case, Result]] = ()) -> None:
        self._pairs = list(pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[tuple[Case, Result]]:
        return iter(self._pairs)

    def where(self, **wanted: Any) -> Trials:
        """Trials whose case has these settings."""
        return Trials(
            (case, result)
            for case, result in self._pairs
            if all(case.get(name) == value for name, value in wanted.items())
        )

    def each(self, name: str) -> list[Any]:
        """Values that a setting has, in the order in which they first come."""
        return list(dict.fromkeys(case[name] for case, _ in self._pairs if name in case))

    def results(self, name: str) -> list[Any]:
        """One entry per trial: what was measured under this name."""
        return [result[name] for _, result in self._pairs]

    def array(self, name: str) -> Array:
        """Return the same as an array, one row per trial."""
        return np.array(self.results(name), dtype=np.float64)

    def mean(self, name: str) -> Mean:
        """Mean over the trials."""
        return Mean.of(self.results(name))

    def only(self) -> Result:
        """Result of the one trial there is."""
        if len(self._pairs) != 1:
            raise LookupError(f"trials: got {len(self._pairs)}, expected one")
        return self._pairs[0][1]


@dataclass(frozen=True)
class Finding:
    """What the source says, and whether it holds here.

    Attributes
    ----------
    claim : str
        One sentence.
    holds : bool
        Whether the trials bear it out.
    evidence : str
        The numbers.
    """

    claim: str
    holds: bool | np.bool_
    evidence: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))

    def __str__(self) -> str:
        sign = "holds" if self.holds else "does not hold"
        return f"{sign}: {self.claim}" + (f" ({self.evidence})" if self.evidence else "")


@dataclass(frozen=True)
class Experiment:
    """One experiment of the literature.

    Parameters
    ----------
    plan : callable
        Called with the finished trials and the settings of a size; returns all cases that
        should be there. It is called again when they are done, so that later cases may
        depend on what earlier ones found: parameters that are chosen first.
    trial : callable
        Called with the settings of a case; returns what it measured. Whatever is random in
        it comes from a seed among the settings.
    tables : callable
        From trials to tables.
    findings : callable
        From trials to statements about them.
    sizes : mapping
        Settings of the plan: "quick" takes minutes, "full" has the published number of trials,
        "tiny" takes a second and is for tests.
    draw : callable, optional
        Called with trials and an empty figure of matplotlib; draws the figure.
    figure_size : pair of floats
        Inches.
    catalogue : sequence of str
        Ids of docs/catalogue that are reproduced.
    data : sequence of str
        Data sets that are read, names for :func:`marginboost.datasets.load`.
    """

    plan: Callable[..., list[Case]]
    trial: Callable[..., Result]
    tables: Callable[[Trials], Iterable[Comparison]]
    findings: Callable[[Trials], Iterable[Finding]]
    sizes: Mapping[str, Mapping[str, Any]]
    draw: Callable[[Trials, Any], None] | None = None
    figure_size: tuple[float, float] = (7.6, 4.0)
    catalogue: Sequence[str] = ()
    data: Sequence[str] = field(default=())
