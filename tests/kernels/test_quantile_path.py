"""The least loss of ν-Arc along one hypothesis, against the formula on a fine grid."""

import math

import numpy as np
import pytest

from marginboost.kernels.quantile_path import least_along
from marginboost.kernels.ties import TIE

LONGEST = 3.0


def loss(m, u, p, nu, target, a):
    """``log Σ p exp(-[z - R]_+) - V + target a``, with V the mean of the ν smallest margins z."""
    z = m + a * u
    room, soft, level = nu, 0.0, 0.0
    for i in np.argsort(z, kind="stable"):
        taken = min(p[i], room)
        soft += taken * z[i] / nu
        level, room = z[i], room - taken
        if room <= 1e-12:
            break
    return math.log(p @ np.exp(-np.maximum(z - level, 0.0))) - soft + target * a


def best(m, u, p, nu, target, longest=LONGEST):
    share = nu * (1.0 - 1e-12)
    order = np.lexsort((u, m))
    place = min(int(np.searchsorted(np.cumsum(p[order]), share)), len(m) - 1)
    below = np.zeros(len(m), dtype=bool)
    below[order[:place]] = True
    line, terms = (m, u, p), (nu, share, target)
    return least_along(line, below, int(order[place]), terms, longest, TIE)


@pytest.mark.parametrize("nu", [0.15, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(6))
def test_no_step_of_a_fine_grid_is_better(seed, nu):
    rng = np.random.default_rng(seed)
    n = 12
    m, p = rng.normal(scale=0.3, size=n), rng.uniform(0.5, 2.0, size=n)
    u = rng.choice([-1.0, 1.0], size=n) if seed % 2 else rng.uniform(-1.0, 1.0, size=n)
    p, target = p / p.sum(), 0.05 * seed
    step, least = best(m, u, p, nu, target)
    assert 0.0 <= step <= LONGEST
    assert least == pytest.approx(loss(m, u, p, nu, target, step), abs=1e-10)
    grid = np.linspace(0.0, LONGEST, 601)
    assert least <= min(loss(m, u, p, nu, target, a) for a in grid) + 1e-10


def test_where_every_step_is_worse_there_is_none():
    """All rows fall with the step, and so does their soft margin."""
    m, u, p = np.array([0.1, 0.2, 0.4]), np.full(3, -1.0), np.full(3, 1.0 / 3.0)
    step, least = best(m, u, p, 0.5, 0.0)
    assert step == 0.0
    assert least == pytest.approx(loss(m, u, p, 0.5, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("longest", [0.5, 2.0])
def test_where_every_step_is_better_it_is_the_longest(longest):
    m, u, p = np.array([0.1, 0.2, 0.4]), np.full(3, 1.0), np.full(3, 1.0 / 3.0)
    step, least = best(m, u, p, 0.5, 0.0, longest)
    assert step == longest
    assert least == pytest.approx(loss(m, u, p, 0.5, 0.0, longest), abs=1e-12)


def test_of_equal_steps_the_shortest_is_taken():
    """The target takes back what each step gains."""
    m, u, p = np.array([0.25, 0.5, 0.75]), np.full(3, 1.0), np.full(3, 1.0 / 3.0)
    assert best(m, u, p, 0.5, 1.0)[0] == 0.0
