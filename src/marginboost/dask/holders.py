"""Parts of a table on the workers of a cluster, which may be lost and are made anew.

One actor on each worker holds its parts. A call asks all of them and waits. Where a worker is lost,
the scheduler makes its rows anew from their lineage, another worker's actor takes them, repeats
what changed them (:class:`Log`), and is asked the same question. Calls are numbered, so that one
which is repeated changes nothing twice, and an actor that the scheduler made anew behind our back
is found out. A worker that comes later takes its share (:mod:`.newcomers`).
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from distributed import Client, Future, wait
from distributed.protocol import pickle

from ..core.hypothesis import Hypothesis
from ..core.label_parts import begin_labels
from ..core.parts import (
    MakeArgs,
    Part,
    Parts,
    Source,
    add_hypothesis,
    add_members,
    begin,
    clear_scores,
)
from .channels import Channel, converse, open_channel, take_calls
from .memory import keep_memory
from .newcomers import Newcomers
from .partitions import has_no_recipe
from .pieces import gather
from .waiting import await_workers

T = TypeVar("T")
Call = tuple[Callable[..., Any], tuple[Any, ...]]
Answer = tuple[list[list[Any]], Exception | None]
"""Answers of the parts of one worker to some calls, or an error that one of them raised."""

LOOK = 1.0
"""Seconds after which it is looked whether a worker that has not answered is still there."""
REACH = 2.0
"""Seconds in which a worker must answer the client itself; else the scheduler passes words on."""
MOST_LOSSES = 30
"""Losses in one call after which something else must be wrong."""
GONE = (OSError, RuntimeError, KeyError, asyncio.CancelledError, CancelledError)
"""What a call raises when the worker, or what it held, is gone; answers carry errors of ours."""


class Holder:
    """Parts on one worker.

    Parameters
    ----------
    sources : list of Source
        What they are made from.
    """

    def __init__(self, sources: list[Source]) -> None:
        keep_memory()
        self._parts = [Part.of(source) for source in sources]
        self._last: tuple[int | None, Answer] = (None, ([], None))

    def ask(self, number: int, message: bytes) -> Answer | None:
        """Do what a message says; returns the answers of all parts to its last calls.

        The last message may be repeated. None says that those before it were never heard here.
        """
        last, answer = self._last
        if number == last:
            return answer
        if last is None or number != last + 1:
            return None
        self._last = (number, self._do(message))
        return self._last[1]

    def catch_up(self, number: int, message: bytes) -> Answer:
        """Do again what changed the parts, up to the message of this number."""
        answer = self._do(message)
        self._last = (number, answer)
        return answer

    def take_calls(self) -> bool:
        """Let the client open a channel to this holder; False where it cannot."""
        return take_calls()

    def drop(self, places: list[int]) -> bool:
        """Let go of some parts, by their places here."""
        self._parts = [part for place, part in enumerate(self._parts) if place not in places]
        return True

    def _do(self, message: bytes) -> Answer:
        answers = []
        try:
            calls, n_wanted = pickle.loads(message)
            for k, (question, args) in enumerate(calls, start=n_wanted - len(calls)):
                found = self._ask(question, args)
                if k >= 0:
                    answers.append(found)
        except Exception as error:  # sent to the client, which raises it
            return [], error
        return answers, None

    def _ask(self, question: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
        if not getattr(question, "adds_up", False):
            return [question(part, *args) for part in self._parts]
        total = None
        for part in self._parts:
            total = question(part, *args, so_far=total)
        return [total]


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
        self.client, self.sources = client, list(sources)
        self._log, self._number, self.held = Log(), 0, list[Held]()
        self._told: list[Call] = []
        self._habits: dict[Any, tuple[Callable[..., Any], MakeArgs]] = {}
        self._ahead: tuple[Call, list[Any]] | None = None
        self._direct, self._losses = client.direct_to_workers is not False, 0
        self._channels: dict[str, Channel] = {}
        self._newcomers = Newcomers(self)
        self._place(range(len(self.sources)))

    def tell(self, question: Callable[..., Any], *args: Any) -> None:
        """Have something done; it is sent with the next question, which saves a trip."""
        self._told.append((question, args))

    def foresee(
        self, after: Callable[..., Any], question: Callable[..., Any], make_args: MakeArgs
    ) -> None:
        """Ask a question together with the one that it will follow."""
        self._habits[after] = question, make_args

    def each(self, question: Callable[..., T], *args: Any) -> list[T]:
        """Ask all workers at once; what is lost meanwhile is made anew and asked again."""
        known = self._known(question, args)
        if known is not None:
            return known
        calls, self._told = [*self._told, (question, args)], []
        following = self._following(question)
        if following is None:
            return self._send(calls, 1)[0]
        first, second = self._send([*calls, following], 2)
        self._ahead = following, second
        return first

    def _known(self, question: Callable[..., T], args: tuple[Any, ...]) -> list[T] | None:
        """Answers to a question that was foreseen, just so, and after which nothing was said."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or self._told:
            return None
        (foreseen, expected), answers = ahead
        same = question is foreseen and len(args) == len(expected)
        same = same and all(a is b for a, b in zip(args, expected, strict=True))
        return answers if same else None

    def _following(self, question: Callable[..., Any]) -> Call | None:
        """The call that will follow a question, where one is foreseen."""
        if question not in self._habits:
            return None
        following, make_args = self._habits[question]
        args = make_args()
        return None if args is None else (following, args)

    def _send(self, calls: list[Call], n_wanted: int) -> list[list[Any]]:
        """Have calls done by all workers; answers of all parts to the last ones."""
        self._newcomers.take_their_share()
        message = pickle.dumps((calls, n_wanted))
        self._losses = 0
        answers: list[dict[int, Any]] = [{} for _ in range(n_wanted)]
        waiting = list(self.held)
        while waiting:
            lost = []
            found = self.ask(waiting, "ask", self._number + 1, message)
            for held, got in zip(waiting, found, strict=True):
                if got is None:
                    lost.append(held)
                    continue
                for known, theirs in zip(answers, _checked(held, got), strict=True):
                    known.update(zip(held.numbers, theirs, strict=len(theirs) > 1))
            waiting = self._replace(lost) if lost else []
        self._number += 1
        for call in calls:
            self._log.note(*call)
        return [[known[number] for number in sorted(known)] for known in answers]

    def close(self) -> None:
        """Let the workers forget the parts."""
        self._newcomers.forget()
        for held in self.held:
            self.let_go(held)
        self.held = []
        self.client.cancel(self.sources)

    # -- talk --------------------------------------------------------------------------------------

    def ask(self, asked: list[Held], method: str, *args: Any) -> list[Any]:
        """What a method of holders returns, in one trip to all of them; None where one is lost."""
        channels = [self._channels[held.future.key] for held in asked if self._is_near(held)]
        if len(channels) < len(asked):
            found: list[Any] = self.client.sync(self._gather, asked, method, args)
            return found

        def missing() -> set[int]:
            there = self.workers()
            return {k for k, held in enumerate(asked) if held.worker not in there}

        return converse(channels, (method, args), LOOK, missing)

    def _is_near(self, held: Held) -> bool:
        """Whether there is a channel to a holder."""
        return held.future.key in self._channels

    async def _gather(self, asked: list[Held], method: str, args: tuple[Any, ...]) -> list[Any]:
        tasks = [asyncio.ensure_future(self._execute(held, method, args)) for held in asked]
        try:
            waiting = set(tasks)
            while waiting:
                _, waiting = await asyncio.wait(waiting, timeout=LOOK)
                there = await self.client.scheduler.ncores() if waiting else ()
                for held, task in zip(asked, tasks, strict=True):
                    if task in waiting and held.worker not in there:
                        task.cancel()
        finally:
            for task in tasks:
                task.cancel()
        return [None if task.cancelled() else task.result() for task in tasks]

    async def _execute(self, held: Held, method: str, args: tuple[Any, ...]) -> Any:
        """Call a method of a holder; None where it is lost."""
        message = {"function": method, "actor": held.future.key, "args": args, "kwargs": {}}
        try:
            if self._direct:
                reply = await self.client.rpc(held.worker).actor_execute(**message)
            else:
                message["op"] = "actor_execute"
                reply = await self.client.scheduler.proxy(worker=held.worker, msg=message)
        except GONE:
            return None
        return reply["result"] if reply["status"] == "OK" else None

    async def _reach(self, workers: list[str]) -> bool:
        """Whether workers can be talked to without the scheduler."""
        asked = [self.client.rpc(worker).identity() for worker in workers]
        try:
            await asyncio.wait_for(asyncio.gather(*asked), REACH)
        except (OSError, RuntimeError):
            return False
        return True

    async def _open_channels(self, new: list[Held]) -> None:
        """Open channels to holders where that can be done."""
        willing = await self._gather(new, "take_calls", ())
        near = [held for held, does in zip(new, willing, strict=True) if does]
        opening = (open_channel(self.client, held.worker, held.future.key, REACH) for held in near)
        for held, channel in zip(near, await asyncio.gather(*opening), strict=True):
            if channel is not None:
                self._channels[held.future.key] = channel

    def let_go(self, held: Held) -> None:
        """Have the cluster forget a holder."""
        channel = self._channels.pop(held.future.key, None)
        if channel is not None:
            channel.close()
        held.future.release()

    # -- places ------------------------------------------------------------------------------------

    def workers(self) -> set[str]:
        """Addresses of the workers that are there."""
        return set(self.client.nthreads())

    def _replace(self, lost: list[Held]) -> list[Held]:
        """Make the parts of lost workers anew; returns their new places."""
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise RuntimeError(
                f"parts of the table were lost {MOST_LOSSES} times in one step; see the logs of "
                "the workers, which may lack memory"
            )
        for held in lost:
            self.let_go(held)
            self.held.remove(held)
        self._newcomers.expect()
        return self._place(number for held in lost for number in held.numbers)

    def _place(self, numbers: Iterable[int]) -> list[Held]:
        """Have actors made for some parts where their rows are, and tell them what they missed."""
        placed: list[Held] = []
        waiting = sorted(numbers)
        while waiting:
            begun = [
                self.submit_holder(worker, mine, [self.sources[number] for number in mine])
                for worker, mine in self._locate(waiting).items()
            ]
            ready = self.catch_up(self._made(begun))
            for held in begun:
                if held not in ready:
                    self.let_go(held)
            placed += ready
            self.held += ready
            waiting = [k for k in waiting if not any(k in held.numbers for held in ready)]
            self._losses += bool(waiting)
            if self._losses > MOST_LOSSES:
                raise RuntimeError("parts of the table could not be placed on any worker")
        return placed

    def _made(self, begun: list[Held]) -> list[Held]:
        """Wait until actors are made; those that are."""
        waiting = begun
        while waiting:
            with suppress(TimeoutError, CancelledError):
                wait([held.future for held in waiting], timeout=LOOK)
            for held in waiting:
                if held.future.status == "error":
                    gather(self.client, [held.future])
            waiting = [held for held in waiting if held.future.status == "pending"]
            there = self.workers() if waiting else set()
            waiting = [held for held in waiting if held.worker in there]
        return [held for held in begun if held.future.status == "finished"]

    def _locate(self, numbers: list[int]) -> dict[str, list[int]]:
        """Wait for the rows of some parts; which worker is to hold which."""
        futures = [self.sources[number] for number in numbers]
        while True:
            await_workers(self.client)
            with suppress(TimeoutError, CancelledError):
                wait(futures, timeout=LOOK)
            if not self._are_there(futures):
                continue
            where = self.client.who_has(futures)
            places: dict[str, list[int]] = {}
            for number, future in zip(numbers, futures, strict=True):
                if where.get(future.key):
                    places.setdefault(min(where[future.key]), []).append(number)
            if places:
                return places

    def _are_there(self, futures: list[Future]) -> bool:
        """Whether rows are made, or still being made; raises where they cannot be."""
        for future in futures:
            if future.status == "error":
                gather(self.client, [future])
        lost = [future.key for future in futures if future.status in ("lost", "cancelled")]
        if lost and self.client.run_on_scheduler(has_no_recipe, lost, lost=True):
            raise RuntimeError(
                "rows were lost with a worker and cannot be made anew: the input was put on the "
                "cluster as data, not as a graph"
            )
        return all(future.status == "finished" for future in futures)

    def submit_holder(self, worker: str, numbers: list[int], sources: list[Future]) -> Held:
        """Have an actor made on a worker, without waiting for it."""
        future = self.client.submit(
            Holder,
            sources,
            key=f"marginboost-holder-{uuid.uuid4().hex}",
            workers=[worker],
            allow_other_workers=False,
            actor=True,
        )
        return Held(worker, future, numbers)

    def catch_up(self, new: list[Held]) -> list[Held]:
        """Tell new holders what they missed; those that are not lost meanwhile."""
        if self._direct:
            self._direct = self.client.sync(self._reach, [held.worker for held in new])
        if self._direct:
            self.client.sync(self._open_channels, new)
        message = self._missed()
        ready = []
        for held, got in zip(new, self.ask(new, "catch_up", self._number, message), strict=True):
            if got is not None:
                _checked(held, got)
                ready.append(held)
        return ready

    def _missed(self) -> bytes:
        """Message to a part that is made anew."""
        return pickle.dumps((self._log.calls(), 0))

    def practise(self, held: Held) -> Any:
        """Have a new holder do what it missed without waiting; it will do so again."""
        try:
            return held.future.result(timeout=LOOK).catch_up(self._number, self._missed())
        except GONE:
            return None

    def hand_over(self, newcomer: Held, sources: list[Future]) -> None:
        """Let a holder that has caught up take parts from others; ``sources`` are its rows."""
        for number, source in zip(newcomer.numbers, sources, strict=True):
            self.sources[number] = source
        before, self.held, homeless = self.held, [newcomer], list[int]()
        for held in before:
            left = [number for number in held.numbers if number not in newcomer.numbers]
            places = [k for k, number in enumerate(held.numbers) if number in newcomer.numbers]
            if left and (not places or self.ask([held], "drop", places) == [True]):
                self.held.append(Held(held.worker, held.future, left))
                continue
            self.let_go(held)
            homeless += left
        self._place(homeless)


def _checked(held: Held, got: Answer) -> list[list[Any]]:
    """Answers of a holder; raises the error that it sent in their place."""
    answers, error = got
    if isinstance(error, MemoryError):
        raise MemoryError(
            f"worker {held.worker} has no memory left for its {len(held.numbers)} parts of the "
            "table; use more workers, or ones with more memory"
        ) from error
    if error is not None:
        raise error
    return answers
