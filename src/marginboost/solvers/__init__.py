"""One-dimensional searches, linear programs, barrier methods."""

from .barrier import BarrierMargin, BarrierSolution, barrier_margin, barrier_minimize
from .line_search import exponential_step
from .margin_lp import MarginSolution, PricedSolution, solve_margin_lp, solve_priced_margin_lp
from .norm_margin import NormMarginSolution, solve_norm_margin

__all__ = [
    "BarrierMargin",
    "BarrierSolution",
    "MarginSolution",
    "NormMarginSolution",
    "PricedSolution",
    "barrier_margin",
    "barrier_minimize",
    "exponential_step",
    "solve_margin_lp",
    "solve_norm_margin",
    "solve_priced_margin_lp",
]
