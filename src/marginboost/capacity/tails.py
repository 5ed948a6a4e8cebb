"""How far a mean of coin flips strays: the exact tail, Hoeffding's bound, the union of events.

See SF-Q6, SF-Q7, SF-Q9, SF-C10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from scipy.stats import binom

from ..validation import check_number

ROUNDING = 1e-9
"""``(p - ε) m`` counts as the integer that it misses by rounding."""


def binomial_tail(n_examples: int, p: float, epsilon: float) -> float:
    """Exact probability that the mean of m coins of bias p is at most ``p - ε`` (SF-Q6, eq. 2.4).

    >>> round(binomial_tail(100, 0.5, 0.1), 6)
    0.028444
    """
    check_number("n_examples", n_examples, at_least=1, integer=True)
    check_number("p", p, at_least=0.0, at_most=1.0)
    check_number("epsilon", epsilon, at_least=0.0)
    most = (p - epsilon) * n_examples + ROUNDING
    return float(binom.cdf(float(math.floor(most)), float(n_examples), p)) if most >= 0.0 else 0.0


def hoeffding_tail(n_examples: int, epsilon: float) -> float:
    """Hoeffding: a mean of m independent numbers in [0, 1] misses its mean by ε (SF-Q7, Thm 2.1).

    ``P ≤ exp(-2 m ε²)``, above as below, whatever the distribution; a bound on
    :func:`binomial_tail` for every p (SF-C10).

    >>> round(hoeffding_tail(100, 0.1), 6)
    0.135335
    """
    check_number("n_examples", n_examples, at_least=1, integer=True)
    check_number("epsilon", epsilon, at_least=0.0)
    size = math.sqrt(n_examples) * float(epsilon)  # whose square may be infinite, but never NaN
    return math.exp(-2.0 * size * size)


def union_bound(probabilities: Iterable[float]) -> float:
    """Probability that any of several events happens, at most (SF-Q9): their sum, or one."""
    if not isinstance(probabilities, Iterable):
        raise TypeError(f"probabilities: got {probabilities!r}, expected numbers")
    values = list(probabilities)
    for value in values:
        check_number("probabilities", value, at_least=0.0, at_most=1.0)
    return min(math.fsum(values), 1.0)
