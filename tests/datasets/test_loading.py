"""Data sets by name: where they are looked for, what is refused, what a message says."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from marginboost import datasets
from marginboost.datasets import MissingDataError, known, load, loading, provenance


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """No folder of data, an empty cache, no network."""
    monkeypatch.delenv(datasets.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", _offline)


def _offline(**settings):
    raise OSError("no network")


def test_sets_of_the_package_and_of_scikit_learn_are_as_documented():
    for name in known():
        source = provenance(name)
        if source.comes_with:
            data = load(name)
            assert data.data.shape == (source.rows, source.features)
            assert data.origin in ("bundled", "scikit-learn")
            assert len(data.feature_names) == source.features
            if source.class_counts:
                counts = sorted(np.unique(data.target, return_counts=True)[1], reverse=True)
                assert tuple(counts) == source.class_counts
    assert load("uci_cleveland").categorical_features == [1, 2, 5, 6, 8, 10, 12]
    assert int(np.isnan(load("uci_wpbc").data).sum()) == 4


def test_every_set_has_an_origin_and_a_way_to_get_it():
    for name in known():
        source = provenance(name)
        assert source.title
        assert source.origin
        assert source.licence
        assert source.comes_with or f"{name}.npz" in source.ways()


def test_a_folder_comes_first(tmp_path, monkeypatch):
    split = {"train_idx": [[0, 1], [1, 2]], "test_idx": [[2], [0]]}
    nominal = {"is_categorical": [False, True]}
    np.savez(tmp_path / "uci_sonar.npz", X=np.ones((3, 2)), y=[0, 1, 1], **split, **nominal)
    np.savez(tmp_path / "mine.npz", series=np.arange(5.0))
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    data = load("uci_sonar")
    assert data.origin == "folder"
    assert data.data.shape == (3, 2)
    assert [part.tolist() for part in data.splits[1]] == [[1, 2], [0]]
    assert data.categorical_features == [1]
    assert load("mine").n_train == 5  # a file of one's own needs no provenance
    X, y = load("uci_sonar", return_X_y=True)
    assert (X.shape, y.tolist()) == ((3, 2), [0, 1, 1])


def test_offline_the_message_says_what_to_do():
    with pytest.raises(MissingDataError, match=r"uci_vehicle\.npz into a folder.*OpenML"):
        load("uci_vehicle")
    with pytest.raises(MissingDataError, match=r"ida_heart\.npz into a folder and name it in"):
        load("ida_heart")  # not at OpenML
    with pytest.raises(ValueError, match=r"got 'uci_sonnar', .* such as uci_sonar"):
        load("uci_sonnar")


def openml(rows):
    """What scikit-learn returns for OpenML's set of house votes, if it had so many rows."""
    target = np.array(["republican"] * (rows - 267) + ["democrat"] * 267)
    names = [f"V{j}" for j in range(16)]
    return Bunch(
        data=np.zeros((rows, 16)), target=target, feature_names=names, categories={"V3": ["n", "y"]}
    )


def test_openml_is_asked_once_and_checked(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        "sklearn.datasets.fetch_openml", lambda **how: asked.append(how) or openml(435)
    )
    data = load("uci_house_votes_84")
    assert asked[0]["data_id"] == 56
    assert data.origin == "cache"
    assert data.target_names == ["democrat", "republican"]
    assert np.bincount(data.target).tolist() == [267, 168]
    assert data.categorical_features == [3]
    np.testing.assert_array_equal(load("uci_house_votes_84").target, data.target)
    assert len(asked) == 1
    file = loading.cache_folder() / "uci_house_votes_84.npz"
    file.write_bytes(file.read_bytes()[:-1])  # damaged: fetched anew
    load("uci_house_votes_84")
    assert len(asked) == 2


def test_a_set_that_is_not_what_it_should_be_is_refused(monkeypatch):
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **how: openml(434))
    with pytest.raises(MissingDataError, match=r"has 434 rows.*expected 435"):
        load("uci_house_votes_84")
    assert not loading.cache_folder().exists()
