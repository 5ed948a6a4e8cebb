"""Find the rows whose label is probably wrong.

Models that never saw a row's label vote on it; their votes give every label a probability of being
right. --out writes a page to look at, --scores a table with a line for every row, --serve opens the
page on this machine, where decisions on the suspects are kept.
"""

from __future__ import annotations

import argparse
import csv
import io
import warnings
from pathlib import Path
from typing import Any

from .errors import UsageError
from .options import add_data, add_reading, add_roles
from .output import Answer, Screen, check_target, progress, table_bytes, visible, write_file

SHOWN = 10
"""Suspects on the screen."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser)
    add_roles(parser)
    parser.add_argument("--out", metavar="FILE", help="HTML report")
    parser.add_argument(
        "--scores", metavar="FILE", help="scores of all rows: .csv, .tsv, .parquet, .arrow, .gz"
    )
    parser.add_argument(
        "--fdr",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="false alarms allowed among the flagged rows (default: 0.2)",
    )
    parser.add_argument("--cv", type=int, default=5, metavar="K", help="folds (default: 5)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the folds")
    parser.add_argument("--jobs", type=int, metavar="N", help="threads; all cores by default")
    group = parser.add_argument_group("looking at it")
    group.add_argument("--serve", action="store_true", help="open the page on this machine")
    group.add_argument("--port", type=int, default=0, metavar="N", help="port; a free one if not")
    group.add_argument("--no-browser", action="store_true", help="only say where the page is")
    group.add_argument(
        "--decisions",
        metavar="FILE",
        help="CSV in which --serve keeps decisions (default: decisions.csv)",
    )
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Audit, and write what was asked for."""
    from .dataset import training_data

    _check(args)
    data = training_data(args)
    ids = None if args.id is None else [str(name) for name in data.file.column(args.id).to_pylist()]
    audit = _audit(args, data)
    written = _write(args, audit, data, ids)
    if args.serve:
        _serve(args, audit, ids)
    return Answer({**_facts(args, audit, data, ids), "written": written})


def _check(args: argparse.Namespace) -> None:
    """Raise, before any work, if an option makes no sense."""
    if args.cv < 2:
        raise UsageError(f"--cv: got {args.cv}, expected at least 2")
    if not 0.0 <= args.fdr < 1.0:
        raise UsageError(f"--fdr: got {args.fdr:g}, expected a number from 0 to below 1")
    if args.weight is not None:
        raise UsageError("--weight: an audit judges every row alike; leave the column out (--drop)")
    if not 0 <= args.port < 65536:
        raise UsageError(f"--port: got {args.port}, expected 0 to 65535")
    if args.serve and args.json:
        raise UsageError("--serve: waits for you; --json is for machines. Choose one")
    for path in (args.out, args.scores, args.decisions):
        if path is not None:
            check_target(path)


def _audit(args: argparse.Namespace, data: Any) -> Any:
    from ..audit import LabelAudit, telltale_features

    with progress("audit", 2) as advance:
        try:
            audit = LabelAudit(
                cv=args.cv, fdr=args.fdr, n_jobs=args.jobs, random_state=args.seed
            ).fit(data.X, data.labels)
        except ValueError as error:
            raise data.file.error(str(error), args.label) from error
        advance()
        for name in telltale_features(audit.evidence.bins, audit.codes_):
            warnings.warn(
                f"column {visible(name)!r} alone tells nearly every label: the name of the row, or "
                "the answer itself? An audit cannot find wrong labels with it; see --drop and --id",
                UserWarning,
                stacklevel=2,
            )
        advance()
    return audit


def _facts(
    args: argparse.Namespace, audit: Any, data: Any, ids: list[str] | None
) -> dict[str, Any]:
    from ..reports.payload import verdict

    classes = audit.classes_.tolist()
    suspects = [
        {
            "row": int(i) + 1,
            "id": str(i + 1) if ids is None else ids[i],
            "given": classes[audit.codes_[i]],
            "suggested": classes[audit.suggested_codes_[i]],
            "score": float(audit.score_[i]),
        }
        for i in audit.suspects()
    ]
    return {
        "command": "audit",
        "data": {**data.facts(), "label": args.label},
        "verdict": verdict(audit),
        "noise_rate": audit.noise_rate_,
        "class_noise_rates": {
            str(label): float(rate)
            for label, rate in zip(classes, audit.class_noise_rates_, strict=True)
        },
        "fdr": args.fdr,
        "flagged": len(suspects),
        "voters": audit.voter_weights_,
        "suspects": suspects,
    }


def _write(
    args: argparse.Namespace, audit: Any, data: Any, ids: list[str] | None
) -> dict[str, str]:
    written = {}
    if args.scores is not None:
        write_file(args.scores, table_bytes(_columns(audit, ids), args.scores))
        written["scores"] = args.scores
    if args.out is not None:
        page = _page(args, audit, ids)
        write_file(args.out, page.encode())
        written["report"] = args.out
    return written


def _columns(audit: Any, ids: list[str] | None) -> dict[str, list[Any]]:
    names = {} if ids is None else {"id": ids}
    return {
        "row": list(range(1, len(audit.score_) + 1)),
        **names,
        "given": audit.classes_[audit.codes_].tolist(),
        "suggested": audit.suggested_.tolist(),
        "score": audit.score_.tolist(),
        "rank": audit.rank_.tolist(),
        "flagged": audit.flagged_.tolist(),
    }


def _payload(args: argparse.Namespace, audit: Any, ids: list[str] | None) -> dict[str, Any]:
    from ..reports import audit_payload

    names = ids or [str(row) for row in range(1, len(audit.score_) + 1)]
    return audit_payload(audit, title=Path(args.data).name, ids=names)


def _page(args: argparse.Namespace, audit: Any, ids: list[str] | None) -> str:
    from ..reports import audit_page

    return audit_page(_payload(args, audit, ids))


def _serve(args: argparse.Namespace, audit: Any, ids: list[str] | None) -> None:
    """Serve the page until Ctrl-C; decisions go to a file after each change."""
    import sys
    import threading
    import webbrowser

    from ..reports import serve_audit

    payload = _payload(args, audit, ids)
    path = args.decisions or "decisions.csv"
    lines = {suspect["row"]: suspect for suspect in payload["suspects"]}

    def save(decisions: dict[int, str]) -> None:
        rows = [(lines[row], word) for row, word in sorted(decisions.items())]
        names = payload["classes"]
        columns: dict[str, list[Any]] = {
            "row": [line["row"] + 1 for line, _ in rows],
            "id": [line["id"] for line, _ in rows],
            "given": [names[line["given"]] for line, _ in rows],
            "suggested": [names[line["suggested"]] for line, _ in rows],
            "score": [line["score"] for line, _ in rows],
            "decision": [word for _, word in rows],
        }
        write_file(path, table_bytes(columns, path))

    server = serve_audit(payload, save, args.port, decisions=_earlier(path, lines))
    print(f"{server.url}\nDecisions go to {path}; Ctrl-C ends.", file=sys.stderr, flush=True)
    if not args.no_browser:
        webbrowser.open(server.url)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.shutdown()


def _earlier(path: str, lines: dict[int, Any]) -> dict[int, str]:
    """Decisions of an earlier session, for rows that are listed now."""
    if not Path(path).is_file():
        return {}
    reader = csv.DictReader(io.StringIO(Path(path).read_text(encoding="utf-8")))
    found = {}
    for line in reader:
        row, word = line.get("row", ""), line.get("decision", "")
        if row.isdigit() and int(row) - 1 in lines and word in ("wrong", "right"):
            found[int(row) - 1] = word
    return found


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the verdict and the most suspect rows."""
    from .models import show_data

    show_data(answer["data"], screen)
    screen.say()
    screen.verdict(answer["flagged"] == 0, answer["verdict"])
    rates = ", ".join(
        f"{visible(label)} {rate:.1%}" for label, rate in answer["class_noise_rates"].items()
    )
    screen.say(f"Estimated noise by given label: {rates}.")
    first = answer["suspects"][:SHOWN]
    if first:
        screen.say()
        rows = [[s["row"], s["id"], s["given"], s["suggested"], f"{s['score']:.3f}"] for s in first]
        screen.table(["row", "id", "given", "suggested", "P(right)"], rows, align="><<<>")
        more = answer["flagged"] - len(first)
        if more > 0:
            screen.say(f"and {more:,} more")
    for kind, path in answer["written"].items():
        screen.say(f"Wrote {kind}: {path}")
