"""Contract checks on every registered rule, the worked example, and every oracle."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginboost.algorithms._example import SmallSteps, SmallStepsClassifier
from marginboost.algorithms.adaboost import AdaBoost
from marginboost.algorithms.arc_gv import ArcGV
from marginboost.algorithms.gradient_boost import GradientBoost
from marginboost.algorithms.leveraging_regressor import TargetLeveraging
from marginboost.algorithms.lp_regression import LPRegression
from marginboost.algorithms.lpboost import LPBoost
from marginboost.algorithms.marginal_adaboost import MarginalAdaBoost
from marginboost.checks import check_oracle, check_rule
from marginboost.core import Rule
from marginboost.datasets import circle_2d
from marginboost.oracles import (
    ActiveKernelOracle,
    AlternatingTreeOracle,
    FiniteOracle,
    GradientTreeOracle,
    HalfSpaceOracle,
    KernelOracle,
    LabelTreeOracle,
    LazyOracle,
    LinearOracle,
    NeuralNetOracle,
    PooledOracle,
    RBFNetOracle,
    ResamplingOracle,
    SklearnOracle,
    StumpOracle,
    TreeOracle,
    TreePerLabelOracle,
)
from marginboost.oracles.label_trees import SklearnLabelOracle

RULES = {
    **Rule.__registry__,
    "worked example": SmallSteps,
    "target 0.2": lambda: AdaBoost(target_margin=0.2),
    "sequence": lambda: AdaBoost(target_margin=[-0.5, 0.0, 0.1]),
    "slow": lambda: AdaBoost(learning_rate=0.3),
    "closed step": lambda: AdaBoost(step="closed"),
    "plain Arc-GV": lambda: ArcGV(monotone=False),
    "hard margin": lambda: LPBoost(nu=None),
    "C-form": lambda: LPBoost(C=1.0),
    "interior": lambda: LPBoost(solver="interior"),
    "interior C-form": lambda: LPBoost(solver="interior", C=1.0),
    "smooth": lambda: LPBoost(solver="smooth"),
    "smooth C-form": lambda: LPBoost(solver="smooth", C=1.0),
    "line search": lambda: GradientBoost("exponential", step="search"),
    "tube of given width": lambda: LPRegression(0.05, epsilon=0.2, nu=None),
    "quantile": lambda: LPRegression(0.05, nu=None, aim=0.7),
    "interior tube": lambda: LPRegression(0.05, solver="interior"),
    "smooth tube": lambda: LPRegression(0.05, solver="smooth"),
    "LASSO": lambda: TargetLeveraging("squared"),
    "fine search": lambda: MarginalAdaBoost(epsilon=0.4, last_run_length=10),
}
ORACLES = {
    "stumps": StumpOracle(),
    "partition": StumpOracle(categorical="partition"),
    "several cuts": StumpOracle(cuts_per_feature=4),
    "trees": TreeOracle(max_depth=2),
    "Z trees": TreeOracle(max_depth=2, criterion="Z"),
    "alternating trees": AlternatingTreeOracle(),
    "matrix": FiniteOracle(),
    "closed matrix": FiniteOracle(closed=True),
    "worst": FiniteOracle(selection="worst"),
    "random": FiniteOracle(selection="random"),
    "gradient trees": GradientTreeOracle(max_leaf_nodes=4, min_samples_leaf=3),
    "slope trees": GradientTreeOracle(max_leaf_nodes=None, max_depth=2, splits="gradient"),
    "subsampled trees": GradientTreeOracle(max_leaf_nodes=4, min_samples_leaf=2, subsample=0.6),
    "pooled": PooledOracle(TreeOracle(max_depth=2)),
    "resampled": ResamplingOracle(StumpOracle()),
    "lazy stumps": LazyOracle(StumpOracle(), 0.5),
    "lazy trees": LazyOracle(TreeOracle(max_depth=2), 0.5),
    "lines": LinearOracle(),
    "neural nets": NeuralNetOracle(),
    "RBF nets": RBFNetOracle(),
    "kernel functions": KernelOracle(),
    "polynomials": KernelOracle("poly"),
    "kernel expansions": KernelOracle(norm=2),
    "active kernels": ActiveKernelOracle(),
    "half-spaces": HalfSpaceOracle(),
    "halves": HalfSpaceOracle(columns="halves"),
    "logistic": SklearnOracle(LogisticRegression()),
    "regression tree": SklearnOracle(DecisionTreeRegressor(max_depth=2)),
    "resampled pool": ResamplingOracle(PooledOracle(GradientTreeOracle(max_leaf_nodes=4))),
    "label trees": LabelTreeOracle(max_depth=2),
    "label stumps": LabelTreeOracle(max_depth=1, criterion="edge", answers="set"),
    "label classifiers": SklearnLabelOracle(DecisionTreeClassifier(max_depth=2)),
    "tree per label": TreePerLabelOracle(GradientTreeOracle(max_leaf_nodes=4, min_samples_leaf=3)),
}


INNER = {
    "ERLPBoost",
    "QRLPBoost",
    "SoftBoost",
    "TotalBoost",
    "BarrierBoost",
    "BarrierRegression",
    "CGBoost",
    "GravityPBoost",
    "interior",
    "interior C-form",
    "interior tube",
    "smooth",
    "smooth C-form",
    "smooth tube",
    "MLPBoost",
    "NMBoost",
    "TargetLeveraging",
}
"""Rules with a solver inside, which takes steps of its own in every round."""
LONG = {"Leveraging-bounds_hold_in_every_round"}
"""Others that search long for the optimum."""


def named(name, check):
    slow = name in INNER or f"{name}-{check.name}" in LONG
    marks = [pytest.mark.slow] if slow else []
    return pytest.param(check, id=f"{name}-{check.name}", marks=marks)


@pytest.mark.parametrize(
    "check",
    [named(name, check) for name, make in RULES.items() for check in check_rule(make)],
)
def test_rule_keeps_its_contract(check):
    check()


@pytest.mark.parametrize(
    "check",
    [pytest.param(c, id=f"{n}-{c.name}") for n, o in ORACLES.items() for c in check_oracle(o)],
)
def test_oracle_keeps_its_contract(check):
    check()


def test_worked_example_learns():
    X, y = circle_2d()
    model = SmallStepsClassifier(epsilon=0.05, n_estimators=400).fit(X, y)
    assert model.score(X, y) > 0.9
    assert "SmallStepsClassifier" not in type(model).__registry__
