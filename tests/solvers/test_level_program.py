"""The program over all stumps by levels: against the program with one column per stump."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marginboost.algorithms._levels as levels
from marginboost import Checkpoint, LPBoostClassifier
from marginboost.core import Callback
from marginboost.data import BinnedMatrix
from marginboost.datasets import circle_2d, flip_labels
from marginboost.solvers.level_program import can_be_levelled, solve_levels
from marginboost.solvers.margin_lp import solve_margin_lp
from marginboost.solvers.masters.base import MasterError
from marginboost.solvers.masters.problem import caps


def all_outcomes(bins, y):
    """One column per stump and its negative, and both constants."""
    columns = [np.ones(bins.n_rows)]
    for codes, n_bins in zip(bins.codes, bins.n_bins, strict=True):
        columns += [np.where(codes > cut, 1.0, -1.0) for cut in range(n_bins - 1)]
    return y[:, None] * np.column_stack([*columns, *(-column for column in columns)])


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 25))
    X = rng.integers(0, draw(st.integers(1, 6)), size=(n, draw(st.integers(1, 3)))).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=n) * draw(st.floats(0, 3)) > 2, 1.0, -1.0)
    prior = rng.dirichlet(np.full(n, 5.0)) if draw(st.booleans()) else np.full(n, 1.0 / n)
    nu = draw(st.sampled_from([None, 0.4, 0.8, 1.0]))
    return BinnedMatrix.from_data(X), y, prior, nu


@settings(derandomize=True, deadline=None, max_examples=50, database=None)
@given(problems())
def test_value_coefficients_and_weights_are_those_of_the_full_program(problem):
    bins, y, prior, nu = problem
    outcomes, limits = all_outcomes(bins, y), caps(prior, nu)
    best = solve_margin_lp(outcomes, nu, prior).value
    found = solve_levels(bins, y, limits)
    # The weights prove the value from above ...
    assert found.weights.sum() == pytest.approx(1.0)
    assert (found.weights <= limits + 1e-7).all()
    assert (found.weights @ outcomes).max() == pytest.approx(best, abs=1e-6)
    # ... and the stumps attain it, with what is left of Σα on a stump and its negative.
    scores = np.full(len(y), found.constant)
    for feature, cut, step in zip(found.features, found.cuts, found.coef, strict=True):
        scores += step * np.where(bins.codes[feature] > cut, 1.0, -1.0)
    assert np.abs(found.coef).sum() + abs(found.constant) <= 1.0 + 1e-6
    margins = y * scores
    values = [rho - limits @ np.maximum(rho - margins, 0.0) for rho in margins]
    assert (margins.min() if nu is None else max(values)) == pytest.approx(best, abs=1e-6)


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(levels, "FEWEST_ROWS", 0)


def noisy_circle():
    X, y = circle_2d(120)
    return X, flip_labels(y, 0.2, seed=3)[0]


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.6, None])
def test_one_round_proves_the_optimum(nu, any_size):
    X, y = noisy_circle()
    model = LPBoostClassifier(nu=nu, tol=1e-4).fit(X, y)
    other = LPBoostClassifier(nu=nu, tol=1e-4, solver="simplex").fit(X, y)
    assert model.n_iter_ == 1 < other.n_iter_
    assert model.stop_reason_ == "gap"
    assert model.certified_
    assert model.estimator_weights_.sum() == pytest.approx(1.0)
    assert model.certificate_.value == pytest.approx(other.certificate_.value, abs=2e-4)


def test_no_soft_margin_to_be_had_is_proven_too(any_size):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(200, 2)).astype(float)
    y = (X[:, 0] > 0) ^ (rng.random(200) < 0.4)
    with pytest.warns(UserWarning, match="about zero"):
        model = LPBoostClassifier(nu=0.1).fit(X, y)
    assert model.n_iter_ == 1
    assert model.certificate_.upper == pytest.approx(0.0, abs=1e-7)
    assert model.certificate_.value == pytest.approx(0.0, abs=1e-5)
    assert model.estimator_weights_.sum() == pytest.approx(1.0)
    assert np.abs(model.decision_function(X)).min() > 0.0  # every row has a class


def test_weights_are_copies(any_size):
    X, y = noisy_circle()
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = LPBoostClassifier(nu=0.6).fit(X, y, sample_weight=counts)
    copied = LPBoostClassifier(nu=0.6).fit(np.repeat(X, counts, 0), np.repeat(y, counts))
    assert weighted.n_iter_ == copied.n_iter_ == 1
    assert weighted.certificate_.upper == pytest.approx(copied.certificate_.upper, abs=1e-7)


class Crash(Callback):
    def on_round(self, state):
        if state.round == 2:
            raise KeyboardInterrupt


def test_goes_on_bit_for_bit(any_size, monkeypatch, tmp_path):
    X, y = noisy_circle()
    honest = levels.solve_levels

    def half_wrong(bins, labels, limits, seconds):  # so that rounds remain
        found = honest(bins, labels, limits, seconds)
        weights = found.weights + 1.0 / len(labels)
        return type(found)(
            found.features[::2], found.cuts[::2], found.coef[::2], 0.0, weights / weights.sum()
        )

    monkeypatch.setattr(levels, "solve_levels", half_wrong)
    whole = LPBoostClassifier(nu=0.6, tol=1e-6).fit(X, y)
    assert whole.n_iter_ > 3
    path = tmp_path / "run.json"
    with pytest.raises(KeyboardInterrupt):
        LPBoostClassifier(nu=0.6, tol=1e-6, callbacks=[Checkpoint(path, every=1), Crash()]).fit(
            X, y
        )
    resumed = LPBoostClassifier(nu=0.6, tol=1e-6, callbacks=[Checkpoint(path, every=1)]).fit(X, y)
    assert resumed.estimators_ == whole.estimators_
    for name in ("estimator_weights_", "dual_"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))


def test_a_solver_that_fails_leaves_the_fit_as_it_is(any_size, monkeypatch):
    X, y = noisy_circle()

    def fail(*arguments):
        raise MasterError("not today")

    monkeypatch.setattr(levels, "solve_levels", fail)
    model = LPBoostClassifier(nu=0.6).fit(X, y)
    assert model.n_iter_ > 1
    assert model.certificate_.gap <= 1e-3


def test_missing_values_and_categories_are_left_to_the_oracle():
    assert not can_be_levelled(BinnedMatrix.from_data([[1.0], [np.nan]]))
    assert not can_be_levelled(BinnedMatrix.from_data([[1.0], [2.0]], categorical=[0]))
