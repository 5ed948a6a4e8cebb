"""From scores to example weights."""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

if TYPE_CHECKING:
    from .exponential import ExponentialWeights
    from .newton import NewtonWeights
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["ExponentialWeights", "NewtonWeights"]
