"""A weighted vote: its tables are made once, and travel with nobody."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from marginboost.core.ensemble import Ensemble
from marginboost.data import Table
from marginboost.oracles.stumps import Stump, step_functions
from marginboost.oracles.tree_hypothesis import Tree, constant_tree

NAMES = ["a", "b", "c"]


def some_stumps(n=40, seed=0):
    """Stumps on thresholds of two features, and on the categories of a third."""
    rng = np.random.default_rng(seed)
    stumps = []
    for _ in range(n):
        labels = rng.choice([-1.0, 0.5, 1.0], size=3)
        feature = int(rng.integers(3))
        if feature == 2:
            codes = tuple(int(c) for c in rng.choice(6, size=2, replace=False))
            stumps.append(Stump(2, np.inf, *labels, codes))
        else:
            cut = np.inf if rng.random() < 0.1 else float(rng.integers(-3, 4))
            stumps.append(Stump(feature, cut, *labels))
    return tuple(stumps), rng.normal(size=n)


def some_rows(n=200, seed=1):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 7, size=(n, 3)).astype(float)
    rows[:, 2] = rng.integers(0, 8, size=n)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


@pytest.fixture
def counted(monkeypatch):
    """Times that tables were made."""
    made = []
    for kind in (Stump, Tree):
        voter = kind.voter.__func__

        def count(cls, members, coef, voter=voter):
            made.append(cls)
            return voter(cls, members, coef)

        monkeypatch.setattr(kind, "voter", classmethod(count))
    return made


def test_tables_are_made_once(counted):
    stumps, coef = some_stumps()
    both = Ensemble((*stumps, constant_tree(0.5)), np.append(coef, 2.0))
    rows = some_rows()
    first = both.scores(Table(rows, NAMES))
    for n_threads in (1, 2):
        np.testing.assert_array_equal(both.scores(Table(rows, NAMES), n_threads), first)
    assert counted == [Stump, Tree]


@pytest.mark.parametrize(
    "twin", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy]
)
def test_copies_have_no_tables(twin):
    ensemble = Ensemble(*some_stumps())
    before = len(pickle.dumps(ensemble))
    table = Table(some_rows(), NAMES)
    scores = ensemble.scores(table)
    assert len(pickle.dumps(ensemble)) == before
    other = twin(ensemble)
    assert set(vars(other)) == {"members", "coef"}
    np.testing.assert_array_equal(other.scores(table), scores)


def test_coefficients_cannot_be_written():
    """Else the tables would be those of other coefficients."""
    stumps, coef = some_stumps()
    ensemble = Ensemble(stumps, coef)
    kept = coef.copy()
    coef[:] = 0.0
    for one in (ensemble, pickle.loads(pickle.dumps(ensemble))):
        np.testing.assert_array_equal(one.coef, kept)
        with pytest.raises(ValueError, match="read-only"):
            one.coef[0] = 1.0


def test_threads_that_both_come_first():
    ensemble, rows = Ensemble(*some_stumps()), some_rows()
    expected = Ensemble(*some_stumps()).scores(Table(rows, NAMES))
    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(lambda _: ensemble.scores(Table(rows, NAMES)), range(8)))
    for one in scores:
        np.testing.assert_array_equal(one, expected)


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_added_up_stump_by_stump(seed):
    """Bit for bit: a level is the sum of what each stump of its feature says there, in order."""
    stumps, coef = some_stumps(60, seed)
    for step in step_functions(stumps, coef):
        points = np.append(step.thresholds, [np.inf, np.nan])
        if step.feature == 2:
            points[: len(step.thresholds)] -= 0.5
        levels = np.zeros(len(points))
        for stump, weight in zip(stumps, coef, strict=True):
            if stump.feature == step.feature:
                levels += weight * stump.outputs(points)
        np.testing.assert_array_equal(step.levels, levels)


def test_rows_that_are_too_narrow_are_refused():
    stumps, coef = some_stumps()
    with pytest.raises(ValueError, match="a stump reads 3 features, the rows have 2"):
        Ensemble(stumps, coef).scores(Table(some_rows()[:, :2], NAMES[:2]))


def test_stages_are_the_votes_of_the_first_hypotheses():
    members, coef = some_stumps()
    rows = Table(some_rows(), NAMES)
    stages = list(Ensemble(members, coef).staged_scores(rows))
    assert len(stages) == len(members) > 2
    for t, scores in enumerate(stages, 1):
        np.testing.assert_allclose(scores, Ensemble(members[:t], coef[:t]).scores(rows), atol=1e-12)
