"""Pictures of soft margins, weights and gaps (R2-E4, Fig. 4.4-4.6)."""

import copy

import matplotlib.pyplot as plt
import numpy as np
import pytest

from marginboost import AdaBoostClassifier, ArcGVClassifier, LPBoostClassifier
from marginboost.algorithms import AdaBoost
from marginboost.core import train
from marginboost.datasets import circle_2d, flip_labels
from marginboost.diagnostics import (
    DualWeightDisplay,
    GapDisplay,
    GapRaceDisplay,
    SoftMarginDisplay,
    margin_error,
    nu_margin,
)
from marginboost.oracles import FiniteOracle, matrix_sample

pytestmark = pytest.mark.usefixtures("tidy_figures")


@pytest.fixture(scope="module")
def noisy():
    X, y = circle_2d(150)
    return X, flip_labels(y, 0.1, seed=3)[0]


@pytest.fixture(scope="module")
def soft(noisy):
    return LPBoostClassifier(nu=0.3, tol=1e-8).fit(*noisy)


@pytest.fixture(scope="module")
def ada(noisy):
    return AdaBoostClassifier(n_estimators=60).fit(*noisy)


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 30)
    matrix = y[:, None] * np.where(rng.random((30, 20)) < 0.7, 1.0, -1.0)
    return train(matrix_sample(matrix, y), FiniteOracle(), AdaBoost(), max_rounds=20)


def rendered(display):
    display.figure_.canvas.draw()
    return display


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- soft margins --------------------------------------------------------------------------------


def test_curve_is_cut_where_it_reaches_nu(ada):
    display = rendered(SoftMarginDisplay.from_estimator(ada, nu=0.2))
    x, height = display.curve_.get_data()
    for k in (1, len(x) // 2, len(x) - 2):
        assert height[k] == pytest.approx(margin_error(ada.margins_, x[k]))
    rho = display.cut.rho
    assert margin_error(ada.margins_, rho) >= 0.2 - 1e-9
    assert margin_error(ada.margins_, np.nextafter(rho, -1)) < 0.2 + 1e-9
    assert display.nu_line_.get_ydata()[0] == 0.2
    assert f"ρ = {rho:.4f}" in " ".join(legend_texts(display.ax_[0]))


def test_shaded_area_is_the_mean_slack(ada):
    """The area under the curve left of ρ is the mean of [ρ - ρ_i]_+."""
    display = rendered(SoftMarginDisplay.from_estimator(ada, nu=0.3))
    corners = display.slack_.get_paths()[0].vertices
    x, y = corners[:, 0], corners[:, 1]
    area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
    assert area == pytest.approx(display.cut.slack.mean(), rel=1e-9)
    assert area > 0


def test_lower_panel_peaks_at_rho(ada):
    display = rendered(SoftMarginDisplay.from_estimator(ada, nu=0.25))
    rho, values = display.objective_.get_data()
    for at, value in zip(rho, values, strict=True):
        expected = at - np.maximum(at - ada.margins_, 0).mean() / 0.25
        assert value == pytest.approx(expected, abs=1e-12)
    assert values.max() == pytest.approx(display.cut.value)
    assert display.optimum_.get_data()[0][0] == display.cut.rho
    low, high = display.ax_[1].get_ylim()
    assert low < display.cut.value < high


def test_estimator_brings_its_own_nu(soft, noisy):
    display = rendered(SoftMarginDisplay.from_estimator(soft))
    assert display.cut.nu == 0.3
    assert display.cut.rho == soft.rho_
    X, y = circle_2d(80, seed=9)
    other = rendered(SoftMarginDisplay.from_estimator(soft, X, y))
    np.testing.assert_allclose(other.cut.margins, soft.margins(X, y))


def test_soft_margins_from_predictions_runs_and_weights(ada, noisy, run):
    X, y = noisy
    votes = ada.decision_function(X)
    weights = np.arange(len(y)) % 3
    display = rendered(SoftMarginDisplay.from_predictions(y, votes, 0.2, sample_weight=weights))
    assert display.cut.rho == pytest.approx(nu_margin(ada.margins_.repeat(weights), 0.2).rho)
    assert rendered(SoftMarginDisplay.from_estimator(run, nu=0.1)).cut.margins.size == 30


def test_soft_margin_on_given_axes_and_errors(ada):
    _, axes = plt.subplots(1, 2)
    display = rendered(SoftMarginDisplay.from_estimator(ada, nu=0.1, ax=axes, linewidth=3))
    assert display.ax_ == list(axes)
    assert display.curve_.get_linewidth() == 3
    with pytest.raises(ValueError, match="nu: AdaBoostClassifier has none"):
        SoftMarginDisplay.from_estimator(ada)
    with pytest.raises(ValueError, match="X, y: got one of them"):
        SoftMarginDisplay.from_estimator(ada, [[0.0, 0.0]], nu=0.1)


@pytest.mark.parametrize("nu", [0.01, 1.0])
def test_extreme_shares(nu):
    display = rendered(SoftMarginDisplay(nu_margin([0.2, 0.2, 0.2], nu)).plot())
    assert display.cut.rho == 0.2


# -- weights -------------------------------------------------------------------------------------


def test_weights_against_margins_with_the_cap(soft):
    """R2-C3 as a picture: below ρ at the cap, beyond ρ without weight."""
    display = rendered(DualWeightDisplay.from_estimator(soft))
    assert display.cap_line_.get_ydata()[0] == pytest.approx(1 / 0.3)
    assert display.rho_line_.get_xdata()[0] == soft.rho_
    np.testing.assert_allclose(display.loads, np.abs(soft.dual_) * 150)
    below = np.flatnonzero(soft.margins_ < soft.rho_ - 1e-6)
    assert set(below) <= set(display.at_cap_)
    beyond = soft.margins_ > soft.rho_ + 1e-6
    assert display.loads[beyond].max() < 1e-6
    drawn = sum(len(points.get_offsets()) for points in display.points_.values())
    assert drawn == 150
    assert any(text.startswith("at the cap: ") for text in legend_texts(display.ax_))


def test_weights_without_nu_have_no_cap(ada, run):
    display = rendered(DualWeightDisplay.from_estimator(ada))
    assert display.cap_line_ is None
    assert display.at_cap_.size == 0
    assert set(display.points_) == {"with weight"}
    assert rendered(DualWeightDisplay.from_estimator(run)).loads.mean() == pytest.approx(1.0)


def test_a_price_takes_the_place_of_nu(soft):
    model = copy.copy(soft)
    model.C = 2.0  # the C-form keeps its default ν, which is not in force
    assert DualWeightDisplay.from_estimator(model).nu is None
    with pytest.raises(ValueError, match="nu: LPBoostClassifier has none"):
        SoftMarginDisplay.from_estimator(model)


def test_loads_are_in_units_of_the_share(noisy):
    X, y = noisy
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    model = LPBoostClassifier(nu=0.3, tol=1e-8).fit(X, y, sample_weight=counts)
    display = rendered(DualWeightDisplay.from_estimator(model, sample_weight=counts))
    assert display.loads.max() <= 1 / 0.3 + 1e-6
    assert not np.isin(np.flatnonzero(counts == 0), display.at_cap_).any()
    drawn = sum(len(points.get_offsets()) for points in display.points_.values())
    assert drawn == np.count_nonzero(counts)


def test_two_lengths_in_one_picture(ada):
    """Fig. 4.6: flat for the hard share ν, exponential decay beyond, steeper for larger Σα."""
    cut = nu_margin(ada.margins_, 0.2)
    _, ax = plt.subplots()
    for length in (5.0, 20.0):
        display = DualWeightDisplay(cut.margins, cut.weights_at(length), nu=0.2)
        rendered(display.plot(ax=ax, label=f"Σα = {length:g}"))
    texts = legend_texts(ax)
    assert texts.count("cap, 1/ν = 5") == 1
    assert {"Σα = 5", "Σα = 20"} <= set(texts)


def test_weight_errors_name_the_argument():
    with pytest.raises(ValueError, match="got 2 margins, 1 weights"):
        DualWeightDisplay([0.1, 0.2], [1.0])
    with pytest.raises(ValueError, match="nu: got 0"):
        DualWeightDisplay([0.1], [1.0], nu=0.0)
    with pytest.raises(ValueError, match="weights: got only zeros"):
        DualWeightDisplay([0.1], [0.0])


# -- gaps ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runners():
    X, y = circle_2d(100)
    return [
        ArcGVClassifier(n_estimators=80).fit(X, y),
        LPBoostClassifier(nu=None, tol=1e-9).fit(X, y),
    ]


@pytest.mark.parametrize("against", ["round", "seconds"])
def test_gaps_of_several_runs(runners, against):
    display = rendered(GapRaceDisplay.from_estimators(runners, against=against))
    assert list(display.lines_) == ["ArcGV", "LPBoost"]
    history = runners[0].history_
    x, gap = display.lines_["ArcGV"].get_data()
    np.testing.assert_array_equal(gap, history["upper"] - history["lower"])
    expected = history["seconds"] if against == "seconds" else np.arange(1, 81)
    np.testing.assert_array_equal(x, expected)
    assert display.ax_.get_xlabel() == against
    assert display.ax_.get_yscale() == "log"


def test_a_closed_gap_falls_to_the_end_of_the_axis(runners):
    display = rendered(GapRaceDisplay.from_estimators({"a": runners[0], "b": runners[1]}))
    assert runners[1].certificate_.gap <= 1e-9
    bottom, _ = display.ax_.get_ylim()
    assert display.lines_["b"].get_ydata()[-1] == bottom
    assert "b (closed)" in legend_texts(display.ax_)
    assert bottom > 1e-9


def test_a_closed_gap_does_not_stretch_the_axis_of_one_run():
    display = rendered(GapDisplay([0.0, 0.1, 0.2], [0.5, 0.4, 0.2 + 1e-16]).plot())
    assert display.ax_[1].get_ylim()[0] == pytest.approx(0.1)
    closed = rendered(GapDisplay([0.2], [0.2]).plot())
    assert np.isfinite(closed.ax_[1].get_ylim()).all()


def test_race_errors_name_the_argument(runners):
    with pytest.raises(ValueError, match="gaps: got no run"):
        GapRaceDisplay({})
    with pytest.raises(ValueError, match="against: got 'seconds'"):
        GapRaceDisplay({"a": [0.5]}).plot(against="seconds")
    with pytest.raises(ValueError, match="two have the same name"):
        GapRaceDisplay.from_estimators([runners[0], runners[0]])
    with pytest.raises(ValueError, match=r"seconds: got \['b'\], expected the runs \['a'\]"):
        GapRaceDisplay({"a": [0.5]}, seconds={"b": [1.0]})
    unknown = rendered(GapRaceDisplay({"a": [np.inf, 0.5]}).plot())
    assert np.isnan(unknown.lines_["a"].get_ydata()[0])
