"""More threads than the machine has are never started, and thousands end no process."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from marginboost import AdaBoostClassifier, GradientBoostClassifier
from marginboost.kernels import parallel
from marginboost.kernels.parallel import available_threads, invite, resolve_n_jobs

FITS = """
import threading
import numpy as np
from marginboost import AdaBoostClassifier, GradientBoostClassifier

X = np.random.default_rng(0).normal(size=(20000, 40))
y = X[:, 0] > 0
GradientBoostClassifier(n_estimators=2, n_jobs={n_jobs}).fit(X, y)
AdaBoostClassifier(n_estimators=2, n_jobs={n_jobs}).fit(X, y)
print(threading.active_count())
"""


@pytest.fixture(scope="module")
def compiled():
    """Kernels that are compiled, so that children need not do it."""
    X = np.random.default_rng(0).normal(size=(20000, 40))
    for kind in (AdaBoostClassifier, GradientBoostClassifier):
        kind(n_estimators=2, n_jobs=2).fit(X, X[:, 0] > 0)


def test_forty_thousand_threads_are_as_many_as_there_are_processors(compiled):
    command = [sys.executable, "-c", FITS.format(n_jobs=40_000)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) <= (os.cpu_count() or 1) + 1


def test_n_jobs_is_bounded_by_the_machine(monkeypatch):
    monkeypatch.setattr(parallel, "MOST_THREADS", 4)
    assert [resolve_n_jobs(n) for n in (1, 3, 4, 5, 10**6, 10**400)] == [1, 3, 4, 4, 4, 4]
    assert resolve_n_jobs(-(10**400)) == 1
    assert resolve_n_jobs(None) == resolve_n_jobs(-1) == available_threads()
    for wrong in (True, 2.0, "a", np.array([0, 1]), [1], float("nan")):
        with pytest.raises(TypeError, match=r"n_jobs: got .*, expected None, a positive integer"):
            resolve_n_jobs(wrong)
    with pytest.raises(ValueError, match="n_jobs: got 0, expected None, a positive integer"):
        resolve_n_jobs(0)


def test_no_thread_is_started_where_address_space_is_short(monkeypatch):
    monkeypatch.setattr(parallel, "room", lambda: 1e8)
    before = threading.active_count()
    invite(lambda: None, before + 3)
    assert threading.active_count() == before
