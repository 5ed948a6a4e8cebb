"""Choosing a regularisation parameter by cross-validation along a path of values.

All values are tried on the same folds, and the folds share their bins. On each fold the values are
gone through from the most to the least regularised one; a rule that can, starts with the hypotheses
of the value before, so that a path costs little more than its hardest problem.

Where neither values nor splits are given, two things keep the choice within a few fits. The first
fold tries all values, and only the best few of them go on to the others. And of many rows only some
take part: a share or a price per row means the same on them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..core.oracle import Oracle
from ..core.rule import Rule
from ..core.run import Run, train
from ..core.sample import Sample
from ..types import Array
from ..validation import check_choice, check_number
from .algorithm import Choice
from .problem import Problem
from .rows import TrainingRows

FEWEST_ROWS, MOST_ROWS = 1_000, 4_000
"""Half of the rows take part where only some values go on, but no fewer or more than these."""


@dataclass(frozen=True)
class ParameterPath:
    """Choice of one parameter by cross-validation; subclasses know more about their parameter.

    Attributes
    ----------
    parameter : str
        What is chosen; the fitted attribute has this name and an underscore.
    grid : str
        Parameter of the estimator that lists the values.
    listed : sequence of float or None
        The values that the user lists.
    usual : tuple of float
        Values where none are listed.
    rule : callable
        ``rule(value, sample)`` makes the rule with a value, for a run that is only compared.
    rounds : callable
        Most rounds of a run on a sample.
    check_value : callable
        ``check_value(name, value)`` raises for a value that the parameter cannot have.
    cv : int, splitter, iterable of splits, or None
        Folds.
    choice : str
        "best" or "one-se".
    choices : tuple of str
        What ``choice`` may be.
    tol : float or None
        Gap at which a run that is only compared may stop.
    most_rounds : int or None
        Most rounds of such a run, where that is less.
    finalists : int or None
        Values that go on after the first fold, where none are listed; None is all of them.
    verbose : bool
        Whether to report every fold.
    """

    parameter: str
    grid: str
    listed: Any
    usual: tuple[float, ...]
    rule: Callable[[float, Sample], Any]
    rounds: Callable[[Sample], int]
    check_value: Callable[[str, float], None]
    cv: Any
    choice: str
    tol: float | None = None
    choices: tuple[str, ...] = ("best", "one-se")
    most_rounds: int | None = None
    finalists: int | None = None
    verbose: bool = False

    def check(self) -> None:
        """Raise for bad settings, and for values that the parameter cannot have."""
        check_choice("choice", self.choice, self.choices)
        splits = not isinstance(self.cv, str) and (
            hasattr(self.cv, "split") or isinstance(self.cv, Iterable)
        )
        if self.cv is not None and not splits:
            check_number("cv", self.cv, at_least=2, integer=True)
        self.values()

    def check_rows(self, rows: TrainingRows) -> None:
        """Raise where several problems need splits that can be had once."""
        if len(rows.labels) > 2 and isinstance(self.cv, Iterator):
            raise ValueError(
                f"cv: got {self.cv!r}, which gives its splits once, but {len(rows.labels)} "
                "classes need them several times; expected a list of splits"
            )

    def check_chosen(self, chosen: Mapping[str, float]) -> None:
        """Raise for a chosen value that the parameter cannot have."""
        if f"{self.parameter}_" in chosen:
            self.check_value(self.parameter, chosen[f"{self.parameter}_"])

    def values(self) -> list[float]:
        """Checked values, the most regularised first."""
        given = self.usual if self.listed is None else self.listed
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or not len(given):
            raise ValueError(f"{self.grid}: got {given!r}, expected a list of numbers")
        values = sorted({float(value) for value in given}, reverse=True)
        for value in values:
            self.check_value(self.grid, value)
        return values

    def allowed(self, values: list[float], samples: list[Sample]) -> list[float]:
        """Values that every one of these samples allows, the most regularised first."""
        return values

    def is_hopeless(self, run: Run) -> bool:
        """Whether neither the value of a run nor values that regularise less are worth a run."""
        return False

    # -- cross-validation ------------------------------------------------------------------------

    def choose(self, problem: Problem, oracle: Oracle) -> Choice:
        """Choose the value."""
        results, errors = self.cross_validate(problem, oracle)
        best, more = self.best(results, problem.sample, oracle)
        value = float(results[self.parameter][best])
        numbers = {f"{self.parameter}_": value, "cv_error_": float(errors[:, best].mean())}
        return Choice(numbers, {"cv_results_": {**results, **more}})

    def cross_validate(self, problem: Problem, oracle: Oracle) -> tuple[dict[str, Array], Array]:
        """Results of all values, and the errors (folds, values)."""
        whole = sample = problem.sample
        if self._races:
            sample = _fewer_rows(whole)
        splits = self._splits(sample, problem)
        folds = [(_part(sample, learn), _part(sample, judge)) for learn, judge in splits]
        values = self.allowed(self.values(), [whole, *(learn for learn, _ in folds)])
        going = np.arange(len(values))
        errors, rounds, seconds = (np.full((len(folds), len(values)), np.nan) for _ in range(3))
        for k, (learn, test) in enumerate(folds):
            started = time.perf_counter()
            runs = self.runs(learn, oracle, [values[j] for j in going])
            for j, run in zip(going, runs, strict=True):
                errors[k, j] = _error(run, test)
                rounds[k, j] = len(run.history)
                seconds[k, j] = time.perf_counter() - started
                started = time.perf_counter()
            means = errors[: k + 1, going].mean(axis=0)
            if self.verbose:
                best = f"{self.parameter} {values[going[means.argmin()]]:g} is best so far"
                text = f"fold {k + 1} of {len(folds)}: {best}, error {means.min():.2%}"
                print(text, file=sys.stderr)
            if self._races:
                going = going[np.sort(np.argsort(means, kind="stable")[: self.finalists])]
        return self._results(values, errors, rounds, seconds), errors

    def _results(
        self, values: list[float], errors: Array, rounds: Array, seconds: Array
    ) -> dict[str, Array]:
        """Means over the folds that a value was tried on."""
        tried = (~np.isnan(errors)).sum(axis=0)
        # One split alone says nothing about how errors vary.
        off = np.where(np.isnan(errors), 0.0, errors - np.nanmean(errors, axis=0))
        variance = (off**2).sum(axis=0) / np.maximum(tried - 1, 1)
        return {
            self.parameter: np.array(values),
            "mean_error": np.nanmean(errors, axis=0),
            "standard_error": np.sqrt(variance / tried),
            "errors": errors,
            "folds": tried,
            "mean_rounds": np.nanmean(rounds, axis=0),
            "mean_seconds": np.nanmean(seconds, axis=0),
        }

    @property
    def _races(self) -> bool:
        """Whether values are left behind after the first fold."""
        whole = self.cv is None or isinstance(self.cv, Integral)
        return self.finalists is not None and self.listed is None and whole

    def _splits(self, sample: Sample, problem: Problem) -> list[tuple[Array, Array]]:
        """Rows to learn from and to judge by, of every fold."""
        from sklearn.model_selection import StratifiedKFold  # here: slow to import

        cv: Any = 5 if self.cv is None else self.cv
        if isinstance(cv, Integral):
            least = int(min((sample.y > 0).sum(), (sample.y < 0).sum()))
            if least < 2:
                raise ValueError(
                    f"cv: got {self.cv}, but the smaller class has {least} row; expected 2 at least"
                )
            cv = StratifiedKFold(min(int(cv), least), shuffle=True, random_state=sample.seed)
        if hasattr(cv, "split"):
            places = np.arange(len(sample.y))
            splits = _read_splits(self.cv, cv.split(sample.y, sample.y), places)
        else:  # listed splits name rows of the table, some of which may be left out
            used = problem.mask
            places = np.where(used, np.cumsum(used) - 1, -1)
            splits = _read_splits(self.cv, cv, places)
        for learn, judge in splits:
            if not len(judge) or len(np.unique(sample.y[learn])) < 2:
                raise ValueError(
                    f"cv: got {self.cv!r}, but a fold has no rows to judge by, or only one class "
                    "to learn from"
                )
        return splits

    def runs(self, sample: Sample, oracle: Oracle, values: list[float]) -> Iterator[Run]:
        """Yield the run of every value; each starts from what the run before has found."""
        before: Rule | None = None
        run: Run | None = None
        for value in values:
            if run is not None and self.is_hopeless(run):
                yield run  # and so are those that regularise less
                continue
            rule = self.rule(value, sample)
            if before is not None:
                rule.start_from(before)
            rounds = min(self.rounds(sample), self.most_rounds or sys.maxsize)
            run = train(sample, oracle, rule, max_rounds=rounds, tol=self.tol)
            yield run
            before = rule

    def best(
        self, results: dict[str, Array], sample: Sample, oracle: Oracle
    ) -> tuple[int, dict[str, Array]]:
        """Position of the chosen value, and further results; a tie goes to more regularisation."""
        folds = results["folds"]
        mean = np.where(folds == folds.max(), results["mean_error"], np.inf)
        best = int(np.argmin(mean))
        if self.choice == "one-se":
            best = int(np.argmax(mean <= mean[best] + results["standard_error"][best]))
        return best, {}


def chosen_by(path: ParameterPath) -> dict[str, Any]:
    """Fields of an algorithm one of whose parameters is chosen in this way, once it is checked."""
    path.check()
    return {
        "choose": path.choose,
        "chosen_names": (f"{path.parameter}_", "cv_error_"),
        "check_chosen": path.check_chosen,
        "check_rows": path.check_rows,
    }


def _fewer_rows(sample: Sample) -> Sample:
    """Rows that take part, of every class its share; in small tables all."""
    n_rows = len(sample.y)
    wanted = min(max(n_rows // 2, FEWEST_ROWS), MOST_ROWS)
    if n_rows <= wanted:
        return sample
    rng, kept = np.random.default_rng(sample.seed), []
    for sign in (-1, 1):
        own = np.flatnonzero(sample.y == sign)
        size = max(wanted * len(own) // n_rows, min(len(own), 50))
        kept.append(rng.choice(own, size, replace=False))
    return _part(sample, np.sort(np.concatenate(kept)))


def _read_splits(cv: Any, splits: Iterable[Any], places: Array) -> list[tuple[Array, Array]]:
    """Places in the sample of the rows of all splits.

    ``places`` is that of every row that a split may name; rows that are left out have -1.
    """
    found = []
    for split in splits:
        if not isinstance(split, Sequence | np.ndarray) or len(split) != 2:
            raise ValueError(f"cv: got {split!r} for a split, expected a pair of arrays of rows")
        learn, judge = (_read_rows(rows, places) for rows in split)
        found.append((learn, judge))
    if not found:
        raise ValueError(f"cv: got {cv!r}, which gives no splits (a generator gives them once)")
    return found


def _read_rows(rows: Any, places: Array) -> Array:
    """Places of rows that a split names by number or by mask, less those left out."""
    given = np.asarray(rows)
    mask = given.dtype == np.bool_ and given.shape == places.shape
    numbers = given.ndim == 1 and (given.dtype.kind in "iu" or not given.size)
    if not mask and not (numbers and ((given >= 0) & (given < len(places))).all()):
        raise ValueError(
            f"cv: got a split with {given.tolist()}, expected numbers of rows from 0 to "
            f"{len(places) - 1}, or a mask of {len(places)} rows"
        )
    found = places[given if mask else given.astype(np.int64)]
    return found[found >= 0]


def _part(sample: Sample, rows: Array) -> Sample:
    """Some rows of a sample."""
    return Sample.of_labels(
        sample.y[rows],
        sample.prior[rows] * sample.total,
        rows=None if sample.rows is None else sample.rows.take(rows),
        bins=None if sample.bins is None else sample.bins.take(rows),
        seed=sample.seed,
        n_threads=sample.n_threads,
    )


def _error(run: Run, test: Sample) -> float:
    """Weighted error of a run's model; a vote of zero is the negative class."""
    rows = test.rows if test.rows is not None else test.bins
    assert rows is not None
    predicted = np.where(run.ensemble.scores(rows, test.n_threads) > 0, 1, -1)
    return float(test.prior[predicted != test.y].sum())
