"""Models as data: one JSON document, never code (see docs/model-file.md).

Pickled models run code when they are opened. A document holds numbers, strings and lists; reading
it makes objects of this package's own classes, chosen from fixed tables by name, after every field
has been checked. So a file from a stranger can be wrong, but it cannot do anything.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core.history import OPTIONAL, TIMES
from ..core.oracle import Oracle
from ..files import GZIP, TooLarge, unpack, write_whole
from ..losses import ClassLoss, Loss, known_losses
from ..types import Array
from .base import FittedRun, Model, RegressionModel, TargetsModel
from .cascade import CascadeModel, CascadeStage
from .classes import BinaryModel, ClassModel, LabelModel, ReducedModel
from .contract import Saved
from .fields import ModelFileError, is_text
from .links import Link, SigmoidLink
from .reader import FORMAT, STAGE, model_from_document
from .settings import DTYPES, ORACLES

MAX_BYTES = 1 << 28
"""Largest document that is read, after decompression."""
MAX_VALUES = 1 << 24
"""Most values in a document: each takes up to 80 bytes of memory, however short it is written."""
INT64 = range(-(2**63), 2**64)
"""Integers of the file: what some 64-bit type of NumPy can hold."""


# -- writing -------------------------------------------------------------------------------------


def save_model(estimator: Saved, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to ``path``, all of it or nothing.

    Parameters
    ----------
    estimator : estimator of this package
        Fitted, with hypotheses that are data (stumps, trees).
    path : str or path-like
        A name that ends in ``.gz`` is compressed.

    Raises
    ------
    TypeError
        If a part of the model cannot be written as data. No file is touched then.
    ModelFileError
        If the model is larger than what :func:`load_model` reads. Neither then.
    """
    text = json.dumps(document_of(estimator), allow_nan=False, separators=(",", ":"))
    content = text.encode("ascii")
    _check_size(content, MAX_BYTES)  # what is written can be read
    if os.path.realpath(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)  # no clock: equal models give equal files
    write_whole(path, content)


def document_of(estimator: Saved) -> dict[str, Any]:
    """Everything that a model file holds, as plain data."""
    check_is_fitted(estimator)
    kind, model = type(estimator), estimator.model_
    if kind.__registry__.get(kind.__name__) is not kind:
        raise TypeError(f"{kind.__name__} is not a registered estimator, so no file could name it")
    names, known = model.features.names, model.features.categories
    return {
        "format": FORMAT,
        "version": _version_of(kind.__model_type__, model),
        "library": _library_version(),
        "estimator": kind.__name__,
        "params": _params_to_data(estimator, "params"),
        **(
            {"classes": _values_to_data(model.classes, "classes")}
            if isinstance(model, ClassModel | CascadeModel)
            else {}
        ),
        "features": {
            "names": [_scalar_to_data(str(name), "feature name") for name in names],
            "had_names": model.features.named,
            "categories": [
                None if values is None else _values_to_data(values, f"categories of {feature!r}")
                for feature, values in zip(names, known, strict=True)
            ],
        },
        **_found_to_data(model),
    }


def _version_of(kind: type[Model], model: Model) -> int:
    """Oldest version of the format that has all that this model needs."""
    if isinstance(model, CascadeModel):
        return 5
    if isinstance(model, TargetsModel):
        return 4
    if isinstance(model, RegressionModel):
        return 3
    several = model.reduced or isinstance(model, LabelModel)
    return 1 if kind is BinaryModel and not several else 2


def _found_to_data(model: Model) -> dict[str, Any]:
    """What was found: in one run, or for each column of a code of several classes."""
    if isinstance(model, ReducedModel):
        return {
            "code": model.code.tolist(),
            "problems": [_found_to_data(problem) for problem in model.problems],
            **_chosen_to_data(model),
            **_link_to_data(model.link),
        }
    if isinstance(model, CascadeModel):
        return {"stages": [_stage_to_data(stage) for stage in model.stages]}
    if isinstance(model, TargetsModel):
        return {"problems": [_found_to_data(problem) for problem in model.problems]}
    link = model.link if isinstance(model, BinaryModel) else None
    return {**_run_to_data(model.runs[0]), **_chosen_to_data(model), **_link_to_data(link)}


def _stage_to_data(stage: CascadeStage) -> dict[str, Any]:
    """Model of a stage, its threshold, and the rates at it."""
    return {**_found_to_data(stage.model), **{name: getattr(stage, name) for name in STAGE}}


def _link_to_data(link: Link | None) -> dict[str, Any]:
    """A link that was fitted; others follow from the class."""
    if not isinstance(link, SigmoidLink):
        return {}
    return {"link": {"slope": link.slope, "offsets": list(link.offsets)}}


def _chosen_to_data(model: Model) -> dict[str, Any]:
    """What fit chose, where it chooses; of several problems each has its own."""
    return {"chosen": dict(model.chosen)} if model.chosen else {}


def _run_to_data(run: FittedRun) -> dict[str, Any]:
    """What one run left."""
    certificate = run.certificate
    return {
        "ensemble": {
            "members": [member.to_dict() for member in run.ensemble.members],
            "coef": run.ensemble.coef.tolist(),
        },
        "history": {
            field: [_number_to_data(value) for value in column]
            for field, column in run.history.to_dict().items()
            if field not in TIMES and not (field in OPTIONAL and np.isnan(column).all())
        },
        "certificate": {
            "lower": _number_to_data(certificate.lower),
            "upper": _number_to_data(certificate.upper),
            "value": _number_to_data(certificate.value),
            "certified": bool(certificate.certified),
            "reason": certificate.reason,
        },
        "stop": str(run.stop),
        "n_iter": len(run.history),
        **_background_to_data(run),
    }


def _background_to_data(run: FittedRun) -> dict[str, Any]:
    """Where the training rows lie, of a model that keeps it."""
    if not run.background:
        return {}
    entries = [
        {
            "feature": feature,
            "low": _number_to_data(known.low),
            "high": _number_to_data(known.high),
            "cuts": known.cuts.tolist(),
            "shares": known.shares.tolist(),
        }
        for feature, known in sorted(run.background.items())
    ]
    return {"background": entries}


def _library_version() -> str:
    try:
        return version("marginboost")
    except PackageNotFoundError:  # a copy without metadata, as bundlers make them
        return "unknown"


def _number_to_data(value: float) -> float | str:
    """JSON has no word for NaN and infinity: they become strings."""
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _values_to_data(values: Array, field: str) -> dict[str, Any]:
    """Labels or categories with their type."""
    dtype = "str" if values.dtype.kind == "U" else values.dtype.name
    if dtype not in DTYPES:
        raise TypeError(f"{field}: values of type {dtype} cannot be written as data{_JOBLIB}")
    return {"dtype": dtype, "values": [_scalar_to_data(v, field) for v in values.tolist()]}


def _as_values(labels: Iterable[Any]) -> Array:
    """Labels as an array of one type; those of several types as they are."""
    values = list(labels)
    same = len({type(value) for value in values}) == 1
    return np.array(values, dtype=None if same else object)


def _scalar_to_data(value: Any, field: str) -> Any:
    """Check that a value is a number, a flag or a string that a file can hold."""
    value = value.item() if isinstance(value, np.generic) else value
    storable = (
        isinstance(value, bool)
        or (isinstance(value, str) and is_text(value))
        or (isinstance(value, int) and value in INT64)
        or (isinstance(value, float) and math.isfinite(value))
    )
    if not storable:
        raise TypeError(
            f"{field}: {reprlib.repr(value)} cannot be written as data; expected finite numbers, "
            f"integers of 64 bits, strings of whole characters, True and False{_JOBLIB}"
        )
    return value


def _params_to_data(owner: Any, field: str) -> dict[str, Any]:
    """Settings of an estimator or oracle; callbacks are not data and are left out."""
    params = owner.get_params(deep=False)
    return {
        name: None if name == "callbacks" else _param_to_data(value, f"{field}.{name}")
        for name, value in params.items()
    }


def _param_to_data(value: Any, field: str) -> Any:
    if value is None or isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if hasattr(type(value), "__registry__") and hasattr(value, "fit"):
        name = type(value).__name__
        if type(value).__registry__.get(name) is not type(value):
            raise TypeError(f"{field}: a {name} cannot be written as data{_JOBLIB}")
        return {"classifier": name, "params": _params_to_data(value, f"{field}.params")}
    if isinstance(value, Oracle):
        name = type(value).__name__
        if ORACLES.get(name) is not type(value):
            raise TypeError(f"{field}: a {name} cannot be written as data{_JOBLIB}")
        return {"oracle": name, "params": _params_to_data(value, f"{field}.params")}
    if isinstance(value, Loss | ClassLoss):
        return _loss_to_data(value, field)
    if hasattr(value, "fit"):
        raise TypeError(
            f"{field}: a scikit-learn estimator ({type(value).__name__}) cannot be written as data"
            f"{_JOBLIB}"
        )
    value = _listed(value)
    if isinstance(value, list | tuple):
        return [_param_to_data(item, field) for item in value]
    if isinstance(value, Mapping):
        weights = [_scalar_to_data(weight, field) for weight in value.values()]
        return {"classes": _values_to_data(_as_values(value), field), "weights": weights}
    return _scalar_to_data(value, field)


def _listed(value: Any) -> Any:
    """Arrays and sets as lists, the latter in a fixed order."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return value.tolist() if isinstance(value, np.ndarray) else value


def _loss_to_data(value: Loss | ClassLoss, field: str) -> dict[str, Any]:
    """A loss by its name and settings."""
    several = isinstance(value, ClassLoss)
    known: Mapping[str, type[Any]] = ClassLoss.__registry__ if several else known_losses()
    if known.get(value.name) is not type(value) or not is_dataclass(value):
        raise TypeError(f"{field}: a {type(value).__name__} cannot be written as data{_JOBLIB}")
    settings = {key: _param_to_data(item, field) for key, item in asdict(value).items()}
    return {"class_loss" if several else "loss": value.name, "params": settings}


_JOBLIB = ". joblib.dump can keep this model, in a file that only those who trust you should open"


# -- reading -------------------------------------------------------------------------------------


def load_model(
    path: str | os.PathLike[str],
    registry: Mapping[str, type[Any]],
    *,
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Read a model from a file; no code of the file is run, whatever it holds.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``, compressed or not.
    registry : mapping
        Estimators that a file may name.
    max_bytes : int
        Largest document to read, after decompression.

    Raises
    ------
    ModelFileError
        If the file is not a sound model file; the message names the file and the field.
    OSError
        If the file cannot be opened.
    """
    name = os.fspath(path)
    try:
        return model_from_document(read_document(name, max_bytes=max_bytes), registry)
    except ModelFileError as error:
        raise ModelFileError(f"{name}: {error}") from error.__cause__


def read_document(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Any:
    """Parse the JSON of a file strictly: no duplicate keys, no NaN, no number out of range."""
    try:
        content = _read_bytes(path, max_bytes)
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_object_without_duplicates,
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=_parse_constant,
        )
    except UnicodeDecodeError as error:
        raise ModelFileError(f"not UTF-8 text: {error}") from error
    except json.JSONDecodeError as error:
        raise ModelFileError(f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise ModelFileError("nested too deeply for a model file") from error
    except MemoryError as error:
        raise ModelFileError("too large for the memory of this machine") from error


def _read_bytes(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Text of a document, unless it, or what would be made of it, is too large."""
    with open(path, "rb") as file:
        content = file.read(max_bytes + 1)
    if content.startswith(GZIP) and len(content) <= max_bytes:
        try:
            content = unpack(content, max_bytes)
        except TooLarge:
            raise ModelFileError(f"larger than {max_bytes} bytes when unpacked") from None
        except ValueError as error:
            raise ModelFileError(str(error)) from error
    _check_size(content, max_bytes)
    return content


def _check_size(content: bytes, max_bytes: int) -> None:
    if len(content) > max_bytes:
        raise ModelFileError(f"larger than {max_bytes} bytes")
    if sum(map(content.count, (b",", b"[", b"{"))) > MAX_VALUES:  # values are told apart by these
        raise ModelFileError(f"more than {MAX_VALUES} values")


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ModelFileError(f"key {reprlib.repr(name)} stands twice in one object")
            seen.add(name)
    return found


def _parse_int(text: str) -> int:
    number = int(text) if len(text) <= 20 else INT64.stop
    if number not in INT64:
        raise ModelFileError(f"integer {reprlib.repr(text)} is out of the range of 64 bits")
    return number


def _parse_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ModelFileError(f"number {reprlib.repr(text)} is out of range")
    return number


def _parse_constant(text: str) -> NoReturn:
    raise ModelFileError(f"{text} is not a JSON number; it is written as the string {text!r}")
