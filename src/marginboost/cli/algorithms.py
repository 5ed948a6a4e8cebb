"""Algorithms and their settings, as written on a command line: ``lpboost``, ``lpboost:nu=0.1``."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable
from typing import Any

from ..validation import parameter_names
from .errors import UsageError, suggest


def classifiers() -> dict[str, type[Any]]:
    """All algorithms by the name of their file where it is theirs alone, else by their own.

    One that chooses a parameter by cross-validation is called as what it tunes, with ``-cv``.
    """
    from .. import audit  # noqa: F401 - registers the classifier that audits
    from ..algorithms.multiclass import saved_classes
    from ..model import BinaryModel

    found: dict[tuple[str, bool], type[Any]] = {}
    for title, kind in saved_classes().items():
        if not issubclass(kind.__model_type__, BinaryModel):
            continue  # a wrapper, or a regressor
        found[title.removesuffix("CV").removesuffix("Classifier"), title.endswith("CV")] = kind
    stems = {
        short: kind.__module__.rpartition(".")[2].removesuffix("_classifier").replace("_", "-")
        for (short, tuned), kind in found.items()
        if not tuned
    }
    names = {
        (stems[short] if _squash(stems[short]) == _squash(short) else short.lower())
        + ("-cv" if tuned else ""): kind
        for (short, tuned), kind in found.items()
    }
    return dict(sorted(names.items()))


def regressors() -> dict[str, type[Any]]:
    """All algorithms for targets, by their own names in small letters: ``gradientboost``."""
    from .. import algorithms
    from ..estimators.regressor import BaseBoostRegressor
    from ..on_demand import import_all

    import_all(algorithms)  # so that all are registered
    found = {
        name.removesuffix("Regressor").lower(): kind
        for name, kind in BaseBoostRegressor.__registry__.items()
    }
    return dict(sorted(found.items()))


def _squash(name: str) -> str:
    """Name without case and separators: Arc-GV, arc_gv and arcgv are one."""
    plain = name.lower().replace("-", "").replace("_", "")
    return plain.replace("classifier", "").replace("regressor", "")


def find_classifier(name: str, *, numeric: bool = False) -> tuple[str, type[Any]]:
    """Full name and class of an algorithm, for labels or for targets."""
    known = regressors() if numeric else classifiers()
    for full, kind in known.items():
        if _squash(full) == _squash(name):
            return full, kind
    if _squash(name) in {_squash(other) for other in (classifiers() if numeric else regressors())}:
        kinds = ("--label", "--target") if numeric else ("--target", "--label")
        known_too = ", ".join(known)
        raise UsageError(
            f"algorithm {name!r} is for {kinds[0]}, not for {kinds[1]}, which has {known_too}"
        )
    raise UsageError(f"unknown algorithm {name!r}; {suggest(name, list(known), most=100)}")


def parse_setting(text: str) -> tuple[str, Any]:
    """Name and value of ``name=value``; a value is a Python literal, or else a string."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"got {text!r}, expected name=value")
    words = {"none": None, "null": None, "true": True, "false": False}
    if value.strip().lower() in words:
        return name.strip(), words[value.strip().lower()]
    try:
        return name.strip(), ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested deeply
        return name.strip(), value.strip()


def _depth(kind: type[Any], depth: int | None) -> dict[str, Any]:
    """Settings of an algorithm for trees of this depth, of its own sort if it grows some anyway."""
    from ..estimators.base import algorithm_of
    from ..oracles import StumpOracle, TreeOracle

    if depth is None:
        return {}
    if depth < 1:
        raise UsageError(f"--depth: got {depth}, expected an integer of at least 1")
    if "max_depth" in parameter_names(kind):
        return {"max_depth": depth}
    usual = algorithm_of(kind()).oracle
    if depth == 1 and isinstance(usual, StumpOracle):
        return {}
    grows = type(usual) if "max_depth" in usual.get_params(deep=False) else TreeOracle
    return {"estimator": grows(max_depth=depth)}


def make_classifier(name: str, settings: Iterable[str], args: argparse.Namespace) -> Any:
    """Make an estimator from its name, ``name=value`` settings and the common options.

    Settings are checked here, before any file is read.
    """
    from ..estimators.base import algorithm_to_fit

    full, kind = find_classifier(name, numeric=args.target is not None)
    known = [p for p in parameter_names(kind) if p not in ("estimator", "callbacks", "verbose")]
    params: dict[str, Any] = {"random_state": args.seed, "n_jobs": args.jobs}
    if args.rounds is not None:
        params["n_estimators"] = args.rounds
    params |= _depth(kind, args.depth)
    for text in settings:
        setting, value = parse_setting(text)
        if setting not in known:
            raise UsageError(f"{full} has no setting {setting!r}; {suggest(setting, known)}")
        params[setting] = value
    try:
        model = kind(**params)
        algorithm_to_fit(model)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{full}: {error}") from None
    return model
