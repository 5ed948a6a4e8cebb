"""Boosting on a p-convex hull: one classifier for all of Barnes's variants (BA-S6).

Each variant is a rule in a file of its own; this is scikit-learn's face of them. docs/p-hulls.md
says which variant made which published figure.

Reference: Barnes, *Capacity Control in Boosting using a p-Convex Hull*, 1999.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..validation import Constraints, Effects, Number, Where
from ._p_hull import PHullRule
from .gravity_p_boost import GravityPBoost
from .naive_p_boost import WEIGHT_UPDATES, NaivePBoost
from .sloppy_p_boost import SloppyPBoost
from .sloppy_p_boost_as_run import SloppyPBoostAsRun
from .strict_p_boost import SEARCHES, StrictPBoost

VARIANTS = (*("strict", "sloppy", "sloppy-as-run", "naive", "normed", "gravity", "accelerated"),)


def offers_worse(estimator: Any) -> bool:
    """Whether this base learner may offer a hypothesis that is worse than guessing.

    One that is closed under sign turns it round.
    """
    inner = getattr(estimator, "oracle", estimator)
    return not getattr(inner, "closed", True)


@document
class PBoostClassifier(BaseMarginClassifier):
    """Boosting whose coefficients keep the p-norm 1: the smaller p, the fewer hypotheses count.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump.
    n_estimators : int
        Most rounds.
    p : float
        Of the p-convex hull, above 0. Below 1, "strict" seldom finds a step after a few rounds.
    variant : str
        "strict" searches on the hull. "sloppy" takes AdaBoost's step and goes back onto the hull,
        as the thesis describes it; "normed" is an older name of the same, for p = 1 and 2.
        "sloppy-as-run" is what the author's program did, and what the published results are of.
        "naive" takes AdaBoost's coefficients to the power 1/p. "gravity" puts a price on ‖b‖_p.
        "accelerated" is "sloppy" with a cost that grows steeper from round to round.
    search : {"newton", "published", "global"}
        Line search of "strict": Newton's in units of the cost; with the absolute tolerance of the
        author's program; or over all steps, of which none but a better one is taken.
    weight_update : {"adaboost", "pboost"}
        Of "naive": weights from AdaBoost's coefficients, or from the powered ones.
    signed : bool
        Of "naive": give hypotheses worse than guessing a negative coefficient instead of stopping.
    penalty : float
        Of "gravity": λ, the price of the p-norm, at least 0; 0 is AdaBoost.
    acceleration : float
        Of "accelerated": λ, at least 0; the cost is exp(-α t^λ) in round t; 0 is "sloppy".
    max_restarts : int
        How often a run that finds no step or no edge goes on from the prior weights.
    tol : float or None
        Stop when the bounds on the largest margin are this close; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Barnes, *Capacity Control in Boosting using a p-Convex Hull*, honours thesis, ANU 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from marginboost import PBoostClassifier
    >>> from marginboost.datasets import ring
    >>> X, y = ring(200, noise=0.1)
    >>> model = PBoostClassifier(p=1.5).fit(X, y)
    >>> bool(abs(np.sum(model.estimator_weights_**1.5) - 1.0) < 1e-12)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "exponential loss over votes with ‖b‖_p = 1, in seven variants",
        "guarantee": "‖b‖_p = 1 in every round; bounds on ρ* as for AdaBoost",
        "reference": "Barnes 1999, chapters 3, 4 and 6",
    }
    __constraints__: ClassVar[Constraints] = {
        "p": Number(above=0.0),
        "variant": VARIANTS,
        "search": SEARCHES,
        "weight_update": WEIGHT_UPDATES,
        "signed": (False, True),
        "penalty": Number(at_least=0.0),
        "acceleration": Number(at_least=0.0),
        "max_restarts": Number(at_least=0, integer=True),
    }
    __effects__: ClassVar[Effects] = {
        "search": Where("variant", ("strict",)),
        "weight_update": Where("variant", ("naive",)),
        "signed": (Where("variant", ("naive",)), Where("estimator", offers_worse)),
        "penalty": Where("variant", ("gravity",)),
        "acceleration": Where("variant", ("accelerated",)),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        p: float = 1.5,
        variant: str = "strict",
        search: str = "newton",
        weight_update: str = "adaboost",
        signed: bool = False,
        penalty: float = 0.1,
        acceleration: float = 0.5,
        max_restarts: int = 0,
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
        self.p = p
        self.variant = variant
        self.search = search
        self.weight_update = weight_update
        self.signed = signed
        self.penalty = penalty
        self.acceleration = acceleration
        self.max_restarts = max_restarts

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(lambda problem, chosen: hull_rule(self, float(self.p)))


def hull_rule(estimator: Any, p: float) -> PHullRule:
    """Rule of a variant, with the parameters of an estimator and this p."""
    restarts = estimator.max_restarts
    if estimator.variant == "strict":
        return StrictPBoost(p, estimator.search, restarts)
    if estimator.variant == "sloppy-as-run":
        return SloppyPBoostAsRun(p, restarts)
    if estimator.variant == "naive":
        return NaivePBoost(p, estimator.weight_update, bool(estimator.signed), restarts)
    if estimator.variant == "gravity":
        return GravityPBoost(p, float(estimator.penalty), restarts)
    accelerated = float(estimator.acceleration) if estimator.variant == "accelerated" else 0.0
    return SloppyPBoost(p, accelerated, restarts)
