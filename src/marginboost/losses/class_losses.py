"""Losses of several classes: functions of the probability that a softmax gives the label.

With ``p`` the softmax of the K scores of a row, a transition matrix T and a function ψ,

    z_k = Σ_j T_jk p_j,        L(y, F) = ψ(z_y)

T_jk is the probability that a row of class j was given label k (rows sum to one); without noise it
is the identity, and z = p. Slopes and the diagonal of the curvature follow from ψ alone:

    ∂z_k/∂F_l = p_l (T_lk - z_k),     ∂²z_k/∂F_l² = p_l (1 - 2 p_l) (T_lk - z_k)

========================== ====================== ==============================================
loss                       ψ(z)                   what it does with wrong labels
========================== ====================== ==============================================
softmax                    -log z                 follows them
noisy-softmax              -log z, T given        forward correction (Patrini et al. 2017)
generalised-cross-entropy  (1 - z^q) / q          gives hopeless rows up (Zhang & Sabuncu 2018)
robust-focal               (1 - z)^r (1 - z^q)/q  also lets go of easy rows (Luo et al. 2023)
========================== ====================== ==============================================

With two classes they are the losses of the same names of the margin F_2 - F_1 ("softmax" is
"logistic", "noisy-softmax" with one rate "noisy-logistic").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import log_softmax, softmax

from ..types import Array
from ..validation import check_number

LEAST = 1e-300
"""Least probability that a logarithm or a power is taken of."""
ROUNDING = 1e-16
"""Least complement of a probability: a smaller one is lost in the rounding of 1."""
ROW_SUM = 1e-9
"""How far rows of a transition matrix may be from a sum of one."""


class ClassLoss(ABC):
    """A loss of the scores of several classes; a frozen data class with a ``name``."""

    __registry__: ClassVar[dict[str, type[ClassLoss]]] = {}
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("name"):
            ClassLoss.__registry__[cls.name] = cls

    @abstractmethod
    def psi(self, z: Array) -> tuple[Array, Array, Array]:
        """``ψ(z)``, and ``-ψ'(z) z`` and ``ψ''(z) z²``, which are finite where ψ' is not."""

    def matrix(self, n_classes: int) -> Array | None:
        """T for so many classes; None is the identity."""
        return None

    # -- of whole rows ---------------------------------------------------------------------------

    def values(self, scores: Array, labels: Array) -> Array:
        """Loss of every row.

        Parameters
        ----------
        scores : array (rows, K)
            F.
        labels : array of int
            Given classes, as positions.
        """
        return self.psi(self._given(scores, labels)[1])[0]

    def slopes(self, scores: Array, labels: Array) -> tuple[Array, Array, Array]:
        """Values, slopes ``-∂L/∂F_l`` and curvatures ``∂²L/∂F_l²`` of every row and class."""
        p, z, towards = self._given(scores, labels)
        value, pull, change = self.psi(z)
        move = p * (towards - z[:, None]) / z[:, None]  # (∂z/∂F_l) / z
        slope = pull[:, None] * move
        curvature = change[:, None] * move**2 - slope * (1.0 - 2.0 * p)
        return value, slope, curvature

    def _given(self, scores: Array, labels: Array) -> tuple[Array, Array, Array]:
        """``p``, ``z`` of the given label, and its column of T for every row."""
        p = np.maximum(softmax(scores, axis=1), LEAST)
        matrix = self.matrix(scores.shape[1])
        if matrix is None:
            own = np.arange(len(labels)), labels
            towards = np.zeros_like(p)
            towards[own] = 1.0
            return p, p[own], towards
        towards = matrix[:, labels].T
        return p, np.maximum((p * towards).sum(axis=1), LEAST), towards

    def chances(self, scores: Array) -> Array:
        """Class probabilities for which scores have the least expected loss.

        Where labels are as likely as ``t_k``, no score can be improved if ``t_k ψ'(p_k)`` is the
        same for all classes; with a transition matrix probabilities are those of the true classes.
        """
        logs = np.maximum(log_softmax(scores, axis=1), np.log(LEAST))
        _, pull, _ = self.psi(np.exp(logs))
        return np.asarray(softmax(logs - np.log(np.maximum(pull, LEAST)), axis=1))


@dataclass(frozen=True)
class Softmax(ClassLoss):
    """``-log p_y``: the multinomial log loss.

    >>> Softmax().values(np.zeros((1, 4)), np.array([2])).round(6)
    array([1.386294])
    >>> Softmax().values(np.array([[0.0, 800.0]]), np.array([0]))
    array([800.])
    """

    name = "softmax"

    def values(self, scores: Array, labels: Array) -> Array:
        """Losses of all rows, also where the label's probability is no number above zero."""
        if self.matrix(scores.shape[1]) is not None:
            return super().values(scores, labels)
        return np.asarray(-log_softmax(scores, axis=1)[np.arange(len(labels)), labels])

    def psi(self, z: Array) -> tuple[Array, Array, Array]:
        """``-log z``."""
        return -np.log(z), np.ones_like(z), np.ones_like(z)


@dataclass(frozen=True)
class NoisySoftmax(Softmax):
    """``-log Σ_j T_jy p_j``: the likelihood of labels that a known noise has changed.

    Scores are log-probabilities of the true classes, and so are probabilities. Not convex.

    Parameters
    ----------
    transition : float or nested sequence (K, K)
        Probability that a row of class j (row of the matrix) has label k (column), as a matrix with
        classes in sorted order; or one number, the share of wrong labels, spread evenly over the
        other classes.

    References
    ----------
    Patrini, Rozza, Menon, Nock and Qu, *Making deep neural networks robust to label noise: a loss
    correction approach*, 2017.

    Examples
    --------
    >>> loss = NoisySoftmax(((0.9, 0.1, 0.0), (0.0, 1.0, 0.0), (0.2, 0.0, 0.8)))
    >>> loss.values(np.array([[0.0, 0.0, 50.0]]), np.array([0])).round(6)
    array([1.609438])
    """

    transition: Any = 0.1

    name = "noisy-softmax"

    def __post_init__(self) -> None:
        if np.ndim(self.transition) == 0:
            check_number("transition", self.transition, at_least=0.0, below=1.0)
            return
        try:
            matrix = np.array(self.transition, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"transition: got {self.transition!r}, expected numbers ({error})"
            ) from error
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
            raise ValueError(f"transition: got shape {matrix.shape}, expected a square matrix")
        off = np.abs(matrix.sum(axis=1) - 1.0)
        if not (matrix >= 0.0).all() or not (off <= ROW_SUM).all():
            raise ValueError("transition: expected rows of probabilities, each with sum one")
        plain = tuple(tuple(row) for row in matrix.tolist())
        object.__setattr__(self, "transition", plain)  # equal by what is in it

    def matrix(self, n_classes: int) -> Array | None:
        """The matrix, or that of the rate."""
        if np.ndim(self.transition) == 0:
            other = self.transition / (n_classes - 1)
            return np.where(np.eye(n_classes, dtype=bool), 1.0 - self.transition, other)
        matrix = np.array(self.transition)
        if len(matrix) != n_classes:
            raise ValueError(
                f"transition: got {len(matrix)} rows, expected one for each of {n_classes} classes"
            )
        return matrix


@dataclass(frozen=True)
class ClassCrossEntropy(ClassLoss):
    """``(1 - p_y^q) / q``: generalised cross-entropy of several classes.

    Parameters
    ----------
    q : float
        Between 0, the softmax loss, and 1, the absolute one.
    """

    q: float = 0.7

    name = "generalised-cross-entropy"

    def __post_init__(self) -> None:
        check_number("q", self.q, above=0.0, below=1.0)

    def psi(self, z: Array) -> tuple[Array, Array, Array]:
        """``(1 - z^q) / q``."""
        power = z**self.q
        return -np.expm1(self.q * np.log(z)) / self.q, power, (1.0 - self.q) * power


@dataclass(frozen=True)
class ClassRobustFocal(ClassLoss):
    """``(1 - p_y)^r (1 - p_y^q) / q``: robust focal loss of several classes.

    Parameters
    ----------
    r : float
        At least 0: the larger, the less count rows that are right.
    q : float
        Between 0 and 1: the larger, the earlier rows are given up.
    """

    r: float = 0.5
    q: float = 0.3

    name = "robust-focal"

    def __post_init__(self) -> None:
        check_number("r", self.r, at_least=0.0)
        check_number("q", self.q, above=0.0, below=1.0)

    def psi(self, z: Array) -> tuple[Array, Array, Array]:
        """``(1 - z)^r (1 - z^q) / q``."""
        r, q = self.r, self.q
        s = np.maximum(1.0 - z, ROUNDING)
        power, short = z**q, -np.expm1(q * np.log(z)) / q
        pull = s**r * (r * z * short / s + power)
        change = s**r * (r * (r - 1.0) * (z / s) ** 2 * short + 2.0 * r * z * power / s)
        return s**r * short, pull, change + s**r * (1.0 - q) * power


def as_class_loss(argument: str, value: Any) -> ClassLoss:
    """Loss of several classes that is meant by a setting: itself, or its name.

    >>> as_class_loss("loss", "noisy-softmax")
    NoisySoftmax(transition=0.1)
    """
    if isinstance(value, ClassLoss):
        return value
    if isinstance(value, str) and value in ClassLoss.__registry__:
        return ClassLoss.__registry__[value]()
    expected = f"a ClassLoss or one of {', '.join(map(repr, sorted(ClassLoss.__registry__)))}"
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{argument}: got {value!r}, expected {expected}")
