"""AdaBoost_Reg and the soft-margin recipe (R2-A1, R2-A2, R2-Q2, R2-Q3, R2-C8; eq. 4.5-4.11).

Problem: margins under noise. An example that keeps drawing weight may be mislabelled; its mistrust
ζ_i >= 0 counts as margin, and coordinate descent runs on the soft margins,

    G(α) = Σ_i p_i exp(-e_i),   e_i = Σα · (ρ_i + C ζ_i) = y_i F(x_i) + C ζ_i Σα,

with prior weights p (1/N without sample_weight). Mistrust is one of

    influence   ζ_i = μ_i / p_i,       μ = Σ_t α_t d^(t) / Σα, the average weight     (4.8)
    squared     ζ_i = (μ_i / p_i)²
    vector      given, say the prior probability that the label is wrong
    operator    ζ = P[f], computed by the user from the votes f(x_i)

μ sums to one, so an example of average influence has mistrust 1, for any number of rows: the
thesis' C is N times the one here (N² times, squared). Copies of a row share its influence.

The influence is linear in the newest coefficient, e_i(a) = e_i(0) + a (y_i h(x_i) + C d_i / p_i),
and the step is a convex problem in one variable. Its square is not; there all steps are searched.
An operator is held fixed during the search and computed anew for the weights that follow.

The recipe applies to other descents than AdaBoost's: AdaBoost_ϱ with a fixed target margin
("marginal") or with the largest soft margin so far as its target ("arc-gv"; R1-A10, R1-A13), and
the logistic loss Σ p log(1 + exp(-e)) (R1-A21).

A step is infinite where every y_i h(x_i) + C ζ_i is above the target, in the first round whenever
C >= 1; steps are capped.

Certificate: as for AdaBoost. Whatever the mistrust, the largest edge bounds the largest margin from
above and the smallest margin from below.
Rate: none, and no proof of convergence; which problem the limit solves is not known.

References: Rätsch, Onoda & Müller 2001; Rätsch 2001, section 4.2 and algorithm 4.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Candidate
from ..core.rule import Rule
from ..core.sample import Sample
from ..core.state import State
from ..core.stop import Stop
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Outcome
from ..fitting.problem import Problem
from ..model import LogisticLink
from ..solvers.soft_descent import convex_step, linear_step, search_step, softmin
from ..types import Array
from ..validation import Constraints, Effects, Number, Where, check_choice
from .adaboost import ROUNDING

KINDS = ("influence", "squared")
BASES = ("adaboost", "arc-gv", "marginal", "logistic")

Mistrust = str | Array | Callable[[Array], Array]


class AdaBoostReg(Rule):
    """Coordinate descent on soft margins.

    Parameters
    ----------
    C : float
        Margin that an example of mistrust 1 is given.
    mistrust : {"influence", "squared"}, array or callable
        ζ: by influence, by its square, a number for each example, or a function that makes such
        numbers from the votes.
    base : {"adaboost", "arc-gv", "marginal", "logistic"}
        The descent.
    target_margin : float
        Soft margin aimed at, for "marginal".
    max_step : float
        Longest step.
    """

    def __init__(
        self,
        C: float = 0.1,
        mistrust: Mistrust = "influence",
        base: str = "adaboost",
        target_margin: float = 0.0,
        max_step: float = 5.0,
    ) -> None:
        self.C = C
        self.mistrust = mistrust
        self.base = base
        self.target_margin = target_margin
        self.max_step = max_step
        self._squared = isinstance(mistrust, str) and mistrust == "squared"
        self._exposure: Array = np.empty(0)
        self._target = 0.0

    def start(self, state: State) -> None:
        """Weights that follow the present scores and influence."""
        if not state.members:
            self._exposure = np.zeros(len(state.sample.y))
        self._reweigh(state)

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add the best hypothesis with the coefficient that minimises G along it."""
        best, weights = found[0], np.abs(state.dual) / state.sample.prior
        if np.min(state.sample.y * best.column) == 1.0:
            return self._take_alone(state, best, weights)
        target = {"arc-gv": self._target, "marginal": self.target_margin}.get(self.base, 0.0)
        step = self._best_step(state, best, weights, target)
        state.note(target=target, coef=step)
        if step <= ROUNDING:
            return Stop.NO_EDGE
        self._add(state, best, step, weights)
        return None

    def _take_alone(self, state: State, best: Candidate, weights: Array) -> Stop:
        """Keep nothing but a hypothesis with margin 1 on every example."""
        state.restart()
        self._exposure[:] = 0.0
        self._add(state, best, 1.0, weights)
        state.note(coef=1.0, min_margin=state.min_margin, length=1.0)
        return Stop.PERFECT

    def _add(self, state: State, best: Candidate, step: float, weights: Array) -> None:
        state.move(best, step)
        self._exposure += step * weights
        self._reweigh(state)

    # -- soft margins ----------------------------------------------------------------------------

    def influence(self, sample: Sample) -> Array:
        """μ of each example: its average weight over the rounds, by coefficient (R2-Q2)."""
        share = sample.prior * self._exposure
        return share / (share.sum() or 1.0)

    def soft_margins(self, margins: Array) -> Array:
        """ρ + C ζ, with the mistrust of the whole run (R2-Q3)."""
        return margins + self.C * self._mistrust

    def _present_mistrust(self, state: State) -> Array:
        l1_norm = state.l1_norm or 1.0
        if callable(self.mistrust):
            return read_mistrust(self.mistrust(state.scores / l1_norm), len(state.scores))
        if not isinstance(self.mistrust, str):
            return self.mistrust
        return (self._exposure / l1_norm) ** (2 if self._squared else 1)

    def _reweigh(self, state: State) -> None:
        """Weights of the present combination; its smallest margins, hard and soft."""
        sample, l1_norm = state.sample, state.l1_norm
        self._mistrust = self._present_mistrust(state)
        margins = sample.y * state.scores
        exponents = margins + self.C * l1_norm * self._mistrust
        if l1_norm > 0.0:
            state.min_margin = float(margins.min()) / l1_norm
            self._target = max(self._target, float(exponents.min()) / l1_norm)
        state.dual[:] = sample.y * self._weights(exponents, sample.prior)

    def _loss(self, exponents: Array, prior: Array) -> float:
        """Logarithm of Σ p exp(-e), or Σ p log(1 + exp(-e))."""
        if self.base == "logistic":
            return float(prior @ np.logaddexp(0.0, -exponents))
        return softmin(exponents, prior)[1]

    def _weights(self, exponents: Array, prior: Array) -> Array:
        """Weights in proportion to minus the derivative of the loss, safe from underflow."""
        if self.base == "logistic":
            exponents = np.logaddexp(0.0, exponents)
        return softmin(exponents, prior)[0]

    # -- the step --------------------------------------------------------------------------------

    def _best_step(self, state: State, best: Candidate, weights: Array, target: float) -> float:
        """Step that minimises the loss along a hypothesis; 0 where the loss only rises."""
        sample, margins = state.sample, state.sample.y * state.scores
        outcome = sample.y * best.column

        def line(step: float) -> tuple[Array, Array]:
            """Exponents after a step, above the target, and their derivative."""
            l1_norm = state.l1_norm + step
            allowance, growth = self._allowance(l1_norm, step, weights)
            exponents = margins + step * outcome + self.C * allowance - target * l1_norm
            return exponents, outcome + self.C * growth - target

        def slope(step: float) -> float:
            exponents, rate = line(step)
            return -float(self._weights(exponents, sample.prior) @ rate)

        if self._squared:
            return search_step(
                lambda step: self._loss(line(step)[0], sample.prior), slope, self.max_step
            )
        if self.base == "logistic":
            return convex_step(slope, self.max_step)
        return linear_step(*line(0.0), sample.prior, self.max_step)

    def _allowance(self, l1_norm: float, step: float, weights: Array) -> tuple[Array, Array]:
        """ζ Σα after a step that brings Σα to ``l1_norm``, and its derivative."""
        if self._squared:
            share = (self._exposure + step * weights) / l1_norm if l1_norm > 0.0 else weights
            return l1_norm * share**2, share * (2.0 * weights - share)
        if isinstance(self.mistrust, str):
            return self._exposure + step * weights, weights
        return l1_norm * self._mistrust, self._mistrust

    def get_state(self) -> dict[str, Any]:
        """Return influence and target."""
        return {"exposure": self._exposure.tolist(), "target": self._target}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take both back."""
        self._exposure = np.array(saved["exposure"], dtype=np.float64)
        self._target = float(saved["target"])


def read_mistrust(values: Any, n_rows: int) -> Array:
    """Mistrust as an array of nonnegative numbers, one per row."""
    try:
        mistrust = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"mistrust: got {values!r}, expected numbers, one per row") from None
    if mistrust.shape != (n_rows,):
        raise ValueError(
            f"mistrust: got shape {mistrust.shape}, expected one number for each of {n_rows} rows"
        )
    if not (np.isfinite(mistrust).all() and (mistrust >= 0.0).all()):
        raise ValueError("mistrust: got negative, infinite or NaN entries, expected numbers >= 0")
    return mistrust


@document
class AdaBoostRegClassifier(BaseMarginClassifier):
    """AdaBoost with soft margins: rows that keep drawing weight are trusted less.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    C : float
        Margin that a row of average influence is given. 0 is AdaBoost, 1 makes the first step
        infinite; useful values lie between 0.02 and 0.5. The thesis' C is N times this one (N²
        times for "squared").
    mistrust : {"influence", "squared"}, array-like or callable
        Which rows are trusted less: those of large influence (average weight), the same squared, or
        as given, one number >= 0 per row, say the probability that its label is wrong. A function
        gets the votes of the rows of positive weight, in [-1, 1], and returns such numbers.
    base : {"adaboost", "arc-gv", "marginal", "logistic"}
        What is made soft: AdaBoost; Arc-GV; AdaBoost with ``target_margin``; logistic regression.
    target_margin : float
        Soft margin aimed at; used by "marginal" only.
    max_step : float
        Longest coefficient. In ``history_`` a capped one equals it. AdaBoost's own are longer only
        for hypotheses with less than 0.005 % of the weight wrong.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    influence_ : array
        Average weight of each row over the rounds; sums to one.
    soft_margins_ : array
        Margin plus C times mistrust, of each row.
    {fitted}

    References
    ----------
    Rätsch, Onoda and Müller, *Soft margins for AdaBoost*, 2001. Rätsch, *Robust Boosting via Convex
    Optimization*, 2001, section 4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import AdaBoostRegClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostRegClassifier(C=0.1).fit(X, y)
    >>> round(float(model.influence_.sum()), 12)
    1.0
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "exponential loss of soft margins: influence counts as margin",
        "guarantee": "margin certified; no convergence proof",
        "reference": "Rätsch, Onoda & Müller 2001; Rätsch 2001, Alg. 4.5",
    }
    __constraints__: ClassVar[Constraints] = {
        "C": Number(at_least=0.0),
        "base": BASES,
        "target_margin": Number(above=-1.0, below=1.0),
        "max_step": Number(above=0.0),
    }
    __effects__: ClassVar[Effects] = {"target_margin": Where("base", ("marginal",))}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 200,
        C: float = 0.1,
        mistrust: Any = "influence",
        base: str = "adaboost",
        target_margin: float = 0.0,
        max_step: float = 5.0,
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
        self.C = C
        self.mistrust = mistrust
        self.base = base
        self.target_margin = target_margin
        self.max_step = max_step

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        if isinstance(self.mistrust, str):
            check_choice("mistrust", self.mistrust, KINDS)
        settings = self.mistrust, self.base, self.target_margin, self.max_step
        return self._make_algorithm(
            lambda problem, chosen: make_rule(problem, self.C, *settings),
            **probabilities_of(self.base),
            facts=influences,
        )


def make_rule(
    problem: Problem, C: float, mistrust: Any, base: str, target_margin: float, max_step: float
) -> AdaBoostReg:
    """Rule of one run; of mistrust that is given row by row, it gets that of its own rows."""
    if not (isinstance(mistrust, str) or callable(mistrust)):
        mistrust = read_mistrust(mistrust, problem.n_rows)[problem.used]
    return AdaBoostReg(C, mistrust, base, target_margin, max_step)


def probabilities_of(base: str) -> dict[str, Any]:
    """Link, and that votes are calibrated: mistrusted rows leave scores that are no log-odds.

    Scores of the logistic loss are log-odds, those of the exponential one half of them.
    """
    return {"link": LogisticLink(1.0 if base == "logistic" else 2.0), "calibrated": True}


def influences(outcome: Outcome) -> dict[str, Any]:
    """Influences and soft margins of all rows; a row that was left out has no influence."""
    run, rule, used = outcome.run, outcome.rule, outcome.problem.used
    assert isinstance(rule, AdaBoostReg)
    assert outcome.margins is not None
    influence, soft = np.zeros(len(outcome.margins)), outcome.margins.copy()
    influence[used] = rule.influence(run.sample)
    soft[used] = rule.soft_margins(run.margins)
    return {"influence_": influence, "soft_margins_": soft}
