"""Listens to Numba compiling: the wait has a reason and an end, and memory must suffice for it.

That kernels are being compiled is said once in a process.

Compiled kernels are kept on the disk, so it happens once on a machine and release. The message is a
warning of the logger ``marginboost``, which Python prints to standard error unless it is told
otherwise. Whatever takes less than a second is not worth a word.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from numba.core import event

from ..address_space import COMPILING, check_room

PATIENCE = 1.0
"""Seconds of compiling after which it is said."""
MESSAGE = (
    "marginboost: compiling kernels, once on this machine; this may take half a minute "
    "(`marginboost warm-up` does it ahead)"
)

numba_events: Any = event  # without types


class CompileListener(numba_events.Listener):
    """Adds up the time that the package's kernels take to compile."""

    def __init__(self, clock: Any = time.perf_counter) -> None:
        self.clock = clock
        self.depth, self.started, self.spent = 0, 0.0, 0.0
        self.told = False

    def on_start(self, event: Any) -> None:
        """A kernel begins to compile, perhaps inside another one."""
        if not _is_ours(event):
            return
        if self.depth == 0:
            check_room(COMPILING, "compiling a kernel")
            self.started = self.clock()
        self.depth += 1
        if not self.told and self.spent + self.clock() - self.started > PATIENCE:
            self.told = True
            logging.getLogger("marginboost").warning(MESSAGE)

    def on_end(self, event: Any) -> None:
        """A kernel is compiled."""
        if not _is_ours(event) or self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0:
            self.spent += self.clock() - self.started


def _is_ours(event: Any) -> bool:
    function = getattr((event.data or {}).get("dispatcher"), "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("marginboost.")


def listen() -> None:
    """Begin to listen to Numba."""
    numba_events.register("numba:compile", CompileListener())
