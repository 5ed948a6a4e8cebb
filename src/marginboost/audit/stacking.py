"""One opinion from many voters, when the labels that judge the voters are noisy themselves.

Every voter v gives out-of-fold class probabilities. Their logarithms are added with weights
w_v >= 0 and a constant c_k for each class, so that the combination is again a distribution q:

    q_k(x)  ∝  exp(c_k + Σ_v w_v log p_vk(x))

A label is thought to be the true one with probability 1 - ε, and else drawn whatever the truth is:
label k with probability β_k, Σβ = ε. (β_k = ε / K is noise that strikes all alike; a large β_k says
that rows of other classes end up with label k.) Weights and constants maximise the likelihood of
the given labels,

    Σ_i log((1 - ε) q_{y_i}(x_i) + β_{y_i})

so a voter that knows nothing gets no weight, a row whose label is wrong pulls with a bounded force,
and the constants undo what noise of one class does to voters that learnt from it.

Likelihood alone can hardly tell wrong labels from classes that overlap. Therefore β comes from the
rows of each class that the voters are surest of: there classes overlap least, and labels that
contradict the voters are what noise alone explains. (It is an upper bound where classes overlap
everywhere.) By Bayes' rule the label of a row is then right with probability

    (1 - ε + β_y) q_y / ((1 - ε) q_y + β_y).

Voters that learn again, from labels weighed by that, err less; :meth:`Stack.after` joins both
opinions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from ..data.table import row_chunks
from ..types import Array

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


@dataclass(frozen=True)
class Stack:
    """A combination of voters.

    Attributes
    ----------
    weights : array (n_voters,)
        Weight of each voter.
    random_shares : array (n_classes,)
        β, the share of rows that get each label by chance, rightly or wrongly.
    belief : array (n_rows, n_classes)
        q, the distribution over the true class before the label is seen.
    """

    weights: Array
    random_shares: Array
    belief: Array

    @property
    def random_share(self) -> float:
        """ε, the share of labels that say nothing."""
        return float(self.random_shares.sum())

    @property
    def noise_rate(self) -> float:
        """Share of labels that are wrong."""
        return float(self.random_shares @ (1.0 - self.belief.mean(axis=0)))

    def trust(self, labels: Array) -> Array:
        """Probability that each label is right, after it is seen."""
        own = self.belief[np.arange(len(labels)), labels]
        kept, blind = 1.0 - self.random_share, self.random_shares[labels]
        return (kept + blind) * own / (kept * own + blind)

    def posterior(self, labels: Array) -> Array:
        """Probability of each class (rows, classes), after the labels are seen."""
        likely = np.repeat(self.random_shares[labels][:, None], self.belief.shape[1], axis=1)
        likely[np.arange(len(labels)), labels] += 1.0 - self.random_share
        joint = self.belief * likely
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def losses(self, probabilities: Array, labels: Array) -> Array:
        """Minus log likelihood of each given label, if these were the truth's probabilities.

        With them classifiers are compared on labels of which some are wrong: one that contradicts
        a wrong label pays no more for it than noise does.
        """
        own = np.maximum(probabilities[np.arange(len(labels)), labels], FLOOR)
        return -np.log((1.0 - self.random_share) * own + self.random_shares[labels])

    def after(self, second: Stack) -> Stack:
        """Join what was believed before and after the voters learnt from soft labels.

        Beliefs are averaged in logarithms. β stays as it was: voters that learnt from labels put
        right contradict fewer of those given, and would say that less is wrong.
        """
        logs = np.log(np.maximum(self.belief, FLOOR)) + np.log(np.maximum(second.belief, FLOOR))
        weights = (self.weights + second.weights) / 2.0
        return Stack(weights, self.random_shares, np.exp(log_softmax(logs / 2.0, axis=1)))


def stack_votes(probabilities: Sequence[Array], labels: Array) -> Stack:
    """Combine voters.

    Parameters
    ----------
    probabilities : sequence of arrays (n_rows, n_classes)
        Out-of-fold class probabilities of each voter.
    labels : array of int
        Given classes, as positions.

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
    n_voters, (n_rows, n_classes) = len(probabilities), probabilities[0].shape
    some = np.arange(n_rows)
    if n_rows > STACKING_ROWS:
        some = np.random.default_rng(0).choice(n_rows, STACKING_ROWS, replace=False)
    logs, given = _logs(probabilities, some), labels[some]
    point = np.concatenate([np.full(n_voters, 1.0 / n_voters), np.zeros(n_classes)])
    blind = np.zeros(n_classes)
    for _ in range(ROUNDS):
        point = minimize(
            _negative_log_likelihood,
            point,
            args=(blind, logs, given),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * n_voters + [(None, None)] * n_classes,
        ).x
        blind = random_shares(_combine(point, logs).T, given)
    belief = np.empty((n_rows, n_classes))
    for start, stop in row_chunks(n_rows):
        part = slice(start, stop)
        belief[part] = _combine(point, _logs(probabilities, part)).T
    return Stack(point[:n_voters], blind, belief)


def _logs(probabilities: Sequence[Array], rows: Array | slice) -> Array:
    """Logarithms of some rows (voters, classes, rows), with mean zero over the classes."""
    logs = np.log(np.maximum(np.array([voter[rows].T for voter in probabilities]), FLOOR))
    logs -= logs.mean(axis=1, keepdims=True)
    return logs


def random_shares(belief: Array, labels: Array) -> Array:
    """Estimate β by the labels of the rows that are easiest to tell.

    β_k is the share with label k among those of them that are of another class; a class of which
    few are wrong takes its share from all classes together.
    """
    classes = np.arange(belief.shape[1])
    predicted = belief.argmax(axis=1)
    order = np.argsort(-belief.max(axis=1), kind="stable")
    ranked = [order[predicted[order] == k] for k in classes]
    sure = np.concatenate([rows[: math.ceil(SURE_ROWS * len(rows))] for rows in ranked])
    predicted, given = predicted[sure], labels[sure]
    others = len(sure) - np.bincount(predicted, minlength=len(classes))
    wrong = np.bincount(given[predicted != given], minlength=len(classes))
    # No row seen wrong does not prove that none is.
    common = (wrong.sum() + 0.5) / (others.sum() + 1.0)
    shares = (wrong + PRIOR_COUNT) / (others + PRIOR_COUNT / common)
    return shares * min(1.0, MOST_NOISE / float(shares.sum()))


def _combine(point: Array, logs: Array) -> Array:
    """Belief (classes, rows) from weights and constants, which stand one after the other."""
    weights, constants = point[: len(logs)], point[len(logs) :]
    belief = np.tensordot(weights, logs, 1) + constants[:, None]
    belief -= belief.max(axis=0)
    np.exp(belief, out=belief)
    belief /= belief.sum(axis=0)
    return belief


def _negative_log_likelihood(
    point: Array, blind: Array, logs: Array, labels: Array
) -> tuple[float, Array]:
    """Mean over the rows, and its gradient in weights and constants."""
    n_rows = logs.shape[2]
    rows, kept = np.arange(n_rows), 1.0 - float(blind.sum())
    belief = _combine(point, logs)
    own = belief[labels, rows]
    likely = kept * own + blind[labels]
    share = kept * own / likely
    slope = belief * share
    slope[labels, rows] -= share
    value = -float(np.log(likely).mean()) + PENALTY * float(point @ point)
    gradient = np.concatenate([np.tensordot(logs, slope, 2), slope.sum(axis=1)])
    return value, gradient / n_rows + 2.0 * PENALTY * point
