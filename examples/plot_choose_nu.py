"""
Choose how soft a margin is
===========================

ν is the share of rows that may fall short of the margin. The noisier the labels, the larger the ν
that predicts best: cross-validation finds it, on the noisy labels themselves.
"""

import matplotlib.pyplot as plt

from marginboost import LPBoostClassifierCV
from marginboost.audit import plant_flips
from marginboost.datasets import twonorm

X, y = twonorm(400, seed=0)

# %%
# One path over all ν per noise level. Columns found for one ν serve the next.

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for rate in (0.0, 0.1, 0.2):
    noisy, _ = plant_flips(y, rate)
    model = LPBoostClassifierCV(cv=5, n_estimators=150, random_state=0).fit(X, noisy)
    results = model.cv_results_
    line = ax.plot(results["nu"], results["mean_error"], "o-", label=f"{rate:.0%} of labels wrong")
    ax.axvline(model.nu_, color=line[0].get_color(), ls=":")
ax.set(xlabel="ν", ylabel="error on held-out rows, noisy labels")
ax.legend()
plt.show()
