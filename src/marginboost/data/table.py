"""One view of every kind of input: NumPy, SciPy sparse, pandas, polars, pyarrow.

A :class:`Table` never copies the whole input. It hands out one column at a time (for binning) or a
few rows at a time (for prediction), as numbers: a missing value is NaN, a category is its position
in the list of categories seen in ``fit``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..types import Array
from ..validation import check_number, shown
from ..warning import warn_user
from .text_columns import TextFacts, check_text, not_numeric, numbers_as_text

Categories = list[Array | None]

CHUNK_ROWS = 1 << 13
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def check_not_lazy(X: Any) -> None:
    """Raise for a frame whose rows are not there yet."""
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        raise TypeError("X: got a lazy frame, expected rows; call its collect() first")


def is_frame(X: object) -> bool:
    """Whether ``X`` is a pandas or polars data frame or a pyarrow table."""
    kind = type(X)  # asked about the class: pyarrow makes all columns when asked about the table
    known = ("pandas", "polars", "pyarrow")
    return kind.__module__.partition(".")[0] in known and hasattr(kind, "columns")


def frame_names(X: Any) -> list[Any]:
    """Column names of a data frame or table."""
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def default_names(n_features: int) -> list[str]:
    """Names of columns that came without."""
    return [f"x{j}" for j in range(n_features)]


def other_names(names: Sequence[Any], expected: Sequence[Any]) -> list[str]:
    """Columns whose names are not the expected ones, as text; those without names fit any."""
    nameless = default_names(len(names))
    if list(names) == nameless or list(expected) == nameless:
        return []
    pairs = enumerate(zip(names, expected, strict=True))
    return [f"column {j} is {a!r}, expected {b!r}" for j, (a, b) in pairs if a != b]


def read_array(X: Any) -> Any:
    """Input other than frames, before it becomes numbers: no dates, no words; masked is missing.

    Dates and masked values would else be read as the plain numbers that they are stored as.
    """
    if isinstance(X, np.ma.MaskedArray):
        if X.dtype.kind not in "fmM":
            X = X.astype(np.float64)
        if X.dtype.kind == "f":
            return X.filled(np.nan)
    found = X if hasattr(X, "dtype") or not isinstance(X, Sequence) else np.asarray(X, dtype=object)
    kind = getattr(getattr(found, "dtype", None), "kind", "")
    if kind == "O" and isinstance(found, np.ndarray):
        dates = (np.datetime64, np.timedelta64)
        kind = "M" if any(isinstance(value, dates) for value in found.flat) else kind
    if kind in ("m", "M"):
        raise ValueError(
            "X: got dates or times (datetime64, timedelta64), expected numbers; say what they mean "
            "for the model, for example days since a date: (X - X.min()) / np.timedelta64(1, 'D')"
        )
    if kind in ("O", "U") and isinstance(found, np.ndarray):
        _refuse_words(found)
    return X


def _refuse_words(X: Array) -> None:
    """Raise at the first text of an array that is no number, and at numbers beyond all floats."""
    for value in (value for value in X.flat if isinstance(value, str | int)):
        try:
            float(value)
        except OverflowError:
            raise ValueError(f"X: got {shown(value)}, expected numbers of floating point") from None
        except ValueError:
            raise ValueError(
                f"X: could not convert {str(value)!r} to a number; expected numbers, or a frame of "
                "pandas, polars or pyarrow, whose columns of text are categories: pd.DataFrame(X)"
            ) from None


def as_source(X: Any) -> Any:
    """Return what a table can read: frames and sparse matrices as they are, else an array."""
    if is_frame(X) or sparse.issparse(X):
        return X
    array = np.asarray(read_array(X), dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"X: got {array.ndim} dimensions, expected 2: rows and columns")
    return array


def take_rows(X: Any, rows: Array) -> Any:
    """Some rows of an array, a sparse matrix, or a frame or column of any kind."""
    kind = type(X).__module__.partition(".")[0]
    if kind == "pandas":
        return X.iloc[rows]
    return X.take(rows) if kind == "pyarrow" else X[rows]


def row_chunks(n_rows: int) -> Iterator[tuple[int, int]]:
    """Row ranges small enough to be made dense."""
    for start in range(0, n_rows, CHUNK_ROWS):
        yield start, min(start + CHUNK_ROWS, n_rows)


class Table:
    """Numeric view of an input.

    Parameters
    ----------
    X : array, sparse matrix or data frame
        Two-dimensional input. Arrays must already be numeric (see ``check_array``).
    names : sequence of str
        One name per column, used in error messages.
    categories : list, optional
        For each column, None (a number) or the array of its known categories. Values not among them
        count as missing, with a warning.
    """

    def __init__(self, X: Any, names: Sequence[str], categories: Categories | None = None) -> None:
        self.source = X.tocsc() if sparse.issparse(X) else X
        self.names = list(names)
        self.sparse_format: str = X.format if sparse.issparse(X) else ""
        self.n_rows, self.n_features = int(X.shape[0]), int(X.shape[1])
        self.categories: Categories = categories or [None] * self.n_features
        for what, given in (("names", self.names), ("categories", self.categories)):
            if len(given) != self.n_features:
                raise ValueError(
                    f"X: got {self.n_features} columns and {len(given)} {what}, expected as many"
                )

    @classmethod
    def learn(cls, X: Any, names: Sequence[str], categorical: Sequence[int] | None) -> Table:
        """Make the table of a fit: finds the categories of its categorical columns.

        ``categorical`` lists column numbers; None takes them from the data frame's types: those of
        categories and of text.
        """
        table, text = cls.survey(X, names, categorical)
        check_text(names, table.library, text, table.categories)
        return table

    @classmethod
    def survey(
        cls, X: Any, names: Sequence[str], categorical: Sequence[int] | None
    ) -> tuple[Table, dict[int, TextFacts]]:
        """Make the table of a fit, or of some of its rows, and collect facts on columns of text.

        Those must be checked with the facts on all rows, see :func:`check_text`.
        """
        table = cls(X, names)
        if table.n_features == 0:
            raise ValueError("X: got 0 columns, expected at least 1")
        text: dict[int, TextFacts] = {}
        if categorical is None:
            categorical = [j for j in range(table.n_features) if table.has_category_type(j)]
            text = {j: text_facts(table, j) for j in range(table.n_features) if table.is_text(j)}
            categorical += text
        else:
            most = table.n_features - 1
            for j in categorical:
                check_number("categorical", j, at_least=0, at_most=most, integer=True)
        if is_frame(X) and (wrong := other_types(table, categorical)):
            wrong += numbers_as_text(text)
            raise table._not_numeric(sorted(wrong))
        for j in categorical:
            table.categories[j] = table.find_categories(j)
        return table, text

    @property
    def library(self) -> str:
        """Name of the library that the source is of."""
        return type(self.source).__module__.partition(".")[0]

    # -- columns ------------------------------------------------------------------------------

    def column(self, j: int) -> Array:
        """Column ``j`` as floating-point numbers."""
        known = self.categories[j]
        if known is not None:
            return self._encode(j, known)
        if not is_frame(self.source):
            return self._raw(j)
        values = self._frame_numbers(j)
        if np.isinf(values).any():
            raise ValueError(
                f"X: column {self.names[j]!r} holds infinity; expected finite numbers or NaN"
            )
        return values

    def dense(self, start: int, stop: int) -> Array:
        """Rows ``start:stop`` as a two-dimensional array of numbers."""
        if all(known is None for known in self.categories):
            if isinstance(self.source, np.ndarray):
                return self.source[start:stop]
            if sparse.issparse(self.source):
                return self.source[start:stop].toarray()
        part = self._slice(start, stop)
        return np.column_stack([part.column(j) for j in range(self.n_features)])

    def numbers(self) -> Any:
        """All rows as numbers: a sparse matrix in the format it came in, else a dense array."""
        if sparse.issparse(self.source) and all(known is None for known in self.categories):
            return self.source.asformat(self.sparse_format)
        return self.dense(0, self.n_rows)

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Row ranges small enough to be made dense."""
        return row_chunks(self.n_rows)

    def take(self, rows: Array) -> Table:
        """Copy of some rows."""
        part = take_rows(self.source, rows)
        if sparse.issparse(part):
            part = part.asformat(self.sparse_format)
        return Table(part, self.names, self.categories)

    def _slice(self, start: int, stop: int) -> Table:
        if start == 0 and stop == self.n_rows:
            return self
        kind = type(self.source).__module__.partition(".")[0]
        if kind == "pandas":
            part = self.source.iloc[start:stop]
        elif kind == "pyarrow":
            part = self.source.slice(start, stop - start)
        else:
            part = self.source[start:stop]
        return Table(part, self.names, self.categories)

    # -- the three kinds of frame ----------------------------------------------------------------

    def _raw(self, j: int) -> Any:
        """Column ``j`` in the source's own type."""
        kind = type(self.source).__module__.partition(".")[0]
        if kind == "pandas":
            return self.source.iloc[:, j]
        if kind == "polars":
            return self.source.get_column(self.source.columns[j])
        if kind == "pyarrow":
            return self.source.column(j)
        if sparse.issparse(self.source):
            return self.source[:, [j]].toarray().ravel()
        return self.source[:, j]

    def has_category_type(self, j: int) -> bool:
        """Whether a column is of a data frame's categorical types."""
        if not is_frame(self.source):
            return False
        return _kind(self._raw(j)).startswith(("category", "categorical", "enum", "dictionary"))

    def holds_nothing(self, j: int) -> bool:
        """Whether all values of a frame's column are missing, and its type does not say of what."""
        if not is_frame(self.source):
            return False
        kind = self.kind(j)
        return kind == "null" or (kind == "object" and all(map(_missing, self.values(j))))

    def plain_numbers(self, j: int) -> Array | None:
        """Column of numbers, whole ones as such if none is missing; None if it holds others."""
        raw = self._raw(j)
        kind = _kind(raw)
        if not kind.startswith((*_WHOLE, *_REAL)):
            return None
        if not is_frame(self.source):
            return np.asarray(raw)
        if kind.startswith(_REAL) or _n_missing(raw):
            return self._frame_numbers(j)
        whole = np.asarray(raw.to_numpy())
        return whole if whole.dtype.kind in "iub" else whole.astype(np.int64)

    def kind(self, j: int) -> str:
        """Type of column ``j`` of a frame, as its library calls it, in small letters."""
        return _kind(self._raw(j))

    def values(self, j: int) -> list[Any]:
        """Column ``j`` as a list, in the source's own types."""
        raw = self._raw(j)
        for method in ("to_pylist", "to_list"):
            if hasattr(raw, method):
                found: list[Any] = getattr(raw, method)()
                return found
        plain: list[Any] = raw.tolist()
        return plain

    def is_text(self, j: int) -> bool:
        """Whether column ``j`` of a frame holds text, and nothing else but missing values."""
        if not is_frame(self.source):
            return False
        kind = self.kind(j)
        if kind == "object":
            known = [value for value in self.values(j) if not _missing(value)]
            return bool(known) and all(isinstance(value, str) for value in known)
        return kind.startswith(("str", "utf8", "large_string", "string_view"))

    def _frame_numbers(self, j: int) -> Array:
        raw, kind = self._raw(j), self.kind(j)
        if not kind.startswith((*_WHOLE, *_REAL)) and kind not in ("object", "null"):
            raise self._not_numeric([(j, f"type {kind}")])
        try:
            if type(raw).__module__.startswith("pandas"):
                return raw.to_numpy(dtype=np.float64, na_value=np.nan)
            if type(raw).__module__.startswith("polars"):
                return raw.cast(float).to_numpy()
            # Not "safe": integers beyond 2**53 are rounded, as everywhere else.
            floats = raw.cast("float64", safe=False)
            return np.asarray(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._not_numeric([(j, str(error))]) from None

    def _not_numeric(self, wrong: Sequence[tuple[int, str]]) -> ValueError:
        """Say which columns are no numbers, and what to do about it."""
        untaken = all(self._could_be_categorical(j, why) for j, why in wrong)
        return not_numeric(self.names, self.library, wrong, untaken)

    def _could_be_categorical(self, j: int, why: str) -> bool:
        """Whether a column is wrong only because it was not taken for a categorical one."""
        if self.has_category_type(j):
            return True
        return self.is_text(j) and why == f"type {self.kind(j)}"

    # -- categories ------------------------------------------------------------------------------

    def local_categories(self, j: int) -> tuple[Array, Array]:
        """Local codes (-1 for missing) and the categories they stand for."""
        raw = self._raw(j)
        if hasattr(raw, "cat") and hasattr(raw.cat, "codes"):  # pandas
            return raw.cat.codes.to_numpy(), raw.cat.categories.to_numpy()
        if hasattr(raw, "dictionary_encode") and _kind(raw).endswith(_ARROW_TEXT):
            raw = raw.dictionary_encode()
        if _kind(raw).startswith("dictionary") and hasattr(raw, "unify_dictionaries"):
            return _arrow_categories(raw)
        values = self.values(j)
        position: dict[Any, int] = {}
        codes = np.empty(len(values), dtype=np.int64)
        for i, value in enumerate(values):
            codes[i] = -1 if _missing(value) else position.setdefault(value, len(position))
        return codes, np.array(list(position), dtype=object)

    def find_categories(self, j: int) -> Array:
        """Categories of a column, sorted where they have an order."""
        codes, categories = self.local_categories(j)
        used = categories[np.unique(codes[codes >= 0])]
        try:
            return np.sort(used)
        except TypeError:  # categories of mixed types have no order: keep them as they came
            return used

    def _encode(self, j: int, known: Array) -> Array:
        codes, categories = self.local_categories(j)
        position = {category: k for k, category in enumerate(known.tolist())}
        names = np.asarray(categories, dtype=object).tolist()
        local = [position.get(category, -2) for category in names]
        mapped = np.array([*local, -1], dtype=np.int64)[codes]
        if len(names) and max(local) == -2:
            self._check_kind(j, names, known.tolist())
        if (mapped == -2).any():
            unseen = sorted({str(categories[code]) for code in np.unique(codes[mapped == -2])})
            warn_user(
                f"X: column {self.names[j]!r} has {(mapped == -2).sum()} rows with categories "
                f"not seen in fit ({', '.join(unseen[:5])}{', …' if len(unseen) > 5 else ''}); "
                "they count as missing"
            )
        return np.where(mapped < 0, np.nan, mapped.astype(np.float64))

    def _check_kind(self, j: int, names: list[Any], known: list[Any]) -> None:
        """Raise where no category is known because text came for numbers, or numbers for text."""
        text = {isinstance(name, str) for name in names}
        if len(known) and text.isdisjoint({isinstance(name, str) for name in known}):
            came, was = ("text", "numbers") if True in text else ("numbers", "text")
            some = [", ".join(map(repr, values[:3])) for values in (names, known)]
            raise ValueError(
                f"X: column {self.names[j]!r} holds {came} ({some[0]}), expected {was} as in fit "
                f"({some[1]})"
            )


_WHOLE, _REAL = ("int", "uint", "bool"), ("float", "double", "half", "decimal")
_ARROW_TEXT = ("string", "utf8", "string_view")


def _kind(column: Any) -> str:
    """Type of a frame's column, as its library calls it."""
    return str(getattr(column, "type", getattr(column, "dtype", ""))).lower()


def _n_missing(column: Any) -> int:
    """Missing values of a frame's column of whole numbers."""
    if hasattr(column, "isna"):  # pandas
        return int(column.isna().sum())
    count = column.null_count  # polars has a method, pyarrow the number itself
    return int(count() if callable(count) else count)


def _arrow_categories(column: Any) -> tuple[Array, Array]:
    """Codes (-1 for missing) and categories of a pyarrow column of dictionary type."""
    whole = column.unify_dictionaries().combine_chunks()
    values = whole.dictionary.to_pylist()
    position: dict[Any, int] = {}
    places = [-1 if _missing(v) else position.setdefault(v, len(position)) for v in values]
    codes = whole.indices.cast("int64").fill_null(len(values)).to_numpy(zero_copy_only=False)
    return np.array([*places, -1], dtype=np.int64)[codes], np.array(list(position), dtype=object)


def _missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA, which is neither true nor false."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def text_facts(table: Table, j: int) -> TextFacts:
    """Collect the facts on a column of text."""
    known = [value for value in table.values(j) if not _missing(value)]
    numbers = [value for value in known if NUMBER.fullmatch(value)]
    return TextFacts(len(known), len(numbers), numbers[0] if numbers else "")


def other_types(table: Table, categorical: Sequence[int]) -> list[tuple[int, str]]:
    """Columns that are neither numbers nor categories."""
    kinds = {j: table.kind(j) for j in range(table.n_features) if j not in categorical}
    return [
        (j, f"type {kind}")
        for j, kind in kinds.items()
        if not kind.startswith((*_WHOLE, *_REAL)) and kind not in ("object", "null")
    ]
