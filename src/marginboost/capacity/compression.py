"""Bounds for learners that use few examples.

See R1-Q38 to R1-Q40, R1-C54; B.5, eq. B.10, B.13; R2-C29, R1-E16; SF-Q19, Thm 2.8.

A learner whose answer follows from q of its N examples alone compresses the sample: the other N - q
test it. The bounds know nothing of the class of hypotheses. For the ν-LP and for margins, q is the
number of examples in or on the margin, about ν N (Remark 4.1).
"""

from __future__ import annotations

import math

from scipy.special import gammaln

from ..validation import check_choice, check_number
from .bound import Assumption, Bound, excess_bound
from .theorems import CONSISTENT

REBUILT = Assumption("the learner finds the same answer again from the examples kept")
SIZE_FIXED = Assumption("the number of examples kept was fixed before the sample was seen")


def compression_bound(
    n_examples: int, n_kept: int, *, delta: float = 0.05, logarithm: str = "natural"
) -> Bound:
    """Bound on the error of a classifier without training errors (R1-Q38, Thm B.3, eq. B.10).

    ``R ≤ (log C(N, q) + log N + log(1/δ)) / (N - q)`` with probability 1 - δ. It is below one for
    q up to about 0.35 N.

    Parameters
    ----------
    n_examples : int
        N.
    n_kept : int
        q < N, the examples from which the learner finds the same classifier again. It may depend on
        the sample.
    delta : float
        Probability δ of failure.
    logarithm : {"natural", "binary"}
        The dissertation prints binary logarithms, but its own example needs natural ones (R1-X22).

    Examples
    --------
    A sample of 200 compressed to 10: below 25 % with probability 95 %.

    >>> [round(compression_bound(200, 10, logarithm=log), 6) for log in ("natural", "binary")]
    [0.241811, 0.34886]
    """
    check_choice("logarithm", logarithm, ("natural", "binary"))
    _check(n_examples, n_kept, delta)
    total = _log_choices(n_examples, n_kept) + math.log(n_examples) - math.log(delta)
    base = 1.0 if logarithm == "natural" else math.log(2.0)
    value = total / base / (n_examples - n_kept)
    terms = {"choice of examples and confidence": value}
    return Bound(value, "compression", "R1-Q38", terms, delta, (REBUILT, CONSISTENT))


def risk_compression_bound(
    n_examples: int,
    n_kept: int,
    empirical_risk: float,
    *,
    largest_loss: float = 1.0,
    delta: float = 0.05,
    stratified: bool = False,
) -> Bound:
    """Bound on the expected loss, also with training errors and for regression (R1-Q40, eq. B.13).

    ``R ≤ N/(N-q) R_emp + g_max √((2 log C(N, q) + 2 log(1/δ)) / (N - q))`` with probability 1 - δ.
    Without training errors it is below ``g_max`` for q up to about 15 % of N. Eq. B.12 of the
    dissertation does not agree with this one and is not offered (R1-X23).

    Parameters
    ----------
    n_examples : int
        N.
    n_kept : int
        q < N, fixed before the sample is seen, unless ``stratified``.
    empirical_risk : float
        Mean loss on the sample, R_emp.
    largest_loss : float
        g_max, the largest loss possible.
    delta : float
        Probability δ of failure.
    stratified : bool
        Whether q was found from the sample: then ``log N`` is added to ``log(1/δ)``, which lets the
        bound hold for all q at once.
    """
    _check(n_examples, n_kept, delta)
    check_number("largest_loss", largest_loss, above=0.0)
    check_number("empirical_risk", empirical_risk, at_least=0.0, at_most=largest_loss)
    confidence = -math.log(delta) + (math.log(n_examples) if stratified else 0.0)
    rest = n_examples - n_kept
    excess = math.sqrt(2.0 * (_log_choices(n_examples, n_kept) + confidence) / rest)
    risk = n_examples / rest * empirical_risk
    needed = (REBUILT,) if stratified else (REBUILT, SIZE_FIXED)
    return excess_bound("compression", "R1-Q40", risk, largest_loss * excess, delta, *needed)


def scheme_compression_bound(
    n_examples: int, n_kept: int, empirical_risk: float = 0.0, *, delta: float = 0.05
) -> Bound:
    """Bound for a compression scheme of fixed size κ (SF-Q19, Thm 2.8).

    ``R ≤ m/(m-κ) R_emp + √((κ ln m + ln(1/δ)) / (2(m-κ)))``; without training errors
    ``(κ ln m + ln(1/δ)) / (m-κ)``, whichever is less. κ examples may be kept in any order, so there
    are ``m^κ`` hypotheses.

    >>> round(scheme_compression_bound(1000, 2, 0.1), 7)
    0.1919744
    >>> round(scheme_compression_bound(1000, 2), 8)
    0.01684493
    """
    _check(n_examples, n_kept, delta)
    check_number("empirical_risk", empirical_risk, at_least=0.0, at_most=1.0)
    rest = n_examples - n_kept
    choices = n_kept * math.log(n_examples) - math.log(delta)
    risk, excess = n_examples / rest * empirical_risk, math.sqrt(choices / (2.0 * rest))
    if empirical_risk == 0.0:
        excess = min(excess, choices / rest)
    needed = (REBUILT, SIZE_FIXED)
    return excess_bound("compression", "SF-Q19", risk, excess, delta, *needed)


def _check(n_examples: int, n_kept: int, delta: float) -> None:
    check_number("n_examples", n_examples, at_least=1, integer=True)
    check_number("n_kept", n_kept, at_least=0, below=n_examples, integer=True)
    check_number("delta", delta, above=0.0, below=1.0)


def _log_choices(n: int, k: int) -> float:
    """``log C(n, k)``."""
    return float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))
