"""What users bring to a cluster: right answers, or errors that say what is wrong."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

from digests import digest  # noqa: E402
from marginboost import (  # noqa: E402
    AdaBoostClassifier,
    ArcGVClassifier,
    LPBoostClassifier,
    SoftmaxBoostClassifier,
    StumpOracle,
    TreeOracle,
)
from marginboost.dask import (  # noqa: E402
    DaskAdaBoostClassifier,
    DaskArcGVClassifier,
    DaskGradientBoostClassifier,
    DaskGradientBoostRegressor,
    DaskLabelAudit,
    DaskLPBoostClassifier,
    DaskSoftmaxBoostClassifier,
    holders,
)
from marginboost.model import SigmoidLink  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as made:
        yield made


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)


def frames(tables):
    """Data frame of Dask, a table to a partition."""
    return dd.from_delayed(
        [dask.delayed(table) for table in tables], meta=tables[0], verify_meta=False
    )


def test_parameters_are_those_of_one_machine_and_a_client():
    model = DaskAdaBoostClassifier(StumpOracle(), n_estimators=7, learning_rate=0.5)
    local = AdaBoostClassifier(StumpOracle(), n_estimators=7, learning_rate=0.5)
    params = clone(model).get_params(deep=False)
    assert params.pop("client") is None
    assert params.keys() == local.get_params(deep=False).keys()
    assert params["learning_rate"] == 0.5
    with pytest.raises(TypeError, match="rounds"):
        DaskAdaBoostClassifier(rounds=3)


@pytest.mark.parametrize("kind", [DaskAdaBoostClassifier, DaskLabelAudit])
def test_no_client(rows, kind):
    with pytest.raises(ValueError, match="there is no Dask client"):
        kind().fit(*(da.from_array(one) for one in rows))


def test_empty_partitions_and_unknown_divisions(client, rows):
    X, y = rows
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    lazy = dd.from_pandas(table, npartitions=6)
    lazy = lazy[lazy["a"] > -0.5].clear_divisions()
    some = table[table["a"] > -0.5]
    lazy = dd.concat([lazy, lazy.partitions[0][lazy.partitions[0]["a"] > 99]], axis=0)
    model = DaskAdaBoostClassifier(n_estimators=9).fit(lazy[["a", "b", "c"]], lazy["y"])
    local = AdaBoostClassifier(n_estimators=9).fit(some[["a", "b", "c"]], some["y"])
    assert model.estimators_ == local.estimators_
    np.testing.assert_array_equal(model.estimator_weights_, local.estimator_weights_)
    values = lazy[["a", "b", "c"]].to_dask_array()  # of unknown lengths
    model.fit(values, lazy["y"].to_dask_array())
    assert model.estimators_ == local.estimators_
    assert model.predict(values).compute().shape == (len(some),)


def test_a_category_and_a_class_in_one_partition_only(client, rows):
    X, y = rows
    table = pd.DataFrame({"a": X[:, 0], "kind": np.where(y == 1, "x", "z")})
    table.loc[table.index[-40:], "kind"] = "y"
    labels = pd.Series(np.where(np.arange(300) < 250, y, 2))
    halves = [table[:150].astype({"kind": "category"}), table[150:].astype({"kind": "category"})]
    model = DaskAdaBoostClassifier(n_estimators=5)
    model.fit(frames(halves), frames([labels[:150], labels[150:]]))
    local = AdaBoostClassifier(n_estimators=5).fit(table.astype({"kind": "category"}), labels)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.estimators_ == local.estimators_


@pytest.mark.parametrize("spread", [1e15, 1e40])
def test_weights_of_very_different_size(client, rows, spread):
    """Where rows lie is told from all that count, however little."""
    X, y = rows
    X = X.copy()
    weights = np.geomspace(1.0, spread, len(y))
    X[:20] *= 9.0  # the smallest and largest values are those of rows that hardly weigh anything
    X[:5, 1], X[5:, 1] = 3.0, np.nan
    model = DaskAdaBoostClassifier(n_estimators=9)
    model.fit(*(da.from_array(one, 70) for one in (X, y, weights)))
    local = AdaBoostClassifier(n_estimators=9).fit(X, y, weights)
    assert digest(model.to_local()) == digest(local)
    used = sorted({stump.feature for stump in local.estimators_})
    assert 0 in used
    known = local.model_.run.background[0]
    assert (known.low, known.high) == (X[:, 0].min(), X[:, 0].max())


def assert_same_probabilities(model, local, rows):
    """The same file, with the link in it, and the same probabilities."""
    assert isinstance(local.model_.link, SigmoidLink)
    assert digest(model.to_local()) == digest(local)
    np.testing.assert_array_equal(model.to_local().predict_proba(rows), local.predict_proba(rows))


@pytest.mark.parametrize("chunk", [700, 90])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_one_machine(client, n_classes, weighted, chunk):
    """Votes are compared with labels on a cluster as in memory, bit for bit."""
    rng = np.random.default_rng(n_classes)
    X = np.round(rng.normal(size=(700, 3)), 1)  # with copies
    X[rng.random(X.shape) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0] - 0.5 * X[:, 1]) + 0.4 * rng.normal(size=700)
    y = np.digitize(score, [0.0, 0.8][: n_classes - 1])
    weights = rng.exponential(size=700) * (rng.random(700) < 0.9) if weighted else None
    settings = {"nu": 0.7 if n_classes == 2 else 0.4, "n_estimators": 3, "solver": "smooth"}
    given = [X, y] if weights is None else [X, y, weights]
    lazy = [da.from_array(one, chunk) for one in given]
    model = DaskLPBoostClassifier(**settings).fit(*lazy)
    assert_same_probabilities(model, LPBoostClassifier(**settings).fit(*given), X)


def test_probabilities_of_frames(client):
    """Rows held back are read as the table is: categories, text, class weights."""
    rng = np.random.default_rng(3)
    size = rng.normal(size=400)
    kind = np.where(rng.random(400) < 0.5, "x", "z").astype(object)
    kind[rng.random(400) < 0.1] = None
    frame = pd.DataFrame({"size": size, "kind": kind, "own": pd.Categorical(kind)})
    y = pd.Series(np.where(size + (kind == "x") + rng.normal(size=400) > 0.4, "yes", "no"))
    settings = {"n_estimators": 9, "class_weight": "balanced"}
    lazy = frames([frame[:130], frame[130:390], frame[390:]])
    labels = frames([y[:130], y[130:390], y[390:]])
    model = DaskArcGVClassifier(**settings).fit(lazy, labels)
    assert_same_probabilities(model, ArcGVClassifier(**settings).fit(frame, y), frame)


def test_probabilities_of_rows_in_parts_and_few_of_a_class(client):
    """Where a class has too few rows to hold any back, votes on all of them are compared."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = (np.arange(60) < 2).astype(int)
    X[:2] += 1.0
    model = DaskArcGVClassifier(n_estimators=5)
    model.fit(*(da.from_array(one, 13) for one in (X, y)))
    assert_same_probabilities(model, ArcGVClassifier(n_estimators=5).fit(X, y), X)


def halves_of(words, y, **more):
    """Frame of one column of text, as it is and as two partitions; labels as well."""
    table, labels = pd.DataFrame({"kind": words, **more}), pd.Series(y)
    place = len(y) // 2
    lazy = frames([table[:place], table[place:]]), frames([labels[:place], labels[place:]])
    return table, labels, lazy


@pytest.mark.parametrize(
    "second",
    [["7", "8", "9", "b"], [None]],
    ids=["mostly numbers", "all missing"],
)
@pytest.mark.parametrize("turned", [False, True])
def test_text_is_judged_by_the_whole_column(client, second, turned):
    """A partition may hold mostly numbers as text, or nothing at all."""
    first = ["a", "b", "c", "a"]
    halves = (second, first) if turned else (first, second)
    words = np.concatenate([np.resize(np.array(half, object), 150) for half in halves])
    y = np.isin(words, ["a", "7"]).astype(int)
    y[::7] = 1 - y[::7]
    table, labels, lazy = halves_of(words, y)
    model = DaskAdaBoostClassifier(n_estimators=5).fit(*lazy)
    assert digest(model.to_local()) == digest(AdaBoostClassifier(n_estimators=5).fit(table, labels))


def test_text_that_is_no_category_as_a_whole(client):
    """Each partition is below the limits, or above them, for itself."""
    numbers = ["a", "b", "c", "1"] * 10 + ["1", "2", "3", "4"] * 10
    y = np.tile([0, 1], 40)
    table, labels, lazy = halves_of(numbers, y)
    for model, rows in (AdaBoostClassifier(), (table, labels)), (DaskAdaBoostClassifier(), lazy):
        with pytest.raises(ValueError, match="'kind' is not numeric"):
            model.fit(*rows)
    names = [f"row {k}" for k in range(80)]  # 40 in each partition, which is not many
    table, labels, lazy = halves_of(names, y)
    for model, rows in (AdaBoostClassifier(), (table, labels)), (DaskAdaBoostClassifier(), lazy):
        with pytest.warns(UserWarning, match="'kind' has 80 categories in 80 rows: names of rows"):
            model.set_params(n_estimators=2).fit(*rows)
    names = [f"row {k}" for k in range(60)] + ["row 0"] * 180  # only the first half is
    table, labels, lazy = halves_of(names, np.tile([0, 1], 120))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        DaskAdaBoostClassifier(n_estimators=2).fit(*lazy)


NO_LABEL = r"row 5 has no label.*\(in partition 1, rows and partitions from 0\)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, y[:-1]), "y: got 299 rows for 300"),
        (lambda X, y: (X.compute(), y), "X: got ndarray, expected a Dask array or data frame"),
        (lambda X, y: (X[:, 0], y), "X: got 1 dimensions"),
        (lambda X, y: (X, y * 0), "got one class"),
        (lambda X, y: (X[:0], y[:0]), "X: got 0 rows"),
        (lambda X, y: (X / 0.0, y), "infinity"),
        (lambda X, y: (X, da.where(da.arange(300, chunks=120) != 125, y, np.nan)), NO_LABEL),
    ],
)
def test_bad_rows(client, rows, change, message):
    X, y = (da.from_array(one, chunks=120) for one in rows)
    with pytest.raises((TypeError, ValueError), match=message):
        DaskAdaBoostClassifier(n_estimators=3).fit(*change(X, y))


def test_partitions_of_other_columns(client, rows):
    X, y = rows
    tables = [
        pd.DataFrame(X[:150], columns=list("abc")),
        pd.DataFrame(X[150:], columns=list("abd")),
    ]
    labels = [pd.Series(y[:150]), pd.Series(y[150:])]
    with pytest.raises(ValueError, match="partition 1 has the columns"):
        DaskAdaBoostClassifier().fit(frames(tables), frames(labels))
    with pytest.raises(ValueError, match="y: got 1 partitions, expected as many as of X, 2"):
        DaskAdaBoostClassifier().fit(frames(tables), frames(labels[:1]))


def test_partitions_of_other_types(client, rows):
    X, y = rows
    tables = [
        pd.DataFrame(X[:150], columns=list("abc")),
        pd.DataFrame(X[150:], columns=list("abc")),
    ]
    tables[1]["b"] = pd.Categorical(np.where(tables[1]["b"] > 0, "up", "down"))
    labels = [pd.Series(y[:150]), pd.Series(y[150:])]
    with pytest.raises(ValueError, match="'b' holds categories in some partitions and numbers in"):
        DaskAdaBoostClassifier().fit(frames(tables), frames(labels))
    mixed = [labels[0], labels[1].map({0: "no", 1: "yes"})]
    with pytest.raises(ValueError, match="y: got text in some partitions and numbers in others"):
        DaskAdaBoostClassifier().fit(frames([tables[0], tables[0]]), frames(mixed))


def test_a_worker_without_memory(client, rows, monkeypatch):
    def ask(holder, number, call):
        return [], MemoryError("Unable to allocate 7.45 TiB")

    monkeypatch.setattr(holders.Holder, "ask", ask)
    X, y = (da.from_array(one, chunks=120) for one in rows)
    with pytest.raises(MemoryError, match="has no memory left for its 3 parts of the table"):
        DaskAdaBoostClassifier().fit(X, y)


def test_workers_that_die_one_after_the_other(client, rows, monkeypatch):
    def gather(futures):
        raise distributed.KilledWorker("survey", None, 3)

    monkeypatch.setattr(client, "gather", gather)
    X, y = (da.from_array(one, chunks=120) for one in rows)
    with pytest.raises(RuntimeError, match="most often they lack memory: use smaller partitions"):
        DaskAdaBoostClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (lambda y: da.where(y > 0, y, np.nan), "y"),
        (lambda y: da.where(y > 0, y, np.inf), "y"),
        (lambda y: da.stack([y, y], axis=1), "y"),
    ],
)
def test_bad_targets(client, rows, targets, message):
    X, y = (da.from_array(one, chunks=120) for one in rows)
    with pytest.raises((TypeError, ValueError), match=message):
        DaskGradientBoostRegressor(n_estimators=2).fit(X, targets(y))


def test_a_class_on_one_worker_only_in_one_run_of_all(client, rows):
    X, y = rows
    labels = np.where(np.arange(300) < 260, y, 2)
    lazy = da.from_array(X, chunks=(50, 3)), da.from_array(labels, chunks=50)
    model = DaskSoftmaxBoostClassifier(n_estimators=2).fit(*lazy)
    local = SoftmaxBoostClassifier(n_estimators=2).fit(X, labels)
    assert model.estimators_ == local.estimators_
    assert model.predict(lazy[0]).compute().tolist() == local.predict(X).tolist()


def test_settings_that_need_all_rows(client, rows):
    X, y = (da.from_array(one, chunks=120) for one in rows)
    with pytest.raises(TypeError, match="TreeOracle must see all rows at once"):
        DaskAdaBoostClassifier(TreeOracle()).fit(X, y)
    with pytest.raises(TypeError, match="early_stopping: got True"):
        DaskGradientBoostClassifier(early_stopping=True).fit(X, y)
    with pytest.raises(TypeError, match="max_bins"):
        DaskAdaBoostClassifier(max_bins=None).fit(X, y)
    with pytest.raises(TypeError, match="solver: got 'simplex'"):
        DaskLPBoostClassifier(solver="simplex").fit(X, y)
    with pytest.raises(TypeError, match="step: got 'search'"):
        DaskGradientBoostRegressor(step="search").fit(X, y)


def test_scattered_rows_are_warned_of(client, rows):
    X, y = rows
    future = client.scatter(X)
    lazy = da.from_delayed(dask.delayed(future), X.shape, X.dtype)
    with pytest.warns(UserWarning, match="cannot be made anew"):
        DaskAdaBoostClassifier(n_estimators=3).fit(lazy, da.from_array(y, chunks=-1))
