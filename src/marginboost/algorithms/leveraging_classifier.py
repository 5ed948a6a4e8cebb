"""The classifier that minimises any smooth loss.

Problem, certificate and references are those of its rule, in :mod:`.leveraging`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..estimators.base import SEVERAL
from ..estimators.classifier import document
from ..estimators.constructors import forward
from ..estimators.soft_labels import SoftLabels
from ..fitting.algorithm import Algorithm
from ..losses import Exponential, Logistic, Loss, Squared, as_loss
from ..model import LossLink
from ..validation import Constraints, Effects, Number, Where
from .leveraging import CORRECTIONS, Leveraging


@document
class LeveragingClassifier(SoftLabels):
    """Boosting with any smooth loss, corrective or totally corrective.

    The certificate is about the share of the empty model's loss that is saved, among all
    combinations whose Σα is at most this model's.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is the exact stump, with which the bounds are proven. Trees with
        ``criterion="Z"`` make it confidence-rated boosting.
    n_estimators : int
        Most rounds.
    loss : str or Loss
        "logistic", "exponential" (AdaBoost), "squared", "squared-hinge", "smoothed-hinge",
        "log-cosh", "huber", "epsilon-insensitive"; for wrong labels also those that are not
        convex, "savage", "tangent", "generalised-cross-entropy", "robust-focal" and
        "noisy-logistic", without certificate; or a smooth
        :class:`~marginboost.losses.Loss` with settings of its own.
    learning_rate : float
        Factor on every step; with a correction, the share of the way to the new coefficients.
    step : {"exact", "closed"}
        Search along the new hypothesis, or ½ log(W+/W-): the same for the exponential loss and
        outputs of -1 and +1, quicker and shorter for the logistic; for the squared loss the
        quotient of least squares, always.
    max_step : float or None
        Longest step.
    selection : {"edge", "improvement"}
        Take the hypothesis of largest edge, or, among ``columns`` of them, that which lowers the
        loss most.
    correction : {"none", "newton", "sweeps", "parallel"}
        What to do with all coefficients once a round has its hypotheses: nothing; minimise over all
        of them by Newton's method; over each in turn; change all at once. Corrections need a convex
        loss, and memory for the outputs of all hypotheses.
    columns : int or None
        Hypotheses asked of the base learner in a round, with a correction or
        ``selection="improvement"``; None is 4. Stumps give at most one per feature.
    tol : float or None
        Stop when no combination with the Σα of the present one can save more than this share of the
        empty model's loss in addition. Short steps can make that true early.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Friedman, Hastie and Tibshirani, *Additive logistic regression: a statistical view of boosting*,
    2000. Collins, Schapire and Singer, *Logistic regression, AdaBoost and Bregman distances*, 2002.
    Rätsch, *Robust Boosting via Convex Optimization*, 2001, chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import LeveragingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LeveragingClassifier(loss="logistic", n_estimators=30).fit(X, y)
    >>> bool(model.certificate_.lower <= model.certificate_.upper)
    True
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least loss, any smooth one; one coefficient per round, or all",
        "guarantee": "linear rate if minimisers are finite; certified among models of its Σα",
        "reference": "Friedman et al. 2000; Collins et al. 2002; Rätsch 2001, Alg. 3.4",
    }
    __constraints__: ClassVar[Constraints] = {
        "learning_rate": Number(above=0.0, at_most=1.0),
        "step": ("exact", "closed"),
        "max_step": Number(above=0.0, optional=True),
        "columns": Number(at_least=1, integer=True, optional=True),
        "selection": ("edge", "improvement"),
        "correction": CORRECTIONS,
    }
    __effects__: ClassVar[Effects] = {
        "selection": SEVERAL,
        "columns": (
            Where("selection", ("improvement",), Where("correction", CORRECTIONS[1:])),
            SEVERAL,
        ),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        loss: Loss | str = "logistic",
        learning_rate: float = 1.0,
        step: str = "exact",
        max_step: float | None = None,
        selection: str = "edge",
        correction: str = "none",
        columns: int | None = None,
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
        self.loss = loss
        self.learning_rate = learning_rate
        self.step = step
        self.max_step = max_step
        self.selection = selection
        self.correction = correction
        self.columns = columns

    def _check_correction(self, loss: Loss) -> None:
        """A correction decides about all coefficients: nothing else can decide about one."""
        if self.correction == "none":
            return
        if not loss.convex:
            raise ValueError(
                f"correction: got {self.correction!r} with the {loss.name} loss, which is not "
                "convex, expected 'none'"
            )
        alone = {"step": "exact", "max_step": None, "selection": "edge"}
        for name, neutral in alone.items():
            if getattr(self, name) != neutral:
                raise ValueError(
                    f"{name}: got {getattr(self, name)!r} with correction={self.correction!r}, "
                    f"expected {neutral!r}: it is about one new hypothesis"
                )

    def _algorithm(self) -> Algorithm:
        """Check the parameters, and make the algorithm that they mean."""
        loss = as_loss("loss", self.loss)
        if not loss.smooth:
            raise ValueError(f"loss: got {self.loss!r}, expected one that is smooth")
        if self.step == "closed" and not isinstance(loss, Exponential | Logistic | Squared):
            raise ValueError(
                f"step: got 'closed' with the {loss.name} loss, expected 'exact', or the "
                "exponential, logistic or squared loss"
            )
        self._check_correction(loss)
        settings = self.step, self.learning_rate, self.max_step
        more = self.selection, self.correction, self.columns
        return self._make_algorithm(
            lambda problem, chosen: Leveraging(loss, *settings, *more), link=LossLink(loss)
        )
