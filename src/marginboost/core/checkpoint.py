"""Runs that can be interrupted and go on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..files import write_whole
from .callbacks import Callback
from .hypothesis import hypothesis_from_dict
from .sample import Sample
from .stop import Stop

if TYPE_CHECKING:
    from .oracle import Oracle
    from .rule import Rule
    from .state import State


class Checkpoint(Callback):
    """Write the run to a file now and then, and go on from that file when it is there.

    The file is JSON, written beside the target and moved over it, so a crash leaves the old file or
    the new one. A resumed run makes the same model as an uninterrupted one, bit for bit.

    Parameters
    ----------
    path : str or path
        The file.
    every : int
        Rounds between two writes. The first round is written too: a path or a base learner that
        cannot be written shows at once.
    keep : bool
        Whether the file stays when the run ends by itself, for a caller who removes it when the
        model is safe: until then the same fit makes the last rounds only. Else it is removed.
    """

    VERSION = 2
    saves_state = True

    def __init__(
        self, path: str | os.PathLike[str], every: int = 10, *, keep: bool = False
    ) -> None:
        if every < 1:
            raise ValueError(f"every: got {every!r}, expected a positive integer")
        self.path, self.every, self.keep = path, every, keep

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Take up the run in the file, after checking that it is this run."""
        self._rule, self._oracle = rule, oracle
        parts = (type(rule).__name__, _settings(vars(rule)))
        learner = (type(oracle).__name__, _settings(oracle.get_params()))
        self._identity = " ".join([*parts, *learner, fingerprint(state.sample)])
        self._written = False
        self._outer = sys.exc_info()[1]
        file = Path(self.path)
        if not file.exists():
            return
        if not file.is_file():  # a device may have no end to read, and must not be removed
            raise ValueError(f"checkpoint {file}: not a plain file")
        data = self._read(file)
        members = [hypothesis_from_dict(member) for member in data["state"]["members"]]
        state.restore(data["state"], members)
        oracle.set_state(data["oracle"])
        rule.set_state(data["rule"])
        rule.start(state)

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            identity, version = data["identity"], data["version"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"checkpoint {file}: not a checkpoint file ({error})") from None
        if version != self.VERSION:
            raise ValueError(
                f"checkpoint {file}: version {version!r}, this release reads {self.VERSION}"
            )
        if identity != self._identity:
            raise ValueError(
                f"checkpoint {file}: made by another run (other data, algorithm or settings); "
                "remove the file or give another path"
            )
        if data.get("digest") != _digest([data.get(part) for part in ("state", "rule", "oracle")]):
            raise ValueError(f"checkpoint {file}: damaged (its digest does not match its content)")
        return dict(data)

    def on_round(self, state: State) -> Stop | None:
        """Write every so many rounds."""
        if state.round % self.every == 0 or not self._written:
            self._write(state)
            self._written = True
        return None

    def _write(self, state: State) -> None:
        content = [state.snapshot(), self._rule.get_state(), self._oracle.get_state()]
        data = {
            "version": self.VERSION,
            "identity": self._identity,
            "digest": _digest(content),
            **dict(zip(("state", "rule", "oracle"), content, strict=True)),
        }
        write_whole(self.path, json.dumps(data).encode("ascii"))

    def on_end(self, state: State) -> None:
        """Remove the file when the run ended by itself, not when it was interrupted."""
        # A fit inside an ``except`` block begins, and should end, with that block's exception.
        if sys.exc_info()[1] is self._outer and not self.keep:
            self.remove()
        self._outer = None

    def remove(self) -> None:
        """Remove the file; what a link names, not the link."""
        Path(os.path.realpath(self.path)).unlink(missing_ok=True)


def _settings(values: dict[str, Any]) -> str:
    """Text of public settings."""
    plain = {k: v for k, v in values.items() if not k.startswith("_")}
    # As lists: the text of a long array leaves most of its numbers out.
    lists = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in plain.items()}
    return repr(sorted(lists.items()))


def _digest(content: Any) -> str:
    """Digest of a checkpoint's content: a damaged file gives another one."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def fingerprint(sample: Sample) -> str:
    """Digest of what a run learns from: other data gives another one."""
    digest = hashlib.sha256()
    for part in sample.content():
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(str(sample.seed).encode())
    if sample.bins is not None:
        digest.update(np.ascontiguousarray(sample.bins.codes).tobytes())
        for cuts in sample.bins.cuts:
            digest.update(cuts.tobytes())
    elif sample.rows is not None:
        for start, stop in sample.rows.chunks():
            digest.update(np.ascontiguousarray(sample.rows.dense(start, stop)).tobytes())
    return digest.hexdigest()
