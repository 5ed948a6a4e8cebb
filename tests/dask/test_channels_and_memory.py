"""How channels are opened, used and closed, and what workers tell the C library."""

import ctypes
import socket
import threading
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("distributed")

from miniature import run_apart
from sklearn.exceptions import NotFittedError

from marginboost import BinnedMatrix
from marginboost.core.parts import Source
from marginboost.dask import DaskLabelAudit, channels, holders, memory
from marginboost.dask.channels import Channel, frames_of, open_channel, take_calls


class Comm:
    """A connection of Dask over one end of a pair of sockets."""

    def __init__(self, own, answer="OK"):
        self.own, self.answer, self.written, self.aborted = own, answer, [], False
        self.removed = []
        loop = SimpleNamespace(remove_handler=self.removed.append)
        self.stream = SimpleNamespace(socket=own, io_loop=loop, fileno=own.fileno)

    def abort(self):
        self.aborted = True
        self.own.close()

    async def write(self, message):
        self.written.append(message)

    async def read(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def pair():
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def opened(monkeypatch, comm):
    async def connect(address, timeout, **arguments):
        assert (address, timeout, arguments) == ("tcp://there", 0.5, {"ssl": None})
        if isinstance(comm, Exception):
            raise comm
        return comm

    monkeypatch.setattr(channels, "connect", connect)
    client = SimpleNamespace(connection_args={"ssl": None})
    return run_apart(open_channel(client, "tcp://there", "an actor", 0.5))


def test_a_channel_is_what_dask_has_connected(pair, monkeypatch):
    """Dask lets go of it; the socket is the channel's own."""
    comm = Comm(pair[0])
    channel = opened(monkeypatch, comm)
    assert comm.written == [{"op": "marginboost-channel", "actor": "an actor"}]
    assert comm.aborted
    channel.send(frames_of("word"))
    assert Channel(pair[1]).receive() == "word"
    channel.close()


@pytest.mark.parametrize("answer", ["no", {"status": "error"}, OSError(), TimeoutError()])
def test_where_there_is_no_way_there_is_no_channel(pair, monkeypatch, answer):
    comm = Comm(pair[0], answer)
    assert opened(monkeypatch, comm) is None
    assert comm.aborted == (not isinstance(answer, Exception))
    assert opened(monkeypatch, OSError("refused")) is None
    monkeypatch.setattr(channels, "KNOWN", False)
    assert opened(monkeypatch, Comm(pair[0])) is None


class Answers:
    """A holder that answers."""

    def double(self, number):
        return 2 * number

    def refuse(self):
        raise ArithmeticError("cannot")

    def unsendable(self):
        return threading.Lock()


def worker_of(monkeypatch, address="tcp://here"):
    worker = SimpleNamespace(
        address=address, handlers={}, state=SimpleNamespace(actors={"an actor": Answers()})
    )
    monkeypatch.setattr(channels, "get_worker", lambda: worker)
    return worker


def test_only_workers_with_sockets_of_their_own_take_calls(monkeypatch):
    worker = worker_of(monkeypatch, "inproc://here")
    assert take_calls() is False
    assert worker.handlers == {}
    worker = worker_of(monkeypatch, "tls://here")
    assert take_calls() is False
    worker = worker_of(monkeypatch)
    monkeypatch.setattr(channels, "KNOWN", False)
    assert take_calls() is False
    assert worker.handlers == {}


def answering(monkeypatch, own):
    """A worker that takes calls on a socket; returns the connection and what Dask is told."""
    worker = worker_of(monkeypatch)
    assert take_calls() is True
    comm = Comm(own)
    (begin,) = worker.handlers.values()
    return comm, run_apart(begin(comm, "an actor"))


def test_a_thread_answers_what_is_asked(pair, monkeypatch):
    """Until the client closes the channel; the worker need not wait for it to end."""
    handle = pair[0].fileno()
    comm, told = answering(monkeypatch, pair[0])
    assert comm.removed == [handle]
    assert comm.written == ["OK"]
    assert comm.aborted
    assert told.name == "dont_reply"
    (thread,) = (one for one in threading.enumerate() if one.name == "marginboost-channel")
    assert thread.daemon
    client = Channel(pair[1])
    for number in (1, 21):
        client.send(frames_of(("double", (number,))))
        assert client.receive() == 2 * number
    client.send(frames_of(("unsendable", ())))
    answers, error = client.receive()
    assert answers == []
    assert "TypeError" in str(error)
    client.close()
    thread.join(10.0)
    assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_goes_wrong_nobody_is_left_waiting(pair, monkeypatch):
    answering(monkeypatch, pair[0])
    client = Channel(pair[1])
    client.send(frames_of(("refuse", ())))
    client.socket.settimeout(10.0)
    with pytest.raises(EOFError):
        client.receive()


def test_closing_ends_a_wait_and_frees_the_socket(pair):
    """Also one of another thread on the same side."""
    here = Channel(pair[0])
    ended = []

    def wait():
        with pytest.raises((EOFError, OSError)):
            here.receive()
        ended.append(True)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    thread.join(0.1)
    here.close()
    thread.join(10.0)
    assert ended == [True]
    assert here.socket.fileno() == -1
    here.close()  # twice does no harm


def test_answers_are_waited_for_in_any_order(monkeypatch):
    """A look is taken only where none has come; arrays of any size arrive."""
    pairs = [socket.socketpair() for _ in range(3)]
    here, there = ([Channel(ends[k]) for ends in pairs] for k in (0, 1))
    for number, channel in enumerate(there):
        channel.send(frames_of((number, np.arange(number * 1000))))
    looks = []
    found = channels.converse(here, "word", 5.0, lambda: looks.append(1) or set())
    assert [(number, len(array)) for number, array in found] == [(k, k * 1000) for k in range(3)]
    assert looks == []
    assert [channel.receive() for channel in there] == ["word"] * 3
    for channel in (*here, *there):
        channel.close()


# -- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "kept"), [((1, 1), True), ((1, 0), False), ((0, 1), False), (None, False)]
)
def test_the_C_library_is_told_what_to_keep(monkeypatch, answers, kept):
    """The numbers are those of M_TRIM_THRESHOLD and M_MMAP_THRESHOLD in malloc.h."""
    told = []

    class Library:
        if answers is not None:

            def mallopt(self, setting, value):
                told.append((setting, value))
                return answers[len(told) - 1]

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert memory.keep_memory() is kept
    assert told == ([] if answers is None else [(-1, 64 << 20), (-3, 32 << 20)])


def test_holders_keep_the_memory_of_their_worker(monkeypatch):
    told = []
    monkeypatch.setattr(holders, "keep_memory", lambda: told.append(True))
    bins = BinnedMatrix.from_data(np.ones((2, 1)))
    holders.Holder([Source(bins, np.zeros(2, int), np.ones(2))])
    assert told == [True]


# -- audits ---------------------------------------------------------------------------------------


def test_settings_of_an_audit_are_checked_first():
    for fdr in (1.0, -0.1, 1.5):
        with pytest.raises(ValueError, match=f"fdr: got {fdr}"):
            DaskLabelAudit(fdr=fdr).fit(None, None, pred_probs=1)
    for fdr in (0.0, 0.99):
        with pytest.raises(TypeError, match="pred_probs: got probabilities"):
            DaskLabelAudit(fdr=fdr).fit(None, None, pred_probs=1)
    with pytest.raises(NotFittedError):
        DaskLabelAudit().to_local()
