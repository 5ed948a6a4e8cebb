"""
Find wrong labels
=================

Which labels of a table are wrong? A twentieth of the labels of the breast cancer data is flipped on
purpose; :class:`~marginboost.LabelAudit` does not know which.
"""

# %%
# Models that did not see a row's label vote on it, and a model of label noise turns the votes into
# the probability that the label is right.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from marginboost import LabelAudit
from marginboost.audit import plant_flips

X, y = load_breast_cancer(return_X_y=True)
noisy, flipped = plant_flips(y, 0.05)
audit = LabelAudit(random_state=0).fit(X, noisy)
print(f"{flipped.sum()} labels are wrong; the audit estimates {audit.noise_rate_ * len(y):.0f}")

# %%
# Rows come with the most suspect first. How many of the first k are wrong indeed, and how many of
# all wrong ones are among them?

ranked = np.argsort(audit.score_)
found = np.cumsum(flipped[ranked])
k = np.arange(1, 81)
plt.figure(figsize=(6.4, 4), layout="constrained")
plt.plot(k, found[:80] / k, label="precision: share of them that is wrong")
plt.plot(k, found[:80] / flipped.sum(), label="recall: share of the wrong ones found")
plt.axvline(audit.flagged_.sum(), color="grey", ls=":", label="rows that are flagged")
plt.xlabel("rows, the most suspect first")
plt.ylim(0, 1.03)
plt.legend()
plt.show()
