"""Losses of several classes: slopes, the two-class case, known noise, and what users meet."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_iris

import marginboost
from marginboost import GradientBoostClassifier, LeveragingClassifier, SoftmaxBoostClassifier
from marginboost.core import LabelByLabel, State
from marginboost.duals.softmax import ClassLossWeights, SoftmaxWeights
from marginboost.losses import (
    ClassCrossEntropy,
    ClassLoss,
    ClassRobustFocal,
    GeneralisedCrossEntropy,
    Logistic,
    NoisyLogistic,
    NoisySoftmax,
    RobustFocal,
    Softmax,
    as_class_loss,
)

MATRIX = ((0.7, 0.2, 0.1, 0.0), (0.0, 1.0, 0.0, 0.0), (0.1, 0.1, 0.6, 0.2), (0.3, 0.0, 0.0, 0.7))
LOSSES = [
    *(make() for make in ClassLoss.__registry__.values()),
    NoisySoftmax(MATRIX),
    ClassCrossEntropy(0.2),
    ClassRobustFocal(0.0, 0.5),
    ClassRobustFocal(2.0, 0.1),
]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_slopes_and_curvatures_are_derivatives(loss):
    rng = np.random.default_rng(0)
    scores, labels = 2.0 * rng.normal(size=(50, 4)), rng.integers(0, 4, 50)
    value, slope, curvature = loss.slopes(scores, labels)
    np.testing.assert_allclose(value, loss.values(scores, labels))
    for k in range(4):
        step = np.zeros(4)
        step[k] = 1e-5
        up, down = loss.values(scores + step, labels), loss.values(scores - step, labels)
        np.testing.assert_allclose(slope[:, k], (down - up) / 2e-5, rtol=1e-5, atol=1e-8)
        above, below = (loss.slopes(scores + s * step, labels)[1][:, k] for s in (1, -1))
        np.testing.assert_allclose(curvature[:, k], (below - above) / 2e-5, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    ("several", "two"),
    [
        (Softmax(), Logistic()),
        (NoisySoftmax(0.2), NoisyLogistic(0.2)),
        (ClassCrossEntropy(0.4), GeneralisedCrossEntropy(0.4)),
        (ClassRobustFocal(0.5, 0.3), RobustFocal(0.5, 0.3)),
    ],
    ids=lambda loss: str(loss),
)
def test_two_classes_are_a_margin(several, two):
    scores, labels = np.random.default_rng(1).normal(size=(40, 2)), np.arange(40) % 2
    signs, lead = 2.0 * labels - 1.0, scores[:, 1] - scores[:, 0]
    value, slope, curvature = several.slopes(scores, labels)
    np.testing.assert_allclose(value, two.value(signs * lead))
    np.testing.assert_allclose(slope[:, 1], signs * two.dual(signs * lead))
    np.testing.assert_allclose(curvature[:, 1], two.curvature(signs * lead), atol=1e-12)
    if not isinstance(two, NoisyLogistic):  # whose probabilities are those of labels as given
        np.testing.assert_allclose(several.chances(scores)[:, 1], two.probability(lead))


def test_the_plain_softmax_has_the_weights_of_its_kernel():
    rng = np.random.default_rng(2)
    sample = LabelByLabel.of_classes(rng.integers(0, 3, 30), 3, rng.exponential(size=30))
    found = []
    for weights in (SoftmaxWeights(), ClassLossWeights(Softmax())):
        state = State(sample)
        state.scores[:] = np.random.default_rng(3).normal(size=90)
        assert weights.refresh(state)
        found.append((state.dual.copy(), state.weights.curvature.copy(), weights.mean_loss))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_extreme_scores_are_no_trouble(loss):
    scores = np.array([[1e3, -1e3, 0.0, 5.0], [-1e300, 1e300, 0.0, 0.0], [0.0, 0.0, 0.0, 800.0]])
    for labels in (np.zeros(3, int), np.array([1, 1, 3])):
        for part in loss.slopes(scores, labels):
            assert np.isfinite(part).all()
    np.testing.assert_allclose(loss.chances(scores).sum(axis=1), 1.0)


@pytest.mark.parametrize("loss", [Softmax(), ClassCrossEntropy(0.4), ClassRobustFocal(0.5, 0.3)])
def test_chances_are_those_for_which_scores_are_best(loss):
    """Slopes of the expected loss under them vanish."""
    scores = np.random.default_rng(4).normal(size=(20, 4))
    chances = loss.chances(scores)
    expected = sum(
        chances[:, [k]] * loss.slopes(scores, np.full(20, k))[1] for k in range(scores.shape[1])
    )
    np.testing.assert_allclose(expected, 0.0, atol=1e-12)


def test_a_known_noise_is_undone():
    """A third of class 0 is called 1: told so, scores are those of the true classes."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(3000, 1)).astype(float)
    truth = X[:, 0].astype(int)
    given = np.where((truth == 0) & (rng.random(3000) < 1 / 3), 1, truth)
    noise = ((2 / 3, 1 / 3, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    told = SoftmaxBoostClassifier(loss=NoisySoftmax(noise)).fit(X, given)
    plain = SoftmaxBoostClassifier().fit(X, given)
    rows = np.arange(3.0)[:, None]
    assert told.predict_proba(rows)[0, 0] > 0.9
    assert plain.predict_proba(rows)[0, 0] == pytest.approx(2 / 3, abs=0.03)


@pytest.mark.parametrize(
    "loss", [*ClassLoss.__registry__, NoisySoftmax(0.05), ClassRobustFocal(0.2)]
)
def test_models_learn_and_are_saved(loss, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = SoftmaxBoostClassifier(loss=loss, n_estimators=20, min_samples_leaf=5).fit(X, y)
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))
    model.save(tmp_path / "model.json")
    loaded = marginboost.load(tmp_path / "model.json")
    assert loaded.loss == loss
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_transition_matrix_is_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    loss = NoisySoftmax(np.array([[0.9, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.2, 0.8]]))
    SoftmaxBoostClassifier(loss=loss, n_estimators=3).fit(X, y).save(tmp_path / "model.json")
    assert marginboost.load(tmp_path / "model.json").loss == loss


@pytest.mark.parametrize(
    ("transition", "message"),
    [
        (1.0, "transition: got 1.0"),
        (((0.5, 0.4), (0.0, 1.0)), "each with sum one"),
        (((1.5, -0.5), (0.0, 1.0)), "rows of probabilities"),
        (((1.0, 0.0),), "expected a square matrix"),
        ((("a", "b"), ("c", "d")), "expected numbers"),
    ],
)
def test_matrices_that_are_none_are_refused(transition, message):
    with pytest.raises(ValueError, match=message):
        NoisySoftmax(transition)


def test_settings_are_checked_before_rows():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="loss: got 'soft', expected a ClassLoss or one of"):
        SoftmaxBoostClassifier(loss="soft").fit(X, y)
    with pytest.raises(TypeError, match="expected a ClassLoss"):
        as_class_loss("loss", Logistic())
    with pytest.raises(ValueError, match="got 2 rows, expected one for each of 3 classes"):
        SoftmaxBoostClassifier(loss=NoisySoftmax(((0.9, 0.1), (0.1, 0.9)))).fit(X, y)


# -- soft labels ---------------------------------------------------------------------------------


LEAVES = {"GradientBoostClassifier", "SoftmaxBoostClassifier"}
"""Grow trees; others boost stumps."""
SOFT = [
    kind
    for kind in (getattr(marginboost, name) for name in marginboost.__all__)
    if hasattr(kind, "fit_soft_labels")
]


def test_who_learns_from_soft_labels():
    assert {LeveragingClassifier, GradientBoostClassifier, SoftmaxBoostClassifier} <= set(SOFT)


@pytest.mark.parametrize("kind", SOFT)
def test_soft_labels_are_rows_with_weights(kind):
    """Shares of quarters: the model is that of four copies of every row."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 2))
    quarters = rng.multinomial(4, softmax(np.column_stack([X, X[:, 0] * 0]), axis=1))
    leaves = {"min_samples_leaf": 20} if kind.__name__ in LEAVES else {}
    settings = {"n_estimators": 8, **leaves}
    soft = kind(**settings).fit_soft_labels(
        X, quarters / 4, classes=["a", "b", "c"], sample_weight=np.full(80, 4.0)
    )
    rows, labels = np.nonzero(quarters)
    each = np.repeat(np.arange(len(rows)), quarters[rows, labels])
    copies = kind(**settings).fit(X[rows[each]], np.array(["a", "b", "c"])[labels[each]])
    np.testing.assert_allclose(soft.predict_proba(X), copies.predict_proba(X), atol=1e-9)
    assert len(soft.soft_rows_) == len(soft.margins_) == len(rows)


def test_certain_soft_labels_are_labels():
    X, y = load_iris(return_X_y=True)
    soft = SoftmaxBoostClassifier(n_estimators=5).fit_soft_labels(X, np.eye(3)[y])
    hard = SoftmaxBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


@pytest.mark.parametrize(
    ("table", "classes", "message"),
    [
        ([[0.5, 0.4], [1.0, 0.0]], None, "row 0 has sum 0.9"),
        ([[1.5, -0.5], [1.0, 0.0]], None, "got a negative number"),
        ([[1.0], [1.0]], None, "got shape"),
        ([[1.0, 0.0]], None, "got shape"),
        ([[1.0, 0.0], [0.0, 1.0]], ["b", "a"], "sorted order"),
        ([[1.0, 0.0], [0.0, 1.0]], ["a"], "got 1 labels for 2 columns"),
        ([["x", "y"], ["z", "w"]], None, "expected numbers"),
    ],
)
def test_bad_soft_labels(table, classes, message):
    with pytest.raises(ValueError, match=message):
        GradientBoostClassifier().fit_soft_labels([[0.0], [1.0]], table, classes=classes)
