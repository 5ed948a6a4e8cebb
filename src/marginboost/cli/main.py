"""The program ``marginboost``: finds the command, runs it, says how it ended."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from .. import __version__
from . import commands
from .errors import CommandError, Exit
from .output import Answer, Screen, as_json, visible

LONGEST = 10_000
"""Signs of a message; a list of columns is no use without its end."""

DESCRIPTION = """Boosting that knows its margins, on the command line: fit a model to a table,
prove how good it is, look inside it, use it."""

EPILOG = """exit codes:
  0 done   2 usage   3 bad data   4 bad model file   5 certificate does not hold
  6 output cannot be written   7 package missing   8 memory   130 interrupted

example:
  marginboost audit patients.csv --label diagnosis --id patient --out report.html
  marginboost fit patients.csv --label diagnosis --id patient --out model.json
  marginboost evaluate model.json held-out.csv --label diagnosis --id patient
  marginboost certify model.json patients.csv --label diagnosis --id patient
  marginboost explain model.json patients.csv --id patient --label diagnosis
  marginboost predict model.json new.csv --id patient --out predictions.csv

`marginboost COMMAND --help` says more."""


def make_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of a command; of the whole command line where it is none."""
    parser = argparse.ArgumentParser(
        "marginboost",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"marginboost {__version__}")
    parsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in commands.known(command):
        module = commands.find(name)
        summary, _, details = (module.__doc__ or name).partition("\n")
        parsed = parsers.add_parser(
            name,
            help=summary[0].lower() + summary[1:].rstrip("."),
            description=f"{summary}\n{details}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parsed.set_defaults(command=module)
        module.configure(parsed)
        parsed.add_argument(
            "--json", action="store_true", help="write one JSON object to standard output"
        )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # signs that a terminal lacks are no reason to fail
            stream.reconfigure(errors="replace")
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        try:
            args = make_parser(*arguments[:1]).parse_args(arguments)
        except CommandError as error:
            return _fail(argparse.Namespace(json="--json" in arguments), error.exit, str(error), [])
        code = _run(args)
        sys.stdout.flush()
        return code
    except OSError as error:  # `| head` has seen enough, or the disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no complaint at exit
        if isinstance(error, BrokenPipeError):
            return Exit.PIPE
        where = "standard output" if error.filename is None else error.filename
        print(f"error: {visible(where, 500)}: {error.strerror or error}", file=sys.stderr)
        return Exit.OUTPUT


def _run(args: argparse.Namespace) -> int:
    heard: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: _warn(str(message), heard)
            answer: Answer = args.command.run(args)
            if answer.text is not None:
                _write(answer.text)
        _print(args, answer, heard)
        return answer.exit
    except CommandError as error:
        return _fail(args, error.exit, str(error), heard, error.place)
    except MemoryError as error:
        message = f"the data or the model need more memory than there is ({error})"
        return _fail(args, Exit.MEMORY, message.replace(" ()", ""), heard)
    except KeyboardInterrupt:
        hint = getattr(args.command, "after_interruption", lambda _: "")(args)
        return _fail(args, Exit.INTERRUPTED, f"interrupted. {hint}".strip(), heard)


def _warn(message: str, heard: list[str]) -> None:
    """Say a warning once, at once."""
    if message not in heard:
        heard.append(message)
        print(f"warning: {visible(message, LONGEST)}", file=sys.stderr)


def _write(text: Iterable[bytes]) -> None:
    """Write output of a command's own; its parts are made here, and may warn."""
    sys.stdout.flush()
    for part in text:
        sys.stdout.buffer.write(part)


def _print(args: argparse.Namespace, answer: Answer, heard: list[str]) -> None:
    if args.json:
        print(as_json({"ok": answer.exit == Exit.OK, **answer.data, "warnings": heard}))
    elif answer.text is None:
        args.command.show(answer.data, Screen())


def _fail(
    args: argparse.Namespace,
    code: Exit,
    message: str,
    heard: list[str],
    place: dict[str, Any] | None = None,
) -> int:
    """Say what went wrong, to people and, if asked, to machines."""
    print(f"error: {visible(message, LONGEST)}", file=sys.stderr)
    if args.json:
        error = {"kind": code.name.lower(), "exit_code": int(code), "message": message}
        print(as_json({"ok": False, "error": {**error, **(place or {})}, "warnings": heard}))
    return code
