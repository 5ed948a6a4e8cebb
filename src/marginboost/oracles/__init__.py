"""Base learners."""

from .any_sklearn import SklearnOracle
from .finite import FiniteOracle, matrix_sample
from .label_hypotheses import LabelTree
from .label_trees import LabelTreeOracle
from .pooled import PooledOracle
from .resampling import ResamplingOracle
from .stumps import Stump, StumpOracle
from .tree_hypothesis import Tree
from .trees import TreeOracle

__all__ = [
    "FiniteOracle",
    "LabelTree",
    "LabelTreeOracle",
    "PooledOracle",
    "ResamplingOracle",
    "SklearnOracle",
    "Stump",
    "StumpOracle",
    "Tree",
    "TreeOracle",
    "matrix_sample",
]
