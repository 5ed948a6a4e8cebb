"""From scores to example weights."""

from .exponential import ExponentialWeights

__all__ = ["ExponentialWeights"]
