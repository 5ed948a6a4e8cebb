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
import secrets
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .core.certificate import Certificate
from .core.ensemble import Ensemble
from .core.history import FIELDS, History
from .core.hypothesis import Hypothesis, hypothesis_from_dict
from .core.oracle import Oracle
from .core.stop import Stop
from .core.types import Array
from .oracles.finite import Column, FiniteOracle
from .oracles.pooled import PooledOracle
from .oracles.resampling import ResamplingOracle
from .oracles.stumps import Stump, StumpOracle
from .oracles.trees import Tree, TreeOracle

FORMAT = "marginboost-model"
VERSION = 1
MAX_BYTES = 1 << 30
"""Largest document that is read, after decompression."""
MAX_WRAPPERS = 8
"""Most base learners wrapped in each other."""

DTYPES = (
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "str", "object"),
)
NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
INT64 = range(-(2**63), 2**64)
"""Integers of the file: what some 64-bit type of NumPy can hold."""

ORACLES: dict[str, type[Oracle]] = {
    oracle.__name__: oracle
    for oracle in (FiniteOracle, PooledOracle, ResamplingOracle, StumpOracle, TreeOracle)
}
"""Base learners that are nothing but their settings. A file can name these and no others."""

T = TypeVar("T")


class ModelFileError(ValueError):
    """A model file that is damaged, or not a model file; the message names file and field."""


# -- writing -------------------------------------------------------------------------------------


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to ``path``, all of it or nothing.

    Parameters
    ----------
    model : classifier of this package
        Fitted, with hypotheses that are data (stumps, trees).
    path : str or path-like
        A name that ends in ``.gz`` is compressed.

    Raises
    ------
    TypeError
        If a part of the model cannot be written as data. No file is touched then.
    """
    text = json.dumps(document_of(model), allow_nan=False, separators=(",", ":"))
    target = Path(os.path.realpath(os.fspath(path)))
    content = text.encode("ascii")
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # no clock: equal models give equal files
    _write_whole(target, content)


def _write_whole(target: Path, content: bytes) -> None:
    """Write beside the target, then rename: nobody ever sees half a file."""
    beside = target.with_name(f".marginboost-{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def document_of(model: Any) -> dict[str, Any]:
    """Everything that a model file holds, as plain data."""
    check_is_fitted(model, "ensemble_")
    name = type(model).__name__
    if type(model).registry.get(name) is not type(model):
        raise TypeError(f"{name} is not a registered classifier, so no file could name it")
    certificate = model.certificate_
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": _library_version(),
        "estimator": name,
        "params": _params_to_data(model, "params"),
        "classes": _values_to_data(model.classes_, "classes"),
        "features": {
            "names": [str(feature) for feature in model._names],
            "had_names": hasattr(model, "feature_names_in_"),
            "categories": [
                None if known is None else _values_to_data(known, f"categories of {feature!r}")
                for feature, known in zip(model._names, model._categories, strict=True)
            ],
        },
        "ensemble": {
            "members": [member.to_dict() for member in model.ensemble_.members],
            "coef": model.ensemble_.coef.tolist(),
        },
        "history": {
            field: [_number_to_data(value) for value in column]
            for field, column in model.history_.to_dict().items()
        },
        "certificate": {
            "lower": _number_to_data(certificate.lower),
            "upper": _number_to_data(certificate.upper),
            "value": _number_to_data(certificate.value),
            "certified": bool(certificate.certified),
            "reason": certificate.reason,
        },
        "stop": str(model.stop_reason_),
        "n_iter": int(model.n_iter_),
    }


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


def _scalar_to_data(value: Any, field: str) -> Any:
    """Check that a value is a number, a flag or a string that a file can hold."""
    value = value.item() if isinstance(value, np.generic) else value
    storable = (
        isinstance(value, bool | str)
        or (isinstance(value, int) and value in INT64)
        or (isinstance(value, float) and math.isfinite(value))
    )
    if not storable:
        raise TypeError(
            f"{field}: {reprlib.repr(value)} cannot be written as data; expected finite numbers, "
            f"integers of 64 bits, strings, True and False{_JOBLIB}"
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
    if isinstance(value, Oracle):
        name = type(value).__name__
        if ORACLES.get(name) is not type(value):
            raise TypeError(f"{field}: a {name} cannot be written as data{_JOBLIB}")
        return {"oracle": name, "params": _params_to_data(value, f"{field}.params")}
    if hasattr(value, "fit"):
        raise TypeError(
            f"{field}: a scikit-learn estimator ({type(value).__name__}) cannot be written as data"
            f"{_JOBLIB}"
        )
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_param_to_data(item, field) for item in value]
    return _scalar_to_data(value, field)


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
        Classifiers that a file may name.
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
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            content = (gzip.GzipFile(fileobj=file) if compressed else file).read(max_bytes + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ModelFileError(f"damaged compression: {error}") from error
    if len(content) > max_bytes:
        raise ModelFileError(f"larger than {max_bytes} bytes")
    try:
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


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelFileError(f"key {reprlib.repr(twice)} stands twice in one object")
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


class Field:
    """A value of the document and its place, so that every complaint says where.

    Parameters
    ----------
    value : object
        Parsed JSON.
    place : str
        For example ``ensemble.members[3]``.
    """

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def wrong(self, expected: str, cause: Exception | None = None) -> NoReturn:
        """Complain."""
        place = self.place or "document"
        message = f"{place}: got {reprlib.repr(self.value)}, expected {expected}"
        raise ModelFileError(message) from cause

    def is_a(self, kind: type[T], expected: str) -> T:
        """Return the value if it is of exactly this type: True is not an integer here."""
        if type(self.value) is not kind:
            self.wrong(expected)
        value: T = self.value
        return value

    def keys(self, expected: Iterable[str]) -> dict[str, Field]:
        """Fields of an object that has just these keys."""
        found, names = self.is_a(dict, "an object"), list(expected)
        for name in names:
            if name not in found:
                self.wrong(f"the key {name!r}")
        for name in found:
            if name not in names:
                self.wrong(f"no key but {', '.join(names)}; {reprlib.repr(name)} is unknown")
        return self.entries()

    def entries(self) -> dict[str, Field]:
        """Fields of an object with any keys."""
        prefix = f"{self.place}." if self.place else ""
        found = self.is_a(dict, "an object")
        return {name: Field(value, f"{prefix}{name}") for name, value in found.items()}

    def items(self, length: int | None = None) -> list[Field]:
        """Fields of a list."""
        found = self.is_a(list, "a list")
        if length is not None and len(found) != length:
            self.wrong(f"{length} items, as in the rest of the file")
        return [Field(value, f"{self.place}[{i}]") for i, value in enumerate(found)]

    def number(self, finite: bool = False) -> float:
        """Return a number; NaN and infinities, written as strings, unless it has to be finite."""
        if type(self.value) in (int, float):
            return float(self.value)
        if finite:
            self.wrong("a finite number")
        if type(self.value) is not str or self.value not in NON_FINITE:
            self.wrong(f"a number or one of {', '.join(NON_FINITE)}")
        return NON_FINITE[self.value]

    def made_by(self, maker: Callable[[Any], T], expected: str) -> T:
        """Return what ``maker`` makes of the value; what it refuses is a fault of the file."""
        try:
            return maker(self.value)
        except ModelFileError:
            raise
        except Exception as error:  # the maker was written for sound data; this is the file's
            self.wrong(f"{expected} ({str(error)[:200]})", error)


TOP_LEVEL = (
    *("format", "version", "library", "estimator", "params", "classes", "features", "ensemble"),
    *("history", "certificate", "stop", "n_iter"),
)


def model_from_document(document: Any, registry: Mapping[str, type[Any]]) -> Any:
    """Make a model from plain data, checking every field.

    Parameters
    ----------
    document : object
        What :func:`read_document` returns.
    registry : mapping
        Classifiers that a document may name.
    """
    _check_format(Field(document))
    fields = Field(document).keys(TOP_LEVEL)
    fields["library"].is_a(str, "a version as string")
    name = fields["estimator"].is_a(str, "the name of a classifier")
    if name not in registry:
        fields["estimator"].wrong(f"one of {', '.join(sorted(registry))}")
    params = _read_params(fields["params"], registry[name])
    model = fields["params"].made_by(lambda _: registry[name](**params), "settings")
    fields["params"].made_by(lambda _: _check_settings(model), "valid settings")
    _read_features(fields["features"], model)
    model.classes_ = _read_classes(fields["classes"])
    model.ensemble_ = _read_ensemble(fields["ensemble"], model._categories)
    model.history_ = _read_history(fields["history"])
    model.certificate_ = _read_certificate(fields["certificate"])
    model.certified_ = model.certificate_.certified
    model.stop_reason_ = fields["stop"].made_by(Stop, f"one of {', '.join(Stop)}")
    model.n_iter_ = fields["n_iter"].is_a(int, "the number of rounds")
    if model.n_iter_ != len(model.history_):
        fields["n_iter"].wrong(f"{len(model.history_)}, the number of rounds in history")
    model.estimator_errors_ = model.history_["error"]
    model.intercept_ = 0.0
    return model


def _check_format(document: Field) -> None:
    entries = document.entries()
    for key in ("format", "version"):
        if key not in entries:
            document.wrong(f"the key {key!r}: is this a model file?")
    if entries["format"].is_a(str, f"{FORMAT!r}") != FORMAT:
        entries["format"].wrong(f"{FORMAT!r}")
    number = entries["version"].is_a(int, "an integer")
    if number > VERSION:
        entries["version"].wrong(
            f"at most {VERSION}: the file was written by a newer release; upgrade marginboost"
        )
    if number < 1:
        entries["version"].wrong("an integer of at least 1")


def _read_params(field: Field, owner: type[Any], depth: int = 0) -> dict[str, Any]:
    """Settings of an estimator or oracle; those that the file lacks keep their defaults."""
    known = owner._get_param_names()
    params = {}
    for name, entry in field.entries().items():
        if name not in known:
            field.wrong(f"parameters of {owner.__name__}; {reprlib.repr(name)} is not one")
        params[name] = _read_param(entry, depth)
        if isinstance(params[name], Oracle):
            if name not in ("estimator", "oracle"):
                entry.wrong("a setting, not a base learner")
        elif name == "oracle" or (name == "estimator" and entry.value is not None):
            entry.wrong("a base learner")
        elif name == "callbacks" and entry.value is not None:
            entry.wrong("null: callbacks are code, not data")
    return params


def _read_param(field: Field, depth: int) -> Any:
    value = field.value
    if isinstance(value, list):
        return [_read_scalar(item) for item in field.items()]
    if not isinstance(value, dict):
        return None if value is None else _read_scalar(field)
    if depth == MAX_WRAPPERS:
        field.wrong(f"at most {MAX_WRAPPERS} base learners wrapped in each other")
    entries = field.keys(("oracle", "params"))
    name = entries["oracle"].is_a(str, "the name of a base learner")
    if name not in ORACLES:
        entries["oracle"].wrong(f"one of {', '.join(ORACLES)}")
    params = _read_params(entries["params"], ORACLES[name], depth + 1)
    return entries["params"].made_by(lambda _: ORACLES[name](**params), f"settings of {name}")


def _read_scalar(field: Field) -> Any:
    if type(field.value) not in (bool, int, float, str):
        field.wrong("a number, a string, true or false")
    return field.value


def _check_settings(model: Any) -> None:
    """Let the class itself check its settings: they are used by predictions and later fits."""
    if type(model.n_jobs) not in (int, type(None)):
        raise TypeError(f"n_jobs: got {reprlib.repr(model.n_jobs)}, expected an integer or null")
    model._check_parameters()
    model._make_rule()


def _read_values(field: Field) -> Array:
    """Labels or categories, in the type they had."""
    entries = field.keys(("dtype", "values"))
    dtype = entries["dtype"].is_a(str, "the name of a type")
    if dtype not in DTYPES:
        entries["dtype"].wrong(f"one of {', '.join(DTYPES)}")
    scalars = [_read_scalar(item) for item in entries["values"].items()]
    kinds = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}
    allowed = kinds.get(np.dtype(dtype).kind, (bool, int, float, str))
    if not all(type(scalar) in allowed for scalar in scalars):
        entries["values"].wrong(f"values of type {dtype}")
    if len(set(scalars)) != len(scalars):
        entries["values"].wrong("distinct values")
    with np.errstate(over="ignore"):
        values = entries["values"].made_by(lambda v: np.array(v, dtype=dtype), f"{dtype} values")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        entries["values"].wrong(f"values that fit in {dtype}")
    return values


def _read_classes(field: Field) -> Array:
    classes = _read_values(field)
    if len(classes) != 2 or classes[0] == classes[1]:
        field.wrong("two distinct classes")
    return classes


def _read_features(field: Field, model: Any) -> None:
    """Names, number and categories of the features."""
    entries = field.keys(("names", "had_names", "categories"))
    names = [name.is_a(str, "a feature name") for name in entries["names"].items()]
    if not names:
        entries["names"].wrong("at least one feature")
    model._names = names
    model.n_features_in_ = len(names)
    model._categories = [
        None if known.value is None else _read_values(known)
        for known in entries["categories"].items(len(names))
    ]
    if entries["had_names"].is_a(bool, "true or false"):
        model.feature_names_in_ = np.array(names, dtype=object)


def _read_ensemble(field: Field, categories: list[Array | None]) -> Ensemble:
    entries = field.keys(("members", "coef"))
    members = []
    for item in entries["members"].items():
        item.is_a(dict, "a hypothesis")
        members.append(
            item.made_by(lambda data: _read_hypothesis(data, categories), "a hypothesis")
        )
    coef = [item.number(finite=True) for item in entries["coef"].items(len(members))]
    if not math.isfinite(sum(map(abs, coef))):
        entries["coef"].wrong("coefficients with a finite sum")
    return Ensemble(tuple(members), np.array(coef, dtype=np.float64))


def _read_hypothesis(data: dict[str, Any], categories: list[Array | None]) -> Hypothesis:
    """Make a hypothesis whose features and categories are among those of the model."""
    member = hypothesis_from_dict(data)
    if isinstance(member, Stump):
        _check_split(member.feature, member.threshold, member.categories or (), categories)
    elif isinstance(member, Column):
        _check_feature(member.index, categories)
    elif isinstance(member, Tree):
        for node in member.nodes[member.nodes["feature"] >= 0]:
            codes = member.categories[node["first"] : node["last"]].tolist()
            _check_split(int(node["feature"]), float(node["threshold"]), codes, categories)
    return member


def _check_feature(feature: int, categories: list[Array | None]) -> None:
    if feature >= len(categories):
        raise ValueError(f"feature {feature} of {len(categories)}")


def _check_split(
    feature: int, threshold: float, codes: Sequence[int], categories: list[Array | None]
) -> None:
    """Raise unless a split asks a category for a code, and a number for its size.

    Without codes and with an infinite threshold it asks whether there is a value: that suits both.
    """
    _check_feature(feature, categories)
    known = categories[feature]
    if known is None and len(codes):
        raise ValueError(f"feature {feature} is numeric and cannot be split by category")
    if known is not None and not len(codes) and math.isfinite(threshold):
        raise ValueError(f"feature {feature} is categorical and cannot be split by size")
    n_codes = 0 if known is None else max(1, len(known))
    if any(code >= n_codes for code in codes):
        raise ValueError(f"a category above {n_codes - 1} of feature {feature}")


def _read_history(field: Field) -> History:
    entries = field.keys(FIELDS)
    n_rounds = len(entries["edge"].items())
    return History(
        {name: [item.number() for item in entries[name].items(n_rounds)] for name in FIELDS}
    )


def _read_certificate(field: Field) -> Certificate:
    entries = field.keys(("lower", "upper", "value", "certified", "reason"))
    return Certificate(
        lower=entries["lower"].number(),
        upper=entries["upper"].number(),
        value=entries["value"].number(),
        certified=entries["certified"].is_a(bool, "true or false"),
        reason=entries["reason"].is_a(str, "a sentence"),
    )
