"""
Filters for wrong labels, compared
==================================

Seven filters of the literature and the audit, on the same planted flips: how many of their flags
are right, how many wrong labels they find.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from marginboost import LabelAudit
from marginboost.audit import (
    AdaBoostFilter,
    ConsensusFilter,
    CrossValidatedFilter,
    GuyonFilter,
    MajorityFilter,
    TomekFilter,
    WilsonFilter,
    filter_errors,
    plant_flips,
)

X, y = load_breast_cancer(return_X_y=True)
noisy, flipped = plant_flips(y, 0.1)
kinds = (
    *(WilsonFilter, TomekFilter, GuyonFilter, AdaBoostFilter),
    *(MajorityFilter, ConsensusFilter, CrossValidatedFilter, LabelAudit),
)
figure, ax = plt.subplots(figsize=(6.4, 5), layout="constrained")
for kind in kinds:
    errors = filter_errors(kind().fit(X, noisy).flagged_, flipped)
    ax.plot(errors.recall, errors.precision, "o", color="#0072B2")
    ax.annotate(
        kind.__name__, (errors.recall, errors.precision), textcoords="offset points", xytext=(6, 4)
    )
ax.set(xlabel="recall: wrong labels that are flagged", ylabel="precision: flags that are right")
ax.set(xlim=(0, 1.3), ylim=(0, 1.05))
plt.show()
