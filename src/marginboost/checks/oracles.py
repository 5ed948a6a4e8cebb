"""What every oracle promises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.hypothesis import hypothesis_from_dict
from ..core.labels import LabelByLabel, LabelPairs, LabelSample, RightOrWrong
from ..core.oracle import Candidate, Oracle
from ..core.sample import Sample
from ..core.weights import Reweighting, Weights
from ..data import BinnedMatrix, Table
from ..oracles.label_trees import LabelOracle
from ..types import Array
from .contract import Check

ROWS = 60
SAMPLES = (LabelByLabel, RightOrWrong, LabelPairs)
STEP = 0.3
"""Step of a change of weights."""


def check_oracle(oracle: Oracle) -> Iterator[Check]:
    """Yield the checks for an unbound oracle, of two classes or of several."""
    promises = (
        outputs_are_bounded,
        edges_are_those_of_the_columns,
        candidates_come_largest_edge_first,
        columns_are_the_outputs_on_the_rows,
        negated_hypotheses_are_negated,
        calls_repeat,
        only_its_state_is_remembered,
        hypotheses_survive_as_data,
        an_exact_oracle_misses_nothing,
        curvature_matters_if_it_says_so,
        bins_are_needed_if_it_says_so,
        known_changes_make_no_difference,
    )
    for promise in promises:
        yield Check(promise, oracle)


def _table(seed: int) -> Table:
    """Rows in [-1, 1], so that a matrix oracle can read them too."""
    rng = np.random.default_rng(seed)
    return Table(rng.integers(-4, 5, size=(ROWS, 4)) / 4.0, [f"x{j}" for j in range(4)])


def _sample(oracle: Oracle, seed: int) -> Sample:
    """Labels -1 and +1, or three classes in the form that the oracle takes."""
    table, rng = _table(seed), np.random.default_rng([seed, 1])
    scores = table.dense(0, ROWS)[:, 0] + rng.normal(size=ROWS)
    parts: dict[str, Any] = {"rows": table, "bins": BinnedMatrix.from_table(table, n_jobs=1)}
    if not isinstance(oracle, LabelOracle):
        return Sample.of_labels(np.where(scores > 0, 1, -1), **parts)
    labels = np.digitize(scores, [-0.5, 0.5])
    for kind in (*SAMPLES[seed:], *SAMPLES):
        sample: LabelSample = kind.of_classes(labels, 3, np.ones(ROWS), **parts)
        try:
            oracle.bind(sample)
        except (TypeError, ValueError):
            continue
        return sample
    raise AssertionError("it takes no sample of several classes")


def _weights(sample: Sample, seed: int) -> Weights:
    rng = np.random.default_rng([seed, 2])
    sizes = rng.exponential(size=len(sample.y))
    return Weights(sample.y * sizes / sizes.sum(), rng.uniform(0.5, 2.0, len(sizes)) / len(sizes))


def _calls(oracle: Oracle) -> Iterator[tuple[Oracle, Weights, list[Candidate]]]:
    for seed in range(3):
        sample = _sample(oracle, seed)
        bound, weights = oracle.bind(sample), _weights(sample, seed)
        yield bound, weights, bound.best(weights, 3, round=seed + 1)


def _assert_same(one: list[Candidate], other: list[Candidate]) -> None:
    assert [c.edge for c in one] == [c.edge for c in other]
    assert [c.scale for c in one] == [c.scale for c in other]
    for mine, its in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine.column, its.column)


# -- candidates ----------------------------------------------------------------------------------


def outputs_are_bounded(oracle: Oracle) -> None:
    """``|h| <= 1``; int8 columns hold -1 and +1 only."""
    for _, _, found in _calls(oracle):
        assert found
        for candidate in found:
            assert np.abs(candidate.column).max() <= 1
            assert not candidate.binary or (np.abs(candidate.column) == 1).all()


def edges_are_those_of_the_columns(oracle: Oracle) -> None:
    """``edge == dual · column``."""
    for _, weights, found in _calls(oracle):
        for candidate in found:
            np.testing.assert_allclose(candidate.edge, weights.dual @ candidate.column, atol=1e-12)


def candidates_come_largest_edge_first(oracle: Oracle) -> None:
    """Edges do not rise along the list, which is no longer than was asked for."""
    for _, _, found in _calls(oracle):
        assert len(found) <= 3
        edges = np.array([candidate.edge for candidate in found])
        assert (np.diff(edges) <= 1e-12).all()


def columns_are_the_outputs_on_the_rows(oracle: Oracle) -> None:
    """The hypothesis, applied to the rows, gives the column."""
    for bound, _, found in _calls(oracle):
        for candidate in found:
            np.testing.assert_array_equal(
                bound.sample.column(candidate.hypothesis), candidate.column
            )


def negated_hypotheses_are_negated(oracle: Oracle) -> None:
    """``negated()`` gives the opposite outputs."""
    for bound, _, found in _calls(oracle):
        for candidate in found:
            column = bound.sample.column(candidate.hypothesis.negated())
            np.testing.assert_array_equal(column, -candidate.column)


def hypotheses_survive_as_data(oracle: Oracle) -> None:
    """A kind that can be written is read back with the same outputs, and knows its features."""
    for bound, _, found in _calls(oracle):
        for candidate in found:
            if not candidate.hypothesis.kind:
                continue
            data = json.loads(json.dumps(candidate.hypothesis.to_dict(), allow_nan=False))
            again = hypothesis_from_dict(data)
            again.check_features([None] * 4)
            np.testing.assert_array_equal(bound.sample.column(again), candidate.column)


# -- memory --------------------------------------------------------------------------------------


def calls_repeat(oracle: Oracle) -> None:
    """The same weights and round give the same answer to another copy on the same sample."""
    for seed, (bound, weights, found) in enumerate(_calls(oracle)):
        _assert_same(oracle.bind(bound.sample).best(weights, 3, round=seed + 1), found)


def only_its_state_is_remembered(oracle: Oracle) -> None:
    """After other calls it answers as a copy that got its state, and so does a used copy."""
    sample = _sample(oracle, 0)
    bound, fresh, used = (oracle.bind(sample) for _ in range(3))
    for seed in range(1, 4):
        bound.best(_weights(sample, seed), 3, round=seed)
        used.best(_weights(sample, seed + 10), 3, round=seed + 10)
    saved = json.dumps(bound.get_state(), allow_nan=False)
    for other in (fresh, used):
        other.set_state(json.loads(saved))
    found = bound.best(_weights(sample, 4), 3, round=4)
    for other in (fresh, used):
        _assert_same(other.best(_weights(sample, 4), 3, round=4), found)


# -- what it says of itself ----------------------------------------------------------------------


def an_exact_oracle_misses_nothing(oracle: Oracle) -> None:
    """Where edges are proofs, no hypothesis it ever returned has a larger edge than its best.

    Nor has the negative of one, if the class is closed.
    """
    sample = _sample(oracle, 0)
    bound = oracle.bind(sample)
    if not bound.exact:
        return
    weightings = [_weights(sample, seed) for seed in range(12)]
    weightings += [Weights(-weights.dual) for weights in weightings]
    found = [bound.best(weights, 3) for weights in weightings]
    columns = np.array([c.column for some in found for c in some], dtype=float)
    for weights, some in zip(weightings, found, strict=True):
        edges = columns @ weights.dual
        largest = float(np.abs(edges).max() if bound.closed else edges.max())
        assert some[0].edge >= largest - 1e-12


def curvature_matters_if_it_says_so(oracle: Oracle) -> None:
    """Other curvatures give another answer just where ``reads_curvature`` is set."""
    for seed, (bound, weights, found) in enumerate(_calls(oracle)):
        assert weights.curvature is not None
        other = replace(weights, curvature=weights.curvature[::-1].copy())
        again = oracle.bind(bound.sample).best(other, 3, round=seed + 1)
        if oracle.reads_curvature:
            assert [c.scale for c in again] != [c.scale for c in found]
        else:
            _assert_same(again, found)


def bins_are_needed_if_it_says_so(oracle: Oracle) -> None:
    """Without binned rows it answers the same, or says that it cannot, as ``needs_bins`` has it."""
    for seed, (bound, weights, found) in enumerate(_calls(oracle)):
        raw = replace(bound.sample, bins=None)
        if oracle.needs_bins:
            refused = False
            try:
                oracle.bind(raw)
            except (TypeError, ValueError):
                refused = True
            assert refused
        else:
            _assert_same(oracle.bind(raw).best(weights, 3, round=seed + 1), found)


def known_changes_make_no_difference(oracle: Oracle) -> None:
    """Being told how the weights came from the last ones changes no answer."""
    sample = _sample(oracle, 0)
    told, untold = oracle.bind(sample), oracle.bind(sample)
    weights = _weights(sample, 0)
    for round_ in range(1, 5):
        found = told.best(weights, 1, round=round_)
        plain = Weights(weights.dual.copy(), weights.curvature)
        again = untold.best(plain, 1, round=round_)
        np.testing.assert_allclose(found[0].edge, again[0].edge, atol=1e-12)
        _reweigh(weights, found[0], sample.y)


def _reweigh(weights: Weights, candidate: Candidate, y: Array) -> None:
    """Change weights in place as AdaBoost does, and say so."""
    factors = np.exp(-STEP * y * candidate.column)
    shift = float(np.log(np.abs(weights.dual) @ factors))
    weights.dual *= factors * np.exp(-shift)
    weights.change = Reweighting(candidate, STEP, shift) if candidate.binary else None
