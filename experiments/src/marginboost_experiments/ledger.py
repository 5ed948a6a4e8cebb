"""Ledger of finished trials: one line each, written at once, so that a killed run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from marginboost import __version__

from .frame import Case, Result


def key_of(case: Case) -> str:
    """Text by which a case is known; settings in any order are the same case."""
    return json.dumps(case, sort_keys=True, default=plain)


def plain(value: Any) -> Any:
    """Turn NumPy's numbers and arrays into Python's, for JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"result: got {type(value).__name__}, expected numbers, text and lists")


class Ledger:
    """Finished trials of one experiment, in memory and, where there is a file, on disk.

    Trials of another version of the package are not taken up again. A last line that a killed
    process left unfinished is skipped.

    Parameters
    ----------
    path : path, optional
        File of JSON lines; None keeps nothing.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._done: dict[str, tuple[Result, float]] = {}
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            return
        if entry.get("version") == __version__:
            self._done[key_of(entry["case"])] = entry["result"], entry["seconds"]

    def __contains__(self, case: Case) -> bool:
        return key_of(case) in self._done

    def result(self, case: Case) -> Result:
        """What the trial of this case measured."""
        return self._done[key_of(case)][0]

    def seconds(self, case: Case) -> float:
        """Processor time of the trial of this case."""
        return self._done[key_of(case)][1]

    def add(self, case: Case, result: Result, seconds: float) -> None:
        """Note a finished trial, on disk first.

        What is read back is what is kept, so that a resumed run and one that was not interrupted
        go on from the same numbers.
        """
        entry = {"version": __version__, "case": case, "seconds": seconds, "result": result}
        line = json.dumps(entry, default=plain)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                if file.tell() and not self._ends_a_line():
                    file.write(b"\n")
                file.write(line.encode() + b"\n")
        self._take(line)

    def _ends_a_line(self) -> bool:
        assert self.path is not None
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"
