"""Several threads at work inside one kernel: shares of work are taken one by one from a ticket.

A tree has hundreds of short tasks that wait for one another; handing each to a pool of threads
would take longer than the task. So workers stay inside the kernel and watch one number, the ticket:
how many shares the present task has, and which is next. Whoever adds one to it owns a share. The
leader posts a task, takes shares like everybody else, and goes on when all are done. It never waits
for a worker that has not begun a share: workers may come late, or not at all. One that fails says
so, and then the leader's kernel ends with an error too.

A share writes to places of its own, so results do not depend on who took it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.core import types

from .jit import build, inlined_kernel, intrinsic, kernel
from .threads import invite

Array = np.ndarray[Any, np.dtype[Any]]
T = TypeVar("T")

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


# -- atomic numbers --------------------------------------------------------------------------------

_uncompiled = threading.Lock()


def _renew_lock() -> None:
    """Begin anew in a forked child: the lock may have been taken by a thread that is not there."""
    global _uncompiled
    _uncompiled = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _add(board: Array, place: int, amount: int) -> int:
    with _uncompiled:
        before = int(board[place])
        board[place] = before + amount
    return before


def _read(board: Array, place: int) -> int:
    with _uncompiled:
        return int(board[place])


def _write(board: Array, place: int, value: int) -> None:
    with _uncompiled:
        board[place] = value


def _yield() -> None:
    time.sleep(0)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic(twin=_add)
def atomic_add(_: Any, board: Any, place: Any, amount: Any) -> Any:
    """Add to a shared number; returns what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", where, arguments[2], "seq_cst")

    return types.int64(board, types.intp, types.int64), generate


@intrinsic(twin=_read)
def atomic_read(_: Any, board: Any, place: Any) -> Any:
    """Read a shared number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        return builder.load_atomic(where, "seq_cst", 8)

    return types.int64(board, types.intp), generate


@intrinsic(twin=_write)
def atomic_write(_: Any, board: Any, place: Any, value: Any) -> Any:
    """Write a shared number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], where, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(board, types.intp, types.int64), generate


@intrinsic(twin=_yield)
def yield_processor(_: Any) -> Any:
    """Let another thread have the processor, where the system can be told."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if hasattr(os, "sched_yield"):
            kind = build.ir.FunctionType(build.ir.IntType(32), [])
            builder.call(build.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


# -- the ticket ------------------------------------------------------------------------------------


@kernel
def idle(looks: int) -> int:
    """Count a look that found nothing; when there were many, yield the processor."""
    if looks >= PATIENCE:
        yield_processor()
    return looks + 1


@kernel
def post(board: Array, n_shares: int) -> None:
    """Offer a task; what its shares read must have been written before."""
    number = ((atomic_read(board, TICKET) >> (2 * SHARES)) + 1) & LOW  # of tasks: it may wrap
    atomic_write(board, DONE, 0)
    atomic_write(board, TICKET, (number << (2 * SHARES)) | (n_shares << SHARES))


@kernel
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


@kernel
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
