"""One opinion from many voters, when the labels that judge the voters are noisy themselves.

Every voter v gives out-of-fold class probabilities. Their logarithms are added with weights
w_v >= 0, so that the combination is again a distribution q over the classes:

    q_k(x)  ∝  exp(Σ_v w_v log p_vk(x))

A label is thought to be the true one with probability 1 - ε, and drawn at random from the K classes
with probability ε. Weights maximise the likelihood of the given labels,

    Σ_i log((1 - ε) q_{y_i}(x_i) + ε / K)

so a voter that knows nothing gets no weight, and a row whose label is wrong pulls at the weights
with a bounded force.

Likelihood alone can hardly tell wrong labels from classes that overlap. Therefore ε comes from the
rows that the voters are surest of: there classes overlap least, and the share of labels that
contradict the voters is what noise alone explains. (It is an upper bound where classes overlap
everywhere.) By Bayes' rule the label of a row is then right with probability

    (1 - ε + ε/K) q_y / ((1 - ε) q_y + ε/K).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from ..core.types import Array

FLOOR = 1e-3
"""Least probability of a voter: one that is sure and wrong must not decide alone."""
PENALTY = 1e-3
"""Price of the squared weights, which keeps them finite when a voter is never wrong."""
STACKING_ROWS = 100_000
"""Rows that the weights are fitted to, at most."""
MOST_NOISE = 0.9
SURE_ROWS = 0.3
"""Share of the rows, the surest ones, that tell how many labels are wrong."""
ROUNDS = 3
"""Turns of fitting weights to ε and ε to weights."""


@dataclass(frozen=True)
class Stack:
    """A combination of voters.

    Attributes
    ----------
    weights : array (n_voters,)
        Weight of each voter.
    random_share : float
        ε, the share of labels that say nothing; ``ε (K - 1) / K`` of all labels are wrong.
    belief : array (n_rows, n_classes)
        q, the distribution over the true class before the label is seen.
    """

    weights: Array
    random_share: float
    belief: Array

    @property
    def noise_rate(self) -> float:
        """Share of labels that are wrong."""
        n_classes = self.belief.shape[1]
        return self.random_share * (n_classes - 1) / n_classes

    def trust(self, labels: Array) -> Array:
        """Probability that each label is right, after it is seen."""
        blind = self.random_share / self.belief.shape[1]
        own = self.belief[np.arange(len(labels)), labels]
        return (1.0 - self.random_share + blind) * own / ((1.0 - self.random_share) * own + blind)


def stack_votes(probabilities: Array, labels: Array) -> Stack:
    """Combine voters.

    Parameters
    ----------
    probabilities : array (n_voters, n_rows, n_classes)
        Out-of-fold class probabilities.
    labels : array of int
        Given classes, as positions.

    Examples
    --------
    The second voter tosses a coin and gets no weight; two of twenty labels are wrong:

    >>> labels = np.array([0] * 9 + [1] + [1] * 9 + [0])
    >>> sure = np.repeat([[0.9, 0.1], [0.1, 0.9]], 10, axis=0)
    >>> coin = np.full((20, 2), 0.5)
    >>> stack = stack_votes(np.array([sure, coin]), labels)
    >>> np.flatnonzero(stack.trust(labels) < 0.5).tolist()
    [9, 19]
    """
    logs = np.log(np.maximum(probabilities, FLOOR))
    logs -= logs.mean(axis=2, keepdims=True)
    n_voters, n_rows, _ = logs.shape
    some = np.arange(n_rows)
    if n_rows > STACKING_ROWS:
        some = np.random.default_rng(0).choice(n_rows, STACKING_ROWS, replace=False)
    weights = np.full(n_voters, 1.0 / n_voters)
    blind = 0.0
    for _ in range(ROUNDS):
        weights = minimize(
            _negative_log_likelihood,
            weights,
            args=(blind, np.ascontiguousarray(logs[:, some]), labels[some]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * n_voters,
        ).x
        belief = np.exp(log_softmax(np.tensordot(weights, logs, 1), axis=1))
        blind = random_share(belief, labels)
    return Stack(weights, blind, belief)


def random_share(belief: Array, labels: Array) -> float:
    """Estimate ε by the labels of the rows that are easiest to tell."""
    n_rows, n_classes = belief.shape
    sure = np.argsort(-belief.max(axis=1), kind="stable")[: max(1, round(SURE_ROWS * n_rows))]
    wrong = np.count_nonzero(belief[sure].argmax(axis=1) != labels[sure])
    rate = (wrong + 0.5) / (len(sure) + 1.0)  # no row seen wrong does not prove that none is
    return float(min(rate * n_classes / (n_classes - 1), MOST_NOISE))


def _negative_log_likelihood(
    weights: Array, blind: float, logs: Array, labels: Array
) -> tuple[float, Array]:
    """Mean over the rows, and its gradient in the weights."""
    n_rows, n_classes = logs.shape[1:]
    rows = np.arange(n_rows)
    belief = np.exp(log_softmax(np.tensordot(weights, logs, 1), axis=1))
    own = belief[rows, labels]
    likely = (1.0 - blind) * own + blind / n_classes
    slope = belief * ((1.0 - blind) * own / likely)[:, None]
    slope[rows, labels] -= (1.0 - blind) * own / likely
    value = -float(np.log(likely).mean()) + PENALTY * float(weights @ weights)
    return value, np.tensordot(logs, slope, 2) / n_rows + 2.0 * PENALTY * weights
