"""Model files, as commands need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import ModelError, OutputError
from .output import Screen, bar, class_name, visible

if TYPE_CHECKING:
    from ..core.certificate import Certificate
    from ..estimators.classifier import BaseMarginClassifier


def load_model(path: str) -> BaseMarginClassifier:
    """Load a model; what is wrong with the file is said in one line."""
    from .. import load
    from ..algorithms.multiclass import MulticlassBooster
    from ..model import CascadeModel, TargetsModel
    from ..model.fields import ModelFileError

    try:
        model = load(path)
    except ModelFileError as error:
        raise ModelError(str(error), file=path) from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}", file=path) from None
    if isinstance(model.model_, TargetsModel):
        raise ModelError(
            f"{path}: has {len(model.model_.problems)} targets, and the command line knows models "
            "of one; marginboost.load reads it",
            file=path,
        )
    if isinstance(model.model_, CascadeModel):
        raise ModelError(
            f"{path}: is a cascade, and the command line knows votes; marginboost.load reads it",
            file=path,
        )
    solver: BaseMarginClassifier = (
        model.estimator_ if isinstance(model, MulticlassBooster) else model
    )
    return solver


def save_model(model: Any, path: str) -> None:
    """Write a model; one that no file can hold is said to be so in one line."""
    from ..model.fields import ModelFileError

    try:
        model.save(path)
    except ModelFileError as error:
        raise OutputError(f"{path}: the model cannot be written: {error}", file=path) from None


def is_regressor(model: Any) -> bool:
    """Whether a model predicts numbers."""
    from ..model import RegressionModel

    return isinstance(model.model_, RegressionModel)


@dataclass(frozen=True)
class Part:
    """One problem of two sides that a model solves; with two classes there is only one.

    Attributes
    ----------
    name : str
        Classes of the positive side; empty if the model has two classes.
    sides : list of str
        What votes below and above zero speak for.
    model : classifier
        The model of this problem.
    code : list of int
        Side of each class: -1, 1, or 0 for neither.
    """

    name: str
    sides: list[str]
    model: BaseMarginClassifier
    code: list[int]


def parts_of(model: BaseMarginClassifier) -> list[Part]:
    """Return the problems that a model is made of."""
    if is_regressor(model):
        return [Part("", [], model, [])]
    if not model.model_.reduced:
        return [Part("", [str(label) for label in model.classes_.tolist()], model, [-1, 1])]
    from ..diagnostics.contributions import sides_of

    found = zip(sides_of(model.model_), model.problems_, model.code_.T.tolist(), strict=True)
    return [Part(sides[1], sides, problem, code) for sides, problem, code in found]


def certificate_data(certificate: Certificate) -> dict[str, Any]:
    """Certificate as plain data."""
    return {
        "lower": float(certificate.lower),
        "upper": float(certificate.upper),
        "gap": float(certificate.gap),
        "value": float(certificate.value),
        "certified": bool(certificate.certified),
        "reason": certificate.reason,
    }


def model_facts(model: BaseMarginClassifier) -> dict[str, Any]:
    """What a model is, as plain data."""
    from ..estimators.base import objective_of

    names = model.model_.features.names
    importances = dict(zip(names, model.feature_importances_.tolist(), strict=True))
    ranked = sorted(importances.items(), key=lambda item: -item[1])
    defaults = type(model)().get_params(deep=False)
    params = {
        name: repr(value) if hasattr(value, "get_params") else value
        for name, value in model.get_params(deep=False).items()
        if name not in ("callbacks", "verbose", "n_jobs")
        and (repr(value) != repr(defaults.get(name)))
    }
    return {
        "estimator": type(model).__name__,
        "objective": objective_of(model).name,
        "settings": params,
        "classes": None if is_regressor(model) else model.classes_.tolist(),
        "features": len(names),
        "features_used": sum(share > 0 for share in importances.values()),
        "problems": [_part_facts(part) for part in parts_of(model)],
        "importances": {name: share for name, share in ranked if share > 0},
    }


def _part_facts(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "sides": part.sides,
        "hypotheses": len(part.model.estimators_),
        "rounds": int(part.model.n_iter_),
        "stop_reason": str(part.model.stop_reason_),
        "chosen": {  # ν is 0 where fit chose a model that has none
            name.rstrip("_"): value
            for name, value in part.model.model_.chosen.items()
            if (name, value) != ("nu_", 0.0)
        },
        "certificate": certificate_data(part.model.certificate_),
    }


def show_data(data: dict[str, Any], screen: Screen) -> None:
    """Print what a data set is, in two lines."""
    screen.title(data["file"])
    kinds = [f"{data[kind]} {kind}" for kind in ("numeric", "categorical") if data[kind]]
    missing = f", {data['missing_values']:,} missing values" if data["missing_values"] else ""
    screen.say(f"{data['rows']:,} rows, {data['features']} features ({', '.join(kinds)}{missing})")
    if "targets" in data:
        found = data["targets"]
        span = f"{found['min']:.6g} to {found['max']:.6g}, mean {found['mean']:.6g}"
        screen.say(f"target {visible(data['target'])}: {span}")
        return
    counts = ", ".join(f"{class_name(c)} {n:,}" for c, n in data["classes"].items())
    screen.say(f"label {visible(data['label'])}: {visible(counts, 160)}")


def show_model(model: dict[str, Any], screen: Screen, more: dict[str, object]) -> None:
    """Print what a model is and what is proven about it."""
    settings = ", ".join(f"{name}={value}" for name, value in model["settings"].items())
    screen.title(f"{model['estimator']}{f' ({settings})' if settings else ''}")
    used = f"{model['features_used']} of {model['features']}"
    if len(model["problems"]) == 1:
        _show_problem(model, model["problems"][0], screen, {"features used": used, **more})
    else:
        _show_problems(model, screen, {"features used": used, **more})
    screen.say()
    show_importances(model["importances"], screen)


def show_importances(importances: dict[str, float], screen: Screen) -> None:
    """Print the shares of the features that have most."""
    shown = list(importances.items())[:8]
    largest = max((share for _, share in shown), default=1.0)
    screen.table(
        ["feature", "share", ""],
        [[name, f"{share:.1%}", bar(share / largest)] for name, share in shown],
        align="<><",
    )
    rest = len(importances) - len(shown)
    if rest:
        screen.say(f"and {rest} more feature{'' if rest == 1 else 's'}")


def _show_problem(
    model: dict[str, Any], problem: dict[str, Any], screen: Screen, more: dict[str, object]
) -> None:
    proof = problem["certificate"]
    classes = [visible(label) for label in model["classes"] or []]
    signs = [" (-1)", " (+1)"] if len(classes) == 2 else [""] * len(classes)
    named = ", ".join(map("".join, zip(classes, signs, strict=True)))
    screen.facts(
        {
            **({"classes": named} if classes else {"predicts": "a number"}),
            "rounds": f"{problem['rounds']:,}, ended by: {problem['stop_reason']}",
            "hypotheses": f"{problem['hypotheses']:,}",
            **{name.replace("_", " "): f"{v:.6g}" for name, v in problem["chosen"].items()},
            **more,
            measured(model["objective"]): f"{proof['value']:.6g}",
            "best possible": bracket(proof),
            "": proof["reason"],
        }
    )


def _show_problems(model: dict[str, Any], screen: Screen, more: dict[str, object]) -> None:
    """Print one line for each problem of a model of several classes."""
    screen.facts(more)
    screen.say()
    value = measured(model["objective"])
    headers = ["class against others", "rounds", "ended by", "hypotheses", value]
    rows = [
        [
            problem["name"],
            f"{problem['rounds']:,}",
            problem["stop_reason"],
            f"{problem['hypotheses']:,}",
            f"{problem['certificate']['value']:.4g}",
            bracket(problem["certificate"]),
        ]
        for problem in model["problems"]
    ]
    screen.table([*headers, "best possible"], rows, align="<><>><")


def measured(objective: str) -> str:
    """What the numbers of a certificate are: of a loss, the share that is saved."""
    return "loss saved" if "loss" in objective else objective


def bracket(proof: dict[str, Any]) -> str:
    """Bounds of a certificate in words."""
    word = "proven" if proof["certified"] else "not proven"
    return f"{proof['lower']:.6g} to {proof['upper']:.6g}, gap {max(proof['gap'], 0.0):.2g}, {word}"
