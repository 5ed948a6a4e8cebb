"""The stump that splits equal values, the sets and the numbers of Barnes's thesis."""

import numpy as np
import pytest

from marginboost import StumpOracle
from marginboost.core import Sample
from marginboost.data import BinnedMatrix, Table
from marginboost.datasets import load
from marginboost.diagnostics import survivors
from marginboost_experiments.published._barnes_numbers import ERRORS, TRIALS
from marginboost_experiments.published._split_ties import SplitTiesOracle
from marginboost_experiments.published.barnes_real import TRAIN, rows_of


def sample_of(X, y):
    table = Table(X, [f"x{j}" for j in range(X.shape[1])])
    return Sample.of_labels(y, rows=table, bins=BinnedMatrix.from_table(table, max_bins=None))


@pytest.mark.parametrize("seed", range(5))
def test_without_split_ties_it_is_the_exact_stump(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(30, 3)) / 2.0, np.where(rng.random(30) < 0.5, 1, -1)
    sample, dual = sample_of(X, y), y * rng.dirichlet(np.ones(30))
    ours = SplitTiesOracle(skip_ties=True).bind(sample).best(dual)[0]
    exact = StumpOracle().bind(sample).best(dual)[0]
    assert ours.edge == pytest.approx(exact.edge, abs=1e-12)


def test_a_cut_among_equal_values_promises_too_much():
    """BA-E10: two rows of one value and different labels look separable, and are not."""
    sample = sample_of(np.array([[1.0], [1.0], [2.0]]), np.array([1, -1, -1]))
    dual = np.array([0.5, -0.3, -0.2])
    found = SplitTiesOracle().bind(sample).best(dual)[0]  # all right, if the first two were apart
    assert found.edge == pytest.approx(0.5 * 1 - 0.3 * 1 + 0.2)
    worse = SplitTiesOracle().bind(sample).best(np.array([0.2, -0.55, -0.25]))[0]
    assert worse.edge < 0.0
    assert StumpOracle().bind(sample).best(np.array([0.2, -0.55, -0.25]))[0].edge > 0.0


def test_survivors_are_counted_round_by_round():
    lengths = np.random.default_rng(0).integers(0, 30, 50)
    asked = np.arange(1, 35)
    assert survivors(lengths, asked).tolist() == [int((lengths >= t).sum()) for t in asked]
    with pytest.raises(ValueError, match="lengths: expected"):
        survivors([], [1])


def test_sets_have_the_sizes_that_the_sources_say():
    """BA-D3, BA-D4, BA-X25, BA-X26: the thesis swaps mines and rocks, and calls wpbc wdbc."""
    sonar = load("uci_sonar")
    assert sonar.data.shape == (208, 60)
    counts = dict(zip(sonar.target_names, np.bincount(sonar.target).tolist(), strict=True))
    assert sorted(counts.values()) == [97, 111]
    assert counts[next(name for name in counts if str(name).upper().startswith("M"))] == 111
    X, y = rows_of("wpbc", 0)
    assert X.shape == (194, 33)
    assert sorted(np.unique(y, return_counts=True)[1].tolist()) == [46, 148]


def test_partitions_and_trials_are_those_that_were_run():
    """BA-X20, BA-X21, BA-X22: tables 5.1, 5.2 and figure 6.3 say otherwise."""
    assert (TRAIN["sonar"], 208 - TRAIN["sonar"]) == (69, 139)
    assert (TRAIN["sonar, halves"], 208 - TRAIN["sonar, halves"]) == (104, 104)
    assert TRIALS["ring"] == 30
    run = {kind: {data for name, data in ERRORS if name == kind} for kind in ("naive", "sloppy")}
    assert run["sloppy"] >= {"wpbc", "acacia"}
    assert not run["naive"] & {"wpbc", "acacia"}
