"""``leveraging``: how long stumps take to a fixed training loss, one at a time and all at once.

The target is what one stump per round, with exact steps, saves of the empty model's logistic loss
in a given number of rounds. Rows are binned beforehand; every contender works on the same bins and
stops in the round that reaches the target, or after as many rounds. "16 per round" asks the base
learner for 16 hypotheses, at most one per feature. Sweeps are left out: a search for every
coefficient in every round is slower by far.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .data import Array, synthetic
from .report import Cell, Goal, Section, Table
from .sizes import Sizes
from .timing import interleave

ALONE = "one at a time"
CONTENDERS: dict[str, dict[str, Any]] = {
    ALONE: {},
    "one at a time, closed steps": {"step": "closed"},
    "parallel, 4 per round": {"correction": "parallel"},
    "parallel, 16 per round": {"correction": "parallel", "columns": 16},
    "newton, 1 per round": {"correction": "newton", "columns": 1},
    "newton, 4 per round": {"correction": "newton"},
    "newton, 16 per round": {"correction": "newton", "columns": 16},
}
COLUMNS = ["contender", "seconds", "one at a time / it", "rounds", "stumps", "loss saved", "gap"]


def leveraging(sizes: Sizes) -> Section:
    """Time to a fixed training loss."""
    from marginboost import BinnedMatrix

    rows, features = sizes.leveraging_shape
    X, y = synthetic(rows, features)
    bins = BinnedMatrix.from_data(X)
    section = Section("leveraging")
    target = _fit(bins, y, None, sizes.leveraging_rounds).certificate_.value
    tasks: dict[str, Callable[[], Any]] = {
        name: partial(_fit, bins, y, target, sizes.leveraging_rounds, **settings)
        for name, settings in CONTENDERS.items()
    }
    few = BinnedMatrix.from_data(X[:500])
    for settings in CONTENDERS.values():  # compile
        _fit(few, y[:500], None, 3, **settings)
    times, models = interleave(tasks, sizes.repeats)
    what = f"{rows:,} × {features}, {target:.4f} of the logistic loss saved"
    section.times[what] = times
    table = Table(what, COLUMNS)
    for name, model in models.items():
        seconds, proof = min(times[name]), model.certificate_
        row: list[Cell] = [name, seconds, min(times[ALONE]) / seconds, model.n_iter_]
        table.rows.append([*row, len(model.estimators_), proof.value, proof.gap])
    section.tables.append(table)
    _judge(section, what, times, {name: models[name].certificate_.value for name in models}, target)
    return section


def _judge(
    section: Section,
    what: str,
    times: dict[str, list[float]],
    saved: dict[str, float],
    target: float,
) -> None:
    late = [name for name, value in saved.items() if value < target]
    for name in late:
        section.notes.append(f"{name}: {saved[name]:.4f} when its rounds were spent, target missed")
    for group in ("parallel", "newton"):
        there = [min(times[name]) for name in saved if name.startswith(group) and name not in late]
        ratio = min(times[ALONE]) / min(there) if there else None
        section.goals.append(Goal(f"{ALONE} / {group}, {what}", ratio, unit="×"))


def _fit(bins: Any, y: Array, target: float | None, rounds: int, **settings: Any) -> Any:
    from marginboost import Callback, LeveragingClassifier, Stop

    class Reached(Callback):
        """Stop once enough of the loss is saved."""

        def on_round(self, state: Any) -> Any:
            return Stop.TARGET if target is not None and state.lower >= target else None

    return LeveragingClassifier(n_estimators=rounds, callbacks=[Reached()], **settings).fit(bins, y)
