"""Describe a model file, the columns of a data file, or the algorithms.

For a model: what it is, what is proven about it, which features it uses. For a data file: name,
type, missing values and range of every column, with the balance of the classes if --label is given.
For the name of an algorithm, such as lpboost: what it solves, what it guarantees, its settings.
Without any: the algorithms that fit and compare know.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from typing import Any

from .errors import UsageError
from .options import READING, add_data, add_reading, check_not_given, dialect_of
from .output import Answer, Screen, bar, visible

MODEL_SUFFIXES = (".json", ".json.gz")
UNSET = ("estimator", "callbacks", "verbose", "n_jobs", "random_state", "categorical_features")
"""Settings that the command line has options of its own for, or none."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser, optional=True, help="model file (.json, .json.gz), data file, or an algorithm")
    parser.add_argument("--label", metavar="COL", help="column whose classes to count")
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Look at the file."""
    name = args.data or ""
    described = [] if not name or os.path.exists(name) else _algorithm(name)
    if name and not described and not name.lower().endswith(MODEL_SUFFIXES):
        return Answer(_data_facts(args))
    check_not_given(args, "without a data file", label=None, **READING)
    if not name:
        return Answer({"command": "info", "algorithms": _algorithms()})
    if described:
        return Answer({"command": "info", "described": described})
    from .models import load_model, model_facts

    return Answer(
        {"command": "info", "file": args.data, "model": model_facts(load_model(args.data))}
    )


def _algorithms() -> list[dict[str, str]]:
    from .algorithms import classifiers, regressors

    return [
        {"name": name, "class": kind.__name__, **kind.__summary__}
        for known in (classifiers(), regressors())
        for name, kind in known.items()
    ]


def _algorithm(name: str) -> list[dict[str, Any]]:
    """Description of the algorithm of this name, for labels and for targets; empty if none is."""
    from .algorithms import find_classifier

    found = []
    for numeric in (False, True):
        try:
            full, kind = find_classifier(name, numeric=numeric)
        except UsageError:
            continue
        known = kind().get_params(deep=False)
        words = (kind.__doc__ or "").strip().partition("\n\n")[0]
        found.append(
            {
                "name": full,
                "class": kind.__name__,
                "answer": "target" if numeric else "label",
                "what": " ".join(words.split()),
                **kind.__summary__,
                "settings": {key: value for key, value in known.items() if key not in UNSET},
            }
        )
    return found


def _data_facts(args: argparse.Namespace) -> dict[str, Any]:
    from .columns import label_texts
    from .reading import read_file

    file = read_file(args.data, dialect_of(args))
    file.check_names(args.label, option="--label")
    facts: dict[str, Any] = {
        "command": "info",
        "file": file.path,
        "rows": file.n_rows,
        "columns": [_column_facts(file, name) for name in file.names],
    }
    if args.label is not None:
        counts = Counter(label_texts(file, args.label))
        facts["label"] = args.label
        facts["classes"] = dict(counts.most_common())
    return facts


def _column_facts(file: Any, name: str) -> dict[str, Any]:
    """Type, missing values, distinct values, range; a column that needs a decision is "mixed"."""
    from .columns import find_type
    from .errors import DataError, require

    pc = require("pyarrow.compute")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the number of categories is in the answer
            column = find_type(file, name)
    except DataError as error:
        return {"name": name, "type": "mixed", "problem": str(error)}
    numeric = str(column.type) == "double"
    column = column if numeric else column.cast("string")
    facts = {
        "name": name,
        "type": "number" if numeric else "category",
        "missing": pc.sum(column.is_null(nan_is_null=True)).as_py() or 0,
        "distinct": pc.count_distinct(column, mode="only_valid").as_py(),
    }
    if numeric:
        ends = pc.min_max(column).as_py()
        return {**facts, "min": ends["min"], "mean": pc.mean(column).as_py(), "max": ends["max"]}
    counts = Counter(column.drop_null().to_pylist())
    return {**facts, "most_frequent": dict(counts.most_common(5))}


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the description."""
    if "algorithms" in answer:
        rows = [[entry["name"], entry["problem"]] for entry in answer["algorithms"]]
        screen.table(["algorithm", "problem"], rows, align="<<")
        return
    for k, entry in enumerate(answer.get("described", [])):
        if k:
            screen.say()
        _show_algorithm(entry, screen)
    if "described" in answer:
        return
    if "model" in answer:
        from .models import show_model

        screen.title(answer["file"])
        show_model(answer["model"], screen, {})
        return
    screen.title(f"{answer['file']}: {answer['rows']:,} rows, {len(answer['columns'])} columns")
    headers = ["column", "type", "missing", "distinct", "values"]
    screen.table(headers, map(_column_row, answer["columns"]), align="<<>><")
    if "classes" in answer:
        screen.say()
        total = answer["rows"]
        screen.table(
            [answer["label"], "rows", "share", ""],
            [[name, f"{n:,}", f"{n / total:.1%}", bar(n / total)] for name, n in _classes(answer)],
            align="<>><",
        )
    for problem in [c["problem"] for c in answer["columns"] if "problem" in c]:
        screen.say(f"- {problem}")


def _show_algorithm(entry: dict[str, Any], screen: Screen) -> None:
    screen.title(f"{entry['name']}, for --{entry['answer']} ({entry['class']} in Python)")
    screen.say(entry["what"])
    names = ("problem", "guarantee", "reference")
    screen.facts({name: entry[name] for name in names if entry.get(name)})
    screen.say()
    rows = [[name, repr(value)] for name, value in entry["settings"].items()]
    screen.table(["setting (--param name=value)", "default"], rows, align="<<")


def _classes(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return list(answer["classes"].items())[:20]


def _column_row(column: dict[str, Any]) -> list[object]:
    if "problem" in column:
        return [column["name"], "mixed", "", "", "see below"]
    if column["type"] == "category":
        values = ", ".join(f"{visible(v, 20)} {n:,}" for v, n in column["most_frequent"].items())
    elif column["min"] is None:
        values = "no value"
    else:
        values = f"{column['min']:.6g} to {column['max']:.6g}, mean {column['mean']:.6g}"
    missing = f"{column['missing']:,}" if column["missing"] else ""
    return [column["name"], column["type"], missing, f"{column['distinct']:,}", visible(values, 60)]
