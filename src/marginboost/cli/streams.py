"""Files of text, Parquet and Arrow, and folders of the latter, too large to be read at once.

They are gone through in parts, each a :class:`~.reading.DataFile` of some rows: what is said of
columns, labels and weights of a file is said of a part too, and errors name the file and its row.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from .dialect import Dialect
from .errors import DataError, require
from .reading import (
    BLOCK_BYTES,
    LARGEST_BLOCK,
    DataFile,
    DataSource,
    Text,
    is_arrow_file,
    is_plain_text,
    is_too_long,
    parse_options,
    read_file,
)

WHOLE_VALUES = 1 << 24
"""Values, rows times columns, up to which a table is read whole: 128 megabytes of numbers."""
PART_ROWS = 1 << 16
WHOLE_BYTES = 1 << 27
"""Bytes up to which a file of text is read whole."""


def open_data(path: str, dialect: Dialect) -> DataSource:
    """The rows of a file or a folder: read, or opened if they are many; ``-`` is standard input."""
    if path == "-":
        return read_file(path, dialect)
    if os.path.isdir(path) or is_arrow_file(path):
        stream = ArrowStream(path, dialect)
        return stream if stream.n_rows * len(stream.names) > WHOLE_VALUES else stream.whole()
    if is_plain_text(path, dialect) and os.path.getsize(path) > WHOLE_BYTES:
        return TextStream(path, dialect)
    return read_file(path, dialect)


class DataStream(DataSource):
    """Columns of a large file, or of the files of a folder, by name.

    Attributes
    ----------
    path, names, n_rows, rows
        As of a DataFile; rows of all files are counted through.
    categorical : set of str
        As of a DataFile.
    text : Text or None
        Where values are text whose types have still to be found, all of it.
    """

    text: Text | None = None

    def __init__(self, path: str, dialect: Dialect, names: list[str]) -> None:
        super().__init__(path, dialect, names)
        self.categorical = set[str]()

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[DataFile]:
        """Some rows after the other, with all columns or some."""
        import numpy as np

        wanted = list(self.names if columns is None else columns)
        told: set[str] = set()
        before = 0
        pieces = self._pieces(wanted)
        while (piece := self._next(pieces)) is not None:
            n_rows = piece.table.num_rows
            if not n_rows:
                continue
            part = DataFile(piece.path, self.dialect, wanted, piece.table.columns, self.text)
            part.rows, part.is_part, part.told = np.arange(n_rows) + piece.start, True, told
            part.categorical = self.categorical
            if self.rows is None:
                yield part
            else:
                first, last = np.searchsorted(self.rows, [before, before + n_rows])
                if first < last:
                    yield part.keep(self.rows[first:last] - before)
            before += n_rows

    def _pieces(self, columns: list[str]) -> Iterator[Any]:
        """Rows as they come, each piece with its file and its place in it."""
        raise NotImplementedError

    def _next(self, pieces: Iterator[Any]) -> Any:
        try:
            return next(pieces, None)
        except ValueError as error:
            raise DataError(str(error), file=self.path) from None

    def keep(self, rows: Any) -> DataStream:
        """Only some of the rows, by number, in their order."""
        kept = copy(self)
        kept.rows = rows if self.rows is None else self.rows[rows]
        kept.n_rows = len(rows)
        return kept

    def whole(self) -> DataFile:
        """All rows at once."""
        found = self._read_all()
        return found if self.rows is None else found.keep(self.rows)

    def _read_all(self) -> DataFile:
        return read_file(self.path, self.dialect)


class ArrowStream(DataStream):
    """Parquet and Arrow files."""

    def __init__(self, path: str, dialect: Dialect) -> None:
        dialect.check_typed(path)
        require("pyarrow")
        from ..data.arrow_files import ArrowFiles, find_files

        try:
            self._files = ArrowFiles(find_files(path))
        except ValueError as error:
            raise DataError(str(error), file=path) from None
        except OSError as error:
            raise DataError(f"{path}: {error.strerror or error}", file=path) from None
        super().__init__(path, dialect, self._files.names)
        self.n_rows = self._files.n_rows
        if self.n_rows == 0:
            raise self.error("there are column names, but no rows")
        if self._files.left_out:
            warnings.warn(f"{path}: the saved row index is left out", UserWarning, stacklevel=2)

    def _pieces(self, columns: list[str]) -> Iterator[Any]:
        return self._files.pieces(columns, PART_ROWS)

    def place(self, row: int) -> tuple[str, int, int | None]:
        """File, and row in it, of a row of all files."""
        row = row if self.rows is None else int(self.rows[row])
        for path, count in zip(self._files.paths, self._files.counts, strict=True):
            if row < count:
                return path, row, None
            row -= count
        return self.path, row, None

    def _read_all(self) -> DataFile:
        if not os.path.isdir(self.path):
            return super()._read_all()
        pa = require("pyarrow")
        parts = [read_file(path, self.dialect) for path in self._files.paths]
        tables = [pa.table({name: part.column(name) for name in self.names}) for part in parts]
        try:
            table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
        except pa.ArrowException as error:
            raise self.error(f"columns of the files differ in type: {error}") from None
        return DataFile(self.path, self.dialect, self.names, table.columns)


class TextStream(DataStream):
    """A file of text; rows are counted when it is opened, and its records checked."""

    def __init__(self, path: str, dialect: Dialect) -> None:
        self._file, self._block = Text(path, None, dialect), BLOCK_BYTES
        super().__init__(path, dialect, self._file.names())
        self.text = self._file
        self.n_rows = self._count()
        if self.n_rows == 0:
            raise self.error("there are column names, but no rows")
        if self._file.lines_differ_from_rows(self.n_rows + dialect.header):
            self._file.check_records()
        self._file.suspect_header(self.names)

    def _count(self) -> int:
        pa = require("pyarrow")
        try:
            return sum(piece.table.num_rows for piece in self._read([0]))
        except pa.ArrowInvalid as error:
            if is_too_long(error) and self._block < LARGEST_BLOCK:
                self._block = min(16 * self._block, LARGEST_BLOCK)
                return self._count()
            raise self._broken(error) from None

    def _next(self, pieces: Iterator[Any]) -> Any:
        try:
            return next(pieces, None)
        except ValueError as error:
            raise self._broken(error) from None

    def _broken(self, error: ValueError) -> DataError:
        """What is wrong with text that pyarrow cannot read; with the line, if that can be told."""
        self._file.check_records()
        return DataError(f"{self.path}: cannot be read as text: {error}", file=self.path)

    def _pieces(self, columns: list[str]) -> Iterator[Any]:
        return self._read([self.names.index(name) for name in columns])

    def _read(self, places: list[int]) -> Iterator[Any]:
        """Some columns of all rows, without the header."""
        from ..data.arrow_files import Piece

        pa, arrow_csv = require("pyarrow"), require("pyarrow.csv")
        options = parse_options(self._file.delimiter, len(self.names), self._block, places)
        with arrow_csv.open_csv(self.path, *options) as reader:
            start, header = 0, int(self.dialect.header)
            for batch in reader:
                table = pa.Table.from_batches([batch]).slice(header)
                header = max(0, header - batch.num_rows)
                yield Piece(self.path, start, table)
                start += table.num_rows

    def place(self, row: int) -> tuple[str, int, int | None]:
        """File, row in it, and line."""
        row = row if self.rows is None else int(self.rows[row])
        return self.path, row, self._file.line_of(row)
