"""Count what a reader must visit to follow one call: files, functions, changes of package, depth.

For each entry point the calls between functions of the package are recorded: how many of its files
and functions are visited, how often a call goes from one of its folders into another, and how deep
calls are nested. Fewer is easier to follow. scikit-learn's HistGradientBoostingClassifier is
counted in the same way, on the same rows. Then the public names of every estimator: those that
scikit-learn's own base classes do not have, and that are no parameters.

    python tools/walk.py

The tree that is measured is the one that Python imports: set PYTHONPATH to compare two.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import marginboost

OURS, THEIRS = Path(marginboost.__file__).parent, Path(sklearn.__file__).parent
HGB = "HistGradientBoostingClassifier.fit(X, y)"
ROUTING = ("set_fit_request", "set_score_request")
"""Methods that scikit-learn gives every estimator whose methods take weights."""


class Walk:
    """What was visited between two calls of ``sys.setprofile``.

    Parameters
    ----------
    root : Path
        Folder of the package.

    Attributes
    ----------
    files, functions : set
        Files of the package, and functions, that were called.
    changes : int
        Calls from a function of one folder into one of another.
    depth : int
        Most calls of the package that were nested.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: set[str] = set()
        self.functions: set[tuple[str, int]] = set()
        self.changes = self.depth = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take note of a call, as a profile function."""
        name = self._place(frame)
        if event != "call" or name is None or frame.f_code.co_name == "<module>":
            return
        self.files.add(name)
        self.functions.add((name, frame.f_code.co_firstlineno))
        callers, caller = [], frame.f_back
        while caller is not None:
            place = self._place(caller)
            if place is not None:
                callers.append(place)
            caller = caller.f_back
        self.depth = max(self.depth, len(callers) + 1)
        if callers:
            self.changes += callers[0].rpartition("/")[0] != name.rpartition("/")[0]

    def _place(self, frame: FrameType) -> str | None:
        """Path of a frame's file in the package; None outside of it."""
        path = Path(frame.f_code.co_filename)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else None


def entry_points(folder: Path) -> dict[str, Callable[[], object]]:
    """Calls to follow, by what a user would write."""
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingClassifier

    from marginboost.cli.main import main

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.normal(size=60), "colour": pd.Categorical(rng.choice(list("rgb"), 60))}
    )
    y = np.where((frame["size"] > 0) ^ (rng.random(60) < 0.1), "yes", "no")
    table = folder / "rows.csv"
    frame.assign(answer=y).to_csv(table, index=False)
    command = ["audit", str(table), "--label", "answer", "--cv", "2", "--json"]
    fitted = marginboost.LPBoostClassifier(nu=0.5).fit(frame, y)
    return {
        "LPBoostClassifier.fit": lambda: marginboost.LPBoostClassifier(nu=0.5).fit(frame, y),
        "GradientBoostClassifier.fit": lambda: marginboost.GradientBoostClassifier().fit(frame, y),
        "LabelAudit.fit": lambda: marginboost.LabelAudit(cv=2).fit(frame, y),
        "RobustBoostClassifier.fit": lambda: marginboost.RobustBoostClassifier(cv=2).fit(frame, y),
        "LPBoostClassifier.predict": lambda: fitted.predict(frame),
        "marginboost audit rows.csv": lambda: main(command),
        HGB: lambda: HistGradientBoostingClassifier(categorical_features="from_dtype").fit(
            frame, y
        ),
    }


def follow(call: Callable[[], object], root: Path) -> Walk:
    """Record one call; it has been made before, so that nothing is imported or compiled."""
    walk = Walk(root)
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with warnings.catch_warnings(), quiet[0], quiet[1]:
        warnings.simplefilter("ignore")
        with contextlib.suppress(SystemExit):
            call()
        sys.setprofile(walk)
        try:
            with contextlib.suppress(SystemExit):
                call()
        finally:
            sys.setprofile(None)
    return walk


def public_names(estimator: Any) -> list[str]:
    """Public names of a fitted estimator that are neither scikit-learn's nor parameters."""
    known = {*dir(BaseEstimator()), *dir(ClassifierMixin), *dir(RegressorMixin), *ROUTING}
    known |= set(estimator.get_params(deep=False))
    return [name for name in dir(estimator) if not name.startswith("_") and name not in known]


def estimators() -> list[type[Any]]:
    """Every estimator that the package exports."""
    found = [getattr(marginboost, name) for name in marginboost.__all__]
    return [
        kind
        for kind in found
        if isinstance(kind, type) and issubclass(kind, BaseEstimator) and hasattr(kind, "fit")
    ]


def print_public_names() -> None:
    """Print how many public names every estimator has, the most first."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    counts = {}
    for kind in estimators():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = X[:, 0] if issubclass(kind, RegressorMixin) else (X[:, 0] > 0).astype(int)
            counts[kind.__name__] = len(public_names(kind().fit(X, y)))
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{name:40s} {count:6d}")


def main() -> None:
    """Print one line per entry point, then one per estimator."""
    print(f"{'entry point':42s} {'files':>6s} {'functions':>10s} {'changes':>8s} {'depth':>6s}")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in entry_points(Path(folder)).items():
            walk = follow(call, THEIRS if name == HGB else OURS)
            counts = len(walk.files), len(walk.functions), walk.changes, walk.depth
            print(f"{name:42s} {counts[0]:6d} {counts[1]:10d} {counts[2]:8d} {counts[3]:6d}")
    print(f"\n{'public names':40s}")
    print_public_names()


if __name__ == "__main__":
    main()
