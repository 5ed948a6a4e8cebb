"""Settings in a model file: of estimators, base learners and losses, and what classes weigh."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.oracle import Oracle
from ..losses import ClassLoss, Loss, known_losses
from ..types import Array
from ..validation import parameter_names
from .cascade import CascadeModel
from .classes import ReducedModel
from .contract import Solver
from .fields import Field

MAX_WRAPPERS = 8
"""Most base learners wrapped in each other."""
MAX_PADDED = 1 << 26
"""Most bytes of classes as NumPy keeps strings, all as long as the longest."""

DTYPES = (
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "str", "object"),
)

ORACLES = Oracle.__registry__
"""Base learners that are nothing but their settings. A file can name these and no others."""

RENAMED = {
    "max_leaves": "max_leaf_nodes",
    "min_leaf_rows": "min_samples_leaf",
    "min_leaf_weight": "min_weight_fraction_leaf",
    "l2": "l2_regularization",
}
"""Names that settings of trees have in files of version 3 and before, and what they are called."""


def wraps_algorithm(kind: type[Any]) -> bool:
    """Whether estimators of this class have an algorithm of two classes as a parameter."""
    return issubclass(kind.__model_type__, ReducedModel | CascadeModel)


def read_params(
    field: Field,
    owner: type[Any],
    depth: int = 0,
    registry: Mapping[str, type[Any]] | None = None,
) -> dict[str, Any]:
    """Settings of an estimator or oracle; those that the file lacks keep their defaults."""
    known = parameter_names(owner)
    params = {}
    for written, entry in field.entries().items():
        name = RENAMED.get(written, written) if written not in known else written
        if name in params:
            field.wrong(f"one of {written!r} and {name!r}: they are the same setting")
        if name not in known:
            field.wrong(f"parameters of {owner.__name__}; {reprlib.repr(name)} is not one")
        if registry is not None and wraps_algorithm(owner) and isinstance(entry.value, list | dict):
            params[name] = _read_booster_param(name, entry, registry)
            continue
        if name == "interaction_cst" and isinstance(entry.value, list):
            params[name] = [[_read_scalar(c) for c in group.items()] for group in entry.items()]
            continue
        params[name] = _read_param(entry, depth)
        _check_kind(name, params[name], entry)
    return params


def _check_kind(name: str, value: Any, entry: Field) -> None:
    """Raise where a setting of this name cannot be such a thing."""
    if isinstance(value, Oracle):
        if name not in ("estimator", "oracle"):
            entry.wrong("a setting, not a base learner")
    elif isinstance(value, Loss | ClassLoss):
        if name != "loss":
            entry.wrong("a setting, not a loss")
    elif isinstance(value, dict):
        if name not in ("class_weight", "monotonic_cst"):
            entry.wrong("a setting, not numbers by class or column")
    elif name == "oracle" or (name == "estimator" and value is not None):
        entry.wrong("a base learner")
    elif name == "callbacks" and value is not None:
        entry.wrong("null: callbacks are code, not data")


def _read_booster_param(name: str, entry: Field, registry: Mapping[str, type[Any]]) -> Any:
    """A MulticlassBooster's code as a matrix, weights of classes, or the classifier it copies."""
    if name == "code":
        return read_code(entry)
    if name == "class_weight":
        return _read_class_weights(entry)
    if name != "estimator":
        entry.wrong("a setting")
    entries = entry.keys(("classifier", "params"))
    chosen = entries["classifier"].is_a(str, "the name of a classifier")
    if chosen not in registry or wraps_algorithm(registry[chosen]):
        entries["classifier"].wrong("the name of an algorithm")
    params = read_params(entries["params"], registry[chosen])
    return entries["params"].made_by(lambda _: registry[chosen](**params), f"settings of {chosen}")


def _read_param(field: Field, depth: int) -> Any:
    value = field.value
    if isinstance(value, list):
        return [_read_scalar(item) for item in field.items()]
    if not isinstance(value, dict):
        return None if value is None else _read_scalar(field)
    if "loss" in value:
        return _read_loss(field)
    if "class_loss" in value:
        return _read_class_loss(field)
    if "classes" in value:
        return _read_class_weights(field)
    if depth == MAX_WRAPPERS:
        field.wrong(f"at most {MAX_WRAPPERS} base learners wrapped in each other")
    entries = field.keys(("oracle", "params"))
    name = entries["oracle"].is_a(str, "the name of a base learner")
    if name not in ORACLES:
        entries["oracle"].wrong(f"one of {', '.join(sorted(ORACLES))}")
    params = read_params(entries["params"], ORACLES[name], depth + 1)
    return entries["params"].made_by(lambda _: ORACLES[name](**params), f"settings of {name}")


def _read_loss(field: Field) -> Loss:
    entries = field.keys(("loss", "params"))
    name = entries["loss"].is_a(str, "the name of a loss")
    known = known_losses()
    if name not in known:
        entries["loss"].wrong(f"one of {', '.join(sorted(known))}")
    settings = {key: _read_scalar(item) for key, item in entries["params"].entries().items()}
    return entries["params"].made_by(
        lambda _: known[name](**settings), f"settings of the {name} loss"
    )


def _read_class_loss(field: Field) -> ClassLoss:
    entries = field.keys(("class_loss", "params"))
    name, known = entries["class_loss"].is_a(str, "the name of a loss"), ClassLoss.__registry__
    if name not in known:
        entries["class_loss"].wrong(f"one of {', '.join(sorted(known))}")
    settings = {
        key: [[_read_scalar(number) for number in row.items()] for row in item.items()]
        if isinstance(item.value, list)
        else _read_scalar(item)
        for key, item in entries["params"].entries().items()
    }
    return entries["params"].made_by(
        lambda _: known[name](**settings), f"settings of the {name} loss of several classes"
    )


def _read_class_weights(field: Field) -> dict[Any, Any]:
    entries = field.keys(("classes", "weights"))
    classes = read_values(entries["classes"]).tolist()
    weights = [_read_scalar(item) for item in entries["weights"].items(len(classes))]
    return dict(zip(classes, weights, strict=True))


def _read_scalar(field: Field) -> Any:
    if type(field.value) not in (bool, int, float, str):
        field.wrong("a number, a string, true or false")
    return field.is_a(type(field.value), "a scalar")


def solver_of(estimator: Any) -> Solver:
    """Algorithm of an estimator, whose class checks the settings that predictions will use."""
    n_jobs = getattr(estimator, "n_jobs", None)
    if type(n_jobs) not in (int, type(None)):
        raise TypeError(f"n_jobs: got {reprlib.repr(n_jobs)}, expected an integer or null")
    solver: Solver = estimator.__algorithm__()
    return solver


def read_values(field: Field, *, padded: bool = True) -> Array:
    """Labels or categories, in the type they had; strings as objects if not ``padded``.

    NumPy keeps strings of the type str all as long as the longest.
    """
    entries = field.keys(("dtype", "values"))
    dtype = entries["dtype"].is_a(str, "the name of a type")
    if dtype not in DTYPES:
        entries["dtype"].wrong(f"one of {', '.join(DTYPES)}")
    scalars = [_read_scalar(item) for item in entries["values"].items()]
    kinds = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}
    allowed = kinds.get(np.dtype(dtype).kind, (bool, int, float, str))
    if not all(type(scalar) in allowed for scalar in scalars):
        entries["values"].wrong(f"values of type {dtype}")
    if dtype == "str" and not padded:
        dtype = "object"
    if dtype == "str" and 4 * len(scalars) * max(map(len, scalars), default=0) > MAX_PADDED:
        entries["values"].wrong(f"strings that take at most {MAX_PADDED} bytes, equally long")
    with np.errstate(over="ignore"):
        values = entries["values"].made_by(lambda v: np.array(v, dtype=dtype), f"{dtype} values")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        entries["values"].wrong(f"values that fit in {dtype}")
    if len(set(values.tolist())) != len(scalars):  # two may be equal only in their type
        entries["values"].wrong("distinct values")
    return values


def read_code(field: Field) -> list[list[int]]:
    """Rows of a code, one per class."""
    rows = [[side.is_a(int, "-1, 0 or 1") for side in row.items()] for row in field.items()]
    if not all(side in (-1, 0, 1) for row in rows for side in row):
        field.wrong("entries -1, 0 and 1")
    return rows
