"""Predict the classes, or the numbers, of the rows of a table.

Writes one line per row: its name (--id) or number, the predicted class, the vote, a number from
-1 (surely the first class) to 1 (surely the second), and the probability of each class; of more
classes there is a vote for each. A model of targets has neither votes nor probabilities.
Columns are found by name, in any order; one that the model needs and the table lacks is an error,
one too many is not.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from .errors import UsageError
from .options import add_data, add_reading, dialect_of
from .output import Answer, Screen, check_target, csv_bytes, table_bytes, visible, write_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("model", help="model file written by fit")
    add_data(parser)
    parser.add_argument("--id", metavar="COL", help="column that names the rows of the output")
    parser.add_argument("--label", metavar="COL", help="column of the labels, if any; not read")
    parser.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="not read either"
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help=".csv, .tsv, .parquet or .arrow, also with .gz; standard output by default",
    )
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Read the model and the rows, predict, write."""
    from .dataset import model_data
    from .models import is_regressor, load_model
    from .reading import read_file

    if args.out is not None:
        check_target(args.out, "--out", {"model file": args.model, "data file": args.data})
    if args.id in ("prediction", "vote"):
        raise UsageError(f"--id: the output has a column {args.id!r} of its own; rename yours")
    model = load_model(args.model)
    file = read_file(args.data, dialect_of(args))
    file.check_names(args.id, option="--id")
    file.check_names(args.label, option="--label")
    file.check_names(*args.drop, option="--drop")
    X = model_data(model, file, {args.id, args.label, *args.drop})
    columns: dict[str, list[Any]] = {"row": list(range(1, file.n_rows + 1))}
    if args.id is not None:
        columns = {args.id: file.column(args.id).to_pylist()}
    columns["prediction"] = model.predict(X).tolist()
    if is_regressor(model):
        return _numbers(args, file, columns)
    votes, classes = model.decision_function(X), model.classes_.tolist()
    if votes.ndim == 1:
        columns["vote"] = votes.tolist()
    else:
        columns |= {f"vote({c})": v.tolist() for c, v in zip(classes, votes.T, strict=True)}
    shares = model.predict_proba(X).T
    columns |= {f"P({c})": share.tolist() for c, share in zip(classes, shares, strict=True)}
    facts = {
        "command": "predict",
        "file": file.path,
        "rows": file.n_rows,
        "classes": classes,
        "counts": {str(k): n for k, n in sorted(Counter(columns["prediction"]).items())},
    }
    return _written(args, facts, columns)


def _numbers(args: argparse.Namespace, file: Any, columns: dict[str, list[Any]]) -> Answer:
    """Answer of a model that predicts numbers."""
    found = columns["prediction"]
    span = {"min": min(found), "mean": sum(found) / len(found), "max": max(found)} if found else {}
    facts = {"command": "predict", "file": file.path, "rows": file.n_rows, "values": span}
    return _written(args, facts, columns)


def _written(
    args: argparse.Namespace, facts: dict[str, Any], columns: dict[str, list[Any]]
) -> Answer:
    if args.out is not None:
        write_file(args.out, table_bytes(columns, args.out))
        return Answer({**facts, "out": args.out})
    text = None if args.json else csv_bytes(columns)
    return Answer({**facts, "predictions": columns}, text=text)


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print how often each class was predicted."""
    if "values" in answer:
        words = ", ".join(f"{name} {value:.6g}" for name, value in answer["values"].items())
        screen.say(f"{answer['rows']:,} rows: {words}. Wrote {answer['out']}.")
        return
    counts = ", ".join(f"{visible(label)} {n:,}" for label, n in answer["counts"].items())
    screen.say(f"{answer['rows']:,} rows: {counts}. Wrote {answer['out']}.")
