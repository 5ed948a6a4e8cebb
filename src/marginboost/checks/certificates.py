"""What every certificate promises: on hostile tables too, it is not false."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import isfinite

import numpy as np

from ..core.certificate import Certificate
from ..core.objective import Objective, TubeGain
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import bounded_weights
from ..oracles.finite import FiniteOracle, matrix_sample
from ..types import Array
from .exact import ExactProblem, exact_optimum, exact_value

ROUNDS = 25
NEAR = (0.3, 0.1 + 0.2, 0.3, float(np.nextafter(0.3, 0.0)))
"""Outputs that differ by rounding, if at all."""


def a_certificate_is_never_false(make_rule: Callable[[], Rule]) -> None:
    """Bounds hold the true optimum between them, computed exactly, and the value is attained.

    On tables of one row to five, with weights between 1e-200 and 1e200, outputs that differ by
    rounding only, and hypotheses that are constant.
    """
    for matrix, y, weights in hostile_tables():
        rule, sample = make_rule(), matrix_sample(matrix, y, weights)
        if refuses(rule, weights):
            continue
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            run = train(sample, FiniteOracle(), rule, max_rounds=ROUNDS)
        check_certificate(rule, run, ExactProblem.of(matrix.T.tolist(), y, weights))


def hostile_tables() -> Iterator[tuple[Array, Array, Array]]:
    """Matrices of hypotheses, labels and weights."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, m = 1 + seed % 5, int(rng.integers(1, 7))
        matrix = rng.choice([-1.0, 1.0], size=(n, m))
        if seed % 4 == 1:
            matrix *= rng.choice(NEAR, size=(n, m))
        if seed % 4 == 2:
            matrix[:, 0] = matrix[0, 0]
        if seed % 4 == 3:
            matrix *= rng.uniform(size=(n, m))
        y = rng.choice([-1, 1], size=n)
        size = rng.choice([0.0, 0.0, 1.0, 6.0, 18.0, 200.0])
        weights = bounded_weights(10.0 ** (size * rng.choice([-1.0, 0.0, 0.0, 1.0], size=n)))
        yield matrix[weights > 0.0], y[weights > 0.0], weights[weights > 0.0]


def refuses(rule: Rule, weights: Array) -> bool:
    """Whether the share of weight that may fall short is below that of the lightest row."""
    nu = getattr(rule.objective, "nu", None)
    return nu is not None and nu < float(weights.min() / weights.sum())


def check_certificate(rule: Rule, run: Run, problem: ExactProblem) -> None:
    """Raise unless the certificate of a run with an exact base learner is true."""
    certificate, objective = run.certificate, rule.objective
    assert not isfinite(certificate.gap) or certificate.lower <= certificate.upper, certificate
    if isinstance(objective, TubeGain):
        problem = replace(problem, unit=problem.spread())
    check_value(objective, run, problem, Fraction(rule.norm(run.ensemble)))
    best = exact_optimum(objective, problem) if certificate.certified else None
    if best is not None:
        off = f"the optimum is {float(best)!r}"
        assert Fraction(certificate.lower) <= best <= Fraction(certificate.upper), (
            f"{certificate}, {off}"
        )


def check_value(objective: Objective, run: Run, problem: ExactProblem, norm: Fraction) -> None:
    """Raise unless the model attains what its certificate says, and not more than the bound."""
    certificate: Certificate = run.certificate
    scores = [Fraction(float(score)) for score in run.scores]
    attained = exact_value(objective, problem, scores, norm)
    if attained is None or not len(run.ensemble):  # the empty model has the margin -1 by definition
        return
    assert abs(attained - Fraction(certificate.value)) <= Fraction(1e-9) * max(
        abs(attained), Fraction(1)
    ), f"{certificate}, the model attains {float(attained)!r}"
