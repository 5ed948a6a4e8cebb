"""
Shapley values of trees
=======================

Trees mix features, so their scores are shared out: every feature gets what it adds on average over
all orders in which features become known. The values are exact, and sum to the score.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from marginboost import GradientBoostRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = GradientBoostRegressor(n_estimators=60, learning_rate=0.05, max_leaf_nodes=8).fit(X, y)
found = model.shap_values(X, background=X)
print(
    "sums to the prediction:", np.allclose(found.base + found.values.sum(axis=1), model.predict(X))
)

# %%
# One dot per row: what the feature added to the prediction, coloured by its value.

names = list(found.importance())[:6][::-1]
rng = np.random.default_rng(0)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for place, name in enumerate(names):
    column = X.columns.get_loc(name)
    height = place + rng.uniform(-0.25, 0.25, len(X))
    rank = X[name].rank(pct=True)
    dots = ax.scatter(found.values[:, column], height, c=rank, cmap="viridis", s=9)
ax.set_yticks(range(len(names)), names)
ax.set_xlabel("added to the prediction")
figure.colorbar(dots, label="rank of the feature's value")
plt.show()
