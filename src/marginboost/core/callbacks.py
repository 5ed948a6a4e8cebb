"""What may watch a run, or end it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..types import Array
from ..validation import check_choice
from .ensemble import Rows
from .stop import Stop

if TYPE_CHECKING:
    from .oracle import Oracle
    from .rule import Rule
    from .state import State

Encoder = Callable[[Any, Any], tuple[Rows, Array]]


class Callback:
    """Called before the first round, after every round, at the end; here all hooks do nothing."""

    saves_state: bool = False
    """Whether it writes and restores the state: then it is started before, and called after, all
    others, so that what they note is neither missed nor overwritten."""

    def prepare(self, encode: Encoder) -> None:
        """Receive the estimator's way to turn ``(X, y)`` into rows and ±1 labels, or targets."""

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
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


def keep_lowest(
    state: State, what: str, value: float, patience: int | None, tol: float = 0.0
) -> Stop | None:
    """Keep the combination if no round before had a lower value; stop when patience is at its end.

    Lower means by more than ``tol``. What must be known in later rounds is noted on the state, so
    that a resumed run knows it too.
    """
    lowest, since = f"lowest {what}", f"rounds since lowest {what}"
    if value < state.memo.get(lowest, np.inf) - tol:
        state.memo.update({lowest: value, since: 0.0})
        state.keep = state.combination()
        return None
    state.memo[since] = state.memo.get(since, 0.0) + 1.0
    return Stop.NO_PROGRESS if patience is not None and state.memo[since] >= patience else None


class Watch(Callback):
    """Scores of rows other than the training rows, brought up to date after every round.

    A subclass says which rows these are, and what is done with their scores.
    """

    def set_rows(self, dense: Array, truth: Array) -> None:
        """Set the rows, and what is right for them, one number per score."""
        self._dense, self._truth = dense, truth

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Take up the scores of a resumed run."""
        self._rule = rule
        self._start_combination(state)
        self._score(state)

    def _start_combination(self, state: State) -> None:
        self._first = self._last = state.first
        self._scores = np.zeros(self._truth.shape)

    def follow(self, state: State) -> Array:
        """Return the scores of the present combination."""
        # Score from the beginning where the rule began anew, or changed all coefficients at once.
        if state.first != self._first or state.pool is not None:
            self._start_combination(state)
        elif state.factor != 1.0:
            self._scores *= state.factor
        self._score(state)
        return self._scores

    def _score(self, state: State) -> None:
        for t in range(self._last, len(state.members)):
            if state.coef[t] != 0.0:
                self._scores += state.coef[t] * state.members[t](self._dense)
        self._last = len(state.members)


class EarlyStopping(Watch):
    """End the run when the error on other rows stops falling; keep the best round.

    The error of a classifier is its share of wrong rows, that of a regressor its mean squared one.

    Parameters
    ----------
    X, y : array-like
        Validation rows and their labels or targets.
    patience : int
        Rounds without a lower error before the run ends.
    criterion : {"error", "loss"}
        What is watched: the error, or the mean of the loss that the algorithm minimises, which
        moves also where no row changes sides (CH-A0a).
    """

    def __init__(self, X: Any, y: Any, patience: int = 20, criterion: str = "error") -> None:
        if patience < 1:
            raise ValueError(f"patience: got {patience!r}, expected a positive integer")
        check_choice("criterion", criterion, ("error", "loss"))
        self.X, self.y, self.patience, self.criterion = X, y, patience, criterion

    def prepare(self, encode: Encoder) -> None:
        """Encode the validation rows once."""
        rows, truth = encode(self.X, self.y)
        self.set_rows(rows.dense(0, rows.n_rows), truth)

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Take up the scores of a resumed run; its best round is on the state's record."""
        super().on_start(state, oracle, rule, max_rounds)
        self.errors_: list[float] = []
        if self._error() is None:
            raise ValueError(
                "criterion: got 'loss', expected 'error': "
                f"{type(rule).__name__} has no loss of such scores"
            )

    def on_round(self, state: State) -> Stop | None:
        """Score the combination; stop when patience is at its end."""
        self.follow(state)
        error = self._error()
        assert error is not None
        self.errors_.append(error)
        return keep_lowest(state, "validation error", error, self.patience)

    def _error(self) -> float | None:
        if self.criterion == "error":
            return _error(self._scores, self._truth)
        return self._rule.mean_loss(self._truth, self._scores)


def _error(scores: Array, truth: Array) -> float:
    """Share of wrong rows; of numeric targets the mean squared residual.

    Of several classes there is one column per class, +1 for the right one.
    """
    if truth.dtype.kind == "f":
        return float(np.mean((truth - scores) ** 2))
    if truth.ndim == 2:
        return float(np.mean(scores.argmax(axis=1) != truth.argmax(axis=1)))
    return float(np.mean(np.where(scores > 0, 1, -1) != truth))


class Progress(Callback):
    """Show a progress bar on standard error: Rich's if installed, else a line every tenth."""

    _bar: Any = None

    def on_start(self, state: State, oracle: Oracle, rule: Rule, max_rounds: int) -> None:
        """Draw the bar."""
        self._total = max_rounds
        self._name = type(rule).__name__
        try:
            from rich.console import Console
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
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(
            self._name, total=max_rounds, completed=state.round, facts=""
        )
        self._bar.start()

    def on_round(self, state: State) -> Stop | None:
        """Advance the bar."""
        facts = f"margin {state.min_margin:.4f}  gap {state.gap:.4f}"
        if state.sample.numeric:
            facts = f"loss {state.history.last('loss'):.4g}"
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
