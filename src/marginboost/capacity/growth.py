"""How many labelings a VC dimension allows: Sauer's sum (SF-Q15, SF-C11, SF-C14)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from ..validation import check_number


def sauer(n_points: int, vc_dimension: int) -> int:
    """Most labelings of m points by a class of VC dimension d: ``Σ_{i<=d} C(m, i)``.

    SF-Q15, Lemma 2.4; equal to ``2^m`` up to m = d. The classes of at most d positives and of
    unions of intervals attain it (SF-X2-7).

    >>> sauer(4, 2), sauer(2, 2)
    (11, 4)
    """
    _check(n_points, vc_dimension)
    return sum(math.comb(n_points, i) for i in range(min(vc_dimension, n_points) + 1))


def log_sauer(n_points: int, vc_dimension: int) -> float:
    """``ln Σ_{i<=d} C(m, i)``, for any m.

    >>> round(log_sauer(1000, 10), 6)
    53.938129
    """
    _check(n_points, vc_dimension)
    i = np.arange(min(vc_dimension, n_points) + 1.0)
    terms = gammaln(n_points + 1.0) - gammaln(i + 1.0) - gammaln(n_points - i + 1.0)
    return float(logsumexp(terms))


def log_polynomial_growth(n_points: int, vc_dimension: int) -> float:
    """``ln (em/d)^d``, above Sauer's sum for m >= d >= 1 (SF-Q15, eq. 2.12).

    >>> round(log_polynomial_growth(1000, 10), 6)
    56.051702
    """
    check_number("vc_dimension", vc_dimension, at_least=1, integer=True)
    check_number("n_points", n_points, at_least=vc_dimension, integer=True)
    return vc_dimension * math.log(math.e * n_points / vc_dimension)


def _check(n_points: int, vc_dimension: int) -> None:
    check_number("n_points", n_points, at_least=0, integer=True)
    check_number("vc_dimension", vc_dimension, at_least=0, integer=True)
