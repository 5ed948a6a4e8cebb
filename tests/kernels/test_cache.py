"""A cache of compiled kernels that is damaged or full: one warning, and the same numbers."""

import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from numba import config

from marginboost.kernels import cache
from marginboost.kernels.jit import COMPILED, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def total(values):
    found = 0.0
    for value in values:
        found += value
    return found


@pytest.fixture
def compute(tmp_path, monkeypatch):
    """Call a kernel as a new process would: nothing but the folder is remembered."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def compute():
        monkeypatch.setattr(cache, "_told", False)
        made = kernel(total)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found = made(np.arange(4.0)), made(np.arange(4))  # two compilations
        assert found == (6.0, 6.0)
        return sum(made.stats.cache_hits.values()), [str(warning.message) for warning in heard]

    return compute


def files(folder, suffix):
    return sorted(folder.rglob(f"*.{suffix}"))


DAMAGES = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "text": lambda content: b"no pickle\n" * 50,
    "zeros": lambda content: bytes(len(content)),
    "another pickle": lambda content: b"N.N.",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_files_are_replaced(compute, tmp_path, suffix, damage):
    assert compute() == (0, [])
    assert compute() == (2, [])
    for path in files(tmp_path, suffix):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    hits, heard = compute()
    assert hits == 0
    assert len(heard) == (damage != "another pickle")  # which holds nothing, and is sound
    assert all("cannot be read" in message for message in heard)
    assert compute() == (2, [])


def test_every_bit_of_machine_code_is_checked(compute, tmp_path):
    """A kernel with a wrong bit is not run, wherever the bit is."""
    compute()
    kept = {path: path.read_bytes() for path in files(tmp_path, "nbc")}
    for share in np.linspace(0.02, 0.98, 7):
        for path, content in kept.items():
            changed = bytearray(content)
            changed[int(share * len(content))] ^= 1
            path.write_bytes(changed)
        hits, heard = compute()
        assert (hits, len(heard)) == (0, 1)
        assert "cannot be read" in heard[0]


@contextmanager
def no_room_on_the_disk():
    """No file may be longer than a few bytes: what writes more gets an OSError."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_warning(compute, tmp_path):
    with no_room_on_the_disk():
        hits, heard = compute()
    assert (hits, len(heard)) == (0, 1)
    assert f"compiled code cannot be kept in {tmp_path}" in heard[0]
    assert "NUMBA_CACHE_DIR" in heard[0]
    assert compute() == (0, [])
    assert compute() == (2, [])


def test_a_damaged_cache_on_a_full_disk_is_one_warning(compute, tmp_path):
    compute()
    for path in files(tmp_path, "nbi"):
        path.write_bytes(b"no pickle")
    with no_room_on_the_disk():
        hits, heard = compute()
    assert (hits, len(heard)) == (0, 1)
    assert compute()[0] == 0
    assert compute() == (2, [])


def test_folders_in_the_place_of_files(compute, tmp_path):
    """Not even root can read or write them."""
    compute()
    for path in files(tmp_path, "nbi"):
        path.unlink()
        path.mkdir()
    for _ in range(2):
        hits, heard = compute()
        assert (hits, len(heard)) == (0, 1)
