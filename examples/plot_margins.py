"""
How sure is each vote?
======================

The margin of a row is its vote for the right label less the votes for others: 1 where all agree, 0
where the vote is tied, negative where it is wrong.
"""

# %%
# AdaBoost raises margins long after its training error is zero. The curves show the share of rows
# whose margin is at most that on the axis, after 10, 100 and 1000 rounds.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from marginboost import AdaBoostClassifier, ArcGVClassifier
from marginboost.diagnostics import MarginDisplay

X, y = load_breast_cancer(return_X_y=True)
model = AdaBoostClassifier(n_estimators=1000).fit(X, y)
MarginDisplay.from_estimator(model, X, y, stages=[10, 100, 1000])
plt.show()

# %%
# Arc-GV aims at the smallest margin alone, and buys it with those of other rows.

rival = ArcGVClassifier(n_estimators=1000).fit(X, y)
MarginDisplay.from_margins({"AdaBoost": model.margins_, "Arc-GV": rival.margins_})
plt.show()
