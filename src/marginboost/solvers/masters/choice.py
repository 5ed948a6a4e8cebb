"""Solvers of the master problem by name, and which of them suits a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...core.sample import Sample
from .base import Master
from .interior import InteriorMaster
from .problem import MarginProblem
from .simplex import SimplexMaster
from .smooth import NewtonThenSmooth, SmoothMaster

MASTERS: dict[str, type[Master]] = {
    "simplex": SimplexMaster,
    "interior": InteriorMaster,
    "smooth": SmoothMaster,
}
SIMPLEX_ROWS, INTERIOR_ROWS = 500, 2000
"""Rows up to which "auto" means the simplex method, and the interior-point one of few columns."""


def make_master(
    solver: str,
    problem: MarginProblem,
    sample: Sample,
    seconds: float | None = None,
    masters: Mapping[str, Callable[..., Master]] = MASTERS,
    of_some_rows: Callable[..., Master] = NewtonThenSmooth,
) -> Master:
    """Make the solver of a program on a sample; "auto" is exact for few rows, fast for many."""
    few, some = len(sample.y) <= SIMPLEX_ROWS, len(sample.y) <= INTERIOR_ROWS
    if solver == "auto" and some and not few:
        make = of_some_rows
    else:
        make = masters[solver if solver != "auto" else "simplex" if few else "smooth"]
    return make(problem, sample.y, sample.n_threads, seconds)
