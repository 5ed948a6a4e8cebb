"""The combination that a run builds, and what callbacks note with it."""

import numpy as np
import pytest

from marginboost.core import Stop
from marginboost.core.callbacks import keep_lowest
from marginboost.core.oracle import Candidate
from marginboost.core.sample import Sample
from marginboost.core.state import State

COLUMN = np.array([1, -1, 1], dtype=np.int8)


def state_with(n_members):
    state = State(Sample.of_labels(np.array([1, -1, -1])))
    for k in range(n_members):
        state.move(Candidate(f"h{k}", 0.5, COLUMN), 1.0)
    return state


def test_the_present_combination_begins_at_the_last_restart():
    state = state_with(3)
    assert (state.size, state.present) == (3, (0, 3))
    state.restart()
    assert (state.size, state.present, state.combination()) == (0, (3, 3), (3, 3, []))
    state.move(Candidate("h3", 0.5, COLUMN), -2.0)
    assert (state.size, state.present, state.combination()) == (1, (3, 4), (3, 4, [-2.0]))
    assert (state.l1_norm, state.scores.tolist()) == (2.0, [-2.0, 2.0, -2.0])


@pytest.mark.parametrize("nothing", [np.inf, np.nan])
def test_patience_counts_from_the_first_round(nothing):
    """Also where no round has had a value that can be compared."""
    state = state_with(1)
    assert keep_lowest(state, "error", nothing, 2) is None
    assert keep_lowest(state, "error", nothing, 2) is Stop.NO_PROGRESS
    assert state.keep is None


def test_the_lowest_value_is_kept_and_ends_the_waiting():
    state = state_with(1)
    values = [0.5, 0.5, 0.4, 0.4, 0.6]
    assert [keep_lowest(state, "error", value, 2) for value in values] == [
        *[None] * 4,
        Stop.NO_PROGRESS,
    ]
    assert state.keep == (0, 1, [1.0])
    assert keep_lowest(state, "error", 0.6, None) is None
