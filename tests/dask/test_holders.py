"""A part that is made anew and told what it missed is the part that was lost, bit for bit."""

import numpy as np
import pytest

pytest.importorskip("distributed")

from distributed.protocol import pickle

from marginboost import BinnedMatrix, GradientTreeOracle, SoftmaxBoostClassifier, StumpOracle
from marginboost.algorithms._lpboost_on_parts import PartedLPBoost
from marginboost.algorithms.adaboost import AdaBoost
from marginboost.algorithms.gradient_boost import GradientBoost
from marginboost.algorithms.marginal_adaboost import MarginalAdaBoost
from marginboost.core import train
from marginboost.core.parts import LocalParts, Part, PartedSample, Source
from marginboost.dask.holders import Holder, Log
from marginboost.estimators.base import fit_parts
from marginboost.model import Features


class Recorded(LocalParts):
    """Parts that write down what a lost one would have to be told."""

    def __init__(self, parts):
        super().__init__(parts)
        self.log, self.most = Log(), 0

    def each(self, question, *args):
        answers = super().each(question, *args)
        self.log.note(question, args)
        self.most = max(self.most, len(self.log.calls()))
        return answers


@pytest.mark.parametrize(
    ("oracle", "rule"),
    [
        (StumpOracle(), AdaBoost()),
        (StumpOracle(), MarginalAdaBoost(0.4)),
        (GradientTreeOracle(4), GradientBoost()),
        (StumpOracle(), PartedLPBoost(0.7)),
    ],
)
def test_a_part_catches_up(oracle, rule):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = (X[:, 0] + rng.normal(size=500) > 0).astype(int)
    bins = BinnedMatrix.from_data(X)
    sources = [
        Source(bins.take(np.arange(start, stop)), y[start:stop], np.ones(stop - start))
        for start, stop in ((0, 200), (200, 500))
    ]
    parts = [Part.of(source) for source in sources]
    recorded = Recorded(parts)
    sample = PartedSample.of(recorded, bins, np.array([-1, 1], np.int8), 0)
    train(sample, oracle, rule, max_rounds=25)
    anew = Part.of(sources[1])
    for question, args in recorded.log.calls():
        question(anew, *args)
    np.testing.assert_array_equal(anew.scores, parts[1].scores)
    np.testing.assert_array_equal(anew.dual, parts[1].dual)
    assert np.abs(anew.scores).max() > 0.0
    assert recorded.most < 100  # and not all that was ever asked


def test_a_part_of_several_classes_catches_up():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 3, 400)
    bins = BinnedMatrix.from_data(X)
    sources = [Source(bins.take(at), y[at], np.ones(200)) for at in np.split(np.arange(400), 2)]
    parts = [Part.of(source) for source in sources]
    recorded = Recorded(parts)
    features = Features(list(bins.names), list(bins.categories), bins.named)
    model = SoftmaxBoostClassifier(n_estimators=4, max_leaf_nodes=5)
    fit_parts(model, features, bins, np.arange(3), recorded)
    anew = Part.of(sources[1])
    for question, args in recorded.log.calls():
        question(anew, *args)
    np.testing.assert_array_equal(anew.scores, parts[1].scores)
    np.testing.assert_array_equal(anew.dual, parts[1].dual)
    assert np.abs(anew.scores).max() > 0.0


def test_a_repeated_call_changes_nothing_twice():
    def count(part):
        part.columns[len(part.columns)] = np.empty(0)
        return len(part.columns)

    def fail(part):
        raise ArithmeticError("as it is")

    message, failing = saying(count), saying(fail, count)
    holder = two_parts()
    assert holder.catch_up(0, saying(wanted=0)) == ([], None)
    assert holder.ask(1, message) == ([[1, 1]], None)
    assert holder.ask(1, message) == ([[1, 1]], None)
    assert holder.ask(2, saying(count, count)) == ([[3, 3]], None)
    answer, error = holder.ask(3, failing)
    assert answer == []
    assert str(error) == "as it is"
    assert str(holder.catch_up(3, failing)[1]) == "as it is"
    assert isinstance(holder.ask(4, b"no pickle")[1], Exception)
    assert holder.ask(5, saying(count, count, count, wanted=2)) == ([[5, 5], [6, 6]], None)


def saying(*questions, wanted=1):
    """Message with some questions."""
    return pickle.dumps(([(question, ()) for question in questions], wanted))


def test_a_holder_that_missed_something_says_so():
    """The scheduler may make a lost actor anew on a worker that has come back; it knows nothing."""
    message = saying(len_of)
    holder = two_parts()
    assert holder.ask(7, message) is None
    holder.catch_up(6, saying(wanted=0))
    assert holder.ask(7, message) == ([[2, 2]], None)
    assert holder.ask(9, message) is None
    assert holder.drop([0])
    assert holder.ask(8, message) == ([[2]], None)


def two_parts():
    bins = BinnedMatrix.from_data(np.ones((2, 1)))
    return Holder([Source(bins, np.zeros(2, int), np.ones(2))] * 2)


def len_of(part):
    return len(part.source.labels)
