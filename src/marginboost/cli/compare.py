"""Compare algorithms side by side by cross-validation.

All algorithms see the same folds, so that differences are paired. Settings follow a colon:
--algorithms adaboost,lpboost:nu=0.1,lpboost:nu=0.3. Standard errors are corrected for training sets
that overlap (Nadeau and Bengio 2003): they are larger than the naive ones, and honest. The table is
held in memory.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections import Counter
from typing import Any

from .errors import UsageError
from .options import USUAL, add_data, add_reading, add_roles, add_settings, answer_of
from .output import Answer, Screen, progress

METRICS = {"error": "error %", "auc": "AUC", "log_loss": "log-loss", "seconds": "fit s"}
TARGET_METRICS = {"rmse": "RMSE", "mae": "mean |error|", "r2": "R²", "seconds": "fit s"}
"""What is measured, and what the table calls it; algorithms are compared by the first."""
DEFAULTS = {
    "label": f"{USUAL['label']},adaboost,arc-gv,lpboost",
    "target": f"{USUAL['target']},l2boost,lsboost",
}
"""What is compared where nothing is named: the algorithm of such a fit, and others."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_data(parser)
    add_roles(parser)
    parser.add_argument(
        "--algorithms",
        metavar="A,B,…",
        help=f"with settings after colons (default: {DEFAULTS['label']}, for --target "
        f"{DEFAULTS['target']})",
    )
    parser.add_argument("--cv", type=int, default=5, metavar="K", help="folds (default: 5)")
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="R", help="times with other folds (default: 1)"
    )
    add_settings(parser)
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Cross-validate every algorithm on the same folds."""
    from .algorithms import make_classifier
    from .dataset import check_classes, training_data

    if args.cv < 2 or args.repeats < 1:
        raise UsageError(
            f"got --cv {args.cv} --repeats {args.repeats}, expected at least 2 folds and 1 repeat"
        )
    models = {}
    (role,) = answer_of(args)
    for text in (args.algorithms or DEFAULTS[role]).split(","):
        name, *settings = text.strip().split(":")
        models[text.strip()] = make_classifier(name, settings, args)
    data = training_data(args)
    check_classes(data, args.label)
    folds = _folds(data, args)
    scores = _cross_validate(models, data, folds)
    metrics = TARGET_METRICS if data.is_regression else METRICS
    leading = next(iter(metrics))
    first = next(iter(scores.values()))[leading]
    spread = math.sqrt(1 / len(folds) + 1 / (args.cv - 1))
    return Answer(
        {
            "command": "compare",
            "data": {**data.facts(), **answer_of(args)},
            "folds": args.cv,
            "repeats": args.repeats,
            "seed": args.seed,
            "algorithms": [
                {
                    "name": name,
                    **{metric: _summary(found[metric], spread) for metric in metrics},
                    f"{leading}_difference": _summary(
                        [a - b for a, b in zip(found[leading], first, strict=True)], spread
                    ),
                }
                for name, found in scores.items()
            ],
        }
    )


def _folds(data: Any, args: argparse.Namespace) -> list[tuple[Any, Any]]:
    """Row numbers to learn from and to test on, classes in proportion."""
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    if data.is_regression:
        if len(data.labels) < 2 * args.cv:
            raise data.file.error(f"{len(data.labels)} rows, too few for --cv {args.cv}")
        plain = RepeatedKFold(n_splits=args.cv, n_repeats=args.repeats, random_state=args.seed)
        return list(plain.split(data.labels))
    label, count = min(Counter(data.labels.tolist()).items(), key=lambda item: item[1])
    if count < args.cv:
        rows = "1 row" if count == 1 else f"{count} rows"
        raise data.file.error(f"class {label!r} has {rows}, too few for --cv {args.cv}", args.label)
    splitter = RepeatedStratifiedKFold(
        n_splits=args.cv, n_repeats=args.repeats, random_state=args.seed
    )
    return list(splitter.split(data.labels, data.labels))


def _cross_validate(
    models: dict[str, Any], data: Any, folds: list[tuple[Any, Any]]
) -> dict[str, dict[str, list[float]]]:
    from sklearn.base import clone

    metrics = TARGET_METRICS if data.is_regression else METRICS
    scores: dict[str, dict[str, list[float]]] = {
        name: {metric: [] for metric in metrics} for name in models
    }
    with progress("cross-validation", len(models) * len(folds)) as advance:
        for model in models.values():  # kernels are compiled or loaded here, outside the clock
            _fit(clone(model).set_params(n_estimators=1), data, folds[0][0])
        for train, test in folds:
            for name, model in models.items():
                started = time.perf_counter()
                fitted = _fit(clone(model), data, train)
                seconds = time.perf_counter() - started
                found = {**_evaluate(fitted, data, test), "seconds": seconds}
                for metric in metrics:
                    scores[name][metric].append(found[metric])
                advance()
    return scores


def _fit(model: Any, data: Any, rows: Any) -> Any:
    weight = None if data.weight is None else data.weight[rows]
    try:
        return model.fit(data.X.take(rows), data.labels[rows], sample_weight=weight)
    except ValueError as error:
        raise data.file.error(str(error)) from error


def _evaluate(model: Any, data: Any, rows: Any) -> dict[str, float]:
    """Errors on rows that were not learnt from."""
    from ..diagnostics.evaluation import evaluate

    weight = None if data.weight is None else data.weight[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rare category may be missing from a fold
        return evaluate(model, data.X.take(rows), data.labels[rows], weight).scores


def _summary(values: list[float], spread: float) -> dict[str, Any]:
    """Mean, corrected standard error, and the value of every fold."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return {"mean": mean, "standard_error": spread * math.sqrt(variance), "folds": values}


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print one line per algorithm."""
    from .models import show_data

    show_data(answer["data"], screen)
    screen.say()
    found = answer["algorithms"]
    if "target" in answer["data"]:
        _show_numbers(found, screen)
        _say_how(answer, screen)
        return
    rows = []
    for k, entry in enumerate(found):
        rows.append(
            [
                entry["name"],
                _plus_minus(entry["error"], 100, 2),
                _plus_minus(entry["auc"], 1, 4),
                _plus_minus(entry["log_loss"], 1, 3),
                f"{entry['seconds']['mean']:.3f}",
                _plus_minus(entry["error_difference"], 100, 2, sign="+") if k else "",
            ]
        )
    headers = ["algorithm", "error %", "AUC", "log-loss", "fit s", f"error % - {found[0]['name']}"]
    screen.table(headers, rows, align="<>>>>>")
    _say_how(answer, screen)


def _show_numbers(found: list[dict[str, Any]], screen: Screen) -> None:
    """Table of a comparison by targets, with four digits of the errors."""
    rows = []
    for k, entry in enumerate(found):
        errors = [_digits(entry[name]) for name in ("rmse", "mae", "r2")]
        difference = _digits(entry["rmse_difference"], sign="+") if k else ""
        rows.append([entry["name"], *errors, f"{entry['seconds']['mean']:.3f}", difference])
    headers = ["algorithm", *TARGET_METRICS.values(), f"RMSE - {found[0]['name']}"]
    screen.table(headers, rows, align="<>>>>>")


def _digits(summary: dict[str, Any], sign: str = "") -> str:
    return f"{summary['mean']:{sign}.4g} ± {summary['standard_error']:.2g}"


def _say_how(answer: dict[str, Any], screen: Screen) -> None:
    screen.say()
    times = f", {answer['repeats']} times" if answer["repeats"] > 1 else ""
    screen.say(
        f"Mean ± standard error of {answer['folds']}-fold cross-validation{times}, seed "
        f"{answer['seed']}; differences are paired."
    )


def _plus_minus(summary: dict[str, Any], scale: float, digits: int, sign: str = "") -> str:
    mean, error = scale * summary["mean"], scale * summary["standard_error"]
    return f"{mean:{sign}.{digits}f} ± {error:.{digits}f}"
