"""Pictures of a run, in scikit-learn's style: ``XxxDisplay.from_estimator(model, ...)``.

Drawing needs matplotlib (the extra ``plot``), imported only when something is drawn.
"""

from .dual_weights import DualWeightDisplay
from .edge import EdgeDisplay
from .gap import GapDisplay
from .gap_race import GapRaceDisplay
from .margin import MarginDisplay
from .region import DecisionRegionDisplay
from .shape import Shape, ShapeDisplay
from .soft_margin import SoftMarginDisplay
from .training import TrainingErrorDisplay

__all__ = [
    "DecisionRegionDisplay",
    "DualWeightDisplay",
    "EdgeDisplay",
    "GapDisplay",
    "GapRaceDisplay",
    "MarginDisplay",
    "Shape",
    "ShapeDisplay",
    "SoftMarginDisplay",
    "TrainingErrorDisplay",
]
