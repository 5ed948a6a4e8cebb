"""Kernel functions on the examples as base learner: one of them, or all at once (R2-B2, B.6.2).

The set of hypotheses is ``{Σ_n γ_n k(x_n, ·) / B : |γ|_p <= 1}`` over the examples x_n, with p = 1
or 2. An edge is linear in γ, so its maximum is known:

    p = 1   one function, that of the largest |Σ_n d_n k(x_j, x_n)| (R2-X11)
    p = 2   γ in proportion to K d; the edge is |K d|₂ / B.

B makes outputs lie in [-1, 1] on the examples: the largest |k(x_j, x_n)|, or the largest
|k(·, x_n)|₂, by the inequality of Cauchy and Schwarz. Both answers are exact, and column generation
with them is the linear program of the kernel expansion (R2-C25).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.oracle import Candidate, Oracle
from ..core.weights import Weights
from ..kernels.expansions import function_edges
from ..kernels.parallel import run_rows
from ..kernels.ties import TIE
from ..types import Array
from ..validation import Constraints, Effects, Number, Where
from .coordinates import Coordinates
from .kernel_expansion import HIGHEST_DEGREE, KernelExpansion, measured

KERNELS = ("rbf", "poly")
BLOCK = 256
"""Points of one task: their values for one row stay in the nearest cache."""
LISTED = 64
"""Most candidates of one call: each has a column of its own."""
MOST_POINTS = 20_000
"""Most examples of the dense answers, which hold all of them."""


class KernelOracle(Oracle):
    """Kernel functions centred on the examples, the best one found exactly.

    Edges are summed up over all pairs of examples in every round, a block at a time: time grows
    with the square of the rows, memory does not. Features are standardised; categories become
    indicators (of the 20 most frequent ones), and a missing value counts as the mean.

    Parameters
    ----------
    kernel : {"rbf", "poly"}
        ``exp(-γ |x - x'|²)`` or ``(γ x·x' + coef0)^degree``, as in scikit-learn.
    gamma : float or None
        γ; None is one over the number of standardised coordinates.
    degree : int
        Degree of the polynomial.
    coef0 : float
        Its constant, at least 0.
    norm : {1, 2}
        Which norm of the factors is bounded. With 1 a hypothesis is one kernel function, and few
        are used. With 2 it is a sum over all examples: a model is as large as the training set for
        each round, which at most 20,000 rows may have.

    Examples
    --------
    >>> from marginboost import KernelOracle, LPBoostClassifier
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> y = X[:, 0] * X[:, 1] > 0.0
    >>> model = LPBoostClassifier(KernelOracle(gamma=2.0), nu=0.2).fit(X, y)
    >>> model.certified_, len(model.estimators_) < 100
    (True, True)
    """

    saved = True
    exact = True
    class_name = "kernel functions on the examples"
    __constraints__: ClassVar[Constraints] = {
        "kernel": KERNELS,
        "norm": (1, 2),
        "gamma": Number(above=0.0, at_most=1e6, optional=True),
        "degree": Number(at_least=1, at_most=HIGHEST_DEGREE, integer=True),
        "coef0": Number(at_least=0.0, at_most=1e6),
    }
    __effects__: ClassVar[Effects] = {
        "degree": Where("kernel", ("poly",)),
        "coef0": Where("kernel", ("poly",)),
    }

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        norm: int = 1,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.norm = norm

    @property
    def offers_one(self) -> bool:  # type: ignore[override]
        """Whether a hypothesis is a sum over all examples."""
        return self.norm == 2

    def prepare(self) -> None:
        """Standardise the rows and find the largest value B."""
        self._coordinates, self._rows = Coordinates.learn(self.sample, type(self).__name__)
        if self.norm == 2 and len(self._rows) > MOST_POINTS:
            raise ValueError(
                f"norm=2: got {len(self._rows)} rows, expected at most {MOST_POINTS}: a hypothesis "
                "holds all of them; norm=1 takes any number"
            )
        self._across = np.ascontiguousarray(self._rows.T)
        gamma = self.gamma if self.gamma is not None else 1.0 / max(1, len(self._coordinates))
        self._rate, self._degree = float(gamma), self.degree if self.kernel == "poly" else 0
        self._bound = self._largest()

    def _largest(self) -> float:
        """``B``; rounded up a little, so that no output is beyond 1."""
        if self.norm == 2:
            squares = self._edges(np.zeros(len(self._rows)))[1]
            return float(np.sqrt(squares.max())) * (1.0 + 1e-12) or 1.0
        if self._degree == 0:
            return 1.0
        lengths = (self._rows**2).sum(axis=1)  # |x·x'| <= max |x|²
        return float((self._rate * lengths.max() + self.coef0) ** self._degree) * (1 + 1e-12) or 1.0

    def _edges(self, dual: Array) -> tuple[Array, Array]:
        """``K d``, and the sums of squares of the columns of K, without K."""
        edges, squares = np.empty(len(dual)), np.empty(len(dual))
        rates = np.full(len(dual), self._rate)
        shape = (self._degree, float(self.coef0))

        def fill(start: int, stop: int) -> None:
            points = np.ascontiguousarray(self._across[:, start:stop])
            out = edges[start:stop], squares[start:stop]
            function_edges(self._rows, points, rates[start:stop], dual, *shape, *out)

        run_rows(fill, len(dual), self.sample.n_threads, BLOCK)
        return edges, squares

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """The functions of largest absolute edge; ties go to the first row."""
        dual = weights.dual
        edges = self._edges(dual)[0]
        if self.norm == 2:
            length = float(np.sqrt((edges**2).sum()))
            factors = edges / length if length > 0.0 else np.full(len(edges), len(edges) ** -0.5)
            whole = self._hypothesis(np.arange(len(edges)), factors / self._bound)
            return [measured(whole, self._rows, dual, self.sample)]
        sizes, chosen = np.abs(edges), []
        for _ in range(min(k, len(sizes), LISTED)):
            chosen.append(int(np.argmax(sizes >= (1.0 - TIE) * sizes.max())))
            sizes[chosen[-1]] = -1.0
        one = np.array([1.0 / self._bound])
        found = [self._hypothesis(np.array([j]), one) for j in chosen]
        candidates = [measured(new, self._rows, dual, self.sample) for new in found]
        return sorted(candidates, key=lambda candidate: -candidate.edge)

    def _hypothesis(self, which: Array, factors: Array) -> KernelExpansion:
        points, rates = self._rows[which], np.full(len(which), self._rate)
        shape: dict[str, Any] = {"degree": self._degree, "offset": float(self.coef0)}
        return KernelExpansion(self._coordinates, points, rates, factors, **shape)
