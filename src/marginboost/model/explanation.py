"""Exact explanation of models that are sums of step functions, one per feature.

Stumps are, and so are trees that ask for one feature each, such as all trees of depth 1; of
hypotheses that answer for all labels at once, the votes of every label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ensemble import Ensemble
from ..data import BinnedMatrix, Table
from ..data.table import Categories, as_source, frame_names, is_frame
from ..kernels.reference import step_function
from ..oracles.stumps import StepFunction, Stump, step_functions
from ..types import Array
from .background import Background

if TYPE_CHECKING:
    from ..oracles.label_hypotheses import LabelTree, TreePerLabel


@dataclass(frozen=True, repr=False)
class Explanation:
    """Shape functions of an additive model.

    Attributes
    ----------
    names : list of str
        Feature names.
    shapes : dict
        For each feature that the model uses, by name, its step function: ``levels[k]`` is the
        contribution to the vote right of k thresholds, the last level that of a missing value. The
        mean over the training rows is 0, where the model knows them (``background``).
    categories : list
        For each feature, None or its categories; thresholds of such a feature count codes.
    intercept : float
        Mean vote of the training rows; what the contributions of a row are added to.
    background : dict
        By number of the feature, where the training rows lie along it; empty where the model file
        does not say, and then shapes are not centred.
    """

    names: list[str]
    shapes: dict[str, StepFunction]
    categories: Categories
    intercept: float
    background: Background

    def __repr__(self) -> str:
        first = [f"{name} {share:.1%}" for name, share in list(self.importance().items())[:3]]
        more = ", …" if len(self.shapes) > len(first) else ""
        shown = f": {', '.join(first)}{more}" if first else ""
        return f"<Explanation: {self.intercept:.4g} plus {len(self.shapes)} shapes{shown}>"

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        names: Sequence[str],
        categories: Categories,
        background: Background | None = None,
        *,
        votes: bool = True,
    ) -> Explanation:
        """Explain an additive ensemble: its votes in [-1, 1], or its scores."""
        found = additive_steps(ensemble, categories)
        if found is None:
            raise TypeError(
                "explain: only models of stumps, or of trees that ask for one feature each, are "
                "sums of one-feature functions; this model has "
                f"{sorted({type(member).__name__ for member in ensemble.members})} hypotheses. "
                "shap_values explains trees"
            )
        steps, intercept = found
        scale, known = ((ensemble.l1_norm or 1.0) if votes else 1.0), background or {}
        shapes = {}
        for step in steps:
            mean = known[step.feature].mean(step) if step.feature in known else 0.0
            intercept += mean
            levels = (step.levels - mean) / scale
            shapes[str(names[step.feature])] = StepFunction(step.feature, step.thresholds, levels)
        named = [str(name) for name in names]
        return cls(named, shapes, categories, intercept / scale, known)

    def contributions(self, X: Any) -> Array:
        """Contribution of each feature to each row's vote: the intercept plus all is the vote."""
        source = as_source(X)
        if source.shape[1] != len(self.names):
            raise ValueError(
                f"X has {source.shape[1]} features, expected {len(self.names)} features"
            )
        unnamed = self.names == [f"x{j}" for j in range(len(self.names))]
        if is_frame(X) and not unnamed and [str(c) for c in frame_names(X)] != self.names:
            raise ValueError(
                "X: the columns must have the names seen in fit, in the same order: "
                f"{', '.join(self.names[:5])}{', …' if len(self.names) > 5 else ''}"
            )
        return self.contributions_of(Table(source, self.names, self.categories))

    def contributions_of(self, table: Table | BinnedMatrix) -> Array:
        """:meth:`contributions` of rows that are already read as a table."""
        out = np.zeros((table.n_rows, table.n_features))
        for step in self.shapes.values():
            values = np.asarray(table.column(step.feature))
            out[:, step.feature] = step_function(values, step.thresholds, step.levels)
        return out

    def importance(self) -> dict[str, float]:
        """Mean size of each feature's contribution over the training rows, as share of the total.

        The largest first; that is what ``feature_importances_`` has. Where the training rows are
        not known, the range of each shape function stands for it.
        """
        size = {name: self._size(step) for name, step in self.shapes.items()}
        total = sum(size.values()) or 1.0
        return {
            name: part / total for name, part in sorted(size.items(), key=lambda item: -item[1])
        }

    def _size(self, step: StepFunction) -> float:
        if step.feature in self.background:
            return self.background[step.feature].mean_size(step)
        return float(np.ptp(step.levels[:-1]))


def outputs_of(ensemble: Ensemble) -> Iterator[Ensemble]:
    """Ensembles of one answer each: of hypotheses for all labels at once, one for every label."""
    members = [] if _has_stumps(ensemble) else _label_members(ensemble)
    if not members or len(members) < len(ensemble.members):
        yield ensemble
        return
    for label in range(*ensemble.shape):
        yield Ensemble(tuple(member.for_label(label) for member in members), ensemble.coef)


def _has_stumps(ensemble: Ensemble) -> bool:
    """Whether the hypotheses are stumps: then nobody waits for modules of trees to be imported."""
    return all(isinstance(member, Stump) for member in ensemble.members)


def _label_members(ensemble: Ensemble) -> list[LabelTree | TreePerLabel]:
    """Hypotheses that answer for all labels at once."""
    from ..oracles.label_hypotheses import LabelTree, TreePerLabel

    return [m for m in ensemble.members if isinstance(m, LabelTree | TreePerLabel)]


def is_additive(ensemble: Ensemble, categories: Categories) -> bool:
    """Whether every answer is a sum of one-feature functions."""
    found = (additive_steps(answer, categories) for answer in outputs_of(ensemble))
    return all(steps is not None for steps in found)


def background_steps(ensemble: Ensemble, categories: Categories) -> list[StepFunction]:
    """Features of an additive ensemble with all of their cuts; none of one that is not."""
    cuts: dict[int, Array] = {}
    for answer in outputs_of(ensemble):
        found = additive_steps(answer, categories)
        if found is None:
            return []
        for step in found[0]:
            known = cuts.get(step.feature)
            both = step.thresholds if known is None else np.union1d(known, step.thresholds)
            cuts[step.feature] = both
    return [StepFunction(j, cuts[j], np.zeros(len(cuts[j]) + 2)) for j in sorted(cuts)]


def additive_steps(
    ensemble: Ensemble, categories: Categories
) -> tuple[list[StepFunction], float] | None:
    """Scores of an ensemble as step functions of one feature each and a constant, if they are."""
    members = ensemble.members
    if _has_stumps(ensemble):
        return step_functions([m for m in members if isinstance(m, Stump)], ensemble.coef), 0.0
    by_feature: dict[int, list[int]] = {}
    for k, member in enumerate(members):
        used = _features_of(member)
        if used is None or len(used) > 1:
            return None
        by_feature.setdefault(used[0] if used else -1, []).append(k)
    constant = sum(float(ensemble.coef[k] * _root(members[k])) for k in by_feature.pop(-1, []))
    steps = [
        _tree_step(j, [members[k] for k in chosen], ensemble.coef[chosen], categories)
        for j, chosen in sorted(by_feature.items())
    ]
    return steps, constant


def _features_of(member: Any) -> list[int] | None:
    """Features that a tree asks for; None of what is no tree."""
    from ..oracles.tree_hypothesis import Tree

    if not isinstance(member, Tree):
        return None
    features = member.nodes["feature"]
    return [int(j) for j in np.unique(features[features >= 0])]


def _root(tree: Any) -> float:
    return float(tree.nodes["value"][0])


def _tree_step(feature: int, trees: list[Any], coef: Array, categories: Categories) -> StepFunction:
    """Sum of trees that ask for nothing but this feature."""
    known = categories[feature]
    if known is None:
        cuts = np.unique([cut for tree in trees for _, cut in tree.cuts() if np.isfinite(cut)])
        points = np.concatenate([cuts, [np.inf, np.nan]])
    else:
        codes = np.arange(float(max(1, len(known))))
        cuts, points = codes[1:] - 0.5, np.append(codes, np.nan)
    rows = np.zeros((len(points), len(categories)))
    rows[:, feature] = points
    return StepFunction(feature, cuts, trees[0].voter(trees, coef)(rows))
