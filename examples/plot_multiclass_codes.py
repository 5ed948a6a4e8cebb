"""
Several classes by way of two
=============================

A code turns a problem of several classes into problems of two; a hypothesis of several labels needs
none. Handwritten digits, by both ways.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from marginboost import (
    AdaBoostClassifier,
    AdaBoostMHClassifier,
    MulticlassBooster,
    SoftmaxBoostClassifier,
)

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
stumps = AdaBoostClassifier(n_estimators=100)
models = {
    "one against the rest": MulticlassBooster(stumps),
    "all pairs": MulticlassBooster(stumps, code="all-pairs"),
    "error-correcting": MulticlassBooster(stumps, code="error-correcting"),
    "AdaBoost.MH": AdaBoostMHClassifier(n_estimators=100),
    "softmax trees": SoftmaxBoostClassifier(n_estimators=40),
}
errors = {name: 1 - m.fit(X_train, y_train).score(X_test, y_test) for name, m in models.items()}

figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
bars = ax.barh(list(errors), list(errors.values()))
ax.bar_label(bars, fmt="{:.1%}", padding=3)
ax.set(xlabel="test error", xlim=(0, 1.2 * max(errors.values())))
ax.invert_yaxis()
plt.show()
