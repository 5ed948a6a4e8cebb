"""Decisions in a file: several sessions, rows that are gone, files that are something else."""

import csv
import threading

import pytest

from marginboost.cli.decisions import COLUMNS, DecisionFile
from marginboost.cli.errors import DataError, OutputError, UsageError


def payload(rows=range(1, 6), ids=None):
    """What an audit lists."""
    suspects = [
        {
            "row": row,
            "id": (ids or {}).get(row, f"p{row}"),
            "given": 0,
            "suggested": 1,
            "score": 0.25,
        }
        for row in rows
    ]
    return {"classes": ["sick", "well"], "suspects": suspects}


def lines(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {int(line["row"]): line["decision"] for line in csv.DictReader(file)}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "decisions.csv")


def session(path, **settings):
    file = DecisionFile(path)
    return file, file.take_up(payload(**settings))


def test_two_sessions_add_up(path, tmp_path):
    (first, _), (second, _) = session(path), session(path)
    assert first.save({1: "wrong"}) == {1: "wrong"}
    assert second.save({2: "right"}) == {1: "wrong", 2: "right"}
    assert first.save({1: "wrong", 3: "wrong"}) == {1: "wrong", 2: "right", 3: "wrong"}
    assert lines(path) == {1: "wrong", 2: "right", 3: "wrong"}
    assert [file.name for file in tmp_path.iterdir()] == ["decisions.csv"]


def test_what_one_takes_back_is_gone_and_the_last_word_counts(path):
    (first, _), (second, _) = session(path), session(path)
    first.save({1: "wrong", 2: "wrong"})
    assert second.save({2: "right"}) == {1: "wrong", 2: "right"}
    assert first.save({2: "wrong"}) == {2: "right"}  # it took back row 1 and left row 2 alone
    assert second.save({}) == {}
    assert lines(path) == {}


def test_a_later_session_takes_up_what_is_there(path):
    first, nothing = session(path)
    assert nothing == {}
    first.save({1: "wrong", 4: "right"})
    later, found = session(path, rows=[1, 2], ids={1: "p1"})
    assert found == {1: "wrong"}
    assert later.save({1: "right"}) == {1: "right"}
    assert lines(path) == {1: "right", 4: "right"}
    renamed, found = session(path, ids={1: "another"})
    assert found == {4: "right"}
    renamed.save({})
    assert lines(path) == {1: "right"}


def test_many_sessions_at_once(path):
    def decide(row):
        file, found = session(path, rows=range(1, 21))
        file.save({**found, row: "wrong"})

    threads = [threading.Thread(target=decide, args=(row,)) for row in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines(path) == dict.fromkeys(range(1, 21), "wrong")


def test_names_that_look_like_formulas_are_known_again(path):
    ids = {1: "=1+1", 2: "\n-x", 3: ";＝1", 4: '"', 5: "a;b"}
    session(path, ids=ids)[0].save(dict.fromkeys(ids, "wrong"))
    assert session(path, ids=ids)[1] == dict.fromkeys(ids, "wrong")


def test_a_file_that_became_something_else_is_left_alone(path):
    file, _ = session(path)
    with open(path, "w") as other:
        other.write("a,b\n1,2\n")
    with pytest.raises(DataError, match="not a file of decisions"):
        file.save({1: "wrong"})
    with open(path) as other:
        assert other.read() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("1,p1,sick,well,0.5,maybe", 1),
        ("-1,p1,sick,well,0.5,wrong", 1),
        ("1,p1,sick,well,0.5,wrong\n2,p2,sick,well,0.5", 2),
        ("1,p1,sick,well,0.5,wrong,more", 1),
    ],
)
def test_lines_that_are_no_decisions(path, line, number):
    with open(path, "w") as file:
        file.write(",".join(COLUMNS) + "\n" + line + "\n")
    with pytest.raises(DataError, match=f"row {number} is not a decision") as caught:
        DecisionFile(path)
    assert caught.value.place == {"file": path, "row": number}


def test_names_and_folders(tmp_path):
    with pytest.raises(UsageError, match=r"expected the name of a \.csv file"):
        DecisionFile("decisions.txt")
    file, _ = session(str(tmp_path / "no" / "decisions.CSV"))
    with pytest.raises(OutputError, match=r"decisions\.CSV: No such file"):
        file.save({1: "wrong"})
