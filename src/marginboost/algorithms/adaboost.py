"""AdaBoost and AdaBoost_ϱ (R1-A03, R1-A10, R1-A11; SF-A1, LB-A2, CH-A1).

Problem: drive the margins of all examples above a target ϱ by coordinate descent on

    G(α) = Σ_i prior_i exp(ϱ Σα - y_i F(x_i)),   F = Σ_t α_t h_t          (eq. 2.7)

one hypothesis per round. With ϱ = 0 this is AdaBoost, which minimises the exponential loss.

Dual side: the weights d_i ∝ prior_i exp(-y_i F(x_i)); every edge Σ d_i y_i h(x_i) of the best
hypothesis bounds the largest margin ρ* from above, every combination bounds it from below.

Guarantees: training error ≤ Π √(1 - γ_t²) (Thm 1.4). If every edge is at least ρ* ≥ ϱ + ε, all
margins reach ϱ within 2 log(N) / ε² + 1 rounds (Cor. 2.3). An edge ≤ ϱ proves that ϱ cannot be
reached, and the run stops. The margin that AdaBoost itself converges to may be as small as half
of ρ* (Cor. 2.2): see Arc-GV, AdaBoost* and Marginal AdaBoost for more.

References: Freund & Schapire 1997; Rätsch 2001, algorithms 1.1 and 2.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.ensemble import Ensemble
from ..core.oracle import Candidate
from ..core.parts import Part, smallest_outcome
from ..core.rule import Rule
from ..core.state import State
from ..core.stop import Stop
from ..core.weights import Reweighting
from ..duals.exponential import ExponentialWeights
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..kernels.exact import exact_sum, rounded
from ..oracles.resampling import ResamplingOracle
from ..solvers.line_search import exponential_step, longest_step
from ..validation import Constraints, check_number
from ..warning import warn_user

STEEP = 0.99
"""Edge above which the weight of the errors is summed directly: 1 - edge has lost its digits."""

TINY = 1e-300
"""Least weight of an example in a step: one that has underflowed may still be wrong."""

LONGEST_RATE = 2.0
"""Factor on the step at which a round leaves the exponential loss as it was."""

ROUNDING = 1e-14
"""An edge that exceeds the target by no more than this does so by rounding only."""


class AdaBoost(Rule):
    """AdaBoost with target margin.

    Parameters
    ----------
    target_margin : float or sequence of float
        ϱ in (-1, 1); a sequence gives a target for each round, the last one for all that follow.
    learning_rate : float
        Factor on every coefficient.
    step : {"exact", "closed"}
        For real-valued hypotheses: minimise along the hypothesis (eq. 2.4), or use the formula for
        ±1 outputs (eq. 2.6), with which the bound on margin errors holds for all thresholds
        (R1-C28). For ±1 hypotheses both are the same.
    stop_at_target : bool
        Whether to stop once every margin is at least the target.
    """

    on_parts = True

    def __init__(
        self,
        target_margin: float | Sequence[float] = 0.0,
        learning_rate: float = 1.0,
        step: str = "exact",
        stop_at_target: bool = False,
    ) -> None:
        self.target_margin = target_margin
        self.learning_rate = learning_rate
        self.step = step
        self.stop_at_target = stop_at_target
        self._weights = ExponentialWeights()

    def start(self, state: State) -> None:
        """Weights that follow the present scores."""
        self._weights.refresh(state, self._weights.shift)

    def target(self, state: State, edge: float) -> float:
        """Target margin ϱ_t of this round."""
        if isinstance(self.target_margin, float):
            return self.target_margin
        targets = np.atleast_1d(np.asarray(self.target_margin, dtype=float))
        return float(targets[min(state.round, targets.size) - 1])

    def value_on(self, state: State, ensemble: Ensemble) -> float:
        """Smallest margin of any combination."""
        return min(state.each(smallest_outcome, ensemble)) / (self.norm(ensemble) or 1.0)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the best hypothesis with the coefficient that minimises G along it."""
        best, state.weights.change = found[0], None
        target = self.target(state, best.edge)
        if best.edge <= target + ROUNDING:
            state.note(target=target, coef=0.0, normaliser=1.0)
            return Stop.NO_EDGE
        full, limited = self._steps(state, best, target)
        if math.isinf(limited):
            return self._take_alone(state, best, target)
        step = self.learning_rate * limited
        before, scale = self._weights.log_total, self._weights.log_scale
        guess = before + _log_normaliser(state, best, step)
        if best.binary:  # said before, as the base learner may foresee it
            state.weights.change = Reweighting(best, step, guess - scale)
        self._weights.move(state, best, step, guess)
        shift = self._weights.log_scale - scale
        if best.binary and shift != guess - scale:
            state.weights.change = Reweighting(best, step, shift)
        normaliser = math.exp(min(self._weights.log_total - before, 700.0))
        state.note(target=target, coef=step, normaliser=normaliser)
        if math.isinf(full) and state.min_margin > max(target, 0.0):
            return Stop.PERFECT
        reached = self.stop_at_target and state.min_margin >= target
        return Stop.TARGET if reached else None

    def _steps(self, state: State, best: Candidate, target: float) -> tuple[float, float]:
        """Step that minimises G, infinite where G only falls, and the one to take.

        The latter is infinite for a hypothesis that should be the whole model: one that is right on
        every example, or meets a target that is the aim of the run. Other real-valued hypotheses
        may be nowhere wrong and say next to nothing: their step is limited, as is one that is long
        because all errors are next to zero.
        """
        full = self._full_step(state, best, target)
        if best.binary:
            return full, full
        whole = self.maximises_margin or bool((state.sample.y * best.column == 1.0).all())
        return full, full if math.isinf(full) and whole else min(full, longest_step(best.column))

    def _take_alone(self, state: State, best: Candidate, target: float) -> Stop:
        """Keep nothing but a hypothesis that meets the target on every example by itself."""
        state.restart()
        self._weights.move(state, best, 1.0, 0.0)
        state.note(target=target, coef=1.0, normaliser=0.0, min_margin=state.min_margin, length=1.0)
        return Stop.PERFECT

    def _full_step(self, state: State, best: Candidate, target: float) -> float:
        if best.binary:
            return binary_step(state, best) - math.atanh(target)
        if self.step == "closed" and best.edge < 1.0:
            return math.atanh(best.edge) - math.atanh(target)
        outcome = state.sample.y * best.column
        return exponential_step(np.maximum(np.abs(state.dual), TINY), outcome, target)

    def get_state(self) -> dict[str, Any]:
        """Return the shift of the weights."""
        return {"shift": self._weights.shift}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take the shift back."""
        self._weights.shift = float(saved["shift"])


def binary_step(state: State, best: Candidate) -> float:
    """½ log(weight right / weight wrong); infinite only when no example is wrong."""
    if best.edge < STEEP:
        return math.atanh(best.edge)
    weights, counts = zip(*state.each(measure_errors, best), strict=True)
    if sum(counts) == 0:
        return math.inf
    wrong = max(rounded(sum(weights)), TINY)
    return 0.5 * math.log((1.0 - wrong) / wrong)


def measure_errors(part: Part, candidate: Candidate) -> tuple[int, int]:
    """Exact weight, and number, of the rows that a ±1 hypothesis gets wrong."""
    wrong = part.column(candidate) * part.sample.y < 0
    return exact_sum(np.abs(part.dual[wrong])), int(np.count_nonzero(wrong))


def check_learning_rate(learning_rate: float) -> None:
    """Refuse what is no step, and warn of steps that lead away.

    A hypothesis of edge γ changes the exponential loss by the factor
    ``(1+γ)/2 exp(-cα) + (1-γ)/2 exp(cα)`` with α = atanh γ: least at c = 1, one at c = 2, and above
    one beyond, so that the weights end up on ever fewer examples.
    """
    check_number("learning_rate", learning_rate, above=0.0)
    if learning_rate > LONGEST_RATE:
        warn_user(
            f"learning_rate: got {learning_rate:g}; above {LONGEST_RATE:g} every round raises the "
            "exponential loss, and weights grow without end"
        )


def _log_normaliser(state: State, best: Candidate, step: float) -> float:
    """Logarithm of Z = Σ d exp(-step y h), for the weights before the step."""
    if best.binary:
        wrong = max((1.0 - best.edge) / 2.0, 0.0)
        right = 1.0 - wrong
        total = wrong + right * math.exp(-2.0 * step)
        return step + math.log(total) if total > 0.0 else -step
    exponent = -step * state.sample.y * best.column
    largest = float(exponent.max())
    total = float(np.abs(state.dual) @ np.exp(exponent - largest))
    return largest + math.log(max(total, TINY))


@document
class AdaBoostClassifier(BaseMarginClassifier):
    """AdaBoost, with a target margin if wanted.

    A superset of scikit-learn's classifier of the same name: same parameters, with exact stumps on
    binned features as default base learner, missing values and categories handled natively, margins
    and their bounds recorded.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner: a :class:`~marginboost.StumpOracle` (None), a
        :class:`~marginboost.TreeOracle`, or any scikit-learn classifier or regressor.
    n_estimators : int
        Most rounds.
    learning_rate : float
        Factor on every coefficient.
    target_margin : float or sequence of float
        Margin ϱ in (-1, 1) aimed at for every example; 0 is AdaBoost. A sequence gives a target for
        each round.
    step : {"exact", "closed"}
        Coefficient of a real-valued hypothesis; the same for hypotheses with outputs -1 and +1.
    stop_at_target : bool
        Stop once every training margin is at least the target.
    sampling : {"reweight", "resample"}
        Whether the base learner gets weights, or a sample drawn by weight.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund and Schapire, *A decision-theoretic generalization of on-line learning and an application
    to boosting*, 1997. Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 2.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import AdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=100).fit(X, y)
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"rows_in_parts": True}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "minimise the exponential loss; margins above a target ϱ",
        "guarantee": "training error ≤ Π√(1 − γ²); margin ϱ ≤ ρ* − ε in 2 ln N / ε² + 1 rounds",
        "reference": "Freund & Schapire 1997; Rätsch 2001, Alg. 1.1, 2.2",
    }
    __constraints__: ClassVar[Constraints] = {
        "step": ("exact", "closed"),
        "sampling": ("reweight", "resample"),
        "stop_at_target": (False, True),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        target_margin: float | Sequence[float] = 0.0,
        step: str = "exact",
        stop_at_target: bool = False,
        sampling: str = "reweight",
        tol: float | None = None,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.learning_rate = learning_rate
        self.target_margin = target_margin
        self.step = step
        self.stop_at_target = stop_at_target
        self.sampling = sampling

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        check_learning_rate(self.learning_rate)
        _check_targets(self.target_margin)
        oracle = self._base_learner()
        return self._make_algorithm(
            lambda problem, chosen: AdaBoost(
                self.target_margin, self.learning_rate, self.step, self.stop_at_target
            ),
            oracle=ResamplingOracle(oracle) if self.sampling == "resample" else oracle,
        )


def _check_targets(targets: Any) -> None:
    """Raise for a target margin, or one of several, that no run could aim at."""
    if isinstance(targets, Sequence | np.ndarray) and not isinstance(targets, str):
        entries = {f"target_margin[{t}]": target for t, target in enumerate(targets)}
    else:
        entries = {"target_margin": targets}
    for name, target in entries.items():
        check_number(name, target, above=-1.0, below=1.0)
    if np.size(targets) == 0:
        raise ValueError("target_margin: got an empty sequence, expected at least one number")
