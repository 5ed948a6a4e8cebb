"""
Prediction intervals from two quantiles
=======================================

How far off may the next value be? The pinball loss estimates any quantile; two of them make an
interval that is wide where the data are.
"""

import matplotlib.pyplot as plt
import numpy as np

from marginboost import GradientBoostRegressor
from marginboost.losses import Quantile

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 4, 1500))
y = np.sin(2 * x) + (0.1 + 0.2 * x) * rng.normal(size=x.size)
X = x[:, None]

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x, y, ".", ms=2, color="grey")
lines = []
for q in (0.05, 0.5, 0.95):
    model = GradientBoostRegressor(
        loss=Quantile(q), max_leaf_nodes=8, min_samples_leaf=40, n_estimators=80
    ).fit(X, y)
    lines.append(model.predict(X))
    ax.plot(x, lines[-1], label=f"{q:.0%} quantile")
inside = np.mean((y >= lines[0]) & (y <= lines[2]))
ax.set(xlabel="x", ylabel="y", title=f"{inside:.0%} of the rows are inside, 90% is the aim")
ax.legend()
plt.show()
