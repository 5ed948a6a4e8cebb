"""Predict the classes, or the numbers, of the rows of a table.

Writes one line per row: its name (--id) or number, the predicted class, the vote, a number from
-1 (surely the first class) to 1 (surely the second), and the probability of each class; of more
classes there is a vote for each. A model of targets has neither votes nor probabilities.
Columns are found by name, in any order; one that the model needs and the table lacks is an error,
one too many is not. Large files, unless gzipped, and folders are gone through in parts.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .errors import UsageError
from .options import add_data, add_reading, add_unread_answer, check_roles, dialect_of
from .output import Answer, Screen, check_target, csv_parts, table_parts, visible, write_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("model", help="model file written by fit")
    add_data(parser)
    parser.add_argument("--id", metavar="COL", help="column that names the rows of the output")
    add_unread_answer(parser)
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
    from .models import load_model
    from .streams import open_data

    if args.out is not None:
        check_target(args.out, "--out", {"model file": args.model, "data file": args.data})
    if args.id in ("prediction", "vote"):
        raise UsageError(f"--id: the output has a column {args.id!r} of its own; rename yours")
    model = load_model(args.model)
    source = open_data(args.data, dialect_of(args))
    check_roles(source, args)
    tally = _Tally(model, source)
    parts = _predictions(args, model, source, tally)
    if args.out is not None:
        write_file(args.out, table_parts(parts, args.out))
        return Answer({**tally.facts(), "out": args.out})
    if not args.json:
        return Answer({}, text=csv_parts(parts))
    columns: dict[str, list[Any]] = {}
    for part in parts:
        for name, values in part.items():
            found = values.to_pylist() if hasattr(values, "to_pylist") else values
            columns.setdefault(name, []).extend(found)
    return Answer({**tally.facts(), "predictions": columns})


def _predictions(
    args: argparse.Namespace, model: Any, source: Any, tally: _Tally
) -> Iterator[dict[str, Any]]:
    """Columns of the output, one part of the rows after the other."""
    from .dataset import model_data

    start = 0
    for file in source.parts():
        X = model_data(model, file, {args.id, args.label, *args.drop})
        columns: dict[str, Any] = {"row": list(range(start + 1, start + file.n_rows + 1))}
        if args.id is not None:
            columns = {args.id: file.column(args.id)}
        columns["prediction"] = model.predict(X).tolist()
        tally.add(columns["prediction"])
        if not tally.numeric:
            columns |= _votes(model, X)
        yield columns
        start += file.n_rows


def _votes(model: Any, X: Any) -> dict[str, list[float]]:
    """Votes and probabilities of the classes."""
    votes, classes = model.decision_function(X), model.classes_.tolist()
    if votes.ndim == 1:
        columns = {"vote": votes.tolist()}
    else:
        columns = {f"vote({c})": v.tolist() for c, v in zip(classes, votes.T, strict=True)}
    shares = model.predict_proba(X).T
    return columns | {f"P({c})": s.tolist() for c, s in zip(classes, shares, strict=True)}


class _Tally:
    """How often each class was predicted, or which numbers were."""

    def __init__(self, model: Any, source: Any) -> None:
        from .models import is_regressor

        self.model, self.source, self.numeric = model, source, is_regressor(model)
        self.counts: Counter[Any] = Counter()
        self.low, self.high, self.total = math.inf, -math.inf, 0.0

    def add(self, predictions: list[Any]) -> None:
        """Count the predictions of some rows."""
        if not self.numeric:
            self.counts.update(predictions)
        elif predictions:
            self.low, self.high = min(self.low, *predictions), max(self.high, *predictions)
            self.total = sum(predictions, self.total)

    def facts(self) -> dict[str, Any]:
        """What was counted, for the answer."""
        n_rows = self.source.n_rows
        facts = {"command": "predict", "file": self.source.path, "rows": n_rows}
        if self.numeric:
            span = {"min": self.low, "mean": self.total / n_rows, "max": self.high}
            return {**facts, "values": span}
        counts = {str(label): n for label, n in sorted(self.counts.items())}
        return {**facts, "classes": self.model.classes_.tolist(), "counts": counts}


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print how often each class was predicted."""
    if "values" in answer:
        words = ", ".join(f"{name} {value:.6g}" for name, value in answer["values"].items())
        screen.say(f"{answer['rows']:,} rows: {words}. Wrote {answer['out']}.")
        return
    counts = ", ".join(f"{visible(label)} {n:,}" for label, n in answer["counts"].items())
    screen.say(f"{answer['rows']:,} rows: {counts}. Wrote {answer['out']}.")
