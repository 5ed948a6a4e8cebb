"""Fitted models: features, runs, classes with their code or a link; files, exports, explanations.

A :class:`Model` is what a fit leaves. Predictions, files, exports, reports and diagnostics start
from it, and none of them looks at the algorithm that made it.
"""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

if TYPE_CHECKING:
    from .base import FittedRun, Model, RegressionModel, TargetsModel
    from .cascade import CascadeModel, CascadeStage
    from .classes import BinaryModel, ClassModel, LabelModel, ReducedModel
    from .codes import CODES, make_code
    from .decoding import (
        DECODINGS,
        Decoder,
        class_probabilities,
        class_shares,
        multiclass_margins,
    )
    from .features import Features
    from .links import (
        ClassLossLink,
        Link,
        LogisticLink,
        LossLink,
        SigmoidLink,
        SoftmaxLink,
        VoteLink,
    )
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "CODES",
    "DECODINGS",
    "BinaryModel",
    "CascadeModel",
    "CascadeStage",
    "ClassLossLink",
    "ClassModel",
    "Decoder",
    "Features",
    "FittedRun",
    "LabelModel",
    "Link",
    "LogisticLink",
    "LossLink",
    "Model",
    "ReducedModel",
    "RegressionModel",
    "SigmoidLink",
    "SoftmaxLink",
    "TargetsModel",
    "VoteLink",
    "class_probabilities",
    "class_shares",
    "make_code",
    "multiclass_margins",
]
