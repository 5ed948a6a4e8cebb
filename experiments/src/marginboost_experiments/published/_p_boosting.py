"""What the experiments with p-boosting share: all variants on one training set, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier, PBoostClassifier
from marginboost.core.callbacks import Callback, Encoder
from marginboost.core.oracle import Oracle
from marginboost.core.rule import Rule
from marginboost.core.state import State
from marginboost.core.stop import Stop
from marginboost.diagnostics import SelectedErrors, select_round
from marginboost.types import Array

from ..frame import Result, Trials
from ..tables import BESIDE, Comparison, Mean, beside, share_within
from ._barnes_numbers import ADABOOST, ADABOOST_ROUNDS, best_round, least_error

VARIANTS = {
    "strict": "strict",
    "sloppy-as-run": "sloppy",
    "sloppy": "sloppy",
    "naive": "naive",
}
"""Variants that are run, and the published name they are held against."""
WAYS = ("oracle", "validated", "last")


def run_variants(
    train: tuple[Array, Array],
    test: tuple[Array, Array],
    valid: tuple[Array, Array],
    rounds: int,
    ps: Sequence[float],
    costly: Sequence[float],
    pooled: bool = False,
) -> Result:
    """Errors of AdaBoost and all variants; ``costly``: the p of those that need a run for each.

    With ``pooled`` the least error is of test and validation rows together.
    """
    shared: dict[str, Any] = {"n_estimators": rounds, "max_bins": None, "n_jobs": 1}
    curves = ErrorCurves(test, valid, "adaboost", (1.0,), pooled)
    AdaBoostClassifier(callbacks=[curves], **shared).fit(*train)
    found = {"adaboost": asdict(curves.selected(0))}
    for variant in VARIANTS:
        search: dict[str, Any] = {"search": "published"} if variant == "strict" else {}
        together = variant in ("naive", "sloppy-as-run")  # hypotheses do not depend on p
        for group in [tuple(ps)] if together else [(p,) for p in costly]:
            curves = ErrorCurves(test, valid, variant, group, pooled)
            p = 1.0 if together else group[0]
            model = PBoostClassifier(p=p, variant=variant, **search, **shared)
            model.set_params(callbacks=[curves]).fit(*train)
            for k, p in enumerate(group):
                found[f"{variant}, p = {p:g}"] = asdict(curves.selected(k))
    return found


class ErrorCurves(Callback):
    """Test and validation error of every round, of several p at once (BA-S9).

    Scores of other rows are kept up to date with one hypothesis per round. Of runs whose hypotheses
    do not depend on p, votes of all p are made from one run with p = 1.
    """

    def __init__(
        self,
        test: tuple[Array, Array],
        valid: tuple[Array, Array],
        variant: str,
        ps: Sequence[float],
        pooled: bool = False,
    ) -> None:
        self.pooled = pooled
        self.rows = np.vstack([test[0], valid[0]])
        self.labels = np.concatenate([test[1], valid[1]])
        self.split = len(test[1])
        self.variant, self.ps = variant, np.array(ps)
        self.test: list[Array] = []
        self.valid: list[Array] = []

    def prepare(self, encode: Encoder) -> None:
        """Rows are numbers already."""

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Begin with empty votes."""
        self._scores = np.zeros((len(self.ps), len(self.labels)))
        self._size = 0

    def on_round(self, state: State) -> Stop | None:
        """Add the new hypothesis, if there is one."""
        if state.size == self._size:
            return None
        self._size = state.size
        factors, steps = self._moves(state)
        self._scores *= factors[:, None]
        self._scores += steps[:, None] * state.members[-1](self.rows)
        wrong = np.where(self._scores > 0, 1, -1) != self.labels
        self.test.append(wrong[:, : self.split].mean(axis=1))
        self.valid.append(wrong[:, self.split :].mean(axis=1))
        return None

    def _moves(self, state: State) -> tuple[Array, Array]:
        """Factor on the vote and coefficient of the new hypothesis, for every p."""
        ones, coef = np.ones(len(self.ps)), state.coef[-1]
        if self.variant == "naive":
            return ones, coef ** (1.0 / self.ps)
        if self.variant == "sloppy-as-run" and state.size > 1:
            step = coef / state.factor
            factors = (1.0 + step**self.ps) ** (-1.0 / self.ps)
            return factors, step * factors
        return state.factor * ones, coef * ones

    def selected(self, k: int) -> SelectedErrors:
        """Return the errors of one p."""
        if not self.test:  # no step was ever taken: the vote is nothing, and names the first class
            wrong = float(np.mean(self.labels[: self.split] > 0))
            return SelectedErrors(wrong, wrong, wrong, 0, 0, 0)
        test, valid = (np.array(curve)[:, k] for curve in (self.test, self.valid))
        chosen = select_round(test, valid)
        if not self.pooled:
            return chosen
        share = self.split / len(self.labels)
        every = share * test + (1.0 - share) * valid
        best = int(np.argmin(every))
        return replace(chosen, oracle=float(every[best]), oracle_round=best + 1)


def keys(trials: Trials) -> list[str]:
    """AdaBoost, and every variant with its p."""
    return list(next(iter(trials))[1])


def measured(trials: Trials, key: str, what: str = "oracle") -> Mean:
    """Mean over trials of one number of one algorithm."""
    return Mean.of(result[key][what] for _, result in trials)


def parts(key: str) -> tuple[str, float]:
    """Variant and p of a key."""
    variant, _, p = key.partition(", p = ")
    return variant, float(p or "nan")


def published_error(data: str, key: str) -> Mean | None:
    """Published least test error of one algorithm."""
    variant, p = parts(key)
    return ADABOOST[data] if variant == "adaboost" else least_error(VARIANTS[variant], data, p)


def error_table(
    trials: Trials,
    data: str,
    title: str,
    notes: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
) -> Comparison:
    """Least test error over all rounds: one row per algorithm and p.

    ``elsewhere``: variants whose published numbers are of other splits, and not compared.
    """
    rows = []
    for key in keys(trials):
        theirs = None if parts(key)[0] in elsewhere else published_error(data, key)
        rows.append(beside(key, theirs, measured(trials, key)))
    as_published = [row for row in rows if not row[0].startswith("sloppy,")]
    return Comparison(
        f"{title}: least test error over all rounds",
        BESIDE,
        rows,
        (f"{share_within(as_published)}, sloppy as described left out", *notes),
    )


def round_table(trials: Trials, data: str, title: str) -> Comparison:
    """Round of the least test error (BA-E6, Fig. 6.2)."""
    rows = []
    for key in keys(trials):
        variant, p = parts(key)
        if variant == "sloppy":
            continue
        theirs = (
            ADABOOST_ROUNDS[data]
            if variant == "adaboost"
            else best_round(VARIANTS[variant], data, p)
        )
        rows.append(beside(key, theirs, measured(trials, key, "oracle_round"), digits=0))
    notes = (share_within(rows), "AdaBoost's was published without spread")
    return Comparison(f"{title}: round of the least test error", BESIDE, rows, notes)


def honest_rows(trials: Trials, title: str) -> list[tuple[str, ...]]:
    """Rows of AdaBoost and, of each variant, the p of the least oracle error, as published."""
    rows = []
    for variant in ("adaboost", *VARIANTS):
        mine = [key for key in keys(trials) if parts(key)[0] == variant]
        if not mine:
            continue
        best = min(mine, key=lambda key: measured(trials, key).mean)
        rows.append((f"{title}, {best}", *(str(measured(trials, best, way)) for way in WAYS)))
    return rows


def honest_table(rows: list[tuple[str, ...]]) -> Comparison:
    """Three ways to report the same runs (BA-E16)."""
    notes = ("mean test error; the first is an oracle's choice, as published",)
    columns = ("best on test", "chosen on validation", "last round")
    return Comparison("Three ways to report the same runs", columns, rows, notes)


def draw_by_p(
    ax: Any, trials: Trials, data: str, title: str, elsewhere: Sequence[str] = ()
) -> None:
    """Fig. 6.3: least test error against p, published dotted."""
    from marginboost.diagnostics.displays.style import CYCLE, INK, plain

    base = measured(trials, "adaboost")
    ax.axhline(base.mean, color=INK, linewidth=1, label="AdaBoost")
    if "adaboost" not in elsewhere:
        ax.axhline(ADABOOST[data].mean, color=INK, linewidth=1, linestyle=":")
    for variant, color in zip(("strict", "sloppy-as-run", "naive"), CYCLE, strict=False):
        mine = [key for key in keys(trials) if parts(key)[0] == variant]
        ps = [parts(key)[1] for key in mine]
        means = [measured(trials, key) for key in mine]
        errors = [mean.error for mean in means]
        values = [mean.mean for mean in means]
        ax.errorbar(ps, values, errors, color=color, marker="o", markersize=3, label=variant)
        theirs = [published_error(data, key) for key in mine]
        known = [(p, their.mean) for p, their in zip(ps, theirs, strict=True) if their is not None]
        if known and variant not in elsewhere:
            ax.plot(*zip(*known, strict=True), color=color, linestyle=":")
    ax.set(title=title, xlabel="p")
    plain(ax)
