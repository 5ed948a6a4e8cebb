"""Partitions are told as a fit of the whole table finds them; odd ones are refused by name."""

import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

from digests import digest  # noqa: E402
from marginboost import AdaBoostClassifier, GradientBoostRegressor, StumpOracle  # noqa: E402
from marginboost.dask import (  # noqa: E402
    DaskAdaBoostClassifier,
    DaskGradientBoostRegressor,
    DaskSoftmaxBoostClassifier,
    pieces,
    waiting,
)
from marginboost.dask.audit import RowsOnCluster  # noqa: E402
from marginboost.dask.estimators import _call as call_method  # noqa: E402
from marginboost.dask.partitions import (  # noqa: E402
    Weighing,
    bin_table,
    count_rows,
    find_features,
    find_weighing,
    has_no_recipe,
    survey_pieces,
    weigh,
)
from marginboost.data import binned  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as made:
        yield made


def rows(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    X[rng.random(n) < 0.1, 1] = np.nan
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int), rng.integers(0, 4, n).astype(float)


def lazy(*data, chunks=70):
    return [da.from_array(one, chunks=(chunks, *one.shape[1:])) for one in data]


# -- the same model -----------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.0, 1: 2.0, 2: 1.0}, {0: 1e-3}])
def test_weights_of_rows_and_classes_are_those_of_one_machine(client, weighted, class_weight):
    """Rows of weight 0 do not count, nor do classes; not for cuts, nor for what is seen."""
    X, y, w = rows()
    y[X[:, 0] > 1] = 2
    given = (w,) if weighted else ()
    settings = {"n_estimators": 6, "class_weight": class_weight}
    local = AdaBoostClassifier(**settings).fit(X, y, *given)
    model = DaskAdaBoostClassifier(**settings).fit(*lazy(X, y, *given))
    assert digest(model.to_local()) == digest(local)
    regressor = DaskGradientBoostRegressor(n_estimators=3).fit(*lazy(X, X[:, 0], *given))
    alone = GradientBoostRegressor(n_estimators=3).fit(X, X[:, 0], *given)
    assert digest(regressor.to_local()) == digest(alone)


@pytest.mark.parametrize("weighted", [False, True])
def test_cuts_of_large_tables_come_from_the_same_rows(client, monkeypatch, weighted):
    """Evenly spaced rows of those that count, whatever partitions they are in."""
    monkeypatch.setattr(binned, "SAMPLE_ROWS", 37)
    X, y, w = rows(300, seed=3)
    w[60:140] = 0.0  # one partition, and parts of others
    given = (w,) if weighted else ()
    local = AdaBoostClassifier(n_estimators=5).fit(X, y, *given)
    model = DaskAdaBoostClassifier(n_estimators=5).fit(*lazy(X, y, *given, chunks=60))
    assert digest(model.to_local()) == digest(local)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, bool])
def test_numbers_of_every_kind(client, dtype):
    X, y, _ = rows()
    X = np.nan_to_num(X * 10).astype(dtype)
    local = AdaBoostClassifier(n_estimators=5).fit(X, y)
    model = DaskAdaBoostClassifier(n_estimators=5).fit(*lazy(X, y))
    assert digest(model.to_local()) == digest(local)


def test_columns_without_names_and_chunks_of_columns(client):
    """Names that are no text are none; rows and labels of other chunks are put side by side."""
    X, y, w = rows()
    local = AdaBoostClassifier(n_estimators=5).fit(X, y, w)
    rows_by_column = da.from_array(X, chunks=(70, 1))
    model = DaskAdaBoostClassifier(n_estimators=5)
    model.fit(rows_by_column, da.from_array(y, chunks=100), da.from_array(w, chunks=50))
    assert digest(model.to_local()) == digest(local)
    numbered = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    labels = dd.from_pandas(pd.Series(y), npartitions=3)
    framed = AdaBoostClassifier(n_estimators=5).fit(pd.DataFrame(X), y)
    model.fit(numbered, labels)
    assert digest(model.to_local()) == digest(framed)
    assert not hasattr(model, "feature_names_in_")


def test_predictions_are_lazy_and_of_the_shapes_of_one_machine(client):
    X, y, _ = rows()
    y[X[:, 0] > 1] = 2
    three = DaskSoftmaxBoostClassifier(n_estimators=2).fit(*lazy(X, y))
    two = DaskAdaBoostClassifier(StumpOracle(), n_estimators=2)
    two.fit(*lazy(X, (y > 0).astype(int)))
    numbers = DaskGradientBoostRegressor(n_estimators=2).fit(*lazy(X, X[:, 0]))
    by_column = da.from_array(X, chunks=(100, 1))
    for model, methods in (
        (three, {"predict": (240,), "predict_proba": (240, 3), "decision_function": (240, 3)}),
        (two, {"predict": (240,), "predict_proba": (240, 2), "decision_function": (240,)}),
        (numbers, {"predict": (240,)}),
    ):
        for method, shape in methods.items():
            found = getattr(model, method)(by_column)
            assert isinstance(found, da.Array)
            assert (found.shape, found.numblocks[0]) == (shape, 3)
            expected = getattr(model.to_local(), method)(X)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.compute(), expected)
            np.testing.assert_array_equal(getattr(model, method)(X), expected)  # not lazy
            empty = call_method(model.to_local(), method, X[:0])
            assert (empty.shape, empty.dtype) == ((0, *shape[1:]), expected.dtype)
    text = DaskAdaBoostClassifier(n_estimators=2).fit(*lazy(X, np.array(["n", "y"])[y % 2]))
    assert text.predict(by_column).dtype == np.dtype("U1")


def test_what_an_unfitted_model_has_not(client):
    """And a fitted one: attributes of the local model that are public and end in an underscore."""
    model = DaskAdaBoostClassifier(n_estimators=2)
    assert not model.__sklearn_is_fitted__()
    for name in ("classes_", "nothing_", "_hidden_", "nothing"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(model, name)
    with pytest.raises(ValueError, match="not fitted"):
        model.to_local()
    X, y, _ = rows()
    model.fit(*lazy(X, y))
    assert model.__sklearn_is_fitted__()
    assert model.classes_.tolist() == [0, 1]
    model.local_._kept_, model.local_.kept = 1, 2
    for name in ("nothing_", "_kept_", "kept"):
        with pytest.raises(AttributeError):
            getattr(model, name)


def test_two_fits_of_a_table_share_nothing(client):
    """One may end, and let go of its rows, while the other goes on."""
    X, y, _ = rows()
    data = lazy(X, y)
    model = AdaBoostClassifier()
    first, second = (bin_table(client, model, *data, None) for _ in range(2))
    keys = [{source.key for source in table.sources} for table in (first, second)]
    assert not keys[0] & keys[1]
    client.cancel(first.sources)
    found = client.gather(second.sources)
    assert [len(one.labels) for one in found] == [70, 70, 70, 30]
    assert {one.n_threads for one in found} == {2}
    assert second.layout.n_rows == 0  # nothing but the cuts is on the client


def n_holders(client):
    """Actors on the workers, after those that are let go of have gone."""

    def count(dask_worker):
        return len(dask_worker.state.actors)

    for _ in range(100):
        if sum(client.run(count).values()) == 0:
            return 0
        time.sleep(0.05)
    return sum(client.run(count).values())


def test_after_a_fit_the_cluster_holds_nothing_of_it(client):
    X, y, _ = rows()
    DaskAdaBoostClassifier(n_estimators=2).fit(*lazy(X, y))
    assert n_holders(client) == 0


def test_settings_are_checked_before_a_row_is_read(client):
    def read():
        raise AssertionError("a row was read")

    X = da.from_delayed(dask.delayed(read)(), (10, 2), float)
    y = da.from_delayed(dask.delayed(read)(), (10,), int)
    for settings in ({"max_bins": 1}, {"max_bins": 2.5}, {"estimator": "stumps"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(settings))):
            DaskAdaBoostClassifier(**settings).fit(X, y)
    X, y, _ = rows(60)
    few = DaskAdaBoostClassifier(n_estimators=2, max_bins=2).fit(*lazy(X, y))
    assert digest(few.to_local()) == digest(
        AdaBoostClassifier(n_estimators=2, max_bins=2).fit(X, y)
    )


# -- tables that do not fit ---------------------------------------------------------------------


def test_partitions_that_do_not_fit_are_refused_by_name(client):
    X, y, w = rows(120)
    table, labels, weights = lazy(X, y, w, chunks=60)
    model = DaskAdaBoostClassifier(n_estimators=2)
    unknown = dd.from_pandas(pd.DataFrame(X), npartitions=3).to_dask_array()
    for given, message in (
        ((da.stack([table, table]), labels), "X: got 3 dimensions, expected 2"),
        ((table, labels, weights[:-1]), "sample_weight: got 119 rows for 120 rows of X"),
        ((table, labels[:-1], weights), "y: got 119 rows for 120 rows of X"),
        ((table, y), "y: got ndarray, expected a Dask array"),
        ((table, labels, w), "sample_weight: got ndarray, expected a Dask array"),
        ((unknown, labels), "y: got 2 partitions, expected as many as of X, 3"),
        ((table, labels, da.from_array(-w, chunks=60)), "sample_weight"),
        ((table, labels, weights * 0), "sample_weight: got only zeros"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            model.fit(*given)
    broken = da.where(da.arange(120, chunks=60) == 70, np.inf, table[:, 0])[:, None]
    with pytest.raises(ValueError, match=r"infinity.*\(in partition 1, rows and partitions from 0"):
        model.fit(broken, labels)


@pytest.mark.parametrize("classes", [True, False])
def test_a_survey_tells_of_rows_with_weight_only(classes):
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    y, w = np.array([2, 1, 2, 3]), np.array([0.5, 0.0, 2.0, 1.0])
    found = survey_pieces(X, y, w, None, classes)
    assert (found.n_rows, found.names, found.categories) == (4, ["x0", "x1"], [None, None])
    if classes:
        assert found.labels.tolist() == [2, 3]
        assert found.largest == [2.0, 1.0]
        assert [total / found.totals[1] for total in found.totals] == [2.5, 1.0]
    else:
        assert (found.labels.tolist(), found.largest) == ([0], [2.0])
    unweighted = survey_pieces(X, y, None, None, True)
    assert unweighted.labels.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="y"):
        survey_pieces(X, np.array([1.0, np.inf, 0.0, 1.0]), None, None, False)


def test_rows_are_weighed_as_in_a_fit_of_the_whole_table():
    """Factors of classes come on top; where they are all one, nothing is touched."""
    y, w = np.array(["b", "a", "b"]), np.array([1.0, 0.5, 0.0])
    plain = Weighing(np.array(["a", "b"]), np.ones(2), 1.0, 1.0)
    used, labels, weights = weigh(y, w, plain)
    assert (used.tolist(), labels.tolist(), weights.tolist()) == ([0, 1], [1, 0], [1.0, 0.5])
    factors = Weighing(np.array(["a", "b"]), np.array([4.0, 0.0]), 1.0, 2.0)
    used, labels, weights = weigh(y, w, factors)
    assert (used.tolist(), labels.tolist(), weights.tolist()) == ([1], [0], [2.0])
    used, targets, weights = weigh(np.array([1.5, 2.5]), None, Weighing(None, np.ones(1), 1.0, 1.0))
    assert (used.tolist(), targets.tolist(), weights.tolist()) == ([0, 1], [1.5, 2.5], [1.0, 1.0])
    assert count_rows((used, targets, np.array([3.0, 2.0]))) == (2, 2.0, 3.0)
    assert count_rows((used[:0], targets[:0], np.empty(0)))[0] == 0


def surveyed(y, w=None, X=None, categorical=None):
    y = np.asarray(y)
    return survey_pieces(np.zeros((len(y), 1)) if X is None else X, y, w, categorical, True)


def test_weights_of_all_partitions_are_told_together():
    surveys = [surveyed([0, 1], np.array([1.0, 4.0])), surveyed([1, 1, 2])]
    how = find_weighing(surveys, {0: 3.0, 1: 1.0, 2: 0.5}, True)
    assert how.classes.tolist() == [0, 1, 2]
    assert (how.factors / how.factors[1]).tolist() == [3.0, 1.0, 0.5]
    assert how.largest == 4.0
    assert how.largest_weighed == pytest.approx(4.0 * how.factors[1])
    balanced = find_weighing(surveys, "balanced", True)
    totals = np.array([1.0, 6.0, 1.0])
    np.testing.assert_allclose(balanced.factors, totals.sum() / (3 * totals))
    assert find_weighing([surveyed([0, 0])], None, False).classes is None
    for surveys, message in (
        ([surveyed([1, 1]), surveyed([1])], "y: got one class"),
        ([surveyed([1]), surveyed(["1"])], "y: got text in some partitions and numbers in others"),
        ([surveyed([0, 1], np.zeros(2))], "sample_weight: got only zeros"),
    ):
        with pytest.raises(ValueError, match=message):
            find_weighing(surveys, None, True)


def frame(kinds, name="kind"):
    return pd.DataFrame({"a": np.arange(float(len(kinds))), name: pd.Categorical(kinds)})


def test_categories_of_all_partitions_are_one_list():
    """Sorted, where they have an order; those of one partition may be missing in another."""
    y = [0, 1]
    some = [surveyed(y, X=frame(kinds)) for kinds in (["z", "x"], ["y", "x"])]
    found = find_features(some, True)
    assert (found.names, found.named) == (["a", "kind"], True)
    assert found.categories[0] is None
    assert found.categories[1].tolist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match=r"partition 1 has the columns \['a', 'other'\]"):
        find_features([some[0], surveyed(y, X=frame(["x", "y"], "other"))], True)
    numbers = surveyed(y, X=pd.DataFrame({"a": [0.0, 1.0], "kind": [0.0, 1.0]}))
    for mixed in ([some[0], numbers], [numbers, some[0]]):
        with pytest.raises(ValueError, match="'kind' holds categories in some partitions"):
            find_features(mixed, True)
    nothing = surveyed(y, X=frame([None, None]))
    assert find_features([nothing, some[0]], True).categories[1].tolist() == ["x", "z"]
    counts = [surveyed(y, X=frame(kinds)) for kinds in ([1, 2], [0.5, 2])]
    assert find_features(counts, True).categories[1].tolist() == [0.5, 1.0, 2.0]
    assert find_features([nothing], True).categories[1].tolist() == []


# -- what can be made anew ------------------------------------------------------------------------


class Task(SimpleNamespace):
    """A task of the scheduler: what it is made from, and who has it."""

    def __init__(self, key, *dependencies, data=False, held=False):
        super().__init__(
            key=key,
            dependencies=dependencies,
            run_spec=None if data else key,
            who_has={"worker"} if held else set(),
        )


def test_what_is_made_from_data_cannot_be_made_anew():
    graph = Task("graph")
    data = Task("data", data=True, held=True)
    on_graph, on_both = Task("on graph", graph), Task("on both", graph, data)
    twice = Task("twice", on_graph, on_graph, Task("on graph too", graph))
    kept = Task("kept", Task("on data", data), held=True)
    on_kept, on_two = Task("on kept", kept), Task("on two", kept, data)
    scheduler = SimpleNamespace(
        tasks={t.key: t for t in (graph, data, on_graph, on_both, twice, kept, on_kept, on_two)}
    )

    def cannot(*keys, **options):
        return has_no_recipe(list(keys), dask_scheduler=scheduler, **options)

    assert not cannot("graph", "on graph", "twice")
    assert cannot("data")
    assert cannot("on both")
    assert cannot("graph", "on both")
    assert cannot("on kept")
    assert cannot("unknown")
    assert cannot("graph", "unknown", lost=True)
    assert not cannot("on kept", "on both", lost=True)  # what is kept need not be made
    data.who_has = set()
    assert cannot("on both", lost=True)
    assert not cannot("on kept", lost=True)


def test_what_many_are_made_from_is_looked_at_once():
    """A graph may have more ways through it than tasks, by far."""
    looks = []

    class Counted(Task):
        @property
        def run_spec(self):
            looks.append(self.key)
            return self.key

        @run_spec.setter
        def run_spec(self, value):
            pass

    below = Counted("0")
    for k in range(1, 12):
        below = Counted(str(k), below, below, below)
    scheduler = SimpleNamespace(tasks={below.key: below})
    assert not has_no_recipe([below.key], dask_scheduler=scheduler)
    assert len(looks) == 12


def test_only_rows_of_data_are_warned_of(client):
    X, y, _ = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DaskAdaBoostClassifier(n_estimators=2).fit(*lazy(X, y))


def test_tasks_that_take_long_are_waited_for(monkeypatch):
    """It is looked whether there are workers meanwhile; errors end the wait."""
    looks = []

    class Client:
        def gather(self, futures):
            return [future.status for future in futures]

    futures = [SimpleNamespace(status="pending"), SimpleNamespace(status="pending")]

    def wait(given, timeout):
        assert (given, timeout) == (futures, pieces.LOOK)
        if len(looks) < 3:
            raise TimeoutError

    monkeypatch.setattr(pieces, "wait", wait)
    monkeypatch.setattr(pieces, "await_workers", looks.append)
    client = Client()
    assert pieces.gather(client, futures) == ["pending", "pending"]
    assert looks == [client] * 3
    futures[1].status = "error"
    looks.clear()
    assert pieces.gather(client, futures) == ["pending", "error"]
    assert looks == []


class Empty:
    """A cluster whose workers come after some waits."""

    scheduler = SimpleNamespace(address="tcp://here")

    def __init__(self, waits):
        self.waits, self.asked = waits, []

    def nthreads(self):
        return {"worker": 1} if self.waits == 0 else {}

    def wait_for_workers(self, number, timeout):
        self.asked.append((number, timeout))
        if len(self.asked) < self.waits:
            raise TimeoutError


def test_workers_are_waited_for_in_silence_then_with_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for waits, asked in ((0, 0), (1, 1)):
            empty = Empty(waits)
            waiting.await_workers(empty)
            assert len(empty.asked) == asked
    empty = Empty(2)
    with pytest.warns(UserWarning, match="a cluster of 0 workers at tcp://here.*for 600 s at most"):
        waiting.await_workers(empty)
    assert empty.asked == [(1, waiting.SOON), (1, waiting.PATIENCE)]
    with (
        pytest.warns(UserWarning, match="waiting for one"),
        pytest.raises(RuntimeError, match="none has come for 600 s"),
    ):
        waiting.await_workers(Empty(3))


# -- rows of an audit -----------------------------------------------------------------------------


def test_rows_are_found_by_their_numbers(client):
    """In any order, in whichever partition; models judge them where they are."""
    X, y, _ = rows()
    table = bin_table(client, AdaBoostClassifier(), *lazy(X, y), None)
    found = RowsOnCluster(client, table)
    np.testing.assert_array_equal(found.codes, y)
    everything = found.take(None)
    assert everything.codes.flags.c_contiguous
    chosen = np.array([239, 0, 70, 69, 71, 0])
    np.testing.assert_array_equal(found.take(chosen).codes, everything.codes[:, chosen])
    ascending = np.array([3, 5, 140, 141, 200, 201, 239])
    model = found.fit(AdaBoostClassifier(n_estimators=3), np.setdiff1d(np.arange(240), ascending))
    few = found.predict(model, ascending)
    np.testing.assert_array_equal(few, model.predict_proba(everything.take(ascending)))
    one = found.predict(model, ascending[-1:])
    assert one.shape == (1, 2)
    only_last = found.fit(AdaBoostClassifier(n_estimators=2), np.arange(211, 240))
    alone = AdaBoostClassifier(n_estimators=2).fit(everything.take(np.arange(211, 240)), y[211:])
    assert only_last.estimators_ == alone.estimators_
    assert n_holders(client) == 0
