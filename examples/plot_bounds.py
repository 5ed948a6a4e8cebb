"""
What theory promises, beside what happens
=========================================

All bounds on the true error that a model's training rows, or a test set, give: most are void on
tables of everyday size, and each says which assumption it rests on.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from marginboost import AdaBoostClassifier
from marginboost.capacity import BoundDisplay, model_bounds
from marginboost.datasets import twonorm

X, y = twonorm(6000, seed=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = AdaBoostClassifier(n_estimators=60).fit(X_train, y_train)
for bound in model_bounds(model, X_train, y_train, X_test=X_test, y_test=y_test)[:3]:
    print(bound, end="\n\n")

# %%

BoundDisplay.from_estimator(model, X_train, y_train, X_test=X_test, y_test=y_test)
plt.show()
