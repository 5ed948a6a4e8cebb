"""The rows of one run: a sample made from the rows of a fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.callbacks import Encoder
from ..core.label_parts import PartedLabels
from ..core.labels import LabelByLabel, LabelSample, own_labels
from ..core.parts import PartedSample
from ..core.queries import QuerySample
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..kernels.parallel import resolve_n_jobs
from ..model import BinaryModel, ClassModel, LabelModel, Model
from ..model.features import FeatureRows
from ..types import Array
from .algorithm import Algorithm
from .inputs import known_positions, read_labels, read_targets, read_weights
from .rows import NO_OPTIONS, SIGNS, Options, TrainingRows


class Problem(NamedTuple):
    """What one run learns from.

    Attributes
    ----------
    sample : Sample
        Rows with weight, with signs ±1 or targets.
    used : array or slice
        Which rows of the table these are; a slice where all are.
    n_rows : int
        Rows of the table.
    signs : array
        Signs of all rows of the table, 0 of rows that are left out; positions of classes where one
        run learns all of them; targets.
    encode : callable
        Reads further rows and their labels for this run, for callbacks.
    options : Options
        Validation rows of the run, and a run to go on from.
    classes : array or None
        Labels of the model that the run makes; None of targets.
    """

    sample: Sample
    used: Array | slice
    n_rows: int
    signs: Array
    encode: Encoder
    options: Options
    classes: Array | None = None

    @property
    def has_all(self) -> bool:
        """Whether the sample has all rows of the table."""
        return isinstance(self.used, slice)

    @property
    def mask(self) -> Array:
        """Which rows of the table are in the sample."""
        mask = np.zeros(self.n_rows, dtype=bool)
        mask[self.used] = True
        return mask


def binned(algorithm: Algorithm, rows: TrainingRows) -> TrainingRows:
    """Same rows with bins, where the base learner needs them: several runs share them."""
    if not isinstance(rows.rows, Table) or rows.bins is not None or not algorithm.oracle.needs_bins:
        return rows
    used = rows.present
    table = rows.rows if len(used) == len(rows.weights) else rows.rows.take(used)
    return replace(rows, bins=algorithm.settings.bin(table, rows.weights[used]))


def two_sides(algorithm: Algorithm, rows: TrainingRows, sides: Array, classes: Array) -> Problem:
    """Problem that tells the classes on side +1 from those on side -1.

    Classes on side 0 are left out. Rows without a label (position -1) take part with the sign 0.
    """
    options = rows.options.judged_by(lambda known: known.of_sides(sides))
    encode = _encode_sides(rows, sides)
    if rows.parts is not None:
        assert isinstance(rows.rows, BinnedMatrix)
        seed = algorithm.settings.seed()
        sample: Sample = PartedSample.of(rows.parts, rows.rows, sides, seed)
        return Problem(sample, slice(None), 0, np.empty(0, np.int8), encode, options, classes)
    assert rows.codes is not None
    signs, takes_part = sides[rows.codes].astype(np.int8), rows.weights > 0
    unlabelled = rows.codes < 0 if rows.codes.dtype != np.int8 else None
    if unlabelled is not None and unlabelled.any():
        signs[unlabelled] = 0
        takes_part &= unlabelled | (signs != 0)
    else:
        takes_part &= signs != 0
    used = np.flatnonzero(takes_part)
    shared = _shared(algorithm, rows, used)
    sample = Sample.of_labels(signs[used], rows.weights[used], **shared)
    whole = len(used) == len(signs)  # rows may be many: no list of all of them is kept
    place = slice(None) if whole else used
    return Problem(sample, place, len(signs), signs, encode, options, classes)


def all_labels(algorithm: Algorithm, rows: TrainingRows) -> Problem:
    """Problem of all classes in one run, on (example, label) rows."""
    kind, n_classes = algorithm.label_rows, len(rows.labels)
    assert kind is not None
    options = rows.options.judged_by(lambda known: known.of_labels(n_classes))
    encode = _encode_labels(rows)
    if rows.parts is not None:
        if kind is not LabelByLabel:
            raise TypeError(
                f"{algorithm.name} makes rows of pairs of classes, which it cannot do on rows "
                "in parts; SoftmaxBoostClassifier and AdaBoostClassifier can"
            )
        assert isinstance(rows.rows, BinnedMatrix)
        seed = algorithm.settings.seed()
        parted = PartedLabels.of_parts(rows.parts, rows.rows, n_classes, seed)
        return Problem(parted, slice(None), 0, np.empty(0, np.int64), encode, options, rows.classes)
    assert rows.codes is not None
    used = rows.present
    shared = _shared(algorithm, rows, used)
    sample: LabelSample = kind.of_classes(
        rows.codes[used].astype(np.int64), n_classes, rows.weights[used], **shared
    )
    n_rows = len(rows.codes)
    place = slice(None) if len(used) == n_rows else used
    return Problem(sample, place, n_rows, rows.codes, encode, options, rows.classes)


def one_target(algorithm: Algorithm, rows: TrainingRows) -> Problem:
    """Problem of one target for each row, or of the relevances of rows within queries."""
    if rows.parts is not None:
        assert isinstance(rows.rows, BinnedMatrix)
        seed = algorithm.settings.seed()
        parted = PartedSample.of(rows.parts, rows.rows, None, seed)
        return Problem(parted, slice(None), 0, np.empty(0), rows.read_more, rows.options)
    assert rows.targets is not None
    used = rows.present
    shared = _shared(algorithm, rows, used)
    kind: type[Sample] = Sample
    if rows.queries is not None:
        kind, shared["queries"] = QuerySample, rows.queries[used]
    sample = kind.of_targets(rows.targets[used], rows.weights[used], **shared)
    n_rows = len(rows.targets)
    return Problem(sample, used, n_rows, rows.targets, rows.read_more, rows.options)


def _shared(algorithm: Algorithm, rows: TrainingRows, used: Array) -> dict[str, Any]:
    """Rows, bins, seed and threads of a sample of the rows ``used``."""
    settings, table, weights, bins = algorithm.settings, rows.rows, rows.weights, rows.bins
    if bins is not None and len(used) < bins.n_rows:
        bins = bins.take(np.searchsorted(rows.present, used))
    if len(used) < table.n_rows:
        table, weights = table.take(used), weights[used]
    if isinstance(table, BinnedMatrix):
        bins = table
    elif bins is None and algorithm.oracle.needs_bins:
        bins = settings.bin(table, weights)
    threads = resolve_n_jobs(settings.n_jobs)
    return {"rows": table, "bins": bins, "seed": settings.seed(), "n_threads": threads}


# -- further rows, for callbacks -------------------------------------------------------------------


def _encode_sides(rows: TrainingRows, sides: Array) -> Encoder:
    def encode(X: Any, y: Any) -> tuple[FeatureRows, Array]:
        more, codes = rows.read_more(X, y)
        signs = sides[codes]
        used = np.flatnonzero(signs)
        return (more if len(used) == len(signs) else more.take(used)), signs[used]

    return encode


def _encode_labels(rows: TrainingRows) -> Encoder:
    def encode(X: Any, y: Any) -> tuple[FeatureRows, Array]:
        more, codes = rows.read_more(X, y)
        return more, np.where(own_labels(codes, len(rows.labels)), 1, -1).astype(np.int8)

    return encode


# -- problems for checks ---------------------------------------------------------------------------


def smallest_problem(algorithm: Algorithm, model: Model) -> Problem:
    """Smallest problem of the kind that a model of one run solved, to make a rule for."""
    if algorithm.label_rows is not None and isinstance(model, LabelModel):
        n_classes = len(model.classes)
        codes = np.arange(n_classes)
        sample = algorithm.label_rows.of_classes(codes, n_classes, np.ones(n_classes))
        return Problem(
            sample, slice(None), n_classes, codes, _no_more_rows, NO_OPTIONS, model.classes
        )
    if isinstance(model, ClassModel):
        signs = np.array([-1, 1], np.int8)
        pair = Sample.of_labels(signs)
        return Problem(pair, slice(None), 2, signs, _no_more_rows, NO_OPTIONS, model.classes)
    pair = Sample.of_targets(np.array([0.0, 1.0]))
    return Problem(pair, slice(None), 2, pair.y, _no_more_rows, NO_OPTIONS)


def problem_on(
    algorithm: Algorithm, model: Model, rows: FeatureRows, y: Any, sample_weight: Any
) -> Problem:
    """Problem that a fit of a model of two classes, or of targets, to these rows would solve.

    With it anybody can check a certificate without trust in the fit.
    """
    weights, features = read_weights(sample_weight, rows.n_rows), model.features
    if not isinstance(model, BinaryModel):
        found = read_targets(y, rows.n_rows)
        training = TrainingRows(features, rows, weights, _no_more_rows, targets=found)
        return one_target(algorithm, training)
    classes, codes = model.classes, known_positions(model.classes, read_labels(y, rows.n_rows))
    training = TrainingRows(features, rows, weights, _no_more_rows, classes=classes, codes=codes)
    return two_sides(algorithm, training, SIGNS, classes)


def _no_more_rows(X: Any, y: Any) -> tuple[FeatureRows, Array]:
    """Refuse further rows: a problem that is only checked has no callbacks."""
    raise TypeError("callbacks: a problem that is only checked reads no further rows")
