"""The one place that says how kernels are compiled, and what runs where they are not.

With ``NUMBA_DISABLE_JIT=1`` every kernel is the Python function that it is written as. Where code
can only be said in LLVM's terms (an :func:`intrinsic`), a Python twin says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from numba import config, extending, njit
from numba.core import cgutils

from .announce import listen
from .cache import KernelDispatcher, warn_about_cache
from .parts_of_kernels import part_options

build: Any = cgutils  # Numba's types know nothing of these
switches: Any = config

COMPILED = not switches.DISABLE_JIT
if COMPILED:
    listen()

NO_CACHE = "no locator available"
"""What Numba says where it finds no folder to keep compiled code in."""


def _compiled(
    *, fastmath: Any = False, pipeline: Any = MappingProxyType({}), **options: Any
) -> Callable[[Any], Any]:
    """Decorator like ``njit`` with a cache, or without one where nothing can be written.

    What arithmetic is allowed is always said: a kernel of which it is not takes it from the one
    that happens to be compiled first of those that call it. Nothing calls a kernel by its address.
    """
    options |= {"nogil": True, "fastmath": fastmath, "no_cfunc_wrapper": True}
    options |= {"nopython": True, "boundscheck": None}  # as Numba's njit says

    def decorate(function: Any) -> Any:
        if not COMPILED:
            return function
        dispatcher = KernelDispatcher(function, {}, options, **pipeline)
        try:
            dispatcher.enable_caching()
        except RuntimeError as error:
            if NO_CACHE not in str(error):
                raise
            warn_about_cache(
                "compiled code cannot be kept, because neither the package's folder nor the user's "
                "cache folder can be written"
            )
        return dispatcher

    return decorate


kernel = _compiled()

# For kernels that only kernels call: nothing that unpacks what Python hands over is compiled, and
# no machine code made but that of the callers. Python cannot call them.
inner_kernel = _compiled(no_cpython_wrapper=True, pipeline=part_options())

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
