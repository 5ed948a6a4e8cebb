"""The rows that a command works on: features as a table, with labels, weights and names of rows."""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Batches, BinnedMatrix, Table
from ..model import Features
from ..types import Array
from . import columns
from .errors import ModelError, require, suggest
from .options import check_roles, dialect_of
from .reading import DataFile, DataSource, read_file, shorten
from .streams import DataStream

if TYPE_CHECKING:
    from ..estimators.classifier import BaseMarginClassifier

MOST_CLASSES = 30
"""So many classes a label may have even in a small table."""


@dataclass(frozen=True)
class Dataset:
    """Rows to learn from.

    Attributes
    ----------
    file : DataSource
        Where they came from.
    X : pyarrow.Table or BinnedMatrix
        Numbers and categories, one column per feature; binned where they were not read at once.
    labels : array
        Labels, or targets as floating-point numbers.
    weight : array or None
        Weights.
    """

    file: DataSource
    X: Any
    labels: Array
    weight: Array | None

    @property
    def is_regression(self) -> bool:
        """Whether there are targets in place of labels."""
        return self.labels.dtype.kind == "f"

    def facts(self) -> dict[str, Any]:
        """Sizes, for the answer of a command."""
        numeric, n_features, missing = _contents(self.X)
        answers: dict[str, Any] = {}
        if self.is_regression:
            found = (self.labels.min(), self.labels.mean(), self.labels.max())
            answers["targets"] = dict(zip(("min", "mean", "max"), map(float, found), strict=True))
        else:
            counts = Counter(self.labels.tolist())
            answers["classes"] = {str(label): counts[label] for label in sorted(counts)}
        return {
            "file": self.file.path,
            "rows": self.file.n_rows,
            "features": n_features,
            "numeric": numeric,
            "categorical": n_features - numeric,
            "missing_values": missing,
            **answers,
        }


def _contents(X: Any) -> tuple[int, int, int]:
    """Columns of numbers, all columns, and missing values."""
    if isinstance(X, BinnedMatrix):
        missing = sum(
            int(np.count_nonzero(codes == n_bins))
            for codes, n_bins in zip(X.codes, X.n_bins, strict=True)
        )
        return sum(known is None for known in X.categories), X.n_features, missing
    numeric = sum(str(column.type) == "double" for column in X.columns)
    return numeric, X.num_columns, missing_values(X)


def missing_values(table: Any) -> int:
    """Values that are null or NaN."""
    pc = require("pyarrow.compute")
    return int(
        sum(pc.sum(column.is_null(nan_is_null=True)).as_py() or 0 for column in table.columns)
    )


def training_data(
    args: argparse.Namespace, file: DataSource | None = None, binning: dict[str, Any] | None = None
) -> Dataset:
    """Read a file to learn from, if it is not read yet, for ``fit``, ``compare`` and ``audit``.

    With settings for ``binning``, a file that is too large to be read at once is binned.
    """
    file = file or read_file(args.data, dialect_of(args))
    names = feature_names(file, args)
    file.check_names(*args.categorical, option="--categorical")
    _check_unnamed(file, names)
    if isinstance(file, DataStream):
        if binning is not None:
            return _binned_data(args, file, names, binning)
        file = file.whole()
    assert isinstance(file, DataFile)
    if args.target is None:
        labels = columns.label_values(file, args.label)
    else:
        labels = columns.target_values(file, args.target)
    weight = None if args.weight is None else columns.weight_values(file, args.weight)
    features = _features(args, file, names)
    columns.warn_of_row_numbers(dict(zip(names, features.columns, strict=True)))
    return Dataset(file, features, labels, weight)


def _check_unnamed(file: DataSource, names: list[str]) -> None:
    if "" in names:
        raise file.error(
            f"column {file.names.index('') + 1} has no name: a saved row index? Leave it out with "
            "--drop '', or give it a name"
        )


def _features(args: argparse.Namespace, file: DataFile, names: list[str]) -> Any:
    """Numbers and categories of a file, or of a part of one."""
    features = {
        name: columns.find_type(file, name, categorical=name in args.categorical) for name in names
    }
    return require("pyarrow").table(features)


def _binned_data(
    args: argparse.Namespace, file: DataStream, names: list[str], binning: dict[str, Any]
) -> Dataset:
    """Rows that are read in parts, twice, and of which only bins are kept."""
    answer = args.label if args.target is None else args.target
    roles = [answer] if args.weight is None else [answer, args.weight]

    def batches() -> Iterator[Any]:
        for part in file.parts([*names, *roles]):
            table = _features(args, part, names)
            if args.target is None:
                table = table.append_column(answer, columns.label_column(part, answer))
            else:
                table = table.append_column(answer, [columns.target_values(part, answer)])
            if args.weight is not None:
                weights = columns.weight_values(part, args.weight)
                table = table.append_column(args.weight, [weights])
            yield table

    if file.text is not None:
        file.categorical |= columns.text_categories(file, names, set(args.categorical))
    source = Batches(batches, n_rows=file.n_rows)
    bins = BinnedMatrix.from_batches(source, label=answer, weight=args.weight, **binning)
    for j, known in enumerate(bins.categories):
        if known is not None:
            n_missing = np.count_nonzero(bins.codes[j] == bins.n_bins[j])
            columns.suspect_names(names[j], len(known), file.n_rows - int(n_missing))
    labels = bins.labels
    assert labels is not None
    if args.target is None:
        labels = columns.class_values(file, answer, labels.tolist())
    if bins.weights is not None:
        columns.some_weight(file, args.weight, bins.weights)
    return Dataset(file, bins, labels, bins.weights)


def raw_rows(args: argparse.Namespace, data: Dataset, rows: Array) -> Table:
    """Values of some rows of a table that was binned, in this order."""
    order, names = np.argsort(rows), list(data.X.names)
    parts = data.file.keep(rows[order]).parts(names)
    found = require("pyarrow").concat_tables([_features(args, part, names) for part in parts])
    in_order = found.unify_dictionaries().take(np.argsort(order))
    return Table(in_order, names, data.X.categories)


def check_classes(data: Dataset, label: str | None) -> None:
    """Raise if there are so many classes that they can hardly be any; targets are free."""
    if data.is_regression:
        return
    counts, n_rows = Counter(data.labels.tolist()), len(data.labels)
    if len(counts) > max(MOST_CLASSES, n_rows // 10):
        examples = ", ".join(shorten(value, 20) for value in sorted(counts)[:4])
        raise data.file.error(
            f"{len(counts)} different labels in {n_rows} rows ({examples}, …): quantities or "
            "names, expected classes (--target predicts quantities)",
            label,
        )


def feature_names(file: DataSource, args: argparse.Namespace) -> list[str]:
    """Columns that are neither label, weight, name of the row, nor dropped."""
    check_roles(file, args)
    taken = {args.label, args.target, args.weight, args.id, *args.drop}
    names = [name for name in file.names if name not in taken]
    if not names:
        raise file.error("no column is left to learn from")
    return names


# -- rows for a model ------------------------------------------------------------------------------


def model_data(model: Any, file: DataFile, unused: set[str | None] | None = None) -> Any:
    """Features of a model, in its order, from a file; columns in ``unused`` have another use."""
    pa = require("pyarrow")
    features = model.model_.features
    names = _check_columns(features, file, unused or set())
    table = {
        expected: columns.numbers(file, name)
        if known is None
        else _known_categories(file, name, known)
        for expected, name, known in zip(features.names, names, features.categories, strict=True)
    }
    return pa.table(table)


def _check_columns(features: Features, file: DataFile, unused: set[str | None]) -> list[str]:
    """Columns of the file that the model reads, in the model's order."""
    expected = features.names
    candidates = [name for name in file.names if name not in unused]
    lacking = [name for name in expected if name not in candidates]
    if lacking and not features.named:  # names were never known: x0, x1, …
        if len(candidates) == len(expected):
            return candidates
        raise file.error(
            f"{len(candidates)} columns, but the model was fitted on {len(expected)} without names"
        )
    taken = [name for name in lacking if name in file.names]
    if taken:
        raise file.error(
            f"the model has the feature {shorten(taken[0])}, which is given another use here "
            "(--id, --label, --target, --weight, --drop)"
        )
    if lacking:
        hint = f"; {suggest(lacking[0], candidates)}" if len(lacking) == 1 and candidates else ""
        if all(str(name).isdigit() for name in expected):
            hint = "; was it fitted to a table with --no-header?"
        raise file.error(
            f"no column {', '.join(map(shorten, lacking))}, which the model needs{hint}"
        )
    extra = [name for name in candidates if name not in expected]
    new = [name for name in extra if name not in file.told]
    if new:
        file.told.update(extra)
        warnings.warn(
            f"{file.path}: the model does not use {len(extra)} of the columns "
            f"({', '.join(map(shorten, extra))})",
            UserWarning,
            stacklevel=2,
        )
    return list(expected)


def _known_categories(file: DataFile, name: str, known: Array) -> Any:
    """Column as dictionary of the model's categories; others count as missing, with a warning."""
    pa, pc = require("pyarrow"), require("pyarrow.compute")
    values = columns.texts(file, name)
    spellings = pa.array([plain_text(category) for category in known.tolist()], pa.string())
    codes = pc.index_in(values, spellings).combine_chunks()
    unseen = np.asarray(values.is_valid()) & np.asarray(codes.is_null())
    if unseen.any() and name not in file.told:
        file.told.add(name)
        first = int(np.argmax(unseen))
        count = "rows" if file.is_part else f"{int(unseen.sum())} rows"
        _, row, _ = file.place(first)
        warnings.warn(
            f"{file.path}: column {shorten(name)}: {count} hold categories that "
            f"the model has not seen ({shorten(values[first].as_py())} in row {row + 1} is the "
            "first); they count as missing",
            UserWarning,
            stacklevel=2,
        )
    try:
        return pa.DictionaryArray.from_arrays(codes, pa.array(known.tolist()))
    except pa.ArrowException:
        raise ModelError(f"the categories of {name!r} are of several types") from None


def plain_text(value: Any) -> str:
    """Text of a label or category as a file would have it: 1.0 is 1, True is true."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def model_labels(model: BaseMarginClassifier, file: DataFile, name: str) -> Array:
    """Labels of a file as positions among the classes of the model."""
    known = {plain_text(label): k for k, label in enumerate(model.classes_.tolist())}
    texts = columns.label_texts(file, name)
    for row, text in enumerate(texts):
        if text not in known and text.lower() not in known:
            classes = ", ".join(shorten(label, 20) for label in model.classes_.tolist())
            raise file.error(
                f"label {shorten(text)}; the model knows the classes {classes}", name, row
            )
    return np.array([known.get(text, known.get(text.lower(), 0)) for text in texts])
