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
    GradientBoostClassifier,
    MadaBoostClassifier,
    MarginalAdaBoostClassifier,
)
from .estimators import on_cluster

__all__ = [
    "DaskAdaBoostClassifier",
    "DaskAdaBoostStarClassifier",
    "DaskArcGVClassifier",
    "DaskGradientBoostClassifier",
    "DaskMadaBoostClassifier",
    "DaskMarginalAdaBoostClassifier",
]

DaskAdaBoostClassifier = on_cluster(AdaBoostClassifier)
DaskAdaBoostStarClassifier = on_cluster(AdaBoostStarClassifier)
DaskArcGVClassifier = on_cluster(ArcGVClassifier)
DaskGradientBoostClassifier = on_cluster(GradientBoostClassifier)
DaskMadaBoostClassifier = on_cluster(MadaBoostClassifier)
DaskMarginalAdaBoostClassifier = on_cluster(MarginalAdaBoostClassifier)
