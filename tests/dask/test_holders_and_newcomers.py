"""Whatever is lost, and when: answers are those of all parts, in order, and nothing hangs.

On a cluster in miniature, where a loss comes exactly when the test says so.
"""

import numpy as np
import pytest

pytest.importorskip("distributed")

from miniature import parts_on

from marginboost import BinnedMatrix
from marginboost.core.parts import Source
from marginboost.dask import holders, newcomers

ROWS = {"a": [0, 2], "b": [1, 4], "c": [3]}


def source(number):
    bins = BinnedMatrix.from_data(np.arange(number + 1.0)[:, None])
    return Source(bins, np.full(number + 1, number), np.ones(number + 1))


def note(part, word):
    """Have a part remember a word; returns its number and all it has heard."""
    part.program = [*(part.program or []), word]
    return int(part.source.labels[0]), "".join(part.program)


def start(part):
    """Forget all words: what is made anew begins with this."""
    part.program = None


start.lays_out = True


def look(part, *args):
    return int(part.source.labels[0]), len(args)


def add(part, so_far=None):
    """Sum up over the parts of a worker."""
    return len(part.source.labels) + (so_far or 0)


add.adds_up = True


def refuse(part):
    raise ArithmeticError("cannot")


def exhaust(part):
    raise MemoryError("Unable to allocate")


def heard(words, numbers=range(5)):
    return [(k, words) for k in numbers]


def places(parts):
    """Numbers of the parts on each worker."""
    found = {}
    for held in parts.held:
        found[held.worker] = sorted([*found.get(held.worker, []), *held.numbers])
    return found


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for module in (holders, newcomers):
        monkeypatch.setattr(module, "LOOK", 0.01)
    monkeypatch.setattr(
        holders, "wait", lambda futures, timeout: futures[0].cluster.wait(futures, timeout)
    )


@pytest.fixture
def made():
    return parts_on(ROWS, source)


def test_answers_are_in_the_order_of_the_rows(made):
    """Whichever worker holds which; each is asked once."""
    parts, cluster = made
    assert sorted((held.worker, held.numbers) for held in parts.held) == sorted(ROWS.items())
    assert parts.each(note, "x") == heard("x")
    assert sorted(cluster.asked("ask")) == ["a", "b", "c"]
    assert {way for *_, way in cluster.messages} == {"scheduler"}
    assert sorted(parts.each(add)) == [4, 4, 7]  # of one worker each


def test_what_is_told_goes_with_the_next_question(made):
    parts, cluster = made
    parts.tell(note, "x")
    parts.tell(note, "y")
    assert cluster.asked("ask") == []
    assert parts.each(note, "z") == heard("xyz")
    assert len(cluster.asked("ask")) == 3


def test_a_foreseen_question_saves_a_trip_if_it_comes(made):
    parts, cluster = made
    word, other = "x" * 3, "y" * 3
    expected = [word]
    parts.foresee(note, look, lambda: expected and (expected[0],))

    def trips(question, *args):
        before = len(cluster.asked("ask"))
        answers = parts.each(question, *args)
        return answers, len(cluster.asked("ask")) - before

    seen = [(k, 1) for k in range(5)]
    assert trips(note, "a") == (heard("a"), 3)
    assert trips(look, word) == (seen, 0)  # it came with the answers before
    assert trips(look, word) == (seen, 3)  # once only
    trips(note, "b")
    assert trips(look, other) == (seen, 3)
    trips(note, "c")
    assert trips(look) == ([(k, 0) for k in range(5)], 3)
    trips(note, "d")
    parts.tell(note, "e")
    assert trips(look, word) == (seen, 3)
    trips(note, "f")
    assert trips(note, word) == (heard("abcdef" + word), 3)
    expected[0] = None
    parts.foresee(note, look, lambda: None)
    assert trips(note, "g")[1] == 3
    assert trips(look, word)[1] == 3


@pytest.mark.parametrize("lost", ["a", "b", "c"])
@pytest.mark.parametrize("after", [False, True])
def test_a_lost_worker_changes_no_answer(made, lost, after):
    """Before it has heard a question or after; what its parts heard is told to others."""
    parts, cluster = made
    parts.each(note, "x")
    first = [held.future.key for held in parts.held if held.worker == lost]

    def kill(worker, method):
        if method == "ask" and lost in cluster.there and (worker != lost) == after:
            cluster.kill(lost)

    cluster.before = kill
    assert parts.each(note, "y") == heard("xy")
    assert parts.each(note, "z") == heard("xyz")
    assert lost not in cluster.there
    assert {held.worker for held in parts.held} <= set(cluster.there)
    assert sorted(k for held in parts.held for k in held.numbers) == list(range(5))
    assert first[0] in cluster.released


def test_all_but_one_are_lost_at_once(made):
    parts, cluster = made
    parts.each(note, "x")
    cluster.kill("a")
    cluster.kill("c")
    assert parts.each(note, "y") == heard("xy")
    assert {held.worker for held in parts.held} == {"b"}


def test_a_holder_that_knows_nothing_is_made_anew(made):
    """As where the scheduler has made it again on a worker that came back."""
    parts, cluster = made
    parts.each(note, "x")
    key = parts.held[0].future.key
    worker, holder = cluster.actors[key]
    cluster.actors[key] = worker, type(holder)([source(0), source(2)])
    assert parts.each(note, "y") == heard("xy")
    assert key in cluster.released
    del cluster.actors[parts.held[0].future.key]  # it is not found any more
    assert parts.each(note, "z") == heard("xyz")


def test_a_worker_that_never_answers_is_lost_when_it_is_gone(made):
    parts, cluster = made
    parts.each(note, "x")
    cluster.slow.add("b")

    async def ncores():
        cluster.kill("b")
        return cluster.there

    cluster.ncores = ncores
    assert parts.each(note, "y") == heard("xy")


def test_a_worker_that_takes_long_is_waited_for(made):
    parts, cluster = made
    cluster.slow.add("b")
    looks = []

    async def ncores():
        looks.append(None)
        if len(looks) == 2:
            cluster.slow.clear()
        return cluster.there

    cluster.ncores = ncores
    assert parts.each(note, "x") == heard("x")
    assert len(looks) == 2
    assert len(cluster.asked("ask")) == 3


def test_losses_without_end_are_an_error(made):
    """So many in one step; those of the steps before do not count."""
    parts, cluster = made
    losing = [holders.MOST_LOSSES, 0]

    def lose(worker, method):
        if method == "ask" and worker == "a" and losing[1] < losing[0]:
            losing[1] += 1
            cluster.actors.clear()

    cluster.before = lose
    assert parts.each(note, "x") == heard("x")
    losing[:] = [holders.MOST_LOSSES, 0]
    assert parts.each(note, "y") == heard("xy")
    losing[:] = [holders.MOST_LOSSES + 1, 0]
    with pytest.raises(RuntimeError, match="were lost 30 times in one step"):
        parts.each(note, "z")
    assert losing[1] == losing[0]


def test_a_worker_lost_while_it_makes_its_parts(made):
    parts, cluster = made
    parts.each(note, "x")
    cluster.kill("c")
    makes = []

    def kill(worker, method):
        if method == "make":
            makes.append(worker)
            if len(makes) == 1:
                cluster.kill("a")

    cluster.before = kill
    assert parts.each(note, "y") == heard("xy")
    assert makes[:2] == ["a", "b"]
    assert parts.each(note, "z") == heard("xyz")
    assert {held.worker for held in parts.held} == {"b"}


def test_parts_that_no_worker_takes_are_an_error(made):
    parts, cluster = made
    makes = []

    def forget(worker, method):
        if method == "catch_up":
            makes.append(worker)
            cluster.actors.clear()

    cluster.kill("c")
    cluster.before = forget
    with pytest.raises(RuntimeError, match="could not be placed on any worker"):
        parts.each(note, "x")
    assert len(makes) == holders.MOST_LOSSES


def test_rows_that_cannot_be_made_are_an_error(made, monkeypatch):
    parts, cluster = made

    def gather(client, futures):
        raise ValueError(f"{len(futures)} failed: {futures[0].key}")

    monkeypatch.setattr(holders, "gather", gather)
    cluster.kill("c")
    cluster.sources[3].status = "error"
    with pytest.raises(ValueError, match="1 failed: rows 3"):
        parts.each(note, "x")


@pytest.mark.parametrize("status", ["lost", "cancelled"])
def test_rows_that_were_put_there_as_data_are_not_waited_for(made, monkeypatch, status):
    parts, cluster = made
    cluster.kill("c")
    cluster.sources[3].status = status
    cluster.recipe = False
    monkeypatch.setattr(holders, "wait", lambda futures, timeout: None)
    with pytest.raises(RuntimeError, match="rows were lost with a worker and cannot be made anew"):
        parts.each(note, "x")


def test_rows_that_are_on_their_way_are_waited_for(made, monkeypatch):
    """They are made, but nobody has them yet; or some have theirs sooner than others."""
    parts, cluster = made
    cluster.kill("b")
    waits = []

    def wait(futures, timeout):
        waits.append([future.key for future in futures])
        for future in futures:
            future.status = "finished"
        if len(waits) == 2:
            cluster.where["rows 4"] = {"c", "a"}
        if len(waits) == 4:
            cluster.where["rows 1"] = {"c"}

    monkeypatch.setattr(
        holders,
        "wait",
        lambda futures, timeout: wait(futures, timeout) if futures[0] in cluster.sources else None,
    )
    assert parts.each(note, "x") == heard("x")
    assert sorted(places(parts).items()) == [("a", [0, 2, 4]), ("c", [1, 3])]


def test_a_holder_that_cannot_be_made_is_an_error(made, monkeypatch):
    parts, cluster = made
    submit = cluster.submit

    def failing(*args, **options):
        future = submit(*args, **options)
        future.status = "error"
        return future

    def gather(client, futures):
        raise ValueError("no module named marginboost")

    monkeypatch.setattr(cluster, "submit", failing)
    monkeypatch.setattr(holders, "gather", gather)
    cluster.kill("c")
    with pytest.raises(ValueError, match="no module named marginboost"):
        parts.each(note, "x")


def test_errors_of_parts_are_raised_by_the_client(made):
    with pytest.raises(ArithmeticError, match="cannot"):
        made[0].each(refuse)
    parts, _ = parts_on(ROWS, source)
    with pytest.raises(MemoryError, match="worker a has no memory left for its 2 parts") as caught:
        parts.each(exhaust)
    assert isinstance(caught.value.__cause__, MemoryError)


def test_closing_lets_go_of_everything(made):
    parts, cluster = made
    keys = [held.future.key for held in parts.held]
    parts.close()
    assert sorted(cluster.released) == sorted(keys)
    assert cluster.cancelled == [f"rows {k}" for k in range(5)]
    assert parts.held == []
    assert cluster.actors == {}


# -- workers that come ----------------------------------------------------------------------------


class Clock:
    """Time that goes on by a second whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def crowded(monkeypatch):
    """Four parts on one worker, one on another; a third comes later."""
    monkeypatch.setattr(newcomers, "time", Clock())
    parts, cluster = parts_on({"a": [3, 1, 0, 4], "b": [2]}, source)
    parts.each(start)
    return parts, cluster


def ask(parts, words, times=1):
    """Ask so often; returns all that was said."""
    for _ in range(times):
        words += "."
        assert parts.each(note, ".") == heard(words)
    return words


BEFORE = {"a": [0, 1, 3, 4], "b": [2]}
SHARED = {"a": [3, 4], "b": [2], "d": [0, 1]}


def test_a_newcomer_takes_half_of_what_the_most_crowded_has(crowded):
    """It has heard everything; the others let go of what it took, and are not asked for it."""
    parts, cluster = crowded
    words = ask(parts, "", 3)
    cluster.there["d"] = 1
    words = ask(parts, words, 8)
    assert places(parts) == SHARED
    assert {source.key for source in parts.sources} == {
        *("rows 0 on d", "rows 1 on d"),
        *("rows 2", "rows 3", "rows 4"),
    }
    assert cluster.asked("drop") == ["a"]
    del cluster.messages[:]
    ask(parts, words)
    assert sorted(cluster.asked("ask")) == ["a", "b", "d"]
    parts.close()
    assert cluster.actors == {}


def test_a_newcomer_practises_before_it_is_waited_for(crowded):
    parts, cluster = crowded
    cluster.there["d"] = 1
    answers = []

    class Slow:
        def done(self):
            answers.append(None)
            return len(answers) > 3

        def result(self, timeout):
            return [], None

    parts.practise = lambda held: Slow()
    words = ask(parts, "", 3)
    while len(answers) < 3:
        assert places(parts) == BEFORE
        words = ask(parts, words)
    ask(parts, words, 2)
    assert places(parts) == SHARED


@pytest.mark.parametrize("fault", ["error", "lost", "raises"])
def test_a_newcomer_that_cannot_do_it_is_left_out(crowded, fault):
    """It lacks memory, say: the fit goes on, and what it holds is let go of."""
    parts, cluster = crowded
    cluster.there["d"] = 1

    class Practice:
        def done(self):
            return True

        def result(self, timeout):
            if fault == "raises":
                raise OSError("gone")
            return [], MemoryError() if fault == "error" else None

    parts.practise = lambda held: Practice()
    if fault == "lost":
        parts.catch_up = lambda new: []
    before = list(cluster.released)
    words = ask(parts, "", 12)
    assert places(parts) == BEFORE
    let_go = [key for key in cluster.released if key not in before]
    assert len(let_go) >= 2  # it is tried again
    cluster.there.pop("d")
    ask(parts, words, 4)
    assert set(cluster.actors) == {held.future.key for held in parts.held}


def test_a_newcomer_that_is_lost_is_forgotten(crowded):
    parts, cluster = crowded
    cluster.there["d"] = 1

    def lose(worker, method):
        if (worker, method) == ("d", "make"):
            cluster.there.pop("d")

    cluster.before = lose
    words = ask(parts, "", 9)
    assert "d" not in cluster.there
    assert len(cluster.released) == 1
    assert places(parts) == BEFORE
    cluster.before = lambda worker, method: None
    cluster.there["d"] = 1  # and it comes back
    ask(parts, words, 9)
    assert places(parts) == SHARED


def test_a_newcomer_whose_making_fails_is_left_out(crowded):
    parts, cluster = crowded
    cluster.there["d"] = 1
    submit = cluster.submit

    def failing(*args, workers=None, key=None, **options):
        future = submit(*args, workers=workers, key=key, **options)
        if key and workers == ["d"]:
            future.status = "error"
        return future

    cluster.submit = failing
    ask(parts, "", 9)
    assert places(parts) == BEFORE
    assert cluster.released


def test_what_is_shared_out_is_not_looked_at_again(monkeypatch):
    """Where each worker holds one part nobody can help, until one is lost."""
    monkeypatch.setattr(newcomers, "time", Clock())
    few, other = parts_on({"a": [0], "b": [1]}, source)
    other.there["d"] = 1
    looks = []
    monkeypatch.setattr(
        type(few), "workers", lambda self: looks.append(None) or set(self.client.there)
    )
    for _ in range(12):
        assert few.each(look) == [(0, 0), (1, 0)]
    assert len(looks) == 1
    assert "d" not in {held.worker for held in few.held}
    other.kill("b")
    for _ in range(12):
        assert few.each(look) == [(0, 0), (1, 0)]
    assert {held.worker for held in few.held} == {"a", "d"}


def test_after_the_end_nobody_is_looked_for(crowded):
    """And what practises is let go of."""
    parts, cluster = crowded
    cluster.there["d"] = 1
    words, made = "", []
    while not made:
        words = ask(parts, words)
        made = [key for key, (worker, _) in cluster.actors.items() if worker == "d"]
    assert places(parts) == BEFORE
    parts.close()
    assert cluster.actors == {}
    assert set(made) <= set(cluster.released)


def test_one_that_cannot_let_go_is_replaced(crowded):
    """What it keeps is made anew elsewhere."""
    parts, cluster = crowded
    cluster.there["d"] = 1
    first = {held.worker: held.future.key for held in parts.held}

    def lose(worker, method):
        if method == "drop":
            cluster.actors.pop(first["a"], None)

    cluster.before = lose
    words = ask(parts, "", 9)
    assert first["a"] in cluster.released
    assert sorted(k for held in parts.held for k in held.numbers) == list(range(5))
    assert {tuple(held.numbers) for held in parts.held if held.worker == "d"} == {(0, 1)}
    ask(parts, words)


# -- ways to workers ------------------------------------------------------------------------------


def test_workers_are_asked_directly_where_they_can_be_reached(monkeypatch):
    monkeypatch.setattr("miniature.Cluster.direct_to_workers", None)
    parts, cluster = parts_on(ROWS, source)
    assert parts.each(note, "x") == heard("x")
    assert {way for *_, way in cluster.messages} == {"direct"}
    cluster.reachable = False
    cluster.kill("c")  # another has to be reached now
    parts.each(note, "y")
    assert cluster.messages[-1][2] == "scheduler"
    cluster.reachable = True
    parts.each(note, "z")
    assert cluster.messages[-1][2] == "scheduler"  # once is enough


class Wire:
    """A channel, to a holder of the cluster in miniature."""

    def __init__(self, cluster, key):
        self.cluster, self.key, self.closed = cluster, key, False

    def close(self):
        self.closed = True


def test_channels_are_used_where_all_have_one(monkeypatch):
    """Then the cluster is asked for nothing but to open them."""
    monkeypatch.setattr("miniature.Cluster.direct_to_workers", None)
    monkeypatch.setattr("marginboost.dask.holders.Holder.take_calls", lambda self: True)
    wires, missed = [], []

    async def execute(cluster, worker, message, way):
        cluster.messages.append((worker, message["function"], way))
        holder = cluster.actors[message["actor"]][1]
        return {"status": "OK", "result": getattr(holder, message["function"])(*message["args"])}

    async def open_channel(client, worker, key, patience):
        if worker == blocked:
            return None
        wires.append(Wire(client, key))
        return wires[-1]

    def converse(channels, message, patience, missing):
        method, args = message
        cluster = channels[0].cluster
        missed.append(missing())
        answers = []
        for channel in channels:
            found = cluster.actors.get(channel.key)
            answers.append(getattr(found[1], method)(*args) if found else None)
        return answers

    monkeypatch.setattr("miniature.Cluster.execute", execute)
    monkeypatch.setattr(holders, "open_channel", open_channel)
    monkeypatch.setattr(holders, "converse", converse)
    blocked = None
    parts, cluster = parts_on(ROWS, source)
    assert parts.each(note, "x") == heard("x")
    assert {method for _, method, _ in cluster.messages} == {"take_calls"}
    assert missed[-1] == set()
    held = [held.worker for held in parts.held]
    cluster.kill("b")
    assert parts.each(note, "y") == heard("xy")
    assert {held.index("b")} in missed
    assert sum(wire.closed for wire in wires) == 1
    parts.close()
    assert all(wire.closed for wire in wires)
    blocked = "b"  # one without a channel: all are asked through Dask
    parts, cluster = parts_on(ROWS, source)
    assert parts.each(note, "x") == heard("x")
    assert sorted(cluster.asked("ask")) == ["a", "b", "c"]
