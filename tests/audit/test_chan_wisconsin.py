"""The seed's experiments on both Wisconsin sets, on few shuffles; and the runner around them."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from marginboost import reproduce
from marginboost.reproduce import chan_wisconsin
from marginboost.reproduce.__main__ import main

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not (DATA / "uci_breast_w.npz").is_file(), reason="the data sets of the seeds are not here"
)
SHUFFLES = 6


@pytest.fixture(scope="module", params=["diagnostic", pytest.param("original", marks=needs_data)])
def study(request):
    if request.param == "original":
        rows = chan_wisconsin.load_original(DATA)
    else:
        rows = load_breast_cancer(return_X_y=True)
    return chan_wisconsin.Study(*rows, shuffles=SHUFFLES)


@needs_data
def test_original_data():
    """CH-E1a: counts of the thesis, missing values set to the mean."""
    X, y = chan_wisconsin.load_original(DATA)
    assert X.shape == (699, 9)
    assert sorted(np.bincount(y)) == [241, 458]
    assert np.isfinite(X).all()
    assert (np.round(X) != X).sum() == 16


def test_flagged_fraction(study):
    """CH-E11: 2.5 % on average; pilots 2.5 and 3.1 %. CH-E6: hard cases vanish, 0.5 levels off."""
    flagged = study.flagged().mean(axis=1)
    assert 0.02 < flagged.mean() < 0.036
    assert study.flagged(7, 0.9).mean() < 0.003
    assert study.flagged(20, 0.9).mean() == 0.0
    assert 0.02 < study.flagged(50, 0.5).mean() < 0.06
    assert study.flagged(3).mean() > study.flagged(4).mean() < study.flagged(5).mean()  # sawtooth


def test_decision_volumes(study):
    """CH-E8: from round 4 the others' volumes are larger, about 2 to 3 times."""
    ratios = study.ratios([1, *range(4, 51)], "predicted").mean(axis=0)
    assert 0.7 < ratios[0] < 1.3
    assert (ratios[1:] > 1.5).all()
    assert 2.0 < np.median(ratios[1:]) < 5.0


def test_overlap_is_far_above_chance(study):
    """CH-E10: the thesis says 0.5; reached by the region of the given label."""
    chance = study.flagged().mean()
    for label, least in (("predicted", 5.0), ("given", 10.0)):
        overlaps = study.overlaps([4, 6, 8, 10], label).mean(axis=0)
        assert (overlaps > least * chance).all(), label
    assert study.overlaps([4, 6, 8, 10], "given").mean() == pytest.approx(0.53, abs=0.1)


def test_cells_do_not_single_out_noise(study):
    """CH-E7: cells shrink for both groups; noisy ones not consistently more."""
    rounds = [1, 50, 300]
    noisy, others = study.group_means(study.cells, rounds).T
    assert (np.diff(noisy) < 0).all()
    assert (np.diff(others) < 0).all()
    assert abs((noisy - others)[-1]) < 6.0


def test_margins_of_noisy_rows_grow_and_stay_below(study):
    """CH-E9."""
    noisy, others = study.group_means(study.margins, [1, 10, 50, 300]).T
    assert (np.diff(noisy) > -0.01).all()
    assert (noisy < others).all()
    first = study.margins[0]
    assert set(np.round(first, 12)) == {-1.0, 1.0}  # CH-C23
    assert (first < 0).mean() == pytest.approx(study.model.estimator_errors_[0])


@needs_data
def test_pilots_that_do_not_depend_on_the_shuffle():
    """Training errors and mean log cells of the specification's independent implementation."""
    study = chan_wisconsin.Study(*chan_wisconsin.load_original(DATA), shuffles=1)
    measured = study.errors[np.array([1, 4, 10, 50, 200, 300]) - 1]
    np.testing.assert_allclose(measured, [0.073, 0.0515, 0.0286, 0.0258, 0.0186, 0.0157], atol=6e-4)
    cells = study.cells.mean(axis=1)
    expected = [18.8, 12.1, 3.5, 3.0, 0.86, 0.41]  # of the 97 % that are not flagged
    np.testing.assert_allclose(cells[np.array([1, 10, 50, 100, 240, 300]) - 1], expected, atol=0.25)


def test_runner(capsys, monkeypatch):
    assert "chan-wisconsin" in reproduce.names()
    main([])
    assert "chan-wisconsin" in capsys.readouterr().out
    monkeypatch.setattr(chan_wisconsin, "SHUFFLES", 1)
    monkeypatch.setattr(chan_wisconsin.Study.__init__, "__defaults__", (1, 300))
    monkeypatch.delenv(reproduce.DATA_VARIABLE, raising=False)
    main(["chan-wisconsin"])
    out = capsys.readouterr().out
    assert "Diagnostic (WDBC): 569 rows, 30 features, 1 shuffles" in out
    assert "left out: uci_breast_w: no folder was given; use --data or MARGINBOOST_DATA" in out
    lines = [line for line in out.splitlines() if line.startswith("volume ratio, predicted")]
    assert len(lines) == 6


def test_folder_by_option_or_variable(tmp_path, monkeypatch):
    monkeypatch.setenv(reproduce.DATA_VARIABLE, str(tmp_path))
    with pytest.raises(reproduce.MissingData, match=r"uci_breast_w\.npz does not exist"):
        reproduce.load_arrays(tmp_path, "uci_breast_w")
    np.savez(tmp_path / "some.npz", X=np.eye(2))
    np.testing.assert_array_equal(reproduce.load_arrays(tmp_path, "some")["X"], np.eye(2))
    with pytest.raises(ValueError, match=r"experiment: got 'nothing', expected one of"):
        reproduce.run("nothing")


def test_table_is_aligned():
    table = reproduce.Comparison(
        "t", ("a", "b"), [("long name", "1", "2"), ("x", "3", "4")], ("n",)
    )
    assert str(table).splitlines() == [
        "t",
        "           a  b",
        "long name  1  2",
        "x          3  4",
        "n",
    ]
