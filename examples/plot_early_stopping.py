"""
Stop in time, go on later
=========================

Callbacks watch a fit: one stops it when a held-out error no longer falls, one writes a checkpoint
from which an interrupted fit goes on with the same bits.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from marginboost import AdaBoostClassifier, Checkpoint, EarlyStopping
from marginboost.audit import plant_flips
from marginboost.datasets import ringnorm
from marginboost.diagnostics import TrainingErrorDisplay

X, y = ringnorm(1000, seed=0)
y, _ = plant_flips(y, 0.05)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
stopped = AdaBoostClassifier(
    n_estimators=1000, callbacks=[EarlyStopping(X_test, y_test, patience=30)]
).fit(X_train, y_train)
print(stopped.stop_reason_, "after", stopped.n_iter_, "rounds")
TrainingErrorDisplay.from_estimator(stopped, X_train, y_train, X_test=X_test, y_test=y_test)
plt.show()

# %%
# Sixty rounds, then forty more from the checkpoint: the same model as a hundred at once.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "fit.json"
    for rounds in (60, 100):
        resumed = AdaBoostClassifier(n_estimators=rounds, callbacks=[Checkpoint(path)])
        resumed.fit(X_train, y_train)
whole = AdaBoostClassifier(n_estimators=100).fit(X_train, y_train)
print("same bits:", np.array_equal(resumed.decision_function(X), whole.decision_function(X)))
