"""One file per loss; ``base`` says what they share."""

from .base import Loss, MarginLoss, ResidualLoss, as_loss
from .epsilon_insensitive import EpsilonInsensitive
from .exponential import Exponential
from .hinge import Hinge
from .huber import Huber
from .log_cosh import LogCosh
from .logistic import Logistic
from .quantile import Quantile
from .savage import Savage
from .smoothed_hinge import SmoothedHinge
from .squared import Squared
from .squared_hinge import SquaredHinge
from .tangent import Tangent
from .tweedie import Gamma, MeanLoss, Poisson, Tweedie, as_target_loss, known_losses

__all__ = [
    "EpsilonInsensitive",
    "Exponential",
    "Gamma",
    "Hinge",
    "Huber",
    "LogCosh",
    "Logistic",
    "Loss",
    "MarginLoss",
    "MeanLoss",
    "Poisson",
    "Quantile",
    "ResidualLoss",
    "Savage",
    "SmoothedHinge",
    "Squared",
    "SquaredHinge",
    "Tangent",
    "Tweedie",
    "as_loss",
    "as_target_loss",
    "known_losses",
]
