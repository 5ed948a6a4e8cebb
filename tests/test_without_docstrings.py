"""Everything works under ``python -OO``, which leaves neither docstrings nor assertions."""

import subprocess
import sys

EVERYTHING = """
import pkgutil
from importlib import import_module

import numpy as np

import marginboost
from marginboost.cli.main import main

assert False, "assertions are still there"
for module in pkgutil.walk_packages(marginboost.__path__, "marginboost."):
    if not module.name.endswith("__main__"):
        import_module(module.name)
kinds = [getattr(marginboost, name) for name in marginboost.__all__]
print(len([repr(kind()) for kind in kinds if hasattr(kind, "fit")]), "estimators")

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 2))
y = X[:, 0] > 0
marginboost.GradientBoostClassifier(n_estimators=3).fit(X, y)
marginboost.RobustBoostClassifier(n_estimators=3).fit(X, y)
marginboost.LabelAudit(cv=2).fit(X, y)
marginboost.TargetAudit(cv=2).fit(X, X[:, 0])

np.savetxt("table.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
for command in (
    "fit table.csv --label y --algorithm adaboost --rounds 3 --out model.json",
    "predict model.json table.csv --out predicted.csv",
    "reproduce --list",
):
    if main(command.split()) != 0:
        raise SystemExit(command)
"""


def test_everything_works_without_docstrings(tmp_path):
    done = subprocess.run(
        [sys.executable, "-OO", "-W", "ignore", "-c", EVERYTHING],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    estimators, _, printed = done.stdout.partition(" estimators")
    assert int(estimators) > 50
    assert len((tmp_path / "predicted.csv").read_text().splitlines()) == 101
    assert "None" not in printed  # in the place of titles of experiments
