"""The audit on the command line: what it says, writes, serves and refuses."""

import csv
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
from cli_tables import ROLES, write_rows

from marginboost import reports
from marginboost.audit import LabelAudit

HEADER = ["name", "size", "dose", "kind", "weight", "answer"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
QUICK = ("--cv", "2", "--jobs", "1")


FLIPPED = (27, 51, 63, 99, 111)
"""Rows far from the boundary, from 0."""


def noisy_rows(n=120):
    """Rows that are easy to tell apart, but for a few wrong labels."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        size, kind = round(float(rng.normal()), 3), rng.choice(["red", "blue"])
        label = size + 0.7 * (kind == "red") > 0.3
        word = "sick" if label != (i in FLIPPED) else "well"
        rows.append([f"p{i}", size, "" if i % 9 == 4 else i % 7, str(kind), 1, word])
    return rows


@pytest.fixture
def noisy(tmp_path):
    return write_rows(tmp_path / "noisy.csv", HEADER, noisy_rows())


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def page_data(path):
    """What a report shows."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8")
    )
    return json.loads(found[1])


def test_answer_scores_and_report_agree(run, noisy, tmp_path):
    out, scores = tmp_path / "report.html", tmp_path / "scores.csv"
    found = run("audit", noisy, *ROLES, *QUICK, "--json", "--out", out, "--scores", scores)
    assert found.code == 0
    answer, lines, page = found.json, read_csv(scores), page_data(out)
    assert answer["written"] == {"scores": str(scores), "report": str(out)}
    assert {i + 1 for i in FLIPPED} <= {suspect["row"] for suspect in answer["suspects"]}
    assert len(lines) == page["rows"] == answer["data"]["rows"] == 120
    assert page["verdict"] == answer["verdict"]
    assert page["title"] == "noisy.csv"
    listed = {row["row"]: row for row in page["suspects"]}
    for k, line in enumerate(lines):
        assert line["row"] == str(k + 1)
        assert line["id"] == f"p{k}" == listed[k + 1]["id"]
        assert float(line["score"]) == pytest.approx(listed[k + 1]["score"], rel=1e-4)
        assert int(line["rank"]) == listed[k + 1]["rank"]
        assert page["classes"][listed[k + 1]["given"]] == line["given"] == noisy_rows()[k][5]
    flagged = [line for line in lines if line["flagged"] == "True"]
    flagged.sort(key=lambda line: int(line["rank"]))
    assert [s["row"] for s in answer["suspects"]] == [int(line["row"]) for line in flagged]
    assert answer["flagged"] == page["flagged"] == len(flagged)


def test_words_for_people(run, noisy):
    found = run("audit", noisy, *ROLES, *QUICK)
    assert found.code == 0
    assert "120 rows, 3 features (2 numeric, 1 categorical, 13 missing values)" in found.out
    assert re.search(r"\d+ of 120 labels look wrong", found.out)
    assert "Estimated noise by given label:" in found.out
    first = next(line for line in found.out.splitlines() if "p27 " in line)
    assert first.split()[:4] == ["28", "p27", "well", "sick"]
    assert found.err == ""


def test_clean_labels_and_other_formats(run, tmp_path):
    """Nothing to find is exit code 0 too; Parquet, gzip, standard names of rows."""
    rows = [[k, "a" if k % 2 else "b", k % 2] for k in range(40)]
    table = write_rows(tmp_path / "t.csv", ["size", "kind", "answer"], rows)
    scores = tmp_path / "s.csv.gz"
    found = run("audit", table, "--label", "answer", *QUICK, "--scores", scores)
    assert found.code == 0
    assert "No label of the 40 stands out as wrong" in found.out
    assert "column 'kind' alone tells nearly every label" in found.err
    import pyarrow.csv
    import pyarrow.parquet

    table_again = pyarrow.csv.read_csv(scores)
    assert table_again.column_names == [
        *("row", "given", "suggested", "score", "rank", "flagged", "copies", "conflicting"),
        *("near_duplicate", "near_conflicting", "outlier"),
    ]
    parquet = tmp_path / "s.parquet"
    run("audit", table, "--label", "answer", *QUICK, "--scores", parquet)
    assert pyarrow.parquet.read_table(parquet)["rank"].to_pylist() == (
        table_again["rank"].to_pylist()
    )


@pytest.mark.slow
def test_three_labels(run, tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=150)
    labels = np.digitize(size, [-0.5, 0.5])
    labels[[3, 77]] = (labels[[3, 77]] + 1) % 3
    rows = list(zip(size.round(3), rng.normal(size=150).round(3), labels, strict=True))
    table = write_rows(tmp_path / "t.csv", ["size", "noise", "grade"], rows)
    out = tmp_path / "r.html"
    found = run("audit", table, "--label", "grade", *QUICK, "--json", "--out", out)
    assert {4, 78} <= {suspect["row"] for suspect in found.json["suspects"]}
    assert set(found.json["class_noise_rates"]) == {"0", "1", "2"}
    assert len(page_data(out)["certificates"]) == 3


# -- labels that are missing, alone, or none -------------------------------------------------------


def test_rows_without_a_label(run, tmp_path):
    rows = noisy_rows()
    for k in (2, 9, 10, 53, 54, 55):
        rows[k][5] = ["", "NA", "?"][k % 3]
    table = write_rows(tmp_path / "t.csv", HEADER, rows)
    found = run("audit", table, *ROLES, *QUICK, "--json")
    assert found.code == 3
    error = found.json["error"]
    assert (error["column"], error["row"], error["line"]) == ("answer", 3, 4)
    assert "6 of 120 rows have no label (rows 3, 10, 11, 54, 55, …)" in error["message"]
    assert "--skip-unlabelled leaves them out" in error["message"]

    scores = tmp_path / "s.csv"
    options = ("--skip-unlabelled", "--scores", scores, "--json")
    found = run("audit", table, *ROLES, *QUICK, *options)
    assert found.code == 0
    assert "6 of 120 rows have no label" in found.json["warnings"][0]
    assert found.json["data"]["rows"] == 114
    lines = read_csv(scores)
    assert [line["id"] for line in lines] == [row[0] for row in rows if row[5] in ("sick", "well")]
    assert [f"p{int(line['row']) - 1}" for line in lines] == [line["id"] for line in lines]
    assert len({i + 1 for i in FLIPPED} & {s["row"] for s in found.json["suspects"]}) >= 4


def test_errors_name_the_row_of_the_file_after_rows_are_left_out(run, tmp_path):
    rows = noisy_rows()
    rows[0][5] = rows[1][5] = ""
    rows[40][1] = "huge"
    table = write_rows(tmp_path / "t.csv", HEADER, rows)
    found = run("audit", table, *ROLES, *QUICK, "--skip-unlabelled", "--json")
    assert found.code == 3
    error = found.json["error"]
    assert (error["column"], error["row"], error["line"]) == ("size", 41, 42)


def test_labels_that_cannot_be_judged(run, tmp_path):
    rows = noisy_rows()
    rows[33][5] = "sik"
    table = write_rows(tmp_path / "t.csv", HEADER, rows)
    found = run("audit", table, *ROLES, "--json")
    assert found.code == 3
    assert (found.json["error"]["column"], found.json["error"]["row"]) == ("answer", 34)
    assert "the label 'sik' stands in this row only" in found.json["error"]["message"]

    empty = write_rows(tmp_path / "e.csv", ["a", "y"], [[1, ""], [2, ""]])
    found = run("audit", empty, "--label", "y", "--skip-unlabelled")
    assert found.code == 3
    assert "column 'y': no row has a label" in found.err

    names = write_rows(tmp_path / "n.csv", ["a", "y"], [[k, f"n{k // 2}"] for k in range(80)])
    found = run("audit", names, "--label", "y")
    assert found.code == 3
    assert "column 'y'" in found.err
    assert "expected classes" in found.err


def test_ids_that_are_missing(run, tmp_path):
    rows = noisy_rows()
    rows[27][0] = ""
    table = write_rows(tmp_path / "t.csv", HEADER, rows)
    found = run("audit", table, *ROLES, *QUICK, "--json")
    assert "28" in [suspect["id"] for suspect in found.json["suspects"]]


# -- hostile and large -----------------------------------------------------------------------------


@pytest.mark.slow
def test_hostile_names_and_values(run, tmp_path):
    """HTML, quotes, formulas, emoji and 10,000 signs: read, written, never run."""
    bad = ["<img src=x onerror=alert(1)>", '=cmd|" /C calc"!A0', "🙂" * 10, "x" * 10_000]
    names = ["=1+1", "</script>", '🙂 it\'s "so", yes', "W" * 10_000, "answer"]
    rng = np.random.default_rng(0)
    rows = []
    sizes = rng.normal(size=100).round(3)
    wrong = np.argsort(np.abs(np.abs(sizes) - 1.0))[:5].tolist()
    for k, size in enumerate(sizes.tolist()):
        label = "=SUM(A1)" if (size > 0) != (k in wrong) else "<b>"
        rows.append([bad[k % 4], size, bad[(k // 4) % 4], k % 5, label])
    table = write_rows(tmp_path / "<b>.csv", names, rows)
    scores, out = tmp_path / "s.csv", tmp_path / "r.html"
    found = run(
        *("audit", table, "--label", "answer", "--id", "=1+1", *QUICK),
        *("--scores", scores, "--out", out, "--json"),
    )
    assert found.code == 0
    assert len({k + 1 for k in wrong} & {s["row"] for s in found.json["suspects"]}) >= 3
    assert found.json["suspects"][0]["given"] in ("=SUM(A1)", "<b>")
    lines = read_csv(scores)
    assert lines[1]["id"] == "'" + bad[1]
    assert lines[3]["id"] == bad[3]
    assert {line["given"] for line in lines} == {"'=SUM(A1)", "<b>"}
    text = out.read_text("utf-8")
    assert "<img" not in text
    assert text.count("</script>") == 2
    page = page_data(out)
    assert page["title"] == "<b>.csv"
    assert {"</script>"} <= {feature["name"] for feature in page["features"]}
    people = run("audit", table, "--label", "answer", "--id", "=1+1", *QUICK)
    assert max(map(len, people.out.splitlines())) <= 200


def test_an_id_column_that_leaks_is_told(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[k, round(float(rng.normal()), 3), k >= 60] for k in range(120)]
    table = write_rows(tmp_path / "t.csv", ["number", "size", "answer"], rows)
    out = tmp_path / "r.html"
    found = run("audit", table, "--label", "answer", *QUICK, "--out", out)
    assert found.code == 0
    assert "column 'number' alone tells nearly every label" in found.err
    assert "--drop and --id" in found.err
    assert page_data(out)["leaking"] == ["number"]
    found = run("audit", table, "--label", "answer", "--id", "number", *QUICK)
    assert "tells nearly every label" not in found.err


@pytest.mark.slow
def test_a_thousand_columns(run, tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 1000)).round(2)
    rows = [[*line, int(line[500] > 0)] for line in values.tolist()]
    table = write_rows(tmp_path / "t.csv", [*(f"c{j}" for j in range(1000)), "y"], rows)
    out = tmp_path / "r.html"
    found = run("audit", table, "--label", "y", *QUICK, "--out", out, "--json")
    assert found.code == 0
    assert page_data(out)["columns"] == 1000
    assert out.stat().st_size < 500_000


def test_many_suspects_are_all_in_the_table_and_some_on_the_page(run, tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=6000)
    label = np.where(rng.random(6000) < 0.3, rng.integers(0, 2, 6000), size > 0).astype(int)
    rows = np.column_stack([size.round(3), rng.integers(0, 9, 6000), label]).tolist()
    table = write_rows(tmp_path / "t.csv", ["size", "n", "y"], rows)
    out, scores = tmp_path / "r.html", tmp_path / "s.tsv"
    options = ("--fdr", "0.5", "--out", out, "--scores", scores, "--json")
    found = run("audit", table, "--label", "y", *QUICK, *options)
    assert found.code == 0
    page = page_data(out)
    assert page["flagged"] == found.json["flagged"] == len(found.json["suspects"])
    assert len(page["suspects"]) == 1000
    assert len(scores.read_text().splitlines()) == 6001
    assert out.stat().st_size < 2_000_000


# -- refused before any work -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cv", "1"], "--cv: got 1, expected at least 2"),
        (["--fdr", "1"], "--fdr: got 1, expected a number from 0 to below 1"),
        (["--fdr", "nan"], "--fdr: got nan"),
        (["--seed", "-1"], "--seed: got -1"),
        (["--jobs", "0"], "--jobs: "),
        (["--weight", "weight"], "--weight: an audit judges every row alike"),
        (["--serve", "--json"], "--serve: waits for you"),
        (["--serve", "--port", "70000"], "--port: got 70000, expected 0 to 65535"),
        (["--serve", "--decisions", "d.parquet"], "--decisions: got 'd.parquet', expected"),
        (["--out", "noisy.csv"], "--out: noisy.csv is the data file too; expected another"),
        (["--out", "x", "--scores", "./x"], "--scores: ./x is the file of --out too; expected"),
    ],
)
def test_usage(run, noisy, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    found = run("audit", "noisy.csv", "--label", "answer", *options)
    assert found.code == 2
    assert message in found.err
    assert [path.name for path in tmp_path.iterdir()] == ["noisy.csv"]


def test_files_that_cannot_be_used(run, noisy, tmp_path):
    assert run("audit", noisy, "--label", "answr").code == 3
    assert run("audit", noisy, "--label", "answer", "--out", tmp_path / "no" / "r.html").code == 6
    assert run("audit", noisy, "--label", "answer", "--scores", tmp_path).code == 6
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        found = run("audit", noisy, "--label", "answer", "--serve", "--port", port)
    assert found.code == 2
    assert f"--port: {port} cannot be used" in found.err


@pytest.mark.parametrize(
    "content",
    [
        b"my,own,table\n1,2,3\n",
        b"",
        b"\xff\xfe\x00",
        b"row,id,given,suggested,score,decision\nx,a,b,c,0,wrong\n",
        b"row,id,given,suggested,score,decision\n1,a,b,c,0,maybe\n",
        b"row,id,given,suggested,score,decision\n1,a,b,c,0,wrong,more\n",
        b'row,id,given,suggested,score,decision\n1,"a\n',
    ],
)
def test_a_file_that_holds_no_decisions_is_left_alone(run, noisy, tmp_path, content):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    found = run("audit", noisy, *ROLES, "--serve", "--decisions", path)
    assert found.code == 3
    assert "not a file of decisions (--decisions), so it is left alone" in found.err
    assert path.read_bytes() == content


# -- served, as a process of its own ---------------------------------------------------------------


class Served:
    """``audit --serve`` in a second process."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "marginboost", "audit", *map(str, arguments)]
        self.process = subprocess.Popen(
            [*command, "--serve", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=ENVIRONMENT,
        )
        self.said = []
        while not self.said or not self.said[-1].startswith("http://"):
            line = self.process.stderr.readline()
            assert line, "".join(self.said)
            self.said.append(line.strip())
        self.host, self.path = re.fullmatch(r"http://([^/]+)(/.+/)", self.said[-1]).groups()

    def ask(self, method="GET", path="", body=None, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.request(method, self.path + path, body, headers)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def decide(self, row, word, **headers):
        body = json.dumps({"row": row, "decision": word})
        return self.ask("POST", "decisions", body, **headers)[0]

    def interrupt(self):
        """Ctrl-C; exit code, output, errors."""
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=60)
        return self.process.returncode, output, errors


@pytest.fixture
def serve():
    started = []

    def serve(*arguments):
        started.append(Served(*arguments))
        return started[-1]

    yield serve
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
            served.process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_serve(serve, noisy, tmp_path):
    """Only for this machine and our page; decisions stay, and are taken up the next time."""
    folder = tmp_path / "folder"
    folder.mkdir()
    kept = folder / "kept.csv"
    first = serve(noisy, *ROLES, *QUICK, "--decisions", kept)
    assert "labels look wrong" in first.said[0]
    status, page = first.ask()
    assert status == 200
    assert b"p27" in page
    assert first.ask(Host="evil.example")[0] == 403
    assert first.ask(Origin="http://evil.example")[0] == 403
    assert first.decide(28, "wrong", Origin="http://evil.example") == 403
    assert first.decide(28, "wrong", Host="localhost:80") == 403
    assert first.ask(path="x")[0] == 404
    secret, first.path = first.path, "/guessed/"
    assert first.ask()[0] == first.decide(28, "wrong") == 404
    first.path = secret
    assert first.ask("POST", "decisions", b"x" * 5000)[0] == 400
    assert first.ask("POST", "decisions", b"{")[0] == 400
    assert first.decide(999, "wrong") == 400
    assert not kept.exists()
    for row, word in ((28, "wrong"), (52, "right"), (1, "right"), (1, None)):
        assert first.decide(row, word) == 204
    lines = read_csv(kept)
    assert [(line["row"], line["id"], line["decision"]) for line in lines] == [
        ("28", "p27", "wrong"),
        ("52", "p51", "right"),
    ]
    code, output, _ = first.interrupt()
    assert code == 0
    assert f"Wrote decisions: {kept}" in output

    with kept.open("a", encoding="utf-8") as file:  # of another table, or of other labels
        file.write("9000,p9,sick,well,0.1,wrong\n64,p63,other,well,0.1,right\n")
    second = serve(noisy, *ROLES, *QUICK, "--decisions", kept)
    data = json.loads(re.search(rb'id="data">(.*?)</script>', second.ask()[1])[1])
    assert data["decisions"] == {"28": "wrong", "52": "right"}
    assert data["kept_in"] == str(kept)
    assert second.path != first.path
    assert second.decide(28, None) == 204
    assert [(line["row"], line["decision"]) for line in read_csv(kept)] == [
        ("52", "right"),
        ("64", "right"),
        ("9000", "wrong"),
    ]
    shutil.rmtree(folder)  # what cannot be saved is told
    status, text = second.ask("POST", "decisions", json.dumps({"row": 28, "decision": "wrong"}))
    assert status == 500
    assert b"No such file" in text
    assert second.interrupt()[0] == 0


class FakeServer:
    """Notes what is asked of it."""

    url = "http://127.0.0.1:1234/"

    def __init__(self):
        self.asked = []

    def open_in_browser(self):
        self.asked.append("open")

    def stop(self):
        self.asked.append("stop")


@pytest.mark.parametrize(
    ("options", "port", "asked"),
    [([], 0, ["open", "stop"]), (["--no-browser", "--port", "0"], 0, ["stop"])],
    ids=["as it is", "without a browser"],
)
def test_serving_ends_with_the_server_stopped(run, noisy, monkeypatch, options, port, asked):
    """A free port unless one is asked for, and a browser unless none is wanted."""
    server, ports = FakeServer(), []

    def serve(payload, save, port, **settings):
        ports.append(port)
        return server

    def interrupted(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(reports, "serve_audit", serve)
    monkeypatch.setattr("marginboost.cli.audit.time.sleep", interrupted)
    found = run("audit", noisy, *ROLES, *QUICK, "--serve", *options)
    assert found.code == 0
    assert ports == [port]
    assert server.asked == asked


def test_an_occupied_port_is_said_before_any_work(run, noisy, monkeypatch):
    monkeypatch.delattr(LabelAudit, "fit")
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        found = run("audit", noisy, *ROLES, *QUICK, "--serve", "--port", port)
    assert found.code == 2
    assert f"--port: {port} cannot be used" in found.err
