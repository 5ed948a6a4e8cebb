"""Fits on a Dask cluster: the model that one machine makes, bit for bit.

The loop runs on the client and asks the parts of the table, which the workers hold, for small facts
(:mod:`marginboost.core.parts`). No worker decides anything, and none waits for another. What a lost
worker held is made anew from the graph of the input, told what it missed, and asked again. See
docs/cluster.md.

>>> DaskAdaBoostClassifier(n_estimators=20)
DaskAdaBoostClassifier(n_estimators=20)
"""

from __future__ import annotations

from ..algorithms import (
    AdaBoostClassifier,
    AdaBoostStarClassifier,
    ArcGVClassifier,
    GentleBoostClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
    LogitBoostClassifier,
    LPBoostClassifier,
    MadaBoostClassifier,
    MarginalAdaBoostClassifier,
    SmoothBoostClassifier,
    SoftmaxBoostClassifier,
)
from .audit import DaskLabelAudit
from .estimators import on_cluster

__all__ = [
    "DaskAdaBoostClassifier",
    "DaskAdaBoostStarClassifier",
    "DaskArcGVClassifier",
    "DaskGentleBoostClassifier",
    "DaskGradientBoostClassifier",
    "DaskGradientBoostRegressor",
    "DaskLPBoostClassifier",
    "DaskLabelAudit",
    "DaskLogitBoostClassifier",
    "DaskMadaBoostClassifier",
    "DaskMarginalAdaBoostClassifier",
    "DaskSmoothBoostClassifier",
    "DaskSoftmaxBoostClassifier",
]

DaskAdaBoostClassifier = on_cluster(AdaBoostClassifier)
DaskAdaBoostStarClassifier = on_cluster(AdaBoostStarClassifier)
DaskArcGVClassifier = on_cluster(ArcGVClassifier)
DaskGentleBoostClassifier = on_cluster(GentleBoostClassifier)
DaskGradientBoostClassifier = on_cluster(GradientBoostClassifier)
DaskGradientBoostRegressor = on_cluster(GradientBoostRegressor)
DaskLPBoostClassifier = on_cluster(LPBoostClassifier)
DaskLogitBoostClassifier = on_cluster(LogitBoostClassifier)
DaskMadaBoostClassifier = on_cluster(MadaBoostClassifier)
DaskMarginalAdaBoostClassifier = on_cluster(MarginalAdaBoostClassifier)
DaskSmoothBoostClassifier = on_cluster(SmoothBoostClassifier)
DaskSoftmaxBoostClassifier = on_cluster(SoftmaxBoostClassifier)
