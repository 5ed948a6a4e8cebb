"""Run an experiment of the literature: published beside measured.

--list names the experiments. A run without --full takes minutes and has fewer trials than the
source. With --out it leaves ID.json, ID.md and ID.png in that folder, and ID.trials.jsonl, from
which a run that was interrupted goes on. Data sets that do not come with the package are looked for
in the folder of --data, and at OpenML.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from marginboost.cli.errors import DataError, OutputError, UsageError, require, suggest
from marginboost.cli.options import check_not_given
from marginboost.cli.output import Answer, Screen


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("experiment", nargs="?", metavar="ID", help="which experiment")
    parser.add_argument("--list", action="store_true", help="name the experiments")
    parser.add_argument("--full", action="store_true", help="as many trials as were published")
    parser.add_argument("--out", metavar="FOLDER", help="where to keep trials and results")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; all cores by default")
    parser.add_argument(
        "--data", metavar="FOLDER", help="data sets as .npz files; $MARGINBOOST_DATA by default"
    )


def run(args: argparse.Namespace) -> Answer:
    """List the experiments, or run one."""
    from marginboost.datasets import DATA_VARIABLE, MissingDataError

    from . import runner
    from .without_command import WITHOUT_COMMAND

    if args.list == (args.experiment is not None):
        raise UsageError("expected an experiment or --list, and not both")
    if args.list:
        check_not_given(args, "with --list", full=False, out=None, jobs=None, data=None)
        every = [
            {"id": name, "title": runner.about(name).partition("\n")[0]} for name in runner.names()
        ]
        without = [{"id": key, "reason": why} for key, why in WITHOUT_COMMAND.items()]
        return Answer({"command": "reproduce", "experiments": every, "without_command": without})
    if args.experiment not in runner.names():
        hint = suggest(args.experiment, runner.names(), 40)
        raise UsageError(f"experiment: got {args.experiment!r}; {hint}")
    if args.jobs is not None and args.jobs < 1:
        raise UsageError(f"--jobs: got {args.jobs}, expected at least 1")
    if args.data is not None:
        if not Path(args.data).is_dir():
            raise UsageError(f"--data: got {args.data!r}, expected a folder")
        os.environ[DATA_VARIABLE] = args.data
    if args.out is not None:
        _make_folder(args.out)
    size = "full" if args.full else "quick"
    try:
        with _progress(args.experiment) as progress:
            outcome = runner.run(
                args.experiment, size, folder=args.out, n_jobs=args.jobs or -1, progress=progress
            )
    except MissingDataError as error:
        raise DataError(str(error)) from None
    files = []
    if args.out is not None:
        try:
            files = [str(path) for path in outcome.save(Path(args.out))]
        except OSError as error:
            raise OutputError(f"{error.filename}: {error.strerror}", file=args.out) from None
    return Answer({"command": "reproduce", **outcome.as_dict(), "files": files})


def after_interruption(args: argparse.Namespace) -> str:
    """Say how an interrupted run goes on."""
    if args.out is None:
        return "With --out FOLDER a run goes on from the trials that are done."
    return "The same command goes on from the trials that are done."


def _make_folder(name: str) -> None:
    """Make the folder of --out before any work, which would be lost without it."""
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"--out: got {name!r}, expected a folder: {error.strerror}") from None
    if not os.access(name, os.W_OK):
        raise OutputError(f"--out: nothing can be written into {name!r}")


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that moves a bar, with the time left, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    console = require("rich.console").Console(stderr=True)
    with require("rich.progress").Progress(console=console, transient=True) as bars:
        task = bars.add_task(name, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def show(data: dict[str, Any], screen: Screen) -> None:
    """Print the list, or tables and findings."""
    from .runner import cost

    if "experiments" in data:
        screen.table(["", ""], [list(each.values()) for each in data["experiments"]], align="<<")
        screen.say()
        screen.title("Not reproduced, by their ids in docs/catalogue")
        screen.table(
            ["", ""], [list(each.values()) for each in data["without_command"]], align="<<"
        )
        return
    screen.title(data["about"].partition("\n")[0])
    screen.say(f"{data['size']}: {cost(data)}")
    for table in data["tables"]:
        screen.say()
        screen.title(table["title"])
        headers = ["", *table["columns"]]
        screen.table(headers, table["rows"], align="<" * len(headers))
        for note in table["notes"]:
            screen.say(note)
    screen.say()
    for finding in data["findings"]:
        evidence = f" ({finding['evidence']})" if finding["evidence"] else ""
        sign = "holds" if finding["holds"] else "does not hold"
        screen.verdict(finding["holds"], f"{sign}: {finding['claim']}{evidence}")
    for file in data["files"]:
        screen.say(f"written: {file}")
