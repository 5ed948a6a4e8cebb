"""Scoring rows: ``predict``. Many rows with stumps and with trees, and one row at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .data import TEST, Array, quality, synthetic
from .gradient import contenders
from .peers import GRADIENT_BOOSTERS, US, Contender, able, warm_up
from .report import Cell, Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup


def predict(sizes: Sizes) -> Section:
    """Score rows, beside the peers, and with short and long ensembles of ours."""
    section = Section("predict")
    racing, section.skipped = able([US, *GRADIENT_BOOSTERS], "predict")
    warm_up(racing)
    train = synthetic(sizes.predict_train_rows, sizes.predict_shapes[0][1])
    models = {c.name: c.fit(*train, max(sizes.predict_rounds)) for c in racing}
    for shape in sizes.predict_shapes:
        rows = synthetic(*shape, TEST)
        _beside_peers(section, racing, sizes, models, rows)
    _rounds(section, sizes, train, rows[0])
    _trees(section, sizes, train)
    _one_row(section, sizes, train)
    section.notes = [
        f"models are fitted to {sizes.predict_train_rows:,} other rows, untimed",
        "our cost follows the features used, not the stumps",
    ]
    return section


def _score_task(contender: Contender, model: Any, X: Array) -> Callable[[], Array]:
    return lambda: contender.scores(model, X)


def _beside_peers(
    section: Section,
    racing: list[Contender],
    sizes: Sizes,
    models: dict[str, Any],
    rows: tuple[Array, Array],
) -> None:
    longest = max(sizes.predict_rounds)
    tasks = {c.name: _score_task(c, models[c.name], rows[0]) for c in racing}
    times, scores = interleave(tasks, sizes.repeats)
    what = f"scores of {len(rows[1]):,} rows × {rows[0].shape[1]}, {longest} stumps"
    section.times[what] = times
    columns = ["contender", "best s", "× our time", "stumps", "log loss", "accuracy"]
    table = Table(what, columns)
    for contender in racing:
        name, model = contender.name, models[contender.name]
        found = quality(contender.log_odds(model, scores[name]), rows[1])
        best = min(times[name])
        cells: list[Cell] = [name, best, best / min(times[US.name]), contender.n_stumps(model)]
        table.rows.append([*cells, found["log_loss"], found["accuracy"]])
    section.tables.append(table)
    section.goals.append(
        Goal(f"{what}: fastest peer / us", speedup(times, US.name), ">=", 20.0, "×")
    )


def _trees(section: Section, sizes: Sizes, train: tuple[Array, Array]) -> None:
    """Score single-precision rows with trees; peers are those of ``gradient``."""
    racing, skipped = able(contenders(), "predict")
    section.skipped += skipped
    models = {c.name: c.fit(*train, sizes.predict_trees) for c in racing}
    X = synthetic(sizes.predict_tree_rows, train[0].shape[1], TEST)[0].astype(np.float32)
    tasks = {c.name: _score_task(c, models[c.name], X) for c in racing}
    for task in tasks.values():
        task()  # compiles kernels, and makes tables
    times, _ = interleave(tasks, sizes.repeats)
    what = f"scores of {X.shape[0]:,} rows × {X.shape[1]}, {sizes.predict_trees} trees"
    section.times[what] = times
    table = Table(what, ["contender", "best s", "× our time", "trees"])
    for c in racing:
        best, ours = min(times[c.name]), min(times[US.name])
        table.rows.append([c.name, best, best / ours, c.n_stumps(models[c.name])])
    section.tables.append(table)
    section.goals.append(
        Goal(f"{what}: fastest peer / us", speedup(times, US.name), ">=", 2.0, "×")
    )


def _one_row(section: Section, sizes: Sizes, train: tuple[Array, Array]) -> None:
    """Score the same row again and again, each time as a call of its own."""
    rounds, row = max(sizes.predict_rounds), train[0][:1].copy()
    table = Table("one row", ["model", "contender", "best ms"])
    for what, racing, number in (
        (f"{rounds} stumps", [US, *GRADIENT_BOOSTERS], rounds),
        (f"{sizes.predict_trees} trees", contenders(), sizes.predict_trees),
    ):
        tasks = {}
        for contender in able(racing, "predict")[0]:
            tasks[contender.name] = _score_task(contender, contender.fit(*train, number), row)
            tasks[contender.name]()
        times = section.times[f"one row, {what}"] = {
            name: [_seconds(task) for _ in range(50)] for name, task in tasks.items()
        }
        table.rows += [[what, name, 1e3 * min(taken)] for name, taken in times.items()]
        ours = 1e3 * min(times[US.name])
        section.goals.append(Goal(f"one row, {what}", ours, "<=", 0.2, " ms"))
    section.tables.append(table)


def _seconds(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def _rounds(section: Section, sizes: Sizes, train: tuple[Array, Array], X: Array) -> None:
    models = {str(rounds): US.fit(*train, rounds) for rounds in sizes.predict_rounds}
    tasks = {rounds: _score_task(US, model, X) for rounds, model in models.items()}
    times, _ = interleave(tasks, sizes.repeats)
    what = "our time against the number of stumps"
    section.times[what] = times
    table = Table(what, ["stumps", "best s", "distinct thresholds", "features used"])
    shares = []
    for rounds, model in models.items():
        cuts = {(stump.feature, stump.threshold) for stump in model.estimators_}
        used = {feature for feature, _ in cuts}
        table.rows.append([rounds, min(times[rounds]), len(cuts), len(used)])
        shares.append(min(times[rounds]) / len(used))
    section.tables.append(table)
    first, *_, last = models
    what = f"our time for each feature used, {last} stumps / {first}"
    section.goals.append(Goal(what, shares[-1] / shares[0], "<=", 1.25))
