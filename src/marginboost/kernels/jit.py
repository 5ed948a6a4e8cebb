"""The one place that says how kernels are compiled, and what runs where they are not.

With ``NUMBA_DISABLE_JIT=1`` every kernel is the Python function that it is written as. Where code
can only be said in LLVM's terms (an :func:`intrinsic`), a Python twin says the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import config, extending, njit
from numba.core import cgutils

from .announce import listen
from .parts_of_kernels import PartCompiler

build: Any = cgutils  # Numba's types know nothing of these
switches: Any = config

COMPILED = not switches.DISABLE_JIT
if COMPILED:
    listen()

NO_CACHE = "no locator available"
"""What Numba says where it finds no folder to keep compiled code in."""


@cache
def _warn_about_cache() -> None:
    """Say once that every process will compile anew."""
    warnings.warn(
        "marginboost: compiled code cannot be kept, because neither the package's folder nor the "
        "user's cache folder can be written; every process compiles anew. Set NUMBA_CACHE_DIR to a "
        "folder that can be written",
        UserWarning,
        stacklevel=2,
    )


def _compiled(*, fastmath: Any = False, **options: Any) -> Callable[[Any], Any]:
    """Decorator like ``njit`` with a cache, or without one where nothing can be written.

    What arithmetic is allowed is always said: a kernel of which it is not takes it from the one
    that happens to be compiled first of those that call it. Nothing calls a kernel by its address.
    """
    options |= {"nogil": True, "fastmath": fastmath, "no_cfunc_wrapper": True}

    def decorate(function: Any) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError as error:
            if NO_CACHE not in str(error):
                raise
            _warn_about_cache()
            return njit(**options)(function)

    return decorate


kernel = _compiled()

# For kernels that only kernels call: nothing that unpacks what Python hands over is compiled, and
# no machine code made but that of the callers. Python cannot call them.
inner_kernel = _compiled(no_cpython_wrapper=True, pipeline_class=PartCompiler)

# For divisions in a loop: one by zero gives infinity or NaN as in NumPy, and no error, whose branch
# would keep the loop out of vector lanes.
dividing_kernel = _compiled(error_model="numpy")

# For sums and minima of numbers that are never NaN: lets a reduction use vector lanes. The order of
# additions is then fixed at compile time, so results still repeat exactly.
reducing_kernel = _compiled(fastmath={"reassoc", "contract", "nsz", "nnan"}, error_model="numpy")

# For kernels that take a kernel as argument: copied into their callers, which can then be cached.
inlined_kernel = njit(nogil=True, inline="always")


def intrinsic(twin: Callable[..., Any], *, prefer_literal: bool = False) -> Callable[[Any], Any]:
    """Decorator for code in LLVM's terms; ``twin`` is what runs where nothing is compiled."""

    def decorate(definition: Any) -> Any:
        return extending.intrinsic(prefer_literal=prefer_literal)(definition) if COMPILED else twin

    return decorate
