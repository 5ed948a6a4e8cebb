"""Boosting that knows its margins.

Certified large-margin classifiers for noisy tabular labels, in scikit-learn's style. Start with
:class:`AdaBoostClassifier` or :class:`ArcGVClassifier`, then look at ``model.certificate_``,
``model.margins_`` and the displays in :mod:`marginboost.diagnostics`.
"""

from os import PathLike
from typing import Any

from .algorithms import (
    AdaBoostClassifier,
    AdaBoostStarClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    LPBoostClassifier,
    MarginalAdaBoostClassifier,
)
from .core import (
    Callback,
    Certificate,
    Checkpoint,
    EarlyStopping,
    History,
    Progress,
    Stop,
    TimeBudget,
)
from .data import BinnedMatrix
from .estimators import BaseMarginClassifier
from .model_file import load_model
from .model_reader import ModelFileError
from .oracles import (
    FiniteOracle,
    PooledOracle,
    ResamplingOracle,
    SklearnOracle,
    StumpOracle,
    TreeOracle,
)
from .solvers import solve_margin_lp

__version__ = "0.1.0"


def load(path: str | PathLike[str]) -> Any:
    """Load a model written by ``model.save(path)``.

    The file is data: it is checked field by field and never run. A file that is damaged, hostile or
    written by a newer release raises :class:`~marginboost.model_reader.ModelFileError`.
    """
    return load_model(path, BaseMarginClassifier.registry)


__all__ = [
    "AdaBoostClassifier",
    "AdaBoostStarClassifier",
    "ArcGVClassifier",
    "BaggedVoteClassifier",
    "BinnedMatrix",
    "Callback",
    "Certificate",
    "Checkpoint",
    "EarlyStopping",
    "FiniteOracle",
    "History",
    "LPBoostClassifier",
    "MarginalAdaBoostClassifier",
    "ModelFileError",
    "PooledOracle",
    "Progress",
    "ResamplingOracle",
    "SklearnOracle",
    "Stop",
    "StumpOracle",
    "TimeBudget",
    "TreeOracle",
    "load",
    "solve_margin_lp",
]
