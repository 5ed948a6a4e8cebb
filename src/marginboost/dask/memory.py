"""Memory of workers, kept for the arrays of the next round.

Dask has the C library give memory back to the system as soon as it is free
(``MALLOC_TRIM_THRESHOLD_``). With that, every array of more than 128 KiB is new memory, which the
system must find and clear, several times in each question. In a process that Dask did not start
the library learns better by itself.
"""

from __future__ import annotations

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of the settings in ``malloc.h``."""
LARGEST_KEPT = 1 << 25
"""Bytes of an array up to which its memory is used again, the most that the library allows."""


def keep_memory() -> bool:
    """Have memory that is free kept, as in other processes; False where the C library has no say.

    At most twice the largest array is kept at the end of each of the library's heaps.
    """
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # not glibc
        return False
    kept = set_option(TRIM_THRESHOLD, 2 * LARGEST_KEPT), set_option(MMAP_THRESHOLD, LARGEST_KEPT)
    return kept == (1, 1)
