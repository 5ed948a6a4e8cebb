"""Write a table without the labels that are probably wrong.

Audits the table and acts on the suspects: leaves them out, gives them the most likely label, or
adds a column of weights. With --decisions, what you decided while looking at the report counts
more: rows you called wrong are acted on, rows you called right are never touched. The table is held
in memory; of one that is larger, audit --scores gives the rows to leave out.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .audit import FDR, add_audit, audit_rows, check_audit, labelled_rows, row_numbers
from .errors import UsageError
from .options import add_data, add_reading, add_roles, check_not_given
from .output import Answer, Screen, check_target, has_types, table_bytes, write_file
from .reading import read_file

POLICIES = ("drop", "relabel", "downweight")
WEIGHT = "label_weight"
"""Column that ``downweight`` adds."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser)
    add_roles(parser)
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        default="drop",
        help="what to do with suspects (default: drop)",
    )
    parser.add_argument("--decisions", metavar="FILE", help="CSV that audit --serve kept")
    parser.add_argument(
        "--only-confirmed",
        action="store_true",
        help="act only on rows that --decisions calls wrong",
    )
    parser.add_argument(
        "--out", metavar="FILE", required=True, help=".csv, .tsv, .parquet or .arrow, also with .gz"
    )
    add_audit(parser)
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Audit, decide, write."""
    _check(args)
    from .dataset import plain_text, training_data
    from .decisions import read_decisions

    file = labelled_rows(args, read_file)
    data = training_data(args, file)
    audit = audit_rows(args, data).audit
    given = [plain_text(label) for label in data.labels.tolist()]
    decisions = {}
    if args.decisions is not None:
        decisions = read_decisions(args.decisions, row_numbers(file).tolist(), given)
    undecided = "keep" if args.only_confirmed else "act"
    places, labels, weight = audit.clean(
        _positions(data), data.labels, args.policy, decisions=decisions, undecided=undecided
    )
    columns = {name: _values(_typed(file, name, data, args), places) for name in file.names}
    if args.policy == "relabel":
        # As the label is written where it stands: 1, 1.0 or "1".
        known = dict(zip(given, file.column(args.label).to_pylist(), strict=True))
        texts = [plain_text(label) for label in labels.tolist()]
        columns[args.label] = [
            old if new == was else known[new]
            for new, was, old in zip(texts, given, columns[args.label], strict=True)
        ]
    if args.policy == "downweight":
        columns[WEIGHT] = weight.tolist()
    write_file(args.out, table_bytes(columns, args.out))
    acted = int((data.labels[places] != labels).sum()) if args.policy == "relabel" else None
    return Answer(
        {
            "command": "clean",
            "file": file.path,
            "policy": args.policy,
            "rows": file.n_rows,
            "rows_written": len(places),
            "dropped": file.n_rows - len(places),
            "relabelled": acted or 0,
            "decisions": len(decisions),
            "noise_rate": audit.noise_rate_,
            "out": args.out,
        }
    )


def _check(args: argparse.Namespace) -> None:
    """Raise, before any work, if an option makes no sense."""
    if args.target is not None:
        raise UsageError("--target: only labels can be cleaned; audit --target lists wrong numbers")
    if args.only_confirmed and args.decisions is None:
        raise UsageError("--only-confirmed: needs --decisions, which say what is confirmed")
    if args.only_confirmed:
        check_not_given(args, "with --only-confirmed", fdr=FDR)
    check_audit(args)
    others = {"data file": args.data, "file of decisions": args.decisions}
    check_target(args.out, "--out", others)


def _positions(data: Any) -> Any:
    import numpy as np

    return np.arange(len(data.labels))


def _typed(file: Any, name: str, data: Any, args: argparse.Namespace) -> Any:
    """Column as it came; of a text, for a file that has types, numbers as what they are.

    Names and labels stay text: 007 is no number.
    """
    from .columns import as_whole, numbers  # here, not above: they bring NumPy along

    if not file.is_text or not has_types(args.out):
        return file.column(name)
    if name == args.weight:
        return numbers(file, name)
    is_feature = name in data.X.column_names
    if is_feature and str(data.X.column(name).type) == "double":
        return as_whole(data.X.column(name))
    return file.column(name)


def _values(column: Any, places: Any) -> list[Any]:
    values: list[Any] = column.take(places).to_pylist()
    return values


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print what was done."""
    done = {
        "drop": f"{answer['dropped']:,} left out",
        "relabel": f"{answer['relabelled']:,} given another label",
        "downweight": f"all weighed, in column {WEIGHT}",
    }
    name = Path(answer["file"]).name if answer["file"] != "-" else "standard input"
    screen.say(
        f"{name}: {answer['rows']:,} rows, {done[answer['policy']]}"
        + (f", {answer['decisions']:,} decisions read" if answer["decisions"] else "")
        + f". Wrote {answer['out']}."
    )
