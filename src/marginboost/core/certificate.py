"""What a run proves about its answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Certificate:
    """Bracket around the best value that any combination of hypotheses can reach.

    For the margin algorithms that value is ρ*, the largest minimum margin. By duality every
    combination gives a lower bound (its own margin) and every weighting of the examples an upper
    bound (its largest edge), so the bracket needs no trust in the algorithm that found it.

    Parameters
    ----------
    lower, upper : float
        Best bounds seen in the run.
    value : float
        What the returned model itself attains.
    certified : bool
        Whether the bounds are a proof. They are not when the base learner does not really return
        the hypothesis of largest edge, nor where a number is infinite or none, nor where the bounds
        contradict each other.
    reason : str
        Why the bracket is, or is not, a proof.
    """

    lower: float
    upper: float
    value: float
    certified: bool
    reason: str

    @classmethod
    def of(cls, lower: float, upper: float, value: float, proven: bool, reason: str) -> Self:
        """Make a certificate, which is none where the numbers cannot be what they are said to be.

        Parameters
        ----------
        lower, upper, value, reason
            As above.
        proven : bool
            Whether nothing but the numbers could speak against the bounds.
        """
        against = _contradiction(lower, upper, value) if proven else ""
        return cls(lower, upper, value, proven and not against, against or reason)

    @property
    def gap(self) -> float:
        """Distance between the bounds."""
        return self.upper - self.lower

    def __str__(self) -> str:
        word = "certified" if self.certified else "not certified"
        return (
            f"{self.lower:.6g} <= optimum <= {self.upper:.6g} "
            f"(gap {self.gap:.3g}, {word}: {self.reason}); this model has {self.value:.6g}"
        )


def _contradiction(lower: float, upper: float, value: float) -> str:
    """Why these numbers cannot be a proof, whatever made them; empty if they can."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return "no finite bound was found"
    if not math.isfinite(value):
        return "what the model attains is no finite number"
    if lower > upper:
        return "the bounds contradict each other: rounding has spoilt one of them"
    return ""
