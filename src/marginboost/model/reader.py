"""From a document of plain data to a model, checking every field (see docs/model-file.md)."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np

from .. import oracles  # noqa: F401 - so that all are registered
from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..core.history import FIELDS, OPTIONAL, History
from ..core.hypothesis import Hypothesis, hypothesis_from_dict
from ..core.oracle import Oracle
from ..core.stop import Stop
from ..losses import ClassLoss, Loss, known_losses
from ..types import Array
from ..validation import parameter_names
from .background import Background, Distribution
from .base import FittedRun, RegressionModel, TargetsModel
from .classes import BinaryModel, LabelModel, ReducedModel
from .codes import check_code
from .contract import Solver
from .features import Features
from .links import Link, SigmoidLink, VoteLink

FORMAT = "marginboost-model"
VERSION = 4
"""Newest version: 1 is a model of two classes, 2 has hypotheses or problems of several, 3 is a
regressor, 4 one of several targets."""
MAX_TARGETS = 4096
"""Most targets of a regressor: each is a model of its own."""
MAX_WRAPPERS = 8
"""Most base learners wrapped in each other."""
MAX_CODED = 4096
"""Most classes of several problems: each class is compared with each other one."""
MAX_PADDED = 1 << 26
"""Most bytes of classes as NumPy keeps strings, all as long as the longest."""

DTYPES = (
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "str", "object"),
)
NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

ORACLES = Oracle.registry
"""Base learners that are nothing but their settings. A file can name these and no others."""

RENAMED = {
    "max_leaves": "max_leaf_nodes",
    "min_leaf_rows": "min_samples_leaf",
    "min_leaf_weight": "min_weight_fraction_leaf",
    "l2": "l2_regularization",
}
"""Names that settings of trees have in files of version 3 and before, and what they are called."""

T = TypeVar("T")


class ModelFileError(ValueError):
    """A model file that is damaged, or not a model file; the message names file and field."""


def is_text(value: str) -> bool:
    """Whether a string can be written anywhere: JSON can spell half of a surrogate pair."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


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
        """Raise ModelFileError with the place, what came and what was expected."""
        place = self.place or "document"
        message = f"{place}: got {reprlib.repr(self.value)}, expected {expected}"
        raise ModelFileError(message) from cause

    def is_a(self, kind: type[T], expected: str) -> T:
        """Return the value if it is of exactly this type: True is not an integer here."""
        if type(self.value) is not kind:
            self.wrong(expected)
        if isinstance(self.value, str) and not is_text(self.value):
            self.wrong("text: half a surrogate pair stands for no character")
        value: T = self.value
        return value

    def keys(self, expected: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Field]:
        """Fields of an object that has just these keys, the optional ones or not."""
        found, names = self.is_a(dict, "an object"), list(expected)
        for name in names:
            if name not in found:
                self.wrong(f"the key {name!r}")
        names += optional
        for name in found:
            if name not in names:
                self.wrong(f"no key but {', '.join(names)}; {reprlib.repr(name)} is unknown")
        return self.entries()

    def entries(self) -> dict[str, Field]:
        """Fields of an object with any keys."""
        prefix = f"{self.place}." if self.place else ""
        found = self.is_a(dict, "an object")
        return {name: Field(value, f"{prefix}{name}") for name, value in found.items()}

    def items(self, length: int | None = None) -> Iterator[Field]:
        """Fields of a list, one after the other: a long list takes no memory twice."""
        found = self.is_a(list, "a list")
        if length is not None and len(found) != length:
            self.wrong(f"{length} items, as in the rest of the file")
        return (Field(value, f"{self.place}[{i}]") for i, value in enumerate(found))

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
        except (ModelFileError, MemoryError):
            raise
        except Exception as error:  # the maker was written for sound data; this is the file's
            self.wrong(f"{expected} ({str(error)[:200]})", error)


HEAD = ("format", "version", "library", "estimator", "params", "features")
LABELS = ("classes",)
RUN = ("ensemble", "history", "certificate", "stop", "n_iter")
PROBLEMS = ("code", "problems")
FITTED = ("chosen", "background", "link")
"""Of models that choose something in fit, are sums of one-feature functions, or whose votes were
turned into probabilities."""


def model_from_document(document: Any, registry: Mapping[str, type[Any]]) -> Any:
    """Make a model from plain data, checking every field.

    Parameters
    ----------
    document : object
        What :func:`read_document` returns.
    registry : mapping
        Estimators that a document may name.
    """
    version = _check_format(Field(document))
    numeric, several = version >= 3, version == 2 and "problems" in document
    parts = (*HEAD, *(() if numeric else LABELS), *(PROBLEMS if several else RUN))
    optional = [k for k in FITTED if k != ("link" if numeric else "background" if several else "")]
    if version == 4:
        parts, optional = (*HEAD, "problems"), []
    fields = Field(document).keys(parts, optional)
    fields["library"].is_a(str, "a version as string")
    name = fields["estimator"].is_a(str, "the name of an estimator")
    known = [n for n, kind in registry.items() if _of_numbers(kind) == numeric]
    if name not in known:
        fields["estimator"].wrong(f"one of {', '.join(sorted(known))}")
    params = _read_params(fields["params"], registry[name], registry=registry)
    estimator = fields["params"].made_by(lambda _: registry[name](**params), "settings")
    solver, decoding = estimator, "auto"
    if _wraps(registry[name]):  # the algorithm of two classes is a setting of its own
        solver = fields["params"].made_by(lambda _: estimator.make_estimator(), "valid settings")
        decoding = estimator.decoding
    fields["params"].made_by(lambda _: _check_settings(solver), "valid settings")
    features = _read_features(fields["features"])
    if version == 4:
        return estimator.restore(_read_targets(fields, solver, features))
    if several:
        return estimator.restore(_read_problems(fields, solver, features, decoding))
    classes = None
    if not numeric:
        classes = _read_classes(fields["classes"], version == 2)
    return estimator.restore(_read_found(fields, solver, features, classes))


def _of_numbers(kind: type[Any]) -> bool:
    return issubclass(kind.model_type, RegressionModel)


def _wraps(kind: type[Any]) -> bool:
    """Whether estimators of this class have an algorithm of two classes as a parameter."""
    return issubclass(kind.model_type, ReducedModel)


def _read_found(
    fields: dict[str, Field], solver: Solver, features: Features, classes: Array | None
) -> Any:
    """Model of one run: of numbers, of two classes, or with hypotheses that answer for all."""
    kind: Any = solver.model_type
    chosen = _read_chosen(fields, solver, solver.chosen_names)
    parts: dict[str, Any] = {}
    if classes is not None:
        kind, link = solver.model_parts(len(classes), chosen)
        parts = {"classes": classes, "link": _read_link(fields, solver, link, 1)}
        if len(classes) > 2 and not _labels(kind):
            fields["classes"].wrong("two distinct classes")
    return kind(
        name=type(solver).__name__,
        features=features,
        run=_read_run(fields, features, (len(parts["classes"]),) if _labels(kind) else ()),
        chosen=chosen,
        **parts,
    )


def _labels(kind: type[Any]) -> bool:
    """Whether hypotheses of such a model answer for all classes."""
    return issubclass(kind, LabelModel)


def _read_problems(
    fields: dict[str, Field], solver: Solver, features: Features, decoding: str
) -> ReducedModel:
    """Code of several classes, and a model of two for each of its columns."""
    if solver.model_type is not BinaryModel:
        fields["problems"].wrong("an algorithm for two classes")
    classes = _read_classes(fields["classes"], True)
    if len(classes) > MAX_CODED:
        fields["classes"].wrong(f"at most {MAX_CODED} classes where there are several problems")
    rows = _read_code(fields["code"])
    chosen = _read_chosen(fields, solver, ())
    code = fields["code"].made_by(
        lambda _: check_code(rows, len(classes)), f"a code of {len(classes)} classes"
    )
    items = [item.keys(RUN, FITTED) for item in fields["problems"].items(code.shape[1])]
    return ReducedModel(
        name=type(solver).__name__,
        features=features,
        classes=classes,
        code=code,
        decoding=decoding,
        problems=tuple(_read_found(i, solver, features, np.array([-1, 1])) for i in items),
        common_scale=solver.common_scale,
        link=_read_link(fields, solver, solver.make_link(), len(classes))
        if "link" in fields
        else None,
        chosen=chosen,
    )


def _read_targets(fields: dict[str, Field], solver: Solver, features: Features) -> TargetsModel:
    """Model of numbers for each of several targets."""
    if not solver.several_targets:
        fields["problems"].wrong(f"no such key: {type(solver).__name__} has one target")
    if not 2 <= len(fields["problems"].is_a(list, "a list")) <= MAX_TARGETS:
        fields["problems"].wrong(f"2 to {MAX_TARGETS} targets")
    items = [item.keys(RUN, FITTED[:1]) for item in fields["problems"].items()]
    models = tuple(_read_found(item, solver, features, None) for item in items)
    return TargetsModel(type(solver).__name__, features, models)


def _read_link(fields: dict[str, Field], solver: Solver, usual: Link, n_offsets: int) -> Link:
    """The usual link, or where votes were compared with labels, what came of that."""
    if "link" not in fields:
        return usual
    if not (isinstance(usual, VoteLink) or solver.fits_link()):
        fields["link"].wrong(f"no link: that of {type(solver).__name__} is not fitted")
    entries = fields["link"].keys(("slope", "offsets"))
    slope = entries["slope"].number(finite=True)
    if not slope > 0.0:
        entries["slope"].wrong("a number above 0")
    offsets = [item.number(finite=True) for item in entries["offsets"].items(n_offsets)]
    return SigmoidLink(slope, tuple(offsets))


def _read_code(field: Field) -> list[list[int]]:
    """Rows of a code, one per class."""
    rows = [[side.is_a(int, "-1, 0 or 1") for side in row.items()] for row in field.items()]
    if not all(side in (-1, 0, 1) for row in rows for side in row):
        field.wrong("entries -1, 0 and 1")
    return rows


def _read_run(fields: dict[str, Field], features: Features, shape: tuple[int, ...]) -> FittedRun:
    """What one run left; its hypotheses have outputs of this shape."""
    run = FittedRun(
        ensemble=_read_ensemble(fields["ensemble"], features.categories, shape),
        history=_read_history(fields["history"]),
        certificate=_read_certificate(fields["certificate"]),
        stop=fields["stop"].made_by(Stop, f"one of {', '.join(Stop)}"),
        background=_read_background(fields, len(features)),
    )
    if fields["n_iter"].is_a(int, "the number of rounds") != len(run.history):
        fields["n_iter"].wrong(f"{len(run.history)}, the number of rounds in history")
    return run


def _read_background(fields: dict[str, Field], n_features: int) -> Background:
    """Where the training rows lie along the features of an additive model."""
    found: Background = {}
    for item in fields.get("background", Field([], "background")).items():
        entries = item.keys(("feature", "low", "high", "cuts", "shares"))
        feature = entries["feature"].is_a(int, "the number of a feature")
        if not 0 <= feature < n_features or feature in found:
            entries["feature"].wrong(f"a number below {n_features}, each once")
        low, high = (entries[end].number() for end in ("low", "high"))
        cuts, shares = (
            np.array([number.number(finite=True) for number in entries[name].items()])
            for name in ("cuts", "shares")
        )
        try:
            found[feature] = Distribution(low, high, cuts, shares)
        except ValueError as error:
            item.wrong(str(error), error)
    return found


def _read_chosen(
    fields: dict[str, Field], solver: Solver, required: Sequence[str]
) -> dict[str, float]:
    """What fit chose; the class itself checks whether a parameter can have that value."""
    field = fields.get("chosen", Field({}, "chosen"))
    entries = field.keys(required, solver.chosen_names)
    chosen = {name: entry.number(finite=True) for name, entry in entries.items()}
    field.made_by(lambda _: solver.check_chosen(chosen), f"what {type(solver).__name__} can choose")
    return chosen


def _check_format(document: Field) -> int:
    """Return the version of the file."""
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
    return number


def _read_params(
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
        if registry is not None and _wraps(owner) and isinstance(entry.value, list | dict):
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
    """A MulticlassBooster's code as a matrix, or the classifier that it copies."""
    if name == "code":
        return _read_code(entry)
    if name != "estimator":
        entry.wrong("a setting")
    entries = entry.keys(("classifier", "params"))
    chosen = entries["classifier"].is_a(str, "the name of a classifier")
    if chosen not in registry or _wraps(registry[chosen]):
        entries["classifier"].wrong("the name of an algorithm")
    params = _read_params(entries["params"], registry[chosen])
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
    params = _read_params(entries["params"], ORACLES[name], depth + 1)
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
    name, known = entries["class_loss"].is_a(str, "the name of a loss"), ClassLoss.registry
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
    classes = _read_values(entries["classes"]).tolist()
    weights = [_read_scalar(item) for item in entries["weights"].items(len(classes))]
    return dict(zip(classes, weights, strict=True))


def _read_scalar(field: Field) -> Any:
    if type(field.value) not in (bool, int, float, str):
        field.wrong("a number, a string, true or false")
    return field.is_a(type(field.value), "a scalar")


def _check_settings(model: Solver) -> None:
    """Let the class itself check its settings: they are used by predictions and later fits."""
    if type(model.n_jobs) not in (int, type(None)):
        raise TypeError(f"n_jobs: got {reprlib.repr(model.n_jobs)}, expected an integer or null")
    model.check_parameters()


def _read_values(field: Field, *, padded: bool = True) -> Array:
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


def _read_classes(field: Field, several: bool) -> Array:
    classes = _read_values(field)
    if several:
        ascending = field.made_by(lambda _: np.unique(classes), "classes that can be sorted")
        if len(classes) < 2 or not np.array_equal(ascending, classes):
            field.wrong("two or more distinct classes, in ascending order")
    elif len(classes) != 2 or classes[0] == classes[1]:
        field.wrong("two distinct classes")
    return classes


def _read_features(field: Field) -> Features:
    """Names, number and categories of the features."""
    entries = field.keys(("names", "had_names", "categories"))
    names = [name.is_a(str, "a feature name") for name in entries["names"].items()]
    if not names:
        entries["names"].wrong("at least one feature")
    if len(set(names)) != len(names):
        entries["names"].wrong("names that differ")
    categories = [
        None if known.value is None else _read_values(known, padded=False)
        for known in entries["categories"].items(len(names))
    ]
    return Features(names, categories, named=entries["had_names"].is_a(bool, "true or false"))


def _read_ensemble(
    field: Field, categories: list[Array | None], shape: tuple[int, ...]
) -> Ensemble:
    entries = field.keys(("members", "coef"))
    members = []
    for item in entries["members"].items():
        item.is_a(dict, "a hypothesis")
        members.append(
            item.made_by(lambda data: _read_hypothesis(data, categories), "a hypothesis")
        )
        if members[-1].shape != shape:
            item.wrong(
                f"a hypothesis with {f'{shape[0]} outputs' if shape else 'one output'} per row"
            )
    coef = [item.number(finite=True) for item in entries["coef"].items(len(members))]
    if not math.isfinite(sum(map(abs, coef))):
        entries["coef"].wrong("coefficients with a finite sum")
    return Ensemble(tuple(members), np.array(coef, dtype=np.float64))


def _read_hypothesis(data: dict[str, Any], categories: list[Array | None]) -> Hypothesis:
    """Make a hypothesis whose features and categories are among those of the model."""
    member = hypothesis_from_dict(data)
    member.check_features(categories)
    return member


def _read_history(field: Field) -> History:
    entries = field.keys([name for name in FIELDS if name not in OPTIONAL], OPTIONAL)
    n_rounds = len(entries["edge"].is_a(list, "a list"))
    return History(
        {name: [n.number() for n in column.items(n_rounds)] for name, column in entries.items()}
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
