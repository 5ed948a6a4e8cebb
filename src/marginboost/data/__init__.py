"""Tables as users bring them, and the binned matrix that fits read."""

from .batches import Batches
from .binned import BinnedMatrix
from .table import Table

__all__ = ["Batches", "BinnedMatrix", "Table"]
