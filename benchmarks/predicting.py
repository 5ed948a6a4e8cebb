"""Scoring many rows with a long stump ensemble: ``predict``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import TEST, Array, quality, synthetic
from .peers import GRADIENT_BOOSTERS, US, Contender, able, warm_up
from .report import Cell, Goal, Section, Table
from .sizes import Sizes
from .timing import interleave, speedup


def predict(sizes: Sizes) -> Section:
    """Score rows, beside the peers, and with short and long ensembles of ours."""
    section = Section("predict")
    contenders, section.skipped = able([US, *GRADIENT_BOOSTERS], "predict")
    warm_up(contenders)
    n_rows, n_features = sizes.predict_shape
    train = synthetic(sizes.predict_train_rows, n_features)
    rows = synthetic(n_rows, n_features, TEST)
    _beside_peers(section, contenders, sizes, train, rows)
    _rounds(section, sizes, train, rows[0])
    section.notes = [
        f"models are fitted to {sizes.predict_train_rows:,} other rows, untimed",
        "our cost follows the features used and, slowly, the distinct thresholds, not the stumps; "
        "thresholds saturate at the cuts between bins, and then time no longer grows",
    ]
    return section


def _score_task(contender: Contender, model: Any, X: Array) -> Callable[[], Array]:
    return lambda: contender.scores(model, X)


def _beside_peers(
    section: Section,
    contenders: list[Contender],
    sizes: Sizes,
    train: tuple[Array, Array],
    rows: tuple[Array, Array],
) -> None:
    longest = max(sizes.predict_rounds)
    models = {c.name: c.fit(*train, longest) for c in contenders}
    tasks = {c.name: _score_task(c, models[c.name], rows[0]) for c in contenders}
    times, scores = interleave(tasks, sizes.repeats)
    what = f"scores of {len(rows[1]):,} rows × {rows[0].shape[1]}, {longest} stumps"
    section.times[what] = times
    columns = ["contender", "best s", "× our time", "stumps", "log loss", "accuracy"]
    table = Table(what, columns)
    for contender in contenders:
        name, model = contender.name, models[contender.name]
        found = quality(contender.log_odds(model, scores[name]), rows[1])
        best = min(times[name])
        cells: list[Cell] = [name, best, best / min(times[US.name]), contender.n_stumps(model)]
        table.rows.append([*cells, found["log_loss"], found["accuracy"]])
    section.tables.append(table)
    section.goals.append(
        Goal(f"{what}: fastest peer / us", speedup(times, US.name), ">=", 10.0, "×")
    )


def _rounds(section: Section, sizes: Sizes, train: tuple[Array, Array], X: Array) -> None:
    models = {str(rounds): US.fit(*train, rounds) for rounds in sizes.predict_rounds}
    tasks = {rounds: _score_task(US, model, X) for rounds, model in models.items()}
    times, _ = interleave(tasks, sizes.repeats)
    what = "our time against the number of stumps"
    section.times[what] = times
    table = Table(what, ["stumps", "best s", "distinct thresholds", "features used"])
    for rounds, model in models.items():
        cuts = {(stump.feature, stump.threshold) for stump in model.estimators_}
        used = {feature for feature, _ in cuts}
        table.rows.append([rounds, min(times[rounds]), len(cuts), len(used)])
    section.tables.append(table)
    first, last = str(min(sizes.predict_rounds)), str(max(sizes.predict_rounds))
    section.goals.append(
        Goal(f"our time, {last} stumps / {first}", min(times[last]) / min(times[first]), unit="×")
    )
