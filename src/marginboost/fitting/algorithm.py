"""What an estimator's parameters mean: the value from which every fit, file and check starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..core.callbacks import Callback, Encoder, Progress
from ..core.labels import LabelSample
from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.run import Run
from ..core.sample import Sample
from ..data import BinnedMatrix, Table
from ..model import BinaryModel, LabelModel, Link, Model, RegressionModel
from ..types import Array
from ..validation import random_numbers
from .early_stop import EarlyStop

if TYPE_CHECKING:
    from .problem import Problem

Chosen = Mapping[str, float]
"""Numbers that a fit chose from its rows, by the names of the fitted attributes."""


class Choice(NamedTuple):
    """What a fit chose from its rows before the run.

    Attributes
    ----------
    numbers : mapping
        Chosen numbers; a model file keeps them.
    facts : mapping
        Further fitted attributes, such as the errors of cross-validation.
    """

    numbers: Chosen
    facts: Mapping[str, Any] = {}


class Outcome(NamedTuple):
    """What is known after a run.

    Attributes
    ----------
    run : Run
        What was found.
    rule : Rule
        The rule, as the run left it.
    problem : Problem
        The rows that were learnt from.
    chosen : mapping
        Numbers chosen before the run.
    margins : array or None
        Margins of all rows of the table; None of targets.
    """

    run: Run
    rule: Rule
    problem: Problem
    chosen: Chosen
    margins: Array | None


@dataclass(frozen=True)
class Settings:
    """How a fit is carried out, whatever the algorithm.

    Attributes
    ----------
    max_bins : int or None
        Most bins of a numeric feature.
    n_jobs : int or None
        Threads.
    random_state : int, RandomState or None
        Seed; None is a fixed one, so that fits repeat and interrupted ones can go on.
    callbacks : tuple of Callback
        The user's callbacks.
    verbose : bool
        Whether to show progress.
    """

    max_bins: int | None = 255
    n_jobs: int | None = None
    random_state: Any = None
    callbacks: tuple[Callback, ...] = ()
    verbose: bool = False

    @property
    def random(self) -> Any:
        """Generator of the seed."""
        return random_numbers(0 if self.random_state is None else self.random_state)

    def seed(self) -> int:
        """Seed of one run."""
        return int(self.random.randint(2**31 - 1))

    def bin(self, rows: Table, weights: Array) -> BinnedMatrix:
        """Bin rows with these weights."""
        uniform = bool((weights == weights[0]).all())
        return BinnedMatrix.from_table(
            rows,
            max_bins=self.max_bins,
            sample_weight=None if uniform else weights,
            n_jobs=self.n_jobs,
        )

    def callbacks_for(self, encode: Encoder) -> list[Callback]:
        """Callbacks of a run, told how to read other rows."""
        for callback in self.callbacks:
            callback.prepare(encode)
        return [*self.callbacks, Progress()] if self.verbose else list(self.callbacks)


def nothing_to_choose(problem: Problem, oracle: Oracle) -> Choice:
    """Choose nothing: parameters say all."""
    return Choice({})


def no_check(chosen: Chosen) -> None:
    """Accept any chosen numbers."""


def the_vote(run: Run) -> Run:
    """Keep the vote of the hypotheses as the model."""
    return run


def no_facts(outcome: Outcome) -> dict[str, Any]:
    """Keep nothing besides the model."""
    return {}


@dataclass(frozen=True)
class Algorithm:
    """How an estimator learns; made from checked parameters, knows no rows and no estimator.

    Attributes
    ----------
    name : str
        Name of the estimator.
    oracle : Oracle
        Base learner.
    rule : callable
        ``rule(problem, chosen)`` makes the rule of one run, from its rows and the numbers that
        ``choose`` found.
    rounds : int or callable
        Most rounds; a callable is given the sample.
    tol : float or None
        Gap between the bounds at which a run ends.
    settings : Settings
        How fits are carried out.
    link : Link or None
        From scores to probabilities; None of regressors and rankers.
    calibrated : bool
        Whether a sigmoid fitted to votes on held-back rows replaces ``link``, because scores are
        no log-odds.
    common_scale : bool
        Whether scores compare between problems of two classes as they are, because they are
        log-odds or the like.
    is_vote : bool
        Whether the model is a vote of the base learner's hypotheses, which bounds on votes are
        about.
    label_rows : type of LabelSample or None
        Sample of (example, label) rows, where hypotheses answer for all classes in one run; None
        solves problems of two classes.
    class_weight : dict, "balanced" or None
        Factors on the weights of rows, by class.
    several_targets : bool
        Whether several targets are learnt at once.
    choose : callable
        ``choose(problem, oracle)`` chooses what the parameters leave open.
    chosen_names : tuple of str
        Names of all numbers that a model file keeps.
    check_chosen : callable
        Raises for numbers that a fit cannot have chosen, such as those of a damaged file.
    check_rows : callable
        Raises for rows that the parameters do not suit.
    conclude : callable
        Makes the run that is kept from the run that was made.
    facts : callable
        Further fitted attributes of an :class:`Outcome`.
    early : EarlyStop or None
        Settings of early stopping; None where it is not offered.
    respond : callable or None
        From scores of a regressor to predictions; None where they are the same.
    """

    name: str
    oracle: Oracle
    rule: Callable[[Problem, Chosen], Rule]
    rounds: int | Callable[[Sample], int]
    tol: float | None = None
    settings: Settings = Settings()
    link: Link | None = None
    calibrated: bool = False
    common_scale: bool = False
    is_vote: bool = True
    label_rows: type[LabelSample] | None = None
    class_weight: Any = None
    several_targets: bool = False
    choose: Callable[[Problem, Oracle], Choice] = nothing_to_choose
    chosen_names: tuple[str, ...] = ()
    check_chosen: Callable[[Chosen], None] = no_check
    check_rows: Callable[[Any], None] = no_check
    conclude: Callable[[Run], Run] = the_vote
    facts: Callable[[Outcome], dict[str, Any]] = no_facts
    early: EarlyStop | None = None
    respond: Callable[[Array], Array] | None = None

    def most_rounds(self, sample: Sample) -> int:
        """Most rounds of a run on a sample."""
        return self.rounds(sample) if callable(self.rounds) else int(self.rounds)

    @property
    def gap(self) -> float | None:
        """Gap at which the bounds count as met.

        With early stopping ``tol`` is about the loss of the validation rows.
        """
        return self.tol if self.early is None or self.early.early_stopping is False else None

    @property
    def model_type(self) -> type[Model]:
        """Type of the model of one run."""
        if self.link is None:
            return RegressionModel
        return BinaryModel if self.label_rows is None else LabelModel

    @property
    def required_names(self) -> tuple[str, ...]:
        """Numbers that every model file of this algorithm has."""
        return self.chosen_names

    @property
    def usual_link(self) -> Link:
        """Link of a classifier whose votes were not compared with labels."""
        assert self.link is not None
        return self.link

    def model_parts(self, n_classes: int, chosen: Chosen) -> tuple[type[Model], Link]:
        """Type and link of a model of one run in which fit chose this: what a file leaves out."""
        return self.model_type, self.usual_link

    def kept(self, numbers: Mapping[str, Any]) -> dict[str, float]:
        """Chosen numbers that a model keeps, out of all that is known after a run."""
        return {name: float(numbers[name]) for name in self.chosen_names if name in numbers}

    def with_settings(self, **changed: Any) -> Self:
        """Same algorithm, carried out in another way."""
        return replace(self, settings=replace(self.settings, **changed))
