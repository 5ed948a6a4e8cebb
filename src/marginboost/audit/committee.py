"""Trees, a forest and, where lines help, a linear model in one vote, for audited rows.

Problem: boosted trees follow structure closely and wrong labels too; random trees follow both less;
straight lines follow neither, and are best where classes are apart by a sum of many features. Their
joint opinion errs less than each, at every noise level that was tried:

    F = t (1 - λ) ((1 - s) F_gradient + 2 s (1/T) Σ_τ h_τ)  +  u λ F_linear

F_gradient and F_linear are log-odds (of several classes: their scores), fitted to soft labels. h_τ
is the lead of the second class in a leaf of random tree τ; a lead v means log-odds of about 2v.

Up to :data:`~.votes.FEW_ROWS` rows t, u and λ come from the votes of the audit, on rows that they
had not seen, by the loss of a given label under the noise model: first the factors t and u, each
for its own part, then λ in 0, ¼, ½, ¾. A linear model is taken only where it is better by more than
two standard errors; else λ = 0, and none is fitted. The share s of the forest is 0.7, or 0.3 if
that is better by as much, as where features matter only together; where nearly all labels seem
right it is the best of six, and gradient boosting goes on for longer: with more wrong labels both
would follow them. Above that size s = 0.4, and 0 where tables are too large
for a forest; and there the forest learns from the labels as given, unless each class has a noise of
its own. With many rows in a leaf wrong labels are outvoted, and a forest that was not told what the
audit thinks errs in other rows than gradient trees that were.

Members that learnt from soft labels are too sure: what is unlikely was made unlikelier before they
saw it, and votes on a row know its label by way of the rows that learnt from it. So in the end all
factors are multiplied by one more, with which the last votes are as sure, in the mean, as the first
opinion of the audit was (:func:`as_sure_as`). No prediction changes, and probabilities can be used.

Certificate: none. Nothing bounds what other trees could do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, softmax
from sklearn.linear_model import LogisticRegression

from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..core.hypothesis import Hypothesis
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..estimators.base import algorithm_to_fit
from ..fitting.fit import fit
from ..fitting.rows import ReadMore, TrainingRows
from ..model import (
    BinaryModel,
    Features,
    FittedRun,
    LabelModel,
    Link,
    LogisticLink,
    SoftmaxLink,
)
from ..oracles.coordinates import Coordinates
from ..oracles.linear_scores import LinearScores
from ..types import Array
from .folds import some_of_all
from .soft_labels import SoftRows
from .stacking import Stack
from .votes import FEW_ROWS, committee_trees, forest

FOREST_ROWS = 50_000
"""Rows up to which a forest is grown."""
FOREST_SAMPLE = 20_000
"""Rows that it is grown from, at most."""
FOREST_TREES = 100
FOREST_SHARE, LARGE_FOREST_SHARE = 0.7, 0.4
"""Share of the forest in the log-odds, up to :data:`~.votes.FEW_ROWS` rows and above."""
FOREST_SHARES = (0.7, 0.85, 0.5, 0.3, 0.15, 0.0)
"""Shares to choose from where nearly all labels are right; of equally good ones the first."""
NOISY_FOREST_SHARES = (0.7, 0.3)
"""The usual share where more labels are wrong, and one that must prove that it is better."""
NEARLY_NO_NOISE = 0.05
"""Share of wrong labels below which votes choose the forest's share freely, and trees are more."""
LITTLE_NOISE = 0.15
"""Share of wrong labels below which a leaf of the forest may be a single row."""
LEAST_ROWS = 100
"""Rows from which on votes say how much each member counts."""
FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
LINEAR_SHARES = (0.0, 0.25, 0.5, 0.75)
STANDARD_ERRORS = 2.0
"""By how many a linear model, or another share of the forest, must help to be taken."""
LEAST_SURE, MOST_SURE = 0.02, 5.0
"""Least and largest factor that makes a committee as sure as the first votes were."""
SURENESS_ROWS = 50_000
"""Rows that it is found on, at most."""
LIMIT = 5.0
"""Standard deviations beyond which a value counts as if it were there, in the linear model."""
LEAST = 1e-4
"""Least probability of a vote: one that is sure and wrong must not decide alone."""
UNPROVEN = "gradient trees and a random forest: nothing bounds what other trees could do"


class Mixture(NamedTuple):
    """Factors on the log-odds of the members.

    Attributes
    ----------
    gradient, linear : float
        Of gradient trees and of the linear model; 0 where there is none.
    forest : float
        Of twice the mean lead in the forest.
    """

    gradient: float
    forest: float
    linear: float

    def __str__(self) -> str:
        """Members and their shares.

        >>> str(Mixture(0.6, 1.4, 0.0))
        'gradient trees 30 %, random trees 70 %'
        """
        named = zip(("gradient trees", "random trees", "straight lines"), self, strict=True)
        shares = ((who, 100.0 * part / sum(self)) for who, part in named)
        return ", ".join(f"{who} {share:.0f} %" for who, share in shares if share > 0.0)

    def times(self, factor: float) -> Mixture:
        """The same opinion, more or less sure."""
        return Mixture(*(factor * member for member in self))


class Committee(NamedTuple):
    """A fitted committee, and the last weights of its gradient trees on the rows it learnt from."""

    model: BinaryModel
    dual: Array


def kind_and_link(n_classes: int) -> tuple[type[BinaryModel], Link]:
    """What models of committees are, and how their scores become probabilities."""
    return (BinaryModel, LogisticLink(1.0)) if n_classes == 2 else (LabelModel, SoftmaxLink())


# -- how much each member counts -----------------------------------------------------------------


def choose_mixture(
    votes: Mapping[str, Array], stack: Stack, labels: Array
) -> tuple[Mixture, Array]:
    """Weigh the members by what they said of rows that they had not seen.

    Parameters
    ----------
    votes : mapping
        Class probabilities by "gradient trees", "linear" and, in small tables, "forest".
    stack : Stack
        The noise model, which gives the loss of a given label.
    labels : array of int
        Given labels, as positions.

    Returns
    -------
    mixture, probabilities
        The factors, and what the committee would have said of these rows.
    """
    trees, n_rows = _log_odds(votes["gradient trees"]), len(labels)
    if "forest" not in votes:
        share = LARGE_FOREST_SHARE if n_rows <= FOREST_ROWS else 0.0
        return Mixture(1.0 - share, share, 0.0), softmax(trees, axis=1)
    leads = (2.0 if trees.shape[1] == 2 else 4.0) * _centred(votes["forest"])
    if n_rows < LEAST_ROWS:
        grown = (1.0 - FOREST_SHARE) * trees + FOREST_SHARE * leads
        return Mixture(1.0 - FOREST_SHARE, FOREST_SHARE, 0.0), softmax(grown, axis=1)
    clean = stack.noise_rate < NEARLY_NO_NOISE
    shares: tuple[float, ...] = FOREST_SHARES if clean else NOISY_FOREST_SHARES
    mixed = {s: (1.0 - s) * trees + s * leads for s in shares}
    fits = {s: _best_factor(part, stack, labels) for s, part in mixed.items()}
    if clean:
        shares = (min(shares, key=lambda s: float(fits[s].losses.mean())),)
    lines = _log_odds(votes["linear"])
    u = _best_factor(lines, stack, labels).factor
    options = {
        (s, λ): softmax((1.0 - λ) * fits[s].factor * mixed[s] + λ * u * lines, axis=1)
        for s in shares
        for λ in LINEAR_SHARES
    }
    losses = {option: stack.losses(found, labels) for option, found in options.items()}
    plain, best = (shares[0], 0.0), min(losses, key=lambda option: float(losses[option].mean()))
    if not _is_better(losses[best], losses[plain]):
        best = plain
    share, linear = best
    kept = fits[share].factor * (1.0 - linear)
    return Mixture(kept * (1.0 - share), kept * share, u * linear), options[best]


def _log_odds(probabilities: Array) -> Array:
    return _centred(np.log(np.maximum(probabilities, LEAST)))


def _centred(values: Array) -> Array:
    return values - values.mean(axis=1, keepdims=True)


class Scaled(NamedTuple):
    """Factor that makes log-odds mean what they say, and the loss of each row with it."""

    factor: float
    losses: Array


def _best_factor(log_odds: Array, stack: Stack, labels: Array) -> Scaled:
    losses = [stack.losses(softmax(f * log_odds, axis=1), labels) for f in FACTORS]
    best = int(np.argmin([loss.mean() for loss in losses]))
    return Scaled(FACTORS[best], losses[best])


def _is_better(losses: Array, others: Array) -> bool:
    """Whether losses are less by more than chance allows, row by row."""
    gain = others - losses
    return bool(gain.mean() > STANDARD_ERRORS * gain.std() / np.sqrt(len(gain)))


def as_sure_as(belief: Array, probabilities: Array) -> float:
    """Factor on log-odds with which probabilities have the mean entropy of a belief.

    Parameters
    ----------
    belief : array (n_rows, n_classes)
        Who is as sure as they may be.
    probabilities : array (n_rows, n_classes)
        Who may be too sure, or not sure enough, of the same rows.

    Examples
    --------
    >>> belief, bold = np.array([[0.6, 0.4], [0.4, 0.6]]), np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> factor = as_sure_as(belief, bold)
    >>> softmax(factor * np.log(bold), axis=1).round(3).tolist()
    [[0.6, 0.4], [0.4, 0.6]]
    """
    if len(belief) > SURENESS_ROWS:
        some = np.random.default_rng(0).choice(len(belief), SURENESS_ROWS, replace=False)
        belief, probabilities = belief[some], probabilities[some]
    wanted, log_odds = entr(belief).sum(axis=1).mean(), _log_odds(probabilities)

    def missing(log_factor: float) -> float:
        found = softmax(np.exp(log_factor) * log_odds, axis=1)
        return float(entr(found).sum(axis=1).mean() - wanted)

    low, high = np.log(LEAST_SURE), np.log(MOST_SURE)
    if missing(low) <= 0.0:
        return LEAST_SURE
    return MOST_SURE if missing(high) >= 0.0 else float(np.exp(brentq(missing, low, high)))


# -- fit -----------------------------------------------------------------------------------------


class AuditedRows(NamedTuple):
    """What a committee learns from.

    Attributes
    ----------
    table : Table or BinnedMatrix
        The rows.
    bins : BinnedMatrix
        The same, binned.
    soft : SoftRows
        Labels and weights; ``rows`` are numbers of rows in both.
    for_forest : SoftRows
        The same for the forest.
    features : Features
        Names and kinds of the columns.
    classes : array
        The labels that positions in ``soft`` mean.
    read_more : callable
        Reads further rows, for callbacks.
    """

    table: Table | BinnedMatrix
    bins: BinnedMatrix
    soft: SoftRows
    for_forest: SoftRows
    features: Features
    classes: Array
    read_more: ReadMore


def fit_committee(data: AuditedRows, mixture: Mixture, settings: dict[str, Any]) -> Committee:
    """Fit the members to soft labels.

    Parameters
    ----------
    data : AuditedRows
        Rows and labels.
    mixture : Mixture
        How much each member counts.
    settings : dict
        ``name`` of the estimator, what it has ``chosen``, the ``noise_rate`` of the labels, most
        ``n_estimators``, ``n_jobs``, ``random_state``, ``callbacks`` and ``verbose``.
    """
    rows, soft, classes = data.bins.take(data.soft.rows), data.soft, data.classes
    shared = {name: settings[name] for name in ("n_jobs", "random_state", "callbacks", "verbose")}
    shape = data.bins.n_rows, data.bins.n_features
    clean = settings["noise_rate"] < NEARLY_NO_NOISE
    trees = committee_trees(shape, len(classes), clean, **shared)
    trees.set_params(n_estimators=min(trees.n_estimators or 1, settings["n_estimators"]))
    training = TrainingRows(
        data.features, rows, soft.weights, data.read_more, classes=classes, codes=soft.labels
    )
    fitted = fit(algorithm_to_fit(trees), training)
    (run,) = fitted.model.runs
    members, coef = list(run.ensemble.members), mixture.gradient * run.ensemble.coef
    if mixture.forest > 0.0:
        grown = _grow_forest(data, settings)
        members += grown
        coef = np.append(coef, np.full(len(grown), 2.0 * mixture.forest / len(grown)))
    if mixture.linear > 0.0:
        for lines, size in _fit_lines(data):
            members.append(lines)
            coef = np.append(coef, mixture.linear * size)
    kind, link = kind_and_link(len(classes))
    model = kind(
        name=settings["name"],
        features=data.features,
        chosen=settings["chosen"],
        classes=classes,
        run=FittedRun(Ensemble(tuple(members), coef), run.history, run.certificate, run.stop),
        link=link,
    )
    return Committee(model, fitted.dual)


def uncertified(least_margin: float) -> Certificate:
    """What is known of a committee: its own smallest margin, and that none exceeds 1."""
    return Certificate(least_margin, 1.0, least_margin, False, UNPROVEN)


def _grow_forest(data: AuditedRows, settings: dict[str, Any]) -> list[Any]:
    seed = 0 if settings["random_state"] is None else settings["random_state"]
    soft = data.for_forest
    some = np.arange(len(soft.rows))
    if len(some) > FOREST_SAMPLE:
        some = some_of_all(soft.labels, FOREST_SAMPLE)
    size = min(data.bins.n_rows, FOREST_SAMPLE)
    made = forest(size, settings["n_jobs"], seed, FOREST_TREES)
    if size <= FEW_ROWS and settings["noise_rate"] < LITTLE_NOISE:
        made.set_params(min_samples_leaf=1)
    rows = data.bins.take(soft.rows[some])
    made.fit(rows, soft.labels[some], sample_weight=soft.weights[some])
    return made.hypotheses()


def _fit_lines(data: AuditedRows) -> list[tuple[Hypothesis, float]]:
    """Fit a linear model: a hypothesis and the largest of its log-odds; none if nothing varies.

    Binned rows have no values that a line could read.
    """
    rows, soft = data.table, data.soft
    if isinstance(rows, BinnedMatrix):
        return []
    sample = Sample.of_labels(np.ones(rows.n_rows), rows=rows)
    coordinates, values = Coordinates.learn(sample, "committee")
    if not len(coordinates):
        return []
    values = np.clip(values, -LIMIT, LIMIT)
    model = LogisticRegression(max_iter=1000)
    model.fit(values[soft.rows], soft.labels, sample_weight=soft.weights)
    scores = values @ model.coef_.T + model.intercept_
    size = float(np.abs(scores).max()) or 1.0
    weights, offsets = np.ascontiguousarray(model.coef_) / size, model.intercept_ / size
    return [(LinearScores(coordinates, weights, offsets, LIMIT), size)]
