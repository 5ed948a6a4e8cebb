"""``robust``: who predicts best when some of the labels to learn from are wrong.

Labels of real tables are flipped on purpose; errors are counted on other rows, with their true
labels. All contenders have their defaults, but one thread each: threads that wait spin, which would
count as their time. Results go to ``docs/results/robust.json.gz`` after every
case: an interrupted run goes on where it was, ``--minutes`` ends one in time, and ``--again NAME``
measures a contender anew in all cases, beside what the others had.
``python -m benchmarks.robust_docs`` writes the tables of the documents from that file, and from
that of ``python -m benchmarks.robust_times``, which has the times.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path
from typing import Any

import numpy as np

from marginboost_experiments.packed import read_json, write_json

from .data import Array
from .environment import ROOT, environment
from .report import Goal, Section, Table
from .robust_sets import DESIGN, Split, cells, names, split
from .sizes import Sizes

RESULTS = ROOT / "docs" / "results" / "robust.json.gz"
OURS = "RobustBoostClassifier"
CLEANLAB = "cleanlab, LightGBM"
PACKAGES = ("scikit-learn", "lightgbm", "xgboost", "catboost", "cleanlab", "numpy")


def contenders(n_jobs: int | None = 1) -> dict[str, Callable[[], Any]]:
    """What is installed, by name, with defaults on so many threads; None is each one's default."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    from marginboost import GradientBoostClassifier, RobustBoostClassifier, SoftmaxBoostClassifier

    def ours(n_classes: int) -> Any:
        return (GradientBoostClassifier if n_classes == 2 else SoftmaxBoostClassifier)(
            n_jobs=n_jobs
        )

    def forest() -> Any:
        return RandomForestClassifier(300, n_jobs=n_jobs, random_state=0)

    made: dict[str, Any] = {
        OURS: lambda k: RobustBoostClassifier(n_jobs=n_jobs),
        "our gradient boosting": ours,
        "random forest": lambda k: forest(),
        "HistGradientBoosting": lambda k: HistGradientBoostingClassifier(random_state=0),
    }
    if util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        made["LightGBM"] = lambda k: LGBMClassifier(verbose=-1, n_jobs=n_jobs)
    if util.find_spec("xgboost"):
        from xgboost import XGBClassifier

        made["XGBoost"] = lambda k: XGBClassifier(n_jobs=n_jobs)
    if util.find_spec("catboost"):
        from catboost import CatBoostClassifier

        quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": n_jobs}
        made["CatBoost"] = lambda k: CatBoostClassifier(**quiet)
    if util.find_spec("cleanlab"):
        from cleanlab.classification import CleanLearning

        made["cleanlab, forest"] = lambda k: CleanLearning(forest(), seed=0)
        if "LightGBM" in made:
            made[CLEANLAB] = lambda k: CleanLearning(made["LightGBM"](k), seed=0)
    return made


def robust(sizes: Sizes) -> Section:
    """Mean error and rank at every rate of wrong labels."""
    section, path = Section("robust"), sizes.robust_results or RESULTS
    found = _read(path)
    if sizes.again:
        _forget(found["results"], sizes.again, sizes.robust_rows)
    made = contenders()
    started = time.monotonic()
    grid = list(cells(sizes.robust_rates, sizes.robust_kinds, sizes.robust_splits))
    grid = [cell for cell in grid if cell[0] in names()[: sizes.robust_sets]]
    for name, kind, rate, number in _begun_first(grid, found["results"], sizes.robust_rows):
        if sizes.minutes and time.monotonic() - started > 60.0 * sizes.minutes:
            section.skipped.append(f"what comes after {sizes.minutes:g} minutes: run it again")
            break
        data = split(name, kind, rate, number, sizes.robust_rows)
        for model, maker in made.items():
            place = f"{_case(name, kind, rate, number, sizes.robust_rows)}|{model}"
            if place not in found["results"]:
                found["results"][place] = _measure(maker, data)
        found["environment"] = environment()
        found["versions"].update(_versions())
        write_json(path, found)
    from .robust_times import recorded, time_goals  # here, not above: it times these contenders

    section.tables, section.goals = summary(found["results"])
    times = recorded()
    if times is not None:
        section.goals += time_goals(times)
    section.notes.append(f"design sets: {', '.join(DESIGN)}; all others only judge")
    return section


def _case(name: str, kind: str, rate: float, number: int, most_rows: int) -> str:
    return f"{name}|{kind}|{rate:g}|{number}|{most_rows}"


def _forget(results: dict[str, Any], model: str, most_rows: int) -> None:
    """Take out what a contender had with so many rows."""
    if model not in contenders():
        raise SystemExit(f"--again: got {model!r}, expected one of {', '.join(contenders())}")
    for place in [p for p in results if p.endswith(f"|{most_rows}|{model}")]:
        del results[place]


def _begun_first(grid: list[Any], results: dict[str, Any], most_rows: int) -> list[Any]:
    """Cases in their order, but those that lack only some contenders before all others."""
    begun = {place.rpartition("|")[0] for place in results}
    return sorted(grid, key=lambda cell: _case(*cell, most_rows) not in begun)


def _read(path: Path) -> dict[str, Any]:
    if path.is_file():
        found: dict[str, Any] = read_json(path)
        return found
    return {"versions": {}, "results": {}}


def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in PACKAGES if util.find_spec(_module(name))}


def _module(package: str) -> str:
    return "sklearn" if package == "scikit-learn" else package


def _measure(maker: Any, data: Split) -> list[float] | str:
    """Error in percent, seconds and processor seconds of a fit; or why there is none."""
    started, used = time.perf_counter(), time.process_time()
    try:
        model = fit_quietly(maker, data)
        times = time.perf_counter() - started, time.process_time() - used
        predicted = np.asarray(model.predict(_filled(data.X, data.X_test)[1])).ravel()
    except Exception as error:  # a peer that cannot do it is no reason to stop
        return f"{type(error).__name__}: {error}"[:200]
    return [
        round(100.0 * float(np.mean(predicted != data.y_test)), 3),
        *np.round(times, 3).tolist(),
    ]


def fit_quietly(maker: Any, data: Split, n_threads: int | None = 1) -> Any:
    """Fit a contender, on so many threads or its own number, whatever it has to say."""
    from threadpoolctl import threadpool_limits

    X = _filled(data.X, data.X_test)[0]
    with warnings.catch_warnings(), threadpool_limits(n_threads):  # for those without n_jobs
        warnings.simplefilter("ignore")
        return maker(int(data.noisy.max()) + 1).fit(X, data.noisy)


def _filled(X: Array, X_test: Array) -> tuple[Array, Array]:
    """Medians in place of missing values, for all alike: not all contenders take gaps."""
    missing = np.isnan(X).all(axis=0)
    middle = np.nanmedian(np.where(missing, 0.0, X), axis=0)
    return tuple(np.where(np.isnan(part), middle, part) for part in (X, X_test))  # type: ignore


# -- what the numbers say --------------------------------------------------------------------------


def complete(results: dict[str, Any]) -> dict[tuple[str, ...], dict[str, list[float]]]:
    """Cases that every contender has finished: set, kind, rate, split and rows, then contender."""
    found: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for place, measured in results.items():
        if not isinstance(measured, str):
            *case, model = place.split("|")
            found.setdefault(tuple(case), {})[model] = measured
    most = max((len(models) for models in found.values()), default=0)
    return {case: models for case, models in found.items() if len(models) == most}


def by_rate(results: dict[str, Any], kind: str, sets: Callable[[str], bool]) -> Table:
    """Mean error, and mean rank in brackets, at each rate."""
    from scipy.stats import rankdata

    cases = {
        case: models
        for case, models in complete(results).items()
        if case[1] in (kind, "uniform" if float(case[2]) == 0 else kind) and sets(case[0])
    }
    rates = sorted({case[2] for case in cases}, key=float)
    rows: dict[str, list[Any]] = {}
    mean: dict[str, float] = {}
    for rate in rates:
        here = [models for case, models in cases.items() if case[2] == rate]
        order = list(here[0])
        errors = np.array([[models[m][0] for m in order] for models in here])
        ranks = np.mean([rankdata(row) for row in errors], axis=0)
        for model, error, rank in zip(order, errors.mean(axis=0), ranks, strict=True):
            rows.setdefault(model, []).append(f"{error:.2f} ({rank:.1f})")
            mean[model] = mean.get(model, 0.0) + float(error)
    table = Table(
        f"{kind} flips: error in % (rank), {len({c[0] for c in cases})} sets, {len(cases)} cases",
        ["model", *(f"{float(rate):.0%}" for rate in rates)],
    )
    table.rows = [[m, *rows[m]] for m in sorted(rows, key=lambda m: mean[m])]
    return table


def refused(results: dict[str, Any]) -> dict[str, int]:
    """Cases that are left out, by the contender that could not do them."""
    found: dict[str, int] = {}
    for place, measured in results.items():
        if isinstance(measured, str):
            model = place.rpartition("|")[2]
            found[model] = found.get(model, 0) + 1
    return found


def by_size(results: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Results by the most rows that are learnt from, ascending: one grid each."""
    parts: dict[int, dict[str, Any]] = {}
    for place, measured in results.items():
        parts.setdefault(int(place.split("|")[4]), {})[place] = measured
    return dict(sorted(parts.items()))


def summary(results: dict[str, Any]) -> tuple[list[Table], list[Goal]]:
    """Tables for every size and kind of flips, and the goals."""
    tables, goals = [], []
    for most_rows, part in by_size(results).items():
        for kind in sorted({case[1] for case in complete(part)}, reverse=True):
            for about, sets in SETS.items():
                table = by_rate(part, kind, sets)
                if table.rows:
                    table.title = f"at most {most_rows:,} rows, {about}, {table.title}"
                    tables.append(table)
        goals += _goals(part, most_rows)
    return tables, goals


SETS: dict[str, Callable[[str], bool]] = {
    "all sets": lambda name: True,
    "sets that only judge": lambda name: name not in DESIGN,
}


def _goals(results: dict[str, Any], most_rows: int) -> list[Goal]:
    """Error and rank beside the best other, for all kinds of flips together and for each."""
    cases = complete(results)
    kinds = sorted({case[1] for case in cases}, reverse=True)
    goals = []
    for kind in ("all kinds", *(kinds if len(kinds) > 1 else ())):
        for rate in sorted({case[2] for case in cases}, key=float):
            here = [m for c, m in cases.items() if c[2] == rate and kind in ("all kinds", c[1])]
            if not here or (float(rate) == 0.0 and kind != "all kinds"):
                continue
            error, rank = _beside_the_best(here)
            what = f"at most {most_rows:,} rows, {kind}, {float(rate):.0%} flips"
            allowed = 0.2 if float(rate) == 0.0 else 0.0
            goals.append(Goal(f"{what}: points above the best other", error, "<=", allowed))
            if float(rate) > 0.0:
                goals.append(Goal(f"{what}: mean rank beside the best other's", rank, "<=", 0.0))
    return goals


def _beside_the_best(cases: list[dict[str, list[float]]]) -> tuple[float, float]:
    """Our mean error and rank less those of the best other, each."""
    from scipy.stats import rankdata

    order = list(cases[0])
    errors = np.array([[models[m][0] for m in order] for models in cases])
    ours, others = order.index(OURS), [k for k, m in enumerate(order) if m != OURS]
    means, ranks = errors.mean(axis=0), np.mean([rankdata(row) for row in errors], axis=0)
    return float(means[ours] - means[others].min()), float(ranks[ours] - ranks[others].min())
