"""Show what each feature contributes to the vote of a model of stumps, exactly.

The vote of a row is a sum of one number per feature, and nothing else. Without options: how far
each feature can move the vote, and in which direction. --feature shows one of these step functions
in full; a data file with --row shows the parts of single votes.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import ModelError, UsageError, suggest
from .options import add_data, add_reading, dialect_of
from .output import Answer, Screen, bar, sparkline, visible

if TYPE_CHECKING:
    from ..estimators.classifier import BaseMarginClassifier
    from ..model.explanation import Explanation
    from .reading import DataFile


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("model", help="model file written by fit")
    add_data(parser, optional=True, help="data file with the rows to explain")
    parser.add_argument(
        "--feature",
        metavar="NAME",
        action="append",
        default=[],
        help="show the contribution for every value of this feature; can be repeated",
    )
    parser.add_argument(
        "--row",
        metavar="N",
        action="append",
        default=[],
        help="row of the data file, counted from 1, or its name if --id is given; can be repeated",
    )
    parser.add_argument("--id", metavar="COL", help="column that names the rows")
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Explain the model, or rows."""
    from .models import load_model, parts_of

    if bool(args.row) != (args.data is not None):
        raise UsageError("to explain rows, give a data file and --row")
    if args.row and args.feature:
        raise UsageError("--row and --feature answer different questions; give one of them")
    model = load_model(args.model)
    parts = parts_of(model)
    try:
        explanations = [part.model.explain() for part in parts]
    except TypeError as error:
        raise ModelError(f"{args.model}: {error}", file=args.model) from None
    if args.row:
        chosen = _choose_rows(model, args)
        found = [
            _rows(part.model, known, *chosen)
            for part, known in zip(parts, explanations, strict=True)
        ]
    else:
        found = [_shapes(known, args.feature) for known in explanations]
    problems = [
        {"name": p.name, "sides": p.sides, **what} for p, what in zip(parts, found, strict=True)
    ]
    return Answer(
        {
            "command": "explain",
            "model_file": args.model,
            "estimator": type(model).__name__,
            "in_full": bool(args.feature),
            "problems": problems,
        }
    )


# -- shape functions -------------------------------------------------------------------------------


def _shapes(explanation: Explanation, wanted: list[str]) -> dict[str, Any]:
    """Features asked for, or all that the model uses, the strongest first."""
    for name in wanted:
        if name not in explanation.names:
            raise UsageError(f"--feature: no feature {name!r}; {suggest(name, explanation.names)}")
    importance = explanation.importance()
    names = wanted or sorted(importance, key=lambda name: -importance[name])
    return {"shapes": [_shape(explanation, name) for name in names]}


def _shape(explanation: Explanation, name: str) -> dict[str, Any]:
    """Step function of a feature as plain data; a feature that is not used contributes nothing."""
    known = explanation.categories[explanation.names.index(name)]
    step = explanation.shapes.get(name)
    thresholds = [] if step is None else step.thresholds.tolist()
    levels = [0.0, 0.0] if step is None else step.levels.tolist()
    facts = {"feature": name, "used": step is not None, "missing": levels[-1]}
    if known is None:
        return {**facts, "thresholds": thresholds, "levels": levels[:-1]}
    by_code = [*levels[:-1], *[levels[-2]] * len(known)][: len(known)]
    return {**facts, "categories": known.tolist(), "levels": by_code}


def _pieces(shape: dict[str, Any]) -> list[tuple[str, float]]:
    """Values and their contribution, in words."""
    levels = shape["levels"]
    if "categories" in shape:
        found = list(zip(map(visible, shape["categories"]), levels, strict=True))
        found.sort(key=lambda item: item[1])
    else:
        cuts = [f"{cut:.6g}" for cut in shape["thresholds"]]
        ends = zip(["", *cuts], [*cuts, ""], strict=True)
        words = [
            f"{low} < x ≤ {high}" if low and high else f"x ≤ {high}" if high else f"x > {low}"
            for low, high in ends
        ]
        found = list(zip(words if cuts else ["any"], levels, strict=True))
    return [*found, ("missing", shape["missing"])]


# -- rows ------------------------------------------------------------------------------------------


def _choose_rows(
    model: BaseMarginClassifier, args: argparse.Namespace
) -> tuple[Any, list[int], list[Any]]:
    """Features of the rows asked for, their numbers from 0, and their names."""
    from .dataset import model_data
    from .reading import read_file

    file = read_file(args.data, dialect_of(args))
    file.check_names(args.id, option="--id")
    numbers = [_row_number(file, args.id, text) for text in args.row]
    names = [None] * len(numbers) if args.id is None else args.row
    return model_data(model, file, {args.id}).take(numbers), numbers, names


def _rows(
    model: BaseMarginClassifier,
    explanation: Explanation,
    X: Any,
    numbers: list[int],
    names: list[Any],
) -> Any:
    """Parts of the votes of some rows, or of their predictions."""
    from .models import is_regressor

    parts = explanation.contributions(X)
    votes = model.predict(X) if is_regressor(model) else model.decision_function(X)
    answer = []
    for k, number in enumerate(numbers):
        terms = zip(explanation.names, parts[k].tolist(), strict=True)
        contributions = [
            {"feature": name, "value": X.column(name)[k].as_py(), "contribution": part}
            for name, part in sorted(terms, key=_strength)
            if name in explanation.shapes
        ]
        facts = {"row": number + 1, "id": names[k], "vote": float(votes[k])}
        answer.append({**facts, "contributions": contributions})
    return {"rows": answer}


def _strength(term: tuple[str, float]) -> float:
    return -abs(term[1])


def _row_number(file: DataFile, id_column: str | None, text: str) -> int:
    """Position of a row, from 0."""
    if id_column is not None:
        names = [str(name) for name in file.column(id_column).to_pylist()]
        if text not in names:
            raise UsageError(f"--row: no row with {text!r} in column {id_column!r}")
        return names.index(text)
    if not text.isdigit() or not 1 <= int(text) <= file.n_rows:
        raise UsageError(f"--row: got {text!r}, expected a number from 1 to {file.n_rows}")
    return int(text) - 1


# -- people ----------------------------------------------------------------------------------------


def show(answer: dict[str, Any], screen: Screen) -> None:
    """Print shapes, or parts of votes."""
    for k, problem in enumerate(answer["problems"]):
        low, high = (visible(side) for side in problem["sides"] or ("", ""))
        if k:
            screen.say()
        if problem["name"]:
            screen.title(f"{high} against {low}")
        for row in problem.get("rows", []):
            words = f"vote {row['vote']:+.4f}, for {low if row['vote'] <= 0 else high}"
            _show_row(row, words if problem["sides"] else f"{row['vote']:.6g}", screen)
        if answer["in_full"]:
            for shape in problem["shapes"]:
                _show_in_full(shape, screen)
        elif "shapes" in problem:
            rows = [_summary(shape) for shape in problem["shapes"]]
            screen.table(["feature", "from", "to", "shape", "over"], rows, align="<>><<")
        screen.say()
        if problem["sides"]:
            screen.say(f"The vote is the sum: below 0 for {low}, above 0 for {high}.")
        else:
            screen.say("The prediction is the sum.")


def _summary(shape: dict[str, Any]) -> list[str]:
    levels = shape["levels"]
    if "categories" in shape:
        over = ", ".join(word for word, _ in _pieces(shape)[:-1])
        ordered = sorted(levels)
    else:
        cuts = shape["thresholds"]
        over = (
            f"{len(cuts)} cuts from {cuts[0]:.4g} to {cuts[-1]:.4g}" if cuts else "missing or not"
        )
        ordered = levels
    low, high = f"{min(levels):+.3f}", f"{max(levels):+.3f}"
    return [shape["feature"], low, high, sparkline(ordered), visible(over, 48)]


def _show_in_full(shape: dict[str, Any], screen: Screen) -> None:
    pieces = _pieces(shape)
    largest = max(abs(level) for _, level in pieces) or 1.0
    screen.title(shape["feature"] + ("" if shape["used"] else " (not used by the model)"))
    rows = [[word, f"{level:+.4f}", *_two_sided(level / largest)] for word, level in pieces]
    screen.table(["value", "contribution", "-", "+"], rows, align="<>><")


def _show_row(row: dict[str, Any], words: str, screen: Screen) -> None:
    name = f"row {row['row']}" + ("" if row["id"] is None else f" ({row['id']})")
    screen.title(f"{name}: {words}")
    largest = max((abs(part["contribution"]) for part in row["contributions"]), default=0.0) or 1.0
    rows = [
        [
            part["feature"],
            _value(part["value"]),
            f"{part['contribution']:+.4f}",
            *_two_sided(part["contribution"] / largest),
        ]
        for part in row["contributions"]
    ]
    screen.table(["feature", "value", "contribution", "-", "+"], rows, align="<>>><")


def _value(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _two_sided(share: float) -> tuple[str, str]:
    """Bar to the left for what is negative, to the right for what is positive."""
    return (bar(-share, 16), "") if share < 0 else ("", bar(share, 16))
