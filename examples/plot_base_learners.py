"""
What a base learner can draw
============================

The same algorithm over four sets of hypotheses. Stumps cut along the axes and add up; trees combine
features; half-spaces and nets have cuts of any direction.
"""

import matplotlib.pyplot as plt

from marginboost import AdaBoostClassifier, RBFNetOracle, StumpOracle, TreeOracle
from marginboost.datasets import circle_2d
from marginboost.diagnostics import DecisionRegionDisplay
from marginboost.oracles import HalfSpaceOracle

X, y = circle_2d(300)
learners = {
    "stumps": StumpOracle(),
    "trees of depth 2": TreeOracle(max_depth=2),
    "half-spaces": HalfSpaceOracle(),
    "nets of radial basis functions": RBFNetOracle(),
}
figure, axes = plt.subplots(2, 2, figsize=(8.4, 8), layout="constrained")
for ax, (name, oracle) in zip(axes.flat, learners.items(), strict=True):
    model = AdaBoostClassifier(oracle, n_estimators=20, random_state=0).fit(X, y)
    DecisionRegionDisplay.from_estimator(model, X, y, grid_resolution=150, ax=ax)
    ax.set_title(name, pad=22)
plt.show()
