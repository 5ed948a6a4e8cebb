"""Parquet and Arrow files, one or many, as one table that is read in pieces.

The content says what a file is, not its name. Files of a folder are taken in the order of their
names. All of them must have the same columns; those of the first say in which order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
"""Names of files in a folder that are read."""
SAVED_INDEX = re.compile(r"__index_level_\d+__")
"""Columns in which pandas keeps the names of rows."""
MOST_VALUES = 1 << 30
"""Values that a file of any size may hold, rows times columns."""
VALUES_PER_BYTE = 100
"""Values that a larger file may hold for each of its bytes: a few can stand for any number."""


class Piece(NamedTuple):
    """Some rows of a file.

    Attributes
    ----------
    path : str
        The file.
    start : int
        Place of the first row in that file, from 0.
    table : pyarrow.Table
        The rows.
    """

    path: str
    start: int
    table: Any


class ArrowFiles:
    """Columns and rows of some Parquet and Arrow files.

    Parameters
    ----------
    paths : sequence of str
        The files, in order.

    Attributes
    ----------
    names : list of str
        Columns, without a saved row index.
    left_out : bool
        Whether there was such an index.
    counts : list of int
        Rows of each file.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        if not paths:
            raise ValueError("source: got no files, expected at least one")
        self.paths = list(paths)
        schemas, self.counts = zip(*map(_look, self.paths), strict=True)
        first = [name for name in schemas[0] if not SAVED_INDEX.fullmatch(name)]
        twice = next((name for name in first if first.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{self.paths[0]}: two columns are named {twice!r}; names must differ")
        self.left_out = len(first) < len(schemas[0])
        self.names: list[str] = first
        for path, names in zip(self.paths, schemas, strict=True):
            self._check_names(path, [name for name in names if not SAVED_INDEX.fullmatch(name)])

    def _check_names(self, path: str, names: list[str]) -> None:
        different = set(names) ^ set(self.names)
        if different or len(names) != len(self.names):
            name = min(different, default=names[-1])
            has = "lacks the column" if name in self.names else "has another column,"
            raise ValueError(f"{path}: {has} {name!r}, expected those of {self.paths[0]}")

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(self.counts)

    def pieces(self, columns: Sequence[str], batch_rows: int) -> Iterator[Piece]:
        """The rows, file after file."""
        pa = need_pyarrow()
        for path in self.paths:
            start = 0
            try:
                for batch in _record_batches(path, list(columns), batch_rows):
                    table = pa.Table.from_batches([batch]).select(list(columns))
                    table.validate(full=True)  # pyarrow believes offsets, wherever they lead
                    yield Piece(path, start, table)
                    start += table.num_rows
            except (pa.ArrowException, OSError) as error:
                raise ValueError(f"{path}: cannot be read: {error}") from error


def need_pyarrow(module: str = "pyarrow") -> Any:
    """Import pyarrow or a module of it, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            'Parquet and Arrow files are read by pyarrow: pip install "marginboost[frames]"'
        ) from error


def find_files(path: str | os.PathLike[str]) -> list[str]:
    """Files of a folder and the folders in it, by name; of a file, itself."""
    given = Path(path)
    if not given.is_dir():
        return [os.fspath(path)]
    found = sorted(
        file
        for file in given.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and not any(part.startswith((".", "_")) for part in file.relative_to(given).parts)
        and file.is_file()
    )
    if not found:
        raise ValueError(f"{path}: a folder without files named {', '.join(SUFFIXES)}")
    for file in found:
        if part := next((p for p in file.relative_to(given).parts[:-1] if "=" in p), None):
            raise ValueError(
                f"{path}: the folder {part!r} stands for a column that its files lack; give a list "
                "of files, or write them with all columns"
            )
    return [os.fspath(file) for file in found]


def _look(path: str) -> tuple[list[str], int]:
    """Names of the columns and number of rows of one file."""
    pa = need_pyarrow()
    try:
        if _kind(path) == PARQUET:
            with need_pyarrow("pyarrow.parquet").ParquetFile(path) as file:
                about = file.metadata
                _check_size(path, about.num_rows * about.num_columns)
                return list(file.schema_arrow.names), about.num_rows
        n_rows = 0
        with _open_arrow(path) as reader:
            for batch in _all_batches(reader):
                n_rows += batch.num_rows
            return list(reader.schema.names), n_rows
    except pa.ArrowException as error:
        raise ValueError(f"{path}: cannot be read: {error}") from error
    except OSError as error:
        if error.filename is not None:
            raise
        raise ValueError(f"{path}: cannot be read: {error}") from error


def _kind(path: str) -> bytes:
    with open(path, "rb") as file:
        first = file.read(len(ARROW_FILE))
    for kind in (PARQUET, ARROW_FILE, ARROW_STREAM):
        if first.startswith(kind):
            return kind
    raise ValueError(f"{path}: neither a Parquet nor an Arrow file")


def _check_size(path: str, n_values: int) -> None:
    most = max(MOST_VALUES, VALUES_PER_BYTE * os.path.getsize(path))
    if n_values > most:
        raise ValueError(f"{path}: {n_values:,} values, expected at most {most:,}")


def _open_arrow(path: str) -> Any:
    """Reader of an Arrow file or stream; plain columns are mapped into memory, not read."""
    ipc, source = need_pyarrow("pyarrow.ipc"), need_pyarrow().memory_map(path)
    return (ipc.open_file if _kind(path) == ARROW_FILE else ipc.open_stream)(source)


def _all_batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(k) for k in range(reader.num_record_batches))
    return iter(reader)


def _record_batches(path: str, columns: list[str], batch_rows: int) -> Iterator[Any]:
    """Record batches of at most so many rows."""
    if _kind(path) == PARQUET:
        with need_pyarrow("pyarrow.parquet").ParquetFile(path) as file:
            yield from file.iter_batches(batch_rows, columns=columns)
        return
    with _open_arrow(path) as reader:
        for batch in _all_batches(reader):
            for start in range(0, batch.num_rows, batch_rows):
                yield batch.slice(start, batch_rows)
