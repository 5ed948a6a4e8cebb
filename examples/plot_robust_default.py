"""
Learn from wrong labels
=======================

:class:`~marginboost.RobustBoostClassifier` without settings, beside boosting that believes its
labels.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from marginboost import GradientBoostClassifier, RobustBoostClassifier
from marginboost.audit import plant_flips

X, y = make_moons(1500, noise=0.25, random_state=0)
X_test, y_test = make_moons(4000, noise=0.25, random_state=1)

# %%
# Labels of training rows are flipped, those of test rows are not.

rates = (0.0, 0.1, 0.2, 0.3)
errors = {"GradientBoostClassifier": [], "RobustBoostClassifier": []}
for rate in rates:
    noisy, _ = plant_flips(y, rate)
    for kind in (GradientBoostClassifier, RobustBoostClassifier):
        model = kind(random_state=0).fit(X, noisy)
        errors[kind.__name__].append(1 - model.score(X_test, y_test))

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for name, values in errors.items():
    ax.plot(rates, values, "o-", label=name)
ax.set(xlabel="share of training labels flipped", ylabel="error on clean labels", ylim=(0, None))
ax.legend()
plt.show()

# %%
# The last fit says what it chose and why.

for option in model.choice_:
    print(f"{option.model:12} loss {option.loss:.4f}  {option.what}  {option.why}")
