"""Fits beside the peers: ``stumps`` against gradient boosters, ``sklearn_adaboost`` against it."""

from __future__ import annotations

from typing import Any

from .data import TEST, Array, quality, synthetic
from .peers import GRADIENT_BOOSTERS, US, Contender, SklearnAdaBoost, able, warm_up
from .report import Cell, Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup

COLUMNS = [
    "contender",
    "best s",
    "all s",
    "× our time",
    "stumps",
    "test log loss",
    "test accuracy",
]


def stumps(sizes: Sizes) -> Section:
    """Fit stumps from raw arrays, and on data binned beforehand."""
    section = Section("stumps")
    warm_up(able([US, *GRADIENT_BOOSTERS], "raw")[0])
    for shape in sizes.stump_shapes:
        train, test = synthetic(*shape), synthetic(sizes.test_rows, shape[1], TEST)
        for task in ("raw", "binned"):
            _race(section, task, 5.0, sizes, train, test)
    section.skipped = list(dict.fromkeys(section.skipped))
    section.notes.append(
        "gradient boosters fit both sides' values to the logistic loss, AdaBoost one coefficient "
        "to the exponential loss: compare accuracies; the log loss shows that work was done"
    )
    return section


def _race(
    section: Section,
    task: str,
    target: float,
    sizes: Sizes,
    train: tuple[Array, Array],
    test: tuple[Array, Array],
) -> None:
    """Time all who can do the task on one data set, and judge the goal."""
    contenders, skipped = able([US, *GRADIENT_BOOSTERS], task)
    section.skipped += skipped
    tasks = {c.name: _fit_task(c, task, train, sizes.stump_rounds) for c in contenders}
    times, models = interleave(tasks, sizes.repeats)
    n_rows, n_features = train[0].shape
    start = "from raw arrays" if task == "raw" else "training alone, on binned data"
    what = f"{sizes.stump_rounds} stumps, {n_rows:,} × {n_features}, {start}"
    section.times[what] = times
    section.tables.append(Table(what, COLUMNS, contender_rows(contenders, times, models, test)))
    section.goals.append(
        Goal(f"{what}: fastest peer / us", speedup(times, US.name), ">=", target, "×")
    )


def _fit_task(contender: Contender, task: str, train: tuple[Array, Array], rounds: int) -> Any:
    if task == "raw":
        return lambda: contender.fit(*train, rounds)
    binned = contender.bin(*train)
    return lambda: contender.fit_binned(binned, rounds)


def contender_rows(
    contenders: list[Contender],
    times: dict[str, list[float]],
    models: dict[str, Any],
    test: tuple[Array, Array],
) -> list[list[Cell]]:
    """One row a contender: times, and what its model is worth on rows it has not seen."""
    ours = min(times[US.name])
    rows: list[list[Cell]] = []
    for contender in contenders:
        seconds, model = times[contender.name], models[contender.name]
        scores = contender.log_odds(model, contender.scores(model, test[0]))
        found = quality(scores, test[1])
        rows.append(
            [
                contender.name,
                min(seconds),
                " ".join(f"{second:.3g}" for second in seconds),
                min(seconds) / ours,
                contender.n_stumps(model),
                found["log_loss"],
                found["accuracy"],
            ]
        )
    return rows


def sklearn_adaboost(sizes: Sizes) -> Section:
    """Compare the same algorithm in scikit-learn, on fewer rows: it takes very long."""
    section = Section("sklearn_adaboost")
    peer, rounds = SklearnAdaBoost(), sizes.adaboost_rounds
    X, y = synthetic(*sizes.adaboost_shape)
    test = synthetic(sizes.test_rows, X.shape[1], TEST)
    warm_up([US, peer])
    tasks = {
        US.name: lambda: US.fit(X, y, rounds),
        peer.name: lambda: peer.fit(X, y, rounds),
    }
    times, models = interleave(tasks, min(sizes.repeats, 2))
    what = f"{rounds} rounds, {X.shape[0]:,} × {X.shape[1]}"
    section.times[what] = times
    table = Table(what, [*COLUMNS, "training error"])
    for row, contender in zip(
        contender_rows([US, peer], times, models, test), (US, peer), strict=True
    ):
        model = models[contender.name]
        scores = contender.log_odds(model, contender.scores(model, X))
        table.rows.append([*row, 1.0 - quality(scores, y)["accuracy"]])
    section.tables.append(table)
    section.goals = [
        Goal(
            f"{what} each, binning included: sklearn / us",
            speedup(times, US.name),
            ">=",
            100.0,
            "×",
        )
    ]
    section.notes = [
        f"measured at {what}: scikit-learn at 1,000,000 × 28 and 100 rounds takes very long",
        "same algorithm, slightly different stumps: scikit-learn's minimise Gini impurity over "
        "every distinct value, ours the weighted error over at most 255 bins",
    ]
    return section
