"""Which solver of the master problem suits a sample."""

from __future__ import annotations

from .base import Master
from .interior import InteriorMaster
from .simplex import SimplexMaster
from .smooth import SmoothMaster

MASTERS: dict[str, type[Master]] = {
    "simplex": SimplexMaster,
    "interior": InteriorMaster,
    "smooth": SmoothMaster,
}
SIMPLEX_ROWS, INTERIOR_ROWS = 500, 2000
"""Rows up to which "auto" means the simplex and the interior-point method."""


def suited_solver(solver: str, n_rows: int) -> str:
    """Name of a solver; "auto" is exact for few rows, fast for many."""
    if solver != "auto":
        return solver
    if n_rows <= SIMPLEX_ROWS:
        return "simplex"
    return "interior" if n_rows <= INTERIOR_ROWS else "smooth"
