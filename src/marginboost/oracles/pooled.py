"""A pool of the hypotheses found so far, in front of another base learner (R1-A37)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.hypothesis import hypothesis_from_dict
from ..core.oracle import Candidate
from ..core.weights import Weights
from .wrapper import OracleWrapper


class PooledOracle(OracleWrapper):
    """Return the better of what the base learner finds now and of all it found before.

    A heuristic learner may overlook a hypothesis that it once found. With the pool its edges never
    fall below the best edge of the known hypotheses, which closes the set of hypotheses that the
    run has seen and makes the margin bounds over that set meaningful.

    Parameters
    ----------
    oracle : Oracle
        The base learner.
    """

    saved = True
    offers_one = False

    def prepare(self) -> None:
        """Start with an empty pool."""
        super().prepare()
        self.pool: list[Candidate] = []

    def get_state(self) -> dict[str, Any]:
        """Return the hypotheses of the pool, and the factors they are meant with."""
        pool = [[old.hypothesis.to_dict(), old.scale] for old in self.pool]
        return {**super().get_state(), "pool": pool}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Fill the pool again."""
        super().set_state(saved)
        self.pool = []
        for data, scale in saved["pool"]:
            hypothesis = hypothesis_from_dict(data)
            column = self.sample.column(hypothesis)
            self.pool.append(Candidate(hypothesis, 0.0, column, float(scale)))

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The best of new and pooled candidates."""
        dual = weights.dual
        found = self.base.best(weights, k, round=round)
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
