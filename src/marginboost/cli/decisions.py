"""Decisions on suspects in a CSV file, kept from session to session.

A file of decisions is never lost: lines about rows that are not listed now, or that had another id
or label when they were decided on, are written back as they are.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from .errors import DataError, UsageError
from .output import csv_bytes, guard, write_file

COLUMNS = ("row", "id", "given", "suggested", "score", "decision")
WORDS = ("wrong", "right")

Line = dict[str, Any]


class DecisionFile:
    """Where decisions are kept.

    Parameters
    ----------
    path : str
        A CSV file that this class wrote, or none yet; anything else is refused, so that no other
        file is overwritten.
    """

    def __init__(self, path: str) -> None:
        if Path(path).suffix.lower() != ".csv":
            raise UsageError(f"--decisions: got {path!r}, expected the name of a .csv file")
        self.path = path
        self._lines = _read(path)
        self._listed: dict[int, Line] = {}

    def take_up(self, payload: dict[str, Any]) -> dict[int, str]:
        """Decisions made before on rows that are listed now, by row number."""
        names = payload["classes"]
        self._listed = {
            suspect["row"]: {
                "row": suspect["row"],
                "id": suspect["id"],
                "given": names[suspect["given"]],
                "suggested": names[suspect["suggested"]],
                "score": suspect["score"],
            }
            for suspect in payload["suspects"]
        }
        known = [line for line in self._lines if self._is_listed(line)]
        self._lines = [line for line in self._lines if not self._is_listed(line)]
        return {int(line["row"]): line["decision"] for line in known}

    def save(self, decisions: dict[int, str]) -> None:
        """Write all decisions."""
        lines = [{**self._listed[row], "decision": word} for row, word in decisions.items()]
        lines = sorted([*lines, *self._lines], key=lambda line: int(line["row"]))
        write_file(self.path, csv_bytes({name: [x[name] for x in lines] for name in COLUMNS}))

    def _is_listed(self, line: Line) -> bool:
        now = self._listed.get(int(line["row"]))
        return now is not None and all(guard(now[name]) == line[name] for name in ("id", "given"))


def _read(path: str) -> list[Line]:
    if not Path(path).exists():
        return []
    problem = f"{path}: not a file of decisions (--decisions), so it is left alone"
    try:
        text = Path(path).read_text(encoding="utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        lines: list[Line] = list(reader)
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{problem}: {error}", file=path) from None
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise DataError(f"{problem}: its columns are not {', '.join(COLUMNS)}", file=path)
    for number, line in enumerate(lines, start=1):
        if not str(line["row"]).isdecimal() or line["decision"] not in WORDS or None in line:
            raise DataError(f"{problem}: row {number} is not a decision", file=path, row=number)
    return lines
