"""Check the certificate of a model against the data, from scratch.

Give the rows that the model was fitted to, with the same options. Margins and the lower bound are
computed anew from the model, the upper bound from the solution of a new linear program, summed up
over every stump there is. The answer is yes (exit code 0) or no (exit code 5), with the reason. The
table is held in memory.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import Exit, ModelError, UsageError
from .options import add_model_and_truth, add_reading, answer_of, check_roles, dialect_of
from .output import Answer, Screen, progress_bar

if TYPE_CHECKING:
    from ..estimators.classifier import BaseMarginClassifier


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    add_model_and_truth(parser)
    parser.add_argument(
        "--tol",
        type=float,
        metavar="X",
        help="width of the new bracket at which to stop; by default that of the certificate, "
        "between 1e-6 and 1e-3",
    )
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Read model and rows, compute, compare."""
    if args.tol is not None and not args.tol >= 0:
        raise UsageError(f"--tol: got {args.tol}, expected a number of at least 0")
    from .columns import target_values, weight_values
    from .dataset import model_data, model_labels
    from .models import is_regressor, load_model
    from .reading import read_file

    model = load_model(args.model)
    file = read_file(args.data, dialect_of(args))
    check_roles(file, args)
    (role,) = answer_of(args)
    if is_regressor(model) != (role == "target"):
        expected = "--target, it predicts numbers" if role == "label" else "--label"
        raise UsageError(f"--{role}: the model needs {expected}")
    if role == "target":
        answers = target_values(file, args.target)
    else:
        answers = model.classes_[model_labels(model, file, args.label)]
    weight = None if args.weight is None else weight_values(file, args.weight)
    X = model_data(model, file, {args.label, args.target, args.weight, args.id, *args.drop})
    check = _check_numbers if role == "target" else _check
    problems = check(model, X, answers, weight, args)
    holds = all(problem["holds"] for problem in problems)
    return Answer(
        {
            "command": "certify",
            "model_file": args.model,
            "file": file.path,
            "rows": file.n_rows,
            "holds": holds,
            "problems": problems,
        },
        exit=Exit.OK if holds else Exit.REFUTED,
    )


def _check(
    model: BaseMarginClassifier, X: Any, y: Any, weight: Any, args: argparse.Namespace
) -> list[dict[str, Any]]:
    """Stored and recomputed bounds of every problem, as plain data."""
    from ..verification import ROUNDING, check_verifiable, verify
    from .models import certificate_data, parts_of

    try:
        check_verifiable(model)
    except TypeError as error:
        raise ModelError(f"{args.model}: {error}", file=args.model) from None
    checked = verify(model, X, y, weight, tol=args.tol, callbacks=progress_bar())
    return [
        {
            "name": part.name,
            "holds": found.holds,
            "contradictions": found.contradictions,
            "remark": found.remark,
            "objective": found.objective,
            "stored": certificate_data(part.model.certificate_),
            "recomputed": {"value": found.value, "lower": found.lower, "upper": found.upper},
            "precision": max(found.upper - found.lower, ROUNDING),
            "margins": {**_quantiles(found.margins), "errors": _errors(found.margins)},
        }
        for part, found in zip(
            parts_of(model), checked if isinstance(checked, list) else [checked], strict=True
        )
    ]


def _check_numbers(
    model: Any, X: Any, y: Any, weight: Any, args: argparse.Namespace
) -> list[dict[str, Any]]:
    """Bounds of a regressor on the rows, computed anew, beside what the file says.

    Of models that no independent check is known for, the objective alone is computed anew.
    """
    from ..verification import ROUNDING, check_verifiable, verify, verify_regressor
    from .models import certificate_data

    try:
        check_verifiable(model)
    except TypeError:
        found = verify_regressor(model, X, y, weight)
        residuals, precision = found.residuals, found.precision
    else:
        found = verify(model, X, y, weight, tol=args.tol, callbacks=progress_bar())
        residuals, precision = found.margins, max(found.upper - found.lower, ROUNDING)
    return [
        {
            "name": "",
            "holds": found.holds,
            "contradictions": found.contradictions,
            "remark": found.remark,
            "objective": found.objective,
            "stored": certificate_data(model.certificate_),
            "recomputed": {"value": found.value, "lower": found.lower, "upper": found.upper},
            "precision": precision,
            "residuals": _quantiles(residuals),
        }
    ]


def _quantiles(margins: Any) -> dict[str, float]:
    """Summary of margins or residuals."""
    import numpy as np

    names = ("min", "5%", "25%", "median", "75%", "95%", "max")
    values = np.quantile(margins, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
    return dict(zip(names, values.tolist(), strict=True))


def _errors(margins: Any) -> int:
    """Margins of at most zero count as errors, as in the bounds of the theory."""
    return int((margins <= 0).sum())


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print both brackets and the verdict."""
    screen.title(f"{answer['model_file']} on {answer['file']} ({answer['rows']:,} rows)")
    for problem in answer["problems"]:
        if problem["name"]:
            screen.title(f"{problem['name']} against the other classes")
        _show_problem(problem, screen)


def _show_problem(problem: dict[str, Any], screen: Screen) -> None:
    from .models import measured

    proofs = problem["stored"], problem["recomputed"]
    lines = {"value": "of this model", "lower": "best is at least", "upper": "best is at most"}
    screen.table(
        [measured(problem["objective"]), "in the file", "recomputed"],
        [[words, *(f"{proof[key]:.8g}" for proof in proofs)] for key, words in lines.items()],
        align="<>>",
    )
    screen.say()
    if "residuals" in problem:
        found = problem["residuals"]
        screen.table(list(found), [[f"{value:+.4g}" for value in found.values()]])
        screen.say("residuals of the rows: target minus prediction")
    else:
        margins = {name: value for name, value in problem["margins"].items() if name != "errors"}
        screen.table(list(margins), [[f"{value:+.4f}" for value in margins.values()]])
        errors = problem["margins"]["errors"]
        screen.say(f"margins of the rows; {errors:,} are 0 or less: these rows are misclassified")
    screen.say()
    if problem["holds"]:
        within = "" if problem["remark"] else f", checked to within {problem['precision']:.1g}"
        screen.verdict(True, f"The certificate holds on these rows{within}.")
    else:
        screen.verdict(False, "The certificate does not hold on these rows:")
    for sentence in [*problem["contradictions"], *filter(None, [problem["remark"]])]:
        screen.say(f"- {sentence}")
