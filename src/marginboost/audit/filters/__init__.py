"""Noise filters, one per file; see :class:`NoiseFilter` for what they share."""

from .adaboost_majority import AdaBoostFilter
from .base import NoiseFilter
from .consensus import ConsensusFilter
from .cross_validated import CrossValidatedFilter
from .decision_volume import DecisionVolumeFilter
from .gamberger import GambergerFilter
from .guyon import GuyonFilter
from .majority import MajorityFilter
from .oka import OkaFilter
from .regression import RegressionFilter
from .robust_tree import RobustTreeFilter
from .single import SingleFilter
from .srinivasan import SrinivasanFilter
from .tomek import TomekFilter
from .wilson import WilsonFilter

__all__ = [
    "AdaBoostFilter",
    "ConsensusFilter",
    "CrossValidatedFilter",
    "DecisionVolumeFilter",
    "GambergerFilter",
    "GuyonFilter",
    "MajorityFilter",
    "NoiseFilter",
    "OkaFilter",
    "RegressionFilter",
    "RobustTreeFilter",
    "SingleFilter",
    "SrinivasanFilter",
    "TomekFilter",
    "WilsonFilter",
]
