"""Kernel: the least value of ν-Arc's loss along one hypothesis, exactly.

With margins ``z_i = m_i + a u_i`` after a step a, R their ν-quantile and V their soft margin, it is

    f(a) = log Σ_i p_i exp(-[z_i - R]_+) - V + target · a.

While the row at the quantile and the set of rows below it stay the same, R and V are linear in a,
so f is convex. The kernel follows the quantile from one such piece to the next, a crossing at a
time, and searches a piece inside only where its tangents allow a new minimum.
"""

from __future__ import annotations

import numpy as np

from ..types import Array
from .jit import kernel

Line = tuple[Array, Array, Array]
"""Margins m, outcomes u and prior weights p of the rows."""
Terms = tuple[float, float, float]
"""ν, the share of weight that ends at the quantile (ν but for rounding), and the target."""

BISECTIONS = 60
"""Halvings of a piece: as many as numbers have digits."""


@kernel
def loss_and_slope(line: Line, below: Array, q: int, terms: Terms, a: float) -> tuple[float, float]:
    """Value and derivative of f in the piece with row ``q`` at the quantile."""
    m, u, p = line
    nu, _, target = terms
    level = m[q] + a * u[q]
    total, pull, short, fall = 0.0, 0.0, 0.0, 0.0
    for i in range(m.size):
        gap, rise = m[i] + a * u[i] - level, u[i] - u[q]
        if below[i]:
            total += p[i]
            short -= p[i] * gap
            fall -= p[i] * rise
        else:
            weight = p[i] * np.exp(-max(gap, 0.0))
            total += weight
            pull += weight * rise
    value = np.log(total) - level + short / nu + target * a
    return value, target - pull / total - u[q] + fall / nu


@kernel
def next_crossing(line: Line, below: Array, q: int, a: float) -> tuple[float, int]:
    """Step at which the next row comes to the level of row ``q``, and that row; -1 for none."""
    m, u, _ = line
    nearest, who = np.inf, -1
    for i in range(m.size):
        speed = u[i] - u[q] if below[i] else u[q] - u[i]
        if speed > 0.0 and i != q:
            gap = (m[q] - m[i]) + a * (u[q] - u[i])
            at = a + max(gap if below[i] else -gap, 0.0) / speed
            if at < nearest:
                nearest, who = at, i
    return nearest, who


@kernel
def change_places(
    p: Array, below: Array, q: int, who: int, lighter: float, share: float
) -> tuple[int, float]:
    """Let row ``who`` pass row ``q``; return which is at the quantile, and the weight below it.

    It is the one of the two in which the share of weight now ends.
    """
    if below[who]:
        below[who] = False
        lighter -= p[who]
        if lighter + p[q] >= share:
            return q, lighter
        below[q] = True
        return who, lighter + p[q]
    if lighter + p[who] >= share:
        return who, lighter
    below[who] = True
    return q, lighter + p[who]


@kernel
def zero_slope(line: Line, below: Array, q: int, terms: Terms, low: float, high: float) -> float:
    """Minimiser inside a piece whose slope is negative at ``low`` and positive at ``high``."""
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if loss_and_slope(line, below, q, terms, middle)[1] < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def least_along(
    line: Line, below: Array, q: int, terms: Terms, longest: float, tie: float
) -> tuple[float, float]:
    """Best step in [0, longest] and its loss; of steps equal within ``tie``, the shortest.

    ``below`` says which rows lie below the quantile row ``q`` just after a step of 0; it changes.
    """
    p, a, lighter = line[2], 0.0, 0.0
    for i in range(p.size):
        if below[i]:
            lighter += p[i]
    step, least = 0.0, loss_and_slope(line, below, q, terms, 0.0)[0]
    while a < longest:
        crossing, who = next_crossing(line, below, q, a)
        end = min(crossing, longest)
        if end > a:
            first, down = loss_and_slope(line, below, q, terms, a)
            last, up = loss_and_slope(line, below, q, terms, end)
            # On the way down from the best step so far every lower loss is a better one.
            least_gain = 0.0 if step == a and down < -tie else tie
            if down < 0.0 < up:
                meet = (last - first + down * a - up * end) / (down - up)
                if first + down * (meet - a) < least - least_gain:  # where the tangents meet
                    at = zero_slope(line, below, q, terms, a, end)
                    value = loss_and_slope(line, below, q, terms, at)[0]
                    if value < least - least_gain:
                        step, least = at, value
            elif last < least - least_gain:
                step, least = end, last
        a = end
        if who < 0:
            break
        q, lighter = change_places(p, below, q, who, lighter, terms[1])
    return step, least
