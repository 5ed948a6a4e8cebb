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

from .jit import kernel

Array = np.ndarray[Any, np.dtype[Any]]

intrinsic: Any = extending.intrinsic  # Numba's types know nothing of arguments
build: Any = cgutils

TICKET, DONE, LENGTH = 0, 16, 32
"""Places of the two shared numbers, a cache line and more apart; length of the array."""

SHARES = 20
"""Bits of the number of shares, and of the next one."""
LOW = (1 << SHARES) - 1
FINISHED = -(1 << 62)
"""Ticket that ends the work; one that is added to it by a latecomer changes nothing."""
PATIENCE = 4096
"""Looks at the ticket, some ten microseconds, after which others may have the processor."""


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


@kernel
def idle(looks: int) -> int:
    """Count a look that found nothing; when there were many, give way."""
    if looks >= PATIENCE:
        give_way()
    return looks + 1


@kernel
def post(board: Array, n_shares: int) -> None:
    """Offer a task; what its shares read must have been written before."""
    number = (atomic_read(board, TICKET) >> (2 * SHARES)) + 1
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
def report(board: Array) -> None:
    """Say that a share is done."""
    atomic_add(board, DONE, 1)


@kernel
def wait(board: Array, n_shares: int) -> None:
    """Wait until all shares are done."""
    looks = 0
    while atomic_read(board, DONE) < n_shares:
        looks = idle(looks)


@kernel
def dismiss(board: Array) -> None:
    """End the work."""
    atomic_write(board, TICKET, FINISHED)
