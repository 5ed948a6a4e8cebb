"""Audits for the tests of the report: two labels, three, categories with gaps, hostile text."""

from functools import cache

import numpy as np
import pandas as pd

from marginboost import AdaBoostClassifier
from marginboost.audit import LabelAudit, plant_flips

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    "=cmd|' /C calc'!A0",
    "👩‍🔬 emoji, comma",
    "\u202egnp.exe\u2028line",
    "{script}{data}{title}",
    "long" * 2500,
]
YES, NO = "<b>yes</b>", '=HYPERLINK("http://evil.example")'


def fit(X, y, **settings):
    return LabelAudit(cv=2, n_jobs=1, **settings).fit(X, y)


@cache
def numeric_audit(n_rows=240, n_classes=2, rate=0.08):
    """Numbers only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    score = X[:, 0] + X[:, 1] - 0.2 * X[:, 2]
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    noisy, _ = plant_flips(np.array(["low", "mid", "high"])[y], rate, seed=1)
    frame = pd.DataFrame(X, columns=["size", "dose", "age", "noise a", "noise b"])
    return fit(frame, noisy)


@cache
def mixed_audit(n_rows=240):
    """Categories, and values that are missing."""
    rng = np.random.default_rng(0)
    kind, age = rng.choice(["red", "green", "blue"], n_rows), rng.normal(50, 15, n_rows).round(1)
    y = np.where(age / 20 + 1.5 * (kind == "red") > 3, "ill", "well")
    age[::11] = np.nan
    noisy, _ = plant_flips(y, 0.08, seed=1)
    return fit(pd.DataFrame({"kind": pd.Categorical(kind), "age": age}), noisy)


@cache
def hostile_audit(n_rows=240):
    """Names, categories and labels that would like to be code."""
    rng = np.random.default_rng(0)
    bad, size = rng.choice(HOSTILE, n_rows), rng.normal(size=n_rows)
    y = np.where(size + 1.5 * (bad == HOSTILE[0]) - 1.5 * (bad == HOSTILE[4]) > 0, YES, NO)
    noisy, _ = plant_flips(y, 0.08, seed=1)
    names = ["<img src=x onerror=alert(4)>", 'it\'s "quoted" =1+1 🙂']
    frame = pd.DataFrame({names[0]: size, names[1]: pd.Categorical(bad)})
    return fit(frame, noisy)


@cache
def leaking_audit(n_rows=120):
    """A column that is the answer under another name."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    return fit(pd.DataFrame({"size": rng.normal(size=n_rows), "code": 10.0 * y}), y)


def quick_audit(X, y):
    """One voter, for tables of which only the size matters."""
    return fit(X, y, voters={"stumps": AdaBoostClassifier(n_estimators=30)})
