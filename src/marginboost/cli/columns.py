"""From the columns of a file to numbers, categories, labels and weights.

Types of text are found column by column. A column whose values are all numbers, or missing, holds
numbers; one in which fewer than half are holds categories. In between somebody must decide: the
first value that is not a number is reported with its row, and what to do about it.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import require
from .reading import DataFile, DataSource, shorten

if TYPE_CHECKING:  # the core brings scikit-learn along, which `info` can do without
    from ..types import Array

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})(\.0*)?")
DECIMAL_COMMA = r"^[+-]?\d+,\d+$"
ROW_NAMES = re.compile(r"(^|[_\W])(id|ids|key|index|nr|no|number|uuid)$", re.IGNORECASE)
FEWEST_NUMBERED = 30
"""Rows from which on distinct whole numbers are suspected to be those of the rows."""
FEW_CATEGORIES = 50
"""Up to so many categories nobody suspects that they are names of rows."""


# -- features --------------------------------------------------------------------------------------


def find_type(file: DataFile, name: str, *, categorical: bool = False) -> Any:
    """Column as floating-point numbers or as dictionary of strings, whichever it holds."""
    by_type = not file.is_text and _is_string(file, name)
    if categorical or by_type or name in file.categorical:
        return categories(file, name)
    if not file.is_text:
        return _typed(file, name)
    values, wrong = _parse_numbers(file, name)
    n_values = len(values) - values.null_count + int(wrong.sum())
    if not wrong.any():
        return values
    if wrong.sum() * 2 < n_values:
        row = int(np.argmax(wrong))
        raise _mixed(file, name, row, file.column(name)[row].as_py(), int(wrong.sum()), n_values)
    if _have_decimal_commas(file, name):
        raise _decimal_commas(file, name)
    return categories(file, name)


@dataclass
class _Tally:
    """What the values of a column of text are, so far."""

    n_values: int = 0
    n_wrong: int = 0
    first: tuple[int, str] | None = None
    commas: bool = True


def text_categories(file: DataSource, names: list[str], chosen: set[str]) -> set[str]:
    """Columns of text that hold categories, by the same rule over all parts of a file.

    Those that the user has ``chosen`` need no look.
    """
    tallies = {name: _Tally() for name in names if name not in chosen}
    before = 0
    for part in file.parts(list(tallies)) if tallies else ():
        for name, tally in tallies.items():
            values, wrong = _parse_numbers(part, name)
            n_wrong = int(wrong.sum())
            n_values = len(values) - values.null_count + n_wrong
            if n_wrong and tally.first is None:
                row = int(np.argmax(wrong))
                tally.first = before + row, part.column(name)[row].as_py()
            if n_values:
                tally.commas &= n_wrong > 0 and _have_decimal_commas(part, name)
            tally.n_values, tally.n_wrong = tally.n_values + n_values, tally.n_wrong + n_wrong
        before += part.n_rows
    found = set()
    for name, tally in tallies.items():
        if tally.first is None:
            continue
        if tally.n_wrong * 2 < tally.n_values:
            raise _mixed(file, name, *tally.first, tally.n_wrong, tally.n_values)
        if tally.commas:
            raise _decimal_commas(file, name)
        found.add(name)
    return found


def numbers(file: DataFile, name: str) -> Any:
    """Column as floating-point numbers; raises at the first value that is none."""
    if not file.is_text and not _is_string(file, name):
        return _typed(file, name)
    values, wrong = _parse_numbers(file, name)
    if wrong.any():
        row = int(np.argmax(wrong))
        found = shorten(file.column(name)[row].as_py())
        raise file.error(f"{found} is not a finite number, as the model expects", name, row)
    return values


def as_whole(values: Any) -> Any:
    """Floating-point numbers as integers, where all of them are whole."""
    pa = require("pyarrow")
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        return values


def categories(file: DataFile, name: str) -> Any:
    """Column as dictionary of strings."""
    column = texts(file, name).combine_chunks().dictionary_encode()
    if not file.is_part:
        suspect_names(name, len(column.dictionary), len(column) - column.null_count)
    return column


def suspect_names(name: str, n_known: int, n_values: int) -> None:
    """Warn of a column with so many categories that they may be names of rows."""
    if n_known > FEW_CATEGORIES and n_known * 2 > n_values:
        warnings.warn(
            f"column {shorten(name)} has {n_known} categories in {n_values} rows: names of rows? "
            f"--drop or --id leaves it out",
            UserWarning,
            stacklevel=2,
        )


def warn_of_row_numbers(features: dict[str, Any]) -> None:
    """Warn of numeric columns that number the rows: a model would learn the order of the file."""
    for name, column in features.items():
        if str(column.type) == "double" and numbers_rows(column.to_numpy(), name):
            option = name if re.fullmatch(r"[\w.-]+", name) else f"'{name}'"
            warnings.warn(
                f"column {shorten(name)} has a different whole number in every row: a number of "
                f"the row? --id {option} or --drop {option} leaves it out",
                UserWarning,
                stacklevel=2,
            )


def numbers_rows(values: Array, name: str) -> bool:
    """Whether values are distinct whole numbers that are called so, or have the order of the rows.

    >>> numbers_rows(np.arange(100.0) * 3 + 7, "x"), numbers_rows(np.array([3.0, 1.0] * 50), "id")
    (True, False)
    """
    if len(values) < FEWEST_NUMBERED or not (values == np.round(values)).all():
        return False
    steps = np.diff(values)
    in_order = (steps > 0).all() or (steps < 0).all()
    distinct = in_order or len(np.unique(values)) == len(values)
    dense = distinct and np.ptp(values) < 1.5 * len(values)
    return bool(distinct and (in_order or dense or ROW_NAMES.search(name)))


def texts(file: DataFile, name: str) -> Any:
    """Column as text without spaces around it, null where a value is missing."""
    pa, pc = require("pyarrow"), require("pyarrow.compute")
    column = file.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if _is_nested(column.type):
        raise _wrong_type(file, name)
    values = pc.utf8_trim_whitespace(column.cast(pa.string()))
    missing = pc.is_in(values, pa.array(file.dialect.missing, pa.string()))
    return pc.if_else(missing, pa.scalar(None, pa.string()), values)


def _is_string(file: DataFile, name: str) -> bool:
    kind = file.column(name).type
    types = require("pyarrow").types
    return any(is_a(kind) for is_a in (types.is_string, types.is_large_string, types.is_dictionary))


def _is_nested(kind: Any) -> bool:
    types = require("pyarrow").types
    return any(is_a(kind) for is_a in (types.is_nested, types.is_binary, types.is_large_binary))


def _wrong_type(file: DataFile, name: str) -> Exception:
    kind = file.column(name).type
    return file.error(f"type {kind}; expected numbers or text (--drop leaves the column out)", name)


def _typed(file: DataFile, name: str) -> Any:
    """Numbers of a file that has types."""
    pa, types = require("pyarrow"), require("pyarrow").types
    column = file.column(name)
    known = (
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_boolean,
        types.is_null,
    )
    if not any(is_a(column.type) for is_a in known):
        raise _wrong_type(file, name)
    if types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.cast(pa.float64(), safe=False)
    infinite = np.isinf(values.to_numpy())
    if infinite.any():
        raise file.error("infinity; expected finite numbers", name, int(np.argmax(infinite)))
    return values


def _parse_numbers(file: DataFile, name: str) -> tuple[Any, Array]:
    """Numbers of a text column, and where there is a value that is none."""
    pa, pc = require("pyarrow"), require("pyarrow.compute")
    plain = _all_numbers(file, name)
    if plain is not None:
        return plain, np.zeros(len(plain), dtype=bool)
    values = texts(file, name)
    if file.dialect.decimal != ".":
        values = pc.replace_substring(values, file.dialect.decimal, ".")
    try:
        floats = values.cast(pa.float64())
    except pa.ArrowInvalid:
        fits = pc.match_substring_regex(values, NUMBER)
        floats = pc.if_else(fits, values, pa.scalar(None, pa.string())).cast(pa.float64())
    finite = pc.is_finite(floats).fill_null(False).to_numpy()
    wrong = values.is_valid().to_numpy() & ~finite
    return pc.if_else(pa.array(finite), floats, pa.scalar(None, pa.float64())), wrong


def _all_numbers(file: DataFile, name: str) -> Any:
    """Numbers of a column that holds nothing else, else None: the usual case, five times faster."""
    pa, pc = require("pyarrow"), require("pyarrow.compute")
    if file.dialect.decimal != "." or any(re.match(NUMBER, m) for m in file.dialect.missing):
        return None
    try:
        floats = file.column(name).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return floats if floats.null_count == 0 and pc.all(pc.is_finite(floats)).as_py() else None


def _mixed(
    file: DataSource, name: str, row: int, value: object, n_wrong: int, n_values: int
) -> Exception:
    found = str(value).strip()
    option = name if re.fullmatch(r"[\w.-]+", name) else f"'{name}'"
    return file.error(
        f"{shorten(found)} is not a finite number ({n_wrong} of {n_values} values are "
        f"not). If it means missing: --missing {shorten(found)}; if the column holds categories: "
        f"--categorical {option}",
        name,
        row,
    )


def _have_decimal_commas(file: DataFile, name: str) -> bool:
    """Whether all values would be numbers if only the comma were a point."""
    pc = require("pyarrow.compute")
    matches = pc.match_substring_regex(texts(file, name).drop_null(), DECIMAL_COMMA)
    return file.dialect.decimal == "." and len(matches) > 0 and pc.all(matches).as_py()


def _decimal_commas(file: DataSource, name: str) -> Exception:
    return file.error("numbers with a decimal comma? read them with --decimal ,", name)


# -- labels and weights ----------------------------------------------------------------------------


def label_column(file: DataFile, name: str) -> Any:
    """Labels as a column of text, one for every row."""
    values = texts(file, name)
    if values.null_count:
        empty = np.asarray(values.is_null())
        raise file.error(
            f"{values.null_count} of {len(values)} rows have no label, this is the first; every "
            "row needs one (--not-missing TEXT, if the text there is a class)",
            name,
            int(np.argmax(empty)),
        )
    return values


def label_texts(file: DataFile, name: str) -> list[str]:
    """Labels as text, one for every row."""
    return [str(value) for value in label_column(file, name).to_pylist()]


def label_values(file: DataFile, name: str) -> Array:
    """Labels: whole numbers if all of them are, else strings; at least two classes."""
    return class_values(file, name, label_texts(file, name))


def class_values(file: DataSource, name: str, found: list[str]) -> Array:
    """Labels given as text: whole numbers if all of them are; at least two classes."""
    counts = Counter(found)
    if len(counts) == 1:
        raise file.error(f"all rows have the label {shorten(found[0])}; expected two classes", name)
    numbers = {t: int(t.partition(".")[0]) for t in counts if WHOLE.fullmatch(t)}
    if len(set(numbers.values())) == len(counts):
        return np.array([numbers[text] for text in found])
    return np.array(found)


def target_values(file: DataFile, name: str) -> Array:
    """Targets: finite numbers, one for every row."""
    if not file.is_text and not _is_string(file, name):
        found = np.asarray(_typed(file, name).to_numpy())
    else:
        values, wrong = _parse_numbers(file, name)
        if wrong.any():
            row = int(np.argmax(wrong))
            text = shorten(file.column(name)[row].as_py())
            hint = "; classes are given by --label" if int(wrong.sum()) * 2 > len(wrong) else ""
            raise file.error(
                f"{text} is not a finite number, as a target has to be{hint}", name, row
            )
        found = np.asarray(values.to_numpy())
    missing = np.isnan(found)
    if missing.any():
        raise file.error(
            f"{int(missing.sum())} of {len(found)} rows have no target, this is the first; every "
            "row needs one",
            name,
            int(np.argmax(missing)),
        )
    return found


def weight_values(file: DataFile, name: str) -> Array:
    """Weights: nonnegative numbers, none missing, not all zero."""
    weights = numbers(file, name).to_numpy()
    wrong = ~(weights >= 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        found = file.column(name)[row].as_py()
        raise file.error(f"weight {shorten(found)}; expected a number of at least 0", name, row)
    if not file.is_part:
        some_weight(file, name, weights)
    return np.asarray(weights)


def some_weight(file: DataSource, name: str, weights: Array) -> None:
    """Raise if no row has any weight."""
    if not weights.any():
        raise file.error("all weights are 0", name)
