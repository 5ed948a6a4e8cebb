"""One file an algorithm: its rule and its classifier."""

from .adaboost import AdaBoost, AdaBoostClassifier
from .adaboost_star import AdaBoostStar, AdaBoostStarClassifier
from .arc_gv import ArcGV, ArcGVClassifier
from .bagged_vote import BaggedVote, BaggedVoteClassifier
from .lpboost import LPBoost, LPBoostClassifier
from .marginal_adaboost import MarginalAdaBoost, MarginalAdaBoostClassifier

__all__ = [
    "AdaBoost",
    "AdaBoostClassifier",
    "AdaBoostStar",
    "AdaBoostStarClassifier",
    "ArcGV",
    "ArcGVClassifier",
    "BaggedVote",
    "BaggedVoteClassifier",
    "LPBoost",
    "LPBoostClassifier",
    "MarginalAdaBoost",
    "MarginalAdaBoostClassifier",
]
