"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

from marginboost.kernels.parallel import available_threads
from marginboost_experiments.circumstances import circumstances

ROOT = Path(__file__).resolve().parents[1]
STAT = Path("/proc/stat")
PACKAGES = (
    *("numpy", "scipy", "numba", "scikit-learn"),
    *("lightgbm", "xgboost", "catboost", "cleanlab"),
)


def environment() -> dict[str, Any]:
    """Date, processor, threads, load, commit, and versions of everything that takes part."""
    return circumstances(PACKAGES) | {
        "threads": available_threads(),
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "commit": _commit(),
    }


class OtherLoad:
    """How much of the machine other processes use while this object lives.

    Company falsifies ratios: a contender whose threads wait for each other can lose many times more
    by it than one whose threads do not.
    """

    def __init__(self) -> None:
        self._start = self._clocks()

    def share(self) -> float | None:
        """Fraction of all cores used by others since the start; None where it cannot be known."""
        if not STAT.exists():
            return None
        wall, busy, own = (b - a for a, b in zip(self._start, self._clocks(), strict=True))
        return max(0.0, busy - own) / (wall * (os.cpu_count() or 1))

    @staticmethod
    def _clocks() -> tuple[float, float, float]:
        """Seconds of the wall, of all busy cores, and of this process with its children."""
        busy = 0.0
        if STAT.exists():
            user, nice, system, _idle, _wait, *rest = STAT.read_text().split()[1:9]
            busy = sum(map(float, [user, nice, system, *rest])) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), busy, sum(os.times()[:4])


def _commit() -> str:
    """Commit of the working tree, marked ``-dirty`` where it differs; empty outside Git."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
