"""Fit a model to a table and write it to a file.

Columns that hold numbers are ordered, text is a category, and an empty value is missing: nothing
has to be prepared. The model file is data (JSON), not code; `info`, `explain`, `certify` and
`predict` read it, and so does marginboost.load in Python.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from .options import add_data, add_reading, add_roles, add_settings, answer_of
from .output import Answer, Screen, check_target, progress_bar, writing


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser)
    add_roles(parser)
    parser.add_argument(
        "--out", metavar="FILE", required=True, help="model file, .json or .json.gz"
    )
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help="`marginboost info` lists them; the default for --label, lpboost, solves the soft "
        "margin to a proven gap, that for --target is gradientboost",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="keep the run here, so that the same command goes on after an interruption",
    )
    settings = add_settings(parser)
    settings.add_argument("--nu", metavar="X", help="share of rows that may fall short (lpboost)")
    settings.add_argument("--tol", metavar="X", help="stop when the bounds are this close")
    settings.add_argument(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any other setting of the algorithm; can be repeated",
    )
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Read, fit, write."""
    check_target(args.out, "--out", {"data file": args.data})
    if args.checkpoint is not None:
        others = {"data file": args.data, "model file": args.out}
        check_target(args.checkpoint, "--checkpoint", others)
    from ..core import Checkpoint
    from .algorithms import make_classifier
    from .dataset import check_classes, training_data
    from .models import model_facts

    shorthand = [f"{name}={v}" for name in ("nu", "tol") if (v := getattr(args, name)) is not None]
    algorithm = args.algorithm or ("lpboost" if args.target is None else "gradientboost")
    model = make_classifier(algorithm, [*shorthand, *args.param], args)
    data = training_data(args)
    check_classes(data, args.label)
    model.set_params(callbacks=_callbacks(args))
    started = time.perf_counter()
    try:
        with writing(args.checkpoint):
            model.fit(data.X, data.labels, sample_weight=data.weight)
    except ValueError as error:
        raise data.file.error(str(error)) from error
    seconds = time.perf_counter() - started
    with writing(args.out):
        model.save(args.out)
    if args.checkpoint is not None:  # only once the model is safe
        Checkpoint(args.checkpoint).remove()
    return Answer(
        {
            "command": "fit",
            "model_file": args.out,
            "bytes": os.path.getsize(args.out),
            "data": {**data.facts(), **answer_of(args)},
            "model": model_facts(model),
            **_training(model, data),
            "seconds": seconds,
        }
    )


def _training(model: Any, data: Any) -> dict[str, float]:
    """How well the model fits its rows: share of errors, or of the targets' variance."""
    score = float(model.score(data.X, data.labels, data.weight))
    return {"training_r2": score} if data.is_regression else {"training_error": 1.0 - score}


def _callbacks(args: argparse.Namespace) -> list[Any]:
    from ..core import Checkpoint

    kept = [] if args.checkpoint is None else [Checkpoint(args.checkpoint, keep=True)]
    return [*progress_bar(), *kept]


def after_interruption(args: argparse.Namespace) -> str:
    """What is left of the work."""
    if args.checkpoint is None:
        return "Nothing was kept; with --checkpoint FILE an interrupted fit can go on"
    if not os.path.exists(args.checkpoint):
        return "Nothing was kept: no round was finished"
    return f"The run is kept in {args.checkpoint}: the same command goes on from there"


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the summary."""
    from .models import show_data, show_model

    show_data(answer["data"], screen)
    screen.say()
    if "training_r2" in answer:
        training = {"training R²": f"{answer['training_r2']:.4f}"}
    else:
        training = {"training error": f"{answer['training_error']:.2%}"}
    show_model(
        answer["model"],
        screen,
        {**training, "time": f"{answer['seconds']:.2f} s"},
    )
    screen.say()
    screen.say(f"Wrote {answer['model_file']} ({answer['bytes']:,} bytes).")
