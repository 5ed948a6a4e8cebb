"""What only LLVM can say: bits of a number, pairs added as one, atoms.

Each has a Python twin, for kernels that are not compiled.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
from numba.core import types

from ..types import Array
from .jit import build, intrinsic


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.int64))


@intrinsic(twin=_bits)
def bits_of(_: Any, number: Any) -> Any:
    """Bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], build.ir.IntType(64))

    return types.int64(types.float64), generate


def _float(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


@intrinsic(twin=_float)
def float_of(_: Any, bits: Any) -> Any:
    """Float64 that has the bits of an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], build.ir.DoubleType())

    return types.float64(types.int64), generate


# -- pairs -----------------------------------------------------------------------------------------

BYTE_PAIRS = 512
"""Numbers in a histogram of bytes: a pair for each of 256."""


def _add_pairs(
    sums: Array, first: int, codes: Array, place: int, step: int, pairs: Array, row: int, count: int
) -> None:
    for j in range(count):
        target = int(first) + BYTE_PAIRS * j + 2 * int(codes[int(place) + j * int(step)])
        sums[target : target + 2] += pairs[2 * int(row) : 2 * int(row) + 2]


@intrinsic(twin=_add_pairs, prefer_literal=True)
def add_pairs(
    _: Any,
    sums: Any,
    first: Any,
    codes: Any,
    place: Any,
    step: Any,
    pairs: Any,
    row: Any,
    count: Any,
) -> Any:
    """Add the pair of a row to one pair in each of ``count`` histograms.

    They lie one after the other from ``sums[first]`` on; which pair of the j-th is said by the byte
    ``codes[place + j * step]``. All arrays are flat, ``count`` is a literal: its additions are
    written out in a row.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ir = build.ir
        vector, word = ir.VectorType(ir.DoubleType(), 2), ir.IntType(64)

        def data(k: int, offset: Any) -> Any:
            array = context.make_array(signature.args[k])(context, builder, arguments[k])
            return builder.gep(array.data, [offset])

        def pair_at(k: int, offset: Any) -> Any:
            return builder.bitcast(data(k, offset), vector.as_pointer())

        def number(value: int) -> Any:
            return ir.Constant(word, value)

        amount = builder.load(pair_at(5, builder.shl(arguments[6], number(1))))
        amount.align = 8
        for j in range(count.literal_value):
            where = builder.add(arguments[3], builder.mul(arguments[4], number(j)))
            code = builder.zext(builder.load(data(2, where)), word)
            offset = builder.add(builder.shl(code, number(1)), number(BYTE_PAIRS * j))
            target = pair_at(0, builder.add(arguments[1], offset))
            before = builder.load(target)
            before.align = 8
            builder.store(builder.fadd(before, amount), target).align = 8
        return context.get_dummy_value()

    place_type = types.uint64
    places = place_type, codes, place_type, place_type, pairs, place_type
    return types.void(sums, *places, count), generate


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
