"""Kernels that only kernels call: kept as they were translated, taken in by whoever calls them."""

import os
import subprocess
import sys

import pytest

from marginboost.kernels.jit import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="needs compiled kernels")

PROGRAM = """
from marginboost.kernels.jit import inner_kernel, kernel

@inner_kernel
def half(number):
    if number < 0:
        raise ValueError("below zero")
    return 0.5 * number

@inner_kernel
def quarter(number):
    return half(half(number))

@kernel
def plus_one(number):
    return quarter(number) + 1.0

@kernel
def minus_one(number):
    return half(quarter(number)) - 1.0

def loaded(part):
    return sum(part.stats.cache_hits.values())

def compiled(part):
    (result,) = part.overloads.values()
    return any(result.library.get_defined_functions())
"""

FIRST = """
import parts
print(parts.plus_one(8.0), parts.loaded(parts.half))
print(parts.compiled(parts.half), parts.compiled(parts.quarter), parts.compiled(parts.plus_one))
"""
SECOND = """
import parts
print(parts.minus_one(16.0), parts.loaded(parts.half), parts.loaded(parts.quarter))
print(parts.plus_one(8.0), parts.loaded(parts.plus_one))
try:
    parts.minus_one(-1.0)
except ValueError as error:
    print(error)
"""


def test_parts_come_from_the_cache_of_another_process(tmp_path):
    (tmp_path / "parts.py").write_text(PROGRAM)
    paths = os.pathsep.join(map(os.path.abspath, sys.path))
    variables = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def printed(program):
        command = [sys.executable, "-c", program]
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")

    # Of what Python never calls there is no machine code: callers would not use it.
    assert printed(FIRST)[:2] == ["3.0 0", "False False True"]
    # `quarter` brings `half` along; asked for by name, it is loaded too.
    assert printed(SECOND)[:3] == ["1.0 1 1", "3.0 1", "below zero"]
