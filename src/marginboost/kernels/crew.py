"""Several threads at work inside one kernel: shares of work are taken one by one from a ticket.

A tree has hundreds of short tasks that wait for one another; handing each to a pool of threads
would take longer than the task. So helpers stay inside the kernel and watch one number, the ticket:
how many shares the present task has, and which is next. Whoever adds one to it owns a share. The
leader posts a task, takes shares like everybody else, and goes on when all are done. It never waits
for a helper that has not begun a share: helpers may come late, or not at all.

A share writes to places of its own, so results do not depend on who took it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numba import extending
from numba.core import cgutils, types

from .jit import inlined_kernel, kernel

Array = np.ndarray[Any, np.dtype[Any]]

intrinsic: Any = extending.intrinsic  # Numba's types know nothing of arguments
build: Any = cgutils

TICKET, DONE, HELPERS, LENGTH = 0, 16, 32, 48
"""Places of the shared numbers, a cache line and more apart; length of the array.

Helpers are counted from when they are invited to when they leave."""

SHARES = 20
"""Bits of the number of shares, and of the next one."""
LOW = (1 << SHARES) - 1
FINISHED = -(1 << 62)
"""Ticket that ends the work; one that is added to it by a latecomer changes nothing."""
PATIENCE = 4096
"""Looks at the ticket, some ten microseconds, after which others may have the processor."""
UNTIL_DISMISSED = 1 << 62
"""Patience without end."""


def new_board() -> Array:
    """Shared numbers, before the first task."""
    return np.zeros(LENGTH, dtype=np.int64)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def atomic_add(_: Any, board: Any, place: Any, amount: Any) -> Any:
    """Add to a shared number; returns what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", where, arguments[2], "seq_cst")

    return types.int64(board, types.intp, types.int64), generate


@intrinsic
def atomic_read(_: Any, board: Any, place: Any) -> Any:
    """Read a shared number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        return builder.load_atomic(where, "seq_cst", 8)

    return types.int64(board, types.intp), generate


@intrinsic
def atomic_write(_: Any, board: Any, place: Any, value: Any) -> Any:
    """Write a shared number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], where, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(board, types.intp, types.int64), generate


@intrinsic
def give_way(_: Any) -> Any:
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
    """Count a look that found nothing; when there were many, give way."""
    if looks >= PATIENCE:
        give_way()
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
def want_helpers(board: Array, n_helpers: int) -> int:
    """How many are to be invited, those that are there or on their way not counted."""
    missing = n_helpers - atomic_read(board, HELPERS)
    atomic_add(board, HELPERS, missing)
    return int(missing)


@kernel
def dismiss(board: Array) -> None:
    """End the work; helpers leave."""
    if board.size > 0:
        atomic_write(board, TICKET, FINISHED)


# -- leader and helpers ----------------------------------------------------------------------------


@inlined_kernel
def work_together(do_share: Any, job: Any, n_shares: int) -> None:
    """Call ``do_share(job, 0)`` … ``do_share(job, n_shares - 1)``, with whoever helps.

    The job is a named tuple with a ``board``, empty where there are no helpers.
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
    looks = 0
    while atomic_read(board, DONE) < n_shares:
        looks = idle(looks)


@inlined_kernel
def assist(do_share: Any, job: Any, patience: int) -> None:
    """Take shares until the work is over, or nothing was found in ``patience`` looks."""
    share, looks = -1, 0
    while share != -2 and looks < patience:
        share = take(job.board)
        if share >= 0:
            do_share(job, share)
            atomic_add(job.board, DONE, 1)
        looks = 0 if share >= 0 else idle(looks)
    atomic_add(job.board, HELPERS, -1)
