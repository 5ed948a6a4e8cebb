"""
A tube that outliers do not move
================================

The ε-insensitive program pays nothing for residuals inside of a tube, whose width it finds: a share
ν of the rows lies outside. How far outside does not matter, so a tenth of wild targets does little.
"""

import matplotlib.pyplot as plt
import numpy as np

from marginboost import GradientBoostRegressor, LPBoostRegressor, RBFNetOracle

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-10, 10, 160))
truth = np.sinc(x / np.pi)
y = truth + 0.05 * rng.normal(size=x.size)
wild = rng.choice(x.size, 16, replace=False)
y[wild] += rng.uniform(1.0, 2.5, 16)
X = x[:, None]

# %%
# The same base learner, nets of radial basis functions, under both losses.

tube = LPBoostRegressor(RBFNetOracle(), nu=0.3, n_estimators=40, random_state=0).fit(X, y)
squares = GradientBoostRegressor(
    RBFNetOracle(), step="search", n_estimators=20, learning_rate=0.5, random_state=0
).fit(X, y)

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x, y, ".", color="grey", label="targets, a tenth of them wild")
ax.plot(x, truth, "k:", label="truth")
ax.plot(x, squares.predict(X), color="#D55E00", label="squared loss")
ax.plot(x, tube.predict(X), color="#0072B2", label="tube")
ax.fill_between(
    x, tube.predict(X) - tube.epsilon_, tube.predict(X) + tube.epsilon_, alpha=0.2, color="#0072B2"
)
ax.set(xlabel="x", ylabel="y")
ax.legend(loc="upper right")
plt.show()
