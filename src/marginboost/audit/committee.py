"""Gradient trees and a random forest in one vote, for rows whose labels an audit has judged.

Problem: boosted trees follow structure closely and wrong labels too; random trees follow both less.
The mean of their opinions errs less than either, at every noise level that was tried. Both are sums
of trees, so the mean is one ensemble:

    F = ½ F_gradient + (1/T) Σ_t h_t

F_gradient are log-odds (of several classes: their scores), fitted to soft labels. h_t is the lead
of the second class in a leaf of random tree t; a lead v means log-odds of about 2v, so the second
part is half of the forest's log-odds. Where tables are too large for a forest, F is F_gradient.

Certificate: none. Nothing bounds what other trees could do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..data import BinnedMatrix
from ..estimators.classifier import TrainingSet
from ..estimators.multiclass import ONE_VS_REST
from ..model import (
    BinaryModel,
    Features,
    FittedRun,
    LabelModel,
    Link,
    LogisticLink,
    SoftmaxLink,
)
from ..types import Array
from .soft_labels import SoftRows
from .votes import FEW_ROWS, forest, gradient_trees

FOREST_ROWS = 50_000
"""Rows up to which a forest is grown."""
FOREST_SAMPLE = 20_000
"""Rows that it is grown from, at most."""
FOREST_TREES = 100
LITTLE_NOISE = 0.05
"""Share of wrong labels below which a leaf of the forest may be a single row."""
UNPROVEN = "gradient trees and a random forest: nothing bounds what other trees could do"


class Committee(NamedTuple):
    """A fitted committee, and the last weights of its gradient trees on the rows it learnt from."""

    model: BinaryModel
    dual: Array


def kind_and_link(n_classes: int) -> tuple[type[BinaryModel], Link]:
    """What models of committees are, and how their scores become probabilities."""
    return (BinaryModel, LogisticLink(1.0)) if n_classes == 2 else (LabelModel, SoftmaxLink())


def committee_votes(gradient: Array, forest: Array | None) -> Array:
    """Class probabilities of a committee whose members have these."""
    logs = np.log(np.maximum(gradient, 1e-9))
    if forest is None:
        return np.asarray(softmax(logs, axis=1))
    lead = 1.0 if gradient.shape[1] == 2 else 2.0
    return np.asarray(softmax(logs / 2.0 + lead * forest, axis=1))


def fit_committee(
    bins: BinnedMatrix, soft: SoftRows, features: Features, classes: Array, settings: dict[str, Any]
) -> Committee:
    """Fit both members to soft labels.

    Parameters
    ----------
    bins : BinnedMatrix
        The rows.
    soft : SoftRows
        Labels and weights; ``rows`` are numbers of rows in ``bins``.
    features : Features
        Names and kinds of the columns.
    classes : array
        The labels that positions in ``soft`` mean.
    settings : dict
        ``name`` of the estimator, what it has ``chosen``, the ``noise_rate`` of the labels, most
        ``n_estimators``, ``n_jobs``, ``random_state``, ``callbacks`` and ``verbose``.
    """
    rows = bins.take(soft.rows)
    shared = {name: settings[name] for name in ("n_jobs", "random_state", "callbacks", "verbose")}
    trees = gradient_trees(bins.n_rows, len(classes), **shared)
    trees.set_params(n_estimators=min(trees.n_estimators or 1, settings["n_estimators"]))
    trees.set_features(features)
    data = TrainingSet(features, rows, classes, soft.labels, soft.weights)
    trees.learn(data, trees.checked_oracle(), ONE_VS_REST)
    (run,) = trees.model_.runs
    members, coef = list(run.ensemble.members), run.ensemble.coef
    if bins.n_rows <= FOREST_ROWS:
        grown = _grow_forest(rows, soft, bins.n_rows, settings)
        members += grown
        coef = np.concatenate([coef / 2.0, np.full(len(grown), 1.0 / len(grown))])
    kind, link = kind_and_link(len(classes))
    model = kind(
        name=settings["name"],
        features=features,
        chosen=settings["chosen"],
        classes=classes,
        run=FittedRun(Ensemble(tuple(members), coef), run.history, run.certificate, run.stop),
        link=link,
    )
    return Committee(model, trees.dual_)


def uncertified(least_margin: float) -> Certificate:
    """What is known of a committee: its own smallest margin, and that none exceeds 1."""
    return Certificate(least_margin, 1.0, least_margin, False, UNPROVEN)


def _grow_forest(
    rows: BinnedMatrix, soft: SoftRows, n_rows: int, settings: dict[str, Any]
) -> list[Any]:
    seed = 0 if settings["random_state"] is None else settings["random_state"]
    some = np.arange(len(soft.rows))
    if len(some) > FOREST_SAMPLE:
        some = np.random.default_rng(0).choice(some, FOREST_SAMPLE, replace=False)
        rows = rows.take(some)
    size = min(n_rows, FOREST_SAMPLE)
    made = forest(size, settings["n_jobs"], seed, FOREST_TREES)
    if size <= FEW_ROWS and settings["noise_rate"] < LITTLE_NOISE:
        made.set_params(min_samples_leaf=1)
    made.fit(rows, soft.labels[some], sample_weight=soft.weights[some])
    return made.hypotheses()
