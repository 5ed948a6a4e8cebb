"""Show what each feature contributes to the answers of a model, exactly.

The vote of a model of stumps is an intercept and one number per feature, and nothing else: these
are shown without any data, how much each feature moves the votes of the training rows and in which
direction. Other trees are explained on rows, by Shapley values, so give a data file too, such as
the table that the model was fitted to. --feature shows one feature in full; --row shows the parts
of single answers; --out writes a page with all of it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .errors import ModelError, UsageError, suggest
from .options import (
    READING,
    add_data,
    add_reading,
    add_unread_answer,
    check_not_given,
    check_roles,
    dialect_of,
)
from .output import Answer, Screen, bar, check_target, sparkline, visible, write_file

if TYPE_CHECKING:
    from ..estimators.classifier import BaseMarginClassifier
    from .reading import DataFile

MOST_ROWS = 1000
"""Rows on which trees are explained, evenly spaced."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add arguments and options."""
    parser.add_argument("model", help="model file written by fit")
    add_data(
        parser, optional=True, help="data file with the rows to explain; trees need one anyway"
    )
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
    add_unread_answer(parser)
    parser.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="not read either"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="page with importance, shapes and rows, one HTML file"
    )
    add_reading(parser)


def run(args: argparse.Namespace) -> Answer:
    """Explain the model, or rows."""
    from .models import load_model

    if args.row and args.data is None:
        raise UsageError("to explain rows, give a data file and --row")
    if args.data is None:
        unset = {"id": None, "label": None, "drop": [], **READING}
        check_not_given(args, "without a data file", **unset)
    if args.row and args.feature:
        raise UsageError("--row and --feature answer different questions; give one of them")
    if args.out is not None:
        check_target(args.out, "--out", {"model file": args.model, "data file": args.data})
    model = load_model(args.model)
    names = [str(name) for name in model.model_.features.names]
    for name in args.feature:
        if name not in names:
            raise UsageError(f"--feature: no feature {name!r}; {suggest(name, names)}")
    on_rows = args.data is None and not model.model_.additive
    if on_rows and (args.feature or args.out is not None):
        raise ModelError(
            f"{args.model}: trees are explained on rows; give a data file too, such as the table "
            "that the model was fitted to",
            file=args.model,
        )
    X, numbers, ids = (None, [], []) if args.data is None else _read(model, args)
    problems = [] if on_rows else _problems(model, X, numbers, ids, args)
    facts = {
        "command": "explain",
        "model_file": args.model,
        "estimator": type(model).__name__,
        "in_full": bool(args.feature),
        "importances": _importances(model),
    }
    if args.out is not None:
        from ..reports import explanation_page

        page = explanation_page(f"{args.model}", facts["importances"], problems)
        write_file(args.out, page.encode())
        facts["out"] = args.out
    shown = "rows" if args.row else "shapes"
    kept = ("name", "sides", "unit", "intercept", "exact_shapes", shown)
    return Answer({**facts, "problems": [{key: p[key] for key in kept} for p in problems]})


def _importances(model: BaseMarginClassifier) -> dict[str, float]:
    """Share of each feature that has one, the largest first."""
    shares = zip(model.model_.features.names, model.feature_importances_.tolist(), strict=True)
    ranked = sorted(shares, key=lambda item: -item[1])
    return {str(name): share for name, share in ranked if share > 0.0}


def _problems(
    model: BaseMarginClassifier,
    X: Any,
    numbers: list[int],
    ids: list[Any],
    args: argparse.Namespace,
) -> list[dict[str, Any]]:
    """For each answer of the model its shapes, and the parts of the rows that were asked for."""
    from ..diagnostics.contributions import row_contributions

    try:
        shapes = _exact_shapes(model) if model.model_.additive else _mean_shapes(model, X)
        rows = row_contributions(model, X.take(numbers), X) if numbers else []
    except TypeError as error:
        raise ModelError(f"{args.model}: {error}", file=args.model) from None
    found = []
    for k, problem in enumerate(shapes):
        known = {shape["feature"]: shape for shape in problem["shapes"]}
        chosen = [known.get(name) or _unused(name) for name in args.feature] or list(known.values())
        parts = [_row(rows[k], X.take([n]), i, n, ids[i]) for i, n in enumerate(numbers)]
        name = problem["sides"][1] if len(shapes) > 1 else ""
        found.append({**problem, "name": name, "shapes": chosen, "rows": parts})
    return found


# -- shapes ----------------------------------------------------------------------------------------


def _exact_shapes(model: BaseMarginClassifier) -> list[dict[str, Any]]:
    """Step functions of an additive model, for each of its answers; the strongest first."""
    from ..diagnostics.contributions import sides_of
    from .models import is_regressor

    unit, found = "prediction" if is_regressor(model) else "vote", []
    for known, sides in zip(model.model_.explain(), sides_of(model.model_), strict=True):
        shapes = [
            _step_shape(known, name, importance) for name, importance in known.importance().items()
        ]
        facts = {"sides": sides, "unit": unit, "intercept": known.intercept, "exact_shapes": True}
        found.append({**facts, "shapes": shapes})
    return found


def _step_shape(explanation: Any, name: str, importance: float) -> dict[str, Any]:
    """Step function of a feature as plain data, with where the training rows lie."""
    step = explanation.shapes[name]
    known, along = explanation.categories[step.feature], explanation.background.get(step.feature)
    levels = step.levels.tolist()
    facts = {"feature": name, "used": True, "importance": importance, "missing": levels[-1]}
    if known is not None:
        by_code = [*levels[:-1], *[levels[-2]] * len(known)][: len(known)]
        return {**facts, "categories": known.tolist(), "levels": by_code}
    if along is not None:
        ends, dense = along.density()
        facts |= {"low": along.low, "high": along.high}
        facts["strip"] = [ends.tolist(), dense.tolist()]
    return {**facts, "thresholds": step.thresholds.tolist(), "levels": levels[:-1]}


def _mean_shapes(model: BaseMarginClassifier, X: Any) -> list[dict[str, Any]]:
    """Mean contributions by value, for each answer of a model of trees; the strongest first."""
    import numpy as np

    from ..diagnostics.contributions import feature_values, mean_shape, row_contributions

    some = X.take(np.unique(np.linspace(0, len(X) - 1, min(MOST_ROWS, len(X))).astype(int)))
    columns, importances = feature_values(model, some), _importances(model)
    places = {str(name): j for j, name in enumerate(columns.names)}
    found = []
    for part in row_contributions(model, some, X):
        shapes = []
        for name, share in importances.items():
            j = places[name]
            values, parts = np.asarray(columns.column(j)), part.values[:, j]
            shape = mean_shape(values, columns.categories[j], parts)
            facts = {"feature": name, "used": True, "importance": share}
            points = [values.tolist(), parts.tolist()]
            shapes.append({**facts, **shape, **_ends(values), "points": points})
        facts = {"sides": part.sides, "unit": part.unit, "intercept": part.intercept}
        found.append({**facts, "exact_shapes": False, "shapes": shapes})
    return found


def _ends(values: Any) -> dict[str, float]:
    """Smallest and largest value, if there is one."""
    known = values[values == values]
    return {"low": float(known.min()), "high": float(known.max())} if len(known) else {}


def _unused(name: str) -> dict[str, Any]:
    """A feature that contributes nothing."""
    facts = {"feature": name, "used": False, "importance": 0.0, "missing": 0.0}
    return {**facts, "thresholds": [], "levels": [0.0]}


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


def _read(
    model: BaseMarginClassifier, args: argparse.Namespace
) -> tuple[Any, list[int], list[Any]]:
    """Features of all rows, numbers from 0 of those asked for, and their names.

    For a page without --row the first row is an example.
    """
    from .dataset import model_data
    from .reading import read_file

    file = read_file(args.data, dialect_of(args))
    check_roles(file, args)
    numbers = [_row_number(file, args.id, text) for text in args.row]
    if not numbers and args.out is not None:
        numbers = [0]
    names = [None] * len(numbers)
    if args.id is not None:
        names = [file.column(args.id)[n].as_py() for n in numbers]
    return model_data(model, file, {args.id, args.label, *args.drop}), numbers, names


def _row(part: Any, X: Any, k: int, number: int, name: Any) -> dict[str, Any]:
    """Parts of the answer for one row, the strongest first."""
    terms = zip(part.names, part.values[k].tolist(), strict=True)
    contributions = [
        {"feature": feature, "value": X.column(feature)[0].as_py(), "contribution": share}
        for feature, share in sorted(terms, key=lambda term: -abs(term[1]))
        if share != 0.0
    ]
    total = float(part.totals[k])
    facts = {"row": number + 1, "id": name, "intercept": part.intercept, "vote": total}
    return {**facts, "contributions": contributions}


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
    """Print shapes, or parts of votes; of trees without rows what each feature has a share in."""
    if not answer["problems"]:
        from .models import show_importances

        show_importances(answer["importances"], screen)
        screen.say()
        screen.say(
            "Shares of the trees' gain. In which direction a feature moves the answers is explained"
            " on rows: give a data file too, such as the table that the model was fitted to."
        )
    for k, problem in enumerate(answer["problems"]):
        low, high = (visible(side) for side in problem["sides"] or ("", ""))
        if k:
            screen.say()
        if problem["name"]:
            screen.title(f"{high} against {low}")
        for row in problem.get("rows", []):
            two = problem["sides"] and not problem["name"]
            side = f", for {low if row['vote'] <= 0 else high}" if two else ""
            number = f"{row['vote']:+.4f}" if problem["sides"] else f"{row['vote']:.6g}"
            _show_row(row, f"{problem['unit']} {number}{side}", screen)
        if answer["in_full"]:
            for shape in problem["shapes"]:
                _show_in_full(shape, screen)
        elif "shapes" in problem:
            rows = [_summary(shape) for shape in problem["shapes"]]
            headers = ["feature", "share", "from", "to", "shape", "over"]
            screen.table(headers, rows, align="<>>><<")
        screen.say()
        screen.say(_sentence(problem, low, high))
    if "out" in answer:
        screen.say(f"Wrote page: {answer['out']}")


def _sentence(problem: dict[str, Any], low: str, high: str) -> str:
    """What the numbers sum up to."""
    unit, intercept = problem["unit"], problem["intercept"]
    behind = "training rows" if problem["exact_shapes"] else "rows of the data file"
    meaning = f": below 0 for {low}, above 0 for {high}" if problem["sides"] else ""
    if problem["name"]:
        meaning = f"; the class with the largest {unit} is predicted"
    sum_of = f"The {unit} is {intercept:+.4g}, its mean over the {behind}, plus these contributions"
    if problem["exact_shapes"] or "rows" in problem:
        return f"{sum_of}{meaning}."
    return f"{sum_of}, which depend on other features too and are means here{meaning}."


def _summary(shape: dict[str, Any]) -> list[str]:
    levels = shape["levels"]
    if "categories" in shape:
        over = ", ".join(word for word, _ in _pieces(shape)[:-1])
        ordered = sorted(levels)
    else:
        cuts = shape["thresholds"]
        over = _cuts_in_words(cuts) if cuts else "missing or not"
        ordered = levels
    low, high = f"{min(levels):+.3f}", f"{max(levels):+.3f}"
    share = f"{shape['importance']:.1%}"
    return [shape["feature"], share, low, high, sparkline(ordered), visible(over, 48)]


def _cuts_in_words(cuts: list[float]) -> str:
    if len(cuts) == 1:
        return f"1 cut at {cuts[0]:.6g}"
    return f"{len(cuts)} cuts from {cuts[0]:.6g} to {cuts[-1]:.6g}"


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
