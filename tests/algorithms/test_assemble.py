"""Boosting with unlabelled rows: the loss never rises, none of them is AdaBoost (CH-M8)."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import marginboost
from marginboost import (
    AdaBoostClassifier,
    AssembleClassifier,
    MulticlassBooster,
    Stop,
    StumpOracle,
    TreeOracle,
)
from marginboost.algorithms import Assemble
from marginboost.core import Callback, Sample
from marginboost.core.run import train
from marginboost.data import BinnedMatrix, Table
from marginboost.datasets import ring


def few_labels(seed=0, n=300, known=60):
    X, truth = ring(n)
    rng = np.random.default_rng(seed)
    labels = (truth > 0).astype(int)
    y = np.full(n, -1)
    kept = rng.permutation(n)[:known]
    y[kept] = labels[kept]
    return X, y, labels, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("base", [StumpOracle(), TreeOracle(max_depth=2, criterion="Z")], ids=str)
def test_without_unlabelled_rows_it_is_adaboost(base):
    X, _, labels, weights = few_labels()
    ours = AssembleClassifier(base, n_estimators=30).fit(X, labels, weights)
    plain = AdaBoostClassifier(base, n_estimators=30).fit(X, labels, weights)
    np.testing.assert_allclose(ours.estimator_weights_, plain.estimator_weights_, rtol=1e-6)
    np.testing.assert_allclose(ours.margins_, plain.margins_, atol=1e-6)
    assert ours.certified_ == plain.certified_
    assert ours.certificate_.upper == pytest.approx(plain.certificate_.upper)
    perfect = AssembleClassifier().fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    assert (perfect.stop_reason_, perfect.estimator_weights_.tolist()) == (Stop.PERFECT, [1.0])


class Losses(Callback):
    """Loss after every round, summed up by its definition."""

    def on_round(self, state):
        y, F = state.sample.y, state.scores
        self.found = [*getattr(self, "found", []), state.sample.prior @ np.exp(-loss_margins(y, F))]


def loss_margins(y, F):
    return np.where(y == 0, np.abs(F), y * F)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("base", [StumpOracle(), TreeOracle(max_depth=2, criterion="Z")], ids=str)
def test_the_loss_never_rises_and_bounds_the_error(seed, base):
    X, y, _, weights = few_labels(seed, n=150)
    table = Table(X, ["a", "b"])
    signs, watch = np.where(y < 0, 0, 2 * y - 1), Losses()
    sample = Sample.of_labels(signs, weights, rows=table, bins=BinnedMatrix.from_table(table))
    run = train(sample, base, Assemble(), max_rounds=25, callbacks=[watch])
    np.testing.assert_allclose(run.history["loss"], watch.found, rtol=1e-9)
    assert (np.diff([1.0, *run.history["loss"]]) <= 1e-12).all()
    wrong = (signs != 0) & (np.where(run.scores > 0, 1, -1) != signs)
    assert sample.prior[wrong].sum() <= watch.found[-1]
    assert not run.certificate.certified
    assert "guesses" in run.certificate.reason
    margins = (signs * run.scores)[signs != 0] / run.ensemble.l1_norm
    assert run.certificate.value == pytest.approx(margins.min())


def test_the_first_round_knows_labelled_rows_only_and_later_ones_all():
    X, y, _, _ = few_labels(1)
    known = y >= 0
    one = AssembleClassifier(n_estimators=1).fit(X, y)
    plain = AdaBoostClassifier(n_estimators=1, max_bins=None).fit(X[known], y[known])
    assert one.estimators_[0].feature == plain.estimators_[0].feature
    assert (one.dual_[~known] != 0).all()
    shares = np.abs(AssembleClassifier(n_estimators=1, unlabelled_share=0.4).fit(X, y).dual_)
    more, less = shares[~known].sum(), np.abs(one.dual_[~known]).sum()
    assert more > less > 0.0


def test_weights_are_copies():
    X, y, _, weights = few_labels(2)
    times = weights.astype(int)
    one = AssembleClassifier(n_estimators=20).fit(X, y, weights)
    other = AssembleClassifier(n_estimators=20).fit(np.repeat(X, times, 0), np.repeat(y, times))
    np.testing.assert_allclose(one.history_["loss"], other.history_["loss"], rtol=1e-9)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-9)


def blobs(seed):
    """Two clouds far apart, labels of 60 rows, a fifth of them wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 10)) + 3.0 * (2 * truth[:, None] - 1) / np.sqrt(10)
    kept, y = rng.permutation(400)[:60], np.full(400, -1)
    y[kept] = np.where(rng.random(60) < 0.2, 1 - truth[kept], truth[kept])
    return X, y, truth


def test_unlabelled_rows_make_up_for_wrong_labels():
    gains = []
    for seed in range(8):
        X, y, truth = blobs(seed)
        known, unlabelled = y >= 0, y < 0
        model = AssembleClassifier(unlabelled_share=0.5).fit(X, y)
        plain = AdaBoostClassifier().fit(X[known], y[known])
        right = [(m.predict(X[unlabelled]) == truth[unlabelled]).mean() for m in (model, plain)]
        gains.append(right[0] - right[1])
        np.testing.assert_array_equal(model.transduction_[known], y[known])
        np.testing.assert_array_equal(model.transduction_[unlabelled], model.predict(X[unlabelled]))
        assert (model.margins_[unlabelled] >= 0.0).all()
    assert np.mean(gains) > 0.015


def test_several_classes_texts_and_files(tmp_path):
    X, labels = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 5 == 0, labels, -1)
    model = AssembleClassifier(n_estimators=15).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.transduction_ == labels).mean() > 0.9
    names = np.where(y < 0, "-1", np.array(["a", "b", "c"])[labels])
    text = AssembleClassifier(n_estimators=15).fit(X, names)
    np.testing.assert_array_equal(text.predict(X), np.array(["a", "b", "c"])[model.predict(X)])
    text.save(tmp_path / "model.json")
    again = marginboost.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), text.predict_proba(X))


def test_bad_labels_and_settings_are_refused():
    X, y, _, _ = few_labels()
    with pytest.raises(ValueError, match="y: got no label but -1"):
        AssembleClassifier().fit(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="y: got one class"):
        AssembleClassifier().fit(X, np.where(y == 1, 1, -1))
    with pytest.raises(ValueError, match="unlabelled_share: got 1"):
        AssembleClassifier(unlabelled_share=1.0).fit(X, y)
    with pytest.raises(TypeError, match="code: got 'all-pairs'"):
        MulticlassBooster(AssembleClassifier(), code="all-pairs").fit(X, np.arange(len(X)) % 3)
