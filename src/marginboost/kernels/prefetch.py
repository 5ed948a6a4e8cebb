"""Ask for memory before it is needed, so that a loop over scattered rows does not wait for it."""

from __future__ import annotations

from typing import Any

from numba.core import types

from .jit import build, intrinsic

AHEAD = 64
"""Rows between the one that is asked for and the one at hand."""


def _read_nothing(array: Any, place: int) -> None:
    """Python has no cache to fill."""


@intrinsic(twin=_read_nothing)
def prefetch(_: Any, array: Any, place: Any) -> Any:
    """Have ``array[place]`` brought into the cache; the array is flat."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ir = build.ir
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        flat = context.make_array(signature.args[0])(context, builder, arguments[0])
        where = builder.bitcast(builder.gep(flat.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, to_keep, data = number(0), number(3), number(1)
        builder.call(call, [where, to_read, to_keep, data])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate
