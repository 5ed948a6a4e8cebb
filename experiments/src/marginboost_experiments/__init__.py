"""Experiments of the literature, one per file: published beside measured.

``marginboost reproduce --list`` names them, ``marginboost reproduce ID`` runs one. An experiment is
a module of :mod:`marginboost_experiments.published` with an :class:`Experiment` called
``EXPERIMENT``; there is nothing to register. Its docstring says what the source did, what is not
known about it, and how that is filled in.

Names are imported when they are first asked for: ``marginboost --help`` imports :mod:`.command`.
"""

from typing import TYPE_CHECKING

from marginboost.on_demand import on_demand

if TYPE_CHECKING:
    from .frame import Case, Experiment, Finding, Trials
    from .runner import Outcome, find, names, run
    from .tables import NONE, Comparison, Mean, beside
    from .without_command import WITHOUT_COMMAND
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "NONE",
    "WITHOUT_COMMAND",
    "Case",
    "Comparison",
    "Experiment",
    "Finding",
    "Mean",
    "Outcome",
    "Trials",
    "beside",
    "find",
    "names",
    "run",
]
