"""A fitted model: what a fit leaves, and all that predictions, files and reports start from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from ..core.certificate import Certificate
from ..core.ensemble import Ensemble
from ..core.history import History
from ..core.run import Run
from ..core.stop import Stop
from ..data import BinnedMatrix
from ..kernels.parallel import resolve_n_jobs
from ..types import Array
from .background import Background, background_of
from .explanation import Explanation, additive_steps
from .features import FeatureRows, Features, check_cuts


@dataclass(frozen=True)
class FittedRun:
    """What a model keeps of a run.

    Attributes
    ----------
    ensemble : Ensemble
        The hypotheses and their coefficients.
    history : History
        One row per round.
    certificate : Certificate
        Bounds on the best possible value, and what the ensemble attains.
    stop : Stop
        Why the run ended.
    background : dict
        Of an additive ensemble, where the training rows lie along the features that it uses.
    """

    ensemble: Ensemble
    history: History
    certificate: Certificate
    stop: Stop
    background: Background = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Self:
        """Keep what does not grow with the rows."""
        bins = run.sample.bins
        found = None if bins is None else additive_steps(run.ensemble, bins.categories)
        known = {} if found is None else background_of(found[0], run.sample)
        return cls(run.ensemble, run.history, run.certificate, run.stop, known)


@dataclass(frozen=True)
class Model(ABC):
    """A fitted model.

    It knows the features of its rows, what its runs found and what fit chose, and nothing of the
    algorithm that ran. Rows come from :meth:`read_rows`.

    Attributes
    ----------
    name : str
        Name of the estimator that was fitted.
    features : Features
        What its rows look like.
    chosen : mapping
        Numbers that fit chose where parameters left it the choice, by name.
    """

    name: str
    features: Features
    _: KW_ONLY
    chosen: Mapping[str, float] = field(default_factory=dict)

    @property
    @abstractmethod
    def runs(self) -> tuple[FittedRun, ...]:
        """What was found, in as many runs as the model is made of."""

    @property
    def reduced(self) -> bool:
        """Whether the model is made of several problems, each with a run of its own."""
        return False

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble of a model of one run."""
        if self.reduced:
            raise AttributeError(f"this {self.name} is made of several problems, each with its own")
        return self.runs[0].ensemble

    # -- rows ------------------------------------------------------------------------------------

    def read_rows(self, X: Any) -> FeatureRows:
        """Rows as the model scores them: of an array, a sparse matrix, a frame or binned rows."""
        rows = self.features.read(X, self.name)
        if isinstance(rows, BinnedMatrix):
            check_cuts((run.ensemble for run in self.runs), rows)
        return rows

    # -- what it says ----------------------------------------------------------------------------

    @property
    def additive(self) -> bool:
        """Whether votes are sums of one-feature functions, so that :meth:`explain` knows them."""
        known = self.features.categories
        return all(additive_steps(run.ensemble, known) is not None for run in self.runs)

    def importances(self) -> Array:
        """How much each feature moves the votes, as a share of all; the mean over runs.

        Of an additive model the mean size of its contributions over the training rows
        (:meth:`Explanation.importance`), of others the share of the coefficients that it carries.
        """
        shares = [self._run_shares(run) for run in self.runs]
        if len(shares) == 1:
            return shares[0]
        total = np.sum(shares, axis=0)
        return np.asarray(total / total.sum() if total.sum() > 0 else total)

    def _run_shares(self, run: FittedRun) -> Array:
        steps = additive_steps(run.ensemble, self.features.categories) if run.background else None
        if steps is None:
            return _shares(run.ensemble, len(self.features))
        names = [str(name) for name in self.features.names]
        shares = self._explain(run).importance()
        return np.array([shares.get(name, 0.0) for name in names])

    def explain(self) -> list[Explanation]:
        """Explain additive models exactly, one explanation per run."""
        return [self._explain(run) for run in self.runs]

    def _explain(self, run: FittedRun, *, votes: bool = True) -> Explanation:
        features = self.features
        return Explanation.of(
            run.ensemble, features.names, features.categories, run.background, votes=votes
        )

    def to_onnx(self, largest_log: float | None = None) -> Any:
        """ONNX model; needs the extra ``onnx``.

        With ``largest_log`` scores of a regressor are logarithms of the prediction, cut there.
        """
        from .onnx import to_onnx  # here, not above: few models are exported

        return to_onnx(self, largest_log)


@dataclass(frozen=True)
class OneRunModel(Model):
    """A model of one run.

    Attributes
    ----------
    run : FittedRun
        What was found.
    """

    run: FittedRun

    @property
    def runs(self) -> tuple[FittedRun, ...]:
        """The run."""
        return (self.run,)

    def scores(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Scores ``F(x) = Σ α h(x)`` of rows, not normalised."""
        return self.run.ensemble.scores(rows, resolve_n_jobs(n_jobs))

    def staged_scores(self, rows: FeatureRows) -> Iterator[Array]:
        """Scores after 1, 2, … hypotheses."""
        return self.run.ensemble.staged_scores(rows)


@dataclass(frozen=True)
class RegressionModel(OneRunModel):
    """A model of numbers: its prediction is the score itself."""

    def _explain(self, run: FittedRun, *, votes: bool = False) -> Explanation:
        return super()._explain(run, votes=votes)


@dataclass(frozen=True)
class TargetsModel(Model):
    """A model of several numbers: one of its own for each.

    Attributes
    ----------
    problems : tuple of RegressionModel
        One for each target.
    """

    problems: tuple[RegressionModel, ...]

    @property
    def runs(self) -> tuple[FittedRun, ...]:
        """One run per target."""
        return tuple(problem.run for problem in self.problems)

    @property
    def reduced(self) -> bool:
        """True: several models of one number make this one."""
        return True

    def scores(self, rows: FeatureRows, n_jobs: int | None = None) -> Array:
        """Scores (rows, targets)."""
        return np.column_stack([problem.scores(rows, n_jobs) for problem in self.problems])

    def staged_scores(self, rows: FeatureRows) -> Iterator[Array]:
        """Scores after 1, 2, … hypotheses; a target without more of them stays as it is."""
        stages = [problem.staged_scores(rows) for problem in self.problems]
        scores = np.zeros((rows.n_rows, len(stages)))
        for _ in range(max(len(run.ensemble) for run in self.runs)):
            for k, stage in enumerate(stages):
                found = next(stage, None)
                if found is not None:
                    scores[:, k] = found
            yield scores.copy()

    def _explain(self, run: FittedRun, *, votes: bool = False) -> Explanation:
        return super()._explain(run, votes=votes)


def _shares(ensemble: Ensemble, n_features: int) -> Array:
    total = np.zeros(n_features)
    for weight, member in zip(ensemble.coef, ensemble.members, strict=True):
        total += abs(weight) * member.importances(n_features)
    return total / total.sum() if total.sum() > 0 else total
