"""One shared pool of threads, for blocks of work and for workers inside one kernel.

Blocks are fixed, and each writes to places of its own: results do not depend on who did them.

Inside a kernel, shares of work are taken one by one from a ticket. A tree has hundreds of short
tasks that wait for one another; handing each to a pool of threads would take longer than the task.
So workers stay inside the kernel and watch one number, the ticket: how many shares the present task
has, and which is next. Whoever adds one to it owns a share. The leader posts a task, takes shares
like everybody else, and goes on when all are done. It never waits for a worker that has not begun a
share: workers may come late, or not at all. One that fails says so, and then the leader's kernel
ends with an error too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from ..address_space import STARTING, room
from ..types import Array
from .intrinsics import atomic_add, atomic_read, atomic_write, yield_processor
from .jit import inlined_kernel, inner_kernel, kernel

T = TypeVar("T")

ROW_BLOCK = 1 << 17
"""Most rows in one block of work: a megabyte of float64, which a core's cache holds.

Threads take turns in the interpreter between kernels, so few large blocks beat many small ones."""

MOST_THREADS = os.cpu_count() or 1
"""More threads than processors help nobody, and thousands of stacks leave no room for code."""

_tasks: SimpleQueue[Callable[[], object]] = SimpleQueue()
_n_threads = 0
_lock = threading.Lock()


def _forget_threads() -> None:
    """Begin anew: a forked child has none of its parent's threads, and perhaps a taken lock."""
    global _tasks, _n_threads, _lock
    _tasks, _n_threads, _lock = SimpleQueue(), 0, threading.Lock()
    _one_thread.forget_others()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


@cache
def _granted_cores() -> int:
    """Cores that the system grants, quotas of a container's control group counted; read once."""
    return int(joblib.cpu_count())


def available_threads() -> int:
    """Cores this process may use, no more than ``OMP_NUM_THREADS`` where that is set.

    Joblib sets that variable in its worker processes, so a parallel grid search does not
    oversubscribe the machine.
    """
    cores = _granted_cores()
    if hasattr(os, "sched_getaffinity"):  # it may have changed
        cores = min(cores, len(os.sched_getaffinity(0)))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores, int(limit) if limit.isdigit() and int(limit) > 0 else cores))


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Number of threads meant by scikit-learn's ``n_jobs``; None and -1 mean all of them.

    There are never more than the machine has processors.
    """
    if n_jobs is None:
        return available_threads()
    is_integer = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not is_integer or n_jobs == 0:
        raise (ValueError if is_integer else TypeError)(
            f"n_jobs: got {n_jobs!r}, expected None, a positive integer, or -1 for all cores"
        )
    if n_jobs > 0:
        return min(int(n_jobs), MOST_THREADS)
    return max(1, available_threads() + 1 + int(n_jobs))


@cache
def _linear_algebra() -> ThreadpoolController:
    """Controller of the libraries that NumPy and SciPy have loaded: finding them takes time."""
    import scipy.linalg  # noqa: F401 - what is not loaded is not found

    return ThreadpoolController()


class _OneAlgebraThread:
    """The limit of one thread, set by the first of its users and lifted by the last.

    The libraries have one number for the whole process: were every user to put back what it found,
    of two that overlap the second would put back the first one's limit for good.
    """

    def __init__(self) -> None:
        self._lock, self._n_users = threading.Lock(), 0
        self._limit: Any = None

    def set(self) -> None:
        with self._lock:
            if self._n_users == 0:
                self._limit = _linear_algebra().limit(limits=1, user_api="blas")
            self._n_users += 1

    def lift(self) -> None:
        with self._lock:
            self._n_users = max(0, self._n_users - 1)
            if self._n_users == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None

    def forget_others(self) -> None:
        """In a forked child the users are gone, but perhaps for the one that forked."""
        self._lock, self._n_users = threading.Lock(), min(1, self._n_users)
        self.lift()


_one_thread = _OneAlgebraThread()


@contextmanager
def one_algebra_thread() -> Iterator[None]:
    """Context in which BLAS and LAPACK use one thread, in the whole process.

    Threads are ours, so that sums have one order whatever the machine; and on small matrices those
    of the libraries are only in the way.
    """
    _one_thread.set()
    try:
        yield
    finally:
        _one_thread.lift()


def _serve(tasks: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        task = tasks.get()
        with suppress(BaseException):  # help is help: whoever asked for it can do without
            task()
        del task  # and what it holds, before the next one comes


def invite(task: Callable[[], object], n_threads: int) -> None:
    """Have up to ``n_threads`` threads call a task when they can.

    Where the system starts no more threads, or address space is short, those that are there must
    do, perhaps none.

    A bare queue hands over a task in half the time that an executor with its futures takes.
    """
    global _n_threads
    with _lock:
        while _n_threads < n_threads and room() > STARTING:
            name = f"marginboost-{_n_threads}"
            thread = threading.Thread(target=_serve, args=(_tasks,), name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # can't start new thread
                break
            _n_threads += 1
        for _ in range(min(n_threads, _n_threads)):
            _tasks.put(task)


class _Work:
    """Blocks to be done, by the caller and by those helpers that come in time.

    Helpers are invited, not awaited: one that wakes up late, or is busy elsewhere, finds that its
    invitation was taken back.
    """

    def __init__(self, task: Callable[[int], None], n_blocks: int) -> None:
        self._task, self._n_blocks = task, n_blocks
        self._failed = False
        self._next = count()  # next() on it is atomic: each block is taken once
        self._invitations: SimpleQueue[None] = SimpleQueue()
        self._outcomes: SimpleQueue[BaseException | None] = SimpleQueue()

    def run(self, n_helpers: int) -> None:
        """Do all blocks; after an error no more are begun, and it is raised when all have ended."""
        for _ in range(n_helpers):
            self._invitations.put(None)
        invite(self._help, n_helpers)
        try:
            self._take_blocks()
        finally:
            while self._accepted():
                n_helpers -= 1
            errors = [self._outcomes.get() for _ in range(n_helpers)]
        for error in errors:
            if error is not None:
                raise error

    def _take_blocks(self) -> None:
        try:
            while not self._failed and (block := next(self._next)) < self._n_blocks:
                self._task(block)
        except BaseException:
            self._failed = True
            raise

    def _help(self) -> None:
        if not self._accepted():
            return
        outcome: BaseException | None = None
        try:
            self._take_blocks()
        except BaseException as error:
            outcome = error
        finally:
            self._outcomes.put(outcome)

    def _accepted(self) -> bool:
        """Whether there was an invitation left to take."""
        try:
            self._invitations.get_nowait()
        except Empty:
            return False
        return True


def run_blocks(task: Callable[[int], None], n_blocks: int, n_threads: int) -> None:
    """Call ``task(0) … task(n_blocks - 1)``, on up to ``n_threads`` threads.

    Tasks must write to places of their own; then the result is the same for any number of threads.
    """
    n_helpers = min(n_threads, n_blocks) - 1
    if n_helpers > 0:
        _Work(task, n_blocks).run(n_helpers)
    else:
        for block in range(n_blocks):
            task(block)


def row_blocks(n_rows: int, most: int = ROW_BLOCK) -> Iterator[tuple[int, int]]:
    """Yield the fixed row blocks ``(start, stop)`` of an array with ``n_rows`` rows.

    They are equal shares of at most ``most`` rows, so that no thread waits for another.
    """
    n_blocks = -(-n_rows // most) or 1
    size = -(-n_rows // n_blocks) or 1
    for start in range(0, n_rows, size):
        yield start, min(start + size, n_rows)


def run_rows(
    task: Callable[[int, int], T], n_rows: int, n_threads: int, most: int = ROW_BLOCK
) -> list[T]:
    """Call ``task(start, stop)`` on every row block; return the results in row order."""
    if 0 < n_rows <= most:  # most fits: one block, and no ceremony
        return [task(0, n_rows)]
    blocks = list(row_blocks(n_rows, most))
    results: list[Any] = [None] * len(blocks)

    def one(block: int) -> None:
        results[block] = task(*blocks[block])

    run_blocks(one, len(blocks), n_threads)
    return results


# -- workers inside one kernel ---------------------------------------------------------------------

TICKET, DONE, WORKERS, FAILED, LENGTH = 0, 16, 32, 48, 64
"""Places of the shared numbers, a cache line and more apart; length of the array.

Workers are counted from when they are invited to when they leave."""

SHARES = 20
"""Bits of the number of shares, and of the next one."""
LOW = (1 << SHARES) - 1
FINISHED = -(1 << 62)
"""Ticket that ends the work; one that is added to it by a latecomer changes nothing."""
PATIENCE = 4096
"""Looks at the ticket, some ten microseconds, after which others may have the processor."""
UNTIL_DISMISSED = 1 << 62
"""Patience without end."""


class WorkerPool:
    """Threads that may join the kernels of one leader.

    Parameters
    ----------
    n_workers : int
        Most threads besides the leader's.

    Attributes
    ----------
    board : array of int64
        Shared numbers, for the kernels; empty where there are no workers.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self.board = np.zeros(LENGTH if n_workers > 0 else 0, dtype=np.int64)
        self._errors: list[BaseException] = []

    def lead(self, work: Callable[[], T], loop: Callable[[], object]) -> T:
        """Call ``work``, a kernel that shares itself out, while workers run ``loop``.

        Those that are there or on their way are not invited again. The error of a worker that did
        not do its share is raised here; the pool is then of no more use.
        """
        if self.n_workers > 0:
            missing = missing_workers(self.board, self.n_workers)
            if missing > 0:
                invite(lambda: self._serve(loop), missing)
        try:
            return work()
        except BaseException as error:
            self.dismiss()
            if self._errors:
                raise self._errors[0] from error
            raise

    def dismiss(self) -> None:
        """Have the workers leave; the pool is then of no more use."""
        if self.n_workers > 0:
            finish(self.board)

    def _serve(self, loop: Callable[[], object]) -> None:
        try:
            loop()
        except BaseException as error:
            self._errors.append(error)
            report_failure(self.board)


# -- the ticket ------------------------------------------------------------------------------------


@inner_kernel
def idle(looks: int) -> int:
    """Count a look that found nothing; when there were many, yield the processor."""
    if looks >= PATIENCE:
        yield_processor()
    return looks + 1


@inner_kernel
def post(board: Array, n_shares: int) -> None:
    """Offer a task; what its shares read must have been written before."""
    number = ((atomic_read(board, TICKET) >> (2 * SHARES)) + 1) & LOW  # of tasks: it may wrap
    atomic_write(board, DONE, 0)
    atomic_write(board, TICKET, (number << (2 * SHARES)) | (n_shares << SHARES))


@inner_kernel
def take(board: Array) -> int:
    """Take a share of the present task; -1 where none is left, -2 when all work is over."""
    ticket = atomic_read(board, TICKET)
    if ticket < 0:
        return -2
    if ticket & LOW >= (ticket >> SHARES) & LOW:
        return -1
    ticket = atomic_add(board, TICKET, 1)  # perhaps of another task than a moment ago
    share = ticket & LOW
    return share if share < (ticket >> SHARES) & LOW else -1


@kernel
def missing_workers(board: Array, n_workers: int) -> int:
    """How many are to be invited, those that are there or on their way not counted."""
    missing = n_workers - atomic_read(board, WORKERS)
    atomic_add(board, WORKERS, missing)
    return int(missing)


@kernel
def finish(board: Array) -> None:
    """End the work; workers leave."""
    atomic_write(board, TICKET, FINISHED)


@kernel
def report_failure(board: Array) -> None:
    """Tell the leader that a share may never be done."""
    atomic_write(board, FAILED, 1)


@inner_kernel
def wait_for_workers(board: Array, n_shares: int) -> None:
    """Return when all shares are done; raise where a worker failed in its own."""
    looks = 0
    while atomic_read(board, DONE) < n_shares:
        if atomic_read(board, FAILED) != 0:
            raise RuntimeError("a worker failed in its share of the work")
        looks = idle(looks)


# -- leader and workers ----------------------------------------------------------------------------


@inlined_kernel
def work_together(do_share: Any, job: Any, n_shares: int) -> None:
    """Call ``do_share(job, 0)`` … ``do_share(job, n_shares - 1)``, with whoever helps.

    The job is a named tuple with a ``board``, empty where there are no workers.
    """
    board = job.board
    if n_shares == 1 or board.size == 0:
        for share in range(n_shares):
            do_share(job, share)
        return
    post(board, n_shares)
    share = take(board)
    while share >= 0:
        do_share(job, share)
        atomic_add(board, DONE, 1)
        share = take(board)
    wait_for_workers(board, n_shares)


@inlined_kernel
def worker_loop(do_share: Any, job: Any, patience: int) -> None:
    """Take shares until the work is over, or nothing was found in ``patience`` looks."""
    share, looks = -1, 0
    while share != -2 and looks < patience:
        share = take(job.board)
        if share >= 0:
            do_share(job, share)
            atomic_add(job.board, DONE, 1)
        looks = 0 if share >= 0 else idle(looks)
    atomic_add(job.board, WORKERS, -1)
