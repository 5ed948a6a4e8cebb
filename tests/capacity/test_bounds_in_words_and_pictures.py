"""What a bound says of itself, and what a picture of bounds shows."""

import math

import matplotlib
import numpy as np
import pytest

from marginboost import AdaBoostClassifier, LPBoostClassifier
from marginboost.capacity import (
    Assumption,
    Bound,
    BoundDisplay,
    StructuralRiskDisplay,
    compression_bound,
    compression_set,
    hoeffding_bound,
    model_bounds,
    risk_compression_bound,
    rounds_bound,
    rounds_structural_risk,
    structural_risk,
    vc_bound,
)
from marginboost.datasets import circle_2d

matplotlib.use("Agg")


@pytest.mark.parametrize(
    ("value", "vacuous"), [(0.0, False), (0.999, False), (1.0, True), (1.5, True), (math.inf, True)]
)
def test_from_one_on_a_bound_says_nothing(value, vacuous):
    bound = Bound(value, "name")
    assert bound.vacuous is vacuous
    assert bound.verdict == ("vacuous" if vacuous else "valid")
    assert Bound(value, assumptions=[Assumption("x", False)]).verdict == "void"


def test_a_bound_prints_its_parts():
    bound = Bound(0.25, "mine", "here", {"first": 0.125, "second": 0.125}, 0.1)
    lines = str(bound).splitlines()
    assert lines[0] == "mine (here): error <= 0.2500 with probability 0.9"
    assert lines[1:3] == ["  0.1250  first", "  0.1250  second"]
    assert repr(bound) == "<Bound 0.25 by mine, valid>"
    assert [str(Assumption("x", holds)) for holds in (True, False, None)] == [
        "x: yes",
        "x: NO",
        "x: to be judged",
    ]


def test_bars_are_as_long_as_what_they_stand_for():
    """What was measured is dark, what is added light; beyond one a bar ends at the border."""
    bounds = [
        hoeffding_bound(100, 0.25),
        compression_bound(200, 10),  # of one term
        rounds_bound(100, 50, 3, 0.125),  # above one, and void
    ]
    display = BoundDisplay(bounds, test_error=0.3).plot()
    for row, (bound, (dark, light)) in enumerate(zip(bounds, display.bars_, strict=True)):
        measured = next(iter(bound.terms.values())) if len(bound.terms) > 1 else 0.0
        assert dark.get_x() == 0.0
        assert dark.get_width() == pytest.approx(measured)
        assert light.get_x() == pytest.approx(measured)
        assert light.get_x() + light.get_width() == pytest.approx(min(float(bound), 1.0))
        assert dark.get_y() + dark.get_height() / 2 == pytest.approx(row)
        assert light.get_y() + light.get_height() / 2 == pytest.approx(row)
        assert dark.get_y() + dark.get_height() < row + 0.5  # bars do not touch
    assert [bar.get_hatch() for _, bar in display.bars_] == [None, None, "////"]
    axes = display.ax_
    assert axes.get_xlim() == (0.0, 1.0)
    bottom, top = axes.get_ylim()
    assert bottom > len(bounds) - 1 + 0.3  # the last bar is seen in full
    assert top < -0.7  # drawn from above, and room for what is written above the first
    texts = {text.get_text(): text for text in axes.texts}
    assert set(texts) == {
        "test error 0.300",
        *(f"{float(bound):.3f}  {bound.verdict}" for bound in bounds),
    }
    for bound in bounds:
        text = texts[f"{float(bound):.3f}  {bound.verdict}"]
        assert text.xy[0] == pytest.approx(min(float(bound), 1.0))
        assert (text.get_position()[0] < 0) == (bound > 0.75)  # long bars are labelled inside
        assert text.get_ha() == ("right" if bound > 0.75 else "left")
    assert texts["test error 0.300"].xy[0] == 0.3
    assert top < texts["test error 0.300"].xy[1] < -0.3
    assert [line.get_xdata()[0] for line in axes.lines] == [0.3]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [b.name for b in bounds]
    assert not axes.spines["top"].get_visible()
    assert not BoundDisplay(bounds).plot().ax_.lines
    few, many = (BoundDisplay(bounds[:1] * k).plot().figure_ for k in (1, 8))
    assert few.get_figheight() < many.get_figheight()


def test_curves_of_structural_risk_show_the_choice():
    found = structural_risk([0.3, 0.1, 0.09], [2, 4, 60], 5000)
    display = StructuralRiskDisplay(found, test_error=[0.3, 0.12, 0.13]).plot(xlabel="rounds")
    expected = {
        "bound": found.bound,
        "empirical risk": found.empirical_risk,
        "confidence term": found.confidence,
        "test error": [0.3, 0.12, 0.13],
    }
    assert set(display.lines_) == set(expected)
    for name, line in display.lines_.items():
        np.testing.assert_allclose(line.get_ydata(), expected[name])
        np.testing.assert_allclose(line.get_xdata(), [2, 4, 60])
        assert line.get_label() == name
    vertical, point = display.ax_.lines[4:]
    assert set(vertical.get_xdata()) == {4.0}
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (4.0, found.bound[1])
    assert display.ax_.get_ylim()[0] == 0.0
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("rounds", "error rate")
    assert not display.ax_.spines["top"].get_visible()
    legend = display.ax_.get_legend() or display.figure_.legends[0]
    assert {text.get_text() for text in legend.get_texts()} == set(expected)
    without = StructuralRiskDisplay(found).plot()
    assert set(without.lines_) == set(expected) - {"test error"}


def test_infinite_bounds_are_not_drawn():
    found = rounds_structural_risk([0.3, 0.2], 50, 60, rounds=[1, 9])
    display = StructuralRiskDisplay(found).plot()
    drawn = display.lines_["bound"].get_ydata()
    assert np.isfinite(drawn[0])
    assert np.isnan(drawn[1])
    nowhere = StructuralRiskDisplay(rounds_structural_risk([0.3], 60, 60)).plot()
    assert len(nowhere.ax_.lines) == 3  # no choice is shown where every bound is infinite


@pytest.fixture(scope="module")
def vote():
    X, y = circle_2d(400, 2)
    return AdaBoostClassifier(n_estimators=8).fit(X, y), X, y


def test_bounds_of_a_vote_are_those_of_its_theorems(vote):
    model, X, y = vote
    X_test, y_test = circle_2d(300, 5)
    bounds = model_bounds(model, X, y, vc_dimension=2, delta=0.1, X_test=X_test, y_test=y_test)
    named = {bound.name: bound for bound in bounds}
    assert set(named) == {"margins", "number of rounds", "VC dimension of 8 votes", "test set"}
    risk, missed = (model.predict(X) != y).mean(), (model.predict(X_test) != y_test).mean()
    assert named["number of rounds"] == rounds_bound(400, 8, 2, risk, delta=0.1)
    votes = 8 * 2 * math.log(8)
    assert named["VC dimension of 8 votes"] == vc_bound(400, votes, risk, delta=0.1)
    assert named["test set"] == hoeffding_bound(300, missed, delta=0.1)
    assert all(bound.delta == 0.1 for bound in bounds)
    assert len(named["test set"].assumptions) == 2  # drawn independently, fixed before
    assert len(named["VC dimension of 8 votes"].assumptions) == 3
    margins = named["margins"]
    assert math.fsum(margins.terms.values()) == pytest.approx(margins)
    share = next(iter(margins.terms.values()))
    theta = float(next(iter(margins.terms)).split()[-1])
    assert share == pytest.approx((model.margins(X, y) <= theta).mean(), abs=0.01)


def test_votes_of_too_many_hypotheses_have_no_bound_by_dimension(vote):
    model, X, y = vote
    votes = 8 * math.log(8)  # times the dimension

    def names(dimension):
        return {bound.name for bound in model_bounds(model, X, y, vc_dimension=dimension)}

    assert "VC dimension of 8 votes" in names(399 / votes)
    assert "VC dimension of 8 votes" not in names(400.001 / votes)
    with pytest.raises(ValueError, match="vc_dimension: got 0"):
        model_bounds(model, X, y, vc_dimension=0)
    with pytest.raises(ValueError, match="X_test, y_test"):
        model_bounds(model, X, y, y_test=y)


def test_a_display_measures_the_test_error(vote):
    model, X, y = vote
    display = BoundDisplay.from_estimator(model, X, y, X_test=X[:40], y_test=y[:40], delta=0.2)
    assert display.test_error == pytest.approx(1 - model.score(X[:40], y[:40]))
    assert display.bounds[0].delta == 0.2
    assert BoundDisplay.from_estimator(model, X, y).test_error is None


def test_what_a_model_rests_on_is_fitted_anew():
    """With training errors the bound allows for them; examples of one class give a constant."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[:12] *= -1
    model = LPBoostClassifier(nu=0.5).fit(X, y)
    kept = compression_set(model, X, y, delta=0.1)
    risk, n, q = (model.predict(X) != y).mean(), len(X), len(kept.indices)
    assert risk > 0.0
    expected = risk_compression_bound(n, q, risk, delta=0.1, stratified=True)
    assert kept.bound == expected
    again = LPBoostClassifier(nu=0.5).fit(X[kept.indices], y[kept.indices])
    assert kept.agrees == (again.predict(X) == model.predict(X)).mean()
    ones = np.flatnonzero(y > 0)[:3]
    constant = compression_set(model, X, y, support=ones)
    assert constant.agrees == (model.predict(X) == 1).mean()
    none = compression_set(model, X, y, support=np.array([], dtype=int))
    assert none.agrees == (model.predict(X) == y[0]).mean()
    clean = LPBoostClassifier(nu=None).fit(X[12:], y[12:])
    few = compression_set(clean, X[12:], y[12:], delta=0.1)
    assert few.bound == compression_bound(108, len(few.indices), delta=0.1)


def test_examples_of_hardly_any_weight_are_not_rested_on(monkeypatch):
    """A millionth of the largest weight is where they begin to count."""
    X, y = np.arange(6.0)[:, None], np.array([-1, -1, -1, 1, 1, 1])
    model = AdaBoostClassifier(n_estimators=1).fit(X, y)
    weights = 1e-3 * np.array([1.0, 0.5e-6, 2e-6, 0.3, 0.0, 1e-9])
    monkeypatch.setattr("marginboost.capacity.fitted.training_weights_of", lambda model: weights)
    assert compression_set(model, X, y).indices.tolist() == [0, 2, 3]
