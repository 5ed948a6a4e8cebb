"""A pool of the hypotheses found so far, in front of another base learner (A37)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.hypothesis import hypothesis_from_dict
from ..core.oracle import Candidate, Oracle
from ..core.types import Array


class PooledOracle(Oracle):
    """Return the better of what the base learner finds now and of all it found before.

    A heuristic learner may overlook a hypothesis that it once found. With the pool its edges never
    fall below the best edge of the known hypotheses, which closes the set of hypotheses that the
    run has seen and makes the margin bounds over that set meaningful.

    Parameters
    ----------
    oracle : Oracle
        The base learner.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    @property
    def needs_bins(self) -> bool:  # type: ignore[override]
        """As its base learner."""
        return self.oracle.needs_bins

    def check(self) -> None:
        """Check the base learner."""
        self.oracle.check()

    def prepare(self) -> None:
        """Start with an empty pool."""
        self._base = self.oracle.bind(self.sample)
        self.exact = self._base.exact
        self.class_name = self._base.class_name
        self.pool: list[Candidate] = []

    def get_state(self) -> dict[str, Any]:
        """Return the hypotheses of the pool, and the factors they are meant with."""
        return {"pool": [[old.hypothesis.to_dict(), old.scale] for old in self.pool]}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Fill the pool again."""
        for data, scale in saved["pool"]:
            hypothesis = hypothesis_from_dict(data)
            column = self.sample.column(hypothesis)
            self.pool.append(Candidate(hypothesis, 0.0, column, float(scale)))

    def bend(self, curvature: Array | None) -> None:
        """Pass it on."""
        self._base.bend(curvature)

    def best(self, dual: Array, k: int = 1, *, round: int = 1) -> list[Candidate]:
        """The best of new and pooled candidates."""
        found = self._base.best(dual, k, round=round)
        new_patterns = {candidate.column.tobytes() for candidate in found}
        pooled = [
            replace(old, edge=float(dual @ old.column))
            for old in self.pool
            if old.column.tobytes() not in new_patterns
        ]
        known = {old.column.tobytes() for old in self.pool}
        self.pool += [new for new in found if new.column.tobytes() not in known]
        edges = np.array([candidate.edge for candidate in [*found, *pooled]])
        order = np.argsort(-edges, kind="stable")[:k]
        return [[*found, *pooled][int(i)] for i in order]
