"""Fits on a cluster make the model of one machine, whatever its workers, and whichever are lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache

import numpy as np
import pandas as pd
import pytest

from digests import digest

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

from marginboost import (  # noqa: E402
    AdaBoostClassifier,
    ArcGVClassifier,
    Callback,
    Checkpoint,
    GradientBoostClassifier,
    GradientBoostRegressor,
    LPBoostClassifier,
    SoftmaxBoostClassifier,
)
from marginboost.audit import LabelAudit, votes  # noqa: E402
from marginboost.dask import (  # noqa: E402
    DaskAdaBoostClassifier,
    DaskArcGVClassifier,
    DaskGradientBoostClassifier,
    DaskGradientBoostRegressor,
    DaskLabelAudit,
    DaskLPBoostClassifier,
    DaskSoftmaxBoostClassifier,
    newcomers,
    partitions,
    waiting,
)
from marginboost.dask.holders import DaskParts, Holder  # noqa: E402

N_ROWS = 4_000


@pytest.fixture(scope="module")
def cluster():
    # A worker that is away 15 s after it was lost is given up, also if it came back meanwhile and
    # was lost again; tests that kill one after another would be left without workers.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
        ) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def connected(cluster):
    with distributed.Client(cluster) as made:
        yield made


@pytest.fixture
def client(cluster, connected):
    settle(cluster, connected)
    return connected


def settle(cluster, client):
    """Wait for workers that come in the place of those that were killed."""

    def alive():
        # Who was killed may be known to the scheduler for a while; asked, it gives no answer.
        pids = client.run(os.getpid, on_error="ignore")
        return len(pids) == len(client.nthreads()) == len(cluster.worker_spec)

    until(alive, 120.0)


def until(condition, limit):
    """Wait for something."""
    ends = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < ends, f"has not come about after {limit} s"
        time.sleep(0.05)


def table(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 4)), columns=list("abcd"))
    frame["kind"] = pd.Categorical(rng.choice(["red", "green", "blue"], N_ROWS))
    frame.loc[rng.random(N_ROWS) < 0.1, "c"] = np.nan
    score = frame["a"] + 0.6 * (frame["kind"] == "red") + rng.normal(size=N_ROWS)
    return frame, pd.Series(np.where(score > 0.3, "yes", "no")), pd.Series(rng.random(N_ROWS))


class Kill(Callback):
    """Ends a worker with no warning, in some rounds."""

    def __init__(self, client, rounds):
        self.client, self.rounds = client, rounds

    def on_round(self, state):
        if state.round in self.rounds:
            kill_workers(self.client)


def kill_workers(client, number=1):
    """End some workers with no warning."""
    pids = client.run(os.getpid)
    for name in sorted(pids)[:number]:
        os.kill(pids[name], signal.SIGKILL)


def of_arrays(*data, size=700):
    """Dask arrays of tables in memory."""
    return [da.from_array(np.asarray(one), chunks=(size, *one.shape[1:])) for one in data]


def scale(cluster, client, n_workers):
    cluster.scale(n_workers)
    until(lambda: len(client.nthreads()) == n_workers, 120.0)


def fit_in_time(model, *rows, limit=60.0):
    """Fit a model in another thread; it must not hang."""
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(model.fit(*rows)), daemon=True)
    thread.start()
    thread.join(limit)
    assert outcome, f"the fit has failed, or has not ended after {limit} s"
    return model


def test_frames_give_the_model_of_one_machine(client):
    frame, y, weights = table()
    weights[::7] = 0.0
    settings = {"n_estimators": 30, "class_weight": "balanced"}
    local = AdaBoostClassifier(**settings).fit(frame, y, weights)
    parts = [dd.from_pandas(data, npartitions=5) for data in (frame, y, weights)]
    model = DaskAdaBoostClassifier(**settings, client=client).fit(
        *parts[:2], sample_weight=parts[2]
    )
    assert digest(model.to_local()) == digest(local)
    assert model.certificate_ == local.certificate_
    np.testing.assert_array_equal(model.predict(parts[0]).compute(), local.predict(frame))
    lazy = model.predict_proba(parts[0])
    np.testing.assert_array_equal(lazy.compute(), local.predict_proba(frame))


def test_a_killed_worker_costs_time_and_nothing_else(client):
    frame, y, _ = table(1)
    X = frame[list("abd")].to_numpy()
    settings = {"n_estimators": 100, "monotone": False}
    local = ArcGVClassifier(**settings).fit(X, y)
    rows = da.from_array(X, chunks=(700, 2)), da.from_array(y.to_numpy(), chunks=900)
    model = DaskArcGVClassifier(**settings, callbacks=[Kill(client, {50})], client=client)
    fit_in_time(model, *rows)
    assert model.n_iter_ == 100
    assert digest(model.to_local()) == digest(local)


@pytest.mark.slow
def test_several_classes_and_a_worker_killed_within_a_tree(client):
    frame, _, _ = table(2)
    X = frame[list("abc")].to_numpy()
    y = np.digitize(np.nan_to_num(X) @ [1.0, 0.5, -0.5], [-0.4, 0.5])
    y[:3_500][y[:3_500] == 2] = 1  # the last class is on one worker only
    settings = {"n_estimators": 5, "max_leaf_nodes": 8}
    local = GradientBoostClassifier(**settings).fit(X, y)
    rows = da.from_array(X, chunks=(500, 3)), da.from_array(y, chunks=500)
    model = DaskGradientBoostClassifier(**settings, callbacks=[Kill(client, {3})]).fit(*rows)
    assert digest(model.to_local()) == digest(local)
    lazy = model.predict_proba(rows[0])
    assert lazy.chunks == ((500,) * 8, (3,))
    np.testing.assert_array_equal(lazy.compute(), local.predict_proba(X))


@pytest.mark.slow
def test_more_workers_than_before(cluster, client):
    scale(cluster, client, 3)
    frame, y, weights = table(3)
    local = GradientBoostClassifier(n_estimators=10).fit(frame, y, weights)
    parts = [dd.from_pandas(data, npartitions=7) for data in (frame, y, weights)]
    model = DaskGradientBoostClassifier(n_estimators=10).fit(*parts)
    assert digest(model.to_local()) == digest(local)


MODELS = {
    "AdaBoost": (DaskAdaBoostClassifier, AdaBoostClassifier, {"n_estimators": 20}),
    "Arc-GV": (DaskArcGVClassifier, ArcGVClassifier, {"n_estimators": 20, "monotone": False}),
    "gradient": (DaskGradientBoostClassifier, GradientBoostClassifier, {"n_estimators": 3}),
    "LPBoost": (DaskLPBoostClassifier, LPBoostClassifier, {"nu": 0.7, "n_estimators": 3}),
    "softmax": (DaskSoftmaxBoostClassifier, SoftmaxBoostClassifier, {"n_estimators": 3}),
    "regression": (DaskGradientBoostRegressor, GradientBoostRegressor, {"n_estimators": 5}),
}


def problem_of(name, seed=6):
    frame, y, _ = table(seed)
    X = frame[list("abcd")].to_numpy()
    if name == "softmax":
        return X, np.digitize(X[:, 0], [-0.4, 0.5])
    return X, X[:, 0] + 0.3 * (y == "yes") if name == "regression" else y.to_numpy(dtype="U3")


@cache
def compile_kernels(name, client):
    """Let a worker compile what a model needs: that may take longer than a fit is given."""
    on_cluster, _, settings = MODELS[name]
    fit_in_time(on_cluster(**settings, client=client), *of_arrays(*problem_of(name)), limit=300.0)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_models_on_any_number_of_workers(cluster, client, name, n_workers):
    scale(cluster, client, n_workers)
    compile_kernels(name, client)
    on_cluster, alone, settings = MODELS[name]
    X, y = problem_of(name)
    model = fit_in_time(on_cluster(**settings, client=client), *of_arrays(X, y))
    assert digest(model.to_local()) == digest(alone(**settings).fit(X, y))


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_an_audit_on_any_number_of_workers(cluster, client, monkeypatch, n_workers):
    scale(cluster, client, n_workers)
    large = votes.default_voters

    def quick(*args):
        found = large(*args)
        found["gradient trees"].set_params(n_estimators=4)
        return found

    for module in ("audit.votes", "audit.audit", "dask.audit"):
        monkeypatch.setattr(f"marginboost.{module}.FEW_ROWS", 100)
        monkeypatch.setattr(f"marginboost.{module}.default_voters", quick)
    frame, y, _ = table(7)
    X, y = frame[list("abd")].to_numpy()[:1_000], y.to_numpy(dtype="U3")[:1_000]
    audit = fit_in_time(DaskLabelAudit(cv=2, client=client), *of_arrays(X, y, size=300))
    np.testing.assert_array_equal(audit.score_, LabelAudit(cv=2).fit(X, y).score_)


class AtQuestion:
    """Ends a worker with no warning before a question is asked for the n-th time."""

    def __init__(self, monkeypatch, client, name, number):
        self.asked, each = 0, DaskParts.each

        def asking(parts, question, *args):
            named = getattr(args[0] if args else None, "__name__", "")
            self.asked += name in (question.__name__, named)
            if self.asked == number and name in (question.__name__, named):
                kill_workers(client)
            return each(parts, question, *args)

        monkeypatch.setattr(DaskParts, "each", asking)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("LPBoost", "measure_edges"),
        ("Arc-GV", "ask_voted"),
        pytest.param("LPBoost", "settle", marks=pytest.mark.slow),
        pytest.param("LPBoost", "look_within", marks=pytest.mark.slow),
        pytest.param("softmax", "divide_nodes", marks=pytest.mark.slow),
        pytest.param("regression", "sort_values", marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_within_a_step(client, monkeypatch, name, question):
    compile_kernels(name, client)
    on_cluster, alone, settings = MODELS[name]
    X, y = problem_of(name)
    kill = AtQuestion(monkeypatch, client, question, 1 if question == "sort_values" else 4)
    model = fit_in_time(on_cluster(**settings, client=client), *of_arrays(X, y))
    assert kill.asked >= 1
    assert digest(model.to_local()) == digest(alone(**settings).fit(X, y))


@pytest.mark.slow
def test_a_worker_killed_while_rows_are_binned(client, monkeypatch):
    frame, y, _ = table(8)
    X, find = frame[list("abd")].to_numpy(), partitions.find_layout

    def killing(*args):
        kill_workers(client)
        return find(*args)

    monkeypatch.setattr(partitions, "find_layout", killing)
    rows = of_arrays(X, y.to_numpy(dtype="U3"))
    model = fit_in_time(DaskAdaBoostClassifier(n_estimators=10, client=client), *rows)
    local = AdaBoostClassifier(n_estimators=10).fit(X, y.to_numpy(dtype="U3"))
    assert digest(model.to_local()) == digest(local)


@pytest.mark.slow
def test_all_workers_but_one_are_killed(cluster, client):
    scale(cluster, client, 3)
    frame, y, _ = table(9)
    X = frame[list("abd")].to_numpy()

    class KillTwo(Callback):
        def on_round(self, state):
            if state.round == 5:
                kill_workers(client, 2)

    rows = of_arrays(X, y.to_numpy(dtype="U3"))
    model = DaskAdaBoostClassifier(n_estimators=20, callbacks=[KillTwo()], client=client)
    local = AdaBoostClassifier(n_estimators=20).fit(X, y.to_numpy(dtype="U3"))
    assert digest(fit_in_time(model, *rows).to_local()) == digest(local)


class Interrupted(Callback):
    def on_round(self, state):
        if state.round == 5:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_an_interrupted_client_goes_on(client, tmp_path, name):
    on_cluster, alone, settings = MODELS[name]
    settings = {**settings, "n_estimators": 7}
    X, y = problem_of(name)
    rows, saved = of_arrays(X, y), Checkpoint(tmp_path / "run.json", every=2)
    with pytest.raises(KeyboardInterrupt):
        on_cluster(**settings, callbacks=[Interrupted(), saved], client=client).fit(*rows)
    assert (tmp_path / "run.json").exists()
    model = fit_in_time(on_cluster(**settings, callbacks=[saved], client=client), *rows)
    assert digest(model.to_local()) == digest(alone(**settings).fit(X, y))


@pytest.mark.slow
def test_lost_rows_that_cannot_be_made_anew_are_an_error(client):
    """Rows that were put on the cluster as data: warned of before, and never a hang."""
    X, y = problem_of("AdaBoost")
    client.wait_for_workers(2)
    first = min(client.run(os.getpid))
    there = client.scatter([X, y], workers=[first])
    rows = [
        da.from_delayed(dask.delayed(one), data.shape, data.dtype)
        for one, data in zip(there, (X, y), strict=True)
    ]
    model = DaskAdaBoostClassifier(n_estimators=20, callbacks=[Kill(client, {5})], client=client)
    errors = []

    def fit():
        try:
            with pytest.warns(UserWarning, match="cannot be made anew"):
                model.fit(*rows)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=fit, daemon=True)
    thread.start()
    thread.join(60.0)
    assert not thread.is_alive()
    assert "cannot be made anew" in str(errors[0])


LONG = """
import sys
import numpy as np
import dask.array as da
from distributed import Client
from marginboost import Checkpoint
from marginboost.dask import DaskGradientBoostClassifier

if __name__ == "__main__":
    data, saved = np.load(sys.argv[1]), Checkpoint(sys.argv[2], every=2)
    X, y = (da.from_array(data[name], chunks=700) for name in "Xy")
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit=0):
        DaskGradientBoostClassifier(n_estimators=100_000, callbacks=[saved]).fit(X, y)
"""


@pytest.mark.slow
def test_a_killed_client_goes_on(client, tmp_path):
    """Another process, with another cluster, goes on from the checkpoint."""
    X, y = problem_of("gradient")
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    (tmp_path / "long.py").write_text(LONG)
    saved = tmp_path / "run.json"
    command = [sys.executable, tmp_path / "long.py", tmp_path / "rows.npz", saved]
    with subprocess.Popen(command) as other:
        try:
            until(saved.exists, 120.0)
        finally:
            other.kill()
    rounds = json.loads(saved.read_text())["state"]["round"] + 3
    settings = {"n_estimators": rounds, "callbacks": [Checkpoint(saved)]}
    model = fit_in_time(
        DaskGradientBoostClassifier(**settings, client=client), *of_arrays(X, y, size=700)
    )
    assert digest(model.to_local()) == digest(
        GradientBoostClassifier(n_estimators=rounds).fit(X, y)
    )


@pytest.mark.slow
def test_workers_killed_ten_times_at_random(cluster, client):
    names = ["AdaBoost", "gradient", "LPBoost", "softmax", "Arc-GV"] * 2
    known, alone = {}, {}
    for name in set(names):
        compile_kernels(name, client)
        on_cluster, local, settings = MODELS[name]
        X, y = problem_of(name)
        known[name] = digest(local(**settings).fit(X, y))
        started = time.monotonic()
        fit_in_time(on_cluster(**settings, client=client), *of_arrays(X, y))
        alone[name] = time.monotonic() - started
    rng = np.random.default_rng(0)
    for name in names:
        on_cluster, _, settings = MODELS[name]
        settle(cluster, client)
        moment = rng.uniform(0.0, alone[name])  # also while rows are binned
        kill = threading.Timer(moment, kill_workers, [client])
        kill.start()
        rows = of_arrays(*problem_of(name))
        model = fit_in_time(on_cluster(**settings, client=client), *rows)
        kill.join()
        assert digest(model.to_local()) == known[name], (name, moment)


@pytest.fixture
def small_cluster():
    """A worker in this process, and room for more."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield made, client


def test_a_worker_that_comes_takes_its_share(small_cluster, monkeypatch):
    """Of the parts, in mid-fit, and nothing changes."""
    cluster, client = small_cluster
    monkeypatch.setattr(newcomers, "LOOK", 0.05)
    taken, hand_over = [], DaskParts.hand_over

    def handing_over(parts, newcomer, sources):
        hand_over(parts, newcomer, sources)
        taken.append(sorted(len(held.numbers) for held in parts.held))

    monkeypatch.setattr(DaskParts, "hand_over", handing_over)

    class Grow(Callback):
        def on_round(self, state):
            if state.round == 3:
                cluster.scale(2)
            if state.round > 3 and not taken:
                time.sleep(0.1)  # it comes, and practises, meanwhile

    X, y = problem_of("AdaBoost")
    settings = {"n_estimators": 60}
    model = DaskAdaBoostClassifier(**settings, callbacks=[Grow()], client=client)
    fit_in_time(model, *of_arrays(X, y))
    assert taken == [[3, 3]]
    assert digest(model.to_local()) == digest(AdaBoostClassifier(**settings).fit(X, y))


def test_a_cluster_without_workers_is_waited_for(small_cluster, monkeypatch):
    """All are given up in mid-fit; it says so, and goes on when one comes."""
    cluster, client = small_cluster
    monkeypatch.setattr(waiting, "SOON", 0.2)

    class AllGone(Callback):
        def on_round(self, state):
            if state.round == 3:
                scale(cluster, client, 0)
                threading.Timer(2.0, cluster.scale, [1]).start()

    X, y = problem_of("AdaBoost")
    model = DaskAdaBoostClassifier(n_estimators=6, callbacks=[AllGone()], client=client)
    with pytest.warns(UserWarning, match="client: got a cluster of 0 workers at inproc"):
        fit_in_time(model, *of_arrays(X, y))
    assert digest(model.to_local()) == digest(AdaBoostClassifier(n_estimators=6).fit(X, y))


def test_a_fit_without_workers_ends(small_cluster, monkeypatch):
    cluster, client = small_cluster
    monkeypatch.setattr(waiting, "SOON", 0.1)
    monkeypatch.setattr(waiting, "PATIENCE", 0.1)
    scale(cluster, client, 0)
    with (
        pytest.warns(UserWarning, match=r"waiting for one to come, for 0.1 s at most"),
        pytest.raises(RuntimeError, match=r"client: got a cluster of 0 workers.*none has come"),
    ):
        DaskAdaBoostClassifier(client=client).fit(*of_arrays(*problem_of("AdaBoost")))


def test_questions_go_through_channels(client, monkeypatch):
    """To workers in processes of their own; Dask is asked to open them."""
    methods, execute = [], DaskParts._execute

    def executing(parts, held, method, args):
        methods.append(method)
        return execute(parts, held, method, args)

    monkeypatch.setattr(DaskParts, "_execute", executing)
    X, y = problem_of("AdaBoost")
    model = DaskAdaBoostClassifier(n_estimators=5, client=client)
    fit_in_time(model, *of_arrays(X, y))
    assert set(methods) == {"take_calls"}
    assert digest(model.to_local()) == digest(AdaBoostClassifier(n_estimators=5).fit(X, y))


@pytest.mark.parametrize("name", ["AdaBoost", "Arc-GV"])
def test_stumps_take_two_trips_a_round(small_cluster, monkeypatch, name):
    asked, ask = [], DaskParts.ask

    def asking(parts, holders, method, *args):
        asked.append(method)
        return ask(parts, holders, method, *args)

    monkeypatch.setattr(DaskParts, "ask", asking)
    on_cluster, local, settings = MODELS[name]
    X, y = problem_of(name)
    settings = {**settings, "n_estimators": 30}
    model = fit_in_time(on_cluster(**settings, client=small_cluster[1]), *of_arrays(X, y))
    # Some before the first round, and where weights had to be divided after all; and of Arc-GV a
    # step of Newton's method each, where votes are compared with labels.
    assert asked.count("ask") <= 2 * 30 + 12 + 8 * (name == "Arc-GV")
    assert digest(model.to_local()) == digest(local(**settings).fit(X, y))


def test_an_actor_that_forgot_is_told_again(small_cluster, monkeypatch):
    """As one that the scheduler made anew where a lost worker has come back."""
    _, client = small_cluster
    asked, ask = [], Holder.ask

    def forgetting(holder, number, message):
        asked.append(number)
        return None if len(asked) == 20 else ask(holder, number, message)

    monkeypatch.setattr(Holder, "ask", forgetting)
    X, y = problem_of("AdaBoost")
    model = DaskAdaBoostClassifier(n_estimators=20, client=client)
    fit_in_time(model, *of_arrays(X, y))
    assert asked.count(asked[19]) == 2
    assert digest(model.to_local()) == digest(AdaBoostClassifier(n_estimators=20).fit(X, y))


def test_without_a_way_to_workers_the_scheduler_passes_words_on(small_cluster, monkeypatch):
    async def cannot(parts, workers):
        return False

    monkeypatch.setattr(DaskParts, "_reach", cannot)
    _, client = small_cluster
    X, y = problem_of("AdaBoost")
    model = DaskAdaBoostClassifier(n_estimators=5, client=client)
    fit_in_time(model, *of_arrays(X, y))
    assert digest(model.to_local()) == digest(AdaBoostClassifier(n_estimators=5).fit(X, y))
