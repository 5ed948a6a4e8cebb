"""Boosting that knows its margins.

Certified large-margin classifiers for noisy tabular labels, in scikit-learn's style. Start with
:class:`AdaBoostClassifier` or :class:`ArcGVClassifier`, then look at ``model.certificate_``,
``model.margins_`` and the displays in :mod:`marginboost.diagnostics`.
"""

from os import PathLike
from typing import TYPE_CHECKING, Any

from .on_demand import on_demand

if TYPE_CHECKING:
    from .algorithms import (
        AdaBoostClassifier,
        AdaBoostM1Classifier,
        AdaBoostM2Classifier,
        AdaBoostMHClassifier,
        AdaBoostRegClassifier,
        AdaBoostRegClassifierCV,
        AdaBoostStarClassifier,
        AlternatingTreeClassifier,
        ArcGVClassifier,
        AssembleClassifier,
        BaggedVoteClassifier,
        BarrierBoostClassifier,
        BarrierBoostClassifierCV,
        BarrierBoostRegressor,
        BoostByMajorityClassifier,
        BrownBoostClassifier,
        CGBoostClassifier,
        ERLPBoostClassifier,
        GentleBoostClassifier,
        GradientBoostClassifier,
        GradientBoostRanker,
        GradientBoostRegressor,
        GraphSepBoostClassifier,
        IntervalRegressor,
        L1LeveragingClassifier,
        L2BoostRegressor,
        LeveragingClassifier,
        LeveragingRegressor,
        LogitBoostClassifier,
        LPBoostClassifier,
        LPBoostClassifierCV,
        LPBoostRegressor,
        LSBoostRegressor,
        MadaBoostClassifier,
        MarginalAdaBoostClassifier,
        MDBoostClassifier,
        MLPBoostClassifier,
        NMBoostClassifier,
        NuArcClassifier,
        PBoostClassifier,
        PBoostClassifierCV,
        QRLPBoostClassifier,
        RankBoostClassifier,
        RealAdaBoostClassifier,
        SAMMEClassifier,
        SmoothBoostClassifier,
        SoftBoostClassifier,
        SoftmaxBoostClassifier,
        TotalBoostClassifier,
    )
    from .algorithms.cascade import CascadeBooster
    from .algorithms.multiclass import MulticlassBooster
    from .audit import LabelAudit, RobustBoostClassifier, TargetAudit
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
    from .data import Batches, BinnedMatrix
    from .model.fields import ModelFileError
    from .oracles import (
        ActiveKernelOracle,
        AlternatingTreeOracle,
        FiniteOracle,
        GradientTreeOracle,
        HalfSpaceOracle,
        KernelOracle,
        LabelTreeOracle,
        LazyOracle,
        LinearOracle,
        NeuralNetOracle,
        PooledOracle,
        RBFNetOracle,
        ResamplingOracle,
        SklearnOracle,
        StumpOracle,
        TreeOracle,
    )
    from .solvers import solve_margin_lp
    from .verification import verify
else:
    __getattr__, __dir__ = on_demand(__name__)


__version__ = "0.1.0"


def load(path: str | PathLike[str]) -> Any:
    """Load a model written by ``model.save(path)``.

    The file is data: it is checked field by field and never run. A file that is damaged, hostile or
    written by a newer release raises :class:`~marginboost.model.fields.ModelFileError`.
    """
    from . import audit  # noqa: F401 - registers the classifier that audits
    from .algorithms.multiclass import saved_classes
    from .model.file import load_model

    return load_model(path, saved_classes())


__all__ = [
    "ActiveKernelOracle",
    "AdaBoostClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRegClassifier",
    "AdaBoostRegClassifierCV",
    "AdaBoostStarClassifier",
    "AlternatingTreeClassifier",
    "AlternatingTreeOracle",
    "ArcGVClassifier",
    "AssembleClassifier",
    "BaggedVoteClassifier",
    "BarrierBoostClassifier",
    "BarrierBoostClassifierCV",
    "BarrierBoostRegressor",
    "Batches",
    "BinnedMatrix",
    "BoostByMajorityClassifier",
    "BrownBoostClassifier",
    "CGBoostClassifier",
    "Callback",
    "CascadeBooster",
    "Certificate",
    "Checkpoint",
    "ERLPBoostClassifier",
    "EarlyStopping",
    "FiniteOracle",
    "GentleBoostClassifier",
    "GradientBoostClassifier",
    "GradientBoostRanker",
    "GradientBoostRegressor",
    "GradientTreeOracle",
    "GraphSepBoostClassifier",
    "HalfSpaceOracle",
    "History",
    "IntervalRegressor",
    "KernelOracle",
    "L1LeveragingClassifier",
    "L2BoostRegressor",
    "LPBoostClassifier",
    "LPBoostClassifierCV",
    "LPBoostRegressor",
    "LSBoostRegressor",
    "LabelAudit",
    "LabelTreeOracle",
    "LazyOracle",
    "LeveragingClassifier",
    "LeveragingRegressor",
    "LinearOracle",
    "LogitBoostClassifier",
    "MDBoostClassifier",
    "MLPBoostClassifier",
    "MadaBoostClassifier",
    "MarginalAdaBoostClassifier",
    "ModelFileError",
    "MulticlassBooster",
    "NMBoostClassifier",
    "NeuralNetOracle",
    "NuArcClassifier",
    "PBoostClassifier",
    "PBoostClassifierCV",
    "PooledOracle",
    "Progress",
    "QRLPBoostClassifier",
    "RBFNetOracle",
    "RankBoostClassifier",
    "RealAdaBoostClassifier",
    "ResamplingOracle",
    "RobustBoostClassifier",
    "SAMMEClassifier",
    "SklearnOracle",
    "SmoothBoostClassifier",
    "SoftBoostClassifier",
    "SoftmaxBoostClassifier",
    "Stop",
    "StumpOracle",
    "TargetAudit",
    "TimeBudget",
    "TotalBoostClassifier",
    "TreeOracle",
    "load",
    "solve_margin_lp",
    "verify",
]
