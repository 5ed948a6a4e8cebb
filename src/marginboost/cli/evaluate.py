"""Judge a model on a table with labels, or targets.

Error, AUC, log-loss, Brier score and calibration, each beside its value for the base rate, the
model that knows nothing but how common the classes are; and the table of true and predicted labels.
Of a model of targets RMSE, mean absolute error and R², beside those of their mean. Give rows that
the model has not seen. --out writes a page with the curves.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .options import add_model_and_truth, add_reading, answer_of, check_roles, dialect_of
from .output import Answer, Screen, check_target, visible, write_file

if TYPE_CHECKING:
    from ..diagnostics.evaluation import Evaluation, TargetEvaluation

WORDS = {
    "error": "error",
    "balanced_error": "mean error of the classes",
    "auc": "AUC",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
}
TARGET_WORDS = {"rmse": "RMSE", "mae": "mean |error|", "r2": "R²"}
SHOWN = 12
"""Classes up to which the table of labels is printed."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_model_and_truth(parser)
    parser.add_argument("--out", metavar="FILE", help="page with the curves, one HTML file")
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Read model and rows, predict, compare."""
    from .models import is_regressor, load_model
    from .streams import open_data

    if args.out is not None:
        check_target(args.out, "--out", {"model file": args.model, "data file": args.data})
    model = load_model(args.model)
    (role,) = answer_of(args)
    if is_regressor(model) != (role == "target"):
        expected = "--target: it predicts numbers" if role == "label" else "--label"
        raise UsageError(f"--{role}: the model needs {expected}")
    file = open_data(args.data, dialect_of(args))
    check_roles(file, args)
    found = _evaluate(args, model, file)
    facts: dict[str, Any] = {
        "command": "evaluate",
        "model_file": args.model,
        "file": file.path,
        "rows": found.n_rows,
        "scores": found.scores,
        "base_rate": found.base,
        **_label_facts(found),
    }
    if args.out is not None:
        from ..reports import evaluation_page

        page = evaluation_page(found, f"{args.model} on {args.data}", WORDS | TARGET_WORDS)
        write_file(args.out, page.encode())
        facts["out"] = args.out
    return Answer(facts)


def _label_facts(found: Any) -> dict[str, Any]:
    """What only labels have."""
    if not hasattr(found, "classes"):
        return {}
    return {
        "classes": found.classes,
        "confusion": found.confusion.tolist(),
        "calibration": found.calibration.tolist(),
        "nearly_constant": found.nearly_constant,
    }


def _evaluate(args: argparse.Namespace, model: Any, source: Any) -> Evaluation | TargetEvaluation:
    """Predict one part of the rows after the other, and judge all predictions."""
    import numpy as np

    from ..diagnostics.evaluation import evaluate_predictions, evaluate_targets
    from .columns import some_weight, target_values, weight_values
    from .dataset import model_data, model_labels

    parts: list[tuple[Any, ...]] = []
    for file in source.parts():
        weight = np.ones(0) if args.weight is None else weight_values(file, args.weight)
        X = model_data(model, file, {args.label, args.target, args.weight, args.id, *args.drop})
        if args.target is not None:
            parts.append((weight, target_values(file, args.target), model.predict(X)))
        else:
            labels = model.classes_[model_labels(model, file, args.label)]
            parts.append((weight, labels, model.predict(X), model.predict_proba(X)))
    weights, truth, predicted, *proba = map(np.concatenate, zip(*parts, strict=True))
    if args.weight is not None:
        some_weight(source, args.weight, weights)
    given = None if args.weight is None else weights
    if args.target is not None:
        return evaluate_targets(truth, predicted, given)
    return evaluate_predictions(model.classes_, truth, predicted, proba[0], given)


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print the scores and the table of labels."""
    screen.title(f"{answer['model_file']} on {answer['file']}, {answer['rows']:,} rows")
    of_labels = "classes" in answer
    words, digits = (WORDS, ".4f") if of_labels else (TARGET_WORDS, ".5g")
    rows = [
        [word, *(f"{answer[of][name]:{digits}}" for of in ("scores", "base_rate"))]
        for name, word in words.items()
    ]
    screen.table(["", "model", "base rate" if of_labels else "their mean"], rows, align="<>>")
    if of_labels:
        _show_labels(answer, screen)
    if "out" in answer:
        screen.say(f"Wrote page: {answer['out']}")


def _show_labels(answer: dict[str, Any], screen: Screen) -> None:
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
