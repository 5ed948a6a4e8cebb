"""Bounds on the error of a hypothesis, by the number of hypotheses it was chosen from.

One function per theorem of the sources; where two sources have a theorem of the same kind, the
argument ``theorem`` chooses. All hold with probability 1 - δ over the sample, whatever the
distribution, and are rough. Empirical risks are error rates on the sample.

See SF-Q8, SF-Q10, SF-Q11, SF-Q13, SF-Q16, SF-Q18, SF-Q21, SF-Q22; R1-Q05, R1-Q06; BA-Q8, BA-Q10,
BA-Q17; CH-Q13.
"""

from __future__ import annotations

import math

from ..validation import check_choice, check_number
from .bound import FIXED_CLASS, OPEN_CONSTANT, Assumption, Bound, excess_bound
from .growth import log_sauer

CONSISTENT = Assumption("the hypothesis makes no error on the sample")


def hoeffding_bound(
    n_examples: int, empirical_risk: float = 0.0, *, delta: float = 0.05, two_sided: bool = False
) -> Bound:
    """Bound for one hypothesis chosen before the sample was seen, as on a test set (SF-Q8).

    ``R ≤ R_emp + √(ln(1/δ) / (2m))``; two-sided, for ``|R - R_emp|``, with ``ln(2/δ)``.

    >>> round(hoeffding_bound(1000), 8)
    0.03870228
    """
    _check(n_examples, delta, empirical_risk)
    excess = math.sqrt(math.log((2.0 if two_sided else 1.0) / delta) / (2.0 * n_examples))
    fixed = Assumption("the hypothesis was fixed before the sample was seen")
    return excess_bound("one hypothesis", "SF-Q8", empirical_risk, excess, delta, fixed)


def finite_class_bound(
    n_examples: int,
    size: float,
    empirical_risk: float = 0.0,
    *,
    delta: float = 0.05,
    theorem: str = "book",
) -> Bound:
    """Bound for any member of a finite class, chosen by the sample or not.

    "book" (SF-Q11, Thm 2.2): ``R ≤ R_emp + √((ln|H| + ln(1/δ)) / (2m))``. "barnes" (BA-Q8, Thm 1):
    ``√((2/m) ln(2|H|/δ))``, about twice as much.

    >>> round(finite_class_bound(1000, 1e6, 0.1), 8)
    0.19168218
    """
    check_choice("theorem", theorem, ("book", "barnes"))
    check_number("size", size, at_least=1.0)
    _check(n_examples, delta, empirical_risk)
    if theorem == "book":
        source = "SF-Q11"
        excess = math.sqrt((math.log(size) - math.log(delta)) / (2.0 * n_examples))
    else:
        source = "BA-Q8"
        excess = math.sqrt(2.0 / n_examples * (math.log(2.0 * size) - math.log(delta)))
    return excess_bound("finite class", source, empirical_risk, excess, delta, FIXED_CLASS)


def erm_excess_bound(n_examples: int, size: float, *, delta: float = 0.05) -> float:
    """By how much the best on the sample may be worse than the best of the class (SF-Q10, eq. 2.8).

    If no risk is further than ε from its empirical risk, ``R(ĥ) ≤ min R + 2ε``; for a finite class
    ``ε = √((ln|H| + ln(2/δ)) / (2m))``.
    """
    check_number("size", size, at_least=1.0)
    return 2.0 * float(finite_class_bound(n_examples, 2.0 * size, delta=delta))


def occam_bound(
    n_examples: int, prior: float, empirical_risk: float = 0.0, *, delta: float = 0.05
) -> Bound:
    """Bound for all hypotheses at once, each with its share of the confidence (SF-Q22, SF-X2-8).

    ``R ≤ R_emp + √((ln(1/g(h)) + ln(1/δ)) / (2m))``, where the priors g of all hypotheses sum to at
    most one: simple ones, which are given more, are trusted sooner. :func:`description_prior` makes
    one from a length in bits.

    >>> round(occam_bound(1000, 2**-20, 0.1), 7)
    0.1918114
    """
    check_number("prior", prior, above=0.0, at_most=1.0)
    _check(n_examples, delta, empirical_risk)
    excess = math.sqrt((-math.log(prior) - math.log(delta)) / (2.0 * n_examples))
    sums = Assumption("priors were fixed before the sample was seen and sum to at most one")
    return excess_bound("Occam", "SF-Q22", empirical_risk, excess, delta, sums)


def description_prior(n_bits: int, *, prefix_free: bool = False) -> float:
    """Prior of a hypothesis that is written down in some bits (SF-X2-8).

    ``2^-len`` if no description begins another; else ``2^-(2 len + 1)``, for there are ``2^len``
    strings of each length.
    """
    check_number("n_bits", n_bits, at_least=0, integer=True)
    return 2.0 ** (-n_bits if prefix_free else -(2 * n_bits + 1))


def growth_bound(
    n_examples: int, log_growth: float, empirical_risk: float = 0.0, *, delta: float = 0.05
) -> Bound:
    """Bound by the number Π(m) of labelings that the class can give (SF-Q13, Thm 2.3, eq. 2.11).

    ``R ≤ R_emp + √(32 (ln Π(m) + ln(8/δ)) / m)``. The same holds for families of sets, with their
    intersections with the sample in place of labelings (SF-Q17, SF-X2-9).

    Parameters
    ----------
    n_examples : int
        m.
    log_growth : float
        ln Π(m), from :meth:`HypothesisClass.log_growth`.
    empirical_risk : float
        Error rate on the sample.
    delta : float
        Probability δ of failure.

    Examples
    --------
    >>> import math
    >>> round(growth_bound(1000, math.log(1001)), 7)
    0.6192622
    """
    check_number("log_growth", log_growth, at_least=0.0)
    _check(n_examples, delta, empirical_risk)
    excess = math.sqrt(32.0 * (log_growth + math.log(8.0 / delta)) / n_examples)
    return excess_bound("growth function", "SF-Q13", empirical_risk, excess, delta, FIXED_CLASS)


def vc_bound(
    n_examples: int,
    vc_dimension: float,
    empirical_risk: float = 0.0,
    *,
    delta: float = 0.05,
    theorem: str = "vapnik",
    constant: float = 1.0,
) -> Bound:
    """Bound on the error of any hypothesis of a class by its VC dimension ϑ, for N > ϑ.

    =========  =========================================================================
    theorem    what is added to the empirical risk
    =========  =========================================================================
    "vapnik"   ``√((8/N) (ϑ (log₂(2N/ϑ) + 1) + log₂(4/δ)))`` (R1-Q05, Thm 1.2, eq. 1.4)
    "book"     ``√(32 (ϑ ln(eN/ϑ) + ln(8/δ)) / N)`` (SF-Q16, Thm 2.5)
    "sauer"    the same, with Sauer's sum in place of ``(eN/ϑ)^ϑ`` (SF-Q13 with SF-Q15)
    "barnes"   ``√((c/N) (ϑ + ln(1/δ)))``, c open (BA-Q10, Thm 2)
    =========  =========================================================================

    >>> round(vc_bound(1000, 10), 6)
    0.861443
    >>> round(vc_bound(100_000, 10, theorem="book"), 7)
    0.1851949
    """
    check_choice("theorem", theorem, ("vapnik", "book", "sauer", "barnes"))
    check_number("constant", constant, above=0.0)
    check_vc_dimension(n_examples, vc_dimension)
    _check(n_examples, delta, empirical_risk)
    n, needed = n_examples, [FIXED_CLASS]
    if theorem == "vapnik":
        source, term = "R1-Q05", _vapnik(n, vc_dimension) + math.log2(4.0 / delta)
        excess = math.sqrt(8.0 / n * term)
    elif theorem == "barnes":
        source, needed = "BA-Q10", [FIXED_CLASS, OPEN_CONSTANT]
        excess = math.sqrt(constant / n * (vc_dimension - math.log(delta)))
    else:
        source = "SF-Q16"
        logarithm = vc_dimension * math.log(math.e * n / vc_dimension)
        if theorem == "sauer":
            source, logarithm = "SF-Q15", log_sauer(n, _whole(vc_dimension))
        excess = math.sqrt(32.0 * (logarithm + math.log(8.0 / delta)) / n)
    return excess_bound("VC dimension", source, empirical_risk, excess, delta, *needed)


def consistent_bound(
    n_examples: int, vc_dimension: float, *, delta: float = 0.05, theorem: str = "vapnik"
) -> Bound:
    """Bound on the error of a hypothesis without training errors, for N > ϑ: no square root.

    "vapnik" (R1-Q06, Thm 1.3, eq. 1.5): ``(4/N) (ϑ (log₂(2N/ϑ) + 1) + log₂(2/δ))``; "book" (SF-Q18,
    eq. 2.19): ``(2ϑ log₂(2eN/ϑ) + 2 log₂(2/δ)) / N``.

    >>> round(consistent_bound(1000, 10), 6)
    0.367042
    >>> round(consistent_bound(1000, 10, theorem="book"), 8)
    0.19237488
    """
    check_choice("theorem", theorem, ("vapnik", "book"))
    check_vc_dimension(n_examples, vc_dimension)
    _check(n_examples, delta)
    n, d = n_examples, vc_dimension
    if theorem == "vapnik":
        source, value = "R1-Q06", 4.0 / n * (_vapnik(n, d) + math.log2(2.0 / delta))
    else:
        source = "SF-Q18"
        value = 2.0 / n * (d * math.log2(2.0 * math.e * n / d) + math.log2(2.0 / delta))
    return _without_errors("consistent, VC dimension", source, value, delta)


def consistent_finite_bound(n_examples: int, size: float, *, delta: float = 0.05) -> Bound:
    """Bound for a member of a finite class without training errors (SF-Q18, eq. 2.17).

    ``R ≤ (ln|H| + ln(1/δ)) / m``: for one hypothesis the coin that never showed heads.

    >>> round(consistent_finite_bound(1000, 1e6), 8), round(consistent_finite_bound(1000, 1), 8)
    (0.01681124, 0.00299573)
    """
    check_number("size", size, at_least=1.0)
    _check(n_examples, delta)
    value = (math.log(size) - math.log(delta)) / n_examples
    return _without_errors("consistent, finite class", "SF-Q18", value, delta)


def consistent_growth_bound(
    n_examples: int, log_growth_doubled: float, *, delta: float = 0.05
) -> Bound:
    """Bound for a hypothesis without training errors by labelings of 2m points (SF-Q18, eq. 2.18).

    ``R ≤ (2 log₂ Π(2m) + 2 log₂(2/δ)) / m``; ``log_growth_doubled`` is ``ln Π(2m)``.

    >>> import math
    >>> round(consistent_growth_bound(1000, math.log(2001)), 8)
    0.03257687
    """
    check_number("log_growth_doubled", log_growth_doubled, at_least=0.0)
    _check(n_examples, delta)
    value = 2.0 / n_examples * (log_growth_doubled / math.log(2.0) + math.log2(2.0 / delta))
    return _without_errors("consistent, growth function", "SF-Q18", value, delta)


def rounds_bound(
    n_examples: int,
    n_rounds: int,
    vc_dimension: float,
    empirical_risk: float = 0.0,
    *,
    constant: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """VC-type bound for a vote of T hypotheses (CH-Q13): ``R_emp + c √(T ϑ / n)``.

    It grows with the rounds, which the margin bound does not (CH-C16). The constant, logarithms and
    the confidence are left open by the source.
    """
    check_number("n_rounds", n_rounds, at_least=1)
    check_number("constant", constant, above=0.0)
    check_number("vc_dimension", vc_dimension, above=0.0)
    _check(n_examples, delta, empirical_risk)
    excess = constant * math.sqrt(n_rounds * vc_dimension / n_examples)
    needed = (FIXED_CLASS, OPEN_CONSTANT)
    return excess_bound("number of rounds", "CH-Q13", empirical_risk, excess, delta, *needed)


def _without_errors(name: str, source: str, value: float, delta: float) -> Bound:
    terms = {"capacity and confidence": value}
    return Bound(value, name, source, terms, delta, (FIXED_CLASS, CONSISTENT))


def _vapnik(n_examples: int, vc_dimension: float) -> float:
    """``ϑ (log₂(2N/ϑ) + 1)``."""
    return vc_dimension * (math.log2(2.0 * n_examples / vc_dimension) + 1.0)


def _whole(vc_dimension: float) -> int:
    check_number("vc_dimension", vc_dimension, at_least=1)
    return math.ceil(vc_dimension)


def check_vc_dimension(n_examples: int, vc_dimension: float) -> None:
    """Raise unless ``0 < ϑ < N``."""
    check_number("vc_dimension", vc_dimension, above=0.0)
    check_number("n_examples", n_examples, above=vc_dimension)


def _check(n_examples: int, delta: float, *empirical_risk: float) -> None:
    check_number("n_examples", n_examples, at_least=1)
    for risk in empirical_risk:
        check_number("empirical_risk", risk, at_least=0.0)
    check_number("delta", delta, above=0.0, below=1.0)
