"""What each estimator can do, in one table: for errors, for the documents and for programs.

A capability is that of an estimator with its default settings: with another base learner a
certificate may be proven or not, and an explanation exact or not. Nearly all follows from the
class, its tags for scikit-learn and its algorithm; a class declares the rest as
``__capabilities__``. Tests prove every cell by using the feature.

A feature that an estimator does not have ends in an error that is made here and names estimators
that have it: AttributeError where a method is missing, TypeError where a parameter of the
constructor or of ``fit`` is, or where the kind of fit or model does not suit, ValueError where the
labels do not. Only a certificate that is not proven is no error: ``certified_`` is False, and
``certificate_.reason`` says why.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import is_classifier, is_regressor

from ..oracles.stumps import StumpOracle
from ..oracles.wrapper import OracleWrapper
from ..validation import parameter_names


def _feature(title: str, deed: str, *such_as: str) -> Any:
    """Field of a capability: heading of its column, what one can do, some estimators that can."""
    return field(metadata={"title": title, "deed": deed, "such_as": such_as})


_EVERYONE = ("AdaBoostClassifier", "LPBoostClassifier", "GradientBoostRegressor")
_STAGED = ("GradientBoostClassifier", "SoftmaxBoostClassifier", "GradientBoostRegressor")
_STUMPS = ("AdaBoostClassifier", "LPBoostClassifier", "LSBoostRegressor")


@dataclass(frozen=True)
class Capabilities:
    """Which features an estimator has; None where a feature has no meaning for its kind.

    Attributes
    ----------
    weights, categories, missing_values, sparse_rows : bool
        Whether ``fit`` takes weights of rows, columns of categories, NaN, sparse matrices.
    several_classes, several_targets : bool or None
        Whether ``y`` may have more than two classes, or more than one column of numbers.
    probabilities, soft_labels : bool
        Whether there are ``predict_proba`` and ``fit_soft_labels``.
    rows_in_parts : bool
        Whether it can be fitted to rows in several places, such as a Dask cluster.
    early_stopping : bool
        Whether a run can stop early by validation rows, and go on with ``warm_start``.
    monotone_constraints, interaction_constraints : bool
        Whether ``monotonic_cst`` and ``interaction_cst`` are taken.
    certifies : bool
        Whether the bounds of the certificate are proven.
    explains : bool
        Whether ``explain`` shows the model exactly, one function per feature.
    exports, exports_several_classes : bool or None
        Whether ``to_onnx`` makes a graph, and one of more than two classes.
    """

    weights: bool = _feature("weights", "take sample_weight", *_EVERYONE)
    categories: bool = _feature("categories", "take columns of categories", *_EVERYONE)
    missing_values: bool = _feature("missing values", "take missing values", *_EVERYONE)
    sparse_rows: bool = _feature("sparse rows", "take sparse matrices", *_EVERYONE)
    several_classes: bool | None = _feature(
        "several classes",
        "take more than two classes",
        *("AdaBoostClassifier", "LPBoostClassifier", "SoftmaxBoostClassifier"),
    )
    several_targets: bool | None = _feature(
        "several targets", "take several targets", "GradientBoostRegressor"
    )
    probabilities: bool = _feature(
        "probabilities",
        "predict probabilities",
        *("AdaBoostClassifier", "LPBoostClassifier", "GradientBoostClassifier"),
    )
    soft_labels: bool = _feature(
        "soft labels",
        "learn from soft labels",
        *("GradientBoostClassifier", "SoftmaxBoostClassifier", "L1LeveragingClassifier"),
    )
    rows_in_parts: bool = _feature(
        "rows in parts",
        "be fitted to rows in parts",
        *("AdaBoostClassifier", "LPBoostClassifier", "GradientBoostRegressor"),
    )
    early_stopping: bool = _feature("early stopping, warm start", "stop early", *_STAGED)
    monotone_constraints: bool = _feature(
        "monotone constraints",
        "take monotonic_cst",
        *("GradientBoostClassifier", "GradientBoostRegressor", "GradientBoostRanker"),
    )
    interaction_constraints: bool = _feature(
        "interaction constraints", "take interaction_cst", *_STAGED
    )
    certifies: bool = _feature("certifies", "certify its models", *_STUMPS)
    explains: bool = _feature("explains exactly", "explain its models exactly", *_STUMPS)
    exports: bool = _feature("ONNX", "be exported to ONNX", *_EVERYONE)
    exports_several_classes: bool | None = _feature(
        "ONNX, several classes",
        "be exported to ONNX with more than two classes",
        *("SoftmaxBoostClassifier", "SAMMEClassifier", "AdaBoostM1Classifier"),
    )


METHODS = {
    "predict_proba": "probabilities",
    "fit_soft_labels": "soft_labels",
    "certificate_": "certifies",
    "certified_": "certifies",
    "explain": "explains",
    "to_onnx": "exports",
}
"""Names that an estimator has only with a capability."""
PARAMETERS = {
    "sample_weight": "weights",
    "categorical_features": "categories",
    "early_stopping": "early_stopping",
    "warm_start": "early_stopping",
    "eval_set": "early_stopping",
    "init_model": "early_stopping",
    "monotonic_cst": "monotone_constraints",
    "interaction_cst": "interaction_constraints",
}
"""Parameters that a constructor or ``fit`` has only with a capability."""
_FEATURES = {feature.name: feature.metadata for feature in fields(Capabilities)}


@cache
def capabilities_of(kind: type[Any]) -> Capabilities:
    """What an estimator can do with its default settings.

    >>> from marginboost import LPBoostClassifier
    >>> capabilities_of(LPBoostClassifier).rows_in_parts
    True
    """
    declared: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        declared.update(vars(base).get("__capabilities__", {}))
    estimator = kind()
    return Capabilities(**{**_of_class(kind, estimator), **_of_algorithm(estimator), **declared})


def _of_class(kind: type[Any], estimator: Any) -> dict[str, Any]:
    """What follows from methods, parameters and tags."""
    tags, names = estimator.__sklearn_tags__(), parameter_names(kind)
    classes = is_classifier(estimator)
    return {
        "weights": "sample_weight" in inspect.signature(kind.fit).parameters,
        "categories": "categorical_features" in names,
        "missing_values": tags.input_tags.allow_nan,
        "sparse_rows": tags.input_tags.sparse,
        "several_classes": tags.classifier_tags.multi_class if classes else None,
        "several_targets": tags.target_tags.multi_output if is_regressor(estimator) else None,
        "probabilities": hasattr(kind, "predict_proba"),
        "soft_labels": hasattr(kind, "fit_soft_labels"),
        "early_stopping": {"early_stopping", "warm_start"} <= set(names),
        "monotone_constraints": "monotonic_cst" in names,
        "interaction_constraints": "interaction_cst" in names,
        "rows_in_parts": False,
        "certifies": False,
        "explains": False,
        "exports": hasattr(kind, "to_onnx"),
        "exports_several_classes": False if classes else None,
    }


def _of_algorithm(estimator: Any) -> dict[str, Any]:
    """What follows from the algorithm; a wrapper of estimators has none of its own."""
    if not hasattr(estimator, "__algorithm__"):
        return {}
    algorithm = estimator.__algorithm__()
    oracle = algorithm.oracle
    inner = oracle.oracle if isinstance(oracle, OracleWrapper) else oracle
    found = {"certifies": oracle.exact, "explains": isinstance(inner, StumpOracle)}
    if algorithm.label_rows is not None:
        found["exports_several_classes"] = True
    return found


def refusal(kind: type[Any], feature: str, why: str = "") -> str:
    """Message of an error: who cannot do what, for which reason, and who can."""
    known = _FEATURES[feature]
    *others, last = known["such_as"]
    who = f"{', '.join(others)} and {last}" if others else last
    reason = f"{why}. " if why else ""
    return f"{reason}{kind.__name__} cannot {known['deed']}; {who} can"


def check_runs_on_parts(estimator: Any) -> None:
    """Raise for an estimator that cannot be fitted to rows in parts."""
    kind: Any = type(estimator)
    if not capabilities_of(kind).rows_in_parts:
        raise TypeError(refusal(kind, "rows_in_parts"))


def _naming_what_lacks(function: Callable[..., Any]) -> Callable[..., Any]:
    """Constructor or ``fit`` that says who has a parameter which it does not have itself."""

    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(self, *args, **kwargs)
        except TypeError as error:
            own = inspect.signature(function).parameters
            lacking = [name for name in kwargs if name in PARAMETERS and name not in own]
            if not lacking:
                raise
            why = f"{lacking[0]}: no such parameter"
            raise TypeError(refusal(type(self), PARAMETERS[lacking[0]], why)) from error

    return call


class Capable:
    """An estimator that says which features it does not have, where a method is missing."""

    __capabilities__: ClassVar[dict[str, bool]] = {}
    """What does not follow from the class and its algorithm; what base classes say holds too."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in {"__init__", "fit"} & vars(cls).keys():
            setattr(cls, name, _naming_what_lacks(vars(cls)[name]))

    if not TYPE_CHECKING:  # a type checker is to find misspelt names

        def __getattr__(self, name: str) -> Any:
            if name in METHODS and not hasattr(type(self), name):
                raise AttributeError(refusal(type(self), METHODS[name]))
            return object.__getattribute__(self, name)  # the error that Python would have raised
