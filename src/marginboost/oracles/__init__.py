"""Base learners."""

from typing import TYPE_CHECKING

from ..on_demand import on_demand

if TYPE_CHECKING:
    from .active_kernels import ActiveKernelOracle
    from .alternating_trees import AlternatingTreeOracle
    from .answer_tree import AnswerTree
    from .any_sklearn import SklearnOracle
    from .finite import FiniteOracle, matrix_sample
    from .gradient_trees import GradientTreeOracle
    from .half_spaces import HalfSpace, HalfSpaceOracle
    from .kernel_expansion import KernelExpansion
    from .kernel_functions import KernelOracle
    from .label_hypotheses import LabelTree, TreePerLabel
    from .label_trees import LabelTreeOracle
    from .lazy import LazyOracle
    from .linear import Line, LinearOracle
    from .linear_scores import LinearScores
    from .neural_nets import NeuralNet, NeuralNetOracle
    from .pooled import PooledOracle
    from .rbf_nets import RBFNetOracle
    from .resampling import ResamplingOracle
    from .stumps import Stump, StumpOracle
    from .tree_hypothesis import Tree
    from .tree_per_label import TreePerLabelOracle
    from .trees import TreeOracle
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "ActiveKernelOracle",
    "AlternatingTreeOracle",
    "AnswerTree",
    "FiniteOracle",
    "GradientTreeOracle",
    "HalfSpace",
    "HalfSpaceOracle",
    "KernelExpansion",
    "KernelOracle",
    "LabelTree",
    "LabelTreeOracle",
    "LazyOracle",
    "Line",
    "LinearOracle",
    "LinearScores",
    "NeuralNet",
    "NeuralNetOracle",
    "PooledOracle",
    "RBFNetOracle",
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
