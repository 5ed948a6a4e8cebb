"""Answers, for people and for machines, and files that others will read."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ..files import is_standard_input, same_file, write_whole
from .errors import Exit, OutputError, UsageError, require

BARS = "▁▂▃▄▅▆▇█"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FORMULA_SIGNS = tuple("=+-@＝＋－＠﹦﹢﹣﹫")
SKIPPED = re.compile(
    r"^[\s\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff,;|]+"
)
"""What a spreadsheet may leave out before a formula."""
Columns = Mapping[str, Any]
"""Values by the name of their column: lists, or columns of pyarrow."""
ARROW = (".arrow", ".feather")
QUOTED = re.compile(r"""[,;|\t\r\n"]""")
"""Signs that separate cells or lines somewhere."""


@dataclass(frozen=True)
class Answer:
    """What a command found, as plain data, and how it ends.

    ``text`` is output of its own, such as predictions as CSV: its parts are written as they come.
    """

    data: dict[str, Any]
    exit: Exit = Exit.OK
    text: Iterable[bytes] | None = None


# -- machines --------------------------------------------------------------------------------------


def as_json(data: dict[str, Any]) -> str:
    """One JSON object; NaN and infinity, for which JSON has no word, become null."""
    return json.dumps(_plain(data), allow_nan=False, ensure_ascii=False, indent=2, default=str)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# -- people ----------------------------------------------------------------------------------------


def visible(value: object, limit: int = 48) -> str:
    """Text of a value that cannot upset a terminal: no control signs, not too long."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def class_name(label: object) -> str:
    """Name of a class, in quotes where it could be taken for a count.

    >>> class_name("benign"), class_name(3)
    ('benign', '"3"')
    """
    text = visible(label)
    return f'"{text}"' if NUMBER.fullmatch(text) else text


class Screen:
    """Tables and sentences on standard output; colours only where a terminal wants them."""

    def __init__(self) -> None:
        rich = require("rich.console")
        wide = None if sys.stdout.isatty() else 200
        self._console = rich.Console(highlight=False, markup=False, emoji=False, width=wide)

    def title(self, text: str) -> None:
        """Print a line in bold."""
        self._console.print(visible(text, 200), style="bold")

    def say(self, text: str = "") -> None:
        """Print a sentence, wrapped."""
        self._console.print(text)

    def verdict(self, good: bool, text: str) -> None:
        """Print a sentence that is good or bad news."""
        self._console.print(text, style="bold green" if good else "bold red")

    def facts(self, facts: dict[str, object]) -> None:
        """Print names and values, one pair per line."""
        self.table(["", ""], [[name, value] for name, value in facts.items()], align="<<")

    def table(
        self, headers: Sequence[str], rows: Iterable[Sequence[object]], align: str = ""
    ) -> None:
        """Print a table; ``align`` has one < or > per column, numbers being better off with >."""
        rich, text = require("rich.table"), require("rich.text")
        grid = rich.Table(
            box=None, show_header=any(headers), header_style="bold", padding=(0, 2, 0, 0)
        )
        for header, side in zip(headers, align.ljust(len(headers), ">"), strict=True):
            grid.add_column(
                visible(header), justify="left" if side == "<" else "right", overflow="fold"
            )
        for row in rows:
            grid.add_row(*(text.Text(visible(cell, 120)) for cell in row))
        self._console.print(grid)


def sparkline(levels: Sequence[float], width: int = 24) -> str:
    """Levels as a row of bars from the lowest to the highest; equal levels are one low bar.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    if len(levels) > width:
        levels = [levels[i * (len(levels) - 1) // (width - 1)] for i in range(width)]
    low, high = min(levels), max(levels)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(BARS[math.floor((level - low) * scale + 0.5)] for level in levels)


def bar(share: float, width: int = 20) -> str:
    """Bar for a share of 1.

    >>> bar(0.5, 8)
    '████'
    """
    return "█" * max(0, round(min(share, 1.0) * width))


def progress_bar() -> list[Any]:
    """Return the callback that shows the rounds of a run, if standard error is a terminal."""
    from ..core import Progress

    return [Progress()] if sys.stderr.isatty() else []


@contextmanager
def progress(name: str, total: int) -> Iterator[Any]:
    """Give a function that advances a bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    console = require("rich.console").Console(stderr=True)
    with require("rich.progress").Progress(console=console, transient=True) as bars:
        task = bars.add_task(name, total=total)
        yield lambda: bars.advance(task)


# -- files -----------------------------------------------------------------------------------------


def guard(cell: Any) -> Any:
    r"""Cell of a CSV file that a spreadsheet will not take for a formula.

    A formula begins with =, +, - or @, in the width of a letter or of a Chinese character, and
    spreadsheets may skip spaces, invisible signs, ends of lines and separators before it. Such text
    gets a quotation mark in front, and so does text after a tab or an end of line, whatever it
    is. Numbers and single signs are no formulas.

    >>> guard("=1+1"), guard("-3.5"), guard("+"), guard("\n＝1+1")
    ("'=1+1", '-3.5', '+', "'\n＝1+1")
    """
    if not isinstance(cell, str) or len(cell) < 2:
        return cell
    text = SKIPPED.sub("", cell)
    risky = text.startswith(FORMULA_SIGNS) and not NUMBER.fullmatch(text.rstrip())
    return f"'{cell}" if risky or cell[0] in "\t\r\n" else cell


def csv_bytes(columns: Columns, delimiter: str = ",", *, header: bool = True) -> bytes:
    """Columns as CSV in UTF-8, safe to open in a spreadsheet."""
    values = [c.to_pylist() if hasattr(c, "to_pylist") else c for c in columns.values()]
    rows: Iterable[Any] = zip(*values, strict=True)
    if header:
        rows = chain([list(columns)], rows)
    lines = (delimiter.join(map(_csv_cell, row)) or '""' for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def csv_parts(parts: Iterable[Columns], delimiter: str = ",") -> Iterator[bytes]:
    """Columns whose rows come in parts as CSV."""
    for number, columns in enumerate(parts):
        yield csv_bytes(columns, delimiter, header=number == 0)


def _csv_cell(value: Any) -> str:
    """Text of a cell, quoted where any program could take a part of it for the end of the cell."""
    text = "" if value is None else str(guard(value))
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def table_parts(parts: Iterable[Columns], path: str) -> Iterator[bytes]:
    """Columns whose rows come in parts, in the format that the name of a file asks for.

    That is CSV if it says nothing. No more than a part is held at a time.
    """
    kind, packed = _kind(path)
    if kind == ".parquet":
        content = _arrow_parts(parts, require("pyarrow.parquet").ParquetWriter)
    elif kind in ARROW:
        content = _arrow_parts(parts, require("pyarrow.ipc").new_file)
    else:
        content = csv_parts(parts, "\t" if kind in (".tsv", ".tab") else ",")
    return _packed(content) if packed else content


def _kind(path: str) -> tuple[str, bool]:
    """Last suffix of the name of a file, and whether .gz follows it."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    return "".join((suffixes[:-1] if packed else suffixes)[-1:]), packed


def has_types(path: str) -> bool:
    """Whether numbers and text differ in the format that the name of a file asks for.

    >>> has_types("clean.parquet.gz"), has_types("clean.csv")
    (True, False)
    """
    return _kind(path)[0] in (".parquet", *ARROW)


def table_bytes(columns: Columns, path: str) -> bytes:
    """Columns in the format that the name of a file asks for."""
    return b"".join(table_parts([columns], path))


class _Drain(io.RawIOBase):
    """A file whose content is taken away as it is written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._written

    def write(self, content: Any) -> int:
        self._parts.append(bytes(content))
        self._written += len(self._parts[-1])
        return len(self._parts[-1])

    def take(self) -> bytes:
        """What was written since last time."""
        taken, self._parts = b"".join(self._parts), []
        return taken


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    drain = _Drain()
    with gzip.GzipFile(fileobj=drain, mode="wb", mtime=0) as file:
        for part in parts:
            file.write(part)
            yield drain.take()
    yield drain.take()


def _arrow_parts(parts: Iterable[Columns], open_writer: Any) -> Iterator[bytes]:
    """Tables as a writer of pyarrow writes them; the first one says of what type columns are."""
    pa, drain, writer, schema = require("pyarrow"), _Drain(), None, None
    for columns in parts:
        table = pa.table(columns)
        if writer is None:
            schema = table.schema
            writer = open_writer(drain, schema)
        writer.write_table(table.cast(schema))
        yield drain.take()
    if writer is not None:
        writer.close()
    yield drain.take()


def check_target(path: str, option: str, others: dict[str, str | None]) -> None:
    """Raise, before any work, if a file could not be written there, or has another use.

    Parameters
    ----------
    path : str
        Where to write.
    option : str
        The option that said so.
    others : dict
        Other files of the command, by what they are; ``-`` is standard input.
    """
    folder = Path(os.path.realpath(path)).parent
    for what, other in others.items():
        if other is not None and _lead_to_one_file(path, other):
            raise UsageError(f"{option}: {path} is the {what} too; expected another file")
        if other is not None and os.path.isdir(other):
            given = Path(os.path.realpath(other))
            if given == folder or given in folder.parents:
                raise UsageError(f"{option}: {path} would lie among the files of {other}")
    if Path(path).is_dir():
        raise OutputError(f"{path}: a folder, expected the name of a file", file=path)
    if Path(path).exists() and not Path(path).is_file():  # a device or a pipe, written in place
        if not os.access(path, os.W_OK):
            raise OutputError(f"{path}: cannot be written to", file=path)
        return
    if not folder.is_dir():
        raise OutputError(f"{path}: there is no folder {folder.name!r}", file=path)
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path}: the folder cannot be written to", file=path)


def _lead_to_one_file(path: str, other: str) -> bool:
    return is_standard_input(path) if other == "-" else same_file(path, other)


def write_file(path: str, content: bytes | Iterable[bytes]) -> None:
    """Write a whole file or nothing."""
    with writing(path):
        write_whole(path, content)


@contextmanager
def writing(path: str | None) -> Iterator[None]:
    """Say which file it was, and why, if it cannot be written."""
    try:
        yield
    except OSError as error:
        if path is None or error.filename != path:
            raise
        raise OutputError(f"{path}: {error.strerror or error}", file=path) from None
