"""Parts of a table on the workers of a cluster, which may be lost and are made anew.

One actor on each worker holds its parts. A call asks all of them and waits. Where a worker is lost,
the scheduler makes its rows anew from their lineage, another worker's actor takes them, repeats
what changed them (:class:`Log`), and is asked the same question. Calls are numbered, so that one
which is repeated changes nothing twice.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from distributed import Client, Future, wait

from ..core.hypothesis import Hypothesis
from ..core.label_parts import begin_labels
from ..core.parts import Part, Parts, Source, add_hypothesis, add_members, begin, clear_scores

T = TypeVar("T")
Call = tuple[Callable[..., Any], tuple[Any, ...]]

LOOK = 1.0
"""Seconds after which it is looked whether a worker that has not answered is still there."""
PATIENCE = 60.0
"""Seconds to wait for a worker where there is none."""
MOST_LOSSES = 30
"""Losses in one call after which something else must be wrong."""
GONE = (OSError, RuntimeError, KeyError, asyncio.CancelledError)
"""What a call raises when the worker, or what it held, is gone; answers carry errors of ours."""


class Holder:
    """Parts on one worker.

    Parameters
    ----------
    sources : list of Source
        What they are made from.
    """

    def __init__(self, sources: list[Source]) -> None:
        self._parts = [Part.of(source) for source in sources]
        self._last: tuple[int, Any] = (-1, None)

    def ask(self, number: int, call: Call) -> tuple[list[Any] | None, Exception | None]:
        """Answers of all parts, or the error that one raised; the last call may be repeated."""
        if number != self._last[0]:
            self._last = (number, self._answer(call))
        return self._last[1]

    def catch_up(self, calls: list[Call]) -> tuple[list[Any] | None, Exception | None]:
        """Do again what changed the parts before they were lost."""
        for call in calls:
            answer = self._answer(call)
            if answer[1] is not None:
                return answer
        return [], None

    def _answer(self, call: Call) -> tuple[list[Any] | None, Exception | None]:
        question, args = call
        try:
            return [question(part, *args) for part in self._parts], None
        except Exception as error:  # sent to the client, which raises it
            return None, error


@dataclass
class Log:
    """What a part that is made anew must be told.

    Scores are those of all moves, or were set at once. Weights follow from the last of these and
    from what came after, so that nothing else must be repeated.
    """

    layout: list[Call] = field(default_factory=list)
    moves: list[tuple[Hypothesis, float]] = field(default_factory=list)
    since: list[Call] = field(default_factory=list)

    def note(self, question: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Keep a call that all parts have answered."""
        if question in (begin, begin_labels):
            self.layout, self.moves, self.since = [], [], []
        if getattr(question, "lays_out", False):
            self.layout.append((question, args))
            return
        if getattr(question, "settles", False):
            self.moves, self.since = [], [(question, args)]
            return
        if args and getattr(args[0], "begins_anew", False):  # of the same kind, the last will do
            self.since = [call for call in self.since if call[0] is not question]
        if question in (clear_scores, add_hypothesis):
            self._close_move()
            self.since = []
        if question is clear_scores:
            self.moves = []
        else:
            self.since.append((question, args))

    def _close_move(self) -> None:
        """Of a move that another one follows, only the scores matter."""
        if self.since and self.since[0][0] is add_hypothesis:
            candidate, step = self.since[0][1][:2]
            self.moves.append((candidate.hypothesis, step))

    def calls(self) -> list[Call]:
        """Everything that is to be done again, in order."""
        moves: list[Call] = [(add_members, (list(self.moves),))] if self.moves else []
        return [*self.layout, *moves, *self.since]


class Held(NamedTuple):
    """An actor, the worker it is on, and the numbers of its parts."""

    worker: str
    future: Future
    actor: Any
    numbers: list[int]


class DaskParts(Parts):
    """Parts on a cluster.

    Parameters
    ----------
    client : Client
        Of the cluster.
    sources : sequence of Future
        A :class:`~marginboost.core.parts.Source` each, in the order of the rows, with its lineage.
    """

    def __init__(self, client: Client, sources: Sequence[Future]) -> None:
        self._client, self._sources = client, list(sources)
        self._log, self._number, self._losses = Log(), 0, 0
        self._held: list[Held] = []
        self._place(range(len(self._sources)))

    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Ask all workers at once; what is lost meanwhile is made anew and asked again."""
        self._number += 1
        self._losses = 0
        answers: dict[int, T] = {}
        waiting = list(self._held)
        while waiting:
            asked = [(held, self._ask(held, question, args)) for held in waiting]
            lost = []
            for held, reply in asked:
                got = None if reply is None else self._wait(reply, held.worker)
                if got is None:
                    lost.append(held)
                    continue
                found, error = got
                if isinstance(error, MemoryError):
                    raise MemoryError(
                        f"worker {held.worker} has no memory left for its {len(held.numbers)} "
                        "parts of the table; use more workers, or ones with more memory"
                    ) from error
                if error is not None:
                    raise error
                answers.update(zip(held.numbers, found, strict=True))
            waiting = self._replace(lost) if lost else []
        self._log.note(question, args)
        return [answers[number] for number in range(len(self._sources))]

    def close(self) -> None:
        """Let the workers forget the parts."""
        for held in self._held:
            held.future.release()
        self._held = []
        self._client.cancel(self._sources)

    def _ask(self, held: Held, question: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Send a question; None where the actor is known to be lost."""
        try:
            return held.actor.ask(self._number, (question, args))
        except GONE:
            return None

    def _wait(self, reply: Any, worker: str) -> Any:
        """Return what comes from a worker; None where it is lost."""
        while True:
            try:
                return reply.result(timeout=LOOK)
            except TimeoutError:
                if worker not in self._workers():
                    return None
            except GONE:
                return None

    def _workers(self) -> set[str]:
        """Addresses of the workers that are there."""
        return set(self._client.nthreads())

    def _replace(self, lost: list[Held]) -> list[Held]:
        """Make the parts of lost workers anew; returns their new places."""
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise RuntimeError(
                f"parts of the table were lost {MOST_LOSSES} times in one step; see the logs of "
                "the workers, which may lack memory"
            )
        for held in lost:
            held.future.release()
            self._held.remove(held)
        return self._place(number for held in lost for number in held.numbers)

    def _place(self, numbers: Iterable[int]) -> list[Held]:
        """Have actors made for some parts where their rows are, and tell them what they missed."""
        placed: list[Held] = []
        waiting = sorted(numbers)
        while waiting:
            for worker, mine in self._locate(waiting).items():
                held = self._make_holder(worker, mine)
                if held is not None:
                    placed.append(held)
                    self._held.append(held)
                    waiting = [number for number in waiting if number not in mine]
            self._losses += bool(waiting)
            if self._losses > MOST_LOSSES:
                raise RuntimeError("parts of the table could not be placed on any worker")
        return placed

    def _locate(self, numbers: list[int]) -> dict[str, list[int]]:
        """Wait for the rows of some parts; which worker is to hold which."""
        futures = [self._sources[number] for number in numbers]
        while True:
            self._await_workers()
            try:
                wait(futures, timeout=LOOK)
            except TimeoutError:
                continue
            for future in futures:
                if future.status in ("lost", "cancelled"):
                    raise RuntimeError(
                        "rows were lost with a worker and cannot be made anew: the input was put "
                        "on the cluster as data, not as a graph"
                    )
                if future.status == "error":
                    future.result()
            where = self._client.who_has(futures)
            places: dict[str, list[int]] = {}
            for number, future in zip(numbers, futures, strict=True):
                if where.get(future.key):
                    places.setdefault(min(where[future.key]), []).append(number)
            if places:
                return places

    def _await_workers(self) -> None:
        """Wait until there is a worker."""
        if not self._workers():
            try:
                self._client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                raise RuntimeError(
                    f"all workers were lost, and none has come for {PATIENCE:g} s"
                ) from None

    def _make_holder(self, worker: str, numbers: list[int]) -> Held | None:
        """Make an actor on a worker; None where it is lost."""
        future = self._client.submit(
            Holder,
            [self._sources[number] for number in numbers],
            key=f"marginboost-holder-{uuid.uuid4().hex}",
            workers=[worker],
            allow_other_workers=False,
            actor=True,
        )
        actor = self._wait(future, worker)
        if actor is not None:
            try:
                got = self._wait(actor.catch_up(self._log.calls()), worker)
            except GONE:
                got = None
            if got is not None and got[1] is not None:
                raise got[1]
            if got is not None:
                return Held(worker, future, actor, numbers)
        future.release()
        return None
