"""One opinion from many voters, when the labels that judge the voters are noisy themselves.

Every voter v gives out-of-fold class probabilities. Their logarithms are added with weights
w_v >= 0 and a constant c_k for each class, so that the combination is again a distribution q:

    q_k(x)  ∝  exp(c_k + Σ_v w_v log p_vk(x))

A label is wrong with a probability that depends on the true class: T_jk is the probability that a
row of class j carries label k. Weights and constants maximise the likelihood of the given labels,

    Σ_i log Σ_j q_j(x_i) T_{j y_i}

so a voter that knows nothing gets no weight, a row whose label is wrong pulls with a bounded force,
and the constants undo what noise of one class does to voters that learnt from it. By Bayes' rule
the label y of a row is then right with probability q_y T_yy / Σ_j q_j T_jy.

Likelihood alone can hardly tell wrong labels from classes that overlap. Therefore T comes from the
rows of each class that the voters are surest of: there classes overlap least, and labels that
contradict the voters are what noise alone explains. (It is an upper bound where classes overlap
everywhere.) There are two ideas of T:

labels drawn by chance
    A label is the true one with probability 1 - ε, and else drawn whatever the truth is: label k
    with probability β_k, Σβ = ε. (β_k = ε / K is noise that strikes all alike; a large β_k says
    that rows of other classes end up with label k.)
a rate for each class
    A label of class j is wrong with probability ρ_j, and then any other one. Where most labels of a
    class are wrong, voters that learnt from them never predict it, and no label contradicts them;
    but their votes for it still lie apart from those on rows of other classes, whatever the label.
    So ρ starts from the confident joint (Northcutt et al. 2021), in which a row counts for a class
    if its vote exceeds the mean vote for that class among the rows so labelled. With that the
    constants move to where the classes part, and the surest rows can be counted.

The second has K - 1 further rates. It is taken if it adds more than (K - 1) log(n) / 2 to the
log-likelihood of n rows (Schwarz's criterion): where classes overlap, rates that differ are often
but their overlap, and do harm on labels that are right. And it is not taken if two of three rows
with the commonest label would be of another class, or if some label would be likelier for rows of
another class than for those of its own: where one class is rare, votes that say little can be read
as "nearly all rows are of that class, and most of their labels wrong".

Where the votes say nothing of the labels (the shares of the classes are as likely), no noise is
found either: whatever there is cannot be told from classes that overlap everywhere.

Voters that learn again, from labels weighed by that, err less; :meth:`Stack.after` joins both
opinions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from ..data.table import row_chunks
from ..types import Array
from .folds import some_of_all

FLOOR = 1e-3
"""Least probability of a voter: one that is sure and wrong must not decide alone."""
PENALTY = 1e-3
"""Price of squared weights and constants: finite even if a voter is never wrong."""
STACKING_ROWS = 50_000
"""Rows that weights and shares are fitted to, at most."""
MOST_NOISE = 0.9
SURE_ROWS = 0.3
"""Share of the rows of a class, the surest ones, that tell how many labels are wrong."""
PRIOR_COUNT = 20.0
"""Wrong labels that a class must show before its own rate counts for more than that of all."""
ROUNDS = 3
"""Turns of fitting weights to β and β to weights."""
RATE_PRIOR = 3.0
"""Rows with the noise of all classes that each class is thought to have besides its own."""
LEAST_GAIN = 1.0
"""Log-likelihood by which votes must beat the shares of the classes to say anything."""
LEAST_RATE = 1e-4
LEAST_TRUST = 1.0 / 3.0
"""Share of rows in which the commonest label must be right for rates of classes to be believed."""
ROUNDING = 1e-9
"""Share by which a vote may miss the mean that it is compared with."""


@dataclass(frozen=True)
class Stack:
    """A combination of voters.

    Attributes
    ----------
    weights : array (n_voters,)
        Weight of each voter.
    noise : array (n_classes, n_classes)
        T, the probability of each label (column) for rows of each class (line).
    belief : array (n_rows, n_classes)
        q, the distribution over the true class before the label is seen.
    by_class : bool
        Whether T has a rate for each class, or labels are thought to be drawn by chance.
    """

    weights: Array
    noise: Array
    belief: Array
    by_class: bool = False

    @property
    def noise_rate(self) -> float:
        """Share of labels that are wrong."""
        return float(self.belief.mean(axis=0) @ (1.0 - np.diag(self.noise)))

    def trust(self, labels: Array) -> Array:
        """Probability that each label is right, after it is seen."""
        return np.asarray(self.posterior(labels)[np.arange(len(labels)), labels])

    def posterior(self, labels: Array) -> Array:
        """Probability of each class (rows, classes), after the labels are seen."""
        joint = self.belief * self.noise.T[labels]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def losses(self, probabilities: Array, labels: Array) -> Array:
        """Minus log likelihood of each given label, if these were the truth's probabilities.

        With them classifiers are compared on labels of which some are wrong: one that contradicts
        a wrong label pays no more for it than noise does.
        """
        likely = (np.maximum(probabilities, FLOOR) * self.noise.T[labels]).sum(axis=1)
        return np.asarray(-np.log(likely))

    def after(self, second: Stack) -> Stack:
        """Join what was believed before and after the voters learnt from soft labels.

        Beliefs are averaged in logarithms. T stays as it was: voters that learnt from labels put
        right contradict fewer of those given, and would say that less is wrong.
        """
        logs = np.log(np.maximum(self.belief, FLOOR)) + np.log(np.maximum(second.belief, FLOOR))
        weights = (self.weights + second.weights) / 2.0
        belief = np.exp(log_softmax(logs / 2.0, axis=1))
        return Stack(weights, self.noise, belief, self.by_class)


def stack_votes(
    probabilities: Sequence[Array], labels: Array, before: Stack | None = None
) -> Stack:
    """Combine voters.

    Parameters
    ----------
    probabilities : sequence of arrays (n_rows, n_classes)
        Out-of-fold class probabilities of each voter.
    labels : array of int
        Given classes, as positions.
    before : Stack, optional
        What was believed before the voters learnt from soft labels. Its idea of the noise is kept,
        and where that is a rate for each class, the rates too.

    Examples
    --------
    The second voter tosses a coin and gets no weight; two of twenty labels are wrong:

    >>> labels = np.array([0] * 9 + [1] + [1] * 9 + [0])
    >>> sure = np.repeat([[0.9, 0.1], [0.1, 0.9]], 10, axis=0)
    >>> coin = np.full((20, 2), 0.5)
    >>> stack = stack_votes([sure, coin], labels)
    >>> np.flatnonzero(stack.trust(labels) < 0.5).tolist()
    [9, 19]
    """
    n_rows, n_classes = probabilities[0].shape
    some = np.arange(n_rows)
    if n_rows > STACKING_ROWS:
        some = some_of_all(labels, STACKING_ROWS)
    logs, given = _logs(probabilities, some), labels[some]
    fit = _noise_model(logs, given) if before is None else _same_noise(before, logs, given)
    belief = np.empty((n_rows, n_classes))
    for start, stop in row_chunks(n_rows):
        part = slice(start, stop)
        belief[part] = _combine(fit.point, _logs(probabilities, part)).T
    return Stack(fit.point[: len(probabilities)], fit.noise, belief, fit.by_class)


def _logs(probabilities: Sequence[Array], rows: Array | slice) -> Array:
    """Logarithms of some rows (voters, classes, rows), with mean zero over the classes."""
    logs = np.log(np.maximum(np.array([voter[rows].T for voter in probabilities]), FLOOR))
    logs -= logs.mean(axis=1, keepdims=True)
    return logs


class Fit(NamedTuple):
    """Weights and constants, one after the other, and the noise that goes with them."""

    point: Array
    noise: Array
    by_class: bool

    def joint(self, logs: Array, labels: Array) -> Array:
        """Probability (classes, rows) of each class together with the given label."""
        return _combine(self.point, logs) * self.noise[:, labels]

    def log_likelihood(self, logs: Array, labels: Array) -> float:
        """Of the given labels; the price of weights does not count."""
        return float(np.log(self.joint(logs, labels).sum(axis=0)).sum())


def _noise_model(logs: Array, labels: Array) -> Fit:
    """Fit both ideas of noise, and take the likelier one; none where votes say nothing."""
    _, n_classes, n_rows = logs.shape
    point = _fit(_start(logs), np.eye(n_classes), logs, labels)
    unaided = Fit(point, np.eye(n_classes), by_class=False)
    shares = np.bincount(labels, minlength=n_classes) / n_rows
    if unaided.log_likelihood(logs, labels) - np.log(shares[labels]).sum() < LEAST_GAIN:
        return unaided
    by_chance = _labels_by_chance(point, logs, labels)
    by_class = _rate_for_each_class(point, logs, labels)
    gain = by_class.log_likelihood(logs, labels) - by_chance.log_likelihood(logs, labels)
    likelier = gain > (n_classes - 1) * math.log(n_rows) / 2.0
    believable = _trust_of_the_commonest(by_class, logs, labels) > LEAST_TRUST
    return by_class if likelier and believable and tells(by_class.noise) else by_chance


def tells(noise: Array) -> bool:
    """Whether each label is likelier for rows of its class (lines) than for rows of any other.

    Else classes have changed places.

    >>> tells(np.array([[0.4, 0.6], [0.1, 0.9]])), tells(np.array([[0.6, 0.4], [0.8, 0.2]]))
    (True, False)
    """
    others = noise - 2.0 * np.eye(len(noise))
    return bool((np.diag(noise) > others.max(axis=0)).all())


def _trust_of_the_commonest(fit: Fit, logs: Array, labels: Array) -> float:
    """Share of the rows with the commonest label in which it is right."""
    commonest = int(np.bincount(labels).argmax())
    rows = np.flatnonzero(labels == commonest)
    joint = fit.joint(logs[:, :, rows], labels[rows])
    return float((joint[commonest] / joint.sum(axis=0)).mean())


def _same_noise(before: Stack, logs: Array, labels: Array) -> Fit:
    """Fit the idea of noise that was taken before, with its rates if each class has one."""
    if before.by_class:
        return Fit(_fit(_start(logs), before.noise, logs, labels), before.noise, by_class=True)
    point = _fit(_start(logs), np.eye(logs.shape[1]), logs, labels)
    return _labels_by_chance(point, logs, labels)


def _start(logs: Array) -> Array:
    """All voters alike, and no constants."""
    n_voters, n_classes, _ = logs.shape
    return np.concatenate([np.full(n_voters, 1.0 / n_voters), np.zeros(n_classes)])


def _fit(start: Array, noise: Array, logs: Array, labels: Array) -> Array:
    """Weights and constants that are most likely with this noise."""
    n_voters, n_classes, _ = logs.shape
    found: Array = minimize(
        _negative_log_likelihood,
        start,
        args=(noise[:, labels], logs),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n_voters + [(None, None)] * n_classes,
    ).x
    return found


def _labels_by_chance(point: Array, logs: Array, labels: Array) -> Fit:
    """Fit the first idea of noise, from weights that suit labels without any."""
    noise = _noise_by_chance(_combine(point, logs), labels)
    for _ in range(ROUNDS - 1):
        point = _fit(point, noise, logs, labels)
        noise = _noise_by_chance(_combine(point, logs), labels)
    return Fit(point, noise, by_class=False)


def _noise_by_chance(belief: Array, labels: Array) -> Array:
    shares = random_shares(sure_rows(belief, labels))
    return np.asarray(shares + (1.0 - shares.sum()) * np.eye(len(shares)))


def _rate_for_each_class(point: Array, logs: Array, labels: Array) -> Fit:
    """Fit the second idea of noise, from weights that suit labels without any."""
    noise = _noise_of_classes(confident_joint(_combine(point, logs), labels))
    point = _fit(point, noise, logs, labels)
    noise = _noise_of_classes(sure_rows(_combine(point, logs), labels))
    return Fit(_fit(point, noise, logs, labels), noise, by_class=True)


def _noise_of_classes(counts: Array) -> Array:
    """T with a rate for each class, from rows by true class (lines) and label (columns)."""
    rows, n_classes = counts.sum(axis=1), len(counts)
    wrong = rows - np.diag(counts)
    common = wrong.sum() / rows.sum()
    rates = (wrong + RATE_PRIOR * common) / (rows + RATE_PRIOR)
    rates = np.clip(rates, LEAST_RATE, MOST_NOISE)
    noise = np.repeat(rates[:, None] / (n_classes - 1), n_classes, axis=1)
    np.fill_diagonal(noise, 1.0 - rates)
    return noise


def _by_label(shares: Array, labels: Array) -> Array:
    """Sum over the rows (classes, rows) with each label."""
    return np.asarray([np.bincount(labels, mine, len(shares)) for mine in shares])


def confident_joint(belief: Array, labels: Array) -> Array:
    """Count rows by the class that they are confidently of (lines) and by label (columns).

    Parameters
    ----------
    belief : array (n_classes, n_rows)
        Class probabilities, of voters that learnt from these labels but for the row's own.
    labels : array of int
        Given classes, as positions.

    Examples
    --------
    Half of the labels of the first class are wrong, and its vote never exceeds one half:

    >>> belief = np.array([[0.5, 0.5, 0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]])
    >>> confident_joint(belief, np.array([0, 0, 1, 1, 1, 1])).tolist()
    [[2.0, 2.0], [0.0, 2.0]]
    """
    n_classes = len(belief)
    sizes = np.bincount(labels, minlength=n_classes)
    own = np.bincount(labels, belief[labels, np.arange(len(labels))], n_classes)
    confident = belief >= (own / np.maximum(sizes, 1))[:, None] * (1.0 - ROUNDING)
    votes = np.where(confident, belief, -1.0)
    counted = (votes.argmax(axis=0) == np.arange(n_classes)[:, None]) & confident
    counts = _by_label(counted, labels)
    unseen = np.flatnonzero(counts.sum(axis=0) == 0.0)
    counts[unseen, unseen] = 1.0
    return np.asarray(counts * (sizes / counts.sum(axis=0)))


def sure_rows(belief: Array, labels: Array) -> Array:
    """Count the rows that are easiest to tell, by predicted class (lines) and label (columns)."""
    n_classes = len(belief)
    predicted = belief.argmax(axis=0)
    order = np.argsort(-belief.max(axis=0), kind="stable")
    ranked = [order[predicted[order] == k] for k in range(n_classes)]
    sure = [rows[: math.ceil(SURE_ROWS * len(rows))] for rows in ranked]
    return np.array([np.bincount(labels[rows], minlength=n_classes) for rows in sure])


def random_shares(counts: Array) -> Array:
    """Estimate β by the labels of the rows that are easiest to tell.

    β_k is the share with label k among those of them that are of another class; a class of which
    few are wrong takes its share from all classes together.
    """
    others = counts.sum() - counts.sum(axis=1)
    wrong = counts.sum(axis=0) - np.diag(counts)
    # No row seen wrong does not prove that none is.
    common = (wrong.sum() + 0.5) / (others.sum() + 1.0)
    shares = (wrong + PRIOR_COUNT) / (others + PRIOR_COUNT / common)
    return np.asarray(shares * min(1.0, MOST_NOISE / float(shares.sum())))


def _combine(point: Array, logs: Array) -> Array:
    """Belief (classes, rows) from weights and constants, which stand one after the other."""
    weights, constants = point[: len(logs)], point[len(logs) :]
    belief = np.tensordot(weights, logs, 1) + constants[:, None]
    belief -= belief.max(axis=0)
    np.exp(belief, out=belief)
    belief /= belief.sum(axis=0)
    return belief


def _negative_log_likelihood(point: Array, likely: Array, logs: Array) -> tuple[float, Array]:
    """Mean over the rows, and its gradient in weights and constants.

    ``likely`` (classes, rows) is the probability of each given label, were that the true class.
    """
    n_rows = logs.shape[2]
    belief = _combine(point, logs)
    joint = belief * likely
    total = joint.sum(axis=0)
    slope = belief - joint / total
    value = -float(np.log(total).mean()) + PENALTY * float(point @ point)
    gradient = np.concatenate([np.tensordot(logs, slope, 2), slope.sum(axis=1)])
    return value, gradient / n_rows + 2.0 * PENALTY * point
