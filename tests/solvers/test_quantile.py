"""The soft margin of rows in several places is that of all of them, bit for bit."""

import numpy as np
import pytest

from marginboost.solvers.masters import quantile
from marginboost.solvers.masters.problem import PricedMargin, SoftMargin
from marginboost.solvers.masters.program_rows import ProgramRows


@pytest.mark.parametrize("few", [3, 4096])
@pytest.mark.parametrize("nu", [0.004, 0.3, 0.5, 1.0, None])
@pytest.mark.parametrize("kind", ["many values", "ties", "one value", "far outliers"])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_and_level(monkeypatch, few, nu, kind, weighted):
    monkeypatch.setattr(quantile, "MOST_VALUES", few)
    rng = np.random.default_rng(1)
    outcomes = rng.normal(size=1000)
    if kind == "ties":
        outcomes = np.round(outcomes, 1)
    if kind == "one value":
        outcomes[:] = -0.25
    if kind == "far outliers":
        outcomes[[7, 600]] = -1e9, 1e12
    weights = rng.uniform(0.1, 3.0, 1000) if weighted else np.ones(1000)
    prior = weights / weights.sum()
    problem = SoftMargin(prior, nu)
    check(problem, outcomes, prior, not weighted)
    check(PricedMargin(prior, 0.01), outcomes, prior, not weighted)


def check(problem, outcomes, prior, uniform):
    places = []
    for here in (slice(0, 3), slice(3, 700), slice(700, None)):
        places.append(ProgramRows(problem.caps[here], np.ones(len(prior))[here], 1, prior[here]))
        places[-1].margins = outcomes[here]

    def ask(question, *args):
        return [question(place, *args) for place in places]

    extremes = [(float(place.margins.min()), float(place.margins.max())) for place in places]
    found = quantile.value_on_places(problem, ask, extremes, 1.7, len(prior), uniform)
    assert found == (problem.value(outcomes, 1.7), problem.level(outcomes, 1.7))
