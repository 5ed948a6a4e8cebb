"""
A chaotic series, predicted by its own past
===========================================

Rows of delayed values make a table of a series; predictions are fed back to go on from its end.
"""

import matplotlib.pyplot as plt

from marginboost import GradientBoostRegressor, RBFNetOracle
from marginboost.datasets import mackey_glass
from marginboost.timeseries import lagged, predict_ahead

series, known = mackey_glass(1000), 800
X, y = lagged(series[:known], n_lags=6, delay=6)
nets = GradientBoostRegressor(
    RBFNetOracle(), step="search", n_estimators=25, learning_rate=1.0, random_state=0
)
future = predict_ahead(nets.fit(X, y), series[:known], 25, n_lags=6, delay=6)

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
ax.plot(range(700, 1000), series[700:], color="grey", label="Mackey–Glass series")
steps = range(known, known + len(future))
ax.plot(steps, future, "o", ms=3.5, label="predicted, from values before 800 only")
ax.axvline(known - 0.5, color="k", ls=":")
ax.set(xlabel="time")
ax.legend(loc="lower left")
plt.show()
