"""The record of a run, one row per round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..types import Array

FIELDS = {
    "edge": "edge of the hypothesis found (γ)",
    "error": "its weighted error, (1 - edge) / 2",
    "coef": "coefficient it got (α); 0 where the round added nothing",
    "normaliser": "factor by which the total weight changed (Z)",
    "target": "target margin of the round (ϱ)",
    "min_margin": "smallest margin of the combination after the round (ρ)",
    "length": "Σ|α| after the round",
    "loss": "mean training loss after the round, where the algorithm minimises one",
    "validation": "what is watched on other rows after the round: a loss, or minus a score",
    "lower": "best lower bound so far",
    "upper": "best upper bound so far",
    "gap": "upper - lower",
    "seconds": "time since the run began",
}

NAN = float("nan")
OPTIONAL = ("loss", "validation")
"""Fields that a model file leaves out where no round has them."""
TIMES = ("seconds",)
"""Fields that are about the machine and not about the model: a model file does not keep them."""


class History:
    """Arrays by name: ``history["edge"][t]`` is the edge of round t + 1.

    >>> history = History()
    >>> history.append(edge=0.5, coef=0.55)
    >>> len(history), history["edge"]
    (1, array([0.5]))
    """

    def __init__(self, rows: dict[str, list[float]] | None = None) -> None:
        self._rounds: list[dict[str, float]] = []
        if rows is not None:
            known = [name for name in FIELDS if name in rows]
            values = zip(*(rows[name] for name in known), strict=True)
            self._rounds = [dict(zip(known, row, strict=True)) for row in values]

    def append(self, **values: float) -> None:
        """Add a round; a quantity that is not given is NaN."""
        if not values.keys() <= FIELDS.keys():
            raise KeyError(f"unknown history fields: {sorted(values.keys() - FIELDS.keys())}")
        self._rounds.append(values)

    def amend(self, **values: float) -> None:
        """Give quantities of the newest round that are known only after it."""
        if unknown := values.keys() - FIELDS.keys():
            raise KeyError(f"unknown history fields: {sorted(unknown)}")
        self._rounds[-1].update(values)

    def first(self, n_rounds: int) -> History:
        """Return the record of the first rounds."""
        return History({name: self._column(name)[:n_rounds] for name in FIELDS})

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[str]:
        return iter(FIELDS)

    def __getitem__(self, name: str) -> Array:
        return np.array(self._column(name))

    def _column(self, name: str) -> list[float]:
        if name not in FIELDS:
            raise KeyError(name)
        return [float(values.get(name, NAN)) for values in self._rounds]

    def last(self, name: str) -> float:
        """Value of the newest round."""
        return float(self._rounds[-1].get(name, NAN))

    def to_dict(self) -> dict[str, list[float]]:
        """Plain lists, as files keep them."""
        return {name: self._column(name) for name in FIELDS}

    def to_frame(self) -> Any:
        """As a pandas data frame, indexed by round."""
        import pandas as pd

        index = pd.RangeIndex(1, len(self) + 1, name="round")
        return pd.DataFrame({name: self[name] for name in self}, index=index)

    def __repr__(self) -> str:
        return f"History({len(self)} rounds: {', '.join(self)})"
