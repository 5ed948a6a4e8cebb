"""Tables as users bring them, and the binned matrix that fits read."""

from .binned import BinnedMatrix
from .table import Table

__all__ = ["BinnedMatrix", "Table"]
