"""Two neighbouring numbers added as one: what Numba by itself does in two steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from .jit import build, intrinsic

Array = np.ndarray[Any, np.dtype[Any]]

BYTE_PAIRS = 512
"""Numbers in a histogram of bytes: a pair for each of 256."""


def _add_pairs(sums: Array, first: int, word: int, pairs: Array, place: int, count: int) -> None:
    for j in range(count):
        target = int(first) + BYTE_PAIRS * j + 2 * ((int(word) >> (8 * j)) & 255)
        sums[target : target + 2] += pairs[int(place) : int(place) + 2]


@intrinsic(twin=_add_pairs, prefer_literal=True)
def add_pairs(_: Any, sums: Any, first: Any, word: Any, pairs: Any, place: Any, count: Any) -> Any:
    """Add ``pairs[place:place + 2]`` to one pair in each of ``count`` histograms.

    They lie one after the other from ``sums[first]`` on; the lowest bytes of ``word`` say which
    pair. Both arrays are flat, ``count`` is a literal: its additions are written out in a row.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ir = build.ir
        vector, word_type = ir.VectorType(ir.DoubleType(), 2), ir.IntType(64)

        def data(k: int, offset: Any) -> Any:
            array = context.make_array(signature.args[k])(context, builder, arguments[k])
            where = builder.gep(array.data, [offset])
            return builder.bitcast(where, vector.as_pointer())

        def number(value: int) -> Any:
            return ir.Constant(word_type, value)

        amount = builder.load(data(3, arguments[4]))
        amount.align = 8
        for j in range(count.literal_value):
            code = builder.and_(builder.lshr(arguments[2], number(8 * j)), number(255))
            offset = builder.add(builder.shl(code, number(1)), number(BYTE_PAIRS * j))
            target = data(0, builder.add(arguments[1], offset))
            before = builder.load(target)
            before.align = 8
            builder.store(builder.fadd(before, amount), target).align = 8
        return context.get_dummy_value()

    signature = types.void(sums, types.uint64, types.uint64, pairs, types.uint64, count)
    return signature, generate
