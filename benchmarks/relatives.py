"""``relatives``: relatives of LPBoost and AdaBoost beside public implementations of them.

colboost (by gurobipy, whose free licence allows 200 variables in a quadratic program) solves the
programs of LPBoost, MDBoost, CG-Boost and NMBoost over the same hypotheses: objectives are
computed here from the coefficients of both. Of ERLPBoost and QRLPBoost, which need not come to the
end, the soft margin is. scikit-learn's AdaBoost has the same base learner. Then both learn from the
same rows with stumps and are judged on others.

``python -m benchmarks relatives --json docs/results/relatives.json.gz`` and then ``python -m
benchmarks.result_docs relatives`` write the tables of docs/family.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import metadata, util
from typing import Any

import numpy as np

from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes

NU = 0.3
"""Share of rows that may fall short, of ERLPBoost and QRLPBoost."""
SHARED = 40
"""Most hypotheses in the programs that both solve."""
LARGEST_DIFFERENCE = 1e-4
PRICE, WORTH, VARIANCE = 0.5, 0.1, 5.0
"""Of a shortfall in LPBoost; in CG-Boost, and of the mean margin in NMBoost; of the variance."""
ROUNDS = 40


@dataclass(frozen=True)
class Program:
    """One program as both have it.

    Attributes
    ----------
    solver : str
        Its name there.
    setting : float
        Its parameter there.
    model : estimator
        The same here, over the columns of a matrix.
    value : callable
        Objective of coefficients, from columns, labels and coefficients; to be made large.
    same : bool
        Whether both end at the optimum.
    """

    solver: str
    setting: float
    model: Any
    value: Callable[[Array, Array, Array], float]
    same: bool = True


def relatives(sizes: Sizes) -> Section:
    """Objectives over shared hypotheses, and errors after learning from the same rows."""
    section = Section("relatives")
    sets = small_sets(sizes.relatives_rows)
    section.tables.append(adaboost_table(sets))
    if missing := missing_peer():
        section.skipped.append(missing)
        return section
    table, largest = program_table(sets)
    section.tables.append(table)
    section.tables.append(error_table(sizes))
    what = "largest relative difference between objectives of programs that both solve"
    section.goals.append(Goal(what, largest, "<=", LARGEST_DIFFERENCE))
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("colboost", "gurobipy"))
    section.notes.append(
        f"{sizes.relatives_rows} rows to learn from, for the free licence allows no more; programs "
        f"over at most {SHARED} stumps that AdaBoost finds; errors: mean over "
        f"{sizes.relatives_splits} splits of each set, stumps, at most {ROUNDS} rounds there, "
        "without its early stopping. "
        "colboost's MDBoost is asked for the variance, where it has the second moment by default; "
        "its QRLPBoost gives coefficients 0 where the first program of a round leaves a row "
        f"without weight. {versions}"
    )
    return section


def missing_peer() -> str:
    """Why colboost cannot take part; empty where it can."""
    for name in ("colboost", "gurobipy"):
        if util.find_spec(name) is None:
            return f"colboost: {name} is not installed (pip install colboost)"
    return ""


def small_sets(most_rows: int, seed: int = 0) -> dict[str, tuple[Array, Array]]:
    """Sets of two classes with labels -1 and +1, the rows in random order."""
    from sklearn.datasets import load_breast_cancer

    from marginboost.datasets import ring, twonorm

    sets = {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "twonorm": twonorm(2000, seed=1),
        "ring, 10 % flipped": ring(2000, 0.1, seed=2),
    }
    found = {}
    for name, (X, y) in sets.items():
        order = np.random.default_rng(seed).permutation(len(y))[:most_rows]
        signs = np.where(y[order] == np.max(y), 1, -1)
        found[name] = np.asarray(X, float)[order], signs
    return found


# -- one program ---------------------------------------------------------------------------------


def programs(n_rows: int, optimum: float) -> dict[str, Program]:
    """Parameters under which both solve the same program.

    ``optimum`` is colboost's objective P of LPBoost with the price C of a shortfall: dual weights
    of sum P under the cap C become weights of sum 1 under 1 / (ν N) for ν = P / (C N).
    """
    from marginboost import (
        CGBoostClassifier,
        ERLPBoostClassifier,
        FiniteOracle,
        LPBoostClassifier,
        MDBoostClassifier,
        NMBoostClassifier,
        QRLPBoostClassifier,
    )

    matrix, nu, target = FiniteOracle(), optimum / (PRICE * n_rows), 1.0 / SHARED
    C, variance = WORTH, VARIANCE * n_rows / (n_rows - 1)
    exact: dict[str, Any] = {"tol": 1e-7, "n_estimators": 2000}
    of_columns = NMBoostClassifier(matrix, C=C, target_margin=target, **exact)
    return {
        "LPBoost": Program("lp_boost", PRICE, LPBoostClassifier(matrix, nu=nu, **exact), _soft(nu)),
        "MDBoost": Program(
            *("md_boost", VARIANCE, MDBoostClassifier(matrix, D=variance, **exact)), _mean(variance)
        ),
        "CG-Boost": Program(
            "cg_boost", C, CGBoostClassifier(matrix, C=C, n_estimators=2000, tol=None), _hinge(C)
        ),
        "NMBoost": Program("nm_boost", C, of_columns, _shortfalls(C, target)),
        "ERLPBoost": Program(
            "erlp_boost", NU * n_rows, ERLPBoostClassifier(matrix, nu=NU), _soft(NU), same=False
        ),
        "QRLPBoost": Program(
            "qrlp_boost", NU * n_rows, QRLPBoostClassifier(matrix, nu=NU), _soft(NU), same=False
        ),
    }


def _margins(columns: Array, y: Array, coef: Array) -> Array:
    return np.asarray(y * (columns @ coef) / (np.abs(coef).sum() or 1.0))


def _soft(nu: float) -> Callable[[Array, Array, Array], float]:
    """Soft margin, by its definition: the best ρ is one of the margins."""

    def value(columns: Array, y: Array, coef: Array) -> float:
        m = _margins(columns, y, coef)
        return float(max(r - np.maximum(r - m, 0.0).mean() / nu for r in m))

    return value


def _mean(price: float) -> Callable[[Array, Array, Array], float]:
    def value(columns: Array, y: Array, coef: Array) -> float:
        m = _margins(columns, y, coef)
        return float(m.mean() - 0.5 * price * m.var())

    return value


def _hinge(C: float) -> Callable[[Array, Array, Array], float]:
    def value(columns: Array, y: Array, coef: Array) -> float:
        short = np.maximum(1.0 - y * (columns @ coef), 0.0)
        return -float(0.5 * coef @ coef + C * short.sum())

    return value


def _shortfalls(C: float, target: float) -> Callable[[Array, Array, Array], float]:
    def value(columns: Array, y: Array, coef: Array) -> float:
        m = _margins(columns, y, coef)
        return float((C * m - np.maximum(target - m, 0.0)).mean())

    return value


def shared_columns(X: Array, y: Array) -> Array:
    """Outputs of exactly ``SHARED`` distinct stumps, the last one repeated where there are fewer.

    NMBoost's target there is one over their number.
    """
    from marginboost import AdaBoostClassifier
    from marginboost.algorithms.hypothesis_space import hypothesis_features

    columns = hypothesis_features(AdaBoostClassifier(n_estimators=3 * SHARED).fit(X, y), X)
    chosen = np.minimum(np.arange(SHARED), columns.shape[1] - 1)
    return np.ascontiguousarray(columns[:, chosen])


def solve_there(solver: str, setting: float, columns: Array, y: Array) -> Any:
    """What colboost's solver finds over columns."""
    with quiet():
        from colboost.solvers import get_solver

        chosen = get_solver(solver)
        chosen.use_identity_approx = False  # of MDBoost: the variance, as published
        return chosen.solve(list(columns.T), y, setting, 60, 1, 1)


def own_coefficients(model: Any, n_columns: int) -> Array:
    """Coefficients of a model over the columns of a matrix."""
    coef = np.zeros(n_columns)
    for weight, member in zip(model.estimator_weights_, model.estimators_, strict=True):
        coef[member.index] += weight * member.sign
    return coef


def compare_programs(X: Array, y: Array) -> dict[str, tuple[Program, float, float]]:
    """Objectives there and here, by name."""
    columns = shared_columns(X, y)
    optimum = float(solve_there("lp_boost", PRICE, columns, y).obj_val)
    found = {}
    for name, program in programs(len(y), optimum).items():
        theirs = solve_there(program.solver, program.setting, columns, y).weights
        ours = own_coefficients(program.model.fit(columns, y), columns.shape[1])
        values = [program.value(columns, y, np.asarray(coef)) for coef in (theirs, ours)]
        found[name] = (program, *values)
    return found


def program_table(sets: dict[str, tuple[Array, Array]]) -> tuple[Table, float]:
    """Objectives of all programs on all sets, and the largest difference of those solved."""
    table = Table("objective over the same hypotheses", ["set", "program", "colboost", "here"])
    largest = 0.0
    for name, (X, y) in sets.items():
        for program, (what, theirs, ours) in compare_programs(X, y).items():
            table.rows.append([name, program, theirs, ours])
            if what.same:
                largest = max(largest, abs(theirs - ours) / max(abs(ours), 1e-12))
    return table, largest


# -- learning ------------------------------------------------------------------------------------


def learners(n_rows: int) -> dict[str, tuple[str, float, Any]]:
    """Name and parameter there, and the same here, all with stumps.

    That of LPBoost is the price of a shortfall times the soft margin, which is known after the fit.
    """
    from marginboost import (
        CGBoostClassifier,
        ERLPBoostClassifier,
        LPBoostClassifier,
        MDBoostClassifier,
        NMBoostClassifier,
        QRLPBoostClassifier,
    )

    return {
        "LPBoost": ("lp_boost", 1.0 / (NU * n_rows), LPBoostClassifier(nu=NU)),
        "MDBoost": ("md_boost", 10.0, MDBoostClassifier(D=10.0)),
        "CG-Boost": ("cg_boost", 0.01, CGBoostClassifier(C=0.01)),
        "NMBoost": ("nm_boost", 0.1, NMBoostClassifier(C=0.1)),
        "ERLPBoost": ("erlp_boost", NU * n_rows, ERLPBoostClassifier(nu=NU)),
        "QRLPBoost": ("qrlp_boost", NU * n_rows, QRLPBoostClassifier(nu=NU)),
    }


def fit_there(solver: str, setting: float, X: Array, y: Array) -> Any:
    """Fit colboost's classifier to its own end."""
    with quiet():
        from colboost.ensemble import EnsembleClassifier

        model = EnsembleClassifier(
            solver, max_iter=ROUNDS, early_stopping=False, tradeoff_hyperparam=setting
        )
        with suppress(ValueError):  # no row has weight any more: its trees refuse, the vote stays
            model.fit(X, y)
        return model


def error_table(sizes: Sizes) -> Table:
    """Mean errors on rows learnt from and on others, in %, over sets and splits."""
    columns = ["algorithm", "set", "colboost, train", "here, train", "colboost, test", "here, test"]
    table = Table("error in % with stumps on the same rows", columns)
    n_rows = sizes.relatives_rows
    for name, (solver, setting, model) in learners(n_rows).items():
        errors: dict[str, list[list[float]]] = {}
        for seed in range(sizes.relatives_splits):
            for which, (X, y) in small_sets(3 * n_rows, seed).items():
                learn, judge = (X[:n_rows], y[:n_rows]), (X[n_rows:], y[n_rows:])
                model.fit(*learn)
                price = setting
                if solver == "lp_boost":  # the same program, see programs()
                    price /= max(model.certificate_.value, 1e-3)
                both = fit_there(solver, price, *learn), model
                parts = [float(np.mean(m.predict(P) != t)) for P, t in (learn, judge) for m in both]
                errors.setdefault(which, []).append(parts)
        for which, found in errors.items():
            means = [f"{100.0 * mean:.1f}" for mean in np.mean(found, axis=0)]
            table.rows.append([name, which, *means])
    return table


# -- AdaBoost ------------------------------------------------------------------------------------


def adaboost_table(sets: dict[str, tuple[Array, Array]], rounds: int = 30) -> Table:
    """scikit-learn's AdaBoost and ours with the same base learner, round for round."""
    table = Table(
        "AdaBoost with scikit-learn's trees of depth 1",
        ["set", "rounds", "largest difference of coefficients", "rows predicted alike"],
    )
    for name, (X, y) in sets.items():
        theirs, ours = same_adaboost(X, y, rounds)
        used = min(len(theirs.estimators_), len(ours.estimators_))
        # Theirs are logarithms of odds, ours half of them.
        halves = 0.5 * np.asarray(theirs.estimator_weights_)[:used]
        largest = float(np.abs(halves - ours.estimator_weights_[:used]).max())
        alike = int((theirs.predict(X) == ours.predict(X)).sum())
        table.rows.append([name, used, f"{largest:.1e}", f"{alike} of {len(y)}"])
    return table


def same_adaboost(X: Array, y: Array, rounds: int) -> tuple[Any, Any]:
    """Both algorithms with the same base learner, fitted."""
    from sklearn.ensemble import AdaBoostClassifier as Peer
    from sklearn.tree import DecisionTreeClassifier

    from marginboost import AdaBoostClassifier

    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    theirs = Peer(stump, n_estimators=rounds, random_state=0).fit(X, y)
    return theirs, AdaBoostClassifier(stump, n_estimators=rounds, random_state=0).fit(X, y)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars and licence notes of a peer out of the report."""
    with open(os.devnull, "w") as sink, redirect_stdout(sink), redirect_stderr(sink):
        yield
