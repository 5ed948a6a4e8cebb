"""Workers use the memory of large arrays again, whatever Dask told the C library."""

import os
import subprocess
import sys

import pytest

from marginboost.dask.memory import keep_memory

N_ARRAYS, MEGABYTES = 20, 2
SCRIPT = f"""
import resource, sys, threading
import numpy as np
from marginboost.dask.memory import keep_memory

def fill():
    for _ in range({N_ARRAYS}):
        np.empty({MEGABYTES} << 20, np.uint8)[:] = 1

def count_faults():
    fill()
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    fill()
    print(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)

if sys.argv[1] == "keep" and not keep_memory():
    raise SystemExit("not glibc")
thread = threading.Thread(target=count_faults)  # as holders are asked
thread.start()
thread.join()
"""


def n_faults(how):
    settings = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-c", SCRIPT, how]
    return int(subprocess.run(command, env=settings, capture_output=True, check=True).stdout)


@pytest.mark.skipif(not hasattr(os, "confstr"), reason="of POSIX systems")
def test_large_arrays_need_no_new_memory():
    if "glibc" not in (os.confstr("CS_GNU_LIBC_VERSION") or ""):
        assert not keep_memory()
        return
    assert n_faults("leave") > N_ARRAYS * 100
    assert n_faults("keep") < N_ARRAYS
