"""Objects that go over a socket arrive as they were, and a side that is lost is found out."""

import socket
import threading

import numpy as np
import pytest

pytest.importorskip("distributed")

from marginboost.dask.channels import Channel, converse, frames_of


@pytest.fixture
def ends():
    """Two ends of a channel."""
    pair = [Channel(end) for end in socket.socketpair()]
    yield pair
    for end in pair:
        end.close()


def echo(channel):
    """Send back what comes."""
    thread = threading.Thread(target=lambda: channel.send(frames_of(channel.receive())))
    thread.start()
    return thread


@pytest.mark.parametrize(
    "arrays",
    [[np.arange(3_000_000.0)], [np.empty((0, 2))], [np.full(k % 3, k) for k in range(700)], []],
    ids=["large", "empty", "many", "none"],
)
def test_objects_arrive(ends, arrays):
    here, there = ends
    thread = echo(there)
    here.send(frames_of(("word", arrays)))
    word, found = here.receive()
    thread.join()
    assert word == "word"
    for one, other in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_closed_end_is_found_out(ends):
    here, there = ends
    there.close()
    with pytest.raises(EOFError):
        here.receive()


def test_answers_of_those_that_are_there(ends):
    """One answers, one has closed, one is silent until it is known to be lost."""
    gone, silent = ([Channel(end) for end in socket.socketpair()] for _ in range(2))
    gone[1].close()
    thread = echo(ends[1])
    looks = []

    def missing():
        looks.append(None)
        return {2} if len(looks) > 1 else set()

    channels = [ends[0], gone[0], silent[0]]
    assert converse(channels, "word", 0.05, missing) == ["word", None, None]
    assert len(looks) == 2
    thread.join()
    for channel in (gone[0], *silent):
        channel.close()
