"""Pictures of a run, in scikit-learn's style: ``XxxDisplay.from_estimator(model, ...)``.

Drawing needs matplotlib (the extra ``plot``), imported only when something is drawn.
"""

from .coefficient_path import CoefficientPathDisplay
from .contributions import ImportanceDisplay, WaterfallDisplay
from .dual_weights import DualWeightDisplay
from .edge import EdgeDisplay
from .gap import GapDisplay
from .gap_race import GapRaceDisplay
from .margin import MarginDisplay
from .region import DecisionRegionDisplay
from .reliability import ReliabilityDisplay
from .shape import Shape, ShapeDisplay
from .soft_margin import SoftMarginDisplay
from .training import TrainingErrorDisplay
from .tube import ResidualDisplay, TubeDisplay

__all__ = [
    "CoefficientPathDisplay",
    "DecisionRegionDisplay",
    "DualWeightDisplay",
    "EdgeDisplay",
    "GapDisplay",
    "GapRaceDisplay",
    "ImportanceDisplay",
    "MarginDisplay",
    "ReliabilityDisplay",
    "ResidualDisplay",
    "Shape",
    "ShapeDisplay",
    "SoftMarginDisplay",
    "TrainingErrorDisplay",
    "TubeDisplay",
    "WaterfallDisplay",
]
