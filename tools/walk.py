"""Count the files and packages that a reader must visit to follow one call.

For each entry point the calls between functions of the package are recorded: how many of its files
are visited before the first round of boosting and until all is done, and how often a call goes from
one package into another. Fewer is easier to follow.

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

import marginboost

ROOT = Path(marginboost.__file__).parent


class Walk:
    """What was visited between two calls of ``sys.setprofile``.

    Attributes
    ----------
    files : set of str
        Files of the package in which a function was called.
    changes : int
        Calls from a function of one package into one of another.
    before : tuple or None
        Files and changes when the first round began.
    """

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.changes = 0
        self.before: tuple[int, int] | None = None

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take note of a call, as a profile function."""
        name = self._place(frame)
        if event != "call" or name is None or frame.f_code.co_name == "<module>":
            return
        if name == "core/loop.py" and self.before is None:
            self.before = len(self.files), self.changes
        self.files.add(name)
        caller = frame.f_back
        while caller is not None and self._place(caller) is None:
            caller = caller.f_back
        if caller is not None:
            self.changes += self._place(caller).rpartition("/")[0] != name.rpartition("/")[0]

    @staticmethod
    def _place(frame: FrameType) -> str | None:
        """Path of a frame's file in the package; None outside of it."""
        path = Path(frame.f_code.co_filename)
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def entry_points(folder: Path) -> dict[str, Callable[[], object]]:
    """Calls to follow, by what a user would write."""
    import pandas as pd

    from marginboost.cli.main import main

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.normal(size=60), "colour": pd.Categorical(rng.choice(list("rgb"), 60))}
    )
    y = np.where((frame["size"] > 0) ^ (rng.random(60) < 0.1), "yes", "no")
    table = folder / "rows.csv"
    frame.assign(answer=y).to_csv(table, index=False)
    command = ["audit", str(table), "--label", "answer", "--cv", "2", "--json"]
    return {
        "LPBoostClassifier.fit(frame, y)": lambda: marginboost.LPBoostClassifier(nu=0.5).fit(
            frame, y
        ),
        "GradientBoostClassifier.fit(frame, y)": lambda: marginboost.GradientBoostClassifier(
            n_estimators=3
        ).fit(frame, y),
        "LabelAudit.fit(frame, y)": lambda: marginboost.LabelAudit(cv=2).fit(frame, y),
        "marginboost audit rows.csv": lambda: main(command),
    }


def follow(call: Callable[[], object]) -> Walk:
    """Record one call; it has been made before, so that nothing is imported or compiled."""
    walk = Walk()
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


def main() -> None:
    """Print one line per entry point."""
    heads = ["files", "package changes", "files", "package changes"]
    print(f"{'':40s} {'before round 1':>24s} {'until done':>24s}")
    print(f"{'entry point':40s}" + "".join(f" {heads[k]:>{7 + k % 2 * 9}s}" for k in range(4)))
    with tempfile.TemporaryDirectory() as folder:
        for name, call in entry_points(Path(folder)).items():
            walk = follow(call)
            first = walk.before or (len(walk.files), walk.changes)
            counts = (*first, len(walk.files), walk.changes)
            print(f"{name:40s}" + "".join(f" {n:>{7 + k % 2 * 9}d}" for k, n in enumerate(counts)))


if __name__ == "__main__":
    main()
