"""Fit a model to a table and write it to a file.

Columns that hold numbers are ordered, text is a category, and an empty value is missing: nothing
has to be prepared. The model file is data (JSON), not code; `info`, `explain`, `certify` and
`predict` read it, and so does marginboost.load in Python. Large files, unless gzipped, and folders
of Parquet and Arrow files are gone through in parts.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from typing import Any

from .options import (
    USUAL,
    add_data,
    add_reading,
    add_roles,
    add_settings,
    answer_of,
    check_not_given,
    dialect_of,
)
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
        help="`marginboost info` lists them; the default for --label, robustboost, audits the "
        "labels and chooses a model that suits them; with --nu or --checkpoint it is lpboost, "
        "which solves the soft margin to a proven gap; that for --target is gradientboost",
    )
    parser.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help="folds by which error and AUC are estimated, each a further fit; 0 for none; 2 by "
        "default, none with --checkpoint",
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
    if args.target is not None:
        check_not_given(args, "with --target: folds are for error and AUC", folds=None)
    if args.checkpoint is not None:
        others = {"data file": args.data, "model file": args.out}
        check_target(args.checkpoint, "--checkpoint", others)
    from ..core import Checkpoint
    from ..estimators.base import algorithm_to_fit
    from .algorithms import make_classifier
    from .dataset import check_classes, training_data
    from .models import model_facts, save_model
    from .quality import out_of_fold, weaknesses
    from .streams import open_data

    shorthand = [f"{name}={v}" for name in ("nu", "tol") if (v := getattr(args, name)) is not None]
    model = make_classifier(args.algorithm or _default(args), [*shorthand, *args.param], args)
    binning = None
    if algorithm_to_fit(model).oracle.needs_bins:
        binning = {"max_bins": model.max_bins, "n_jobs": model.n_jobs}
    data = training_data(args, open_data(args.data, dialect_of(args)), binning)
    check_classes(data, args.label)
    model.set_params(callbacks=_callbacks(args))
    started = time.perf_counter()
    try:
        with writing(args.checkpoint):
            model.fit(data.X, data.labels, sample_weight=data.weight)
    except ValueError as error:
        raise data.file.error(str(error)) from error
    seconds = time.perf_counter() - started
    estimate = None
    if not data.is_regression:
        folds = (0 if args.checkpoint else 2) if args.folds is None else args.folds
        estimate = out_of_fold(model, data.X, data.labels, data.weight, folds)
        for problem in weaknesses(model, data.X, data.labels, data.weight, estimate):
            warnings.warn(f"{data.file.path}: {problem}", stacklevel=1)
    with writing(args.out):
        save_model(model, args.out)
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
            "out_of_fold": estimate,
            "chosen": _choice(model),
            "seconds": seconds,
        }
    )


def _default(args: argparse.Namespace) -> str:
    """Name of the algorithm where none is given."""
    (role,) = answer_of(args)
    plain = role == "target" or (args.nu is None and args.checkpoint is None)
    return USUAL[role] if plain else "lpboost"


def _training(model: Any, data: Any) -> dict[str, float]:
    """How well the model fits its rows: share of errors, or of the targets' variance."""
    score = float(model.score(data.X, data.labels, data.weight))
    return {"training_r2": score} if data.is_regression else {"training_error": 1.0 - score}


def _choice(model: Any) -> str:
    """What a model that chooses among others has chosen, of what and why; empty for all others."""
    taken = [option for option in getattr(model, "choice_", ()) if option.chosen]
    return f"{taken[0].model} ({taken[0].what}): {taken[0].why}" if taken else ""


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


def _certified(model: dict[str, Any]) -> str:
    """What is proven about a model, in a line."""
    proofs = [problem["certificate"] for problem in model["problems"]]
    if not all(proof["certified"] for proof in proofs):
        why = next(p["reason"] for p in proofs if not p["certified"])
        return f"Certified: nothing ({why})."
    gap = max(proof["gap"] for proof in proofs)
    return (
        f"Certified: no model of this kind has a {model['objective']} more than {gap:.2g} larger."
    )


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
    if answer["chosen"]:
        screen.say(f"Chosen: {answer['chosen']}.")
    if (found := answer["out_of_fold"]) is not None:
        screen.say(
            f"On rows not learnt from ({found['folds']} folds): error {found['error']:.2%}, where "
            f"the most frequent class alone has {found['base_error']:.2%}; "
            f"AUC {found['auc']:.3f}, where chance has 0.5."
        )
    screen.say(_certified(answer["model"]))
    screen.say(f"Wrote {answer['model_file']} ({answer['bytes']:,} bytes).")
