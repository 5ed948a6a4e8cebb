"""Pictures of a run, in scikit-learn's style: ``XxxDisplay.from_estimator(model, ...)``.

Drawing needs matplotlib (the extra ``plot``), imported only when something is drawn.
"""

from .edge import EdgeDisplay
from .gap import GapDisplay
from .margin import MarginDisplay
from .region import DecisionRegionDisplay
from .shape import Shape, ShapeDisplay
from .training import TrainingErrorDisplay

__all__ = [
    "DecisionRegionDisplay",
    "EdgeDisplay",
    "GapDisplay",
    "MarginDisplay",
    "Shape",
    "ShapeDisplay",
    "TrainingErrorDisplay",
]
