"""Compiled inner loops: arrays in, arrays out, no Python objects, no policy.

Every kernel is serial and releases the interpreter lock; :mod:`.parallel` runs kernels over fixed
blocks, so results do not depend on the number of threads. Searches and sums by bin have a
readable NumPy twin in :mod:`.reference`, which is their specification and their test; the others
are tested against the formula that they stand for.
"""

import sys

from ..address_space import IMPORTING, check_room

if "numba" not in sys.modules:
    check_room(IMPORTING, "importing Numba")
