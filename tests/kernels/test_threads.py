"""Results do not depend on threads, and threads survive what users do to them."""

import io
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict
from threadpoolctl import threadpool_info, threadpool_limits

from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    BinnedMatrix,
    StumpOracle,
    TreeOracle,
)
from marginboost.data import Table
from marginboost.kernels import parallel
from marginboost.kernels.parallel import (
    ROW_BLOCK,
    available_threads,
    invite,
    one_algebra_thread,
    resolve_n_jobs,
    row_blocks,
    run_blocks,
    run_rows,
)
from marginboost.oracles.histograms import SERIAL_WORK

N_ROWS = 2 * ROW_BLOCK + 4321  # three blocks, the last one of odd size


def rows_of(n, seed=0, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X) @ np.arange(1, d + 1) + 2 * rng.normal(size=n) > 0
    return X, y


@pytest.fixture(scope="module")
def many_rows():
    return rows_of(N_ROWS)


def assert_same_bits(one, other):
    assert one.estimators_ == other.estimators_
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    for name in one.history_:
        if name != "seconds":
            np.testing.assert_array_equal(one.history_[name], other.history_[name], name)
    np.testing.assert_array_equal(one.dual_, other.dual_)
    np.testing.assert_array_equal(one.margins_, other.margins_)


PARTITION = {"estimator": StumpOracle("partition"), "categorical_features": [4]}


@pytest.mark.parametrize(
    ("make", "settings", "weighted"),
    [
        (AdaBoostClassifier, {}, False),
        (AdaBoostClassifier, {}, True),
        (AdaBoostClassifier, {"max_bins": None}, False),
        (AdaBoostClassifier, PARTITION, True),
        (AdaBoostClassifier, {"estimator": TreeOracle(max_depth=2)}, False),
        (AdaBoostClassifier, {"estimator": TreeOracle(max_depth=2)}, True),
        (ArcGVClassifier, {"monotone": False}, False),
        (BaggedVoteClassifier, {}, True),
    ],
)
def test_any_number_of_threads_gives_the_same_bits(many_rows, make, settings, weighted):
    X, y = many_rows
    if "categorical_features" in settings:
        X = X.copy()
        X[:, 4] = np.round(X[:, 4])
    weight = np.random.default_rng(1).integers(0, 3, size=len(y)) if weighted else None
    models = [
        make(n_estimators=6, n_jobs=n_jobs, random_state=0, **settings).fit(X, y, weight)
        for n_jobs in (1, 3)
    ]
    assert models[0].n_iter_ >= 5
    for other in models[1:]:
        assert_same_bits(models[0], other)
        for rows in (X, X.astype(np.float32)):
            np.testing.assert_array_equal(
                models[0].decision_function(rows), other.decision_function(rows)
            )
        np.testing.assert_array_equal(models[0].predict_proba(X), other.predict_proba(X))


def test_helpers_that_stay_between_rounds_change_nothing():
    X, y = rows_of(30_000, d=23)  # one block of rows, and enough features for several shares
    assert X.size > SERIAL_WORK
    models = [AdaBoostClassifier(n_estimators=80, n_jobs=k).fit(X, y) for k in (1, 2, 3)]
    for other in models[1:]:
        assert_same_bits(models[0], other)


def test_bins_do_not_depend_on_threads(many_rows):
    X, _ = many_rows
    one, two = (BinnedMatrix.from_table(Table(X, list("abcde")), n_jobs=k) for k in (1, 2))
    np.testing.assert_array_equal(one.codes, two.codes)
    for cuts, other in zip(one.cuts, two.cuts, strict=True):
        np.testing.assert_array_equal(cuts, other)


def test_fits_in_several_threads_are_those_in_one():
    problems = [rows_of(30_000, seed, d=20) for seed in range(4)]

    def fit(problem):
        return AdaBoostClassifier(n_estimators=40, n_jobs=2).fit(*problem)

    serial = [fit(problem) for problem in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, problems))
        votes = list(pool.map(lambda k: together[k].decision_function(problems[k][0]), range(4)))
    for one, other, vote, (X, _) in zip(serial, together, votes, problems, strict=True):
        assert_same_bits(one, other)
        np.testing.assert_array_equal(vote, one.decision_function(X))


def _fit_in_child(connection):
    X, y = rows_of(30_000, d=20)
    model = AdaBoostClassifier(n_estimators=5, n_jobs=2).fit(X, y)
    connection.send((os.getpid(), model.estimator_weights_, model.decision_function(X)))
    connection.close()


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this platform cannot fork"
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_fits_after_its_parent_used_the_pool():
    X, y = rows_of(30_000, d=20)
    model = AdaBoostClassifier(n_estimators=5, n_jobs=2).fit(X, y)
    assert any(t.name.startswith("marginboost") for t in threading.enumerate())
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_fit_in_child, args=(there,))
    child.start()
    there.close()
    try:
        assert here.poll(60), "the child hangs"
        pid, weights, votes = here.recv()
    finally:
        child.join(5)
        if child.is_alive():
            child.kill()
    assert pid != os.getpid()
    np.testing.assert_array_equal(weights, model.estimator_weights_)
    np.testing.assert_array_equal(votes, model.decision_function(X))
    again = AdaBoostClassifier(n_estimators=5, n_jobs=2).fit(X, y)  # the parent's pool still works
    np.testing.assert_array_equal(again.estimator_weights_, model.estimator_weights_)


@pytest.mark.slow
def test_grid_search_in_processes():
    X, y = rows_of(400)
    grid = {"n_estimators": [2, 10], "learning_rate": [0.5, 1.0]}
    parallel = GridSearchCV(AdaBoostClassifier(), grid, cv=2, n_jobs=2).fit(X, y)
    serial = GridSearchCV(AdaBoostClassifier(n_jobs=1), grid, cv=2, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(
        parallel.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(parallel.predict(X), serial.predict(X))


def test_cross_validation_in_threads():
    from joblib import parallel_backend

    X, y = rows_of(2000)
    model = AdaBoostClassifier(n_estimators=5, n_jobs=2)
    serial = cross_val_predict(model, X, y, cv=3, method="decision_function")
    with parallel_backend("threading", n_jobs=2):
        threaded = cross_val_predict(model, X, y, cv=3, method="decision_function")
    np.testing.assert_array_equal(serial, threaded)


# -- the pool itself ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_blocks", [0, 1, 2, 100])
def test_every_block_runs_once(n_threads, n_blocks):
    done = np.zeros(n_blocks, dtype=int)

    def task(block):
        done[block] += 1

    run_blocks(task, n_blocks, n_threads)
    np.testing.assert_array_equal(done, np.ones(n_blocks))


def test_work_is_shared_out():
    """Two blocks that wait for each other can only end on two threads."""
    barrier = threading.Barrier(2, timeout=30)
    run_blocks(lambda block: barrier.wait() and None, 2, 2)
    assert not barrier.broken


def test_busy_helpers_hold_nobody_up():
    """With every thread of the pool busy elsewhere, the caller does all the work."""
    free, n_threads = threading.Event(), 20
    invite(free.wait, n_threads)
    try:
        test_every_block_runs_once(n_threads + 1, 50)
    finally:
        free.set()


def test_the_pool_survives_an_error_of_a_guest():
    def fail():
        raise ArithmeticError

    invite(fail, 4)
    test_work_is_shared_out()


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_a_block_is_raised(n_threads):
    def task(block):
        if block == 7:
            raise ArithmeticError("block seven")

    with pytest.raises(ArithmeticError, match="block seven"):
        run_blocks(task, 10, n_threads)
    run_blocks(lambda block: None, 10, n_threads)  # and the pool lives on


@pytest.mark.parametrize("n", [0, 1, ROW_BLOCK - 1, ROW_BLOCK, ROW_BLOCK + 1, 3 * ROW_BLOCK])
def test_row_blocks_cover_the_rows(n):
    blocks = list(row_blocks(n))
    rows = np.concatenate([np.arange(*block) for block in blocks] or [np.arange(0)])
    np.testing.assert_array_equal(rows, np.arange(n))
    assert run_rows(lambda start, stop: (start, stop), n, 2) == blocks


@pytest.mark.parametrize("n_blocks", [2, 9])
def test_after_an_error_no_more_blocks_are_begun(n_blocks):
    """Both threads have begun a block when one fails; the other ends its own and takes no more."""
    barrier, begun = threading.Barrier(2, timeout=30), []

    def task(block):
        begun.append(block)
        if block < 2:
            barrier.wait()
        if block == 1:
            raise ArithmeticError("block one")
        threading.Event().wait(0.2)  # the time that the other needs to fail

    with pytest.raises(ArithmeticError, match="block one"):
        run_blocks(task, n_blocks, 2)
    assert sorted(begun) == [0, 1]


def test_a_helper_that_leaves_is_not_lost():
    def leave():
        raise SystemExit

    invite(leave, 4)
    test_work_is_shared_out()


@pytest.fixture
def no_new_threads(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(parallel, "_tasks", SimpleQueue())
    monkeypatch.setattr(parallel, "_n_threads", 0)
    monkeypatch.setattr(threading.Thread, "start", refuse)


def test_where_no_thread_can_be_started_the_caller_works_alone(no_new_threads):
    test_every_block_runs_once(3, 20)
    X, y = rows_of(30_000, d=20)
    models = [AdaBoostClassifier(n_estimators=5, n_jobs=k).fit(X, y) for k in (1, 3)]
    assert_same_bits(*models)
    assert parallel._tasks.empty()  # nothing is kept for threads that never come


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    parallel._granted_cores.cache_clear()
    yield
    parallel._granted_cores.cache_clear()


def cgroup(monkeypatch, files):
    """Let the files of the control group be these, and no others."""
    exists, opened = os.path.exists, open

    def is_there(path):
        return path in files if str(path).startswith("/sys/fs/cgroup/") else exists(path)

    def read(path, *args, **kwargs):
        return io.StringIO(files[path]) if path in files else opened(path, *args, **kwargs)

    monkeypatch.setattr(os.path, "exists", is_there)
    monkeypatch.setattr("builtins.open", read)


def test_number_of_threads(monkeypatch, eight_cores):
    cgroup(monkeypatch, {})
    assert resolve_n_jobs(None) == resolve_n_jobs(-1) == available_threads() == 8
    assert resolve_n_jobs(-2) == 7
    assert resolve_n_jobs(-100) == 1
    assert resolve_n_jobs(np.int64(3)) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert resolve_n_jobs(None) == 2
    assert resolve_n_jobs(5) == 5  # what is asked for is given
    for nonsense in ("", "many", "0", "4,2"):
        monkeypatch.setenv("OMP_NUM_THREADS", nonsense)
        assert resolve_n_jobs(None) == 8
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3}, raising=False)
    assert resolve_n_jobs(None) == 2


V1 = "/sys/fs/cgroup/cpu/cpu.cfs_"


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="control groups are Linux's")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/sys/fs/cgroup/cpu.max": "250000 100000"}, 3),
        ({"/sys/fs/cgroup/cpu.max": "max 100000"}, 8),
        ({V1 + "quota_us": "50000", V1 + "period_us": "100000"}, 1),
        ({V1 + "quota_us": "-1", V1 + "period_us": "100000"}, 8),
    ],
)
def test_the_quota_of_a_container_counts(monkeypatch, eight_cores, files, expected):
    cgroup(monkeypatch, files)
    assert available_threads() == expected


def test_linear_algebra_on_one_thread():
    def algebra():
        return [part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"]

    with threadpool_limits(2, "blas"):
        before = algebra()
        with one_algebra_thread():
            assert set(algebra()) == {1}
        assert algebra() == before


def test_overlapping_users_leave_the_libraries_as_they_were():
    """The first to come is the first to go; the second still has one thread, then all come back."""

    def algebra():
        return [part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"]

    with threadpool_limits(2, "blas"):
        before = algebra()
        first, second = one_algebra_thread(), one_algebra_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(algebra()) == {1}
        second.__exit__(None, None, None)
        assert algebra() == before
