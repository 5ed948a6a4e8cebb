"""A bound that knows its theorem: the number, what it is made of, and what makes it valid or void.

A formula on its own is easily misused: with an empirical risk where none is allowed, below its
least sample size, with a constant that nobody knows. So every theorem here returns a
:class:`Bound`, which is a float and says these things when printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Assumption:
    """Something that a theorem needs.

    Attributes
    ----------
    text : str
        What is needed.
    holds : bool or None
        Whether it holds; None where only the user can know.
    """

    text: str
    holds: bool | None = None

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO", None: "to be judged"}[self.holds]
        return f"{self.text}: {mark}"


INDEPENDENT = Assumption("examples are drawn independently, from the distribution to be predicted")
"""What all of the bounds need, and no computation can check."""
FIXED_CLASS = Assumption("the class was fixed before the sample was seen")
OPEN_CONSTANT = Assumption(
    "the constant is known (the theorem leaves it open: the number orders models)", False
)


class Bound(float):
    """A number that a theorem puts above an error rate, with what makes it valid.

    It is a float, infinite where a formula says nothing, and may exceed one: then it is vacuous.

    Parameters
    ----------
    value : float
        The bound.
    name : str
        Name of the theorem.
    source : str
        Where it comes from: an id of ``docs/catalogue``.
    terms : mapping of str to float
        What it is the sum of.
    delta : float
        Probability with which it may fail.
    assumptions : iterable of Assumption
        What the theorem needs; those that every bound needs are added.

    Examples
    --------
    >>> from marginboost.capacity import finite_class_bound
    >>> print(finite_class_bound(1000, 1e6, 0.1))
    finite class (SF-Q11): error <= 0.1917 with probability 0.95
      0.1000  empirical risk
      0.0917  capacity and confidence
      examples are drawn independently, from the distribution to be predicted: to be judged
      the class was fixed before the sample was seen: to be judged
    """

    name: str
    source: str
    terms: dict[str, float]
    delta: float
    assumptions: tuple[Assumption, ...]

    def __new__(
        cls,
        value: float,
        name: str = "",
        source: str = "",
        terms: Mapping[str, float] | None = None,
        delta: float = 0.05,
        assumptions: Iterable[Assumption] = (),
    ) -> Bound:
        """Make the number, and keep what it is made of."""
        bound = super().__new__(cls, value)
        bound.name, bound.source, bound.delta = name, source, delta
        bound.terms = dict(terms or {})
        bound.assumptions = (INDEPENDENT, *assumptions)
        return bound

    @property
    def valid(self) -> bool:
        """Whether no assumption is known to fail."""
        return all(assumption.holds is not False for assumption in self.assumptions)

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: no error rate exceeds one."""
        return not float(self) < 1.0

    @property
    def verdict(self) -> str:
        """One word: "void" if an assumption fails, "vacuous" if it says nothing, else "valid"."""
        return "void" if not self.valid else "vacuous" if self.vacuous else "valid"

    def __str__(self) -> str:
        head = (
            f"{self.name} ({self.source}): error <= {float(self):.4f} with probability "
            f"{1.0 - self.delta:g}"
        )
        if self.verdict != "valid":
            head = f"{head}, {self.verdict}"
        terms = [f"  {value:.4f}  {name}" for name, value in self.terms.items()]
        return "\n".join([head, *terms, *(f"  {needed}" for needed in self.assumptions)])

    def __repr__(self) -> str:
        return f"<Bound {float(self):.6g} by {self.name}, {self.verdict}>"

    # a float's own hash and equality serve; a copy keeps what the number is made of
    def __reduce__(self) -> tuple[Any, ...]:
        details = (self.name, self.source, self.terms, self.delta, self.assumptions[1:])
        return Bound, (float(self), *details)


def excess_bound(
    name: str,
    source: str,
    empirical_risk: float,
    excess: float,
    delta: float,
    *assumptions: Assumption,
    risk_name: str = "empirical risk",
) -> Bound:
    """Bound made of a risk on the sample and what capacity and confidence add."""
    terms = {risk_name: float(empirical_risk), "capacity and confidence": float(excess)}
    return Bound(math.fsum(terms.values()), name, source, terms, delta, assumptions)
