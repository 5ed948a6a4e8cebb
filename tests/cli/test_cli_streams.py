"""Large files of text, Parquet and Arrow, and folders of the latter: the same answers, in parts."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from marginboost.cli import streams
from marginboost.cli.dialect import Dialect

QUICK = ["--algorithm", "adaboost", "--rounds", "5"]
ROLES = ["--label", "ill", "--id", "who"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "who": [f"p{i}" for i in range(400)],
            "age": rng.normal(50, 15, 400),
            "town": rng.choice(["rome", "oslo", "bonn"], 400),
            "visits": rng.integers(0, 300, 400),
            "weight": rng.integers(1, 4, 400),
        }
    )
    table.loc[rng.random(400) < 0.1, "age"] = np.nan
    table.loc[7, "town"] = None
    risk = table["age"].fillna(50) / 10 + 3 * (table["town"] == "oslo") + rng.normal(size=400)
    table["ill"] = np.where(risk > 6, "yes", "no")
    return table


@pytest.fixture
def folder(people, tmp_path):
    """Three files of unequal length in a folder."""
    made = tmp_path / "rows"
    made.mkdir()
    people[:90].to_parquet(made / "a.parquet", index=False)
    pa.feather.write_feather(pa.Table.from_pandas(people[90:91]), made / "b.feather")
    people[91:].to_parquet(made / "c.parquet", index=False, row_group_size=100)
    return made


@pytest.fixture
def in_parts(monkeypatch):
    """Every table is too large to be read at once."""
    monkeypatch.setattr(streams, "WHOLE_VALUES", 0)
    monkeypatch.setattr(streams, "PART_ROWS", 77)


@pytest.fixture
def one_file(people, tmp_path):
    people.to_parquet(tmp_path / "people.parquet", index=False)
    return tmp_path / "people.parquet"


def fitted(run, path, data, *more):
    done = run("fit", data, *ROLES, *QUICK, "--out", path, "--json", *more)
    assert done.code == 0, done.err
    return done.json


def plain(path):
    """A model file without times, and without the range of values, which bins do not tell."""
    model = json.loads(path.read_text())
    model["history"].pop("seconds", None)
    model.pop("background", None)
    return model


# -- the same answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [[], ["--weight", "weight"]])
def test_fits_of_parts_are_those_of_the_table(
    run, one_file, folder, tmp_path, monkeypatch, request, weight
):
    drop = [] if weight else ["--drop", "weight"]
    whole = fitted(run, tmp_path / "whole.json", one_file, *weight, *drop)
    joined = fitted(run, tmp_path / "joined.json", folder, *weight, *drop)
    request.getfixturevalue("in_parts")
    for number, data in enumerate((one_file, folder)):
        parts = fitted(run, tmp_path / f"{number}.json", data, *weight, *drop)
        assert plain(tmp_path / f"{number}.json") == plain(tmp_path / "whole.json")
        for facts in (parts["data"], joined["data"]):
            assert {**facts, "file": ""} == {**whole["data"], "file": ""}
        assert parts["training_error"] == whole["training_error"]


def test_targets(run, one_file, tmp_path, request):
    options = ["--target", "visits", "--id", "who", "--drop", "ill", "--rounds", "4"]
    answers = []
    for name in ("whole", "parts"):
        if name == "parts":
            request.getfixturevalue("in_parts")
        done = run("fit", one_file, *options, "--out", tmp_path / f"{name}.json", "--json")
        assert done.code == 0, done.err
        answers.append(done.json)
    assert plain(tmp_path / "whole.json") == plain(tmp_path / "parts.json")
    assert answers[0]["training_r2"] == answers[1]["training_r2"]
    predicted = run("predict", tmp_path / "whole.json", one_file, "--json", "--id", "who")
    assert predicted.json["values"]["min"] == min(predicted.json["predictions"]["prediction"])


@pytest.mark.parametrize("name", ["p.csv", "p.tsv.gz", "p.parquet", "p.arrow"])
def test_predictions_stream_out(run, one_file, folder, tmp_path, name, request):
    fitted(run, tmp_path / "model.json", one_file)
    command = ["predict", tmp_path / "model.json"]
    expected = run(*command, one_file, "--id", "who", "--out", tmp_path / f"whole-{name}", "--json")
    request.getfixturevalue("in_parts")
    done = run(*command, folder, "--id", "who", "--out", tmp_path / name, "--json")
    assert done.code == 0, done.err
    for fact in ("rows", "classes", "counts"):
        assert done.json[fact] == expected.json[fact]
    found, whole = (_read(tmp_path / n) for n in (name, f"whole-{name}"))
    pd.testing.assert_frame_equal(found, whole)
    assert found["who"].tolist() == [f"p{i}" for i in range(400)]


def _read(path):
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all().to_pandas()
    return pd.read_csv(path, sep="\t" if ".tsv" in path.name else ",")


def test_predictions_on_standard_output(run, one_file, folder, tmp_path, request):
    fitted(run, tmp_path / "model.json", one_file)
    expected = run("predict", tmp_path / "model.json", one_file)
    request.getfixturevalue("in_parts")
    done = run("predict", tmp_path / "model.json", folder)
    assert done.out == expected.out
    as_json = run("predict", tmp_path / "model.json", folder, "--json").json
    assert as_json["predictions"]["row"] == list(range(1, 401))


def test_evaluations_of_parts(run, one_file, folder, tmp_path, request):
    fitted(run, tmp_path / "model.json", one_file, "--weight", "weight")
    command = ["evaluate", tmp_path / "model.json"]
    roles = ["--label", "ill", "--weight", "weight", "--id", "who", "--json"]
    expected = run(*command, one_file, *roles).json
    request.getfixturevalue("in_parts")
    found = run(*command, folder, *roles).json
    assert found["scores"] == expected["scores"]
    assert found["confusion"] == expected["confusion"]


@pytest.mark.slow
def test_audits_of_parts(run, folder, people, tmp_path, in_parts):
    people = people.copy()
    people.loc[[3, 120, 399], "ill"] = None
    people[91:].to_parquet(folder / "c.parquet", index=False)
    people[:90].to_parquet(folder / "a.parquet", index=False)
    options = [*ROLES, "--drop", "weight", "--cv", "2", "--jobs", "1"]
    refused = run("audit", folder, *options)
    assert refused.code == 3
    assert "3 of 400 rows have no label (rows 4, 121, 400)" in refused.err
    assert "a.parquet: column 'ill', row 4" in refused.err
    done = run(
        *("audit", folder, *options, "--skip-unlabelled", "--json"),
        *("--scores", tmp_path / "scores.parquet", "--out", tmp_path / "report.html"),
    )
    assert done.code == 0, done.err
    scores = pd.read_parquet(tmp_path / "scores.parquet")
    assert scores["row"].tolist() == [i + 1 for i in range(400) if i not in (3, 120, 399)]
    assert scores["id"].tolist() == people["who"].drop([3, 120, 399]).tolist()
    assert scores["given"].tolist() == people["ill"].drop([3, 120, 399]).tolist()
    page = (tmp_path / "report.html").read_text()
    first = done.json["suspects"][0] if done.json["suspects"] else None
    assert first is None or f'"{first["id"]}"' in page
    ages = people["age"].drop([3, 120, 399])
    shown = [float(number) for number in re.findall(r"\[0,(-?\d+\.\d+),-?[\d.e-]+\]", page)]
    assert shown
    assert all(np.isclose(ages, number, rtol=1e-4).any() for number in shown)


@pytest.mark.slow
def test_the_commands_of_the_document_run(run, people, tmp_path, monkeypatch, in_parts):
    page = Path(__file__).parents[2] / "docs" / "larger-than-memory.md"
    commands = re.findall(r"^marginboost (.*)$", page.read_text(), re.MULTILINE)
    assert {command.split()[0] for command in commands} == {"fit", "evaluate", "predict", "audit"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits").mkdir()
    people.drop(columns="who").to_parquet(tmp_path / "visits" / "a.parquet", index=False)
    for command in commands:
        done = run(*command.split())
        assert done.code == 0, done.err
    assert pa.parquet.read_metadata(tmp_path / "predictions.parquet").num_rows == len(people)


# -- text ----------------------------------------------------------------------------------------


@pytest.fixture
def text_in_parts(monkeypatch):
    """Every file of text is too large to be read at once."""
    monkeypatch.setattr(streams, "WHOLE_BYTES", 0)
    monkeypatch.setattr(streams, "BLOCK_BYTES", 3_000)


@pytest.fixture
def text_file(people, tmp_path):
    table = people.copy()
    table["note"] = [f"{k}" if k < 150 else "a, b\nc" for k in range(400)]  # of numbers, at first
    table["age"] = table["age"].map("{:.3f}".format).replace("nan", "NA")
    table.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_text_in_parts_is_fitted_like_the_whole(run, text_file, tmp_path, request):
    whole = fitted(run, tmp_path / "whole.json", text_file, "--weight", "weight")
    expected = run("predict", tmp_path / "whole.json", text_file, "--id", "who")
    request.getfixturevalue("text_in_parts")
    assert sum(1 for _ in streams.TextStream(str(text_file), Dialect()).parts()) > 3
    parts = fitted(run, tmp_path / "parts.json", text_file, "--weight", "weight")
    assert plain(tmp_path / "parts.json") == plain(tmp_path / "whole.json")
    assert parts["data"] == whole["data"]
    assert parts["data"]["categorical"] == 2
    done = run("predict", tmp_path / "whole.json", text_file, "--id", "who")
    assert done.out == expected.out


@pytest.mark.slow
def test_text_in_parts_is_audited_like_the_whole(run, text_file, tmp_path, request):
    table = pd.read_csv(text_file, dtype=str, keep_default_na=False)
    table.loc[[3, 399], "ill"] = ""
    table.to_csv(text_file, index=False)
    options = [*ROLES, "--drop", "weight", "--drop", "note", "--cv", "2", "--jobs", "1"]
    command = ["audit", text_file, *options, "--skip-unlabelled", "--scores"]
    assert run(*command, tmp_path / "whole.parquet").code == 0
    request.getfixturevalue("text_in_parts")
    page = tmp_path / "report.html"
    assert run(*command, tmp_path / "parts.parquet", "--out", page).code == 0
    whole, parts = (pd.read_parquet(tmp_path / f"{n}.parquet") for n in ("whole", "parts"))
    for name in ("row", "id", "given"):
        assert parts[name].tolist() == whole[name].tolist()
    assert np.corrcoef(parts["score"], whole["score"])[0, 1] > 0.9
    assert page.stat().st_size > 1000


def replaced(column, value, rows):
    """Change some values of a column."""

    def change(table):
        table.loc[rows, column] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        replaced("age", "old", [350, 390]),
        replaced("age", "3,5", slice(None)),
        replaced("age", "inf", [399]),
        replaced("ill", "", [398]),
        replaced("weight", "-1", [397]),
    ],
)
def test_mistakes_in_text_are_those_of_the_whole(run, text_file, tmp_path, request, change):
    table = pd.read_csv(text_file, dtype=str, keep_default_na=False)
    change(table)
    table.to_csv(text_file, index=False)
    check_same_error(run, text_file, tmp_path, request)


@pytest.mark.parametrize("line", [b"p,1\n", b"p\xff,1,rome,2,1,yes,x\n", b'p,"1,rome,2,1,yes,x\n'])
def test_broken_text(run, text_file, tmp_path, request, line):
    text_file.write_bytes(text_file.read_bytes() + line)
    check_same_error(run, text_file, tmp_path, request)


def check_same_error(run, text_file, tmp_path, request):
    command = ["fit", text_file, *ROLES, *QUICK, "--weight", "weight", "--out"]
    whole = run(*command, tmp_path / "model.json", "--json")
    request.getfixturevalue("text_in_parts")
    parts = run(*command, tmp_path / "model.json", "--json")
    assert whole.code == parts.code == 3
    where = ("file", "column", "row", "line")
    assert [parts.json["error"].get(k) for k in where] == [
        whole.json["error"].get(k) for k in where
    ]
    assert not (tmp_path / "model.json").exists()


def test_a_row_longer_than_a_block(run, tmp_path, text_in_parts):
    rows = [f"{k % 7},{k},{'yes' if k % 7 > 3 else 'no'}" for k in range(300)]
    rows[200] = f"{'7' * 9_000}e-9000,5,no"
    (tmp_path / "long.csv").write_text("\n".join(["a,b,ill", *rows]))
    stream = streams.TextStream(str(tmp_path / "long.csv"), Dialect())
    assert stream.n_rows == 300
    assert stream.place(299)[2] == 301


# -- mistakes ------------------------------------------------------------------------------------


def test_errors_name_the_file_and_its_row(run, people, folder, tmp_path, in_parts):
    damaged = people[91:].copy()
    damaged.loc[150, "age"] = np.inf
    damaged.to_parquet(folder / "c.parquet", index=False)
    done = run("fit", folder, *ROLES, *QUICK, "--out", tmp_path / "model.json", "--json")
    assert done.code == 3
    assert done.json["error"]["row"] == 60
    assert done.json["error"]["file"].endswith("c.parquet")
    assert not (tmp_path / "model.json").exists()


def test_a_warning_of_all_parts_is_said_once(run, one_file, people, tmp_path, request):
    fitted(run, tmp_path / "model.json", one_file)
    people.assign(town="lima", more=1).to_parquet(one_file, index=False)
    request.getfixturevalue("in_parts")
    done = run("predict", tmp_path / "model.json", one_file, "--out", tmp_path / "p.csv")
    assert done.code == 0
    assert done.err.count("has not seen") == 1
    assert done.err.count("does not use") == 1


def test_names_of_rows_are_suspected_in_all_rows_together(run, one_file, tmp_path, in_parts):
    options = ["--label", "ill", *QUICK, "--out", tmp_path / "model.json"]
    assert "400 categories in 400 rows: names of rows?" in run("fit", one_file, *options).err


def test_output_among_the_files_of_the_data(run, folder, one_file, tmp_path):
    fitted(run, tmp_path / "model.json", one_file)
    done = run("predict", tmp_path / "model.json", folder, "--out", folder / "p.parquet")
    assert done.code == 2
    assert "among the files" in done.err


def test_folders_that_cannot_be_read(run, folder, people, tmp_path):
    people.drop(columns="age").to_parquet(folder / "d.parquet", index=False)
    done = run("fit", folder, *ROLES, *QUICK, "--out", tmp_path / "model.json")
    assert done.code == 3
    assert "d.parquet: lacks the column 'age'" in done.err
    (tmp_path / "empty").mkdir()
    assert run("fit", tmp_path / "empty", *ROLES, "--out", tmp_path / "model.json").code == 3


# -- memory --------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
from marginboost.cli.main import main
import marginboost.cli.dataset, marginboost.algorithms, marginboost.audit, marginboost.reports
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert main(sys.argv[1:]) == 0
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are counted in kilobytes")
def test_peak_memory_is_far_below_the_table(tmp_path):
    rng = np.random.default_rng(0)
    n_rows, n_columns = 1_500_000, 30
    made = tmp_path / "rows"
    made.mkdir()
    for k in range(5):
        X = rng.normal(size=(n_rows // 5, n_columns))
        table = pa.table({f"x{j}": X[:, j] for j in range(n_columns)})
        label = pa.array(np.where(X[:, 0] + rng.normal(size=len(X)) > 0, "a", "b"))
        table = table.append_column("y", label)
        pa.parquet.write_table(table, made / f"{k}.parquet", row_group_size=50_000)
    raw = 8 * n_rows * n_columns
    model, predictions = tmp_path / "model.json", tmp_path / "predictions.parquet"
    fit = ["fit", made, "--label", "y", *QUICK, "--jobs", "2", "--out", model]
    for command, share in (
        (fit, 0.6),
        (["predict", model, made, "--out", predictions], 0.25),
    ):
        arguments = [sys.executable, "-c", LIMITED, *map(str, command)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert int(done.stderr.split()[-1]) < share * raw, command[0]
    assert pa.parquet.read_metadata(predictions).num_rows == n_rows
