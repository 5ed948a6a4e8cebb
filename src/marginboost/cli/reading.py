"""Data files as named columns: CSV, TSV, Parquet, Arrow, plain or gzipped.

The content says what a file is, not its name. Text is parsed by pyarrow, which is fast; where that
fails, or quotes make lines and rows differ, Python's own strict reader goes through the records and
names the line. Rows are counted from 1, without the header; lines as an editor shows them.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from ..files import GZIP, TooLarge, unpack
from .dialect import Dialect
from .errors import DataError, require, suggest

DELIMITERS = (",", ";", "\t", "|")
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
ZIP = b"PK\x03\x04"
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
MOST_PACKED = 100
"""A gzipped file may unpack to so many times its size, and ``SPARE_BYTES`` more."""
SPARE_BYTES = 1 << 26
MOST_VALUES = 1 << 30
"""Most values of a Parquet file, rows times columns: a few bytes can stand for any number."""
MOST_COLUMNS = 100_000
BLOCK_BYTES = 1 << 24
"""Text parsed at a time; where a row does not fit, all of it is."""
LARGEST_BLOCK = 2**31 - 1


class DataSource:
    """A table with named columns, in memory or not.

    Attributes
    ----------
    path : str
        As the user wrote it.
    names : list of str
        Column names, all distinct.
    n_rows : int
        Rows, without the header.
    rows : array of int or None
        Places in the file of the rows that are kept, from 0; None if all are.
    """

    n_rows: int

    def __init__(self, path: str, dialect: Dialect, names: list[str]) -> None:
        self.path, self.dialect, self.names = path, dialect, names
        self.rows: Any = None

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[DataFile]:
        """The rows, in one part or several; only these columns need be there."""
        raise NotImplementedError

    def keep(self, rows: Any) -> DataSource:
        """Only some of the rows, by number; errors still name their places in the file."""
        raise NotImplementedError

    def place(self, row: int) -> tuple[str, int, int | None]:
        """File, row in it from 0, and line of a row."""
        raise NotImplementedError

    def check_names(self, *names: str | None, option: str) -> None:
        """Raise unless each name is one of a column."""
        for name in names:
            if name is not None and name not in self.names:
                raise self.error(f"no column {name!r} ({option}); {suggest(name, self.names)}")

    def error(self, problem: str, column: str | None = None, row: int | None = None) -> DataError:
        """Return an error that says where: ``row`` counts from 0."""
        path, line = self.path, None
        if row is not None:
            path, row, line = self.place(row)
        places = [
            *([] if column is None else [f"column {shorten(column)}"]),
            *([] if row is None else [f"row {row + 1}"]),
        ]
        where = ", ".join(places) + ("" if line is None else f" (line {line})")
        return DataError(
            ": ".join(part for part in (path, where, problem) if part),
            file=path,
            column=column,
            row=None if row is None else row + 1,
            line=line,
        )


class DataFile(DataSource):
    """Columns of a file, by name.

    Attributes
    ----------
    path : str
        As the user wrote it.
    names : list of str
        Column names, all distinct.
    is_text : bool
        Whether values are text whose types have still to be found.
    n_rows : int
        Rows, without the header.
    rows : array of int or None
        Places in the file of the rows that are kept, from 0; None if all are.
    is_part : bool
        Whether there are more rows than these.
    told : set of str
        Columns that a warning was about: one of all parts is enough.
    categorical : set of str
        Columns of text of which all parts together say that they hold categories.
    """

    def __init__(
        self, path: str, dialect: Dialect, names: list[str], columns: list[Any], text: Any = None
    ) -> None:
        super().__init__(path, dialect, names)
        self.is_text = text is not None
        self.n_rows = len(columns[0]) if columns else 0
        self.is_part, self.told, self.categorical = False, set[str](), set[str]()
        self._text: Text | None = text
        self._columns = dict(zip(names, columns, strict=True))
        for name, where in _positions(names).items():
            if len(where) > 1:
                both = " and ".join(map(str, where))
                hint = "; is the first line a row? --no-header" if _is_data(names) else ""
                raise self.error(
                    f"the name stands for columns {both}; names must differ{hint}", name
                )
        if self.n_rows == 0:
            raise self.error("there are column names, but no rows")

    def column(self, name: str) -> Any:
        """Values of a column as they are in the file."""
        return self._columns[name]

    def keep(self, rows: Any) -> DataFile:
        """Only some of the rows, by number; errors still name their places in the file."""
        columns = [column.take(rows) for column in self._columns.values()]
        kept = DataFile(self.path, self.dialect, self.names, columns, self._text)
        kept.rows = rows if self.rows is None else self.rows[rows]
        kept.is_part, kept.told, kept.categorical = self.is_part, self.told, self.categorical
        return kept

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[DataFile]:
        """The file itself."""
        yield self

    def place(self, row: int) -> tuple[str, int, int | None]:
        """File, row in it, and line."""
        row = row if self.rows is None else int(self.rows[row])
        return self.path, row, None if self._text is None else self._text.line_of(row)


def shorten(value: object, limit: int = 60) -> str:
    """Quoted text of a value, without its middle if it is long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 12]} … {text[-10:]}"


def _positions(names: list[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        places.setdefault(name, []).append(position)
    return places


def _is_data(names: list[str]) -> bool:
    """Whether column names look like the values of a row: most are numbers, or one is no whole one.

    Years are good names.
    """
    numbers = [n for n in names if re.fullmatch(NUMBER, n) and not re.fullmatch(r"(19|20)\d\d", n)]
    return 2 * len(numbers) > len(names) or any(not name.isdigit() for name in numbers)


def read_file(path: str, dialect: Dialect | None = None) -> DataFile:
    """Read a data file, or the Parquet and Arrow files of a folder; ``-`` is standard input."""
    dialect = dialect or Dialect()
    if os.path.isdir(path):
        from .streams import ArrowStream  # here, not above: it builds on this module

        return ArrowStream(path, dialect).whole()
    content = _decompress(path, _read_bytes(path))
    if content.startswith(ZIP):
        raise DataError(f"{path}: a zip archive or a workbook; save it as CSV or Parquet")
    if content.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)):
        return _read_arrow(path, content, dialect)
    return _read_text(path, content, dialect)


def is_arrow_file(path: str) -> bool:
    """Whether a file is one of Parquet or Arrow, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(8).startswith((PARQUET, ARROW_FILE, ARROW_STREAM))
    except OSError:
        return False


def is_plain_text(path: str, dialect: Dialect) -> bool:
    """Whether a file can be read as text piece by piece: neither packed nor recoded."""
    others = (GZIP, ZIP, *(mark for mark, code in BYTE_ORDER_MARKS.items() if "16" in code))
    try:
        with open(path, "rb") as file:
            first = file.read(8)
    except OSError:
        return False
    encoding = (dialect.encoding or "utf-8").lower().replace("_", "-")
    return encoding in ("utf-8", "utf8", "utf-8-sig") and not first.startswith(others)


def _read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}", file=path) from None


def _decompress(path: str, content: bytes) -> bytes:
    """Unpack a gzipped file, unless it is far larger inside than any table would be."""
    if not content.startswith(GZIP):
        return content
    try:
        return unpack(content, MOST_PACKED * len(content) + SPARE_BYTES)
    except TooLarge as error:
        hint = f"more than {MOST_PACKED} times its size; if that is right, unpack it first"
        raise DataError(f"{path}: {error}, {hint}", file=path) from None
    except ValueError as error:
        raise DataError(f"{path}: {error}", file=path) from None


# -- Parquet and Arrow -----------------------------------------------------------------------------


def _read_arrow(path: str, content: bytes, dialect: Dialect) -> DataFile:
    dialect.check_typed(path)
    pa, ipc = require("pyarrow"), require("pyarrow.ipc")
    source = pa.BufferReader(content)
    try:
        if content.startswith(PARQUET):
            table = _read_parquet(path, source)
        elif content.startswith(ARROW_FILE):
            table = ipc.open_file(source).read_all()
        else:
            table = ipc.open_stream(source).read_all()
        table.validate(
            full=True
        )  # pyarrow believes offsets in a file, and reads wherever they lead
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}", file=path) from None
    keep = [
        j for j, n in enumerate(table.column_names) if not re.fullmatch(r"__index_level_\d+__", n)
    ]
    if len(keep) < table.num_columns:
        warnings.warn(f"{path}: the saved row index is left out", UserWarning, stacklevel=2)
    names = [table.column_names[j] for j in keep]
    return DataFile(path, dialect, names, [table.column(j) for j in keep])


def _read_parquet(path: str, source: Any) -> Any:
    file = require("pyarrow.parquet").ParquetFile(source)
    size = file.metadata.num_rows * file.metadata.num_columns
    if size > MOST_VALUES:
        raise DataError(f"{path}: {size:,} values, expected at most {MOST_VALUES:,}", file=path)
    return file.read()


# -- text ------------------------------------------------------------------------------------------


class Text:
    """Text in UTF-8, record by record: of a file, or of content that was read."""

    def __init__(self, path: str, content: bytes | None, dialect: Dialect) -> None:
        self.path, self._content, self.dialect = path, content, dialect
        csv.field_size_limit(2**31 - 1)
        with self._lines(None) as lines:
            try:
                first = next((line.rstrip("\n") for line in lines if line.strip()), "")
            except UnicodeError:
                raise self._no_text() from None
        self.delimiter = dialect.delimiter or max(
            DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), []))
        )

    def open(self) -> BinaryIO:
        """The bytes, from the beginning."""
        return open(self.path, "rb") if self._content is None else io.BytesIO(self._content)

    def _lines(self, newline: str | None) -> io.TextIOWrapper:
        # Content has no byte order mark any more.
        encoding = "utf-8-sig" if self._content is None else "utf-8"
        return io.TextIOWrapper(self.open(), encoding=encoding, newline=newline)

    def names(self) -> list[str]:
        """Names of the columns: the first record, or numbers."""
        header = next((record for _, record in self.records()), None)
        if header is None:
            raise DataError(f"{self.path}: the file is empty", file=self.path)
        if len(header) > MOST_COLUMNS:
            problem = f"{len(header):,} columns, expected at most {MOST_COLUMNS:,}"
            raise DataError(f"{self.path}: {problem}", file=self.path)
        if not self.dialect.header:
            return [str(j) for j in range(1, len(header) + 1)]
        return [name.strip() for name in header]

    def suspect_header(self, names: list[str]) -> None:
        """Warn of names that look like values."""
        if self.dialect.header and _is_data(names):
            warnings.warn(
                f"{self.path}: the first line looks like a row, not like names of columns "
                f"({shorten(', '.join(names), 80)}); --no-header, if it is one",
                UserWarning,
                stacklevel=2,
            )

    def records(self, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """First line and values of every record that is not an empty line."""
        line = 1
        try:
            with self._lines("") as stream:
                reader = csv.reader(stream, delimiter=self.delimiter, strict=strict)
                for record in reader:
                    if record:
                        yield line, record
                    line = reader.line_num + 1
        except csv.Error as error:
            problem = str(error)
            if "unexpected end" in problem:
                problem = "a quotation mark is opened in this record and never closed"
            message = f"{self.path}: line {line}: {problem}"
            raise DataError(message, file=self.path, line=line) from None
        except UnicodeError:
            raise self._no_text() from None

    def _no_text(self) -> DataError:
        """Where bytes are no UTF-8."""
        before = 0
        with self.open() as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeError as error:
                    where = f"byte {before + getattr(error, 'start', 0)}"
                    return _not_in(self.path, "utf-8", number, where, hint=True)
                before += len(line)
        return _not_in(self.path, "utf-8", 1, "at its end", hint=True)

    def line_of(self, row: int) -> int | None:
        """Line where a row begins."""
        lines = (line for line, _ in self.records())
        place = row + self.dialect.header
        return next((line for k, line in enumerate(lines) if k == place), None)

    def check_records(self) -> None:
        """Raise on the first record that is broken, or not as long as the header."""
        records = self.records(strict=True)
        _, header = next(records)
        for line, record in records:
            if len(record) != len(header):
                raise DataError(
                    f"{self.path}: line {line}: {_count(len(record), 'value')}, but the "
                    f"{'header' if self.dialect.header else 'first line'} has "
                    f"{_count(len(header), 'column')}",
                    file=self.path,
                    line=line,
                )

    def lines_differ_from_rows(self, n_rows: int) -> bool:
        """Whether quoted values hold line ends, or a quotation mark is missing; with the header."""
        quotes, lines, last = 0, 0, b""
        with self.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                quotes, lines = quotes + block.count(b'"'), lines + block.count(b"\n")
                last = block[-1:]
        return quotes > 0 and (quotes % 2 == 1 or lines + (last != b"\n") != n_rows)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _read_text(path: str, content: bytes, dialect: Dialect) -> DataFile:
    text = Text(path, _as_utf8(path, content, dialect.encoding), dialect)
    names = text.names()
    pa = require("pyarrow")
    try:
        table = _parse(text, len(names))
    except pa.ArrowException as error:
        text.check_records()
        raise DataError(f"{path}: cannot be read as text: {error}", file=path) from None
    if text.lines_differ_from_rows(table.num_rows):
        text.check_records()
    text.suspect_header(names)
    columns = [column.slice(int(dialect.header)) for column in table.columns]
    return DataFile(path, dialect, names, columns, text)


def _as_utf8(path: str, content: bytes, encoding: str | None) -> bytes:
    marks = (code for mark, code in BYTE_ORDER_MARKS.items() if content.startswith(mark))
    chosen = encoding or next(marks, "utf-8")
    try:
        text = content.decode(chosen)
    except LookupError:
        raise DataError(f"{path}: unknown encoding {chosen!r} (--encoding)", file=path) from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = content.count(b"\n", 0, start) + 1
        raise _not_in(path, chosen, line, f"byte {start}", hint=not encoding) from None
    if chosen == "utf-8":
        return content
    return text.removeprefix("\ufeff").encode("utf-8")


def _not_in(path: str, encoding: str, line: int, where: str, *, hint: bool) -> DataError:
    more = "; an older Windows or Latin text? try --encoding cp1252" if hint else ""
    problem = f"{path}: line {line}: not {encoding} text ({where}){more}"
    return DataError(problem, file=path, line=line)


def _parse(text: Text, n_columns: int, block_size: int = BLOCK_BYTES) -> Any:
    """All records as columns of strings, the header as first row."""
    pa, arrow_csv = require("pyarrow"), require("pyarrow.csv")
    with text.open() as stream:
        content = stream.read().lstrip(b"\r\n")
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(content), *parse_options(text.delimiter, n_columns, block_size)
        )
    except pa.ArrowInvalid as error:
        whole = min(len(content) + 1, LARGEST_BLOCK)
        if not is_too_long(error) or block_size >= whole:
            raise
        return _parse(text, n_columns, whole)


def parse_options(
    delimiter: str, n_columns: int, block_size: int, columns: Sequence[int] | None = None
) -> tuple[Any, Any, Any]:
    """How pyarrow is to parse text: all columns, or some, as strings; the header is a row."""
    pa, arrow_csv = require("pyarrow"), require("pyarrow.csv")
    strings = {f"f{j}": pa.string() for j in range(n_columns)}
    chosen = None if columns is None else [f"f{j}" for j in columns]
    return (
        arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=block_size),
        arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types=strings, strings_can_be_null=False, include_columns=chosen
        ),
    )


def is_too_long(error: Exception) -> bool:
    """Whether a row does not fit in a block."""
    return "straddl" in str(error)
