"""One file per loss; ``base`` says what they share."""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

if TYPE_CHECKING:
    from .absolute import Absolute
    from .base import (
        Loss,
        MarginLoss,
        ResidualLoss,
        as_loss,
        as_target_loss,
        known_losses,
    )
    from .class_losses import (
        ClassCrossEntropy,
        ClassLoss,
        ClassRobustFocal,
        NoisySoftmax,
        Softmax,
        as_class_loss,
    )
    from .epsilon_insensitive import EpsilonInsensitive
    from .exponential import Exponential
    from .generalised_cross_entropy import GeneralisedCrossEntropy
    from .hinge import Hinge
    from .huber import Huber
    from .log_cosh import LogCosh
    from .logistic import Logistic
    from .noisy_logistic import NoisyLogistic
    from .quantile import Quantile
    from .robust_focal import RobustFocal
    from .savage import Savage
    from .smoothed_hinge import SmoothedHinge
    from .squared import Squared
    from .squared_hinge import SquaredHinge
    from .tangent import Tangent
    from .tweedie import Gamma, MeanLoss, Poisson, Tweedie
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "Absolute",
    "ClassCrossEntropy",
    "ClassLoss",
    "ClassRobustFocal",
    "EpsilonInsensitive",
    "Exponential",
    "Gamma",
    "GeneralisedCrossEntropy",
    "Hinge",
    "Huber",
    "LogCosh",
    "Logistic",
    "Loss",
    "MarginLoss",
    "MeanLoss",
    "NoisyLogistic",
    "NoisySoftmax",
    "Poisson",
    "Quantile",
    "ResidualLoss",
    "RobustFocal",
    "Savage",
    "SmoothedHinge",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "Tangent",
    "Tweedie",
    "as_class_loss",
    "as_loss",
    "as_target_loss",
    "known_losses",
]
