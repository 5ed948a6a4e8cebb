"""A named tuple by its address is the tuple: same items, same types, same memory."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import TypingError, njit

from marginboost.kernels.by_reference import by_reference
from marginboost.kernels.jit import COMPILED


class Pack(NamedTuple):
    numbers: np.ndarray
    codes: np.ndarray
    few: np.ndarray
    scale: float


@njit
def add_up(pack, k):
    """Read every item, and write one."""
    total = pack.scale * pack.numbers[k, 1] + pack.few[0]["gain"]
    pack.codes[k] += 1
    return total + pack.codes.sum() + pack.numbers.shape[0]


@njit
def by_value(pack, k):
    return add_up(pack, k)


@njit
def by_address(pack, k):
    return add_up(by_reference(pack), k)


@njit
def rebound(pack, k):
    pack = by_reference(pack)
    return add_up(pack, k) + pack.numbers[0, 0]


@njit
def mistaken(pack):
    return by_reference(pack).nothing


def make():
    few = np.zeros(1, [("gain", "f8"), ("cut", "i8")])
    few["gain"] = 0.25
    return Pack(np.arange(6.0).reshape(3, 2), np.arange(3, dtype=np.uint8), few, 2.5)


@pytest.mark.parametrize("k", [0, 2])
def test_items_are_those_of_the_tuple(k):
    here, there = make(), make()
    assert by_address(here, k) == by_value(there, k)
    np.testing.assert_array_equal(here.codes, there.codes)
    assert here.codes[k] == k + 1
    assert rebound(make(), k) == by_value(make(), k)


def test_arrays_are_released_as_often_as_taken():
    pack = make()
    before = [sys.getrefcount(item) for item in pack]
    for _ in range(100):
        by_address(pack, 0)
        pack.codes[:] = 0
    assert [sys.getrefcount(item) for item in pack] == before


@pytest.mark.skipif(not COMPILED, reason="nothing is typed where nothing is compiled")
def test_an_unknown_item_is_an_error():
    with pytest.raises(TypingError, match="nothing"):
        mistaken(make())
