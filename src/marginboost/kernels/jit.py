"""The one place that says how kernels are compiled."""

from __future__ import annotations

from numba import njit

kernel = njit(nogil=True, cache=True)

# For sums and minima of numbers that are never NaN: lets a reduction use vector lanes. The order of
# additions is then fixed at compile time, so results still repeat exactly.
reducing_kernel = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz", "nnan"})
