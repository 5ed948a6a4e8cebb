"""NMBoost: least shortfalls below a small margin, and a little for the mean margin.

Problem, with prior weights p (1/N without sample_weight), C >= 0 and a target margin θ:

    max_α  Σ_i p_i (C m_i - [θ - m_i]₊)   s.t.  m_i = y_i F(x_i),  Σα = 1,  α >= 0,

a linear program. Margins below θ are what costs: with θ just above 0, these are the rows that the
vote gets wrong. Where LPBoost is given a share ν of rows and finds the margin, here the margin is
given. The dual is

    min_d  max_h Σ_i d_i y_i h(x_i)  -  θ Σ_i (d_i - C p_i)   s.t.  C p_i <= d_i <= (1 + C) p_i.

Every row keeps a weight of C, and none has more than 1 + C times its prior, so that a wrong label
can only do so much. A round solves the program over the hypotheses found so far, by an
interior-point method.

Certificate: any weights in their box give the dual's value above, any α its own value below.
Rate: finite for finitely many hypotheses; none in general.

The published program takes θ = 1/T with T the number of hypotheses at hand, a target that falls as
the run goes on; here θ stays, so that there is one optimum to come close to.

Reference: Akkerman, Ferry, Artigues, Hebrard & Vidal, *Boosting revisited: benchmarking and
advancing LP-based ensemble methods*, 2025.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.objective import NegativeMargin
from ..core.sample import Sample
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import VoteLink
from ..solvers.masters.shortfalls import NegativeMarginMaster, NegativeMargins
from ..validation import Constraints, Number
from ._shortfalls import ShortfallRule

EXACT = 1e-9
"""Gap to which programs are solved where none is asked for."""


class NMBoost(ShortfallRule):
    """Totally corrective minimisation of the shortfalls.

    Parameters
    ----------
    C : float
        What the mean margin is worth.
    target_margin : float
        θ, from where margins fall short.
    accuracy : float
        Gap to which a program is solved, over the hypotheses found.
    """

    def __init__(self, C: float = 0.1, target_margin: float = 0.01, accuracy: float = 1e-3) -> None:
        super().__init__(accuracy)
        self.C = C
        self.target_margin = target_margin

    @property
    def objective(self) -> NegativeMargin:
        """Mean margin less shortfalls."""
        return NegativeMargin(self.C, self.target_margin)

    def make_master(self, sample: Sample) -> NegativeMarginMaster:
        """Make the solver of the program."""
        problem = NegativeMargins(sample.prior, self.C, self.target_margin)
        return NegativeMarginMaster(problem, sample.y, sample.n_threads)


@document
class NMBoostClassifier(BaseMarginClassifier):
    """Boosting against negative margins: rows below a small margin cost, others next to nothing.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven.
    n_estimators : int
        Most rounds; the run normally ends earlier, when the gap is closed.
    C : float
        What the mean margin is worth against the mean shortfall, 0 or more. The larger, the less
        a row far on the wrong side can ask for: every row keeps a weight of C, of at most 1 + C.
        Noisier labels want a larger one; colboost's default is 0.01.
    target_margin : float
        Margin below which a row falls short, in [-1, 1].
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    {fitted}

    Notes
    -----
    The bounds of ``certificate_`` are on C times the mean margin less the mean shortfall. A round
    costs rows times the square of the hypotheses: for up to some ten thousand rows.

    References
    ----------
    Akkerman, Ferry, Artigues, Hebrard and Vidal, *Boosting revisited: benchmarking and advancing
    LP-based ensemble methods*, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import NMBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = NMBoostClassifier().fit(X, y)
    >>> bool(model.certificate_.gap <= 1e-3)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least shortfalls below a small margin θ, and C times the mean margin",
        "guarantee": "solved to a certified gap; weights between C and 1 + C times the prior",
        "reference": "Akkerman, Ferry, Artigues, Hebrard & Vidal 2025",
    }
    __constraints__: ClassVar[Constraints] = {
        "C": Number(at_least=0.0),
        "target_margin": Number(at_least=-1.0, at_most=1.0),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        C: float = 0.1,
        target_margin: float = 0.01,
        tol: float | None = 1e-3,
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
        self.target_margin = target_margin

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        return self._make_algorithm(
            lambda problem, chosen: NMBoost(self.C, self.target_margin, self.tol or EXACT),
            link=VoteLink(),
        )
