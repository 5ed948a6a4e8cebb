"""Interrupted after any round, a run of any algorithm goes on to the same bits.

``RESUME_PROBLEMS=50`` tries so many problems for each algorithm in place of one.
"""

import os
import shutil

import numpy as np
import pytest
from sklearn.base import is_regressor

from marginboost import Checkpoint, LPBoostClassifier, TreeOracle, algorithms
from marginboost.algorithms import _working_set as working_set
from marginboost.core import Callback
from marginboost.core.sample import Sample
from marginboost.core.state import State
from marginboost.data import Table
from marginboost.oracles.tree_hypothesis import constant_tree
from marginboost.solvers.masters.packed_pool import PackedPool

PROBLEMS = range(int(os.environ.get("RESUME_PROBLEMS", "1")))
NUMBERS = TreeOracle(max_depth=2, criterion="Z")
LEARNERS = {"signs": None, "numbers": NUMBERS}
FORMS = {"soft": {"nu": 0.5}, "hard": {"nu": None}, "price": {"C": 6.0}}
SETTINGS = {
    **{
        f"Leveraging, {correction}": {"correction": correction}
        for correction in ("newton", "sweeps", "parallel")
    },
    "L1Leveraging, coordinate": {"steps": "coordinate"},
    "BarrierBoost, coordinate": {"steps": "coordinate"},
    "MarginalAdaBoost, short": {"epsilon": 0.4},
}


class KeepAll(Callback):
    """Put a copy of the checkpoint aside after every round."""

    saves_state = True

    def __init__(self, path):
        self.path = path

    def on_round(self, state):
        shutil.copy(self.path, self.path.with_name(f"{state.round}.json"))


def make_problem(seed, n=90):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 6, size=n)
    target = X[:, 0] + (X[:, 3] == 2) + 0.7 * rng.normal(size=n)
    X[rng.random(X.shape) < 0.08] = np.nan
    weight = rng.integers(1, 4, size=n) if seed % 2 else None
    return X, target, weight


def assert_same_bits(resumed, whole):
    assert resumed.n_iter_ == whole.n_iter_
    assert resumed.stop_reason_ is whole.stop_reason_
    assert resumed.estimators_ == whole.estimators_
    assert resumed.certificate_ == whole.certificate_
    names = ("estimator_weights_", "dual_", "margins_")
    for name in names[: 2 if is_regressor(whole) else 3]:
        np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name), name)
    for name in whole.history_:
        if name != "seconds":
            np.testing.assert_array_equal(resumed.history_[name], whole.history_[name], name)


def check_every_round(make, folder, seed=0, n=90, least=1):
    """Fit once with a checkpoint after every round; then from each of them."""
    X, target, weight = make_problem(seed, n)
    y = target if is_regressor(make()) else target > 0.3
    path = folder / "run.json"
    whole = make(callbacks=[Checkpoint(path, every=1), KeepAll(path)])
    whole.fit(X, y, sample_weight=weight)
    assert whole.n_iter_ >= least
    for done in range(1, whole.n_iter_):
        checkpoint = Checkpoint(folder / f"{done}.json", every=10**6)
        resumed = make(callbacks=[checkpoint]).fit(X, y, sample_weight=weight)
        assert_same_bits(resumed, whole)
    return whole


def every_algorithm():
    """Every exported algorithm with one run per fit, and settings that take other ways."""
    for name in algorithms.__all__:
        if name.endswith(("Classifier", "Regressor")) and name != "IntervalRegressor":
            yield pytest.param(getattr(algorithms, name), {}, id=name)
    for name, settings in SETTINGS.items():
        kind = getattr(algorithms, name.partition(",")[0] + "Classifier")
        yield pytest.param(kind, settings, id=name)
        yield pytest.param(kind, {"estimator": NUMBERS, **settings}, id=f"{name}, numbers")


@pytest.mark.parametrize("seed", PROBLEMS)
@pytest.mark.parametrize(("kind", "settings"), list(every_algorithm()))
def test_every_algorithm(kind, settings, seed, tmp_path):
    rest = {"tol": None} if "tol" in kind().get_params() else {}

    def make(**more):
        return kind(n_estimators=8, random_state=seed, **rest, **settings, **more)

    check_every_round(make, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:nu=:UserWarning")
@pytest.mark.parametrize("seed", PROBLEMS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("outputs", LEARNERS)
@pytest.mark.parametrize("solver", ["simplex", "interior", "smooth"])
def test_linear_programs_that_forget(solver, outputs, form, seed, tmp_path, monkeypatch):
    """The pool of hypotheses shrinks meanwhile; whatever a solver remembers must come along."""
    monkeypatch.setattr(working_set, "IDLE_ROUNDS", 2)

    def make(**more):
        return LPBoostClassifier(
            LEARNERS[outputs], solver=solver, tol=1e-7, n_estimators=12, **FORMS[form], **more
        )

    check_every_round(make, tmp_path, seed, n=70, least=2)


# -- the parts on which it rests ------------------------------------------------------------------


def test_sum_of_replaced_coefficients_is_kept():
    """Coefficients replaced at once were not added one by one, which rounds otherwise."""
    n, rng = 40, np.random.default_rng(0)
    X, y = rng.normal(size=(n, 1)), np.where(np.arange(n) % 2, 1, -1)
    sample = Sample.of_labels(y, rows=Table.learn(X, ["a"], None))
    coef = np.append(1.0, np.full(99, 1e-16))  # one by one, the small ones are lost
    state, restored = State(sample), State(sample)
    state.members = [constant_tree(1.0)] * len(coef)
    state.coef = [0.0] * len(coef)
    state.replace(coef, np.full(n, coef.sum()))
    assert state.l1_norm > 1.0
    restored.restore(state.snapshot(), state.members)
    assert restored.l1_norm == state.l1_norm
    assert restored.min_margin == state.min_margin


@pytest.mark.parametrize("numbers", ["kept", "dropped", "signs as numbers"])
def test_a_pool_is_made_of_its_columns_and_their_order(numbers):
    """Columns dropped leave the pool that would be built of the others."""
    n, rng = 50, np.random.default_rng(1)
    columns = [rng.choice(np.array([-1, 1], dtype=np.int8), size=n) for _ in range(21)]
    columns[4] = columns[4] if numbers == "signs as numbers" else rng.uniform(-1.0, 1.0, n)
    columns[4] = columns[4].astype(float)
    keep = np.delete(np.arange(21), [2, 9] if numbers == "kept" else [2, 4, 9])
    lived, built = PackedPool(n), PackedPool(n)
    for column in columns:
        lived.append(column)
    lived.keep(keep)
    for j in keep:
        column = columns[j]
        built.append(column.astype(np.int8) if (np.abs(column) == 1).all() else column)
    coef, dual = rng.random(len(keep)), rng.normal(size=n)
    np.testing.assert_array_equal(lived.columns, built.columns)
    np.testing.assert_array_equal(lived.combine(coef), built.combine(coef))
    np.testing.assert_array_equal(lived.edges(dual), built.edges(dual))
    for pool in (lived, built):
        pool.append(columns[2])
    more = np.append(coef, 0.3)
    np.testing.assert_array_equal(lived.combine(more), built.combine(more))
