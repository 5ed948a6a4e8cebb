"""One file per algorithm: its rule and its classifier."""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

if TYPE_CHECKING:
    from .adaboost import AdaBoost, AdaBoostClassifier
    from .adaboost_m1 import AdaBoostM1Classifier
    from .adaboost_m2 import AdaBoostM2, AdaBoostM2Classifier
    from .adaboost_mh import AdaBoostMHClassifier
    from .adaboost_reg import AdaBoostReg, AdaBoostRegClassifier
    from .adaboost_reg_cv import AdaBoostRegClassifierCV
    from .adaboost_star import AdaBoostStar, AdaBoostStarClassifier
    from .alternating_tree import AlternatingTreeClassifier
    from .arc_gv import ArcGV, ArcGVClassifier
    from .assemble import Assemble, AssembleClassifier
    from .bagged_vote import BaggedVote, BaggedVoteClassifier
    from .barrier_boost import BarrierBoost, BarrierBoostClassifier
    from .barrier_boost_cv import BarrierBoostClassifierCV
    from .barrier_regressor import BarrierBoostRegressor, BarrierRegression
    from .boost_by_majority import BoostByMajority, BoostByMajorityClassifier
    from .brown_boost import BrownBoost, BrownBoostClassifier
    from .cgboost import CGBoost, CGBoostClassifier
    from .corrective_erlpboost import CorrectiveERLPBoost
    from .erlpboost import ERLPBoost, ERLPBoostClassifier
    from .gentle_boost import GentleBoostClassifier
    from .gradient_boost import GradientBoost, GradientBoostClassifier
    from .gradient_boost_ranker import GradientBoostRanker
    from .gradient_boost_regressor import GradientBoostRegressor
    from .graph_separation import GraphSeparation, GraphSepBoostClassifier
    from .gravity_p_boost import GravityPBoost
    from .interval_regressor import IntervalRegressor
    from .l1_leveraging import L1Leveraging, L1LeveragingClassifier
    from .l2_boost import L2Boost, L2BoostRegressor
    from .leveraging import Leveraging
    from .leveraging_classifier import LeveragingClassifier
    from .leveraging_regressor import LeveragingRegressor, TargetLeveraging
    from .logit_boost import LogitBoostClassifier
    from .lp_regression import LPRegression
    from .lpboost import LPBoost, LPBoostClassifier
    from .lpboost_cv import LPBoostClassifierCV
    from .lpboost_regressor import LPBoostRegressor
    from .ls_boost import LSBoost, LSBoostRegressor
    from .madaboost import MadaBoost, MadaBoostClassifier
    from .marginal_adaboost import MarginalAdaBoost, MarginalAdaBoostClassifier
    from .mdboost import MDBoost, MDBoostClassifier
    from .mlpboost import MLPBoost, MLPBoostClassifier
    from .naive_p_boost import NaivePBoost
    from .nmboost import NMBoost, NMBoostClassifier
    from .nu_arc import NuArc, NuArcClassifier
    from .p_boost import PBoostClassifier
    from .p_boost_cv import PBoostClassifierCV
    from .qrlpboost import QRLPBoost, QRLPBoostClassifier
    from .rank_boost import RankBoost, RankBoostClassifier
    from .real_adaboost import RealAdaBoostClassifier
    from .samme import SAMME, PrintedSAMME, SAMMEClassifier
    from .sloppy_p_boost import SloppyPBoost
    from .sloppy_p_boost_as_run import SloppyPBoostAsRun
    from .smoothboost import SmoothBoost, SmoothBoostClassifier
    from .softboost import SoftBoost, SoftBoostClassifier
    from .softmax_boost import SoftmaxBoost, SoftmaxBoostClassifier
    from .strict_p_boost import StrictPBoost
    from .totalboost import TotalBoost, TotalBoostClassifier
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "SAMME",
    "AdaBoost",
    "AdaBoostClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostReg",
    "AdaBoostRegClassifier",
    "AdaBoostRegClassifierCV",
    "AdaBoostStar",
    "AdaBoostStarClassifier",
    "AlternatingTreeClassifier",
    "ArcGV",
    "ArcGVClassifier",
    "Assemble",
    "AssembleClassifier",
    "BaggedVote",
    "BaggedVoteClassifier",
    "BarrierBoost",
    "BarrierBoostClassifier",
    "BarrierBoostClassifierCV",
    "BarrierBoostRegressor",
    "BarrierRegression",
    "BoostByMajority",
    "BoostByMajorityClassifier",
    "BrownBoost",
    "BrownBoostClassifier",
    "CGBoost",
    "CGBoostClassifier",
    "CorrectiveERLPBoost",
    "ERLPBoost",
    "ERLPBoostClassifier",
    "GentleBoostClassifier",
    "GradientBoost",
    "GradientBoostClassifier",
    "GradientBoostRanker",
    "GradientBoostRegressor",
    "GraphSepBoostClassifier",
    "GraphSeparation",
    "GravityPBoost",
    "IntervalRegressor",
    "L1Leveraging",
    "L1LeveragingClassifier",
    "L2Boost",
    "L2BoostRegressor",
    "LPBoost",
    "LPBoostClassifier",
    "LPBoostClassifierCV",
    "LPBoostRegressor",
    "LPRegression",
    "LSBoost",
    "LSBoostRegressor",
    "Leveraging",
    "LeveragingClassifier",
    "LeveragingRegressor",
    "LogitBoostClassifier",
    "MDBoost",
    "MDBoostClassifier",
    "MLPBoost",
    "MLPBoostClassifier",
    "MadaBoost",
    "MadaBoostClassifier",
    "MarginalAdaBoost",
    "MarginalAdaBoostClassifier",
    "NMBoost",
    "NMBoostClassifier",
    "NaivePBoost",
    "NuArc",
    "NuArcClassifier",
    "PBoostClassifier",
    "PBoostClassifierCV",
    "PrintedSAMME",
    "QRLPBoost",
    "QRLPBoostClassifier",
    "RankBoost",
    "RankBoostClassifier",
    "RealAdaBoostClassifier",
    "SAMMEClassifier",
    "SloppyPBoost",
    "SloppyPBoostAsRun",
    "SmoothBoost",
    "SmoothBoostClassifier",
    "SoftBoost",
    "SoftBoostClassifier",
    "SoftmaxBoost",
    "SoftmaxBoostClassifier",
    "StrictPBoost",
    "TargetLeveraging",
    "TotalBoost",
    "TotalBoostClassifier",
]
