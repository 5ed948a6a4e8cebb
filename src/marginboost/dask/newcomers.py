"""Workers that come in the course of a fit take parts from those that hold many.

A lost worker leaves its parts to the others, which take longer with them for the rest of the fit.
Where another comes in its place, it is given a share of the parts: their rows are sent there, it
does what changed them, and then the others let go of them. The fit goes on meanwhile: a new worker
loads and compiles for seconds, so it does everything once to practise, and once more at the end,
when all wait for it.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distributed import Future

if TYPE_CHECKING:
    from .holders import DaskParts, Held

LOOK = 1.0
"""Seconds between two looks whether a worker has come."""


@dataclass
class Move:
    """Parts on their way to a worker: its holder to be, their rows there, what it practises."""

    held: Held
    sources: list[Future]
    practice: Any = None


class Newcomers:
    """Gives workers that come a share of the parts.

    Parameters
    ----------
    parts : DaskParts
        All of them.
    """

    def __init__(self, parts: DaskParts) -> None:
        self._parts = parts
        self._expected, self._looked = True, time.monotonic()
        self._move: Move | None = None

    def expect(self) -> None:
        """Look out for workers from now on: one was lost."""
        self._expected = True

    def forget(self) -> None:
        """Look out for nobody any more."""
        self._expected = False
        self._give_up()

    def take_their_share(self) -> None:
        """Go one step further, without waiting: look, send rows, practise, take over."""
        if not self._expected:
            return
        if self._move is not None and self._is_ready(self._move):
            self._take_over(self._move)
        elif time.monotonic() - self._looked > LOOK:
            self._look()
            self._looked = time.monotonic()

    def _look(self) -> None:
        """Begin to move parts to a worker that has none, from the one that has most."""
        there = self._parts.workers()
        if self._move is not None:
            if self._move.held.worker not in there:
                self._give_up()
            return
        counts = Counter[str]()
        for held in self._parts.held:
            counts[held.worker] += len(held.numbers)
        free = sorted(there - set(counts))
        crowded, most = counts.most_common(1)[0]
        if not free or most < 2:
            self._expected = most >= 2
            return
        theirs = [k for held in self._parts.held if held.worker == crowded for k in held.numbers]
        numbers, client = sorted(theirs)[: most // 2], self._parts.client
        sources = [
            client.submit(as_it_is, self._parts.sources[number], workers=free[:1], pure=False)
            for number in numbers
        ]
        self._move = Move(self._parts.submit_holder(free[0], numbers, sources), sources)

    def _is_ready(self, move: Move) -> bool:
        """Whether a worker has done everything once."""
        if move.practice is None:
            if move.held.future.status == "finished":
                move.practice = self._parts.practise(move.held)
            elif move.held.future.status != "pending":
                self._give_up()
            return False
        if not move.practice.done():
            return False
        try:
            _, error = move.practice.result(timeout=LOOK)
        except Exception as lost:
            error = lost
        if error is not None:  # such as too little memory: the fit goes on without it
            self._give_up()
        return error is None

    def _take_over(self, move: Move) -> None:
        """Let a worker catch up with the present, and those that had its parts let go of them."""
        if not self._parts.catch_up([move.held]):
            self._give_up()
            return
        self._parts.hand_over(move.held, move.sources)
        self._move = None

    def _give_up(self) -> None:
        if self._move is not None:
            self._parts.let_go(self._move.held)
            self._move = None


def as_it_is(source: Any) -> Any:
    """Have rows sent to another worker."""
    return source
