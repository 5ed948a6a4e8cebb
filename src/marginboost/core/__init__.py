"""The boosting loop and its parts: everything here is shared by all algorithms."""

from .callbacks import Callback, EarlyStopping, Progress, TimeBudget
from .certificate import Certificate
from .checkpoint import Checkpoint
from .ensemble import Ensemble
from .history import History
from .hypothesis import Hypothesis
from .labels import LabelByLabel, LabelPairs, LabelSample, RightOrWrong
from .loop import boost
from .oracle import Candidate, Oracle
from .rule import Rule
from .run import Run, train
from .sample import Sample
from .state import State
from .stop import Stop
from .weights import Reweighting, Weights

__all__ = [
    "Callback",
    "Candidate",
    "Certificate",
    "Checkpoint",
    "EarlyStopping",
    "Ensemble",
    "History",
    "Hypothesis",
    "LabelByLabel",
    "LabelPairs",
    "LabelSample",
    "Oracle",
    "Progress",
    "Reweighting",
    "RightOrWrong",
    "Rule",
    "Run",
    "Sample",
    "State",
    "Stop",
    "TimeBudget",
    "Weights",
    "boost",
    "train",
]
