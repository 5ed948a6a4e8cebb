"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

from .dialect import MISSING, Dialect
from .errors import UsageError
from .reading import DataSource

READING: dict[str, Any] = {
    "delimiter": None,
    "encoding": None,
    "missing": [],
    "not_missing": [],
    "no_header": False,
    "decimal": ".",
}
"""Options of reading, and what they are where they are not given."""
USUAL = {"label": "robustboost", "target": "gradientboost"}
"""Algorithm of a fit that names none, by what is predicted."""


def add_data(parser: argparse.ArgumentParser, *, optional: bool = False, help: str = "") -> None:
    """Add a data file."""
    parser.add_argument(
        "data",
        nargs="?" if optional else None,
        help=help
        or "CSV, TSV, Parquet or Arrow file, gzipped or not, or a folder of the latter two; - is "
        "standard input",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add how to read the data file."""
    group = parser.add_argument_group("reading text files")
    group.add_argument("--delimiter", metavar="SIGN", help="between values; found by itself")
    group.add_argument("--encoding", metavar="NAME", help="of the text; UTF-8 by default")
    group.add_argument(
        "--missing",
        metavar="TEXT",
        action="append",
        default=[],
        help="stands for a missing value, besides nothing and " + " ".join(MISSING[1:]),
    )
    group.add_argument(
        "--not-missing",
        metavar="TEXT",
        action="append",
        default=[],
        help="one of these that is a value here",
    )
    group.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a row; columns are called 1, 2, 3, …",
    )
    group.add_argument("--decimal", metavar="SIGN", default=".", help="decimal sign, . or ,")


def check_not_given(args: argparse.Namespace, where: str, **unset: Any) -> None:
    """Raise for an option that is given, and has no effect here.

    Parameters
    ----------
    args : Namespace
        The options.
    where : str
        What makes them have no effect, for the message.
    **unset
        The options, and what they are where they are not given.
    """
    for name, value in unset.items():
        if getattr(args, name) != value:
            raise UsageError(f"--{name.replace('_', '-')}: has no effect {where}")


def dialect_of(args: argparse.Namespace) -> Dialect:
    """Return the way to read text that the options ask for."""
    delimiter = {"tab": "\t", "\\t": "\t"}.get(args.delimiter, args.delimiter)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise UsageError(f"--delimiter: got {args.delimiter!r}, expected one character, or tab")
    if args.decimal not in (".", ","):
        raise UsageError(f"--decimal: got {args.decimal!r}, expected . or ,")
    unknown = [text for text in args.not_missing if text not in MISSING]
    if unknown:
        raise UsageError(f"--not-missing: {unknown[0]!r} does not mean missing anyway")
    missing = [text for text in MISSING if text not in args.not_missing]
    words = (*missing, *args.missing)
    return Dialect(delimiter, args.encoding, words, args.decimal, not args.no_header)


def add_roles(parser: argparse.ArgumentParser, *, label_required: bool = True) -> None:
    """Add the options that say what the columns are for."""
    group = parser.add_argument_group("columns (all others are features)")
    add_answer(group, required=label_required)
    group.add_argument("--id", metavar="COL", help="name of the row; not a feature")
    group.add_argument("--weight", metavar="COL", help="weight of the row; 2 is as good as 2 rows")
    group.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="leave out; can be repeated"
    )
    group.add_argument(
        "--categorical",
        metavar="COL",
        action="append",
        default=[],
        help="holds categories even if it looks like numbers; can be repeated",
    )


def add_answer(parser: Any, *, required: bool = True) -> None:
    """Add the column to be predicted: classes or numbers."""
    answer = parser.add_mutually_exclusive_group(required=required)
    answer.add_argument("--label", metavar="COL", help="the class, to be predicted")
    answer.add_argument("--target", metavar="COL", help="a number to be predicted instead")


def add_model_and_truth(parser: argparse.ArgumentParser) -> None:
    """Add a model, and a table that says what is right."""
    parser.add_argument("model", help="model file written by fit")
    add_data(parser)
    add_answer(parser)
    parser.add_argument("--weight", metavar="COL", help="column of the weights, if there are any")
    parser.add_argument("--id", metavar="COL", help="column that names the rows; not read")
    parser.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="not read either"
    )


def add_unread_answer(parser: argparse.ArgumentParser) -> None:
    """Add the column that may be there though it is to be predicted."""
    parser.add_argument(
        *("--label", "--target"),
        dest="label",
        metavar="COL",
        help="column of the labels or targets, if any; not read",
    )


def answer_of(args: argparse.Namespace) -> dict[str, str]:
    """Column to be predicted, by its role."""
    return {"label": args.label} if args.target is None else {"target": args.target}


def check_roles(file: DataSource, args: argparse.Namespace) -> None:
    """Raise unless the columns that the options name are there."""
    for role in ("label", "target", "weight", "id"):
        file.check_names(getattr(args, role, None), option=f"--{role}")
    file.check_names(*args.drop, option="--drop")


def add_settings(parser: argparse.ArgumentParser) -> Any:
    """Add the settings that all algorithms share, in a group to which a command may add."""
    group = parser.add_argument_group("settings")
    group.add_argument("--rounds", type=int, metavar="N", help="most rounds (n_estimators)")
    group.add_argument(
        "--depth",
        type=int,
        metavar="D",
        help="depth of the trees; 1 are stumps, the default of most algorithms, which can be "
        "explained and certified",
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="seed of what is random")
    group.add_argument("--jobs", type=int, metavar="N", help="threads; all cores by default")
    return group
