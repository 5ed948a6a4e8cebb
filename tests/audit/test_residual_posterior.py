"""What is known of residuals, by Bayes' rule written out with SciPy's distributions."""

import numpy as np
import pytest
from scipy import stats

from marginboost.audit.residual_null import judge_residuals

TAILS = np.linspace(0.02, 0.5, 13)
POWERS = [0.8, 0.9, 1.0, 1.15, 1.3, 1.6, 2.0]
WIDTHS = np.exp(np.linspace(-0.45, 0.45, 13))
RATES = np.geomspace(1e-3, 0.4, 9)
PLACES = np.array([3.0, 4.5, 7.0, 10.0, 15.0, 25.0, 50.0, 100.0, 300.0, 1000.0])
BREADTHS = [0.25, 0.6, 1.2]


def shapes():
    """Of right residuals, each with all its widths: median one, before it is made wider."""
    usual = stats.norm(0.15, 0.1).pdf(TAILS)
    for tail, prior in zip(TAILS, 0.5 * usual / usual.sum(), strict=True):
        plain = stats.t(1.0 / tail)
        scaled = [stats.t(1.0 / tail, scale=w / plain.ppf(0.75)) for w in WIDTHS]
        yield prior, [(lambda a, d=d: 2 * d.pdf(a), lambda a, d=d: 2 * d.sf(a)) for d in scaled]
    for power in POWERS:
        scaled = [stats.weibull_min(power, scale=w / np.log(2) ** (1 / power)) for w in WIDTHS]
        yield 0.5 / len(POWERS), [(d.pdf, d.sf) for d in scaled]


SHAPES = list(shapes())


def explain(sizes):
    """One side: for every shape its evidence, and what it says of each size."""
    bins = np.round(50 * np.log(np.clip(sizes / np.median(sizes), 1e-2, 1e6))) / 50
    at, place, number = np.unique(np.exp(bins), return_inverse=True, return_counts=True)
    counts = number * min(1.0, 2000 / len(sizes))
    read = np.cumsum(counts) > 0.5 * counts.sum()
    cut = at[~read].max(initial=0.0)
    unread = counts[~read].sum()
    groups = [
        stats.lognorm(breadth, scale=place)
        for place in PLACES[max(2 * at.max(), 3.0) >= PLACES]
        for breadth in BREADTHS
    ]
    share = 0.5 / (len(groups) * len(RATES))
    prior = np.array([0.5] + [share] * (len(groups) * len(RATES)))
    rate = np.array([0.0, *np.tile(RATES, len(groups))])
    h = np.vstack([np.zeros(len(at)), *(np.tile(g.pdf(at), (len(RATES), 1)) for g in groups)])
    near = np.array([0.0, *np.repeat([group.cdf(cut) for group in groups], len(RATES))])
    logs, sure, far = [], [], []
    for _, widths in SHAPES:
        for density, tail in widths:
            g = np.maximum(density(at), 1e-300)
            mixed = np.outer(1 - rate, g) + rate[:, None] * h
            inside = (1 - rate) * (1.0 - tail(cut)) + rate * near
            bulk = unread * np.log(inside) if unread else 0.0
            logs.append(np.log(prior) + bulk + np.log(mixed[:, read]) @ counts[read])
            sure.append(np.outer(1 - rate, g) / mixed)
            far.append(tail(at))
    logs = np.array(logs)
    likely = np.exp(logs - logs.max())
    by_shape = (len(SHAPES), len(WIDTHS))
    right = np.array([each @ one for each, one in zip(likely, sure, strict=True)])
    tails = likely.sum(axis=1)[:, None] * np.array(far)
    return (
        place,
        likely.sum(axis=1).reshape(by_shape).sum(axis=1),
        right.reshape(*by_shape, -1).sum(axis=1),
        tails.reshape(*by_shape, -1).sum(axis=1),
        (likely @ rate).reshape(by_shape).sum(axis=1),
    )


def reference(z):
    right, chance, wrong = np.ones(len(z)), np.ones(len(z)), 0.0
    rows = [np.flatnonzero(side) for side in (z > 0, z < 0) if side.any()]
    sides = [explain(np.abs(z[mine])) for mine in rows]
    prior = np.array([p for p, _ in SHAPES])
    for k, (mine, (place, evidence, sure, tail, rate)) in enumerate(zip(rows, sides, strict=True)):
        weights = prior.copy()
        for other in sides[:k] + sides[k + 1 :]:
            weights = weights * (0.5 * other[1] + 0.5 * (prior @ other[1]))
        total = weights @ evidence
        outwards = np.minimum.accumulate(np.minimum(weights @ sure / total, 1.0))
        right[mine] = outwards[place]
        chance[mine] = (weights @ tail / total)[place]
        wrong += weights @ rate / total * len(mine) / len(z)
    return right, chance, wrong


def residuals(kind):
    rng = np.random.default_rng(3)
    if kind == "normal":
        return rng.normal(size=60)
    if kind == "group":
        return np.concatenate([rng.standard_t(5, size=70), rng.normal(25.0, 4.0, 5), [0.0]])
    if kind == "skew":
        return np.where(rng.random(60) < 0.3, -rng.exponential(5.0, 60), rng.exponential(1.0, 60))
    if kind == "one side":
        return np.array([0.5, 1.0, 1.5, 900.0, 1e9])
    if kind == "two rows":
        return np.array([1.0, -7.0])
    return np.concatenate([rng.normal(size=5000), [30.0, 40.0]])


@pytest.mark.parametrize("kind", ["normal", "group", "skew", "one side", "two rows", "many"])
def test_every_explanation_is_weighed(kind):
    """Where each is left out only if it counts for less than a billionth."""
    z = residuals(kind)
    right, chance, wrong = reference(z)
    found = judge_residuals(z)
    np.testing.assert_allclose(found.right, right, atol=1e-6)
    np.testing.assert_allclose(found.p_value, chance, rtol=1e-6, atol=1e-12)
    assert found.wrong == pytest.approx(wrong, abs=1e-7)


def test_residuals_of_0_are_right():
    found = judge_residuals(np.zeros(4))
    assert (found.right.tolist(), found.p_value.tolist(), found.wrong) == ([1.0] * 4, [1.0] * 4, 0)
