"""One shared pool of threads that runs kernels over fixed blocks of work."""

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
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

ROW_BLOCK = 1 << 17
"""Most rows in one block of work: a megabyte of float64, which a core's cache holds.

Threads take turns in the interpreter between kernels, so few large blocks beat many small ones."""

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
    """Number of threads meant by scikit-learn's ``n_jobs``; None and -1 mean all of them."""
    if n_jobs is None:
        return available_threads()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise (ValueError if n_jobs == 0 else TypeError)(
            f"n_jobs: got {n_jobs!r}, expected None, a positive integer, or -1 for all cores"
        )
    return int(n_jobs) if n_jobs > 0 else max(1, available_threads() + 1 + int(n_jobs))


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

    Where the system starts no more threads, those that are there must do, perhaps none.

    A bare queue hands over a task in half the time that an executor with its futures takes.
    """
    global _n_threads
    with _lock:
        while _n_threads < n_threads:
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
    blocks = list(row_blocks(n_rows, most))
    results: list[Any] = [None] * len(blocks)

    def one(block: int) -> None:
        results[block] = task(*blocks[block])

    run_blocks(one, len(blocks), n_threads)
    return results
