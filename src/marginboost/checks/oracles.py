"""What every oracle promises."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from ..core.hypothesis import hypothesis_from_dict
from ..core.oracle import Candidate, Oracle
from ..core.sample import Sample
from ..core.types import Array
from ..data import BinnedMatrix, Table
from .contract import Check


def check_oracle(oracle: Oracle) -> Iterator[Check]:
    """Yield the checks for an unbound oracle."""
    promises = (
        outputs_are_bounded,
        edges_are_those_of_the_columns,
        candidates_come_largest_edge_first,
        columns_are_the_outputs_on_the_rows,
        negated_hypotheses_are_negated,
        calls_repeat,
        hypotheses_survive_as_data,
        an_exact_oracle_is_closed_under_sign,
    )
    for promise in promises:
        yield Check(promise, oracle)


def _sample(seed: int) -> Sample:
    """Rows in [-1, 1], so that a matrix oracle can read them too."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, size=(60, 4)) / 4.0
    table = Table(rows, [f"x{j}" for j in range(4)])
    y = np.where(rows[:, 0] + rng.normal(size=60) > 0, 1, -1)
    return Sample.of_labels(y, rows=table, bins=BinnedMatrix.from_table(table, n_jobs=1))


def _calls(oracle: Oracle) -> Iterator[tuple[Oracle, Array, list[Candidate]]]:
    for seed in range(3):
        sample = _sample(seed)
        bound = oracle.bind(sample)
        weights = np.random.default_rng(seed).exponential(size=60)
        dual = sample.y * weights / weights.sum()
        yield bound, dual, bound.best(dual, 3, round=seed + 1)


def outputs_are_bounded(oracle: Oracle) -> None:
    """``|h| <= 1``; int8 columns hold -1 and +1 only."""
    for _, _, found in _calls(oracle):
        assert found
        for candidate in found:
            assert np.abs(candidate.column).max() <= 1
            assert not candidate.binary or (np.abs(candidate.column) == 1).all()


def edges_are_those_of_the_columns(oracle: Oracle) -> None:
    """``edge == dual · column``."""
    for _, dual, found in _calls(oracle):
        for candidate in found:
            np.testing.assert_allclose(candidate.edge, dual @ candidate.column, atol=1e-12)


def candidates_come_largest_edge_first(oracle: Oracle) -> None:
    """Edges do not rise along the list."""
    for _, _, found in _calls(oracle):
        edges = np.array([candidate.edge for candidate in found])
        assert (np.diff(edges) <= 1e-12).all()


def columns_are_the_outputs_on_the_rows(oracle: Oracle) -> None:
    """The hypothesis, applied to the rows, gives the column."""
    for bound, _, found in _calls(oracle):
        assert bound.sample.rows is not None
        rows = bound.sample.rows.dense(0, len(bound.sample.y))
        for candidate in found:
            np.testing.assert_array_equal(candidate.hypothesis(rows), candidate.column)


def negated_hypotheses_are_negated(oracle: Oracle) -> None:
    """``negated()`` gives the opposite outputs."""
    for bound, _, found in _calls(oracle):
        assert bound.sample.rows is not None
        rows = bound.sample.rows.dense(0, len(bound.sample.y))
        for candidate in found:
            np.testing.assert_array_equal(candidate.hypothesis.negated()(rows), -candidate.column)


def calls_repeat(oracle: Oracle) -> None:
    """The same weights and round give the same answer; nothing else is remembered."""
    for bound, dual, found in _calls(oracle):
        again = oracle.bind(bound.sample)
        for seed in range(3):
            if bound.sample.y.tobytes() == _sample(seed).y.tobytes():
                repeated = again.best(dual, 3, round=seed + 1)
                assert [c.edge for c in repeated] == [c.edge for c in found]


def hypotheses_survive_as_data(oracle: Oracle) -> None:
    """A kind that can be written is read back with the same outputs."""
    for bound, _, found in _calls(oracle):
        assert bound.sample.rows is not None
        rows = bound.sample.rows.dense(0, len(bound.sample.y))
        for candidate in found:
            if not candidate.hypothesis.kind:
                continue
            data = json.loads(json.dumps(candidate.hypothesis.to_dict(), allow_nan=False))
            np.testing.assert_array_equal(hypothesis_from_dict(data)(rows), candidate.column)


def an_exact_oracle_is_closed_under_sign(oracle: Oracle) -> None:
    """Where edges are proofs, the opposite weights have the same largest edge.

    An oracle over a set that is not closed, such as a matrix of given columns, is exempt: it says
    so with ``closed = False``.
    """
    for bound, dual, found in _calls(oracle):
        if bound.exact and getattr(bound, "closed", True):
            assert found[0].edge >= 0
            np.testing.assert_allclose(bound.best(-dual, 1, round=1)[0].edge, found[0].edge)
