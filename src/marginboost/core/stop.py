"""Why a run ended."""

from __future__ import annotations

from enum import StrEnum


class Stop(StrEnum):
    """Reason for the end of a run, kept as ``stop_reason_``."""

    ROUNDS = "rounds"
    """All rounds asked for were made."""
    GAP = "gap"
    """Upper and lower bound met within the tolerance: the answer is proven near-optimal."""
    NO_EDGE = "no edge"
    """No hypothesis has an edge above the target: the target margin cannot be reached."""
    NO_MARGIN = "no margin"
    """The upper bound is down to the tolerance: no combination has a margin worth having."""
    TARGET = "target margin"
    """All examples reached the target margin."""
    SEPARATED = "separated"
    """Every two rows of different labels have different answers."""
    PERFECT = "perfect hypothesis"
    """One hypothesis is right on every example, so that no finite step along it is the best. With
    outputs of -1 and +1 it is the whole model; else it is a part of one that is right as well."""
    STALLED = "stalled"
    """No step improves the objective, or the same hypothesis comes again and again."""
    NO_PROGRESS = "no progress"
    """The score on the validation set stopped improving."""
    TIME = "time"
    """The time budget is spent."""
    SOLVER = "solver"
    """A subproblem was not solved, for want of time or accuracy; the bounds stand."""
    CALLBACK = "callback"
    """A callback of the user's asked for it."""
