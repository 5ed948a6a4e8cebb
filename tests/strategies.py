"""What the theory tests share: random problems, small builders, an independent AdaBoost.

Everything here is written without looking at the package's own formulas, so that a test which
compares the two can fail.
"""

from __future__ import annotations

import math
from itertools import pairwise
from types import FunctionType

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from marginboost.core import Callback, Run, train
from marginboost.data import BinnedMatrix, Table
from marginboost.kernels.jit import COMPILED, kernel
from marginboost.oracles import FiniteOracle, matrix_sample

theory = settings(derandomize=True, deadline=None, max_examples=25, database=None)
few = settings(theory, max_examples=10)

SLACK = 1e-9
"""Tolerance of bounds: rounding of sums of a few hundred terms, and of the linear program."""


# -- problems ----------------------------------------------------------------------------------


@st.composite
def labels(draw, n):
    return np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))


@st.composite
def sign_problems(draw, max_rows=10, max_columns=12, min_rows=2, min_columns=1):
    """(H, y) with outputs -1 and +1; hypotheses lean towards the labels, so edges are positive."""
    n = draw(st.integers(min_rows, max_rows))
    m = draw(st.integers(min_columns, max_columns))
    y = draw(labels(n))
    lean = draw(st.sampled_from([0.5, 0.65, 0.8]))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    return np.where(rng.random((n, m)) < lean, 1.0, -1.0) * y[:, None], y


@st.composite
def imperfect_sign_problems(draw, **sizes):
    """The same, without hypotheses that are right everywhere."""
    H, y = draw(sign_problems(**sizes))
    perfect = (H * y[:, None] > 0).all(axis=0)
    H = H.copy()
    H[0, perfect] = -y[0]
    return H, y


@st.composite
def real_problems(draw, max_rows=10, max_columns=10, min_rows=2):
    """(H, y) with outputs in [-1, 1]; every hypothesis errs somewhere, and one output is not ±1."""
    n, m = draw(st.integers(min_rows, max_rows)), draw(st.integers(1, max_columns))
    y = draw(labels(n))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    U = np.clip(rng.uniform(-1, 1, (n, m)) + draw(st.sampled_from([0.0, 0.2, 0.4])), -1, 1)
    U[rng.integers(n, size=m), np.arange(m)] = -rng.uniform(0.05, 1, m)
    return U * y[:, None], y


def problems():
    return st.one_of(sign_problems(), real_problems())


def targets(low=-0.6, high=0.6):
    return st.floats(low, high, allow_nan=False).map(lambda v: round(v, 3))


def flip_family(n):
    """R1-V03: hypothesis j errs on example j only; ρ* = 1 - 2/n."""
    return np.ones((n, n)) - 2 * np.eye(n)


def leaning_matrix(n, m, p, seed):
    """R1-E09: outputs equal the label with probability p; hypotheses without error are dropped."""
    rng = np.random.default_rng(seed)
    U = np.where(rng.random((n, m)) < p, 1.0, -1.0)
    return U[:, ~(U > 0).all(axis=0)]


# -- runs --------------------------------------------------------------------------------------


class Recorder(Callback):
    """Keep scores, weights and l1_norms of every round; ``duals[t]`` belongs to round t + 1."""

    def on_start(self, state, oracle, rule, max_rounds):
        self.duals = [state.dual.copy()]
        self.scores, self.l1_norms, self.min_margins = [], [], []
        self.members, self.coef = state.members, state.coef

    def on_round(self, state):
        self.duals.append(state.dual.copy())
        self.scores.append(state.scores.copy())
        self.l1_norms.append(state.l1_norm)
        self.min_margins.append(state.min_margin)


def run_matrix(H, y, rule, rounds, *, selection="best", delta=1.0, closed=False, **more) -> Run:
    """Run in matrix mode."""
    prior, seed = more.pop("prior", None), more.pop("seed", 0)
    oracle = FiniteOracle(selection=selection, delta=delta, closed=closed)
    return train(matrix_sample(H, y, prior, seed), oracle, rule, max_rounds=rounds, **more)


def recorded(H, y, rule, rounds, **more) -> tuple[Run, Recorder]:
    recorder = Recorder()
    return run_matrix(H, y, rule, rounds, callbacks=[recorder], **more), recorder


def chosen_outcomes(run, H, y):
    """Columns ``y h_t`` of the members of the model."""
    return np.array([y * m.sign * H[:, m.index] for m in run.ensemble.members]).T


def stump_matrix(X):
    """Outputs of every stump: all features, all midpoints, both polarities, both constants.

    A feature with missing values has a third side with a label of its own.
    """
    columns = [np.ones(len(X)), -np.ones(len(X))]
    for values in X.T:
        missing = np.isnan(values)
        distinct = np.unique(values[~missing])
        cuts = [*((a + b) / 2 for a, b in pairwise(distinct)), np.inf]
        sides = [np.where(values <= cut, 1.0, -1.0) for cut in cuts]
        for side in sides:
            for third in (1.0, -1.0) if missing.any() else (1.0,):
                column = np.where(missing, third, side)
                columns += [column, -column]
    return np.array(columns).T


def binned_sample(X, y, prior=None):
    """Sample for the stump oracle with a bin for every distinct value."""
    from marginboost.core import Sample

    table = Table(X, [f"x{j}" for j in range(X.shape[1])])
    bins = BinnedMatrix.from_table(table, max_bins=None, n_jobs=1)
    return Sample.of_labels(y, prior, rows=table, bins=bins)


# -- independent formulas ----------------------------------------------------------------------


def plain_adaboost(U, rounds, prior=None):
    """Algorithm 1.1 as printed, by repeated multiplication: columns, errors, coefficients, weights.

    Ties go to the first column among those equal up to rounding.
    """
    d = np.full(len(U), 1 / len(U)) if prior is None else prior / prior.sum()
    chosen, errors, steps, weights = [], [], [], [d]
    for _ in range(rounds):
        wrong = d @ (U < 0)
        j = int(np.argmax(wrong <= wrong.min() + 1e-12))
        if not 1e-12 < wrong[j] < 0.5 - 1e-12:
            break
        step = 0.5 * math.log((1 - wrong[j]) / wrong[j])
        d = d * np.exp(-step * U[:, j])
        d = d / d.sum()
        chosen.append(j)
        errors.append(wrong[j])
        steps.append(step)
        weights.append(d)
    return chosen, np.array(errors), np.array(steps), weights


def entropy_two(target, edge):
    """Δ_2 (R1-Q23), with 0 log 0 = 0."""
    total = 0.0
    for sign in (1, -1):
        a, b = (1 + sign * target) / 2, (1 + sign * edge) / 2
        total += a * math.log(a / b) if a > 0 else 0.0
    return total


def product_bound(targets, edges, theta):
    """Right side of (2.10) and (2.13)."""
    logs = 0.5 * (1 - theta) * np.log((1 - edges) / (1 - targets))
    logs += 0.5 * (1 + theta) * np.log((1 + edges) / (1 + targets))
    return math.exp(min(700.0, float(np.sum(logs))))


def guaranteed_margin(edge, target):
    """m(γ, ϱ) of (2.11), R1-Q24."""
    above = math.log(1 - edge**2) - math.log(1 - target**2)
    below = math.log((1 + target) * (1 - edge)) - math.log((1 - target) * (1 + edge))
    return above / below


def margin_errors(margins, theta):
    """Share of margins at most θ."""
    return float(np.mean(margins <= theta))


# -- kernels -----------------------------------------------------------------------------------


def from_python(part):
    """A kernel that only kernels call, compiled so that Python can, under a name of its own."""
    if not COMPILED:
        return part
    function = part.py_func
    twin = FunctionType(function.__code__, function.__globals__, function.__name__)
    twin.__module__, twin.__qualname__ = function.__module__, f"{function.__name__}_from_python"
    return kernel(twin)
