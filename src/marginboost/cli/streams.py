"""Parquet and Arrow files, and folders of them, that are too large to be read at once.

They are gone through in parts, each a :class:`~.reading.DataFile` of some rows: what is said of
columns, labels and weights of a file is said of a part too, and errors name the file and its row.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from .errors import DataError, require
from .reading import DataFile, DataSource, Dialect, is_arrow_file, read_file

WHOLE_VALUES = 1 << 24
"""Values, rows times columns, up to which a table is read whole: 128 megabytes of numbers."""
PART_ROWS = 1 << 16


def open_data(path: str, dialect: Dialect) -> DataSource:
    """The rows of a file or a folder: read, or opened if they are many; ``-`` is standard input."""
    if path == "-" or not (os.path.isdir(path) or is_arrow_file(path)):
        return read_file(path, dialect)
    stream = DataStream(path, dialect)
    return stream if stream.n_rows * len(stream.names) > WHOLE_VALUES else stream.whole()


class DataStream(DataSource):
    """Columns of a large file, or of the files of a folder, by name.

    Attributes
    ----------
    path, names, n_rows, rows
        As of a DataFile; rows of all files are counted through.
    """

    def __init__(self, path: str, dialect: Dialect) -> None:
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

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[DataFile]:
        """Some rows after the other, with all columns or some."""
        import numpy as np

        wanted = list(self.names if columns is None else columns)
        told: set[str] = set()
        before = 0
        pieces = self._files.pieces(wanted, PART_ROWS)
        while (piece := self._next(pieces)) is not None:
            n_rows = piece.table.num_rows
            if not n_rows:
                continue
            part = DataFile(piece.path, self.dialect, wanted, piece.table.columns)
            part.rows, part.is_part, part.told = np.arange(n_rows) + piece.start, True, told
            if self.rows is None:
                yield part
            else:
                first, last = np.searchsorted(self.rows, [before, before + n_rows])
                if first < last:
                    yield part.keep(self.rows[first:last] - before)
            before += n_rows

    def _next(self, pieces: Iterator[Any]) -> Any:
        try:
            return next(pieces, None)
        except ValueError as error:
            raise DataError(str(error), file=self.path) from None

    def keep(self, rows: Any) -> DataStream:
        """Only some of the rows, by number, in their order."""
        kept = DataStream(self.path, self.dialect)
        kept.rows = rows if self.rows is None else self.rows[rows]
        kept.n_rows = len(rows)
        return kept

    def place(self, row: int) -> tuple[str, int, int | None]:
        """File, and row in it, of a row of all files."""
        row = row if self.rows is None else int(self.rows[row])
        for path, count in zip(self._files.paths, self._files.counts, strict=True):
            if row < count:
                return path, row, None
            row -= count
        return self.path, row, None

    def whole(self) -> DataFile:
        """All rows at once."""
        found = self._read_all()
        return found if self.rows is None else found.keep(self.rows)

    def _read_all(self) -> DataFile:
        if not os.path.isdir(self.path):
            return read_file(self.path, self.dialect)
        pa = require("pyarrow")
        parts = [read_file(path, self.dialect) for path in self._files.paths]
        tables = [pa.table({name: part.column(name) for name in self.names}) for part in parts]
        try:
            table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
        except pa.ArrowException as error:
            raise self.error(f"columns of the files differ in type: {error}") from None
        return DataFile(self.path, self.dialect, self.names, table.columns)
