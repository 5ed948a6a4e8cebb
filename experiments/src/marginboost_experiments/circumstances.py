"""What a reader needs to judge or repeat a measurement: date, versions, processor."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from marginboost import __version__

CPUINFO = Path("/proc/cpuinfo")


def circumstances(packages: Iterable[str]) -> dict[str, Any]:
    """Date, versions of Python, this package and others, system and processor, as plain data."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "versions": {
            "marginboost": __version__,  # of the source that runs, installed or not
            **{package: _version(package) for package in packages},
        },
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """Name of the processor; that of its kind where the system does not say more."""
    lines = CPUINFO.read_text(encoding="utf-8").splitlines() if CPUINFO.exists() else []
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.processor() or platform.machine()
