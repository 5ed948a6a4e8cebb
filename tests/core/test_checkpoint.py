"""An interrupted run goes on from its checkpoint and ends with the same model, bit for bit."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from marginboost import (
    AdaBoostClassifier,
    AdaBoostStarClassifier,
    ArcGVClassifier,
    BaggedVoteClassifier,
    BinnedMatrix,
    Checkpoint,
    EarlyStopping,
    MarginalAdaBoostClassifier,
    PooledOracle,
    ResamplingOracle,
    StumpOracle,
    TreeOracle,
)
from marginboost.core import Callback
from marginboost.data import Table


def make_rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 6, size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + (X[:, 3] == 2) + 0.7 * rng.normal(size=n) > 0.3
    return X, y


class Interrupted(Exception):
    pass


class Interrupt(Callback):
    """Raises after a round, and remembers the rounds it saw."""

    saves_state = True  # so that it comes after the checkpoint in a round

    def __init__(self, at=None):
        self.at = at
        self.rounds = []

    def on_round(self, state):
        self.rounds.append(state.round)
        if state.round == self.at:
            raise Interrupted


def assert_same_bits(resumed, whole, X):
    assert resumed.estimators_ == whole.estimators_
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
    for name in whole.history_:
        if name != "seconds":
            np.testing.assert_array_equal(resumed.history_[name], whole.history_[name], name)
    assert resumed.stop_reason_ is whole.stop_reason_
    assert resumed.certificate_ == whole.certificate_
    assert resumed.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(resumed.dual_, whole.dual_)
    np.testing.assert_array_equal(resumed.margins_, whole.margins_)
    np.testing.assert_array_equal(resumed.decision_function(X), whole.decision_function(X))


def saved_round(path):
    return json.loads(Path(path).read_text())["state"]["round"]


# -- a second process, interrupted by signals -----------------------------------------------------

SCRIPT = """
import signal, sys, time
import numpy as np
from marginboost import AdaBoostClassifier, Checkpoint
from marginboost.core import Callback

class Slow(Callback):
    def on_round(self, state):
        time.sleep(0.01)

signal.signal(signal.SIGINT, signal.default_int_handler)
data = np.load(sys.argv[1])
model = AdaBoostClassifier(
    n_estimators=400, random_state=0, callbacks=[Checkpoint(sys.argv[2], every=7), Slow()]
)
try:
    model.fit(data["X"], data["y"])
except KeyboardInterrupt:
    sys.exit(33)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(signal.SIGKILL, -signal.SIGKILL, id="kill"),
        pytest.param(signal.SIGINT, 33, id="int", marks=pytest.mark.slow),
    ],
)
def test_a_process_ended_by_a_signal(tmp_path, sent, code):
    X, y = make_rows()
    np.savez(tmp_path / "data.npz", X=X, y=y)
    path = tmp_path / "run.json"
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path / "data.npz", path])
    try:
        deadline = time.monotonic() + 60
        while not (path.exists() and saved_round(path) >= 14):
            assert child.poll() is None, "the child ended too early"
            assert time.monotonic() < deadline, "the child made no checkpoint"
            time.sleep(0.005)
        child.send_signal(sent)
        assert child.wait(30) == code
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    done = saved_round(path)
    assert 14 <= done < 400

    seen = Interrupt()
    model = AdaBoostClassifier(
        n_estimators=400, random_state=0, callbacks=[Checkpoint(path, every=7), seen]
    ).fit(X, y)
    assert seen.rounds == list(range(done + 1, 401))
    assert_same_bits(model, AdaBoostClassifier(n_estimators=400, random_state=0).fit(X, y), X)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.npz"]


# -- every algorithm and base learner, interrupted by an exception --------------------------------

RUNS = {
    "AdaBoost": (AdaBoostClassifier, {}),
    "AdaBoost with weights": (AdaBoostClassifier, {}),
    "AdaBoost, exact bins": (AdaBoostClassifier, {"max_bins": None}),
    "AdaBoost with targets": (
        AdaBoostClassifier,
        {"target_margin": np.linspace(-0.3, -0.1, 40), "learning_rate": 0.5},
    ),
    "AdaBoost by resampling": (AdaBoostClassifier, {"sampling": "resample"}),
    "AdaBoost with categories": (
        AdaBoostClassifier,
        {"estimator": StumpOracle("partition"), "categorical_features": [3]},
    ),
    "AdaBoost with trees": (AdaBoostClassifier, {"estimator": TreeOracle(max_depth=2)}),
    "AdaBoost with real trees": (
        AdaBoostClassifier,
        {"estimator": TreeOracle(max_depth=2, criterion="Z"), "categorical_features": [3]},
    ),
    "Arc-GV": (ArcGVClassifier, {"estimator": TreeOracle(max_depth=3), "tol": None}),
    "plain Arc-GV": (ArcGVClassifier, {"monotone": False, "tol": None}),
    "AdaBoost*": (AdaBoostStarClassifier, {"accuracy": 0.1}),
    "Marginal AdaBoost": (MarginalAdaBoostClassifier, {"epsilon": 0.3}),
    "bagging": (BaggedVoteClassifier, {}),
}


@pytest.mark.parametrize("name", RUNS)
def test_interrupted_twice_and_resumed(name, tmp_path):
    make, settings = RUNS[name]
    settings = {"n_estimators": 40, "random_state": 3, **settings}
    X, y = make_rows()
    weight = np.arange(len(y)) % 4 if "weights" in name else None
    whole = make(**settings).fit(X, y, sample_weight=weight)
    last = whole.n_iter_
    assert last >= 20

    rng = np.random.default_rng(len(name))
    first, second = sorted(rng.choice(np.arange(2, last), size=2, replace=False).tolist())
    path = tmp_path / "run.json"
    every = int(rng.integers(1, 6))
    for at in (first, second):
        interrupt = Interrupt(at)
        with pytest.raises(Interrupted):
            make(callbacks=[Checkpoint(path, every=every), interrupt], **settings).fit(
                X, y, sample_weight=weight
            )
        assert interrupt.rounds[-1] == at
    done = saved_round(path)
    assert second - every <= done <= second
    seen = Interrupt()
    resumed = make(callbacks=[Checkpoint(path, every=every), seen], **settings)
    resumed.fit(X, y, sample_weight=weight)
    assert seen.rounds[0] == done + 1
    assert_same_bits(resumed, whole, X)
    assert list(tmp_path.iterdir()) == []


def test_every_round_of_a_binary_search_can_be_the_last(tmp_path):
    """Marginal AdaBoost restarts: interruptions before, at and after each restart."""
    X, y = make_rows(60)
    settings = {"epsilon": 0.45, "n_estimators": 10, "random_state": 0}
    whole = MarginalAdaBoostClassifier(**settings).fit(X, y)
    restarts = np.flatnonzero(np.diff(whole.history_["length"]) < 0) + 1
    assert len(restarts) >= 1
    for at in {r + k for r in restarts.tolist() for k in (-1, 0, 1)} & set(range(1, whole.n_iter_)):
        path = tmp_path / f"{at}.json"
        with pytest.raises(Interrupted):
            MarginalAdaBoostClassifier(
                callbacks=[Checkpoint(path, every=1), Interrupt(at)], **settings
            ).fit(X, y)
        resumed = MarginalAdaBoostClassifier(callbacks=[Checkpoint(path)], **settings).fit(X, y)
        assert_same_bits(resumed, whole, X)


@pytest.mark.parametrize("kind", ["binned", "pandas", "sparse"])
def test_other_kinds_of_rows(kind, tmp_path):
    from scipy import sparse

    X, y = make_rows()
    names = ["a", "b", "c", "d"]
    rows = {
        "binned": lambda: BinnedMatrix.from_table(Table.learn(X, names, [3]), max_bins=16),
        "pandas": lambda: pd.DataFrame(X, columns=names).astype({"d": "category"}),
        "sparse": lambda: sparse.csr_matrix(X),
    }[kind]()
    path = tmp_path / "run.json"
    whole = AdaBoostClassifier(n_estimators=20, random_state=0).fit(rows, y)
    with pytest.raises(Interrupted):
        AdaBoostClassifier(
            n_estimators=20, random_state=0, callbacks=[Checkpoint(path, every=3), Interrupt(11)]
        ).fit(rows, y)
    resumed = AdaBoostClassifier(n_estimators=20, random_state=0, callbacks=[Checkpoint(path)])
    assert_same_bits(resumed.fit(rows, y), whole, rows)


def test_another_number_of_threads(tmp_path):
    X, y = make_rows(40_000)
    path = tmp_path / "run.json"
    settings = {"n_estimators": 6, "random_state": 0}
    whole = AdaBoostClassifier(n_jobs=1, **settings).fit(X, y)
    interrupted(AdaBoostClassifier(n_jobs=2, **settings), path, X, y, at=3)
    resumed = AdaBoostClassifier(n_jobs=1, callbacks=[Checkpoint(path)], **settings).fit(X, y)
    assert_same_bits(resumed, whole, X)


def test_more_rounds_than_first_asked_for(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    interrupted(AdaBoostClassifier(n_estimators=10, random_state=0), path, X, y, at=9)
    longer = AdaBoostClassifier(n_estimators=30, random_state=0, callbacks=[Checkpoint(path)])
    whole = AdaBoostClassifier(n_estimators=30, random_state=0)
    assert_same_bits(longer.fit(X, y), whole.fit(X, y), X)


@pytest.mark.parametrize("checkpoint_first", [True, False])
def test_early_stopping_of_a_resumed_run(tmp_path, checkpoint_first):
    X, y = make_rows()
    X_new, y_new = make_rows(seed=1)
    path = tmp_path / "run.json"

    def make(*more):
        pair = [Checkpoint(path, every=1), EarlyStopping(X_new, y_new, patience=6)]
        order = pair if checkpoint_first else pair[::-1]
        return AdaBoostClassifier(n_estimators=200, random_state=0, callbacks=[*order, *more])

    whole = AdaBoostClassifier(
        n_estimators=200, random_state=0, callbacks=[EarlyStopping(X_new, y_new, patience=6)]
    ).fit(X, y)
    for at in (1, len(whole.estimators_), whole.n_iter_ - 1):
        with pytest.raises(Interrupted):
            make(Interrupt(at)).fit(X, y)
        assert_same_bits(make().fit(X, y), whole, X)
        assert not path.exists()


def test_early_stopping_of_a_resumed_run_with_restarts(tmp_path):
    X, y = make_rows()
    X_new, y_new = make_rows(seed=1)
    path = tmp_path / "run.json"

    def make(*more):
        stopping = EarlyStopping(X_new, y_new, patience=10_000)
        return MarginalAdaBoostClassifier(
            epsilon=0.3, random_state=0, n_estimators=10, callbacks=[stopping, *more]
        )

    whole = make().fit(X, y)
    with pytest.raises(Interrupted):
        make(Checkpoint(path, every=1), Interrupt(whole.n_iter_ - 1)).fit(X, y)
    assert_same_bits(make(Checkpoint(path)).fit(X, y), whole, X)


def test_resuming_with_default_settings(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    interrupted(AdaBoostClassifier(), path, X, y, at=20)
    resumed = AdaBoostClassifier(callbacks=[Checkpoint(path)]).fit(X, y)
    assert_same_bits(resumed, AdaBoostClassifier().fit(X, y), X)


def test_a_pool_of_hypotheses_is_part_of_the_run(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    oracle = PooledOracle(ResamplingOracle(StumpOracle()))
    settings = {"estimator": oracle, "n_estimators": 40, "random_state": 0}
    interrupted(AdaBoostClassifier(**settings), path, X, y, at=30)
    resumed = AdaBoostClassifier(callbacks=[Checkpoint(path)], **settings).fit(X, y)
    assert_same_bits(resumed, AdaBoostClassifier(**settings).fit(X, y), X)


# -- files of another run, damaged files ----------------------------------------------------------


def interrupted(model, path, X, y, at=8, sample_weight=None):
    """Fit until a round, then fail; leaves a checkpoint of that round."""
    model.set_params(callbacks=[Checkpoint(path, every=1), Interrupt(at)])
    with pytest.raises(Interrupted):
        model.fit(X, y, sample_weight=sample_weight)
    assert saved_round(path) == at


@pytest.fixture
def started(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    interrupted(AdaBoostClassifier(n_estimators=20, random_state=0), path, X, y)
    return path, X, y


def resume(path, X, y, make=AdaBoostClassifier, sample_weight=None, **settings):
    settings = {"n_estimators": 20, "random_state": 0, **settings}
    return make(callbacks=[Checkpoint(path)], **settings).fit(X, y, sample_weight=sample_weight)


OTHER_DATA = {
    "one row": lambda X, y: (np.concatenate([X[:-1], X[-1:] + 1.0]), y, None),
    "one label": lambda X, y: (X, np.append(y[:-1], ~y[-1]), None),
    "fewer rows": lambda X, y: (X[:-1], y[:-1], None),
    "rows in another order": lambda X, y: (X[::-1], y[::-1], None),
    "another scale": lambda X, y: (2.0 * X, y, None),
    "weights": lambda X, y: (X, y, np.linspace(1, 2, len(y))),
}


@pytest.mark.parametrize("change", OTHER_DATA)
def test_other_data(started, change):
    path, X, y = started
    X, y, weight = OTHER_DATA[change](X, y)
    with pytest.raises(
        ValueError, match=r"made by another run \(other data, algorithm or settings\); remove the"
    ):
        resume(path, X, y, sample_weight=weight)
    assert saved_round(path) == 8  # the file is not harmed by the refusal


@pytest.mark.parametrize(
    "change",
    [
        {"learning_rate": 0.5},
        {"target_margin": -0.1},
        {"stop_at_target": True},
        {"step": "closed"},
        {"random_state": 1},
        {"max_bins": 8},
        {"estimator": DecisionTreeClassifier(max_depth=1)},
        {"categorical_features": [3]},
        {"make": ArcGVClassifier},
        {"make": AdaBoostStarClassifier},
    ],
)
def test_other_settings(started, change):
    path, X, y = started
    with pytest.raises(ValueError, match="made by another run"):
        resume(path, X, y, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"estimator": TreeOracle(max_depth=2)},
        {"sampling": "resample"},
        {"estimator": StumpOracle("partition")},
    ],
    ids=["trees", "resampling", "partition"],
)
def test_another_base_learner(tmp_path, change):
    X, y = make_rows()
    path = tmp_path / "run.json"
    settings = {"n_estimators": 20, "random_state": 0, "categorical_features": [3]}
    interrupted(AdaBoostClassifier(**settings), path, X, y)
    with pytest.raises(ValueError, match="made by another run"):
        resume(path, X, y, **settings | change)


def test_long_target_schedules_are_compared_to_the_end(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    targets = np.full(3000, -0.2)
    interrupted(AdaBoostClassifier(target_margin=targets, random_state=0), path, X, y)
    other = targets.copy()
    other[1500] = -0.1
    with pytest.raises(ValueError, match="made by another run"):
        AdaBoostClassifier(target_margin=other, random_state=0, callbacks=[Checkpoint(path)]).fit(
            X, y
        )


@pytest.mark.parametrize("keep", [0, 1, 0.3, 0.999])
def test_truncated_file(started, keep):
    path, X, y = started
    text = path.read_text()
    path.write_text(text[: int(keep * len(text)) if keep < 1 else keep])
    with pytest.raises(ValueError, match=r"checkpoint .*run\.json: not a checkpoint file"):
        resume(path, X, y)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00binary", b"[]", b"7", b'"text"', b"null", b"{}", b'{"version": 2}'],
    ids=["binary", "list", "number", "text", "null", "empty", "half"],
)
def test_files_that_are_no_checkpoints(started, content):
    path, X, y = started
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint .*run\.json: not a checkpoint file"):
        resume(path, X, y)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["state"]["coef"].__setitem__(0, 0.25),
        lambda data: data["state"]["coef"].pop(),
        lambda data: data["state"].pop("members"),
        lambda data: data["state"]["members"][2].__setitem__("feature", 99),
        lambda data: data.pop("state"),
        lambda data: data.pop("rule"),
        lambda data: data["rule"].__setitem__("shift", 1.0),
        lambda data: data.pop("digest"),
    ],
)
def test_damaged_content(started, damage):
    path, X, y = started
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"checkpoint .*run\.json: damaged"):
        resume(path, X, y)


@pytest.mark.parametrize("version", [1, 99, "2", None])
def test_another_version(started, version):
    path, X, y = started
    data = json.loads(path.read_text())
    data["version"] = version
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=rf"version {version!r}, this release reads 2"):
        resume(path, X, y)


# -- writing --------------------------------------------------------------------------------------


class Watch(Callback):
    """What lies in a folder after each round."""

    saves_state = True  # so that it comes after the checkpoint in a round

    def __init__(self, folder):
        self.folder, self.seen = folder, []

    def on_round(self, state):
        self.seen.append(sorted(file.name for file in self.folder.iterdir()))


def test_only_the_checkpoint_is_there_during_the_run_and_nothing_after(tmp_path):
    X, y = make_rows()
    path, watch = tmp_path / "run.json", Watch(tmp_path)
    AdaBoostClassifier(n_estimators=12, callbacks=[Checkpoint(path, every=5), watch]).fit(X, y)
    assert watch.seen == [["run.json"]] * 12  # the first round is written, then every fifth
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    X, y = make_rows()
    path = tmp_path / "run.json"
    real, written = os.fsync, []

    def full_disk(descriptor):
        written.append(descriptor)
        if len(written) == 4:  # after the rounds 1, 2 and 4
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        AdaBoostClassifier(random_state=0, callbacks=[Checkpoint(path, every=2)]).fit(X, y)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    assert saved_round(path) == 4
    monkeypatch.undo()
    resumed = AdaBoostClassifier(random_state=0, callbacks=[Checkpoint(path)]).fit(X, y)
    assert_same_bits(resumed, AdaBoostClassifier(random_state=0).fit(X, y), X)


@pytest.mark.parametrize("kind", [str, Path])
def test_kinds_of_paths(tmp_path, kind):
    X, y = make_rows()
    seen = Watch(tmp_path)
    checkpoint = Checkpoint(kind(tmp_path / "run.json"))
    AdaBoostClassifier(n_estimators=3, callbacks=[checkpoint, seen]).fit(X, y)
    assert seen.seen[0] == ["run.json"]


def test_retry_inside_an_except_block_removes_the_file(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    model = AdaBoostClassifier(n_estimators=9, random_state=0)
    try:
        model.set_params(callbacks=[Checkpoint(path, every=2), Interrupt(5)]).fit(X, y)
    except Interrupted:
        assert path.exists()
        model.set_params(callbacks=[Checkpoint(path, every=2)]).fit(X, y)
    assert model.n_iter_ == 9
    assert not path.exists()


def test_an_interruption_inside_an_except_block_keeps_the_file(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    try:
        raise KeyError("something else")
    except KeyError:
        interrupted(AdaBoostClassifier(random_state=0), path, X, y, at=3)
    assert saved_round(path) == 3


class Rounds(Callback):
    def __init__(self):
        self.made = 0

    def on_round(self, state):
        self.made = state.round


def test_a_base_learner_that_cannot_be_written_shows_at_once(tmp_path):
    X, y = make_rows()
    rounds = Rounds()
    model = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1),
        callbacks=[rounds, Checkpoint(tmp_path / "run.json", every=20)],
    )
    with pytest.raises(
        TypeError, match="a Fitted hypothesis cannot be written as data; stumps and trees can"
    ):
        model.fit(X, y)
    assert rounds.made == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_shows_at_once(tmp_path):
    X, y = make_rows()
    rounds = Rounds()
    checkpoint = Checkpoint(tmp_path / "nowhere" / "run.json", every=20)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        AdaBoostClassifier(callbacks=[rounds, checkpoint]).fit(X, y)
    assert rounds.made <= 1


def test_a_number_of_rounds_below_one():
    with pytest.raises(ValueError, match="every: got 0, expected a positive integer"):
        Checkpoint("run.json", every=0)


def test_time_goes_on_where_it_was(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    interrupted(AdaBoostClassifier(n_estimators=20, random_state=0), path, X, y)
    before = json.loads(path.read_text())["state"]["seconds"]
    seconds = resume(path, X, y).history_["seconds"]
    assert (np.diff(seconds) >= 0).all()
    assert seconds[8] >= before > 0


def test_a_checkpoint_that_is_kept_goes_on_to_the_same_model(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    models = [
        AdaBoostClassifier(n_estimators=12, random_state=0, callbacks=callbacks).fit(X, y)
        for callbacks in ([Checkpoint(path, every=5, keep=True)], [Checkpoint(path)], None)
    ]
    assert_same_bits(models[0], models[2], X)
    assert_same_bits(models[1], models[2], X)
    assert not path.exists()


def test_a_nested_checkpoint_is_none(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    for content in ("[" * 100_000, '{"version": 1, "identity": ' + "[" * 100_000):
        path.write_text(content)
        with pytest.raises(ValueError, match="not a checkpoint file"):
            AdaBoostClassifier(callbacks=[Checkpoint(path)]).fit(X, y)
        assert path.read_text() == content


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_checkpoint_keeps_its_mode(tmp_path):
    X, y = make_rows()
    path = tmp_path / "run.json"
    interrupted(AdaBoostClassifier(random_state=0), path, X, y, at=3)
    path.chmod(0o600)
    interrupted(AdaBoostClassifier(random_state=0), path, X, y, at=6)
    assert path.stat().st_mode & 0o777 == 0o600
