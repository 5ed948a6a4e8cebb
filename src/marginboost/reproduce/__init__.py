"""Experiments of the literature, one per file: published beside measured.

``marginboost reproduce --list`` names them, ``marginboost reproduce ID`` runs one. An experiment is
a module of :mod:`marginboost.reproduce.experiments` with an :class:`Experiment` called
``EXPERIMENT``; there is nothing to register. Its docstring says what the source did, what is not
known about it, and how that is filled in.
"""

from __future__ import annotations

from .frame import Case, Experiment, Finding, Trials
from .runner import Outcome, find, names, run
from .tables import NONE, Comparison, Mean, beside
from .without_command import WITHOUT_COMMAND

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
