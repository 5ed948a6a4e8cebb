"""Base learners of classifiers that make one run of all classes."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginboost import AdaBoostM1Classifier, LabelTreeOracle, StumpOracle
from marginboost.estimators.base import algorithm_of
from marginboost.oracles.label_trees import SklearnLabelOracle

X, Y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)


@pytest.mark.parametrize(
    "wrong", [DecisionTreeRegressor(), DecisionTreeClassifier, StumpOracle(), "tree", 3]
)
def test_what_cannot_tell_several_classes_apart_is_refused(wrong):
    with pytest.raises(TypeError, match=r"^estimator: got .* a base learner of several classes"):
        AdaBoostM1Classifier(wrong).fit(X, Y)


def test_oracles_are_taken_as_they_are_and_classifiers_wrapped():
    trees = LabelTreeOracle(max_depth=1)
    assert algorithm_of(AdaBoostM1Classifier(trees)).oracle is trees
    made = algorithm_of(AdaBoostM1Classifier(DecisionTreeClassifier())).oracle
    assert isinstance(made, SklearnLabelOracle)
