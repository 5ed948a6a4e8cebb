"""One-dimensional searches, descents, projections, linear programs, barrier methods."""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

# Called as their modules are, which would take their places.
from .coordinate_descent import coordinate_descent
from .sparsify import sparsify

if TYPE_CHECKING:
    from .barrier import BarrierMargin, BarrierSolution, barrier_margin, barrier_minimize
    from .bregman import (
        ParallelDescent,
        Projection,
        bregman_algorithm,
        bregman_problem,
        bregman_project,
        parallel_descent,
    )
    from .coordinate_descent import CoordinateProblem, Descent
    from .games import Game, HedgeRun, hedge, hedge_rate, play
    from .line_search import exponential_step
    from .margin_lp import MarginSolution, PricedSolution, solve_margin_lp, solve_priced_margin_lp
    from .norm_margin import NormMarginSolution, solve_norm_margin
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "BarrierMargin",
    "BarrierSolution",
    "CoordinateProblem",
    "Descent",
    "Game",
    "HedgeRun",
    "MarginSolution",
    "NormMarginSolution",
    "ParallelDescent",
    "PricedSolution",
    "Projection",
    "barrier_margin",
    "barrier_minimize",
    "bregman_algorithm",
    "bregman_problem",
    "bregman_project",
    "coordinate_descent",
    "exponential_step",
    "hedge",
    "hedge_rate",
    "parallel_descent",
    "play",
    "solve_margin_lp",
    "solve_norm_margin",
    "solve_priced_margin_lp",
    "sparsify",
]
