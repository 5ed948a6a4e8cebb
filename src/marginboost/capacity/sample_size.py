"""How many examples a class of hypotheses needs.

See R1-Q04, R1-Q09, R1-Q10; Rätsch 2001, section 1.2; SF-Q20.

The VC dimension ϑ of a class is the largest number of points that it can label in every way. All
bounds hold with probability 1 - δ over the sample, whatever the distribution, and are rough.
"""

from __future__ import annotations

import math
import sys

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
    return _whole(4.0 / epsilon * capacity, vc_dimension=vc_dimension, epsilon=epsilon, delta=delta)


def finite_class_sample_size(size: float, *, epsilon: float, delta: float = 0.05) -> int:
    """Examples after which a consistent member of a finite class errs at most ε (SF-Q20).

    ``m = ⌈(ln|C| + ln(1/δ)) / ε⌉``, the inverse of :func:`consistent_finite_bound` (SF-C12).

    >>> finite_class_sample_size(2**20, epsilon=0.05)
    338
    """
    check_number("size", size, at_least=1.0)
    check_number("epsilon", epsilon, above=0.0, below=1.0)
    check_number("delta", delta, above=0.0, below=1.0)
    needed = _whole((math.log(size) - math.log(delta)) / epsilon, epsilon=epsilon)
    return max(needed, 1)


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
        rounds = min(max(2.0 * math.log(n) / edge / edge, 1.0), sys.float_info.max)
        capacity = combined_vc_dimension(vc_dimension, rounds) * math.log2(1.0 / epsilon)
        total = constant * (capacity + math.log2(1.0 / delta)) / epsilon
        return math.ceil(min(total, MOST))

    n = MOST
    while (fewer := min(needed(n), n - 1)) > 1 and needed(fewer) <= fewer:
        n = fewer  # what is needed rises with N, so from above it leads to the least
    if n == MOST:
        raise ValueError(
            f"edge, vc_dimension, epsilon, delta, constant: got {edge!r}, {vc_dimension!r}, "
            f"{epsilon!r}, {delta!r}, {constant!r}, for which no sample below {MOST} is enough"
        )
    return n


def _whole(number: float, **given: float) -> int:
    """Least integer that is no smaller, where floating point has the number."""
    if number == math.inf:
        came = ", ".join(map(repr, given.values()))
        raise ValueError(f"{', '.join(given)}: got {came}, for which no finite sample is enough")
    return math.ceil(number)


def _check(vc_dimension: float, delta: float) -> None:
    check_number("vc_dimension", vc_dimension, above=0.0)
    check_number("delta", delta, above=0.0, below=1.0)
