"""Lines of ``dask`` are measured one by one, each in a process that is ended when its time is up.

Fits of other libraries hang when a worker is lost. What a line found is kept until code changes,
so that a run which was interrupted goes on where it was.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from .data import Array
from .environment import ROOT

Line = dict[str, Any]
Found = dict[str, Any]


class Lines:
    """Measures lines, and remembers what was found.

    Parameters
    ----------
    limit : float
        Seconds after which a line is ended.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self.folder = Path(tempfile.gettempdir()) / f"marginboost-dask-{_digest_of_code()}"
        self.folder.mkdir(exist_ok=True)

    def measure(self, line: Line, limit: float | None = None) -> Found:
        """What a line found; if not all, why: "skipped", "failed", or "hangs", after seconds."""
        name = sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / f"{name}.json"
        if not path.exists():
            found = self._run(line, path, self._limit if limit is None else limit)
            if "failed" in found:  # may go better when tried again
                return found
            path.write_text(json.dumps(found))
        done: Found = json.loads(path.read_text())
        return done

    def chances(self, found: Found) -> Array | None:
        """Probabilities that a model gave to the rows of the test."""
        return np.asarray(np.load(self.folder / found["chances"])) if "chances" in found else None

    def _run(self, line: Line, path: Path, limit: float) -> Found:
        part = path.with_suffix(".part")
        print(f"dask: {_words(line)}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "benchmarks.cluster_child", json.dumps(line), str(part)]
        log = path.with_suffix(".log")
        with log.open("w") as output:
            child = subprocess.Popen(
                command, cwd=ROOT, stdout=output, stderr=output, start_new_session=True
            )
            try:
                child.wait(limit)
            except subprocess.TimeoutExpired:
                before = json.loads(part.read_text()) if part.exists() else {}
                return {**before, "hangs": limit}
            finally:  # workers too, also where this run is interrupted
                _end(child)
        if child.returncode or not part.exists():
            last = [text for text in log.read_text().splitlines() if text.strip()][-1:]
            return {"failed": f"{_words(line)}: {last[0] if last else child.returncode}"}
        found: Found = json.loads(part.read_text())
        part.unlink()
        return found


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a process with all that it began."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _words(line: Line) -> str:
    shown = (f"{value}" for key, value in line.items() if key in ("what", "contender", "workers"))
    return ", ".join([*shown, "×".join(map(str, line["shape"]))])


def _digest_of_code() -> str:
    """Changes with the package, the benchmarks, and the interpreter that is asked for peers."""
    digest = sha256(sys.prefix.encode())
    for folder in ("src/marginboost", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
