"""What is found prints as a line: nobody reads pages of numbers at a prompt."""

import numpy as np
import pytest

from marginboost import GradientBoostClassifier, GradientBoostRegressor, LPBoostClassifier, verify
from marginboost.datasets import circle_2d
from marginboost.diagnostics import evaluate, row_contributions
from marginboost.diagnostics.evaluation import evaluate_predictions
from marginboost.reports.evaluation import evaluation_page
from marginboost.verification import verify_regressor


@pytest.fixture(scope="module")
def rows():
    return circle_2d(300)


@pytest.fixture(scope="module")
def trees(rows):
    return GradientBoostClassifier(n_estimators=3).fit(*rows)


@pytest.fixture(scope="module")
def soft(rows):
    return LPBoostClassifier(nu=0.3, n_estimators=5).fit(*rows)


def test_an_explanation_names_its_strongest_features(soft):
    text = repr(soft.explain())
    first = next(iter(soft.explain().importance()))
    assert text.startswith("<Explanation: ")
    assert f": {first} " in text
    assert len(text) < 200


def test_an_evaluation_has_the_base_rate_beside_it(trees, rows):
    found = evaluate(trees, *rows)
    text = repr(found)
    assert f"error {found.scores['error']:.4g} ({found.base['error']:.4g})" in text
    assert "on 300 rows" in text
    assert len(text) < 400


def test_contributions_and_shapley_values_say_their_size(trees, rows):
    X, _ = rows
    assert "of 2 features to the score" in repr(row_contributions(trees, X[:3], X)[0])
    assert repr(trees.shap_values(X[:3], X)).startswith("<ShapValues 3 × 2, added to ")


def test_a_verification_says_what_it_found(soft, rows):
    X, y = rows
    held, broken = verify(soft, X, y), verify(soft, X, -y)
    assert "<= optimum <=" in repr(held)
    assert "the certificate holds" in repr(held)
    assert broken.contradictions[0] in repr(broken)
    numbers = GradientBoostRegressor(n_estimators=2).fit(X, X[:, 0])
    assert "residuals" not in repr(verify_regressor(numbers, X, X[:, 0]))


def test_who_tells_a_rare_class_is_not_nearly_constant():
    y = np.arange(200) % 100 == 0
    for share, constant in ((y, False), (y & (np.arange(200) < 100), False), (y & False, True)):
        chances = np.column_stack([1.0 - share, share])
        found = evaluate_predictions([False, True], y, share, chances)
        assert found.nearly_constant is constant


def test_a_class_without_weight_is_left_out_of_the_mean_of_the_classes():
    chances = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    found = evaluate_predictions(["a", "b"], list("aab"), list("aba"), chances, [1.0, 3.0, 0.0])
    assert found.scores["balanced_error"] == found.scores["error"] == 0.75


@pytest.mark.parametrize("n_classes", [2, 6, 14])
def test_every_curve_of_several_classes_has_a_name_and_a_line_of_its_own(n_classes):
    rng = np.random.default_rng(0)
    classes = np.array([f"c<{k:02}>" for k in range(n_classes)])
    y, chances = classes[np.arange(80) % n_classes], rng.dirichlet(np.ones(n_classes), 80)
    found = evaluate_predictions(classes, y, classes[chances.argmax(axis=1)], chances)
    page = evaluation_page(found, "page", {name: name for name in found.scores})
    lines = [line.split("points=")[0] for line in page.split("<polyline ")[1:-1]]
    shown = min(n_classes, 12) if n_classes > 2 else 1
    assert len(set(lines)) == len(lines) == shown
    assert page.count("<li>") == (0 if n_classes == 2 else shown + (n_classes > shown))
    assert ("and 2 more, not drawn" in page) == (n_classes == 14)
    if n_classes > 2:
        assert "c&lt;05&gt;</li>" in page
