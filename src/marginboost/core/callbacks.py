"""What may watch a run, interrupt it, or let it be resumed."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .ensemble import Rows
from .hypothesis import hypothesis_from_dict
from .sample import Sample
from .stop import Stop
from .types import Array

if TYPE_CHECKING:
    from .rule import Rule
    from .state import State

Encoder = Callable[[Any, Any], tuple[Rows, Array]]


class Callback:
    """Called before the first round, after every round, at the end; here all hooks do nothing."""

    def prepare(self, encode: Encoder) -> None:
        """Receive the estimator's way to turn ``(X, y)`` into rows and ±1 labels."""

    def on_start(self, state: State, rule: Rule, max_rounds: int) -> None:
        """Before the first round."""

    def on_round(self, state: State) -> Stop | None:
        """After a round; a reason ends the run."""

    def on_end(self, state: State) -> None:
        """After the last round, also when the run failed."""


class TimeBudget(Callback):
    """End the run after some seconds; the model so far is kept.

    Parameters
    ----------
    seconds : float
        Budget. The round under way is finished, so a run may take one round longer.
    """

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise ValueError(f"seconds: got {seconds!r}, expected a positive number")
        self.seconds = seconds

    def on_round(self, state: State) -> Stop | None:
        """Stop when the time is spent."""
        return Stop.TIME if state.seconds >= self.seconds else None


class EarlyStopping(Callback):
    """End the run when the error on other rows stops falling; keep the best round.

    Parameters
    ----------
    X, y : array-like
        Validation rows and their labels.
    patience : int
        Rounds without a lower error before the run ends.
    """

    def __init__(self, X: Any, y: Any, patience: int = 20) -> None:
        if patience < 1:
            raise ValueError(f"patience: got {patience!r}, expected a positive integer")
        self.X, self.y, self.patience = X, y, patience

    def prepare(self, encode: Encoder) -> None:
        """Encode the validation rows once."""
        rows, self._signs = encode(self.X, self.y)
        self._dense = rows.dense(0, rows.n_rows)

    def on_start(self, state: State, rule: Rule, max_rounds: int) -> None:
        """Score the members that the state already has."""
        self._first = self._last = state.first
        self._scores = np.zeros(len(self._signs))
        self.errors_: list[float] = []
        self._best = np.inf
        self._since = 0
        self._catch_up(state)

    def on_round(self, state: State) -> Stop | None:
        """Score the new member; stop when patience is at its end."""
        if state.first != self._first:  # the rule began a new combination
            self._first = self._last = state.first
            self._scores[:] = 0.0
        self._catch_up(state)
        return Stop.NO_PROGRESS if self._since >= self.patience else None

    def _catch_up(self, state: State) -> None:
        for t in range(self._last, len(state.members)):
            self._scores += state.coef[t] * state.members[t](self._dense)
            error = float(np.mean(np.where(self._scores > 0, 1, -1) != self._signs))
            self.errors_.append(error)
            self._since += 1
            if error < self._best:
                self._best, self._since = error, 0
                state.keep = (state.first, t + 1)
        self._last = len(state.members)


class Progress(Callback):
    """Show a progress bar: Rich's where it is installed, else a line every tenth of the way."""

    _bar: Any = None

    def on_start(self, state: State, rule: Rule, max_rounds: int) -> None:
        """Draw the bar."""
        self._total = max_rounds
        self._name = type(rule).__name__
        try:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            return
        self._bar = Bar(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[facts]}"),
        )
        self._task = self._bar.add_task(
            self._name, total=max_rounds, completed=state.round, facts=""
        )
        self._bar.start()

    def on_round(self, state: State) -> Stop | None:
        """Advance the bar."""
        facts = f"margin {state.min_margin:.4f}  gap {state.gap:.4f}"
        if self._bar is not None:
            self._bar.update(self._task, completed=state.round, facts=facts)
        elif state.round % max(1, self._total // 10) == 0:
            print(f"{self._name}: round {state.round} of {self._total}, {facts}", file=sys.stderr)
        return None

    def on_end(self, state: State) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None  # a bar holds locks: the model with this callback could not be pickled


class Checkpoint(Callback):
    """Write the run to a file now and then, and go on from that file when it is there.

    The file is JSON, written beside the target and moved over it, so a crash leaves the old file or
    the new one. A resumed run makes the same model as an uninterrupted one, bit for bit.

    Parameters
    ----------
    path : str or path
        The file. It is removed when the run ends by itself.
    every : int
        Rounds between two writes. The first round is written too: a path or a base learner that
        cannot be written shows at once.
    """

    VERSION = 1

    def __init__(self, path: str | os.PathLike[str], every: int = 10) -> None:
        if every < 1:
            raise ValueError(f"every: got {every!r}, expected a positive integer")
        self.path, self.every = path, every

    def on_start(self, state: State, rule: Rule, max_rounds: int) -> None:
        """Take up the run in the file, after checking that it is this run."""
        self._rule = rule
        self._identity = f"{type(rule).__name__} {_settings(rule)} {fingerprint(state.sample)}"
        self._written = False
        self._outer = sys.exc_info()[1]
        file = Path(self.path)
        if not file.exists():
            return
        data = self._read(file)
        members = [hypothesis_from_dict(member) for member in data["state"]["members"]]
        state.restore(data["state"], members)
        rule.recall(data["rule"])
        rule.start(state)

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            identity, version = data["identity"], data["version"]
        except (ValueError, KeyError, TypeError) as error:
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
        if data.get("digest") != _digest(data.get("state"), data.get("rule")):
            raise ValueError(f"checkpoint {file}: damaged (its digest does not match its content)")
        return dict(data)

    def on_round(self, state: State) -> Stop | None:
        """Write every so many rounds."""
        if state.round % self.every == 0 or not self._written:
            self._write(state)
            self._written = True
        return None

    def _write(self, state: State) -> None:
        snapshot, memory = state.snapshot(), self._rule.memory()
        data = {
            "version": self.VERSION,
            "identity": self._identity,
            "digest": _digest(snapshot, memory),
            "state": snapshot,
            "rule": memory,
        }
        temporary = Path(f"{os.fspath(self.path)}.{os.getpid()}.tmp")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                json.dump(data, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        finally:
            temporary.unlink(missing_ok=True)  # there only if the write was interrupted

    def on_end(self, state: State) -> None:
        """Remove the file when the run ended by itself, not when it was interrupted."""
        # A fit inside an ``except`` block begins, and should end, with that block's exception.
        if sys.exc_info()[1] is self._outer:
            Path(self.path).unlink(missing_ok=True)
        self._outer = None


def _settings(rule: Rule) -> str:
    """Settings of a rule: its public plain attributes."""
    plain = {k: v for k, v in vars(rule).items() if not k.startswith("_")}
    # As lists: the text of a long array leaves most of its numbers out.
    lists = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in plain.items()}
    return repr(sorted(lists.items()))


def _digest(snapshot: Any, memory: Any) -> str:
    """Digest of a checkpoint's content: a damaged file gives another one."""
    return hashlib.sha256(json.dumps([snapshot, memory]).encode()).hexdigest()


def fingerprint(sample: Sample) -> str:
    """Digest of what a run learns from: other data gives another one."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(sample.y).tobytes())
    digest.update(np.ascontiguousarray(sample.prior).tobytes())
    digest.update(str(sample.seed).encode())
    if sample.bins is not None:
        digest.update(np.ascontiguousarray(sample.bins.codes).tobytes())
        for edges in sample.bins.edges:
            digest.update(edges.tobytes())
    elif sample.rows is not None:
        for start, stop in sample.rows.chunks():
            digest.update(np.ascontiguousarray(sample.rows.dense(start, stop)).tobytes())
    return digest.hexdigest()
