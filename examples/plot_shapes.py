"""
What each feature contributes
=============================

A vote of stumps is a sum of one step function per feature. There is nothing to approximate: the
picture is the model.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from marginboost import AdaBoostClassifier
from marginboost.diagnostics import ShapeDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = AdaBoostClassifier(n_estimators=200).fit(X, y)
ShapeDisplay.from_estimator(model, X)
plt.show()
