"""From Dask collections to binned rows on the workers, as if one machine had read them.

Each step is one task for every partition, with small facts back to the client: what is in it
(:func:`survey`), which rows count and how much (:func:`weigh`), some rows for the cuts
(:func:`take_numbers`), codes (:func:`make_source`). Categories, classes, weights and cuts are those
that a fit of the whole table finds: cuts come from the same evenly spaced rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import dask.array
import numpy as np
from distributed import Client, Future, get_worker
from sklearn.base import is_classifier

from ..core.parts import Source
from ..core.sample import bounded_weights
from ..data import BinnedMatrix, Table
from ..data.binned import column_ends, count_bins, find_cuts, sample_rows
from ..data.table import Categories, default_names, frame_names, is_frame
from ..data.text_columns import TextFacts, check_text
from ..estimators.base import algorithm_of
from ..fitting.held_back import HeldBack
from ..fitting.inputs import (
    check_weights,
    class_factors,
    class_positions,
    distinct_labels,
    read_labels,
    read_targets,
)
from ..fitting.reading import categorical_columns
from ..kernels.exact import exact_sum
from ..kernels.parallel import resolve_n_jobs, run_blocks
from ..model import Features
from ..types import Array
from ..validation import check_number
from ..warning import warn_user
from .held_back import hold_back
from .pieces import Pieces, Weighed, gather, read_rows, used_rows


class Survey(NamedTuple):
    """What is in a partition.

    Attributes
    ----------
    names : list
        Of its columns.
    categories : list
        For each column None or the categories in it.
    n_rows : int
        Rows.
    nothing : list of bool
        For each column whether all its values are missing, and its type does not say of what.
    text : mapping
        Facts on the columns of text, by number.
    library : str
        Of the rows.
    labels : array
        Classes of the rows with weight; of targets one, 0.
    totals, largest : list
        Exact sum of the weights of each class, and the largest of them.
    """

    names: list[Any]
    categories: Categories
    n_rows: int
    nothing: list[bool]
    text: dict[int, TextFacts]
    library: str
    labels: Array
    totals: list[int]
    largest: list[float]


class Weighing(NamedTuple):
    """How rows are weighed.

    Attributes
    ----------
    classes : array or None
        Classes that have any weight; None of targets.
    factors : array
        On the weights of each class.
    largest, largest_weighed : float
        Largest weight of all rows, as given and with those factors.
    """

    classes: Array | None
    factors: Array
    largest: float
    largest_weighed: float


# -- tasks -----------------------------------------------------------------------------------------


def survey(number: int, *pieces: Any) -> Survey:
    """See what is in a partition of this number, and check it: see :func:`survey_pieces`."""
    try:
        return survey_pieces(*pieces)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error} (in partition {number}, rows and partitions from 0)") from None


def survey_pieces(
    X: Any, y: Any, weights: Any, categorical: Sequence[int] | None, classes: bool
) -> Survey:
    """See what is in pieces of rows, labels and weights, and check them."""
    rows = read_rows(X)
    if isinstance(rows, np.ndarray) and np.isinf(rows).any():
        raise ValueError("X: got infinity, expected finite numbers or NaN")
    names = frame_names(rows) if is_frame(rows) else default_names(rows.shape[1])
    n_rows = int(rows.shape[0])
    table, text = Table.survey(rows, names, categorical)
    nothing = [categorical is None and table.holds_nothing(j) for j in range(len(names))]
    given = np.ones(n_rows) if weights is None else check_weights(weights, n_rows)
    if classes:
        labels = read_labels(y, n_rows)
    else:
        read_targets(y, n_rows)
        labels = np.zeros(n_rows, np.int64)
    present = np.flatnonzero(given > 0.0)
    labels, given = labels[present], given[present]
    found = distinct_labels(labels)
    own = [given[labels == label] for label in found]
    totals = [exact_sum(mine) for mine in own]
    largest = [mine.max() for mine in own]
    facts = table.categories, n_rows, nothing, text, table.library
    return Survey(names, *facts, found, totals, largest)


def weigh(y: Any, weights: Any, how: Weighing) -> Weighed:
    """Rows of a partition that count, positions of their classes or targets, and weights."""
    n_rows = len(y)
    given = np.ones(n_rows)
    if weights is not None:
        given = bounded_weights(check_weights(weights, n_rows), how.largest)
    if how.classes is None:
        labels = read_targets(y, n_rows)
    else:
        own = read_labels(y, n_rows)
        labels = class_positions(how.classes, own)
        given = np.where(np.isin(own, how.classes), given, 0.0)
        if (how.factors != 1.0).any():
            given = bounded_weights(given * how.factors[labels], how.largest_weighed)
    used = np.flatnonzero(given > 0.0)
    return used, labels[used], given[used]


def count_rows(weighed: Weighed) -> tuple[int, float, float]:
    """Rows that count, and their smallest and largest weight."""
    weights = weighed[2]
    return len(weights), weights.min(initial=np.inf), weights.max(initial=-np.inf)


def take_numbers(
    X: Any, weighed: Weighed, some: Array | None, features: Features
) -> tuple[Array, Array]:
    """Some of the rows that count, as numbers, and their weights."""
    used, _, weights = weighed
    used, weights = (used, weights) if some is None else (used[some], weights[some])
    table = used_rows(X, used, features.names, features.categories)
    columns = [np.asarray(table.column(j), np.float64) for j in range(len(features))]
    return np.array(columns), weights


def make_source(X: Any, weighed: Weighed, layout: BinnedMatrix) -> Source:
    """Codes, labels and weights of the rows that count."""
    used, labels, weights = weighed
    n_threads = resolve_n_jobs(get_worker().state.nthreads)
    table = used_rows(X, used, layout.names, layout.categories)
    bins = layout.bin(table.source, n_jobs=n_threads)
    ends = np.array([column_ends(table, bins, j) for j in range(table.n_features)])
    return Source(bins, labels, weights, n_threads, ends)


# -- the client ------------------------------------------------------------------------------------


def align(client: Client, X: Any, y: Any, sample_weight: Any) -> list[Pieces]:
    """Have the partitions made, those of rows, labels and weights side by side."""
    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise ValueError(f"X: got {X.ndim} dimensions, expected 2: rows and columns")
        X = X.rechunk({1: -1})
    collections = {"X": X, "y": y, "sample_weight": sample_weight}
    delayed: dict[str, list[Any]] = {}
    for name, given in collections.items():
        if given is None:
            continue
        if not hasattr(given, "to_delayed"):
            raise TypeError(
                f"{name}: got {type(given).__name__}, expected a Dask array or data frame"
            )
        if isinstance(X, dask.array.Array) and isinstance(given, dask.array.Array):
            known = not np.isnan([*X.chunks[0], *given.chunks[0]]).any()
            if known and len(given) != len(X):
                raise ValueError(f"{name}: got {len(given)} rows for {len(X)} rows of X")
            if known and given.chunks[0] != X.chunks[0]:
                given = given.rechunk({0: X.chunks[0]})
        delayed[name] = list(np.ravel(given.to_delayed()))
        if len(delayed[name]) != len(delayed["X"]):
            raise ValueError(
                f"{name}: got {len(delayed[name])} partitions, expected as many as of X, "
                f"{len(delayed['X'])}"
            )
    futures = client.compute([piece for pieces in delayed.values() for piece in pieces])
    n_parts = len(delayed["X"])
    rows = [futures[start : start + n_parts] for start in range(0, len(futures), n_parts)]
    if sample_weight is None:
        rows.append([None] * len(rows[0]))
    return [Pieces(*pieces) for pieces in zip(*rows, strict=True)]


def has_no_recipe(keys: list[Any], lost: bool = False, dask_scheduler: Any = None) -> bool:
    """Whether the scheduler could not make some of these, or what they are made from, anew.

    Where they are ``lost``, what is still on a worker need not be made.
    """
    known = dask_scheduler.tasks
    if any(key not in known for key in keys):
        return True
    waiting, seen = [known[key] for key in keys], set()
    while waiting:
        task = waiting.pop()
        if task.key in seen:
            continue
        seen.add(task.key)
        if lost and task.who_has:
            continue
        if task.run_spec is None:
            return True
        waiting.extend(task.dependencies)
    return False


def _warn_of_data(client: Client, futures: list[Future]) -> None:
    """Warn where rows could not be made anew; what they are made from must be on the cluster."""
    if client.run_on_scheduler(has_no_recipe, [future.key for future in futures]):
        warn_user(
            "X: got rows that were put on the cluster as data (scatter): those that a lost worker "
            "held cannot be made anew, and the fit would end with an error"
        )


def find_features(surveys: list[Survey], named: bool) -> Features:
    """Names of the columns, the same in all partitions, and all categories of all of them."""
    names = surveys[0].names
    for number, found in enumerate(surveys):
        if found.names != names:
            raise ValueError(
                f"X: partition {number} has the columns {found.names[:8]}, expected those of the "
                f"first one, {names[:8]}"
            )
    categories: Categories = []
    text: dict[int, TextFacts] = {}
    for j in range(len(names)):
        own = [found.categories[j] for found in surveys if not found.nothing[j]]
        if any((one is None) != (own[0] is None) for one in own):
            raise ValueError(
                f"X: column {names[j]!r} holds categories in some partitions and numbers in others"
            )
        known = [one for one in own if one is not None]
        categories.append(_union(known) if known else None)
        facts = [found.text[j] for found in surveys if j in found.text]
        if facts:
            text[j] = reduce(or_, facts)
    check_text(names, surveys[0].library, text, categories)
    return Features(list(names) if named else default_names(len(names)), categories, named)


def _union(categories: list[Array]) -> Array:
    """Categories of all partitions, sorted; as they came where they have no order."""
    values = list(dict.fromkeys(value for one in categories for value in one.tolist()))
    kinds = {one.dtype for one in categories if len(one)} or {np.dtype(object)}
    found = np.array(values, dtype=np.result_type(*kinds))
    try:
        return np.sort(found)
    except TypeError:
        return found


def find_weighing(surveys: list[Survey], class_weight: Any, classes: bool) -> Weighing:
    """How rows are weighed, as in a fit of the whole table."""
    text = {isinstance(one.labels.tolist()[0], str) for one in surveys if len(one.labels)}
    if len(text) > 1:
        raise ValueError(
            "y: got text in some partitions and numbers in others, expected labels of one kind"
        )
    labels = distinct_labels(np.concatenate([found.labels for found in surveys]))
    if not len(labels):
        raise ValueError("sample_weight: got only zeros, expected at least one positive weight")
    totals, largest = [0] * len(labels), np.zeros(len(labels))
    for found in surveys:
        for label, total, most in zip(found.labels, found.totals, found.largest, strict=True):
            k = int(np.flatnonzero(labels == label)[0])
            totals[k] += total
            largest[k] = max(largest[k], most)
    factors = class_factors(class_weight, labels, totals)
    most = float(largest.max())
    weighed = float((bounded_weights(largest, most) * factors).max())
    labels, factors = labels[factors > 0.0], factors[factors > 0.0]
    if classes and len(labels) == 1:
        raise ValueError(
            f"y: got one class ({labels.tolist()[0]!r}) among the rows of positive weight, "
            "expected two classes or more"
        )
    return Weighing(labels if classes else None, factors, most, weighed)


def find_layout(
    client: Client,
    pieces: list[Pieces],
    weighed: list[Future],
    facts: list[tuple[int, float, float]],
    features: Features,
    model: Any,
) -> BinnedMatrix:
    """Cuts from the rows that a fit of the whole table takes them from; no rows.

    ``facts`` are those of :func:`count_rows`.
    """
    counts, least, most = (np.array(fact) for fact in zip(*facts, strict=True))
    rows, ends = sample_rows(int(counts.sum())), np.cumsum(counts)
    some: list[Array | None] = [None] * len(counts)
    if rows is not None:
        sides = np.searchsorted(rows, ends)
        some = [
            mine - start
            for mine, start in zip(np.split(rows, sides[:-1]), ends - counts, strict=True)
        ]
    taken = gather(
        client,
        [
            client.submit(take_numbers, piece.X, mine, chosen, features, pure=False)
            for piece, mine, chosen in zip(pieces, weighed, some, strict=True)
        ],
    )
    columns = np.concatenate([columns for columns, _ in taken], axis=1)
    uniform = least.min() == most.max()
    weights = None if uniform else np.concatenate([weights for _, weights in taken])
    cuts: list[Array] = [np.empty(0)] * len(features)

    def find(j: int) -> None:
        if features.categories[j] is None:
            cuts[j] = find_cuts(columns[j], model.max_bins, weights)

    run_blocks(find, len(cuts), resolve_n_jobs(model.n_jobs))
    widest = max(count_bins(*pair) for pair in zip(cuts, features.categories, strict=True))
    codes = np.empty((len(features), 0), np.min_scalar_type(widest))
    return BinnedMatrix(codes, cuts, list(features.categories), list(features.names))


class BinnedTable(NamedTuple):
    """A table whose binned rows are on the cluster.

    Attributes
    ----------
    features : Features
        Names and kinds of its columns.
    layout : BinnedMatrix
        Cuts; no rows.
    classes : array or None
        The labels; None of targets.
    sources : list of Future
        A :class:`~marginboost.core.parts.Source` for every partition that has rows which count.
    held : HeldBack, optional
        Rows held back from a second fit, where the estimator makes one.
    """

    features: Features
    layout: BinnedMatrix
    classes: Array | None
    sources: list[Future]
    held: HeldBack | None = None


def bin_table(client: Client, model: Any, X: Any, y: Any, sample_weight: Any) -> BinnedTable:
    """Have the workers bin a table by the settings of an estimator, labels and weights with it."""
    check_number("max_bins", model.max_bins, at_least=2, integer=True)
    classes, columns = is_classifier(model), list(getattr(X, "columns", ()))
    named = bool(columns) and all(isinstance(name, str) for name in columns)
    pieces = align(client, X, y, sample_weight)
    names = columns if named else default_names(len(columns) or int(X.shape[1]))
    categorical = categorical_columns(model.categorical_features, names)
    surveys = gather(
        client,
        [
            client.submit(survey, number, *piece, categorical, classes, pure=False)
            for number, piece in enumerate(pieces)
        ],
    )
    inputs = [piece.X for piece in pieces]
    pieces = [piece for piece, found in zip(pieces, surveys, strict=True) if len(found.labels)]
    surveys = [found for found in surveys if found.n_rows]
    if not surveys:
        raise ValueError(f"X: got 0 rows, expected at least {model.__fewest_rows__}")
    features = find_features(surveys, named)
    how = find_weighing(surveys, getattr(model, "class_weight", None), classes)
    weighed = [client.submit(weigh, piece.y, piece.weights, how, pure=False) for piece in pieces]
    facts = gather(client, client.map(count_rows, weighed, pure=False))
    some = [k for k, (n_rows, _, _) in enumerate(facts) if n_rows]
    pieces, weighed = [pieces[k] for k in some], [weighed[k] for k in some]
    facts = [facts[k] for k in some]
    layout = find_layout(client, pieces, weighed, facts, features, model)
    sources = [
        client.submit(make_source, piece.X, mine, layout, pure=False)
        for piece, mine in zip(pieces, weighed, strict=True)
    ]
    _warn_of_data(client, inputs)  # while rows are binned
    held = None
    if how.classes is not None and algorithm_of(model).calibrated:
        rows = [piece.X for piece in pieces]
        held = hold_back(client, rows, weighed, features, len(how.classes))
    return BinnedTable(features, layout, how.classes, sources, held)
