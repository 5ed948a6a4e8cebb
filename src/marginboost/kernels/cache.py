"""Compiled kernels on the disk: what is damaged, or cannot be written, is compiled anew.

Numba keeps what it compiles in files beside the sources, or where ``NUMBA_CACHE_DIR`` says. It
trusts them: an error of reading or writing one would end the fit, and machine code with a wrong bit
would be run. Here a kept kernel has a checksum, and a fit goes on without the cache.
"""

from __future__ import annotations

import pickle
import warnings
import zlib
from contextlib import suppress
from typing import Any

from numba.core import caching, registry, serialize

from ..address_space import LOADING, check_room

numba_caching: Any = caching  # without types, as those below
numba_registry: Any = registry
numba_serialize: Any = serialize

_told = False


def warn_about_cache(why: str) -> None:
    """Say, once in a process, why kernels are compiled anew."""
    global _told
    if not _told:
        _told = True
        warnings.warn(
            f"marginboost: {why}; kernels are compiled anew. NUMBA_CACHE_DIR may name another "
            "folder for compiled code, one that can be written",
            UserWarning,
            stacklevel=2,
        )


class ChecksummedResults(numba_caching.CompileResultCacheImpl):
    """What is kept of a compiled kernel, with a checksum."""

    def reduce(self, result: Any) -> tuple[int, bytes]:
        """Checksum and content of a kernel."""
        content = numba_serialize.dumps(super().reduce(result))
        return zlib.crc32(content), content

    def rebuild(self, target_context: Any, kept: tuple[Any, ...]) -> Any:
        """Return the kernel; raise if the content is not what was kept.

        None where there is no checksum, as Numba keeps kernels by itself: they are made anew.
        """
        if len(kept) != 2:
            return None
        checksum, content = kept
        if zlib.crc32(content) != checksum:
            raise ValueError("the checksum differs")
        return super().rebuild(target_context, pickle.loads(content))


class KernelCache(numba_caching.FunctionCache):
    """Kernels on the disk, as far as they can be read and written."""

    _impl_class = ChecksummedResults

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was kept for these types; None where there is nothing, or nothing sound."""
        check_room(LOADING, "loading a kernel")
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # damaged pickles raise any
            warn_about_cache(f"compiled code in {self.cache_path} cannot be read ({error!r})")
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel if that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a damaged index is read here too
            warn_about_cache(f"compiled code cannot be kept in {self.cache_path} ({error!r})")


class KernelDispatcher(numba_registry.CPUDispatcher):
    """Numba's dispatcher with this cache."""

    def enable_caching(self) -> None:
        """Read kernels from the disk, and keep them there."""
        self._cache = KernelCache(self.py_func)
