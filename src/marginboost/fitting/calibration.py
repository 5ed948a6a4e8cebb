"""Probabilities of a model whose scores are no log-odds: a second, smaller fit, and a sigmoid.

Votes on the rows of a fit look better than they are. So a second fit with the same settings and
choices learns from two thirds of the rows, and its votes on the others give the slope of the
sigmoid (:mod:`.sigmoid`); its offsets come from the votes of the first fit on all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.run import train
from ..kernels.parallel import resolve_n_jobs
from ..model import BinaryModel, ClassModel, FittedRun, ReducedModel
from ..types import Array
from .algorithm import Algorithm
from .problem import Problem, binned, two_sides
from .rows import SIGNS, TrainingRows
from .runs import PLUS_MINUS, Fitted
from .sigmoid import ANY_GAP, LEAST_GAP, fit_sigmoid, hold_back, refit_offsets


def calibrate(fitted: Fitted, rows: TrainingRows) -> ClassModel:
    """Model with a sigmoid that was fitted to votes, on rows held back where there are enough."""
    model, n_jobs = fitted.model, fitted.algorithm.settings.n_jobs
    assert isinstance(model, BinaryModel | ReducedModel)
    present = rows.weights > 0
    codes, weights = rows.truth, rows.weights
    all_rows = model.votes(rows.rows, n_jobs)[present], codes[present], weights[present]
    thirds = hold_back(rows.rows, codes, weights, resolve_n_jobs(n_jobs))
    smaller = None if thirds is None else _fit_smaller(fitted, rows, thirds[0])
    if thirds is None or smaller is None:
        return replace(model, link=fit_sigmoid(*all_rows))
    judge = thirds[1]
    unseen = smaller.votes(rows.rows.take(np.flatnonzero(judge)), n_jobs)
    link = fit_sigmoid(unseen, codes[judge], weights[judge])
    return replace(model, link=refit_offsets(link, *all_rows))


def _fit_smaller(fitted: Fitted, rows: TrainingRows, learn: Array) -> ClassModel | None:
    """Model of some rows, in all else like the model of all rows; None where they are too few."""
    weights = np.where(learn, rows.weights, 0.0)
    weights *= rows.weights.sum() / weights.sum()  # as much as all: a price C is one per row
    algorithm, model = fitted.algorithm, fitted.model
    part = binned(algorithm, replace(rows, weights=weights, bins=None))
    try:
        if isinstance(model, BinaryModel):
            return _fit_again(algorithm, two_sides(algorithm, part, SIGNS, part.labels), model)
        assert isinstance(model, ReducedModel)
        problems = []
        for problem, sides in zip(fitted.problems, model.code.T, strict=True):
            own, before = problem.algorithm, problem.model
            assert isinstance(before, BinaryModel)
            problems.append(_fit_again(own, two_sides(own, part, sides, PLUS_MINUS), before))
        return replace(model, problems=tuple(problems))
    except ValueError:  # a ν that so few rows do not allow
        return None


def _fit_again(algorithm: Algorithm, problem: Problem, before: BinaryModel) -> BinaryModel:
    """Fit other rows with what the first fit chose, for as many rounds."""
    rule = algorithm.rule(problem, before.chosen)
    # A run that began with many hypotheses had few rounds.
    n_rounds, size = len(before.run.history), len(before.run.ensemble)
    found = -(-size // rule.columns_per_round)
    rounds, tol = max(1, n_rounds, found), algorithm.gap
    if rule.begin_like(problem.n_rows, found > n_rounds, problem.sample):
        rounds, tol = 1, ANY_GAP
    tol = None if tol is None else max(tol, LEAST_GAP)
    run = train(problem.sample, algorithm.oracle, rule, max_rounds=rounds, tol=tol)
    return replace(before, run=FittedRun.of(algorithm.conclude(run)))
