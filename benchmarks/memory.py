"""Peak memory of a fit, measured in a process of its own.

``python -m benchmarks.memory ROWS FEATURES ROUNDS [trees]`` prints the bytes as JSON, of stumps or
of gradient boosting. Imports, compilation and the input come first; then the peak mark is
reset, so that what is read afterwards is the fit's.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from .data import synthetic
from .environment import ROOT
from .gradient import OurTrees
from .peers import US, Contender, warm_up

STATUS, CLEAR_REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


CONTENDERS: dict[str, Contender] = {"stumps": US, "trees": OurTrees()}


def measure(n_rows: int, n_features: int, rounds: int, what: str = "stumps") -> dict[str, Any]:
    """Measure a fit in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory"]
    command += [str(argument) for argument in (n_rows, n_features, rounds, what)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _main(n_rows: int, n_features: int, rounds: int, what: str = "stumps") -> None:
    contender = CONTENDERS[what]
    warm_up([contender])
    X, y = synthetic(n_rows, n_features)
    _release()
    before, source = _reset_peak()
    contender.fit(X, y, rounds)
    peak = _status("VmHWM") if STATUS.exists() else max_rss()
    peak = max(peak, before)  # the system's counts lag behind by some pages
    print(json.dumps({"before": before, "peak": peak, "extra": peak - before, "source": source}))


def _release() -> None:
    """Give freed memory back, lest the fit reuse it unseen."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)


def _reset_peak() -> tuple[int, str]:
    """Bytes held now, with the peak mark set back to them where the system allows it."""
    try:
        CLEAR_REFS.write_text("5")
        return _status("VmRSS"), "VmHWM, reset before the fit"
    except OSError:
        return max_rss(), "the lifetime peak, which hides a fit smaller than its set-up"


def _status(field: str) -> int:
    """Bytes of a memory field of this process."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])


def max_rss() -> int:
    """Bytes of the lifetime peak; Linux counts kilobytes, macOS bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


if __name__ == "__main__":
    _main(*map(int, sys.argv[1:4]), *sys.argv[4:])
