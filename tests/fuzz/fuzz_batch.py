"""Batches of damaged files in a process of their own: a crash or a hang is seen, not suffered."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SLOW = 1.0
"""Seconds of processor time that no single file may take."""
MEMORY = 2 << 30
"""Bytes that a batch may take beyond what it has when it begins."""

Case = tuple[str, Callable[[], str]]
"""What is done, and a function that does it and says how it ended; it raises what is a fault."""


@dataclass
class Report:
    """How a batch ended."""

    outcomes: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def summary(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self.outcomes.items()))
        return f"{sum(self.outcomes.values())} files: {counts}; {len(self.failures)} faults"


def try_all(cases: Iterator[Case]) -> Report:
    """Run cases in this process."""
    outcomes: Counter[str] = Counter()
    failures = []
    for name, case in cases:
        started = time.process_time()
        try:
            outcomes[case()] += 1
        except Exception as error:
            outcomes["fault"] += 1
            failures.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
        seconds = time.process_time() - started
        if seconds > SLOW:
            failures.append(f"{name}: took {seconds:.1f} s")
    return Report(dict(outcomes), failures)


def run_batch(target: str, budget: int, seed: int, patience: float) -> Report:
    """Run a batch in a process of its own, for a limited time."""
    command = [sys.executable, __file__, target, str(budget), str(seed)]
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired as error:
        last = (error.stderr or b"").decode(errors="replace")[-2000:]
        return Report(failures=[f"did not end in {patience} seconds: {last}"])
    if child.returncode != 0:
        return Report(failures=[f"ended with {child.returncode}: {child.stderr[-2000:]}"])
    return Report(**json.loads(child.stdout.splitlines()[-1]))


def bound_memory() -> None:
    """Let what takes far too much memory fail with a MemoryError."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError):  # not on this system
        pass


def main() -> None:
    """Run the batch that the arguments name, and print the report as JSON."""
    target, budget, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    faulthandler.enable()
    if target == "models":
        from fuzz_models import cases
    else:
        from fuzz_tables import cases
    report = try_all(cases(budget, random.Random(seed), bound_memory))
    print(json.dumps({"outcomes": report.outcomes, "failures": report.failures}))


if __name__ == "__main__":
    main()
