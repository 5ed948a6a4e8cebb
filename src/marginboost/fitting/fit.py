"""The one way from checked rows to a fitted model."""

from __future__ import annotations

from dataclasses import replace

from .algorithm import Algorithm
from .calibration import calibrate
from .problem import all_labels, one_target, two_sides
from .reduction import ONE_VS_REST, Reduction
from .rows import SIGNS, TrainingRows
from .runs import Fitted, fit_code, fit_run, fit_targets


def fit(algorithm: Algorithm, rows: TrainingRows, reduction: Reduction = ONE_VS_REST) -> Fitted:
    """Learn from checked rows.

    Parameters
    ----------
    algorithm : Algorithm
        What to run.
    rows : TrainingRows
        Rows, with classes, targets or queries.
    reduction : Reduction
        How more than two classes become problems of two, where the algorithm solves those.
    """
    algorithm.check_rows(rows)
    if rows.classes is None:
        if rows.truth.ndim == 2:
            return fit_targets(algorithm, rows)
        return fit_run(algorithm, one_target(algorithm, rows), rows)
    if algorithm.label_rows is not None:
        return fit_run(algorithm, all_labels(algorithm, rows), rows)
    if len(rows.classes) == 2:
        if reduction is not ONE_VS_REST:
            reduction.check_two_classes()
        found = fit_run(algorithm, two_sides(algorithm, rows, SIGNS, rows.classes), rows)
    else:
        found = fit_code(algorithm, rows, reduction)
    if algorithm.calibrated:
        return replace(found, model=calibrate(found, rows))
    return found
