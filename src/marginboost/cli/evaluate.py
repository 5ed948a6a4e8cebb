"""Judge a model on a table with labels.

Error, AUC, log-loss, Brier score and calibration, each beside its value for the base rate, the
model that knows nothing but how common the classes are; and the table of true and predicted labels.
Give rows that the model has not seen. --out writes a page with the curves.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import ModelError
from .options import add_data, add_reading, dialect_of
from .output import Answer, Screen, check_target, visible, write_file

if TYPE_CHECKING:
    from ..diagnostics.evaluation import Evaluation

WORDS = {
    "error": "error",
    "balanced_error": "mean error of the classes",
    "auc": "AUC",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
}
SHOWN = 12
"""Classes up to which the table of labels is printed."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("model", help="model file written by fit")
    add_data(parser)
    parser.add_argument("--label", metavar="COL", required=True, help="column of the labels")
    parser.add_argument("--weight", metavar="COL", help="column of the weights, if there are any")
    parser.add_argument("--id", metavar="COL", help="column that names the rows; not read")
    parser.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="not read either"
    )
    parser.add_argument("--out", metavar="FILE", help="page with the curves, one HTML file")
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Read model and rows, predict, compare."""
    from .models import is_regressor, load_model
    from .streams import open_data

    if args.out is not None:
        check_target(args.out, "--out", {"model file": args.model, "data file": args.data})
    model = load_model(args.model)
    if is_regressor(model):
        raise ModelError(
            f"{args.model}: a {type(model).__name__}, expected a classifier; compare --target "
            "measures regressors",
            file=args.model,
        )
    file = open_data(args.data, dialect_of(args))
    file.check_names(args.weight, option="--weight")
    found = _evaluate(args, model, file)
    facts: dict[str, Any] = {
        "command": "evaluate",
        "model_file": args.model,
        "file": file.path,
        "rows": found.n_rows,
        "classes": found.classes,
        "scores": found.scores,
        "base_rate": found.base,
        "confusion": found.confusion.tolist(),
        "calibration": found.calibration.tolist(),
        "nearly_constant": found.nearly_constant,
    }
    if args.out is not None:
        _write(args, found)
        facts["out"] = args.out
    return Answer(facts)


def _evaluate(args: argparse.Namespace, model: Any, source: Any) -> Evaluation:
    """Predict one part of the rows after the other, and judge all predictions."""
    import numpy as np

    from ..diagnostics.evaluation import evaluate_predictions
    from .columns import some_weight, weight_values
    from .dataset import model_data, model_labels

    parts: list[tuple[Any, ...]] = []
    for file in source.parts():
        labels = model.classes_[model_labels(model, file, args.label)]
        weight = np.ones(0) if args.weight is None else weight_values(file, args.weight)
        X = model_data(model, file, {args.label, args.weight, args.id, *args.drop})
        parts.append((labels, model.predict(X), model.predict_proba(X), weight))
    labels, predicted, proba, weights = map(np.concatenate, zip(*parts, strict=True))
    if args.weight is not None:
        some_weight(source, args.weight, weights)
    given = None if args.weight is None else weights
    return evaluate_predictions(model.classes_, labels, predicted, proba, given)


def _write(args: argparse.Namespace, found: Evaluation) -> None:
    from ..reports import evaluation_page

    title = f"{args.model} on {args.data}"
    write_file(args.out, evaluation_page(found, title, WORDS).encode())


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the scores and the table of labels."""
    screen.title(f"{answer['model_file']} on {answer['file']}, {answer['rows']:,} rows")
    rows = [
        [word, f"{answer['scores'][name]:.4f}", f"{answer['base_rate'][name]:.4f}"]
        for name, word in WORDS.items()
    ]
    screen.table(["", "model", "base rate"], rows, align="<>>")
    if answer["nearly_constant"]:
        screen.verdict(False, "The model gives nearly every row the same label.")
    names = [visible(label) for label in answer["classes"]]
    if len(names) <= SHOWN:
        screen.say()
        screen.table(
            ["true label", *(f"as {name}" for name in names)],
            [
                [name, *(f"{count:,.6g}" for count in line)]
                for name, line in zip(names, answer["confusion"], strict=True)
            ],
            align="<",
        )
    if "out" in answer:
        screen.say(f"Wrote page: {answer['out']}")
