"""One table, one model: the same bytes for any threads, parts and batches.

What a cluster of 1, 2 and 3 workers makes is compared with one machine in tests/dask/test_cluster.
"""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import bytes_of_all
from digests import digest
from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    BinnedMatrix,
    GradientBoostClassifier,
    LPBoostClassifier,
    RobustBoostClassifier,
    SoftmaxBoostClassifier,
)
from marginboost.audit import LabelAudit, votes
from marginboost.core.parts import LocalParts, Part, Source
from marginboost.estimators.base import fit_parts
from marginboost.kernels.parallel import ROW_BLOCK
from marginboost.model import Features
from marginboost.oracles.histograms import SERIAL_WORK

N_ROWS = ROW_BLOCK + 4321  # two blocks of rows, so that there is work for two threads
MODELS = {
    "AdaBoost": AdaBoostClassifier(n_estimators=6),
    "Arc-GV": ArcGVClassifier(n_estimators=6, monotone=False),
    "LPBoost": LPBoostClassifier(n_estimators=2, nu=0.7, solver="smooth"),
    "gradient": GradientBoostClassifier(n_estimators=2),
    "softmax": SoftmaxBoostClassifier(n_estimators=1),
}
DIVISIONS = {
    "one part": [0, N_ROWS],
    "two parts": [0, 777, N_ROWS],
    "seven parts": [0, 1, 8, 500, 501, 1400, 100_000, N_ROWS],
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 5))
    X[rng.random(X.shape) < 0.03] = np.nan
    X[:, 4] = rng.integers(0, 9, N_ROWS)
    score = np.nan_to_num(X) @ [1.0, -1.0, 0.5, 0.2, 0.1] + rng.normal(size=N_ROWS)
    bins = BinnedMatrix.from_data(X)
    assert bins.codes.size > SERIAL_WORK
    return X, bins, np.digitize(score, [0.0, 1.0])


def labels_of(name, rows):
    return rows[2] if name == "softmax" else np.minimum(rows[2], 1)


def streamed(X, y):
    """Bins and labels of a table that comes in batches of unequal size."""
    table = np.column_stack([X, y])
    batches = [table[start:stop] for start, stop in pairwise([0, 1, 9_000, len(y)])]
    bins = BinnedMatrix.from_batches(batches, label=f"x{X.shape[1]}")
    return bins, bins.labels.astype(int)


@pytest.fixture(scope="module")
def expected(rows):
    """Digests of the models that one thread makes of one table."""
    return {
        name: digest(model.set_params(n_jobs=1).fit(rows[1], labels_of(name, rows)))
        for name, model in MODELS.items()
    }


@pytest.mark.parametrize("name", MODELS)
def test_two_threads(rows, expected, name):
    model = MODELS[name].set_params(n_jobs=2)
    assert digest(model.fit(rows[1], labels_of(name, rows))) == expected[name]


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("name", MODELS)
def test_parts(rows, expected, name, division):
    (_, bins, _), y = rows, labels_of(name, rows)
    parts = [
        Part.of(Source(bins.take(np.arange(start, stop)), y[start:stop], np.ones(stop - start), 2))
        for start, stop in pairwise(DIVISIONS[division])
    ]
    features = Features(list(bins.names), list(bins.categories), bins.named)
    model = fit_parts(MODELS[name], features, bins, np.unique(y), LocalParts(parts))
    assert digest(model) == expected[name]


@pytest.mark.parametrize("name", MODELS)
def test_streams(rows, expected, name):
    bins, labels = streamed(rows[0], labels_of(name, rows))
    assert digest(MODELS[name].set_params(n_jobs=2).fit(bins, labels)) == expected[name]


# -- every estimator, whatever BLAS does -----------------------------------------------------------

LONG = {"LPBoostClassifierCV", "MarginalAdaBoostClassifier", "RobustBoostClassifier"}
"""Estimators that take seconds."""
SHARED_SUMS = ["CGBoostClassifier", "MDBoostClassifier", "PBoostClassifier", "NMBoostClassifier"]
"""Some whose sums over rows were BLAS's, on as many threads as there are processors."""
ESTIMATORS = [
    pytest.param(name, marks=pytest.mark.slow if name in LONG else ())
    for name in bytes_of_all.names()
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_threads_of_any_kind(name):
    """Two threads for BLAS and one of ours; one for BLAS and three of ours."""
    with threadpool_limits(2, "blas"):
        first = digest(bytes_of_all.fitted(name, n_jobs=1))
    with threadpool_limits(1, "blas"):
        second = digest(bytes_of_all.fitted(name, n_jobs=3))
    assert first == second


def digests_of_process(names, one_processor, algebra_threads):
    """Digests that a process of its own finds; BLAS counts processors when it is loaded."""
    tests = Path(__file__).parent
    paths = [str(tests), *filter(None, sys.path)]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    given.pop("OPENBLAS_NUM_THREADS", None)
    given.pop("OMP_NUM_THREADS", None)
    if algebra_threads:
        given["OPENBLAS_NUM_THREADS"] = str(algebra_threads)
    command = [sys.executable, tests / "bytes_of_all.py", *names]
    with processors(1 if one_processor else None):
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@contextmanager
def processors(most):
    """Context in which this thread, and processes that it starts, may use so many processors."""
    if most is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:most])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def test_one_processor():
    names = SHARED_SUMS[:2]
    with threadpool_limits(2, "blas"):
        expected = {name: digest(bytes_of_all.fitted(name, n_jobs=1)) for name in names}
    assert digests_of_process(names, True, None) == expected


@pytest.mark.slow
def test_processes_of_any_kind():
    names = bytes_of_all.names()
    found = [
        digests_of_process(names, one_processor, algebra_threads)
        for one_processor, algebra_threads in [(False, None), (True, None), (False, 1)]
    ]
    assert found[0] == found[1] == found[2]


def test_audited_labels():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) > 0
    audits = [LabelAudit(cv=2, n_jobs=k).fit(X, y).score_.tobytes() for k in (1, 2)]
    assert len(set(audits)) == 1
    for model in ("committee", "soft-margin"):
        fits = [RobustBoostClassifier(model=model, cv=2, n_jobs=k).fit(X, y) for k in (1, 2)]
        assert digest(fits[0]) == digest(fits[1])
        assert fits[0].trust_.tobytes() == fits[1].trust_.tobytes()
        np.testing.assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))


@pytest.mark.slow
def test_audit_scores(rows, monkeypatch):
    large = votes.default_voters

    def quick(*args):
        found = large(*args)
        found["gradient trees"].set_params(n_estimators=4)
        return found

    monkeypatch.setattr("marginboost.audit.audit.default_voters", quick)
    X, _, labels = rows
    X, y = X[:20_000], np.minimum(labels[:20_000], 1)
    scores = [LabelAudit(cv=2, n_jobs=k).fit(X, y).score_.tobytes() for k in (1, 2)]
    scores.append(LabelAudit(cv=2, n_jobs=2).fit(*streamed(X, y)).score_.tobytes())
    assert len(set(scores)) == 1
