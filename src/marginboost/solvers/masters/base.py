"""What the ways to solve a master problem have in common.

The master problem is the soft-margin program over the hypotheses found so far. A master takes their
columns and returns coefficients and weights. It need not be exact: the bounds of a run are computed
from what it returns, whatever that is; a better answer only brings them closer.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ...types import Array
from .packed_pool import PackedPool
from .problem import MarginProblem

SHARE = 0.2
"""Share of the gap between the bounds that an inexact master may leave open."""


class MasterError(RuntimeError):
    """The master problem was not solved; what is known of the optimum stays true."""


class Clock:
    """Counts the seconds of one solution.

    Parameters
    ----------
    seconds : float or None
        Most of them; None for any number.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._until = None if seconds is None else time.perf_counter() + seconds

    def over(self) -> bool:
        """Whether they are over."""
        return self._until is not None and time.perf_counter() > self._until

    def check(self) -> None:
        """Raise :class:`MasterError` when they are over."""
        if self.over():
            raise MasterError(f"the master problem was not solved in {self._seconds} seconds")


class Master(ABC):
    """Solves the soft-margin program over a pool of columns.

    What a solution depends on besides the pool and the arguments goes through ``get_state``, so
    that an interrupted run can go on with the same bits.

    Parameters
    ----------
    problem : MarginProblem
        The program.
    y : array
        Labels.
    n_threads : int
        Threads.
    seconds : float, optional
        Most seconds for one solution.
    """

    exact: bool = False
    """Whether a solution is exact, so that a run may end when no new hypothesis is found."""

    def __init__(
        self, problem: MarginProblem, y: Array, n_threads: int = 1, seconds: float | None = None
    ) -> None:
        self.problem, self.y, self.n_threads, self.seconds = problem, y, n_threads, seconds
        self.weights: Array = np.empty(0)

    @abstractmethod
    def solve(self, pool: PackedPool, start: Array, gap: float) -> tuple[Array, Array]:
        """Coefficients of the columns, and weights of the examples with sum one.

        ``start`` holds the last coefficients, 0 for new columns; ``gap`` is how far the bounds of
        the run are apart. Raises :class:`MasterError` where there is no solution in time.
        """

    def begin_with(self, weights: Array) -> None:
        """Take weights that were found elsewhere as those of the last solution."""
        self.weights = weights

    def forget(self, kept: Array) -> None:  # noqa: B027 - most have nothing to forget
        """Learn which columns stay in the pool; the others have no weight."""

    def get_state(self) -> dict[str, Any]:
        """Return what the next solution depends on, as plain data; here the last weights."""
        return {"weights": self.weights.tolist()}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Inverse of :meth:`get_state`."""
        self.weights = np.array(saved["weights"])

    def weights_again(self, pool: PackedPool, coef: Array) -> Array:
        """Return the weights of the last solution once more, after an interruption."""
        return self.weights

    def _start_clock(self) -> None:
        self._check_clock = Clock(self.seconds).check
