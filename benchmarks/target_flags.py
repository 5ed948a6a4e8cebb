"""``target_flags``: how many flagged targets are false alarms, and how many wrong ones are found.

Wrong targets of several kinds are planted in real tables, and in made ones whose noise is known.
The set that scikit-learn carries always runs; others with the environment variable
``MARGINBOOST_DATA`` naming a folder of .npz files with arrays X and y.

``within reach`` is the largest share of the wrong rows that any number of suspects, taken in the
order of the audit, would hold with at most the allowed share of false alarms among them: what one
could find who knew where to stop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from .data import Array
from .report import Goal, Section, Table
from .sizes import Sizes

FOLDER_SETS = (
    "reg_boston_housing",
    "reg_abalone",
    "reg_cal_housing",
    "reg_kin8nm",
    "reg_cpu_act",
)
FDR = 0.2
RATES = (0.02, 0.1)
MOST_CLEAN = 0.01
"""Share of rows that may be flagged where no target was planted."""
COLUMNS = ["false share", "found share", "within reach"]

Plant = Callable[[Array, Array, np.random.Generator], Array]
Set = tuple[str, Array, Array]
Line = list[str | int | float]


def moved(y: Array, chosen: Array, rng: np.random.Generator) -> Array:
    """Moved by 2 to 4 standard deviations, to either side."""
    far = rng.choice([-1.0, 1.0], len(chosen)) * rng.uniform(2.0, 4.0, len(chosen))
    return y[chosen] + far * y.std()


def exchanged(y: Array, chosen: Array, rng: np.random.Generator) -> Array:
    """Target of another row."""
    return rng.permutation(y)[chosen]


KINDS: dict[str, Plant] = {
    "moved": moved,
    "ten times": lambda y, chosen, rng: 10.0 * y[chosen],
    "a tenth": lambda y, chosen, rng: 0.1 * y[chosen],
    "sign": lambda y, chosen, rng: -y[chosen],
    "exchanged": exchanged,
}


def plant(y: Array, kind: str, rate: float, seed: int = 0) -> Array:
    """Targets of which a share is wrong."""
    rng = np.random.default_rng([round(1000 * rate), seed, 2])
    noisy, chosen = y.copy(), rng.choice(len(y), round(rate * len(y)), replace=False)
    noisy[chosen] = KINDS[kind](y, chosen, rng)
    return noisy


def made_sets(n_rows: int) -> Iterator[Set]:
    """Targets with noise of a known kind."""
    noises = {
        "normal noise": lambda rng, x: rng.normal(size=len(x)),
        "noise that grows": lambda rng, x: rng.normal(size=len(x)) * (0.1 + np.abs(x)),
        "Laplace noise": lambda rng, x: rng.laplace(size=len(x)),
        "Student noise, 3 df": lambda rng, x: rng.standard_t(3, size=len(x)),
        "skew noise": lambda rng, x: rng.exponential(size=len(x)),
    }
    for name, noise in noises.items():
        rng = np.random.default_rng(1)
        X = rng.normal(size=(n_rows, 4))
        yield name, X, 10.0 + 2.0 * X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * noise(rng, X[:, 0])


def real_sets(most_rows: int, most_sets: int | None) -> Iterator[Set]:
    """Real tables."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", X[:most_rows], y[:most_rows]
    folder = os.environ.get("MARGINBOOST_DATA")
    for name in FOLDER_SETS[:most_sets] if folder else ():
        path = Path(str(folder)) / f"{name}.npz"
        if path.is_file():
            with np.load(path) as arrays:
                X, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.float64)
            rows = np.random.default_rng(0).permutation(len(y))[:most_rows]
            yield name, X[rows], y[rows]


def target_flags(sizes: Sizes) -> Section:
    """False alarms among the rows that the audit flags, and wrong rows that it finds."""
    section = Section("target_flags")
    lines: list[Line] = []
    for name, X, y in real_sets(sizes.target_audit_rows, sizes.audit_sets):
        lines += _measure(name, X, y, list(KINDS))
    for name, X, y in made_sets(sizes.target_audit_rows):
        lines += _measure(name, X, y, ["moved"])
    section.tables, section.goals = _tables(lines), _goals(lines)
    section.notes.append(
        "within reach: largest share of the wrong rows among any number of the most suspect ones "
        "with at most the allowed share of false alarms; moved: by 2 to 4 standard deviations"
    )
    if not os.environ.get("MARGINBOOST_DATA"):
        section.skipped.append("sets of the data folder: MARGINBOOST_DATA is not set")
    return section


def _measure(name: str, X: Array, y: Array, kinds: list[str]) -> list[Line]:
    """One line per kind and rate: set, kind, rate, rows, flagged rows, and the shares."""
    clean: Line = [name, "none", 0.0, len(y), *_flags(X, y, y)]
    planted: list[Line] = [
        [name, kind, rate, len(y), *_flags(X, y, plant(y, kind, rate))]
        for kind in kinds
        for rate in RATES
    ]
    return [clean, *planted]


def _flags(X: Array, y: Array, noisy: Array) -> list[float]:
    """Flagged rows, share of false ones, share of wrong ones found, and within reach."""
    from marginboost import TargetAudit

    audit, wrong = TargetAudit(fdr=FDR).fit(X, noisy), noisy != y
    flagged, n_wrong = audit.flagged_, max(int(wrong.sum()), 1)
    false = float((flagged & ~wrong).sum() / max(flagged.sum(), 1))
    found = float((flagged & wrong).sum() / n_wrong)
    right = np.cumsum(wrong[np.argsort(audit.rank_)])
    count = np.arange(1, len(y) + 1)
    reached = right[(count - right) <= FDR * count]
    return [int(flagged.sum()), false, found, float(reached.max(initial=0) / n_wrong)]


def _tables(lines: list[Line]) -> list[Table]:
    """Means over sets, for every kind and rate; and over rates, for every set and kind."""
    planted = [line for line in lines if line[1] != "none"]
    by_kind = Table(
        f"flagged with fdr={FDR}, mean of all sets", ["wrong targets", "share", *COLUMNS]
    )
    for kind in KINDS:
        for rate in RATES:
            own = [line[5:] for line in planted if line[1] == kind and line[2] == rate]
            by_kind.rows.append([kind, f"{rate:.0%}", *_mean(own)])
    by_set = Table(
        "the same, mean of all kinds and shares",
        ["set", "rows", "flagged of clean ones", *COLUMNS],
    )
    for name in dict.fromkeys(line[0] for line in lines):
        (clean,) = [line for line in lines if line[0] == name and line[1] == "none"]
        own = [line[5:] for line in planted if line[0] == name]
        by_set.rows.append([name, int(clean[3]), int(clean[4]), *_mean(own)])
    return [by_kind, by_set]


def _mean(rows: list[Line]) -> list[float]:
    return [float(value) for value in np.mean(np.array(rows, dtype=float), axis=0)]


def _goals(lines: list[Line]) -> list[Goal]:
    """False alarms as few as asked for, few flags where nothing is wrong, and most of the rest."""
    planted = np.array([line[5:] for line in lines if line[1] != "none"], dtype=float)
    clean = [float(line[4]) / float(line[3]) for line in lines if line[1] == "none"]
    false, found, reach = planted.mean(axis=0)
    return [
        Goal("mean share of false alarms", float(false), "<=", FDR),
        Goal("flagged rows of clean tables, mean share", float(np.mean(clean)), "<=", MOST_CLEAN),
        Goal("wrong rows found / within reach", float(found / reach), ">=", 0.5),
    ]
