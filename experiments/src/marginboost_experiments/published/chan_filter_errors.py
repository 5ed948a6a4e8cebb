"""Errors of majority and consensus filters: theory and simulation (Chan 2015, section 2.3).

The thesis gives the probabilities that a filter of m independent voters, each wrong with
probability q, discards a good row or misses a wrong label. Here they are simulated, and the same is
done with real voters, whose errors are not independent: the theory is then too hopeful.

Filled in: m from 1 to 9, q = 0.1 and 0.3, a third of the labels wrong; real voters are trees,
nearest neighbours, linear machines and naive Bayes on twonorm with a fifth of the labels flipped,
and the theory is told their own mean error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from marginboost.audit import (
    consensus_discard_probability,
    consensus_miss_probability,
    filter_errors,
    majority_discard_probability,
    majority_miss_probability,
    plant_flips,
)
from marginboost.datasets import twonorm
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

KINDS = ("majority discards", "majority misses", "consensus discards", "consensus misses")


def plan(done: Trials, rows: int, voters: Sequence[int], samples: int) -> list[Case]:
    """Simulations, and real voters."""
    drawn = [{"q": q, "m": m, "rows": rows, "seed": 0} for q in (0.1, 0.3) for m in voters]
    return drawn + [{"real": True, "seed": seed} for seed in range(samples)]


def trial(seed: int, q: float = 0.0, m: int = 0, rows: int = 0, real: bool = False) -> Result:
    """Rates of wrong decisions beside the formulas."""
    if real:
        return _real(seed)
    rng = np.random.default_rng([seed, m])
    wrong = rng.random(rows) < 1 / 3
    against = (rng.random((rows, m)) < q) != wrong[:, None]  # a right voter contradicts it
    return _rates(against, wrong) | _theory(q, m)


def _real(seed: int) -> Result:
    X, y = twonorm(400, seed)
    noisy, wrong = plant_flips(y, 0.2, seed=seed)
    voters = [
        DecisionTreeClassifier(max_depth=4, random_state=0),
        KNeighborsClassifier(1),
        LogisticRegression(),
        GaussianNB(),
        DecisionTreeClassifier(random_state=1),
    ]
    answers = np.stack([cross_val_predict(voter, X, noisy, cv=3) for voter in voters], axis=1)
    q = float(np.mean(answers != y[:, None]))
    return _rates(answers != noisy[:, None], wrong) | _theory(q, len(voters)) | {"q": q}


def _rates(against: Array, wrong: Array) -> Result:
    majority = filter_errors(against.mean(axis=1) > 0.5, wrong)
    consensus = filter_errors(against.all(axis=1), wrong)
    rates = (majority.discard_rate, majority.miss_rate, consensus.discard_rate, consensus.miss_rate)
    return dict(zip(KINDS, rates, strict=True))


def _theory(q: float, m: int) -> Result:
    values = (
        majority_discard_probability(q, m),
        majority_miss_probability(q, m),
        consensus_discard_probability([q] * m),
        consensus_miss_probability([q] * m),
    )
    return {f"theory, {kind}": float(v) for kind, v in zip(KINDS, values, strict=True)}


def _drawn(trials: Trials) -> Trials:
    return Trials((case, result) for case, result in trials if "m" in case)


def tables(trials: Trials) -> Iterator[Comparison]:
    """Theory / measured."""
    rows = [
        (
            f"q = {case['q']:g}, m = {case['m']}",
            *(f"{result[f'theory, {kind}']:.4f} / {result[kind]:.4f}" for kind in KINDS),
        )
        for case, result in _drawn(trials)
    ]
    yield Comparison("Independent voters: theory / simulation", KINDS, rows)
    real = trials.where(real=True)
    cells = [f"{real.mean(f'theory, {k}').mean:.3f} / {real.mean(k).text(3)}" for k in KINDS]
    name = f"five voters, mean error {real.mean('q').mean:.2f}"
    yield Comparison("Real voters: theory / measured", KINDS, [(name, *cells)])


def findings(trials: Trials) -> Iterator[Finding]:
    """Formulas hold for independent voters, and flatter real ones."""
    apart = max(
        abs(result[kind] - result[f"theory, {kind}"])
        for _, result in _drawn(trials)
        for kind in KINDS
    )
    claim = "the formulas are right for independent voters"
    yield Finding(claim, apart < 0.03, f"off by {apart:.4f} at most")
    real = trials.where(real=True)
    measured, theory = (real.mean(name) for name in (KINDS[0], f"theory, {KINDS[0]}"))
    claim = "real voters err together: a majority discards more good rows than theory says"
    yield Finding(claim, measured.mean > theory.mean, f"{measured} against {theory}")


def draw(trials: Trials, figure: Any) -> None:
    """Discards and misses against the number of voters; lines are theory."""
    from marginboost.diagnostics.displays.style import CYCLE, plain

    axes = figure.subplots(1, 2, sharey=True)
    drawn = _drawn(trials)
    for ax, q in zip(axes, drawn.each("q"), strict=True):
        mine = drawn.where(q=q)
        for kind, color in zip(KINDS, CYCLE, strict=False):
            theory = np.maximum(mine.array(f"theory, {kind}"), 1e-6)
            ax.plot(mine.each("m"), theory, color=color, label=kind)
            ax.plot(mine.each("m"), np.maximum(mine.array(kind), 1e-6), "o", color=color, ms=4)
        ax.set_yscale("log")
        ax.set(xlabel="voters", title=f"voters wrong with probability {q:g}", ylim=(1e-4, 1.5))
        plain(ax)
    axes[0].set_ylabel("probability")
    axes[1].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"rows": 20_000, "voters": [1, 4], "samples": 1},
        "quick": {"rows": 200_000, "voters": [1, 2, 3, 4, 5, 7, 9], "samples": 20},
        "full": {"rows": 1_000_000, "voters": list(range(1, 10)), "samples": 100},
    },
    draw=draw,
    figure_size=(9.0, 3.6),
    catalogue=("CH-E13",),
)
