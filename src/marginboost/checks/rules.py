"""What every rule promises."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..core.callbacks import Callback
from ..core.checkpoint import Checkpoint
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..core.types import Array
from ..losses import Loss
from ..oracles.finite import FiniteOracle, matrix_sample
from ..solvers.margin_lp import solve_margin_lp, solve_priced_margin_lp
from .contract import Check

MakeRule = Callable[[], Rule]
ROUNDS = 40
MOVING = "loss within a length"
"""Objective whose bounds are about the present Σα, and move with it."""


def check_rule(make_rule: MakeRule) -> Iterator[Check]:
    """Yield the checks for a rule; ``make_rule()`` makes a fresh one."""
    promises = (
        bounds_hold_in_every_round,
        scores_are_the_vote_of_the_members,
        weights_are_a_signed_distribution,
        runs_repeat,
        a_weight_of_two_is_two_rows,
        history_has_a_row_a_round,
        an_interrupted_run_goes_on,
    )
    for promise in promises:
        yield Check(promise, make_rule)


def _problems() -> Iterator[tuple[Array, Array]]:
    """Small matrices of hypotheses: easy, hard, real-valued."""
    for seed, p in enumerate((0.8, 0.6, 0.5)):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(25) < 0.5, 1, -1)
        outcomes = np.where(rng.random((25, 40)) < p, 1.0, -1.0)
        yield y[:, None] * outcomes, y
        yield y[:, None] * outcomes * rng.uniform(0.2, 1.0, (25, 40)), y


def _run(make_rule: MakeRule, sample: Sample, callbacks: tuple[Callback, ...] = ()) -> Run:
    return train(sample, FiniteOracle(), make_rule(), max_rounds=ROUNDS, callbacks=callbacks)


def _optimum(rule: Rule, outcomes: Array, length: float) -> float:
    """Best value of the rule's objective, by an independent solver."""
    if rule.objective == "margin":
        return solve_margin_lp(outcomes).value
    if rule.objective == "soft margin":
        return solve_margin_lp(outcomes, rule.nu).value  # type: ignore[attr-defined]
    if rule.objective == "priced margin":
        C: float = rule.C  # type: ignore[attr-defined]
        return 1.0 - solve_priced_margin_lp(outcomes, C).objective / len(outcomes)
    if rule.objective == "regularised loss":
        return _most_loss_saved(rule.loss, rule.C, outcomes)  # type: ignore[attr-defined]
    if rule.objective == "training loss":
        return 1.0  # what any scores could save: no loss is below 0
    if rule.objective == MOVING:
        return _most_loss_saved_within(rule.loss, length, outcomes)  # type: ignore[attr-defined]
    if rule.objective == "squared loss":
        left = np.linalg.lstsq(outcomes, np.ones(len(outcomes)), rcond=None)[0]
        return 1.0 - float(np.mean((outcomes @ left - 1.0) ** 2))
    raise AssertionError(f"no independent solver is known for the objective {rule.objective!r}")


def _risk(loss: Loss, outcomes: Array, C: float = 0.0) -> Callable[[Array], tuple[float, Array]]:
    """Return the function from coefficients to ``C Σα + Σ loss`` and its gradient."""
    labels = np.ones(len(outcomes))

    def risk(coef: Array) -> tuple[float, Array]:
        t = loss.argument(labels, outcomes @ coef)
        slope = C - loss.signed(labels, loss.dual(t)) @ outcomes
        return float(C * coef.sum() + loss.value(t).sum()), slope

    return risk


def _most_loss_saved(loss: Loss, C: float, outcomes: Array) -> float:
    """``1 - P(α) / P(0)`` at the least ``P = C Σα + Σ loss``, α >= 0, by a quasi-Newton method."""
    options = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 100_000}
    return _least(_risk(loss, outcomes, C), outcomes.shape[1], method="L-BFGS-B", options=options)


def _most_loss_saved_within(loss: Loss, length: float, outcomes: Array) -> float:
    """``1 - P(α) / P(0)`` at the least loss with α >= 0, Σα <= length, by quadratic programs."""
    m = outcomes.shape[1]
    shorter = {
        "type": "ineq",
        "fun": lambda coef: length - coef.sum(),
        "jac": lambda coef: -np.ones(m),
    }
    options = {"ftol": 1e-12, "maxiter": 1000}
    return _least(_risk(loss, outcomes), m, method="SLSQP", constraints=shorter, options=options)


def _least(risk: Callable[[Array], tuple[float, Array]], m: int, **settings: Any) -> float:
    """Share of ``risk(0)`` that the best coefficients, none negative, save."""
    from scipy.optimize import minimize

    start = np.zeros(m)
    result = minimize(risk, start, jac=True, bounds=[(0.0, None)] * m, **settings)
    return 1.0 - float(result.fun) / risk(start)[0]


def _problems_of(rule: Rule, lengths: Array) -> Iterator[tuple[slice, float]]:
    """Rounds whose bounds are about one problem, with the Σα that it allows: some, if it moves."""
    if rule.objective != MOVING:
        yield slice(None), np.inf
        return
    for t in np.unique(np.linspace(0, len(lengths) - 1, 3, dtype=int)):
        yield slice(t, t + 1), float(lengths[t])


def bounds_hold_in_every_round(make_rule: MakeRule) -> None:
    """Lower bound ≤ optimum ≤ upper bound, from independent solvers over all hypotheses (C16)."""
    for matrix, y in _problems():
        rule, run = make_rule(), _run(make_rule, matrix_sample(matrix, y))
        slack = 1e-7 if rule.objective == MOVING else 1e-9  # accuracy of the other solver
        for rounds, length in _problems_of(rule, run.history["length"]):
            best = _optimum(rule, y[:, None] * matrix, length)
            assert (run.history["lower"][rounds] <= best + slack).all()
            assert (run.history["upper"][rounds] >= best - slack).all()
        assert run.certificate.value <= run.certificate.lower + 1e-9


def scores_are_the_vote_of_the_members(make_rule: MakeRule) -> None:
    """``scores == Σ coef h`` at the end."""
    for matrix, y in _problems():
        run = _run(make_rule, matrix_sample(matrix, y))
        assert run.sample.rows is not None
        np.testing.assert_allclose(run.scores, run.ensemble.scores(run.sample.rows), atol=1e-10)


def weights_are_a_signed_distribution(make_rule: MakeRule) -> None:
    """``dual = y d`` with d >= 0 and Σd = 1; residuals of targets may have either sign."""
    for matrix, y in _problems():
        run = _run(make_rule, matrix_sample(matrix, y))
        residuals = make_rule().objective == "squared loss"
        weights = np.abs(run.dual) if residuals else run.dual * y
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(), 1.0, atol=1e-10)


def runs_repeat(make_rule: MakeRule) -> None:
    """The same sample gives the same model, bit for bit."""
    for matrix, y in _problems():
        first, second = (_run(make_rule, matrix_sample(matrix, y)) for _ in range(2))
        assert first.ensemble.members == second.ensemble.members
        np.testing.assert_array_equal(first.ensemble.coef, second.ensemble.coef)


def a_weight_of_two_is_two_rows(make_rule: MakeRule) -> None:
    """Prior weights and copies of rows mean the same."""
    for matrix, y in _problems():
        counts = np.random.default_rng(0).integers(1, 4, size=len(y))
        weighted = _run(make_rule, matrix_sample(matrix, y, counts))
        copied = _run(make_rule, matrix_sample(matrix.repeat(counts, axis=0), y.repeat(counts)))
        rule = make_rule()
        if rule.columns_per_round > 1 or rule.objective != "margin":
            # Totally corrective: solutions need not be unique, values are.
            slack = max(weighted.certificate.gap, copied.certificate.gap) + 1e-8
            assert abs(weighted.certificate.value - copied.certificate.value) <= slack
            continue
        first = min(len(weighted.ensemble), len(copied.ensemble), 5)
        np.testing.assert_allclose(
            weighted.ensemble.coef[:first], copied.ensemble.coef[:first], rtol=1e-8
        )


def history_has_a_row_a_round(make_rule: MakeRule) -> None:
    """One row a round; bounds only ever improve."""
    for matrix, y in _problems():
        history = _run(make_rule, matrix_sample(matrix, y)).history
        assert 1 <= len(history) <= ROUNDS
        moving = make_rule().objective == MOVING
        assert (np.diff(history["lower"]) >= (-1e-12 if moving else 0)).all()
        if not moving:
            assert (np.diff(history["upper"]) <= 0).all()


class _Interrupt(Callback):
    def __init__(self, at: int) -> None:
        self.at = at

    def on_round(self, state: State) -> Stop | None:
        """Fail as a crash would."""
        if state.round == self.at:
            raise KeyboardInterrupt
        return None


def an_interrupted_run_goes_on(make_rule: MakeRule) -> None:
    """A run resumed from a checkpoint ends with the same model, bit for bit."""
    for matrix, y in _problems():
        sample = matrix_sample(matrix, y)
        whole = _run(make_rule, sample)
        json.dumps(make_rule().get_state(), allow_nan=False)
        if len(whole.history) < 3:
            continue
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = Checkpoint(Path(folder) / "run.json", every=1)
            half = len(whole.history) // 2
            try:
                _run(make_rule, sample, (checkpoint, _Interrupt(half)))
            except KeyboardInterrupt:
                resumed = _run(make_rule, sample, (checkpoint,))
        np.testing.assert_array_equal(whole.ensemble.coef, resumed.ensemble.coef)
        assert whole.ensemble.members == resumed.ensemble.members
        np.testing.assert_array_equal(whole.dual, resumed.dual)
