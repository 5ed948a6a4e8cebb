"""What every rule promises."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..core.callbacks import Callback
from ..core.checkpoint import Checkpoint
from ..core.hypothesis import hypothesis_from_dict
from ..core.loop import boost
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..oracles.finite import FiniteOracle, matrix_sample
from ..types import Array
from .certificates import a_certificate_is_never_false
from .contract import Check
from .optimum import attained, optimum

MakeRule = Callable[[], Rule]
ROUNDS = 40
COMPARED = 5
"""Rounds in which a run on weighted rows is compared with one on copies: rounding grows."""
PROVEN = ("edge", "upper")
FIELDS = (*PROVEN, "lower", "coef", "min_margin", "length", "loss")


def check_rule(make_rule: MakeRule) -> Iterator[Check]:
    """Yield the checks for a rule; ``make_rule()`` makes a fresh one."""
    promises = (
        bounds_hold_in_every_round,
        the_value_is_that_of_the_model,
        a_certificate_is_never_false,
        a_model_agrees_with_most_labels,
        scores_are_the_vote_of_the_members,
        weights_are_a_signed_distribution,
        runs_repeat,
        a_weight_of_two_is_two_rows,
        history_has_a_row_a_round,
        an_interrupted_run_goes_on,
        a_used_rule_remembers_nothing_else,
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


def _run(rule: Rule, sample: Sample, *callbacks: Callback) -> Run:
    return train(sample, FiniteOracle(), rule, max_rounds=ROUNDS, callbacks=callbacks)


def _run_watched(make_rule: MakeRule, sample: Sample) -> tuple[Run, _Watch]:
    watch = _Watch()
    return _run(make_rule(), sample, watch), watch


@lru_cache(maxsize=1)
def _plain_runs(make_rule: MakeRule) -> list[tuple[Array, Array, Run, _Watch]]:
    """Return a run on every problem; the checks of a rule follow one another and share them."""
    return [
        (matrix, y, *_run_watched(make_rule, matrix_sample(matrix, y))) for matrix, y in _problems()
    ]


class _Watch(Callback):
    """Keeps the weights of every round, and whether the rule works with all columns at once."""

    def __init__(self) -> None:
        self.duals: list[Array] = []
        self.pooled = False

    def on_round(self, state: State) -> Stop | None:
        """Copy the weights; note whether a pool of columns is kept."""
        self.duals.append(state.dual.copy())
        self.pooled = state.pool is not None
        return None


# -- bounds and values ---------------------------------------------------------------------------


def _bounded(rule: Rule, l1_norms: Array) -> Iterator[tuple[slice, float]]:
    """Rounds whose bounds are about one problem, with the Σα that it allows: two, if it moves."""
    if not rule.objective.moves:
        yield slice(None), np.inf
        return
    for t in np.unique([0, len(l1_norms) - 1]):
        yield slice(t, t + 1), float(l1_norms[t])


def bounds_hold_in_every_round(make_rule: MakeRule) -> None:
    """Lower bound ≤ optimum ≤ upper bound, from independent solvers over all hypotheses.

    See R1-C16.
    """
    for matrix, y, run, _ in _plain_runs(make_rule):
        rule = make_rule()
        slack = 1e-7 if rule.objective.moves else 1e-9  # accuracy of the other solver
        for rounds, l1_norm in _bounded(rule, run.history["length"]):
            best = optimum(rule.objective, y[:, None] * matrix, l1_norm, y)
            assert (run.history["lower"][rounds] <= best + slack).all()
            assert (run.history["upper"][rounds] >= best - slack).all()
        assert run.certificate.value <= run.certificate.lower + 1e-9


def the_value_is_that_of_the_model(make_rule: MakeRule) -> None:
    """The certificate's value follows from the definition of the objective, at the model's vote."""
    for _, y, run, _ in _plain_runs(make_rule):
        rule = make_rule()
        value = attained(rule.objective, y, run.scores, rule.norm(run.ensemble))
        np.testing.assert_allclose(run.certificate.value, value, rtol=1e-6, atol=1e-7)


def a_model_agrees_with_most_labels(make_rule: MakeRule) -> None:
    """Where hypotheses are right on four rows of five, so is a model on more than half.

    A price may be so high that no model is best.
    """
    _, y, run, _ = _plain_runs(make_rule)[0]
    assert not len(run.ensemble) or np.mean(y * run.scores > 0.0) > 0.5


def scores_are_the_vote_of_the_members(make_rule: MakeRule) -> None:
    """``scores == Σ coef h`` at the end."""
    for _, _, run, _ in _plain_runs(make_rule):
        assert run.sample.rows is not None
        np.testing.assert_allclose(run.scores, run.ensemble.scores(run.sample.rows), atol=1e-10)


def history_has_a_row_a_round(make_rule: MakeRule) -> None:
    """One row per round; bounds only ever improve."""
    for _, _, run, watch in _plain_runs(make_rule):
        history = run.history
        assert 1 <= len(history) <= ROUNDS
        assert len(history) == len(watch.duals)
        moving = make_rule().objective.moves
        assert (np.diff(history["lower"]) >= (-1e-12 if moving else 0)).all()
        if not moving:
            assert (np.diff(history["upper"]) <= 0).all()


# -- weights -------------------------------------------------------------------------------------


def weights_are_a_signed_distribution(make_rule: MakeRule) -> None:
    """``dual = y d`` with d >= 0 and Σd = 1 in every round; of residuals, d has either sign."""
    signed = make_rule().objective.signed
    for _, y, _, watch in _plain_runs(make_rule):
        for dual in watch.duals:
            weights = np.abs(dual) if signed else dual * y
            assert (weights >= 0).all()
            np.testing.assert_allclose(weights.sum(), 1.0, atol=1e-10)


def a_weight_of_two_is_two_rows(make_rule: MakeRule) -> None:
    """Prior weights and copies of rows mean the same.

    The first edge is the same to rounding, and the value of the model is that on the copies. For a
    rule that adds hypothesis by hypothesis the rounds that follow are the same too. One that solves
    for all coefficients at once may find others: values agree at the end as far as its bounds say.
    """
    for matrix, y in _problems():
        counts = np.random.default_rng(0).integers(1, 4, size=len(y))
        weighted, watch = _run_watched(make_rule, matrix_sample(matrix, y, counts))
        copies = matrix.repeat(counts, axis=0), y.repeat(counts)
        copied = _run(make_rule(), matrix_sample(*copies))
        scores, norm = weighted.scores.repeat(counts), make_rule().norm(weighted.ensemble)
        value = attained(make_rule().objective, copies[1], scores, norm)
        np.testing.assert_allclose(weighted.certificate.value, value, rtol=1e-6, atol=1e-7)
        rounds = min(1 if watch.pooled else COMPARED, len(weighted.history), len(copied.history))
        for name in PROVEN if watch.pooled else FIELDS:
            ours, theirs = (run.history[name][:rounds] for run in (weighted, copied))
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7, err_msg=name)
        if watch.pooled:
            slack = max(weighted.certificate.gap, copied.certificate.gap) + 1e-8
            assert abs(weighted.certificate.value - copied.certificate.value) <= slack


# -- repetition ----------------------------------------------------------------------------------


def _same(one: Run, other: Run) -> None:
    """Raise unless two runs ended with the same model, bit for bit."""
    assert one.ensemble.members == other.ensemble.members
    np.testing.assert_array_equal(one.ensemble.coef, other.ensemble.coef)
    np.testing.assert_array_equal(one.dual, other.dual)
    for name in FIELDS:
        np.testing.assert_array_equal(one.history[name], other.history[name], err_msg=name)


def runs_repeat(make_rule: MakeRule) -> None:
    """The same sample gives the same model, bit for bit."""
    for matrix, y, run, _ in _plain_runs(make_rule):
        _same(run, _run(make_rule(), matrix_sample(matrix, y)))


class _Interrupt(Callback):
    def __init__(self, at: int) -> None:
        self.at = at

    def on_round(self, state: State) -> Stop | None:
        """Fail as a crash would."""
        if state.round == self.at:
            raise KeyboardInterrupt
        return None


def _resumed(make_rule: MakeRule, sample: Sample, interruptions: list[int]) -> Run:
    """Interrupt a run after each of these rounds, and let another rule take it up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        for at in interruptions:
            try:
                _run(make_rule(), sample, Checkpoint(path, every=at), _Interrupt(at))
            except KeyboardInterrupt:
                continue
            raise AssertionError(f"the run was not interrupted after round {at}")
        return _run(make_rule(), sample, Checkpoint(path))


def an_interrupted_run_goes_on(make_rule: MakeRule) -> None:
    """A run resumed from checkpoints, twice, ends with the same model, bit for bit."""
    for _, _, whole, _ in _plain_runs(make_rule):
        json.dumps(make_rule().get_state(), allow_nan=False)
        thirds = {len(whole.history) // 3, 2 * len(whole.history) // 3} - {0}
        if thirds:
            _same(whole, _resumed(make_rule, whole.sample, sorted(thirds)))


class _SavedRun(Callback):
    """Writes a run down after a round, as a checkpoint does, and ends it."""

    saves_state = True

    def __init__(self, rule: Rule, at: int) -> None:
        self.rule, self.at = rule, at
        self.text = ""

    def on_round(self, state: State) -> Stop | None:
        """Write state and rule down in the one round."""
        if state.round == self.at:
            self.text = json.dumps([state.snapshot(), self.rule.get_state()])
            return Stop.CALLBACK
        return None


def _taken_up(rule: Rule, sample: Sample, text: str) -> State:
    """Let a rule go on with what was written down."""
    snapshot, saved = json.loads(text)
    state = State(sample)
    state.restore(snapshot, [hypothesis_from_dict(member) for member in snapshot["members"]])
    rule.set_state(saved)
    rule.start(state)
    boost(state, FiniteOracle().bind(sample), rule, max_rounds=ROUNDS)
    return state


def a_used_rule_remembers_nothing_else(make_rule: MakeRule) -> None:
    """A rule that was used on another sample takes up a run as a fresh one does, bit for bit."""
    used = make_rule()
    for matrix, y in _problems():
        sample, rule = matrix_sample(matrix, y), make_rule()
        saved = _SavedRun(rule, 2)
        _run(rule, sample, saved)
        if not saved.text:  # it was over before
            continue
        fresh, again = (_taken_up(r, sample, saved.text) for r in (make_rule(), used))
        assert fresh.coef == again.coef
        assert fresh.members == again.members
        np.testing.assert_array_equal(fresh.dual, again.dual)
        for name in FIELDS:
            np.testing.assert_array_equal(fresh.history[name], again.history[name], err_msg=name)
