"""Batches of cases in processes of their own: a crash or a hang is seen, not suffered."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

TARGETS = {"models": 1.0, "tables": 1.0, "estimators": 2.0}
"""Kinds of cases, and seconds of processor time that no single case of them may take."""
LAST = 40.0
"""Seconds after which a case is ended with its process."""
MEMORY = 2 << 30
"""Bytes that a batch may take beyond what it has when it begins."""

Case = tuple[int, str, Callable[[], str]]
"""Its number, what is done, and a function that does it and says how it ended, or raises a fault.

A case follows from seed and number alone, so that a batch can go on behind one that ended it."""


@dataclass
class Report:
    """How a batch ended."""

    outcomes: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def summary(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self.outcomes.items()))
        return f"{sum(self.outcomes.values())} cases: {counts}; {len(self.failures)} faults"


def attempt(act: Callable[[], str]) -> tuple[str, list[str], float]:
    """How a case ended, its faults, and the processor time that it took."""
    started = time.process_time()
    try:
        outcome, faults = act(), []
    except Exception as error:
        outcome, faults = "fault", [f"{type(error).__name__}: {str(error)[:300]}"]
    return outcome, faults, time.process_time() - started


def try_all(cases: Iterator[Case], slow: float, tell: Callable[[object], None]) -> None:
    """Run cases in this process, and tell of each before and after.

    One that takes long is run again: the first time a kernel may have been compiled.
    """
    for number, label, act in cases:
        tell([number, label])
        faulthandler.dump_traceback_later(LAST, exit=True)
        outcome, faults, seconds = attempt(act)
        if seconds > slow:
            outcome, faults, seconds = attempt(act)
        if seconds > slow:
            faults.append(f"took {seconds:.1f} s")
        faulthandler.cancel_dump_traceback_later()
        tell([number, label, outcome, faults])


def run_batch(target: str, budget: int, seed: int, patience: float, first: int = 0) -> Report:
    """Run a batch in processes of its own, for a limited time.

    A process that a case ended is followed by another, for the cases behind it.
    """
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    end = time.monotonic() + patience
    last = first + budget
    while first < last:
        told, errors, ended = _run(target, seed, (first, last), end - time.monotonic())
        for number, label, outcome, faults in (line for line in told if len(line) == 4):
            outcomes[outcome] += 1
            failures += [f"{target}/{seed}/{number} {label}: {fault}" for fault in faults]
        if not ended:
            failures.append(f"did not end in {patience} seconds: {errors}")
            break
        if ended == "0":
            break
        if not told:
            failures.append(f"ended with {ended}: {errors}")
            break
        number, label = told[-1][:2]
        outcomes["fault"] += 1
        failures.append(f"{target}/{seed}/{number} {label}: ended with {ended}: {errors}")
        first = number + 1
    return Report(dict(outcomes), failures)


def _run(
    target: str, seed: int, numbers: tuple[int, int], patience: float
) -> tuple[list[list], str, str]:
    """What a process told, the end of its errors, and its exit code; none if it did not end."""
    command = [sys.executable, __file__, target, str(seed), *map(str, numbers)]
    ended = ""
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, check=False
        )
        out, errors, ended = child.stdout, child.stderr, str(child.returncode)
    except subprocess.TimeoutExpired as error:
        out, errors = (
            (text or b"").decode(errors="replace") for text in (error.stdout, error.stderr)
        )
    told = []
    for line in out.splitlines():
        with contextlib.suppress(ValueError):  # the last line may be cut
            told.append(json.loads(line))
    return told, errors[-2000:], ended


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
    """Run the cases that the arguments name, and print a line of JSON before and after each."""
    target, seed, first, last = sys.argv[1], *map(int, sys.argv[2:])
    faulthandler.enable()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")  # cases may take the place of sys.stdout

    def tell(what: object) -> None:
        print(json.dumps(what), file=out, flush=True)

    cases = import_module(f"fuzz_{target}").cases
    try_all(cases(range(first, last), seed, bound_memory), TARGETS[target], tell)


if __name__ == "__main__":
    main()
