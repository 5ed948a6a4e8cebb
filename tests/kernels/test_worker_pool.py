"""Workers inside a kernel: every share is done once, and an error ends the work."""

import threading
from typing import NamedTuple

import numpy as np
import pytest

from marginboost.kernels.intrinsics import atomic_add, atomic_read, yield_processor
from marginboost.kernels.jit import kernel
from marginboost.kernels.parallel import (
    UNTIL_DISMISSED,
    WorkerPool,
    work_together,
    worker_loop,
)

LEADER, WORKER = 0, 1


class Job(NamedTuple):
    """Who does the share, how often each was done, how many a worker has begun, and the board."""

    role: np.ndarray
    done: np.ndarray
    begun: np.ndarray
    board: np.ndarray


@kernel
def count_share(job, share):
    job.done[share] += 1


@kernel
def count_all(job, n_tasks):
    for _ in range(n_tasks):
        work_together(count_share, job, job.done.size)


@kernel
def count_loop(job, patience):
    worker_loop(count_share, job, patience)


@kernel
def share_that_workers_fail(job, share):
    """Raise in a worker; the leader stays in its share until a worker has begun one."""
    if job.role[0] == WORKER:
        atomic_add(job.begun, 0, 1)
        raise ArithmeticError("a share went wrong")
    while atomic_read(job.begun, 0) == 0:
        yield_processor()


@kernel
def failing(job, n_shares):
    work_together(share_that_workers_fail, job, n_shares)


@kernel
def failing_loop(job, patience):
    worker_loop(share_that_workers_fail, job, patience)


def new_job(role, pool, n_shares=8, begun=None):
    begun = np.zeros(1, np.int64) if begun is None else begun
    return Job(np.array([role]), np.zeros(n_shares, np.int64), begun, pool.board)


def within(seconds, call):
    """Outcome of a call in a thread of its own; fails where it does not end in time."""
    outcome = []

    def run():
        try:
            outcome.append(call())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert outcome, "the leader waits for a worker that is gone"
    return outcome[0]


@pytest.mark.parametrize("n_workers", [0, 1, 3])
def test_every_share_is_done_once_a_task(n_workers):
    pool = WorkerPool(n_workers)
    job = new_job(LEADER, pool)
    pool.lead(lambda: count_all(job, 200), lambda: count_loop(job, UNTIL_DISMISSED))
    pool.dismiss()
    np.testing.assert_array_equal(job.done, np.full(8, 200))


def test_the_error_of_a_worker_ends_the_work():
    pool = WorkerPool(1)
    leader = new_job(LEADER, pool)
    worker = new_job(WORKER, pool, begun=leader.begun)
    error = within(
        60, lambda: pool.lead(lambda: failing(leader, 2), lambda: failing_loop(worker, 1 << 40))
    )
    assert isinstance(error, ArithmeticError)
    assert str(error) == "a share went wrong"


def test_the_error_of_the_leader_sends_the_workers_away():
    pool = WorkerPool(1)
    left = threading.Event()
    job = new_job(LEADER, pool)

    def loop():
        count_loop(job, UNTIL_DISMISSED)
        left.set()

    def work():
        count_all(job, 1)
        raise LookupError("of the leader")

    with pytest.raises(LookupError, match="of the leader"):
        pool.lead(work, loop)
    assert left.wait(60)
