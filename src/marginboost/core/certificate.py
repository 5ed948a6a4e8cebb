"""What a run proves about its answer."""

from __future__ import annotations

from dataclasses import dataclass


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
        the hypothesis of largest edge, nor where one of them is not a number or infinite.
    reason : str
        Why the bracket is, or is not, a proof.
    """

    lower: float
    upper: float
    value: float
    certified: bool
    reason: str

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
