"""Fitted estimators whose model is changed by hand."""

from dataclasses import replace
from typing import Any

from marginboost.core.certificate import Certificate
from marginboost.core.ensemble import Ensemble
from marginboost.estimators.classifier import BaseMarginClassifier


def change_run(estimator: Any, **parts: Any) -> None:
    """Put other parts in the place of what the run of a fitted estimator found."""
    model = estimator.model_
    estimator.model_ = replace(model, run=replace(model.run, **parts))


def set_ensemble(estimator: Any, members: Any, coef: Any) -> None:
    """Give a fitted estimator other hypotheses and coefficients."""
    change_run(estimator, ensemble=Ensemble(tuple(members), coef))


def set_certificate(estimator: Any, certificate: Certificate) -> None:
    """Give a fitted estimator another certificate."""
    change_run(estimator, certificate=certificate)


def quick(name: str, **settings: Any) -> Any:
    """Make a classifier by its name; one that cross-validates inside does so with two folds."""
    kind = BaseMarginClassifier.__registry__[name]
    folds = {"cv": 2} if "cv" in kind().get_params() else {}
    return kind(**folds, **settings)
