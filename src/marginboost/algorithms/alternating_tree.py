"""Alternating decision trees: boosted rules that hang together in one tree (CH-M11).

Problem: minimise, over alternating trees F and with p the prior weights,

    Σ_i p_i exp(-y_i F(x_i)).

The tree begins with the best constant. Every round puts one rule, a question with a value for each
answer, at a place that earlier answers lead to, or at the root. A row has the sum of all values on
all ways that it may go, and that is its score. Place, question and values are those that lower the
loss most: by the factor Z = 2 Σ_sides √(W+ W-) + W(rows elsewhere).

Bounds are on the share of loss that is saved. Guarantee: the training error is at most the product
of all Z, times that of the constant, for a learning rate of 1 and no smoothing.

Reference: Freund & Mason, *The alternating decision tree learning algorithm*, 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core.ensemble import Ensemble
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm
from ..model import BinaryModel, ReducedModel
from ..oracles.alternating_trees import AlternatingTreeOracle, code_sets
from ..oracles.tree_hypothesis import Tree
from ..types import Array
from ..validation import Constraints, Number, check_number
from .gradient_boost import GradientBoost

Way = tuple[tuple[int, float, tuple[int, ...], bool], ...]
"""Answers that lead to a place: feature, threshold, codes, and whether it was yes."""


@document
class AlternatingTreeClassifier(BaseMarginClassifier):
    """AdaBoost whose rules make one tree to read, with :meth:`export_text`.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner; None is an :class:`~marginboost.AlternatingTreeOracle`. Its ``max_depth``
        limits how many questions follow each other.
    n_estimators : int
        Most rules.
    learning_rate : float
        Factor on every value.
    tol : float or None
        Stop when the training loss is below this share of the best constant's; None never does.
    {common}

    Attributes
    ----------
    {fitted}

    References
    ----------
    Freund and Mason, *The alternating decision tree learning algorithm*, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginboost import AlternatingTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = AlternatingTreeClassifier(n_estimators=2).fit(X, y)
    >>> print(model.export_text())
    : +0.261
    |  (1) worst perimeter <= 117.45: +0.747
    |  (1) worst perimeter > 117.45: -2.316
    |  (2) worst concave points <= 0.111: +0.994
    |  (2) worst concave points > 0.111: -0.995
    """

    __summary__: ClassVar[dict[str, str]] = {
        "problem": "least exponential loss; rules that make one tree to read",
        "guarantee": "training error ≤ Π Z, Z = 2 Σ√(W₊W₋) over sides + weight elsewhere",
        "reference": "Freund & Mason 1999",
    }
    __constraints__: ClassVar[Constraints] = {"learning_rate": Number(above=0.0)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 20,
        learning_rate: float = 1.0,
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
        self.learning_rate = learning_rate

    def export_text(self, decimals: int = 3) -> str:
        """Write the tree as text: every rule below the answer that leads to it.

        A row's score is the sum of the values of all answers that it gives, and positive for the
        second class. A missing value goes the way that the rule learnt. With more than two classes
        there is a tree for each class against all others.

        Parameters
        ----------
        decimals : int
            Decimal places of the values.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        check_number("decimals", decimals, at_least=0, integer=True)
        model = self.model_
        if isinstance(model, ReducedModel):
            texts = [self._text(part, decimals) for part in model.problems]
            named = zip(model.classes.tolist(), texts, strict=True)
            return "\n".join(f"{label} against all others\n{text}" for label, text in named)
        assert isinstance(model, BinaryModel)
        return self._text(model, decimals)

    def _text(self, model: BinaryModel, decimals: int) -> str:
        ensemble = model.run.ensemble
        if not all(isinstance(member, Tree) and _is_rule(member) for member in ensemble.members):
            raise TypeError("export_text: the base learner made no rules of an alternating tree")
        features = model.features
        return "\n".join(
            AlternatingText(ensemble, features.names, features.categories).lines(decimals)
        )

    def _algorithm(self) -> Algorithm:
        """Make the algorithm that the parameters mean."""
        # Values that take full steps are too sure: votes are calibrated.
        return self._make_algorithm(
            lambda problem, chosen: GradientBoost("exponential", self.learning_rate),
            oracle=self._base_learner(AlternatingTreeOracle),
            calibrated=True,
            common_scale=True,
        )


def _is_rule(tree: Tree) -> bool:
    """Whether a tree is one way from the root to a split whose leaves alone are not 0."""
    nodes = tree.nodes
    if len(nodes) == 1:
        return True
    splits = np.flatnonzero(nodes["feature"] >= 0)
    ways = zip(nodes["left"][splits[:-1]], nodes["right"][splits[:-1]], splits[1:], strict=True)
    own = nodes["left"][splits[-1]] == len(nodes) - 2
    return bool(own and all(at in (a, b) for a, b, at in ways) and not nodes["value"][:-2].any())


class AlternatingText:
    """Rules of an ensemble, sorted by the place where they are.

    Parameters
    ----------
    ensemble : Ensemble
        Rules, and constants.
    names, categories
        Those of the features.
    """

    def __init__(self, ensemble: Ensemble, names: Sequence[str], categories: Any) -> None:
        self.names, self.categories = names, categories
        self.constant = 0.0
        self.rules: dict[Way, list[tuple[int, Way, Array]]] = {}
        number = 0
        for tree, coef in zip(ensemble.members, ensemble.coef, strict=True):
            assert isinstance(tree, Tree)
            values = coef * tree.nodes["value"]
            if len(values) == 1:
                self.constant += float(values[0])
                continue
            number += 1
            way = way_of(tree)
            self.rules.setdefault(way[:-1], []).append((number, way, values[-2:]))

    def lines(self, decimals: int) -> list[str]:
        """One line for the constant, two for every rule."""
        return [f": {self.constant:+.{decimals}f}", *self._below((), decimals)]

    def _below(self, place: Way, decimals: int) -> list[str]:
        """Lines of all rules at a place."""
        indent, found = "|  " * (len(place) + 1), []
        for number, way, values in self.rules.get(place, []):
            for yes, value in zip((True, False), values, strict=True):
                answer = (*way[-1][:3], yes)
                said = f"({number}) {self._answer(answer)}: {value:+.{decimals}f}"
                found += [indent + said, *self._below((*place, answer), decimals)]
        return found

    def _answer(self, answer: tuple[int, float, tuple[int, ...], bool]) -> str:
        feature, threshold, codes, yes = answer
        name, known = self.names[feature], self.categories[feature]
        if codes and known is not None:
            shown = ", ".join(str(known[code]) for code in codes)
            return f"{name} {'in' if yes else 'not in'} {{{shown}}}"
        if np.isinf(threshold):
            return f"{name} {'present' if yes else 'missing'}"
        return f"{name} {'<=' if yes else '>'} {threshold:.6g}"


def way_of(rule: Tree) -> Way:
    """Answers on the way to a rule; last its own question, as if answered by yes."""
    nodes, sets = rule.nodes, code_sets(rule)
    splits = np.flatnonzero(nodes["feature"] >= 0).tolist()
    way = []
    for k, following in zip(splits, [*splits[1:], int(nodes["left"][splits[-1]])], strict=True):
        yes = int(nodes["left"][k]) == following
        codes = tuple(sets[k] or ())
        way.append((int(nodes["feature"][k]), float(nodes["threshold"][k]), codes, yes))
    return tuple(way)
