"""Waiting for a cluster that has no worker: said aloud, and not for ever."""

from __future__ import annotations

from distributed import Client

from ..warning import warn_user

SOON = 5.0
"""Seconds after which it is said what is waited for."""
PATIENCE = 600.0
"""Seconds to wait for a worker where there is none."""


def await_workers(client: Client) -> None:
    """Wait until there is a worker; warns where that takes long."""
    if client.nthreads():
        return
    state = f"client: got a cluster of 0 workers at {client.scheduler.address}, expected one"
    try:
        client.wait_for_workers(1, timeout=SOON)
    except TimeoutError:
        warn_user(f"{state} at least; waiting for one to come, for {PATIENCE:g} s at most")
    else:
        return
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise RuntimeError(f"{state} at least; none has come for {PATIENCE:g} s") from None
