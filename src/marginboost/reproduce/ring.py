"""p-boosting on ring data at 0 to 30 % wrong labels (BA-E1 to BA-E5, BA-E7, BA-E15, BA-E16).

Protocol of the thesis: 50 training rows whose labels are each flipped with the given probability
(as the author's program did), 5000 clean test rows, stumps, 1000 rounds, new rows in every trial;
the figure of merit is the least test error over all rounds. Published means and spreads are
digitised from the figures of appendix E, and are of 30 trials, AdaBoost's of 100; here are 15.

A mean counts as reproduced when it is within two standard errors, of both means together, of the
published one. Beside the published way to report, an oracle's choice, are errors of the round
chosen on 50 noisy validation rows, and of the last round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms import AdaBoostClassifier, PBoostClassifier
from ..core.callbacks import Callback, Encoder
from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..datasets import acacia_stand_in, ring
from ..diagnostics import SelectedErrors, select_round
from ..solvers.p_hull import global_step, has_minimum, toy_cost
from ..types import Array
from . import Comparison

NOISES = (0, 10, 20, 30)
TRIALS, ROUNDS, ROWS, TEST_ROWS = 15, 1000, 50, 5000
PS = (0.5, 0.9, 1.0, 1.1, 1.5, 2.0)
COSTLY = (0.5, 1.0, 1.5, 2.0)
"""Values of p for variants that need a run for each."""
ADABOOST = {0: (0.1060, 0.0333), 10: (0.1768, 0.0581), 20: (0.2465, 0.0594), 30: (0.2931, 0.0702)}
ADABOOST_TRIALS, PUBLISHED_TRIALS = 100, 30
PUBLISHED = {  # table R4: means, then standard deviations, in thousandths, at PS
    ("strict", 0): ((406, 312, 283, 237, 123, 100), (53, 63, 59, 59, 50, 27)),
    ("strict", 10): ((427, 332, 275, 255, 175, 184), (19, 65, 51, 71, 52, 59)),
    ("strict", 20): ((431, 361, 332, 300, 256, 219), (38, 60, 58, 48, 57, 56)),
    ("strict", 30): ((429, 403, 355, 310, 302, 322), (53, 73, 81, 68, 69, 61)),
    ("sloppy", 0): ((136, 100, 109, 96, 97, 89), (46, 25, 31, 19, 33, 22)),
    ("sloppy", 10): ((287, 163, 150, 143, 150, 160), (56, 37, 35, 45, 48, 52)),
    ("sloppy", 20): ((304, 199, 207, 182, 219, 228), (75, 49, 51, 56, 49, 68)),
    ("sloppy", 30): ((329, 233, 239, 240, 282, 276), (33, 36, 56, 51, 54, 65)),
    ("naive", 0): ((116, 111, 103, 105, 109, 90), (39, 38, 37, 39, 34, 25)),
    ("naive", 10): ((175, 169, 190, 191, 166, 176), (46, 52, 61, 55, 60, 61)),
    ("naive", 20): ((235, 223, 235, 228, 235, 224), (56, 59, 58, 60, 60, 56)),
    ("naive", 30): ((293, 298, 297, 297, 287, 293), (76, 78, 69, 53, 62, 65)),
}
VARIANTS = {
    "strict": "strict",
    "sloppy-as-run": "sloppy",
    "sloppy": "sloppy",
    "naive": "naive",
}
"""Variants that are run, and the published name they are held against."""
WHY_NOT = (
    "of twenty comparisons one is beyond two standard errors by chance; all share their rows",
    "sloppy as described is not what the program ran, and is not expected to meet its results",
    "not run: sonar and wpbc (not embedded); acacia (not public, a stand-in is below)",
    "early ends on wpbc came from stumps that split equal values, which these do not",
)


def run(data: Path | None) -> Iterator[Comparison]:
    """All tables."""
    yield from tables(TRIALS, ROUNDS)
    yield thresholds()
    yield stand_in()


def tables(
    trials: int, rounds: int, noises: tuple[int, ...] = NOISES, ps: tuple[float, ...] = PS
) -> Iterator[Comparison]:
    """Published beside measured, one table per noise, then the three ways to report."""
    honest = []
    for noise in noises:
        results = [trial(noise, seed, rounds, ps) for seed in range(trials)]
        yield published_beside_measured(noise, results, ps)
        honest += three_ways(noise, results, ps)
    notes = ("mean test error; the first is an oracle's choice, as published",)
    columns = ("best on test", "chosen on validation", "last round")
    yield Comparison("Three ways to report the same runs", columns, honest, notes)


Key = tuple[str, float]
"""Variant and p."""


def trial(noise: int, seed: int, rounds: int, ps: tuple[float, ...]) -> dict[Key, SelectedErrors]:
    """Errors of all algorithms on one training set."""
    X, y = ring(ROWS, noise / 100.0, mode="bernoulli", seed=3 * seed)
    test = ring(TEST_ROWS, seed=3 * seed + 1)
    valid = ring(ROWS, noise / 100.0, mode="bernoulli", seed=3 * seed + 2)
    found: dict[Key, SelectedErrors] = {}
    shared: dict[str, Any] = {"n_estimators": rounds, "max_bins": None}
    curves = ErrorCurves(test, valid, "adaboost", (1.0,))
    AdaBoostClassifier(callbacks=[curves], **shared).fit(X, y)
    found["adaboost", 1.0] = curves.selected(0)
    for variant in VARIANTS:
        together = variant in ("naive", "sloppy-as-run")  # hypotheses do not depend on p
        for group in [ps] if together else [(p,) for p in ps if p in COSTLY]:
            curves = ErrorCurves(test, valid, variant, group)
            p = 1.0 if together else group[0]
            model = PBoostClassifier(p=p, variant=variant, search="published", **shared)
            model.set_params(callbacks=[curves]).fit(X, y)
            for k, p in enumerate(group):
                found[variant, p] = curves.selected(k)
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
        ps: tuple[float, ...],
    ) -> None:
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
        test, valid = (np.array(curve)[:, k] for curve in (self.test, self.valid))
        return select_round(test, valid)


@dataclass(frozen=True)
class Mean:
    """A mean over trials, with its standard deviation."""

    mean: float
    spread: float
    trials: int

    @classmethod
    def of(cls, values: list[float]) -> Mean:
        """Summarise trials."""
        spread = float(np.std(values, ddof=min(1, len(values) - 1)))
        return cls(float(np.mean(values)), spread, len(values))

    def distance(self, other: Mean) -> float:
        """Difference in standard errors of both means together."""
        error = np.sqrt(self.spread**2 / self.trials + other.spread**2 / other.trials)
        return float((self.mean - other.mean) / error) if error > 0.0 else np.inf

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.spread:.3f}"


def published_mean(variant: str, p: float, noise: int) -> Mean:
    """Digitised mean of the source."""
    if variant == "adaboost":
        return Mean(*ADABOOST[noise], ADABOOST_TRIALS)
    means, spreads = PUBLISHED[VARIANTS[variant], noise]
    at = PS.index(p)
    return Mean(means[at] / 1000.0, spreads[at] / 1000.0, PUBLISHED_TRIALS)


def published_beside_measured(
    noise: int, results: list[dict[Key, SelectedErrors]], ps: tuple[float, ...]
) -> Comparison:
    """One row per algorithm and p."""
    rows: list[tuple[str, ...]] = []
    met = {"adaboost": [0, 0], **{variant: [0, 0] for variant in VARIANTS}}
    for variant, p in results[0]:
        theirs = published_mean(variant, p, noise)
        ours = Mean.of([result[variant, p].oracle for result in results])
        distance = ours.distance(theirs)
        within = abs(distance) <= 2.0
        met[variant][0] += within
        met[variant][1] += 1
        name = "AdaBoost" if variant == "adaboost" else f"{variant}, p = {p:g}"
        verdict = "reproduced" if within else "not reproduced"
        rows.append((name, str(theirs), str(ours), f"{distance:+.1f}", verdict))
    counts = ", ".join(f"{name} {n} of {total}" for name, (n, total) in met.items())
    columns = ("published", "measured", "standard errors apart", "")
    title = f"Ring, {noise} % wrong labels: least test error over all rounds"
    return Comparison(title, columns, rows, (f"within two standard errors: {counts}", *WHY_NOT))


def three_ways(
    noise: int, results: list[dict[Key, SelectedErrors]], ps: tuple[float, ...]
) -> list[tuple[str, ...]]:
    """Rows of AdaBoost and, of each variant, the p of the least oracle error, as published."""
    rows = []
    for variant in ("adaboost", *VARIANTS):
        keys = [key for key in results[0] if key[0] == variant]
        best = min(keys, key=lambda key: np.mean([result[key].oracle for result in results]))
        means = (
            np.mean([getattr(result[best], way) for result in results])
            for way in ("oracle", "validated", "last")
        )
        name = "AdaBoost" if variant == "adaboost" else f"{variant}, p = {best[1]:g}"
        rows.append((f"{noise} %, {name}", *(f"{mean:.3f}" for mean in means)))
    return rows


def thresholds() -> Comparison:
    """Where the step of strict p-boost begins to exist, and to pay, in the toy problem (BA-E15)."""
    exists = _threshold(lambda p: has_minimum(toy_cost(p)), 0.6)
    pays = _threshold(lambda p: global_step(toy_cost(p)).step > 0.0, 0.672)
    rows: list[tuple[str, ...]] = [
        ("a step exists for p above", "0.6695 to 0.6698", f"{exists:.6f}"),
        ("it lowers the cost for p above", "–", f"{pays:.6f}"),
    ]
    return Comparison("Strict p-boost, ten examples (eq. 4.13)", ("published", "measured"), rows)


def _threshold(holds: Callable[[float], bool], low: float, high: float = 0.7) -> float:
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def stand_in(trials: int = 50) -> Comparison:
    """AdaBoost on halves of the stand-in for acacia."""
    errors = []
    for seed in range(trials):
        X, y = acacia_stand_in(seed)
        model = AdaBoostClassifier(n_estimators=100).fit(X[:102], y[:102])
        errors.append(1.0 - max(model.staged_score(X[102:], y[102:])))
    rows: list[tuple[str, ...]] = [("AdaBoost", "0.282 ± 0.039", str(Mean.of(errors)))]
    title = "Acacia stand-in: least test error over 100 rounds"
    return Comparison(title, ("published, real data", "measured"), rows)
