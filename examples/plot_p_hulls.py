"""
Votes of another norm
=====================

AdaBoost normalises its votes by Σ|b|. With (Σ|b|^p)^(1/p) in its place the set of votes is larger
for p > 1, smaller for p < 1: capacity is chosen by p.
"""

# %%
# Where votes of two hypotheses may lie.

import matplotlib.pyplot as plt
import numpy as np

from marginboost import PBoostClassifier
from marginboost.datasets import ring

angle = np.linspace(0, 2 * np.pi, 400)
direction = np.stack([np.cos(angle), np.sin(angle)])
figure, ax = plt.subplots(figsize=(4.4, 4.4), layout="constrained")
for p in (0.7, 1.0, 1.5, 2.0, 4.0):
    ax.plot(*(direction / np.sum(np.abs(direction) ** p, axis=0) ** (1 / p)), label=f"p = {p:g}")
ax.set(aspect="equal", xlabel="first coefficient", ylabel="second coefficient")
ax.legend(loc="center")
plt.show()

# %%
# A ring inside of a disc, a fifth of the labels wrong: error on clean labels, mean of five samples.

powers = (1.0, 1.25, 1.5, 2.0, 3.0)
errors = np.zeros((5, len(powers)))
X_test, y_test = ring(2000, seed=99)
for trial in range(5):
    X, y = ring(100, 0.2, seed=trial)
    for k, p in enumerate(powers):
        errors[trial, k] = 1 - PBoostClassifier(p=p).fit(X, y).score(X_test, y_test)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.errorbar(powers, errors.mean(0), errors.std(0, ddof=1) / np.sqrt(5), marker="o", capsize=3)
ax.set(xlabel="p", ylabel="error on clean labels")
plt.show()
