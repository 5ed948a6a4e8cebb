"""Kernels where Numba cannot keep what it compiles, and where it compiles nothing."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import numpy as np

import marginboost
from marginboost.kernels.jit import kernel, reducing_kernel
from marginboost.oracles import histograms

PACKAGE = Path(marginboost.__file__).parent


def run_python(code, **environment):
    """Run code in a process of its own; returns what it printed and what it warned of."""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_without_a_folder_for_compiled_code_there_is_one_warning(tmp_path):
    """A file in the place of every cache folder: not even root can write there."""
    package = tmp_path / "site" / "marginboost"
    copytree(PACKAGE, package, ignore=ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    home = tmp_path / "home"
    home.touch()
    out, err = run_python(
        "import numpy as np\n"
        "from marginboost import AdaBoostClassifier\n"
        "from marginboost.kernels.weights import weighted_sum\n"
        "import marginboost; print(marginboost.__file__)\n"
        "print(weighted_sum(np.array([0.5, 0.25]), np.array([1.0, -1.0])))\n",
        PYTHONPATH=str(package.parent),
        HOME=str(home),
        XDG_CACHE_HOME=str(home),
        LOCALAPPDATA=str(home),
        NUMBA_CACHE_DIR="",
        PYTHONDONTWRITEBYTECODE="1",
    )
    where, total = out.split()
    assert Path(where).is_relative_to(tmp_path)
    assert float(total) == 0.25
    assert err.count("NUMBA_CACHE_DIR") == 1


FITS = """
import numpy as np
from marginboost import AdaBoostClassifier, LPBoostClassifier
from marginboost.oracles import histograms

histograms.SERIAL_WORK = histograms.INCREMENTAL_WORK = 0  # several threads that follow the weights
histograms.INCREMENTAL_ROWS = 0
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 7)).round(1)
X[rng.random(X.shape) < 0.05] = np.nan
y = np.nan_to_num(X[:, 0]) + rng.normal(size=60) > 0
for n_jobs in (1, 3):
    model = AdaBoostClassifier(n_estimators=6, n_jobs=n_jobs).fit(X, y)
    print(*model.estimator_weights_, *model.decision_function(X[:5]))
wide = AdaBoostClassifier(n_estimators=3, max_bins=None).fit(rng.normal(size=(300, 2)), y.repeat(5))
print(*wide.estimator_weights_)
print(*LPBoostClassifier(n_estimators=20, nu=0.4).fit(X, y).decision_function(X[:5]))
"""


def numbers(printed):
    return [np.array(line.split(), dtype=float) for line in printed.splitlines()]


def test_uncompiled_kernels_compute_what_compiled_ones_do(monkeypatch, capsys):
    """Only the order of additions may differ, in sums that compiled code makes in lanes."""
    for limit in ("SERIAL_WORK", "INCREMENTAL_WORK", "INCREMENTAL_ROWS"):
        monkeypatch.setattr(histograms, limit, 0)
    exec(FITS, {})
    compiled = numbers(capsys.readouterr().out)
    uncompiled = numbers(run_python(FITS, NUMBA_DISABLE_JIT="1")[0])
    for one, other in zip(compiled, uncompiled, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(uncompiled[0], uncompiled[1])  # one thread, three


def test_workers_that_are_not_compiled():
    tests = Path(__file__).with_name("test_worker_pool.py")
    code = f"import pytest; raise SystemExit(pytest.main([{str(tests)!r}, '--noconftest']))"
    run_python(code, NUMBA_DISABLE_JIT="1")


@kernel
def _rounds_away(x):
    return (x + 1e16) - 1e16


@reducing_kernel
def _calls(x):
    return _rounds_away(x)


def test_arithmetic_is_not_taken_from_who_calls():
    """Where sums may be reordered, a kernel that is called must not be, whoever comes first."""
    assert _calls(1.0) == 0.0
    assert _rounds_away(1.0) == 0.0
