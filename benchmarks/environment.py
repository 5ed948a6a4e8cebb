"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from marginboost.kernels.threads import available_threads

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("marginboost", "numpy", "scipy", "numba", "scikit-learn", "lightgbm", "xgboost")


def environment() -> dict[str, Any]:
    """Processor, threads, load, and versions of everything that takes part."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "threads": available_threads(),
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "commit": _commit(),
        "versions": {
            "python": platform.python_version(),
            **{name: _version(name) for name in PACKAGES},
        },
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """Commit of the working tree, marked ``-dirty`` where it differs; empty outside Git."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
