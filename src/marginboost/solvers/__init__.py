"""One-dimensional searches and linear programs."""

from .line_search import exponential_step
from .margin_lp import MarginSolution, solve_margin_lp

__all__ = ["MarginSolution", "exponential_step", "solve_margin_lp"]
