"""The one place that says how kernels are compiled."""

from __future__ import annotations

from numba import njit

kernel = njit(nogil=True, cache=True)

# For sums and minima of numbers that are never NaN: lets a reduction use vector lanes. The order of
# additions is then fixed at compile time, so results still repeat exactly.
reducing_kernel = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz", "nnan"})

# For kernels that take a kernel as argument: copied into their callers, which can then be cached.
inlined_kernel = njit(nogil=True, inline="always")
