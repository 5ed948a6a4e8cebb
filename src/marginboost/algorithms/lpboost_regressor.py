"""CG-Regression: regression with a tube, by column generation (R2-A10, R2-P3 to R2-P5; Alg. 5.8).

Problem, with prior weights p (1/N without sample_weight), F = Σ α h and a free intercept b:

    min_{α >= 0, b, ε >= 0}  price Σα + Σ_i p_i [|y_i - F(x_i) - b| - ε]_+  + ν ε        (eq. 5.12)
    dual:  max_d Σ y d   s.t.  Σd = 0,  Σ|d| <= ν,  every edge Σ d h(x) <= price,  |d_i| <= p_i.

With ε given there is no ν ε, and the dual gains - ε Σ|d| instead of the bound on Σ|d| (eq. 5.11).
With a quantile q the cost is the pinball ``q [r]_+ + (1 - q) [-r]_+``, and -(1 - q) p <= d <= q p.
Rows inside the tube have no weight, and none has more than its share: far outliers count as near.

The thesis scales C in two ways (R2-X5): its formulas price Σα by C, its experiments the loss. Here
``C_scale="loss"``, that of the experiments, is price = 1/C; "regularizer" is price = C.

Each round asks the oracle for the best hypotheses under d and solves the program over all found, as
LPBoost does for margins: by the simplex method, an interior-point method, or rounded off.

Certificate: with P(0) the cost of the best constant and s the spread of the targets, bounds are on
(P(0) - P) / s, what is gained over that constant. From below by any combination; from above by any
signed weights, balanced so that Σd = 0 and stretched as far as box, ν and price allow. Both are
computed from scratch, with all rounding counted against them (masters/tube_bounds.py).
Rate: finite for a finite class with exact solutions (Thm 5.7).

References: Rätsch, Demiriz & Bennett, *Sparse regression ensembles in infinite and finite
hypothesis spaces*, 2002; Rätsch 2001, section 5.4.1; Koenker & Bassett 1978.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.sample import Sample
from ..estimators.constructors import forward
from ..estimators.regressor import BaseBoostRegressor, document
from ..fitting.algorithm import Algorithm, Chosen, Outcome
from ..fitting.problem import Problem
from ..oracles.stumps import StumpOracle
from ..solvers.masters.choice import MASTERS
from ..validation import Constraints, Effects, Number, Where, check_number, is_given
from .gradient_boost_regressor import check_spread
from .leveraging_regressor import unit_of_targets
from .lp_regression import LPRegression

LOSSES = ("epsilon-insensitive", "quantile")
SCALES = ("loss", "regularizer")
DESCENT_TOL = 1e-4
"""Gap down to which descent in levels goes where none is asked for."""
NOISE, LEAST_PRICE = 0.5, 0.01
"""Default price: edges of hypotheses that mean nothing are about 1 / √N; few rows ask for more."""


@document
class LPBoostRegressor(BaseBoostRegressor):
    """Robust regression with a certificate: a tube, or a quantile, solved to a proven gap.

    Residuals inside the tube cost nothing, those outside their distance from it: a wild target has
    no more weight than one just outside. With ``loss="quantile"`` the model is a conditional
    quantile, and two of them are a prediction interval.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    loss : {"epsilon-insensitive", "quantile"}
        What residuals cost.
    epsilon : float or None
        Half width of the tube, in units of the targets; 0 is the absolute loss. None finds it.
    nu : float
        Share of rows that are to lie outside of the tube that is found, in (0, 1]: at most so many
        do, and no fewer lie outside or on its edge. Read where ``epsilon`` is None.
    quantile : float
        Quantile aimed at, in (0, 1). Read with ``loss="quantile"``.
    C : float or None
        What the loss weighs against Σα, see ``C_scale``. Hypotheses with an edge of at most the
        price 1 / C have no part in the model: with ν below that price, none has. None is a price of
        0.5 / √N, N the number of rows with weights counted, but no less than 0.01.
    C_scale : {"loss", "regularizer"}
        Whether C multiplies the mean loss, as in the experiments of the thesis, so that a larger C
        is a finer model, or Σα, as in its formulas: then a larger one is a simpler model.
    solver : {"auto", "simplex", "interior", "smooth"}
        Master problem: the simplex method (exact, up to some thousand rows), an interior-point
        method (nearly exact) or the tube's edges rounded off (for many rows). "auto" takes the
        first up to 500 rows, the second up to 2000, else the last, which begins with descent in the
        levels of all stumps where these have neither missing values nor categories.
    solver_time_limit : float or None
        Most seconds for one master problem. Where they do not suffice, the run ends with
        ``stop_reason_`` "solver", the best model so far and bounds that hold.
    tol : float or None
        Gap at which to stop, in units of the targets' spread.
    {common}

    Attributes
    ----------
    epsilon_ : float
        Half width of the tube around the predictions; 0 of a quantile.
    spread_ : float
        Median distance of the targets from their median: unit of the certificate.
    {fitted}

    References
    ----------
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, section 5.4.1. Rätsch, Demiriz and
    Bennett, *Sparse regression ensembles in infinite and finite hypothesis spaces*, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from marginboost import LPBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LPBoostRegressor(nu=0.4).fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3), model.certified_
    (True, True)
    >>> outside = abs(y - model.predict(X)) > model.epsilon_ + 1e-6
    >>> bool(outside.mean() <= 0.4)
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {"explains": False}
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least absolute residuals outside of a tube, or of a quantile, plus Σα / C",
        "guarantee": "solved to a certified gap; at most a share ν of rows outside of the tube",
        "reference": "Rätsch et al. 2002; Rätsch 2001, Alg. 5.8",
    }
    __constraints__: ClassVar[Constraints] = {
        "loss": LOSSES,
        "epsilon": Number(at_least=0.0, optional=True),
        "nu": Number(above=0.0, at_most=1.0),
        "quantile": Number(above=0.0, below=1.0),
        "C": Number(above=0.0, optional=True),
        "C_scale": SCALES,
        "solver": ("auto", *MASTERS),
        "solver_time_limit": Number(above=0.0, optional=True),
    }
    __effects__: ClassVar[Effects] = {
        "epsilon": Where("loss", ("epsilon-insensitive",)),
        "nu": (Where("loss", ("epsilon-insensitive",)), Where("epsilon", (None,))),
        "quantile": Where("loss", ("quantile",)),
        "C_scale": Where("C", is_given),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        loss: str = "epsilon-insensitive",
        epsilon: float | None = None,
        nu: float = 0.5,
        quantile: float = 0.5,
        C: float | None = None,
        C_scale: str = "loss",
        solver: str = "auto",
        solver_time_limit: float | None = None,
        tol: float | None = 1e-3,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.loss = loss
        self.epsilon = epsilon
        self.nu = nu
        self.quantile = quantile
        self.C = C
        self.C_scale = C_scale
        self.solver = solver
        self.solver_time_limit = solver_time_limit

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        solver, seconds = self.solver, self.solver_time_limit
        every_stump = self.estimator is None and solver in ("auto", "smooth")
        settings: dict[str, Any] = {
            "solver": solver,
            "solver_seconds": seconds,
            "descent_tol": (self.tol or DESCENT_TOL) if every_stump else None,
        }

        def rule(problem: Problem, chosen: Chosen) -> LPRegression:
            return LPRegression(self._price(problem.sample), *self._kind(), **settings)

        def tube(outcome: Outcome) -> dict[str, Any]:
            run, own = outcome.run, rule(outcome.problem, outcome.chosen)
            own.make_problem(run.sample)
            return {"epsilon_": own.width(run.sample.y - run.scores)}

        # Several stumps of a feature in a round: rounds are what takes time.
        usual = StumpOracle(cuts_per_feature=16)
        return self._make_algorithm(
            rule,
            oracle=self._base_learner(lambda: usual),
            choose=lambda problem, oracle: unit_of_targets(problem.sample),
            facts=tube,
            chosen_names=("epsilon_", "spread_"),
            check_chosen=_check_tube,
        )

    def _price(self, sample: Sample) -> float:
        """Price of Σα against the mean loss."""
        if self.C is None:
            return max(NOISE / math.sqrt(max(sample.total, 1.0)), LEAST_PRICE)
        return 1.0 / self.C if self.C_scale == "loss" else self.C

    def _kind(self) -> tuple[float | None, float | None, float | None]:
        """ε, ν or the quantile: one of them."""
        if self.loss == "quantile":
            return None, None, self.quantile
        return (None, self.nu, None) if self.epsilon is None else (self.epsilon, None, None)


def _check_tube(chosen: Chosen) -> None:
    """Raise for a tube or a unit that no fit leaves."""
    check_number("epsilon_", chosen["epsilon_"], at_least=0.0)
    check_spread(chosen)
