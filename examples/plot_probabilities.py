"""
Probabilities one can use
=========================

Votes of a soft margin are no probabilities, until a sigmoid is fitted to votes on rows that the
model did not see. Of the rows that get 30 %, about 30 % should be positive.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from marginboost import GradientBoostClassifier, LPBoostClassifier
from marginboost.audit import plant_flips
from marginboost.datasets import twonorm
from marginboost.diagnostics import ReliabilityDisplay

X, y = twonorm(3000, seed=0)
y, _ = plant_flips(y, 0.15)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%

soft = LPBoostClassifier(nu=0.6).fit(X_train, y_train)
ReliabilityDisplay.from_estimator(soft, X_test, y_test)
plt.show()

# %%
# Gradient boosting has probabilities of its own, too sure after many rounds on noisy labels.

trees = GradientBoostClassifier().fit(X_train, y_train)
ReliabilityDisplay.from_estimator(trees, X_test, y_test)
plt.show()
