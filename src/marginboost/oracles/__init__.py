"""Base learners."""

from .any_sklearn import SklearnOracle
from .finite import FiniteOracle, matrix_sample
from .gradient_trees import GradientTreeOracle
from .label_hypotheses import LabelTree, TreePerLabel
from .label_trees import LabelTreeOracle
from .linear import Line, LinearOracle
from .pooled import PooledOracle
from .resampling import ResamplingOracle
from .stumps import Stump, StumpOracle
from .tree_hypothesis import Tree
from .tree_per_label import TreePerLabelOracle
from .trees import TreeOracle

__all__ = [
    "FiniteOracle",
    "GradientTreeOracle",
    "LabelTree",
    "LabelTreeOracle",
    "Line",
    "LinearOracle",
    "PooledOracle",
    "ResamplingOracle",
    "SklearnOracle",
    "Stump",
    "StumpOracle",
    "Tree",
    "TreeOracle",
    "TreePerLabel",
    "TreePerLabelOracle",
    "matrix_sample",
]
