"""What tests of displays share."""

import matplotlib as mpl
import pytest
from sklearn.datasets import load_breast_cancer

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture
def tidy_figures():
    """Displays leave matplotlib's settings alone; figures are closed."""
    settings = dict(plt.rcParams)
    yield
    assert dict(plt.rcParams) == settings, "a display changed matplotlib's settings"
    plt.close("all")


@pytest.fixture(scope="session")
def cancer():
    """Two halves of a table."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]
