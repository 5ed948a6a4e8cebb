"""Boosting that knows its margins.

Certified large-margin classifiers for noisy tabular labels, in scikit-learn's style. Start with
:class:`AdaBoostClassifier` or :class:`ArcGVClassifier`, then look at ``model.certificate_``,
``model.margins_`` and the displays in :mod:`marginboost.diagnostics`.
"""

from .algorithms import (
    AdaBoostClassifier,
    AdaBoostStarClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    MarginalAdaBoostClassifier,
)
from .core import Certificate, Checkpoint, EarlyStopping, History, Progress, Stop, TimeBudget
from .data import BinnedMatrix
from .oracles import (
    FiniteOracle,
    PooledOracle,
    ResamplingOracle,
    SklearnOracle,
    StumpOracle,
)
from .solvers import solve_margin_lp

__version__ = "0.1.0"

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostStarClassifier",
    "ArcGVClassifier",
    "BaggedVoteClassifier",
    "BinnedMatrix",
    "Certificate",
    "Checkpoint",
    "EarlyStopping",
    "FiniteOracle",
    "History",
    "MarginalAdaBoostClassifier",
    "PooledOracle",
    "Progress",
    "ResamplingOracle",
    "SklearnOracle",
    "Stop",
    "StumpOracle",
    "TimeBudget",
    "solve_margin_lp",
]
