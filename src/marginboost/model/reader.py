"""From a document of plain data to a model, checking every field (see docs/model-file.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import oracles
from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..core.history import FIELDS, OPTIONAL, TIMES, History
from ..core.hypothesis import Hypothesis, hypothesis_from_dict
from ..core.stop import Stop
from ..on_demand import import_all
from ..types import Array
from .background import Background, Distribution
from .base import FittedRun, Model, RegressionModel, TargetsModel
from .cascade import CascadeModel, CascadeStage
from .classes import BinaryModel, LabelModel, ReducedModel
from .codes import check_code
from .contract import Solver
from .features import Features
from .fields import Field
from .links import Link, SigmoidLink
from .settings import read_code, read_params, read_values, solver_of

FORMAT = "marginboost-model"
VERSION = 5
"""Newest version: 1 is a model of two classes, 2 has hypotheses or problems of several, 3 is a
regressor, 4 one of several targets, 5 a cascade."""
MAX_TARGETS = 4096
"""Most targets of a regressor: each is a model of its own."""
MAX_CODED = 4096
"""Most classes of several problems: each class is compared with each other one."""

HEAD = ("format", "version", "library", "estimator", "params", "features")
LABELS = ("classes",)
RUN = ("ensemble", "history", "certificate", "stop", "n_iter")
PROBLEMS = ("code", "problems")
STAGE = ("threshold", "detection_rate", "false_positive_rate")
"""What a stage of a cascade has besides its run."""
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
    import_all(oracles)  # so that all are registered
    version = _check_format(Field(document))
    numeric, several = version in (3, 4), version == 2 and "problems" in document
    parts = (*HEAD, *(() if numeric else LABELS), *(PROBLEMS if several else RUN))
    optional = [k for k in FITTED if k != ("link" if numeric else "background" if several else "")]
    if version == 4:
        parts, optional = (*HEAD, "problems"), []
    if version == 5:
        parts, optional = (*HEAD, *LABELS, "stages"), []
    fields = Field(document).keys(parts, optional)
    fields["library"].is_a(str, "a version as string")
    name = fields["estimator"].is_a(str, "the name of an estimator")
    known = [n for n, kind in registry.items() if _suits(kind, version)]
    if name not in known:
        fields["estimator"].wrong(f"one of {', '.join(sorted(known))}")
    params = read_params(fields["params"], registry[name], registry=registry)
    estimator = fields["params"].made_by(lambda _: registry[name](**params), "settings")
    decoding = getattr(estimator, "decoding", "auto")
    solver = fields["params"].made_by(lambda _: solver_of(estimator), "valid settings")
    features = _read_features(fields["features"])
    if version == 4:
        model: Model = _read_targets(fields, solver, features)
    elif version == 5:
        model = _read_stages(fields, solver, features)
    elif several:
        model = _read_problems(fields, solver, features, decoding)
    else:
        classes = None if numeric else _read_classes(fields["classes"], version == 2)
        model = _read_found(fields, solver, features, classes)
    estimator.__restore__(model)
    return estimator


def _suits(kind: type[Any], version: int) -> bool:
    """Whether a file of this version can hold a model of such an estimator."""
    if version == 5 or issubclass(kind.__model_type__, CascadeModel):
        return version == 5 and issubclass(kind.__model_type__, CascadeModel)
    return issubclass(kind.__model_type__, RegressionModel) == (version >= 3)


def _read_found(
    fields: dict[str, Field], solver: Solver, features: Features, classes: Array | None
) -> Any:
    """Model of one run: of numbers, of two classes, or with hypotheses that answer for all."""
    kind: Any = solver.model_type
    chosen = _read_chosen(fields, solver, solver.required_names)
    parts: dict[str, Any] = {}
    if classes is not None:
        kind, link = solver.model_parts(len(classes), chosen)
        parts = {"classes": classes, "link": _read_link(fields, solver, link, 1)}
        if len(classes) > 2 and not _labels(kind):
            fields["classes"].wrong("two distinct classes")
    return kind(
        name=solver.name,
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
    rows = read_code(fields["code"])
    chosen = _read_chosen(fields, solver, ())
    code = fields["code"].made_by(
        lambda _: check_code(rows, len(classes)), f"a code of {len(classes)} classes"
    )
    items = [item.keys(RUN, FITTED) for item in fields["problems"].items(code.shape[1])]
    return ReducedModel(
        name=solver.name,
        features=features,
        classes=classes,
        code=code,
        decoding=decoding,
        problems=tuple(_read_found(i, solver, features, np.array([-1, 1])) for i in items),
        common_scale=solver.common_scale,
        link=_read_link(fields, solver, solver.usual_link, len(classes))
        if "link" in fields
        else None,
        chosen=chosen,
    )


def _read_stages(fields: dict[str, Field], solver: Solver, features: Features) -> CascadeModel:
    """Stages of a cascade, a model of two classes each."""
    if solver.model_type is not BinaryModel:
        fields["stages"].wrong("an algorithm for two classes")
    classes = _read_classes(fields["classes"], False)
    stages = []
    for item in fields["stages"].items():
        entries = item.keys((*RUN, *STAGE), FITTED)
        threshold, *rates = (entries[name].number(finite=True) for name in STAGE)
        for name, rate in zip(STAGE[1:], rates, strict=True):
            if not 0.0 <= rate <= 1.0:
                entries[name].wrong("a share in [0, 1]")
        model = _read_found(entries, solver, features, classes)
        stages.append(CascadeStage(model, threshold, *rates))
    if not stages:
        fields["stages"].wrong("at least one stage")
    return CascadeModel(solver.name, features, classes, tuple(stages))


def _read_targets(fields: dict[str, Field], solver: Solver, features: Features) -> TargetsModel:
    """Model of numbers for each of several targets."""
    if not solver.several_targets:
        fields["problems"].wrong(f"no such key: {solver.name} has one target")
    if not 2 <= len(fields["problems"].is_a(list, "a list")) <= MAX_TARGETS:
        fields["problems"].wrong(f"2 to {MAX_TARGETS} targets")
    items = [item.keys(RUN, FITTED[:2]) for item in fields["problems"].items()]
    models = tuple(_read_found(item, solver, features, None) for item in items)
    return TargetsModel(solver.name, features, models)


def _read_link(fields: dict[str, Field], solver: Solver, usual: Link, n_offsets: int) -> Link:
    """The usual link, or where votes were compared with labels, what came of that."""
    if "link" not in fields:
        return usual
    if not (solver.calibrated):
        fields["link"].wrong(f"no link: that of {solver.name} is not fitted")
    entries = fields["link"].keys(("slope", "offsets"))
    slope = entries["slope"].number(finite=True)
    if not slope > 0.0:
        entries["slope"].wrong("a number above 0")
    offsets = [item.number(finite=True) for item in entries["offsets"].items(n_offsets)]
    return SigmoidLink(slope, tuple(offsets))


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
    field.made_by(lambda _: solver.check_chosen(chosen), f"what {solver.name} can choose")
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


def _read_classes(field: Field, several: bool) -> Array:
    classes = read_values(field)
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
        None if known.value is None else read_values(known, padded=False)
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
    """Record of the rounds; times, which earlier releases kept, are checked and dropped."""
    optional = (*OPTIONAL, *TIMES)
    entries = field.keys([name for name in FIELDS if name not in optional], optional)
    n_rounds = len(entries["edge"].is_a(list, "a list"))
    columns = {name: [n.number() for n in own.items(n_rounds)] for name, own in entries.items()}
    return History({name: column for name, column in columns.items() if name not in TIMES})


def _read_certificate(field: Field) -> Certificate:
    entries = field.keys(("lower", "upper", "value", "certified", "reason"))
    return Certificate.of(
        lower=entries["lower"].number(),
        upper=entries["upper"].number(),
        value=entries["value"].number(),
        proven=entries["certified"].is_a(bool, "true or false"),
        reason=entries["reason"].is_a(str, "a sentence"),
    )
