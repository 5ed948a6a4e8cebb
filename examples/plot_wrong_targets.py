"""
Find wrong numbers
==================

A decimal point that slipped: :class:`~marginboost.TargetAudit` compares every target with what
models that did not see it predict, in units of how far off they usually are there.
"""

import matplotlib.pyplot as plt
import numpy as np

from marginboost import TargetAudit

rng = np.random.default_rng(0)
size = rng.uniform(20, 200, 500)
rooms = np.round(size / 30 + rng.normal(size=500)).clip(1)
price = 3.0 * size * np.exp(0.15 * rng.normal(size=500))
slipped = rng.choice(500, 10, replace=False)
price[slipped] /= 10

X = np.column_stack([size, rooms])
audit = TargetAudit(random_state=0).fit(X, price)
suspects = audit.suspects()
found = np.isin(slipped, suspects).sum()
print(f"{found} of the 10 wrong prices are flagged, and {len(suspects) - found} right ones")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(size, price, ".", color="grey", label="rows")
ax.plot(size[suspects], price[suspects], "o", ms=9, mfc="none", color="#D55E00", label="suspects")
ax.vlines(size[suspects], price[suspects], audit.suggested_[suspects], color="#D55E00", lw=0.8)
ax.set(xlabel="size", ylabel="price")
ax.legend()
plt.show()
