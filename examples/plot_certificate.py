"""
Bounds that meet
================

A maximum-margin fit proves how good it is. Any vote is a lower bound on the best possible margin,
any weights on the rows give an upper bound, and the fit ends when they have met.
"""

# %%
# Three algorithms for the same problem, the largest minimum margin over all stumps. The linear
# program closes the gap; the others are simpler, and slower.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from marginboost import AdaBoostStarClassifier, ArcGVClassifier, LPBoostClassifier
from marginboost.diagnostics import GapDisplay, GapRaceDisplay

X, y = load_breast_cancer(return_X_y=True)
models = {
    "LPBoost": LPBoostClassifier(nu=None).fit(X, y),
    "Arc-GV": ArcGVClassifier(n_estimators=500).fit(X, y),
    "AdaBoost*": AdaBoostStarClassifier(n_estimators=500).fit(X, y),
}
for name, model in models.items():
    proof = model.certificate_
    print(f"{name:10} {proof.lower:.4f} <= best margin <= {proof.upper:.4f}")
GapRaceDisplay.from_estimators(models)
plt.show()

# %%
# The bounds of one fit, round by round.

GapDisplay.from_estimator(models["LPBoost"])
plt.show()
