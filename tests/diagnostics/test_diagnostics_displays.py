import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from marginboost.algorithms.adaboost import AdaBoost, AdaBoostClassifier
from marginboost.algorithms.gradient_boost import GradientBoostClassifier
from marginboost.core import Sample, train
from marginboost.data import Table
from marginboost.diagnostics import (
    DecisionRegionDisplay,
    EdgeDisplay,
    GapDisplay,
    ImportanceDisplay,
    MarginDisplay,
    Shape,
    ShapeDisplay,
    TrainingErrorDisplay,
    WaterfallDisplay,
    margin_error,
)
from marginboost.oracles import FiniteOracle

pytestmark = pytest.mark.usefixtures("tidy_figures")


@pytest.fixture(scope="module")
def model(cancer):
    X, y, _, _ = cancer
    return AdaBoostClassifier(n_estimators=40).fit(X, y)


@pytest.fixture(scope="module")
def circle():
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = np.where((X**2).sum(axis=1) > 1.4, "out", "in")
    return X, y, AdaBoostClassifier(n_estimators=30).fit(X, y)


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(1)
    age, city = rng.normal(50, 15, 300), rng.choice(["Bern", "Oslo", "Rome"], 300)
    age[:60] = np.nan
    y = (np.where(np.isnan(age), 1.0, (age - 50) / 15) + np.where(city == "Oslo", 1.2, -0.4)) > 0
    X = pd.DataFrame({"age": age, "city": pd.Categorical(city)})
    return X, y, AdaBoostClassifier(n_estimators=20).fit(X, y)


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 30)
    right = np.where(rng.random((30, 20)) < 0.7, 1.0, -1.0)
    sample = Sample.of_labels(y, rows=Table(y[:, None] * right, [str(j) for j in range(20)]))
    return train(sample, FiniteOracle(), AdaBoost(0.05), max_rounds=15)


def rendered(display):
    """Draw for real, so that layout and text are exercised too."""
    display.figure_.canvas.draw()
    return display


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- margins -------------------------------------------------------------------------------------


def test_margin_curve_is_the_margin_error(model):
    display = rendered(MarginDisplay.from_estimator(model))
    line = display.lines_["AdaBoost"]
    assert line.get_drawstyle() == "steps-post"
    x, height = line.get_data()
    assert height[0] == 0.0
    assert height[-1] == 1.0
    for k in (1, len(x) // 2, len(x) - 2):
        assert height[k] == pytest.approx(margin_error(model.margins_, x[k]))
    assert display.minima_["AdaBoost"].get_xdata()[0] == model.margins_.min()


def test_margin_bracket_is_the_certificate_and_only_for_training_margins(model, cancer):
    display = rendered(MarginDisplay.from_estimator(model))
    left, right = display.bracket_.get_x(), display.bracket_.get_x() + display.bracket_.get_width()
    assert left == pytest.approx(model.certificate_.lower)
    assert right == pytest.approx(model.certificate_.upper)
    assert legend_texts(display.ax_)[-1].endswith(", certified")
    _, _, X, y = cancer
    assert MarginDisplay.from_estimator(model, X, y).bracket_ is None
    assert MarginDisplay.from_estimator(model, X, y, show_certificate=True).bracket_ is not None


def test_margin_bracket_of_an_inexact_learner_is_marked_as_such(cancer):
    X, y, _, _ = cancer
    stump = DecisionTreeClassifier(max_depth=1)
    model = AdaBoostClassifier(stump, n_estimators=5, random_state=0).fit(X, y)
    display = rendered(MarginDisplay.from_estimator(model))
    assert "not certified" in legend_texts(display.ax_)[-1]
    assert display.bracket_.get_hatch()


def test_margin_stages_follow_the_staged_votes(model, cancer):
    X, y, _, _ = cancer
    display = rendered(MarginDisplay.from_estimator(model, X, y, stages=[10, 1]))
    assert list(display.lines_) == ["1 round", "10 rounds"]
    votes = list(model.staged_decision_function(X))[9]
    assert display.curves["10 rounds"].minimum == (np.where(y == 1, 1, -1) * votes).min()


def test_margins_of_several_models_on_given_axes(model, cancer):
    _, _, X, y = cancer
    _, ax = plt.subplots()
    display = MarginDisplay.from_margins(
        {"train": model.margins_, "test": model.margins(X, y)}, ax=ax, linewidth=3
    )
    assert rendered(display).ax_ is ax
    colors = {line.get_color() for line in display.lines_.values()}
    assert len(colors) == 2
    assert display.lines_["test"].get_linewidth() == 3


def test_margins_from_predictions(model, cancer):
    X, y, _, _ = cancer
    signs = np.where(y == 1, 1, -1)
    display = rendered(MarginDisplay.from_predictions(signs, model.decision_function(X)))
    assert display.curves["margins"].minimum == pytest.approx(model.margins_.min())


def test_margins_of_a_run(run):
    display = rendered(MarginDisplay.from_estimator(run))
    assert display.curves["Run"].minimum == run.margins.min()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stages": [3]}, "stages: needs X and y"),
        ({"X": [[1.0]]}, "X, y: got one of them"),
    ],
)
def test_margin_errors_name_the_argument(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        MarginDisplay.from_estimator(model, **arguments)


def test_margin_stage_beyond_the_model_is_refused(model, cancer):
    X, y, _, _ = cancer
    with pytest.raises(ValueError, match="stages: got 99, expected at most 40"):
        MarginDisplay.from_estimator(model, X, y, stages=[99])
    with pytest.raises(ValueError, match=r"stages: got \[0\]"):
        MarginDisplay.from_estimator(model, X, y, stages=[0])
    with pytest.raises(ValueError, match="y: got label"):
        MarginDisplay.from_estimator(model, X, y + 5, stages=[1])


# -- edges and gaps ------------------------------------------------------------------------------


def test_edge_lines_are_the_history_and_make_a_sandwich(model):
    display = rendered(EdgeDisplay.from_estimator(model))
    edge, smallest = display.edge_line_.get_ydata(), display.smallest_edge_line_.get_ydata()
    assert np.array_equal(edge, model.history_["edge"])
    assert np.array_equal(smallest, np.minimum.accumulate(edge))
    assert smallest[-1] == pytest.approx(model.certificate_.upper)
    largest = display.largest_margin_line_.get_ydata()
    assert largest[-1] == pytest.approx(model.certificate_.lower)
    assert (largest <= smallest).all()
    assert display.target_line_.get_ydata().tolist() == [0.0] * 40
    assert "ρ* lies here (certified)" in legend_texts(display.ax_)


def test_edges_of_a_run_and_without_target(run):
    display = rendered(EdgeDisplay.from_estimator(run))
    assert display.target_line_.get_ydata()[0] == 0.05
    bare = rendered(EdgeDisplay([0.5, 0.4], [-1.0, 0.1]).plot())
    assert bare.target_line_ is None
    assert "ρ* lies here (not certified)" in legend_texts(bare.ax_)


def test_edge_axis_leaves_out_few_rounds_after_a_start():
    margins = np.concatenate([np.linspace(-1, 0.2, 5), np.full(95, 0.2)] * 2)
    display = rendered(EdgeDisplay(np.full(200, 0.6), margins, target=np.full(200, 0.1)).plot())
    low, high = display.ax_.get_ylim()
    assert -0.2 < low < 0.0
    assert high >= 0.6


@pytest.mark.parametrize("against", ["round", "seconds"])
def test_gap_lines_are_the_history(model, against):
    display = rendered(GapDisplay.from_estimator(model, against=against))
    assert np.array_equal(display.upper_line_.get_ydata(), model.history_["upper"])
    assert np.array_equal(display.lower_line_.get_ydata(), model.history_["lower"])
    assert np.allclose(display.gap_line_.get_ydata(), model.history_["gap"])
    x = np.arange(1, 41) if against == "round" else model.history_["seconds"]
    assert np.array_equal(display.gap_line_.get_xdata(), x)
    assert display.ax_[1].get_yscale() == "log"
    assert display.ax_[1].get_xlabel() == against
    assert legend_texts(display.ax_[1])[0].endswith(", certified")


def test_closed_gap_leaves_the_log_axis_without_breaking_it():
    display = rendered(GapDisplay([0.1, 0.2, 0.2], [0.4, 0.3, 0.2]).plot())
    assert np.isnan(display.gap_line_.get_ydata()[-1])
    assert "not certified" in legend_texts(display.ax_[1])[0]


def test_bounds_not_known_yet_are_left_out():
    display = rendered(GapDisplay([-np.inf, 0.1], [0.9, 0.3]).plot())
    assert np.isnan(display.lower_line_.get_ydata()[0])
    assert np.isfinite(display.ax_[0].get_ylim()).all()


def test_gap_errors_name_the_argument():
    display = GapDisplay([0.1], [0.2])
    with pytest.raises(ValueError, match="against: got 'seconds'"):
        display.plot(against="seconds")
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="ax: got 1 axes, expected 2"):
        display.plot(ax=ax)
    with pytest.raises(ValueError, match="got 1 lower, 2 upper"):
        GapDisplay([0.1], [0.2, 0.3])


# -- shapes --------------------------------------------------------------------------------------


def test_shapes_evaluate_to_the_vote(mixed):
    X, _, model = mixed
    display = rendered(ShapeDisplay.from_estimator(model, X))
    explanation = model.explain()
    contributions = explanation.contributions(X)
    total = np.zeros(len(X))
    for shape in display.shapes:
        column = explanation.names.index(shape.name)
        values = np.where(np.isnan(shape.values), 0.0, shape.values)
        mine = np.where(np.isnan(shape.values), shape.missing, shape.at(values))
        assert np.allclose(mine, contributions[:, column])
        total += mine
    assert np.allclose(total + explanation.intercept, model.decision_function(X))


def test_numeric_feature_is_a_step_line_over_its_data(mixed):
    X, _, model = mixed
    display = rendered(ShapeDisplay.from_estimator(model, X))
    x, height = display.lines_["age"].get_data()
    step = model.explain().shapes["age"]
    assert np.array_equal(x[1:-1], step.thresholds)
    assert np.array_equal(height[:-1], step.levels[:-1])
    assert x[0] < X["age"].min()
    assert x[-1] > X["age"].max()


def test_without_rows_the_strip_shows_the_training_rows(mixed):
    X, _, model = mixed
    shape = next(s for s in ShapeDisplay.from_estimator(model).shapes if s.name == "age")
    low, high = shape.limits()
    assert low < X["age"].min() < X["age"].max() < high
    ends, dense = shape.density()
    assert (ends[0], ends[-1]) == (X["age"].min(), X["age"].max())
    shares = dense * np.diff(ends)
    counts = np.histogram(X["age"].dropna(), ends + 1e-9)[0]
    np.testing.assert_allclose(shares[1:] / shares.sum(), counts[1:] / counts.sum(), atol=0.01)
    display = rendered(ShapeDisplay.from_estimator(model))
    panel = display.ax_[[s.name for s in display.shapes].index("age")]
    assert len(panel.patches) == len(dense)


def test_categories_are_named_bars(mixed):
    X, _, model = mixed
    display = rendered(ShapeDisplay.from_estimator(model, X))
    bars = display.lines_["city"]
    panel = display.ax_[[shape.name for shape in display.shapes].index("city")]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["Bern", "Oslo", "Rome"]
    one_each = pd.DataFrame({"age": [50.0] * 3, "city": ["Bern", "Oslo", "Rome"]})
    one_each["city"] = one_each["city"].astype("category")
    expected = model.explain().contributions(one_each)[:, 1]
    assert np.allclose([bar.get_height() for bar in bars], expected)


def test_missing_level_is_marked_where_it_counts(mixed, model):
    X, _, other = mixed
    display = rendered(ShapeDisplay.from_estimator(other, X))
    level = other.explain().shapes["age"].levels[-1]
    assert display.missing_["age"].get_ydata()[0] == level
    assert rendered(ShapeDisplay.from_estimator(model)).missing_ == {}


def test_top_features_are_those_that_move_the_vote_most(model):
    display = rendered(ShapeDisplay.from_estimator(model, top=4))
    assert len(display.ax_) == 4
    order = np.argsort(-model.feature_importances_, kind="stable")[:4]
    assert [shape.name for shape in display.shapes] == [f"x{j}" for j in order]
    assert len({panel.get_ylim() for panel in display.ax_}) == 1
    assert display.figure_.get_supylabel() == "contribution to the vote for 1"


def test_value_on_a_threshold_belongs_to_its_left():
    shape = Shape("x", np.array([0.5]), np.array([-0.1, 0.1]))
    assert shape.at([0.4, 0.5, 0.6]).tolist() == [-0.1, -0.1, 0.1]


def test_strip_is_dark_where_rows_lie():
    values = np.concatenate([np.zeros(300), np.linspace(0, 1, 30), [np.nan]])
    shape = Shape("x", np.array([0.5]), np.array([-0.1, 0.1]), values=values)
    ends, dense = shape.density()
    assert (ends[0], ends[-1], len(dense)) == (0.0, 1.0, 60)
    assert dense[0] == 1.0
    assert dense[1:].max() < 0.01
    display = rendered(ShapeDisplay([shape]).plot())
    assert len(display.ax_[0].patches) == 60


def test_shape_errors_name_the_argument(model):
    with pytest.raises(ValueError, match="features: got 'height'"):
        ShapeDisplay.from_estimator(model, features=["height"])
    with pytest.raises(ValueError, match="shapes: got none"):
        ShapeDisplay([])
    _, axes = plt.subplots(1, 2)
    with pytest.raises(ValueError, match="ax: got 2 axes, expected 3"):
        ShapeDisplay.from_estimator(model, top=3, ax=axes)


# -- regions -------------------------------------------------------------------------------------


def test_region_colours_are_the_votes_and_the_boundary_separates_signs(circle):
    X, y, model = circle
    display = rendered(DecisionRegionDisplay.from_estimator(model, X, y, grid_resolution=40))
    grid = np.stack([part.ravel() for part in np.meshgrid(display.x0, display.x1)], axis=1)
    assert np.array_equal(display.votes.ravel(), model.decision_function(grid))
    assert np.array_equal(np.asarray(display.surface_.get_array()).ravel(), display.votes.ravel())
    low, high = display.surface_.get_clim()
    assert low == -high
    line = np.vstack([path.vertices for path in display.boundary_.get_paths()])
    near = np.linalg.norm(line, axis=1)
    assert 0.5 < near.min() <= near.max() < 2.5


def test_points_are_as_large_as_their_weights(circle):
    X, y, model = circle
    display = rendered(
        DecisionRegionDisplay.from_estimator(model, X, y, weights=model.dual_, grid_resolution=20)
    )
    sizes = display.points_["in"].get_sizes()
    weights = np.abs(model.dual_)[y == "in"]
    assert np.allclose(sizes / sizes.sum(), weights / weights.sum())
    assert np.array_equal(display.points_["out"].get_offsets(), X[y == "out"])
    assert display.ax_.get_legend().get_title().get_text() == "area proportional to weight"


def test_region_of_a_data_frame_names_its_columns(circle):
    X, y, _ = circle
    frame = pd.DataFrame(X, columns=["width", "height"])
    model = AdaBoostClassifier(n_estimators=3).fit(frame, y)
    display = rendered(DecisionRegionDisplay.from_estimator(model, frame, y, grid_resolution=10))
    assert display.ax_.get_xlabel() == "width"
    assert display.ax_.get_ylabel() == "height"


def test_region_with_one_sign_has_no_boundary():
    display = DecisionRegionDisplay(
        [0, 1], [0, 1], np.full((2, 2), 0.5), X=[[0.0, 0.0], [1.0, 1.0]], y=[0, 1]
    )
    assert rendered(display.plot()).boundary_ is None


def test_region_errors_name_the_argument(model, cancer):
    X, y, _, _ = cancer
    with pytest.raises(ValueError, match="y: got 3 classes, expected two"):
        DecisionRegionDisplay([0], [0], [[0.0]], X=np.zeros((3, 2)), y=[0, 1, 2])
    with pytest.raises(ValueError, match=r"X: got shape .* expected two features"):
        DecisionRegionDisplay.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="votes: got shape"):
        DecisionRegionDisplay([0, 1], [0, 1], [[0.0]], X=[[0.0, 0.0]], y=[0])


# -- training error ------------------------------------------------------------------------------


def test_training_error_lies_under_its_bounds_which_agree(circle):
    X, y, model = circle
    display = rendered(TrainingErrorDisplay.from_estimator(model, X, y))
    error = display.error_line_.get_ydata()
    assert np.allclose(error, [1 - score for score in model.staged_score(X, y)])
    assert (error <= display.loss_line_.get_ydata()).all()
    assert np.allclose(display.loss_line_.get_ydata(), display.edge_bound_line_.get_ydata())
    assert (np.diff(display.loss) < 0).all()
    assert display.test_error_line_ is None


def test_edge_bound_is_left_out_where_it_does_not_hold(circle):
    X, y, _ = circle
    slow = AdaBoostClassifier(n_estimators=10, learning_rate=0.3).fit(X, y)
    display = rendered(TrainingErrorDisplay.from_estimator(slow, X, y))
    assert display.edge_bound_line_ is None
    assert (display.error <= display.loss).all()


def test_rounds_that_added_nothing_do_not_hide_the_edge_bound(circle):
    X, y, _ = circle
    model = AdaBoostClassifier(n_estimators=50, tol=0.8).fit(X, y)
    assert len(model.history_) == len(model.estimators_) + 1
    display = rendered(TrainingErrorDisplay.from_estimator(model, X, y))
    assert np.allclose(display.loss, display.edge_bound)


def test_weighted_training_error_and_test_error(circle, cancer):
    X, y, other_X, other_y = cancer
    weights = np.where(y == 1, 1.0, 3.0)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y, weights)
    display = rendered(
        TrainingErrorDisplay.from_estimator(
            model, X, y, X_test=other_X, y_test=other_y, sample_weight=weights
        )
    )
    assert np.allclose(display.error, [1 - s for s in model.staged_score(X, y, weights)])
    assert np.allclose(display.test_error, [1 - s for s in model.staged_score(other_X, other_y)])
    assert np.allclose(display.loss, display.edge_bound)


# -- matplotlib ----------------------------------------------------------------------------------


def test_missing_matplotlib_is_told_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "marginboost\[plot\]"'):
        EdgeDisplay([0.5], [0.1]).plot()


# -- contributions -------------------------------------------------------------------------------


def test_importances_as_bars(mixed):
    _, _, model = mixed
    display = rendered(ImportanceDisplay.from_estimator(model, top=1))
    name = display.names[0]
    share = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))[name]
    assert (
        [bar.get_width() for bar in display.bars_] == [share] == [max(model.feature_importances_)]
    )
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [name]


@pytest.mark.parametrize("trees", [False, True], ids=["stumps", "trees"])
def test_a_waterfall_ends_at_the_answer(mixed, trees):
    X, y, model = mixed
    answers = model.decision_function(X)
    if trees:
        model = GradientBoostClassifier(n_estimators=5).fit(X, y)
        answers = model.model_.scores(model.__read_rows__(X))
    display = rendered(WaterfallDisplay.from_estimator(model, X, 3, background=X))
    last = display.bars_[-1]
    end = max if last.get_width() > 0 else min
    assert end(last.get_x(), last.get_x() + last.get_width()) == pytest.approx(answers[3])
    assert display.intercept + display.parts.sum() == pytest.approx(answers[3])
    assert display.unit == ("score" if trees else "vote")
    assert any(name.startswith("city = ") for name in display.names)
    short = rendered(WaterfallDisplay.from_estimator(model, X, 3, top=1))
    assert short.names[-1] == "1 more"
    with pytest.raises(ValueError, match="row: got -1"):
        WaterfallDisplay.from_estimator(model, X, -1)
