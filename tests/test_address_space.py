"""Little address space is an error of Python's that says what is missing, not the process's end."""

import math
import os
import subprocess
import sys

import pytest

from marginboost import address_space
from marginboost.address_space import MEGABYTE, check_room, room

LIMITS = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits of the address space are kept by Linux"
)
LIMITED = """
import resource
from pathlib import Path
import numpy, scipy.linalg, sklearn.base

def limit_room(megabytes):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20, resource.RLIM_INFINITY))
"""
LITTLE_BEFORE_NUMBA = "limit_room(200)\nimport marginboost.kernels.weights"
LITTLE_BEFORE_COMPILING = """
from marginboost.kernels.weights import weighted_sum
limit_room(120)
weighted_sum(numpy.ones(3), numpy.ones(3))
"""
ENOUGH = """
from marginboost.kernels.weights import weighted_sum
limit_room(350)
print(weighted_sum(numpy.ones(3), numpy.ones(3)))
"""


def run_limited(code, cache):
    """Run code in a process of its own, with no kernel compiled before."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED + code],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@LIMITS
@pytest.mark.parametrize(
    ("code", "purpose"),
    [(LITTLE_BEFORE_NUMBA, "importing Numba"), (LITTLE_BEFORE_COMPILING, "compiling a kernel")],
    ids=["importing", "compiling"],
)
def test_little_address_space_is_an_error(code, purpose, tmp_path):
    done = run_limited(code, tmp_path)
    assert done.returncode == 1, done.stderr
    assert f"MemoryError: marginboost: {purpose} needs " in done.stderr
    assert "(ulimit -v)" in done.stderr.splitlines()[-1]


@LIMITS
def test_enough_address_space(tmp_path):
    done = run_limited(ENOUGH, tmp_path)
    assert done.stdout.strip() == "3.0", done.stderr


def test_without_a_limit_there_is_always_room(monkeypatch):
    assert room() > 0
    monkeypatch.setattr(address_space, "limit", lambda: math.inf)
    assert room() == math.inf
    check_room(1 << 60, "anything")


def test_room_that_cannot_be_told(monkeypatch, tmp_path):
    monkeypatch.setattr(address_space, "limit", lambda: 1e9)
    monkeypatch.setattr(address_space, "PAGES", tmp_path / "nowhere")
    assert room() == math.inf


def test_the_message_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(address_space, "limit", lambda: 1000.0 * MEGABYTE)
    monkeypatch.setattr(address_space, "room", lambda: 95.5 * MEGABYTE)
    check_room(95 * MEGABYTE, "compiling a kernel")
    with pytest.raises(MemoryError) as caught:
        check_room(96 * MEGABYTE, "compiling a kernel")
    assert str(caught.value) == (
        "marginboost: compiling a kernel needs 96 MB of address space, and of the limit of 1000 MB "
        "(ulimit -v) 95 MB are left; expected a limit of 2 GB or none"
    )
