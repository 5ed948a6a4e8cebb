"""What a loss is: a function of one number, and how that number comes from label and score.

Every loss here is ``L(y, F) = φ(t)`` with an argument t that is affine in the score F:

    margin loss      t = y F     (labels -1 and +1)
    residual loss    t = y - F   (any number y; labels -1 and +1 too)

From φ alone follow, pointwise and for whole arrays (R1-Q29, R1-Q30, R2-P2),

    dual(t)          the weight d of an example: -φ'(t) of a margin, φ'(t) of a residual
    curvature(t)     φ''(t), which is ∂²L/∂F² for both kinds
    conjugate(d)     sup_t (± d t - φ(t)), the Bregman function on weights; - for margins
    inverse(d)       the argument with that dual: ± its gradient
    divergence(d, e) the Bregman divergence that the conjugate makes

and on a sample, with signed weights ``g = -∂L/∂F`` as oracles want them,

    signed(y, d)     g from the dual: y d of a margin, d of a residual
    dual_value(y, d) -sup_F (-g F - L(y, F)), what the example adds to Fenchel's dual program

so that for any scores and any duals ``Σ L(y, F) + Σ g F >= Σ dual_value``, with equality where the
duals are those of the scores. Rules, solvers and gradient boosting need nothing else of a loss.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from .. import losses
from ..on_demand import import_all
from ..types import Array


class Loss(ABC):
    """A loss of one number.

    A subclass with a ``name`` of its own, outside a module whose name starts with an underscore, is
    registered by it. Losses are frozen data classes: settings in, nothing remembered, equal by
    their settings. Arrays in, arrays of the same shape out, correct to rounding at any size of
    argument.
    """

    __registry__: ClassVar[dict[str, type[Loss]]] = {}
    of_targets: ClassVar[dict[str, type[Loss]]] = {}
    """Those that are for numbers only."""

    name: ClassVar[str] = ""
    convex: ClassVar[bool] = True
    """Whether φ is; one that is not has neither conjugate nor divergence."""
    smooth: ClassVar[bool] = True
    """Whether the dual is continuous."""
    symmetric: bool = True
    """Whether ``L(-y, -F) = L(y, F)``: of a residual, whether φ(-t) = φ(t)."""
    of_labels: ClassVar[bool] = True
    """Whether classifiers can use it."""
    median_leaves: bool = False
    """Whether trees grow on slopes alone and leaves are medians of residuals."""
    squared_unit: float | None = None
    """The u of a loss that is ``u² ½ (t/u)²``, for which there is a kernel; None of any other."""
    orientation: ClassVar[int]
    """Sign of the dual in terms of φ': -1 for margins, +1 for residuals."""

    @property
    @abstractmethod
    def dual_range(self) -> tuple[float, float]:
        """Least and largest dual, or what they tend to."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("name") and not cls.__module__.rpartition(".")[2].startswith("_"):
            (Loss.__registry__ if cls.of_labels else Loss.of_targets)[cls.name] = cls

    # -- of one number ---------------------------------------------------------------------------

    @abstractmethod
    def value(self, t: Array) -> Array:
        """φ(t)."""

    @abstractmethod
    def dual(self, t: Array) -> Array:
        """Weight that an example with this argument gets."""

    @abstractmethod
    def curvature(self, t: Array) -> Array:
        """φ''(t), 0 at kinks of the dual."""

    def dual_and_curvature(self, t: Array) -> tuple[Array, Array]:
        """Both at once: searches ask for nothing else, and losses share exponentials."""
        return self.dual(t), self.curvature(t)

    def conjugate(self, d: Array) -> Array:
        """Conjugate at a dual; infinite where no argument could have it."""
        raise self._no_dual_side()

    def conjugate_terms(self, d: Array) -> Array:
        """Size of the numbers of which the conjugate is the difference, for what it rounds."""
        return np.abs(self.conjugate(d)) + np.abs(self.conjugate(np.zeros(()))) + np.abs(d)

    def inverse(self, d: Array) -> Array:
        """Argument with dual ``d``; where there are several, the one nearest to ``t = 0`` or 1."""
        raise self._no_dual_side()

    def divergence(self, d: Array, e: Array) -> Array:
        """Bregman divergence ``Δ(d, e)`` of the conjugate: 0 where d = e, else not less (3.11)."""
        d, e = np.broadcast_arrays(np.asarray(d, dtype=float), np.asarray(e, dtype=float))
        with np.errstate(invalid="ignore", divide="ignore"):
            rise = self.orientation * self.inverse(e) * (d - e)
            gap = self.conjugate(d) - self.conjugate(e) - rise
        return np.where(d == e, 0.0, np.maximum(gap, 0.0))

    def _no_dual_side(self) -> TypeError:
        return TypeError(f"the {self.name} loss is not convex: it has no conjugate")

    # -- on a sample -----------------------------------------------------------------------------

    @abstractmethod
    def argument(self, y: Array | float, scores: Array) -> Array:
        """``y F`` or ``y - F``."""

    @abstractmethod
    def signed(self, y: Array | float, d: Array) -> Array:
        """Signed weights ``-∂L/∂F`` from the duals."""

    def derivatives(self, y: Array, scores: Array) -> tuple[Array, Array, Array]:
        """``L(y, F)``, ``∂L/∂F`` and ``∂²L/∂F²`` of every example."""
        t = self.argument(y, scores)
        return self.value(t), -self.signed(y, self.dual(t)), self.curvature(t)

    def dual_value(self, y: Array, d: Array) -> Array:
        """What an example with dual ``d`` adds to Fenchel's dual program."""
        return self.orientation * self.argument(y, np.zeros(np.shape(d))) * d - self.conjugate(d)

    def probability(self, scores: Array) -> Array:
        """Probability of the label +1 for which ``F`` has the least expected loss.

        There the pull of the label +1 up and that of -1 down are in balance:
        ``p · up = (1 - p) · down``.
        """
        scores = np.asarray(scores, dtype=float)
        up, down = (
            np.maximum(y * self.signed(y, self.dual(self.argument(y, scores))), 0.0)
            for y in (1.0, -1.0)
        )
        total = up + down
        return np.where(total > 0.0, down / np.where(total > 0.0, total, 1.0), 0.5)


class MarginLoss(Loss):
    """A loss of the margin ``y F``: small where the label is met with room to spare."""

    orientation = -1

    @property
    def dual_range(self) -> tuple[float, float]:
        """No dual is negative, if the loss is convex."""
        return (0.0 if self.convex else -np.inf), np.inf

    def argument(self, y: Array | float, scores: Array) -> Array:
        """``y F``."""
        return y * scores

    def signed(self, y: Array | float, d: Array) -> Array:
        """``y d``."""
        return y * d


class ResidualLoss(Loss):
    """A loss of the residual ``y - F``; a symmetric one is, for labels, a loss of ``1 - y F``."""

    orientation = 1

    @property
    def dual_range(self) -> tuple[float, float]:
        """All numbers: residuals pull either way."""
        return -np.inf, np.inf

    def argument(self, y: Array | float, scores: Array) -> Array:
        """``y - F``."""
        return y - scores

    def signed(self, y: Array | float, d: Array) -> Array:
        """``d`` itself."""
        return d


def as_loss(argument: str, value: Any) -> Loss:
    """Loss meant by a setting: itself, or its name.

    >>> as_loss("loss", "huber")
    Huber(sigma=1.0)
    >>> as_loss("loss", "hubert")
    Traceback (most recent call last):
        ...
    ValueError: loss: got 'hubert', expected a Loss or one of 'epsilon-insensitive', ...
    """
    if isinstance(value, Loss):
        return value
    if not (isinstance(value, str) and value in Loss.__registry__):
        import_all(losses)  # so that all are registered
    if isinstance(value, str) and value in Loss.__registry__:
        return Loss.__registry__[value]()
    expected = f"a Loss or one of {', '.join(map(repr, sorted(Loss.__registry__)))}"
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{argument}: got {value!r}, expected {expected}")


def known_losses() -> dict[str, type[Loss]]:
    """All losses by name, those that are for numbers only among them."""
    import_all(losses)  # so that all are registered
    return {**Loss.__registry__, **Loss.of_targets}


def as_target_loss(argument: str, value: Any) -> Loss:
    """Loss of numeric targets that is meant by a setting: itself, or its name.

    >>> as_target_loss("loss", "tweedie")
    Tweedie(power=1.5)
    """
    if isinstance(value, str) and value not in Loss.__registry__:
        kind = known_losses().get(value)
        value = value if kind is None else kind()
    return as_loss(argument, value)
