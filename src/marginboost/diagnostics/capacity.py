"""How many examples a class of hypotheses needs.

See R1-Q04 to R1-Q06, R1-Q09, R1-Q10; Rätsch 2001, section 1.2.

The VC dimension ϑ of a class is the largest number of points that it can label in every way. All
bounds hold with probability 1 - δ over the sample, whatever the distribution, and are rough.
"""

from __future__ import annotations

import math

from ..validation import check_number

MOST = 1 << 60
"""Sample size from which a search comes down."""


def pac_sample_size(vc_dimension: float, *, epsilon: float, delta: float = 0.05) -> int:
    """Examples after which a hypothesis without training errors errs at most ε (R1-Q04, Thm 1.1).

    ``N₀ = ⌈(4/ε) (ϑ log₂(12/ε) + log₂(2/δ))⌉``.

    >>> pac_sample_size(10, epsilon=0.1)
    2976
    """
    _check(vc_dimension, delta)
    check_number("epsilon", epsilon, above=0.0, below=1.0)
    capacity = vc_dimension * math.log2(12.0 / epsilon) + math.log2(2.0 / delta)
    return math.ceil(4.0 / epsilon * capacity)


def vc_bound(
    n_examples: int, vc_dimension: float, empirical_risk: float = 0.0, *, delta: float = 0.05
) -> float:
    """Bound on the error of any hypothesis of the class (R1-Q05, Thm 1.2, eq. 1.4).

    ``R ≤ R_emp + √((8/N) (ϑ (log₂(2N/ϑ) + 1) + log₂(4/δ)))``, for N > ϑ.

    >>> round(vc_bound(1000, 10), 6)
    0.861443
    """
    check_number("empirical_risk", empirical_risk, at_least=0.0)
    terms = _capacity(n_examples, vc_dimension, delta) + math.log2(4.0 / delta)
    return empirical_risk + math.sqrt(8.0 / n_examples * terms)


def consistent_bound(n_examples: int, vc_dimension: float, *, delta: float = 0.05) -> float:
    """Bound on the error of a hypothesis without training errors (R1-Q06, Thm 1.3, eq. 1.5).

    ``R ≤ (4/N) (ϑ (log₂(2N/ϑ) + 1) + log₂(2/δ))``, for N > ϑ: no square root.

    >>> round(consistent_bound(1000, 10), 6)
    0.367042
    """
    terms = _capacity(n_examples, vc_dimension, delta) + math.log2(2.0 / delta)
    return 4.0 / n_examples * terms


def combined_vc_dimension(vc_dimension: float, n_rounds: float, *, constant: float = 1.0) -> float:
    """VC dimension of votes of T hypotheses, ``c T ϑ log T``; the constant is not known.

    See R1-Q09.
    """
    check_number("vc_dimension", vc_dimension, above=0.0)
    check_number("n_rounds", n_rounds, at_least=1.0)
    check_number("constant", constant, above=0.0)
    return constant * n_rounds * vc_dimension * math.log(n_rounds)


def boosting_sample_size(
    vc_dimension: float,
    edge: float,
    *,
    epsilon: float,
    delta: float = 0.05,
    constant: float = 1.0,
) -> int:
    """Examples after which boosting hypotheses of edge γ errs at most ε (R1-Q10).

    The least N from which on ``N ≥ c ((ϑ_N/ε) log₂(1/ε) + (1/ε) log₂(1/δ))``, where ϑ_N is the VC
    dimension of the vote after the 2 log N / γ² rounds that leave no training error. It exists
    because ϑ_N grows like log N. The constant is not known: only the order is meant.

    >>> boosting_sample_size(2, 0.5, epsilon=0.1)
    23523
    """
    _check(vc_dimension, delta)
    check_number("edge", edge, above=0.0, at_most=1.0)
    check_number("epsilon", epsilon, above=0.0, below=1.0)
    check_number("constant", constant, above=0.0)

    def needed(n: int) -> int:
        rounds = max(2.0 * math.log(n) / edge**2, 1.0)
        capacity = combined_vc_dimension(vc_dimension, rounds) * math.log2(1.0 / epsilon)
        return math.ceil(constant * (capacity + math.log2(1.0 / delta)) / epsilon)

    n = MOST
    while (fewer := min(needed(n), n - 1)) > 1 and needed(fewer) <= fewer:
        n = fewer  # what is needed rises with N, so from above it leads to the least
    if n == MOST:
        raise ValueError(f"edge: got {edge!r}, for which no sample below {MOST} is enough")
    return n


def _capacity(n_examples: int, vc_dimension: float, delta: float) -> float:
    """``ϑ (log₂(2N/ϑ) + 1)``."""
    _check(vc_dimension, delta)
    check_number("n_examples", n_examples, above=vc_dimension)
    return vc_dimension * (math.log2(2.0 * n_examples / vc_dimension) + 1.0)


def _check(vc_dimension: float, delta: float) -> None:
    check_number("vc_dimension", vc_dimension, above=0.0)
    check_number("delta", delta, above=0.0, below=1.0)
