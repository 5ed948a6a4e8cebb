"""From scores to example weights."""

from .exponential import ExponentialWeights
from .newton import NewtonWeights

__all__ = ["ExponentialWeights", "NewtonWeights"]
