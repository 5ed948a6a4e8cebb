"""Sockets between the client and holders of parts, for words that are short and many.

A call of an actor goes through the event loops, the protocol and the pools of connections and
threads of Dask on both sides, a millisecond of work each. So a connection is made by Dask, to the
port that it has open, and then taken out of its hands: a thread of the worker waits for questions
and answers them, and the client waits for the answers. Nothing else is said on it. Connections
that are encrypted or within a process are left to Dask.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

import numpy as np
from distributed import Client, get_worker
from distributed.comm import connect
from distributed.core import Status
from distributed.protocol import pickle

OPENING = "marginboost-channel"
"""Name of the question to a worker that a connection begins with."""
SIZE = struct.Struct("!Q")
AT_ONCE = 256
"""Frames in one call of the system, which takes a thousand at most."""
KNOWN = hasattr(socket.socket, "sendmsg")
"""Whether the system has such a call."""
Frames = list[Any]
"""A pickled object, and the arrays in it, which are not copied."""


class Channel:
    """A socket over which objects go.

    Parameters
    ----------
    own : socket
        Closed with the channel.
    """

    def __init__(self, own: socket.socket) -> None:
        own.setblocking(True)
        self.socket = own

    def send(self, frames: Frames) -> None:
        """Send an object: see :func:`frames_of`."""
        views = [memoryview(frame) for frame in frames]
        sizes = b"".join(SIZE.pack(n) for n in (len(views), *(view.nbytes for view in views)))
        waiting = [memoryview(sizes), *views]
        while waiting:
            n_sent = self.socket.sendmsg(waiting[:AT_ONCE])
            while waiting and n_sent >= waiting[0].nbytes:
                n_sent -= waiting.pop(0).nbytes
            if n_sent:
                waiting[0] = waiting[0][n_sent:]

    def receive(self) -> Any:
        """Wait for an object; raises EOFError where the other side has closed."""
        (n_frames,) = SIZE.unpack(self._read(SIZE.size))
        sizes = [size for (size,) in SIZE.iter_unpack(self._read(n_frames * SIZE.size))]
        first, *others = (self._read(size) for size in sizes)
        return pickle.loads(first, buffers=others)

    def _read(self, size: int) -> memoryview:
        room = np.empty(size, np.uint8).data
        n_read = 0
        while n_read < size:
            more = self.socket.recv_into(room[n_read:])
            if not more:
                raise EOFError("the other side has closed")
            n_read += more
        return room

    def close(self) -> None:
        """Send and receive no more."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def frames_of(message: Any) -> Frames:
    """Pickle an object; arrays are left where they are."""
    buffers: Frames = []
    first = pickle.dumps(message, buffer_callback=buffers.append)
    return [first, *(buffer.raw() for buffer in buffers)]


def _take_socket(comm: Any) -> socket.socket:
    """Socket of a connection of Dask, which it forgets."""
    own: socket.socket = comm.stream.socket.dup()
    comm.abort()
    return own


# -- on a worker -----------------------------------------------------------------------------------


def take_calls() -> bool:
    """Let the worker that this runs on open channels to its actors; False where it cannot."""
    worker = get_worker()
    if not (KNOWN and worker.address.startswith("tcp://")):
        return False

    async def begin(comm: Any, actor: str) -> Status:
        holder, stream = worker.state.actors[actor], comm.stream
        stream.io_loop.remove_handler(stream.fileno())  # what comes next is for the thread
        await comm.write("OK")
        channel = Channel(_take_socket(comm))
        threading.Thread(target=_answer, args=(holder, channel), name=OPENING, daemon=True).start()
        return Status.dont_reply

    worker.handlers[OPENING] = begin
    return True


def _answer(holder: Any, channel: Channel) -> None:
    """Answer what is asked until the client closes the channel."""
    try:
        with suppress(OSError, EOFError):
            while True:
                method, args = channel.receive()
                channel.send(_frames_of_answer(getattr(holder, method)(*args)))
    finally:  # whatever went wrong, nobody is left waiting
        channel.close()


def _frames_of_answer(answer: Any) -> Frames:
    try:
        return frames_of(answer)
    except Exception as error:  # an error that cannot be sent
        return frames_of(([], RuntimeError(f"{type(error).__name__}: {error}")))


# -- on the client ---------------------------------------------------------------------------------


async def open_channel(client: Client, worker: str, actor: str, patience: float) -> Channel | None:
    """Channel to an actor whose worker has said that it takes calls; None where there is no way."""
    if not KNOWN:
        return None
    try:
        comm = await connect(worker, timeout=patience, **client.connection_args)
        await comm.write({"op": OPENING, "actor": actor})
        answer = await asyncio.wait_for(comm.read(), patience)
        if answer == "OK":
            return Channel(_take_socket(comm))
        comm.abort()
    except (TimeoutError, OSError, RuntimeError):
        pass
    return None


def converse(
    channels: Sequence[Channel], message: Any, look: float, missing: Callable[[], set[int]]
) -> list[Any]:
    """Answers of all to one message; None where one is lost.

    After every ``look`` seconds without an answer, ``missing()`` says which are lost.
    """
    frames, answers = frames_of(message), [None] * len(channels)
    waiting: dict[Any, int] = {}
    for k, channel in enumerate(channels):
        with suppress(OSError):
            channel.send(frames)
            waiting[channel.socket] = k
    while waiting:
        ready: list[Any] = list(wait(list(waiting), look))
        lost = set() if ready else missing()
        for own in ready:
            k = waiting.pop(own)
            with suppress(OSError, EOFError):
                answers[k] = channels[k].receive()
        waiting = {own: k for own, k in waiting.items() if k not in lost}
    return answers
