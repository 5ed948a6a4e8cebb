"""The soft margin of a combination: what the ν-LP maximises (ratsch-2 A3, A4; eq. 4.12, 4.14).

    max_ρ  ρ - (1/ν) Σ_i prior_i [ρ - ρ_i]_+

The best ρ is the ν-quantile of the margins, so no search is needed. With ν = None no example may be
bought off, and the value is the smallest margin.
"""

from __future__ import annotations

import numpy as np

from ..core.types import Array


def soft_margin(margins: Array, prior: Array, nu: float | None) -> tuple[float, float]:
    """Value of the soft margin, and the ρ that attains it.

    Parameters
    ----------
    margins : array
        Margins ρ_i.
    prior : array
        Weights of the examples, with sum one.
    nu : float or None
        Share of weight that may fall short of ρ, in (0, 1]; None for the hard margin.

    Examples
    --------
    With a fifth of the weight to spare, the one bad margin costs its distance to the second:

    >>> value, rho = soft_margin(np.array([-0.5, 0.1, 0.2, 0.3, 0.4]), np.full(5, 0.2), 0.4)
    >>> round(value, 12), rho
    (-0.2, 0.1)
    """
    if nu is None:
        smallest = float(margins.min())
        return smallest, smallest
    order = np.argsort(margins, kind="stable")
    cumulated = np.cumsum(prior[order])
    # The tolerance lets ν N be met exactly when it is an integer.
    position = int(np.searchsorted(cumulated, nu * (1.0 - 1e-12), side="left"))
    rho = float(margins[order[min(position, len(order) - 1)]])
    shortfall = float(prior @ np.maximum(rho - margins, 0.0))
    return rho - shortfall / nu, rho


def caps(prior: Array, nu: float | None) -> Array:
    """Largest weight of each example in the dual: ``prior / ν``, or 1 for the hard margin."""
    return np.ones(len(prior)) if nu is None else prior / nu
