"""Find the rows whose label, or numeric target, is probably wrong.

Models that never saw a row's label vote on it; their votes give every label a probability of being
right. --out writes a page to look at, --scores a table with a line for every row, --serve opens the
page on this machine, where decisions on the suspects are kept. Suspects are no error: the exit code
is 0 whether there are some or not. With --target models predict the number, and one that is further
off than is usual for such rows is suspect. Large files, unless gzipped, and folders of Parquet and
Arrow files are gone through in parts; with --target they are held in memory.
"""

from __future__ import annotations

import argparse
import socket
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import target_audit
from .errors import UsageError
from .options import (
    add_data,
    add_reading,
    add_roles,
    answer_of,
    check_not_given,
    dialect_of,
)
from .output import (
    Answer,
    Screen,
    check_target,
    class_name,
    progress,
    table_parts,
    visible,
    write_file,
)

if TYPE_CHECKING:
    from ..audit import LabelAudit, TargetAudit

SHOWN = 10
"""Suspects, and labels, on the screen."""
ROWS_AT_ONCE = 1 << 16
"""Scores written at a time."""
FDR = 0.2
"""Share of false alarms where none is given."""
DECISIONS = "decisions.csv"
"""File of decisions where none is given."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser)
    add_roles(parser)
    parser.add_argument("--out", metavar="FILE", help="report, one HTML file")
    parser.add_argument(
        "--scores", metavar="FILE", help="scores of all rows: .csv, .tsv, .parquet, .arrow, .gz"
    )
    add_audit(parser)
    group = parser.add_argument_group("looking at it")
    group.add_argument(
        "--serve", action="store_true", help="show the report on this machine until Ctrl-C"
    )
    group.add_argument("--port", type=int, default=0, metavar="N", help="port; a free one if not")
    group.add_argument("--no-browser", action="store_true", help="only say where the page is")
    group.add_argument(
        "--decisions",
        metavar="FILE",
        default=DECISIONS,
        help=f"CSV in which --serve keeps decisions (default: {DECISIONS})",
    )
    add_reading(parser)


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add how labels are audited."""
    parser.add_argument(
        "--skip-unlabelled", action="store_true", help="leave out rows without a label"
    )
    parser.add_argument(
        "--fdr",
        type=float,
        default=FDR,
        metavar="SHARE",
        help=f"false alarms allowed among the flagged rows (default: {FDR})",
    )
    parser.add_argument(
        "--cv", type=int, metavar="K", help="folds; 5 up to 5,000 rows, 3 up to 10,000, then 2"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the folds")
    parser.add_argument("--jobs", type=int, metavar="N", help="threads; all cores by default")


@dataclass(frozen=True)
class Audited:
    """A fitted audit, and what its rows are called."""

    title: str
    audit: LabelAudit | TargetAudit
    row_numbers: Any
    ids: list[str] | None
    read_rows: Any = None

    def payload(self) -> dict[str, Any]:
        """What the page shows."""
        from ..reports import audit_payload, target_payload

        names = {"title": self.title, "ids": self.ids, "row_numbers": self.row_numbers}
        if isinstance(self.audit, _target_audit()):
            return target_payload(self.audit, **names)
        return audit_payload(self.audit, **names, read_rows=self.read_rows)


def run(args: argparse.Namespace) -> Answer:
    """Audit, and write what was asked for."""
    _check(args)
    from .dataset import training_data
    from .decisions import DecisionFile
    from .streams import open_data

    decisions = DecisionFile(args.decisions) if args.serve else None
    file = labelled_rows(args, open_data)
    binning = {"n_jobs": args.jobs} if args.target is None else None
    data = training_data(args, file, binning)
    audited = audit_rows(args, data)
    written = _write(args, audited)
    if decisions is not None:
        _serve(args, audited.payload(), decisions)
        if Path(decisions.path).exists():
            written["decisions"] = decisions.path
    return Answer({**_facts(args, audited, data), "written": written})


# -- before the work -------------------------------------------------------------------------------


def check_audit(args: argparse.Namespace) -> None:
    """Raise, before any work, if an option of the audit makes no sense."""
    from ..kernels.parallel import resolve_n_jobs

    if args.cv is not None and args.cv < 2:
        raise UsageError(f"--cv: got {args.cv}, expected at least 2")
    if not 0.0 <= args.fdr < 1.0:
        raise UsageError(f"--fdr: got {args.fdr:g}, expected a number from 0 to below 1")
    if not 0 <= args.seed < 2**32:
        raise UsageError(f"--seed: got {args.seed}, expected 0 to {2**32 - 1}")
    if args.weight is not None:
        raise UsageError("--weight: an audit judges every row alike; leave the column out (--drop)")
    try:
        resolve_n_jobs(args.jobs)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--jobs: {error}") from None


def _check(args: argparse.Namespace) -> None:
    """Raise, before any work, if an option makes no sense."""
    check_audit(args)
    if args.target is not None:
        target_audit.check(args)
    if args.serve:
        _check_serving(args)
    else:
        unset = {"port": 0, "no_browser": False, "decisions": DECISIONS}
        check_not_given(args, "without --serve", **unset)
    kept = args.decisions if args.serve else None
    others = {"data file": args.data}
    for option, path in (("--out", args.out), ("--scores", args.scores), ("--decisions", kept)):
        if path is not None:
            check_target(path, option, others)
            others[f"file of {option}"] = path


def _check_serving(args: argparse.Namespace) -> None:
    if args.json:
        raise UsageError("--serve: waits for you; --json is for machines. Choose one")
    if not 0 <= args.port < 65536:
        raise UsageError(f"--port: got {args.port}, expected 0 to 65535")
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", args.port))
        except OSError as error:
            raise UsageError(f"--port: {args.port} cannot be used: {error.strerror}") from None


def labelled_rows(args: argparse.Namespace, read: Any) -> Any:
    """Read the file; rows without a label are an error, or left out if the user said so."""
    import numpy as np

    from .columns import texts

    file = read(args.data, dialect_of(args))
    ((role, name),) = answer_of(args).items()
    file.check_names(name, option=f"--{role}")
    parts = [np.asarray(texts(part, name).is_null()) for part in file.parts([name])]
    missing = np.concatenate(parts)
    if not missing.any():
        return file
    places = (np.flatnonzero(missing) + 1).tolist()
    rows = ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")
    found = f"{len(places):,} of {file.n_rows:,} rows have no {role} (rows {rows})"
    if not args.skip_unlabelled:
        raise file.error(
            f"{found}; --skip-unlabelled leaves them out, --not-missing TEXT if the text there is "
            f"a {role}",
            name,
            places[0] - 1,
        )
    if missing.all():
        raise file.error(f"no row has a {role}", name)
    warnings.warn(f"{found}; they are left out", UserWarning, stacklevel=2)
    return file.keep(np.flatnonzero(~missing))


# -- the work --------------------------------------------------------------------------------------


def audit_rows(args: argparse.Namespace, data: Any) -> Audited:
    """Audit the rows of a table; a column that gives the labels away is warned of."""
    from ..data import BinnedMatrix
    from .dataset import raw_rows

    numbers = row_numbers(data.file)
    title = "standard input" if args.data == "-" else Path(args.data).name
    ids = _ids(args, data.file, numbers)
    if data.is_regression:
        return Audited(title, target_audit.fit(args, data), numbers, ids)
    read_rows = partial(raw_rows, args, data) if isinstance(data.X, BinnedMatrix) else None
    return Audited(title, _audit_labels(args, data), numbers, ids, read_rows)


def _target_audit() -> type[TargetAudit]:
    from ..audit import TargetAudit

    return TargetAudit


def _audit_labels(args: argparse.Namespace, data: Any) -> LabelAudit:
    from ..audit import LabelAudit

    _check_labels(args, data)
    with progress("audit", 2) as advance:
        try:
            audit = LabelAudit(
                cv=args.cv, fdr=args.fdr, n_jobs=args.jobs, random_state=args.seed
            ).fit(data.X, data.labels)
        except ValueError as error:
            raise data.file.error(str(error), args.label) from error
        advance()
        for name in audit.evidence.leaking:
            warnings.warn(
                f"column {visible(name)!r} alone tells nearly every label: the name of the row, or "
                "the answer itself? An audit cannot find wrong labels with it; see --drop and --id",
                UserWarning,
                stacklevel=2,
            )
        advance()
    return audit


def _check_labels(args: argparse.Namespace, data: Any) -> None:
    """Raise if labels are no classes, or one of them stands alone."""
    from .dataset import check_classes

    check_classes(data, args.label)
    labels = data.labels.tolist()
    counts = Counter(labels)
    alone = next((row for row, label in enumerate(labels) if counts[label] == 1), None)
    if alone is not None:
        raise data.file.error(
            f"the label {visible(labels[alone])!r} stands in this row only; to be judged it must "
            "stand in two at least: a slip of the pen?",
            args.label,
            alone,
        )


def row_numbers(file: Any) -> Any:
    """Places of the rows in the file, from 1."""
    import numpy as np

    return (np.arange(file.n_rows) if file.rows is None else file.rows) + 1


def _ids(args: argparse.Namespace, file: Any, numbers: Any) -> list[str] | None:
    """Names of the rows; the number where a name is missing."""
    if args.id is None:
        return None
    names = [name for part in file.parts([args.id]) for name in part.column(args.id).to_pylist()]
    return [
        str(row) if name in (None, "") else str(name)
        for name, row in zip(names, numbers.tolist(), strict=True)
    ]


# -- what comes of it ------------------------------------------------------------------------------


def _facts(args: argparse.Namespace, audited: Audited, data: Any) -> dict[str, Any]:
    audit = audited.audit
    columns = _columns(audited, audit.suspects())
    suspects = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    shared = {
        "command": "audit",
        "data": {**data.facts(), **answer_of(args)},
        "fdr": args.fdr,
        "flagged": len(suspects),
        "suspects": suspects,
    }
    if isinstance(audit, _target_audit()):
        return {**shared, **target_audit.facts(audit)}
    from ..reports import similar_counts, verdict

    rates = zip(audit.classes_.tolist(), audit.class_noise_rates_.tolist(), strict=True)
    return {
        **shared,
        "verdict": verdict(audit),
        "noise_rate": audit.noise_rate_,
        "class_noise_rates": {str(label): rate for label, rate in rates},
        "voters": audit.voter_weights_,
        "similar": similar_counts(audit.evidence.similar),
    }


def _columns(audited: Audited, rows: Any = slice(None)) -> dict[str, list[Any]]:
    """Scores of some rows, or of all."""
    import numpy as np

    audit = audited.audit
    chosen = np.arange(len(audit.score_))[rows]
    ids = {} if audited.ids is None else {"id": [audited.ids[i] for i in chosen.tolist()]}
    places = {"row": audited.row_numbers[chosen].tolist(), **ids}
    if isinstance(audit, _target_audit()):
        found = audit.columns()
    else:
        found = {
            "given": audit.classes_[audit.codes_],
            "suggested": audit.suggested_,
            "score": audit.score_,
            "rank": audit.rank_,
            "flagged": audit.flagged_,
            **audit.__similar_columns__(),
        }
    columns = {name: values[chosen].tolist() for name, values in found.items()}
    near = [int(audited.row_numbers[i]) if i >= 0 else None for i in columns["near_duplicate"]]
    return {**places, **columns, "near_duplicate": near}  # by its place in the file


def _score_parts(audited: Audited) -> Iterator[dict[str, list[Any]]]:
    """Scores of all rows, some rows after the other."""
    for start in range(0, len(audited.audit.score_), ROWS_AT_ONCE):
        yield _columns(audited, slice(start, start + ROWS_AT_ONCE))


def _write(args: argparse.Namespace, audited: Audited) -> dict[str, str]:
    from ..reports import audit_page

    written = {}
    if args.scores is not None:
        write_file(args.scores, table_parts(_score_parts(audited), args.scores))
        written["scores"] = args.scores
    if args.out is not None:
        write_file(args.out, audit_page(audited.payload()).encode())
        written["report"] = args.out
    return written


def _serve(args: argparse.Namespace, payload: dict[str, Any], decisions: Any) -> None:
    """Serve the page until Ctrl-C; decisions go to a file after each change."""
    from ..reports import serve_audit

    earlier = decisions.take_up(payload)
    try:
        server = serve_audit(
            payload, decisions.save, args.port, decisions=earlier, kept_in=decisions.path
        )
    except OSError as error:
        raise UsageError(f"--port: {args.port} cannot be used: {error.strerror}") from None
    print(
        f"{payload['verdict']}\n{server.url}\nDecisions are kept in {decisions.path}. Ctrl-C ends.",
        file=sys.stderr,
        flush=True,
    )
    if not args.no_browser:
        server.open_in_browser()
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        server.stop()


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the verdict and the most suspect rows."""
    from .models import show_data

    show_data(answer["data"], screen)
    screen.say()
    screen.verdict(answer["flagged"] == 0, answer["verdict"])
    if "predictors" in answer:
        if similar := _similar_in_words(answer["similar"], "a target far off"):
            screen.say(similar)
        target_audit.show_suspects(answer, screen)
        _show_written(answer, screen)
        return
    rates = sorted(answer["class_noise_rates"].items(), key=lambda item: -item[1])
    words = [f"{class_name(label)} {rate:.1%}" for label, rate in rates[:SHOWN]]
    more = ", …" if len(rates) > SHOWN else ""
    screen.say(f"Estimated noise by given label: {', '.join(words)}{more}.")
    if similar := _similar_in_words(answer["similar"]):
        screen.say(similar)
    first = answer["suspects"][:SHOWN]
    if first:
        screen.say()
        names = [name for name in ("row", "id", "given", "suggested") if name in first[0]]
        rows = [
            [*(suspect[name] for name in names), f"{suspect['score']:.3f}"] for suspect in first
        ]
        screen.table([*names, "P(right)"], rows, align=">" + "<" * (len(names) - 1) + ">")
        if answer["flagged"] > len(first):
            screen.say(f"and {answer['flagged'] - len(first):,} more")
    _show_written(answer, screen)


def _similar_in_words(counts: dict[str, int], other_label: str = "another label") -> str:
    """Duplicates and outliers in a sentence, if there are any."""
    found = [
        (counts["copies"], "with exact copies", counts["conflicting"]),
        (counts["near"], "with near duplicates", counts["near_conflicting"]),
        (counts["outliers"], "like no other", 0),
    ]
    words = [
        f"{n:,} {what}{f' ({other:,} with {other_label})' if other else ''}"
        for n, what, other in found
        if n
    ]
    return f"Rows: {', '.join(words)}." if words else ""


def _show_written(answer: dict[str, Any], screen: Screen) -> None:
    for kind, path in answer["written"].items():
        screen.say(f"Wrote {kind}: {path}")
