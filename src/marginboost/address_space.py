"""Room that a limit of the address space (``ulimit -v``) leaves to a process.

LLVM and BLAS end the process where the system gives them no memory. Where a limit is set, there is
a check before the steps that need much: importing Numba, loading or compiling a kernel, starting a
thread. Python then says what is missing.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

MEGABYTE = 1 << 20
IMPORTING = 268 * MEGABYTE
"""For Numba and what it loads (172 megabytes), and for one kernel."""
LOADING = 96 * MEGABYTE
"""For a kernel from the cache (16 megabytes) and the buffers of BLAS (32 for each thread)."""
COMPILING = 144 * MEGABYTE
"""For the largest kernel (124 megabytes); how large one will be is not known ahead."""
STARTING = COMPILING + 72 * MEGABYTE
"""For the stack and the heap of one more thread, after which a kernel can still be compiled."""

PAGES = Path("/proc/self/statm")
"""Sizes of the process in pages, the address space first."""


def limit() -> float:
    """Bytes of address space that the process may have; infinity without a limit."""
    if sys.platform == "win32":
        return math.inf
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if soft == resource.RLIM_INFINITY else float(soft)


def room() -> float:
    """Bytes of address space left; infinity without a limit, or where none can be told."""
    most = limit()
    if most == math.inf:
        return most
    try:
        pages = int(PAGES.read_text().split()[0])
    except OSError:  # no Linux
        return math.inf
    return most - float(pages) * os.sysconf("SC_PAGE_SIZE")


def check_room(needed: int, purpose: str) -> None:
    """Raise unless so many bytes of address space are left."""
    left = room()
    if left < needed:
        raise MemoryError(
            f"marginboost: {purpose} needs {needed // MEGABYTE} MB of address space, and of the "
            f"limit of {limit() / MEGABYTE:.0f} MB (ulimit -v) {max(0, int(left)) // MEGABYTE} MB "
            "are left; expected a limit of 2 GB or none"
        )
