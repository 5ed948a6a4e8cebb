"""Whether a certificate is true, by other hands: rational arithmetic, and plain bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from marginboost.checks.exact import ExactProblem, exact_optimum, exact_value, tube_cost
from marginboost.core import Callback, Ensemble
from marginboost.core.objective import Objective, TubeGain, TubeShare
from marginboost.oracles import StumpOracle

EXACT_ROWS = 8
"""Rows up to which the optimum itself is computed."""
MOST_COLUMNS = 60
"""Different hypotheses up to which it is."""


class Witness(Callback):
    """Remembers samples, base learners and rules of all runs of a fit."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any, Any, Objective]] = []

    def on_start(self, state: Any, oracle: Any, rule: Any, max_rounds: int) -> None:
        """Keep them, and the objective as it is now: a rule may be used again."""
        self.seen.append((state, oracle, rule, rule.objective))

    def run_of(self, fitted: Any) -> tuple[Any, Any, Any, Objective] | None:
        """What is known of a fitted run: its history is the same object."""
        return next((seen for seen in self.seen if seen[0].history is fitted.history), None)

    def __copy__(self) -> Witness:
        return self

    def __deepcopy__(self, memo: Any) -> Witness:
        return self


def lies(witness: Witness, fitted: Any, weights: Any, unit: float) -> list[str]:
    """What is false in the certificate of a fitted run."""
    certificate, seen = fitted.certificate, witness.run_of(fitted)
    found = []
    if certificate.certified:
        if not np.isfinite([certificate.lower, certificate.upper, certificate.value]).all():
            found.append("a number is not finite")
        elif certificate.lower > certificate.upper:
            found.append("the bounds cross")
    elif "contradict" in certificate.reason:  # told to users, but an error here
        found.append("the bounds cross")
    if not found and seen is not None and np.isfinite(fitted.ensemble.coef).all():
        state, oracle, rule, objective = seen
        prior = weights if weights is not None and len(weights) == len(state.sample.y) else None
        problem, scores, norm = exact_parts(
            state.sample, oracle, rule, fitted.ensemble, prior, unit
        )
        found = [
            *untrue_of_the_model(objective, certificate, problem, scores, norm),
            *(
                untrue_of_the_optimum(objective, certificate, problem)
                if certificate.certified
                else ()
            ),
        ]
    return [f"FALSE: {what}: {certificate}" for what in found]


def untrue_of_the_model(
    objective: Objective,
    certificate: Any,
    problem: ExactProblem,
    scores: list[Fraction],
    norm: Fraction,
) -> list[str]:
    """Where the exact value of the model is another one, or above the upper bound."""
    attained = exact_value(objective, problem, scores, norm)
    if attained is None:
        return []
    found, told = [], f"the model attains {float(attained):.17g}"
    size = max(abs(attained), _scale(objective, problem, scores), 1)
    short = attained - Fraction(certificate.value)
    if abs(short) > Fraction(1e-9) * size and (any(scores) or short < 0):  # of no vote it is -1
        found.append(told)
    if certificate.certified and attained > Fraction(certificate.upper):
        off = float(attained - Fraction(certificate.upper))
        found.append(f"{told}, {off:.3g} above the upper bound")
    return found


def untrue_of_the_optimum(
    objective: Objective, certificate: Any, problem: ExactProblem
) -> list[str]:
    """Where the optimum is outside of the bounds, computed exactly on small problems."""
    lower, upper = Fraction(certificate.lower), Fraction(certificate.upper)
    found = []
    if _of_shares(objective) and not (upper >= 0 and lower <= _all_there_is(objective, problem)):
        found.append("nothing at all saves 0, and nothing saves more than all")
    if len(problem.y) <= EXACT_ROWS and problem.columns:
        best = exact_optimum(objective, problem)
        if best is not None and not lower <= best <= upper:
            off = float(max(lower - best, best - upper))
            found.append(f"the optimum is {float(best):.17g}, {off:.3g} outside")
    return found


def _of_shares(objective: Objective) -> bool:
    """Whether the empty model, or the best constant, has the value 0 and nothing more than 1."""
    words = ("loss", "priced", "squared norm", "saved")
    return any(word in objective.name for word in words) or isinstance(objective, TubeGain)


def _all_there_is(objective: Objective, problem: ExactProblem) -> Fraction:
    """What a model without losses saves: all of a share, in units of the spread all that there is.

    More than the largest difference of targets no constant costs.
    """
    if isinstance(objective, TubeGain) and not isinstance(objective, TubeShare):
        return (max(problem.y) - min(problem.y)) / problem.unit
    return Fraction(1)


def _scale(objective: Objective, problem: ExactProblem, scores: list[Fraction]) -> Fraction:
    """Size of the numbers that a gain is the difference of, in units of the gain."""
    if not isinstance(objective, TubeGain):
        return Fraction(1)
    largest = max(abs(y) + abs(score) for y, score in zip(problem.y, scores, strict=True))
    if not isinstance(objective, TubeShare):
        return largest / problem.unit
    constant = tube_cost(objective, problem, with_hypotheses=False)
    return largest / constant if constant else Fraction(1)


def exact_parts(
    sample: Any, oracle: Any, rule: Any, ensemble: Ensemble, weights: Any, unit: float
) -> tuple[ExactProblem, list[Fraction], Fraction]:
    """The problem of a run, and the exact scores and norm of its model."""
    shares = sample.prior if weights is None else weights / weights.sum()
    given = np.allclose(shares, sample.prior, rtol=1e-9, atol=0.0)  # an audit may change them
    prior = weights if weights is not None and given else sample.prior
    problem = ExactProblem.of(all_columns(sample, oracle), sample.y, prior, unit)
    scores, norm = [Fraction(0)] * len(sample.y), Fraction(0)
    for coef, member in zip(ensemble.coef, ensemble.members, strict=True):
        column = sample.column(member)
        alone = Ensemble((member,), np.array([coef]))
        norm += Fraction(rule.norm(alone))
        weight = Fraction(float(coef))
        scores = [s + weight * Fraction(float(h)) for s, h in zip(scores, column, strict=True)]
    return problem, scores, norm


def all_columns(sample: Any, oracle: Any) -> list[Any]:
    """Outputs of all stumps; nothing for other base learners, and where there are categories."""
    if not isinstance(oracle, StumpOracle) or sample.bins is None:
        return []
    bins, columns = sample.bins, set()
    if any(known is not None for known in bins.categories):
        return []
    for codes, n_bins in zip(bins.codes, bins.n_bins, strict=True):
        for cut in range(max(int(n_bins) - 1, 1)):
            sides = np.where(codes >= n_bins, 2, np.where(codes > cut, 1, 0))
            for outputs in product((-1.0, 1.0), repeat=3):
                columns.add(tuple(np.array(outputs)[sides]))
            if len(columns) > MOST_COLUMNS:
                return []
    return sorted(columns)
