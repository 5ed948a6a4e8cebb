"""The ring data of Barnes 1999 (BA-D1): a disc in the unit square, and wrong labels."""

from __future__ import annotations

import numpy as np

from ..types import Array

SQUARED_RADIUS = 1.0 / 8.0
CENTRE = 0.5


def ring(
    n: int = 50, noise: float = 0.0, *, mode: str = "exact", seed: int = 0
) -> tuple[Array, Array]:
    """Uniform points in the unit square, positive within √(1/8) of the centre.

    The positive class has a share of π/8 = 0.3927. ``noise`` says how many labels are wrong; test
    sets of the source have none.

    Parameters
    ----------
    n : int
        Rows.
    noise : float
        Share of wrong labels, from 0 to 1.
    mode : {"exact", "bernoulli"}
        Exactly ``round(noise · n)`` labels drawn without replacement, as the text says, or each
        label with this probability, as the author's program did.
    seed : int
        Of points and labels.

    Returns
    -------
    X : array (n, 2)
    y : array of -1 and +1

    Examples
    --------
    >>> X, clean = ring(50)
    >>> again, noisy = ring(50, noise=0.2)
    >>> bool((X == again).all()), int((clean != noisy).sum())
    (True, 10)
    """
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise: got {noise!r}, expected a number from 0 to 1")
    if mode not in ("exact", "bernoulli"):
        raise ValueError(f"mode: got {mode!r}, expected 'exact' or 'bernoulli'")
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = np.where(((X - CENTRE) ** 2).sum(axis=1) < SQUARED_RADIUS, 1, -1)
    if mode == "exact":
        wrong = rng.permutation(n)[: round(noise * n)]
    else:
        wrong = np.flatnonzero(rng.random(n) < noise)
    y[wrong] = -y[wrong]
    return X, y
