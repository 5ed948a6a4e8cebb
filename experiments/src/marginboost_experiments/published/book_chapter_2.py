"""Thresholds on a line, lucky guessers, two kinds of rules (Schapire and Freund, chapter 2).

Table 2.1 and 2.2 label twelve numbers; Fig. 2.1 is the training error of each threshold. Of many
who guess coins one looks good (section 2.1.2). Figs 2.2 and 2.3: the threshold halfway between the
class means is best for normal classes and poor for skewed ones, where that of least training error
is near the best. Section 2.2: bounds shrink as 1/m without and as 1/√m with training errors.

Unknown: the skewed distribution of Fig. 2.3; here it is exponential, with classes shifted by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.capacity.teaching import (
    best_guesser,
    exponential_threshold_error,
    gaussian_threshold_error,
    line_table,
    midpoint_threshold,
)
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

GAPS = "7 6 5 4 3 4 3 2 3 4 3 4 5"
"""Errors of the thresholds of Table 2.2, gap by gap, worked out from the table."""
GUESSERS = {"50, best at least 8": (50, 8, 0.940), "50, best at least 9": (50, 9, 0.417)}
GUESSERS["1000, best all 10"] = (1000, 10, 0.624)
SHIFT = 1.0
RULES = ("midpoint", "least training error")


def plan(done: Trials, trials: int, rows: int) -> list[Case]:
    """The tables, and samples of each distribution."""
    kinds = ("normal", "skewed")
    drawn = [{"kind": k, "seed": seed, "rows": rows} for k in kinds for seed in range(trials)]
    return [{"part": "tables"}, *drawn]


def trial(part: str = "", kind: str = "", seed: int = 0, rows: int = 0) -> Result:
    """Errors of all thresholds of a table, or of two rules on drawn rows."""
    return _line() if part == "tables" else _rules(kind, seed, rows)


def _line() -> Result:
    found = {}
    for noisy in (False, True):
        x, y = line_table(noisy)
        order = np.sort(x)
        cuts = np.concatenate([[order[0] - 1], (order[1:] + order[:-1]) / 2, [order[-1] + 1]])
        errors = [int(np.sum(np.where(x >= cut, 1, -1) != y)) for cut in cuts]
        found["Table 2.2" if noisy else "Table 2.1"] = errors
    return {"cuts": cuts, **found}


def _rules(kind: str, seed: int, rows: int) -> Result:
    """True error of the midpoint rule and of the threshold of least training error."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], rows)
    noise = rng.normal(size=rows) if kind == "normal" else rng.exponential(size=rows)
    separation = 2.0 if kind == "normal" else SHIFT
    x = noise + separation * (y > 0)
    order = np.argsort(x)
    below: Array = np.cumsum(y[order] > 0) + np.sum(y < 0) - np.cumsum(y[order] < 0)
    cut = x[order][int(np.argmin(below))] + 1e-12
    error = _true_error if kind == "normal" else exponential_threshold_error
    return {
        "midpoint": error(midpoint_threshold(x, y), separation),
        "least training error": error(cut, separation),
    }


def _true_error(cut: float, separation: float) -> float:
    from scipy.stats import norm

    return float(0.5 * (norm.sf(cut) + norm.cdf(cut - separation)))


def tables(trials: Trials) -> Iterator[Comparison]:
    """Thresholds, guessers and rules."""
    line = trials.where(part="tables").only()
    rows = [
        (name, "0" if name == "Table 2.1" else "2", str(min(line[name])), _text(line[name]))
        for name in ("Table 2.1", "Table 2.2")
    ]
    columns: tuple[str, ...] = ("fewest errors, book", "measured", "errors of all thresholds")
    yield Comparison("Twelve points of the line (Fig. 2.1)", columns, rows)
    guesses = [
        (name, f"{theirs:.3f}", f"{best_guesser(n)[k:].sum():.3f}")
        for name, (n, k, theirs) in GUESSERS.items()
    ]
    columns = ("worked out", "measured")
    yield Comparison("Students who predict ten coins: probability", columns, guesses)
    best = {"normal": gaussian_threshold_error(2.0)}
    best["skewed"] = exponential_threshold_error(SHIFT, SHIFT)
    rules = [
        (f"{kind}: {rule}", f"{best[kind]:.3f}", str(trials.where(kind=kind).mean(rule)))
        for kind in best
        for rule in RULES
    ]
    columns = ("best possible", "measured")
    yield Comparison("Generative and discriminative rule: true error", columns, rules)


def _text(errors: list[int]) -> str:
    return " ".join(map(str, errors))


def findings(trials: Trials) -> Iterator[Finding]:
    """What the chapter says."""
    line = trials.where(part="tables").only()
    claim = "a threshold makes no error on Table 2.1 and two on Table 2.2, as in Fig. 2.1"
    holds = min(line["Table 2.1"]) == 0 and _text(line["Table 2.2"]) == GAPS
    yield Finding(claim, holds, _text(line["Table 2.2"]))
    midpoint, direct = (trials.where(kind="skewed").mean(r) for r in RULES)
    claim = "under skew the threshold of least training error beats the midpoint of the means"
    evidence = f"{direct} against {midpoint}, at best {0.5 * np.exp(-SHIFT):.3f}"
    yield Finding(claim, direct.mean < midpoint.mean - 0.02, evidence)
    normal = trials.where(kind="normal")
    midpoint, direct = (normal.mean(r) for r in RULES)
    claim = "for normal classes the midpoint is the better of the two"
    yield Finding(claim, midpoint.mean < direct.mean, f"{midpoint} against {direct}")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 2.1: errors of all thresholds; Fig. 2.3: skewed classes and the two thresholds."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, ORANGE, plain

    left, right = figure.subplots(1, 2)
    line = trials.where(part="tables").only()
    for name, color in (("Table 2.1", BLUE), ("Table 2.2", ORANGE)):
        left.step(line["cuts"], np.array(line[name]) / 12, where="mid", color=color, label=name)
    left.set(xlabel="threshold", ylabel="training error", ylim=(0, None))
    x = np.linspace(0, 6, 300)
    right.plot(x, np.exp(-x), color=BLUE, label="negative")
    right.plot(x, np.where(x >= SHIFT, np.exp(-(x - SHIFT)), 0), color=ORANGE, label="positive")
    right.axvline(SHIFT, color=GREY, label="best threshold")
    right.axvline(1 + SHIFT / 2, color=GREY, linestyle=":", label="midpoint of the means")
    right.set(xlabel="x", ylabel="density")
    for ax in (left, right):
        ax.legend(frameon=False, fontsize=8)
        plain(ax)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"trials": 20, "rows": 200},
        "quick": {"trials": 200, "rows": 200},
        "full": {"trials": 2000, "rows": 200},
    },
    draw=draw,
    figure_size=(9.6, 3.6),
    catalogue=("SF-E5a", "SF-E5b", "SF-E6", "SF-E7a", "SF-E7b"),
)
