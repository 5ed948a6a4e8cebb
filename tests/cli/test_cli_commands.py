"""Commands, run in this process: what they answer, and what they refuse."""

import csv
import io
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from cli_tables import QUICK, ROLES, toy_rows, write_rows
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

import marginboost
from marginboost.cli import compare
from marginboost.cli.algorithms import classifiers, find_classifier, parse_setting
from marginboost.cli.commands import COMMANDS
from marginboost.cli.dialect import MISSING
from marginboost.cli.errors import Exit, UsageError
from marginboost.cli.main import main, make_parser
from marginboost.cli.output import as_json, guard, sparkline, visible
from marginboost.estimators.classifier import BaseMarginClassifier


def frame(path):
    """The features of a file of this module's kind, as pandas reads them."""
    found = pd.read_csv(path)
    X = found[["size", "dose", "kind"]].astype({"kind": "category"})
    return X, found["answer"].to_numpy(dtype=str)


# -- fit -------------------------------------------------------------------------------------------


def test_fit_makes_the_model_that_python_makes(table, model_file):
    X, y = frame(table)
    expected = marginboost.AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    found = marginboost.load(model_file)
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert found.feature_names_in_.tolist() == ["size", "dose", "kind"]


def test_fit_answers_with_facts(table, run, tmp_path):
    out = tmp_path / "m.json.gz"
    answer = run("fit", table, *ROLES, *QUICK, "--out", out, "--json").json
    X, y = frame(table)
    model = marginboost.load(out)
    assert answer["ok"]
    assert answer["warnings"] == []
    assert answer["data"]["classes"] == {
        "sick": int(sum(y == "sick")),
        "well": int(sum(y == "well")),
    }
    assert answer["data"]["missing_values"] == int(X.isna().sum().sum()) > 0
    assert (answer["data"]["numeric"], answer["data"]["categorical"]) == (2, 1)
    assert answer["training_error"] == pytest.approx(np.mean(model.predict(X) != y))
    (problem,) = answer["model"]["problems"]
    assert problem["certificate"]["lower"] == model.certificate_.lower
    assert problem["hypotheses"] == len(model.estimators_)
    assert sum(answer["model"]["importances"].values()) == pytest.approx(1)
    assert out.read_bytes()[:2] == b"\x1f\x8b"
    assert answer["bytes"] == out.stat().st_size


def test_fit_with_weights_is_fit_with_copies(run, tmp_path):
    header, rows = toy_rows(60)
    weighted = write_rows(tmp_path / "w.csv", header, rows)
    copied = write_rows(tmp_path / "c.csv", header, [row for row in rows for _ in range(row[4])])
    roles = ("--label", "answer", "--id", "name")
    first, second = tmp_path / "w.json", tmp_path / "c.json"
    assert run("fit", weighted, *roles, "--weight", "weight", *QUICK, "--out", first).code == 0
    assert run("fit", copied, *roles, "--drop", "weight", *QUICK, "--out", second).code == 0
    X, _ = frame(weighted)
    votes = [marginboost.load(path).decision_function(X) for path in (first, second)]
    np.testing.assert_allclose(*votes, atol=1e-9)


def test_fit_prints_a_summary(table, run, tmp_path):
    found = run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m.json")
    assert "80 rows, 3 features (2 numeric, 1 categorical, 9 missing values)" in found.out
    assert "AdaBoostClassifier (n_estimators=20, random_state=0)" in found.out
    assert "best possible" in found.out
    assert "Wrote " in found.out
    assert found.err == ""
    assert "\x1b" not in found.out


@pytest.mark.parametrize(
    ("algorithm", "words"), [("softmax-boost", "loss saved"), ("lpboost", "soft margin")]
)
def test_fit_says_what_its_numbers_are(table, run, tmp_path, algorithm, words):
    options = ("--algorithm", algorithm, "--rounds", "3", "--out", tmp_path / "m.json")
    answer = run("fit", table, *ROLES, *options)
    assert re.search(rf"^{words} +-?[0-9]", answer.out, re.MULTILINE)


def test_settings_reach_the_algorithm(table, run, tmp_path):
    out = tmp_path / "m.json"
    options = ("--nu", "0.2", "--tol", "0.01", "--rounds", "7", "--seed", "3", "--jobs", "1")
    more = ("--param", "max_bins=none", "--param", "solver=simplex")
    assert run("fit", table, *ROLES, "--out", out, *options, *more).code == 0
    model = marginboost.load(out)
    assert type(model).__name__ == "LPBoostClassifier"
    assert (model.nu, model.tol, model.n_estimators, model.random_state) == (0.2, 0.01, 7, 3)
    assert (model.max_bins, model.solver, model.n_jobs) == (None, "simplex", 1)


def test_without_settings_the_robust_model_says_how_good_it_is(table, run, tmp_path):
    out = tmp_path / "m.json"
    found = run("fit", table, *ROLES, "--jobs", "1", "--out", out)
    assert found.code == 0
    assert type(marginboost.load(out)).__name__ == "RobustBoostClassifier"
    number = r"([0-9.]+)"
    said = re.search(
        rf"not learnt from \(2 folds\): error {number}%.* alone has {number}%; AUC {number}",
        found.out.replace("\n", " "),
    )
    assert said
    error, base, area = map(float, said.groups())
    assert 0 <= error <= 100
    assert 0 < base < 100
    assert 0 <= area <= 1
    assert "Certified: " in found.out
    said = found.out.replace("\n", " ")
    who = r"(committee|soft-margin) \([^)]+\)"
    assert re.search(rf" Chosen: {who}: [^:]+ by {number} standard errors", said)


def test_what_was_chosen_and_why(table, run, tmp_path):
    fit = ("fit", table, *ROLES, "--out", tmp_path / "m.json", "--folds", "0", "--jobs", "1")
    robust = ("--algorithm", "robustboost", "--param", "cv=2", "--param", "model=committee")
    chosen = r"committee \(gradient trees \d+ %[^:]*\): asked for"
    assert re.search(rf"^Chosen: {chosen}\.$", run(*fit, *robust).out, re.MULTILINE)
    assert re.fullmatch(chosen, run(*fit, *robust, "--json").json["chosen"])
    assert "Chosen" not in run(*fit, *QUICK).out
    assert run(*fit, *QUICK, "--json").json["chosen"] == ""


def test_folds_can_be_asked_for_and_left_out(table, run, tmp_path):
    fit = ("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m.json", "--json")
    assert json.loads(run(*fit, "--folds", "0").out)["out_of_fold"] is None
    asked = json.loads(run(*fit, "--folds", "3").out)["out_of_fold"]
    assert asked["folds"] == 3
    assert 0 <= asked["error"] <= 1


def test_a_nearly_constant_model_is_told(run, tmp_path):
    rows = [f"{i % 7},{'yes' if i % 10 == 0 else 'no'}" for i in range(100)]
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["a,answer", *rows]) + "\n")
    found = run("fit", path, "--label", "answer", "--nu", "0.5", "--out", tmp_path / "m.json")
    assert found.code == 0
    assert "nearly all rows the same class" in found.err


def test_trees(table, run, tmp_path):
    out = tmp_path / "m.json"
    assert run("fit", table, *ROLES, *QUICK, "--depth", "2", "--out", out).code == 0
    assert marginboost.load(out).estimator.max_depth == 2
    shares = run("explain", out)
    assert shares.code == 0
    assert "explained on rows: give a data file too" in shares.out
    assert run("explain", out, "--json").json["problems"] == []
    for wanted in (("--feature", "size"), ("--out", tmp_path / "page.html")):
        refused = run("explain", out, *wanted)
        assert refused.code == 4
        assert "trees are explained on rows; give a data file too" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--algorithm", "adabost"], "unknown algorithm 'adabost'; did you mean 'adaboost'"),
        (["--algorithm", "svm"], "known are 'adaboost', "),
        (["--nu", "1.5"], "lpboost: nu: got 1.5, expected a number above 0 and at most 1"),
        (["--nu", "much"], "lpboost: nu: got 'much', expected a number above 0 and at most 1"),
        (["--algorithm", "adaboost", "--nu", "0.1"], "adaboost has no setting 'nu'; "),
        (
            ["--algorithm", "lpboost", "--param", "sover=simplex"],
            "lpboost has no setting 'sover'; did you mean 'solver'?",
        ),
        (
            ["--algorithm", "lpboost", "--param", "callbacks=1"],
            "lpboost has no setting 'callbacks'",
        ),
        (["--param", "solver"], "got 'solver', expected name=value"),
        (["--rounds", "0"], "n_estimators: got 0, expected an integer at least 1"),
        (["--depth", "0"], "--depth: got 0, expected an integer of at least 1"),
        (["--jobs", "0"], "n_jobs: got 0"),
        (["--delimiter", "ab"], "--delimiter: got 'ab', expected one character, or tab"),
        (["--decimal", "!"], "--decimal: got '!', expected . or ,"),
        (["--not-missing", "x"], "--not-missing: 'x' does not mean missing anyway"),
    ],
)
def test_bad_settings_of_fit(table, run, tmp_path, options, message):
    out = tmp_path / "m.json"
    found = run("fit", table, *ROLES, "--out", out, *options)
    assert found.code == 2
    assert message in found.err
    assert found.out == ""
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, ["--label", "anser"], "no column 'anser' (--label); did you mean 'answer'?"),
        ({}, ["--label", "answer", "--id", "nix"], "no column 'nix' (--id)"),
        ({}, ["--label", "answer", "--drop", "nix"], "no column 'nix' (--drop)"),
        ({}, ["--label", "answer", "--categorical", "nix"], "no column 'nix' (--categorical)"),
        ({}, ["--label", "name"], "column 'name': 80 different labels in 80 rows ('p0', 'p1', 'p1"),
        ({}, ["--label", "size"], "quantities or names, expected classes"),
        ({(3, 5): ""}, ["--label", "answer"], "column 'answer', row 4 (line 5): 1 of 80 rows have"),
        ({(3, 1): "big"}, ["--label", "answer"], "column 'size', row 4 (line 5): 'big' is not a"),
        ({(3, 4): -1}, ["--label", "answer", "--weight", "weight"], "row 4 (line 5): weight '-1'"),
    ],
)
def test_bad_data(run, tmp_path, change, options, message):
    header, rows = toy_rows()
    for (i, j), value in change.items():
        rows[i][j] = value
    path = write_rows(tmp_path / "bad.csv", header, rows)
    found = run("fit", path, *options, "--out", tmp_path / "m.json")
    assert found.code == 3
    assert message in found.err
    assert not (tmp_path / "m.json").exists()


def test_columns_without_a_name_or_without_any_feature(run, tmp_path):
    path = write_rows(tmp_path / "i.csv", ["", "x", "y"], [[i, i % 3, i % 2] for i in range(12)])
    out = ("--out", tmp_path / "m.json")
    found = run("fit", path, "--label", "y", *out)
    assert found.code == 3
    assert "column 1 has no name: a saved row index? Leave it out with --drop ''" in found.err
    assert run("fit", path, "--label", "y", "--drop", "", *QUICK, *out).code == 0
    found = run("fit", path, "--label", "y", "--drop", "", "--drop", "x", *out)
    assert "no column is left to learn from" in found.err


def test_missing_markers_can_be_changed(run, tmp_path):
    rows = [[i % 5 if i % 4 else -999, "NA" if i % 2 else "none of it"] for i in range(24)]
    path = write_rows(tmp_path / "t.csv", ["x", "y"], rows)
    out = tmp_path / "m.json"
    refused = run("fit", path, "--label", "y", *QUICK, "--out", out)
    assert "--not-missing TEXT" in refused.err
    options = ("--missing", "-999", "--not-missing", "NA")
    answer = run("fit", path, "--label", "y", *QUICK, "--out", out, *options, "--json").json
    assert answer["data"]["missing_values"] == 6
    assert answer["data"]["classes"] == {"NA": 12, "none of it": 12}


def test_output_that_cannot_be_written_is_told_before_the_work(table, run, tmp_path):
    found = run("fit", table, *ROLES, "--out", tmp_path / "no" / "m.json")
    assert found.code == 6
    assert "there is no folder 'no'" in found.err
    found = run("fit", table, *ROLES, "--out", tmp_path)
    assert found.code == 6
    assert "a folder, expected the name of a file" in found.err


def test_a_checkpoint_of_another_run_is_refused(table, run, tmp_path):
    (tmp_path / "run.json").write_text("{}")
    options = ("--out", tmp_path / "m.json", "--checkpoint", tmp_path / "run.json")
    found = run("fit", table, *ROLES, *QUICK, *options)
    assert found.code == 3
    assert "not a checkpoint file" in found.err


# -- predict ---------------------------------------------------------------------------------------


def test_predictions_are_those_of_the_model(table, model_file, run):
    found = run("predict", model_file, table, "--id", "name")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    model, (X, _) = marginboost.load(model_file), frame(table)
    assert list(rows[0]) == ["name", "prediction", "vote", "P(sick)", "P(well)"]
    assert [row["name"] for row in rows] == [f"p{i}" for i in range(80)]
    assert [row["prediction"] for row in rows] == model.predict(X).tolist()
    assert [float(row["vote"]) for row in rows] == model.decision_function(X).tolist()
    shares = [[float(row["P(sick)"]), float(row["P(well)"])] for row in rows]
    np.testing.assert_array_equal(shares, model.predict_proba(X))


def test_names_of_rows_of_any_type(table, model_file, run, tmp_path):
    dates = pd.date_range("2020-01-01", periods=80)
    typed = pd.read_csv(table).astype({"kind": "category"}).assign(day=dates)
    typed.to_parquet(tmp_path / "t.parquet")
    answer = run("predict", model_file, tmp_path / "t.parquet", "--id", "day", "--json").json
    assert answer["predictions"]["day"][0].startswith("2020-01-01")
    expected = run("predict", model_file, table, "--json").json
    assert answer["predictions"]["vote"] == expected["predictions"]["vote"]
    typed.rename(columns={"day": "vote"}).to_parquet(tmp_path / "t.parquet")
    refused = run("predict", model_file, tmp_path / "t.parquet", "--id", "vote")
    assert refused.code == 2
    assert "--id: the output has a column 'vote' of its own" in refused.err


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet", ".arrow"])
def test_predictions_in_a_file(table, model_file, run, tmp_path, suffix):
    out = tmp_path / f"predictions{suffix}"
    found = run("predict", model_file, table, "--out", out)
    assert found.code == 0
    assert "80 rows: sick " in found.out
    if suffix == ".parquet":
        columns = pa.parquet.read_table(out).to_pydict()
    elif suffix == ".arrow":
        columns = pa.feather.read_table(out).to_pydict()
    else:
        columns = pd.read_csv(out, sep="\t" if suffix == ".tsv" else ",").to_dict("list")
    model, (X, _) = marginboost.load(model_file), frame(table)
    assert columns["row"] == list(range(1, 81))
    assert columns["prediction"] == model.predict(X).tolist()
    assert columns["vote"] == model.decision_function(X).tolist()


def test_columns_are_found_by_name(model_file, run, tmp_path):
    header, rows = toy_rows()
    other = ["kind", "extra", "size", "dose"]
    moved = [[row[3], "e", row[1], row[2]] for row in rows]
    path = write_rows(tmp_path / "moved.csv", other, moved)
    straight = write_rows(tmp_path / "straight.csv", header, rows)
    found = run("predict", model_file, path, "--json")
    expected = run("predict", model_file, straight, "--json")
    assert found.json["predictions"] == expected.json["predictions"]
    assert found.json["warnings"] == [f"{path}: the model does not use 1 of the columns ('extra')"]


def test_columns_that_the_model_needs(model_file, run, tmp_path):
    header, rows = toy_rows()
    path = write_rows(tmp_path / "t.csv", ["Size", *header[2:4]], [row[1:4] for row in rows])
    found = run("predict", model_file, path)
    assert found.code == 3
    assert "no column 'size', which the model needs; did you mean 'Size'?" in found.err
    path = write_rows(tmp_path / "t.csv", ["a"], [[1], [2]])
    assert "no column 'size', 'dose', 'kind', which" in run("predict", model_file, path).err


def test_values_that_the_model_does_not_know(model_file, run, tmp_path):
    header, rows = toy_rows()
    rows[2][3], rows[7][3] = "purple", ""
    path = write_rows(tmp_path / "t.csv", header, rows)
    found = run("predict", model_file, path, "--json").json
    assert any(
        "column 'kind': 1 rows hold categories that the model has not seen ('purple' in row 3"
        in warning
        for warning in found["warnings"]
    )
    X, _ = frame(path)
    X["kind"] = X["kind"].cat.remove_categories("purple")
    expected = marginboost.load(model_file).decision_function(X)
    assert found["predictions"]["vote"] == expected.tolist()
    rows[5][1] = "huge"
    path = write_rows(tmp_path / "t.csv", header, rows)
    refused = run("predict", model_file, path)
    assert refused.code == 3
    assert "column 'size', row 6 (line 7): 'huge' is not a finite number" in refused.err


def test_a_model_fitted_in_python(run, tmp_path):
    """Categories that are numbers, labels that are bools, and a model without column names."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": pd.Categorical(rng.integers(3, size=60)), "v": rng.normal(size=60)})
    y = (X["k"].to_numpy() == 1) ^ (X["v"].to_numpy() > 0.5)
    model = marginboost.AdaBoostClassifier(n_estimators=30).fit(X, y)
    model.save(tmp_path / "m.json")
    data = X.assign(y=y)
    data.to_csv(tmp_path / "t.csv", index=False)
    found = run("predict", tmp_path / "m.json", tmp_path / "t.csv", "--json").json
    assert found["predictions"]["vote"] == model.decision_function(X).tolist()
    checked = run("certify", tmp_path / "m.json", tmp_path / "t.csv", "--label", "y", "--json")
    (problem,) = checked.json["problems"]
    assert problem["recomputed"]["value"] == pytest.approx(model.margins_.min())

    plain = marginboost.AdaBoostClassifier(n_estimators=5).fit(X[["v"]].to_numpy(), y)
    plain.save(tmp_path / "p.json")
    X[["v"]].to_csv(tmp_path / "v.csv", index=False)
    found = run("predict", tmp_path / "p.json", tmp_path / "v.csv", "--json").json
    assert found["predictions"]["vote"] == plain.decision_function(X[["v"]].to_numpy()).tolist()
    refused = run("predict", tmp_path / "p.json", tmp_path / "t.csv")
    assert "3 columns, but the model was fitted on 1 without names" in refused.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("{", "not valid JSON"),
        ("a,b\n1,2\n", "not valid JSON"),
        ('{"format": "other", "version": 1}', "format: got 'other'"),
    ],
)
def test_bad_model_files(table, run, tmp_path, content, message):
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content)
    for command in (["predict"], ["explain"], ["certify"], ["info"]):
        data = [] if command[0] in ("explain", "info") else [table]
        label = ["--label", "answer"] if command == ["certify"] else []
        found = run(*command, path, *data, *label)
        assert found.code == 4
        assert message in found.err
        assert found.out == ""


def test_cells_that_a_spreadsheet_would_run(run, tmp_path):
    """Names and labels that begin like a formula are quoted; numbers and single signs are not."""
    rows = [[f"=cmd{i}" if i else "-7", i % 5, "+" if i % 5 > 2 else "@SUM(A1)"] for i in range(20)]
    path = write_rows(tmp_path / "t.csv", ["id", "x", "y"], rows)
    out = tmp_path / "m.json"
    assert run("fit", path, "--label", "y", "--id", "id", *QUICK, "--out", out).code == 0
    text = run("predict", out, path, "--id", "id").out
    found = list(csv.reader(io.StringIO(text)))
    assert found[0][0] == "id"
    assert found[1][0] == "-7"
    assert found[2][0] == "'=cmd1"
    assert {row[1] for row in found[1:]} == {"+", "'@SUM(A1)"}
    assert all(float(row[2]) <= 1 for row in found[1:])
    answer = run("predict", out, path, "--id", "id", "--json").json
    assert answer["predictions"]["id"][1] == "=cmd1"  # machines get what was there


@pytest.mark.parametrize("cell", ["=1+1", "+A1", "-A1", "@x", "\tx", "\r=1", "--1", "-1e"])
def test_guarded_cells(cell):
    assert guard(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["-1", "+1.5e3", "-", "+", "a=1", "", 3, -2.5, None])
def test_harmless_cells(cell):
    assert guard(cell) is cell


# -- several classes -------------------------------------------------------------------------------

CLASSES = ("--label", "kind", "--id", "name", "--drop", "weight")


def test_several_classes(table, run, tmp_path):
    """One problem per class: votes, explanations and certificates for each."""
    out = tmp_path / "m.json"
    assert "class against others" in run("fit", table, *CLASSES, *QUICK, "--out", out).out
    answer = run("fit", table, *CLASSES, *QUICK, "--out", out, "--json").json
    problems = answer["model"]["problems"]
    assert [problem["name"] for problem in problems] == ["blue", "green", "red"]
    assert problems[0]["sides"] == ["the other classes", "blue"]
    model = marginboost.load(out)
    assert problems[2]["certificate"]["upper"] == model.certificate_[2].upper

    data = pd.read_csv(table)
    X = data[["size", "dose", "answer"]].astype({"answer": "category"})
    predicted = run("predict", out, table, "--json").json["predictions"]
    assert predicted["prediction"] == model.predict(X).tolist()
    assert predicted["vote(green)"] == model.decision_function(X)[:, 1].tolist()

    parts = run("explain", out, table, "--row", "2", "--json").json["problems"]
    for part, problem in zip(parts, model.problems_, strict=True):
        total = sum(term["contribution"] for term in part["rows"][0]["contributions"])
        assert total + part["intercept"] == pytest.approx(problem.decision_function(X)[1], abs=1e-9)
    shown = run("explain", out).out
    assert "red against the other classes" in shown
    assert "the class with the largest vote is predicted" in shown

    checked = run("certify", out, table, "--label", "kind")
    assert checked.code == 0
    assert checked.out.count("The certificate holds on these rows") == 3


def test_several_classes_side_by_side(table, run):
    options = ("--algorithms", "adaboost", "--cv", "2", "--rounds", "5")
    answer = run("compare", table, *CLASSES, *options, "--json").json
    assert 0 <= answer["algorithms"][0]["auc"]["mean"] <= 1
    assert len(answer["data"]["classes"]) == 3


# -- explain ---------------------------------------------------------------------------------------


def test_shapes_add_up_to_the_vote(table, model_file, run):
    answer = run("explain", model_file, "--json").json
    X, _ = frame(table)
    votes = np.full(len(X), answer["problems"][0]["intercept"])
    for shape in answer["problems"][0]["shapes"]:
        values = X[shape["feature"]]
        if "categories" in shape:
            known = dict(zip(shape["categories"], shape["levels"], strict=True))
            votes += [known.get(value, shape["missing"]) for value in values]
        else:
            place = np.searchsorted(shape["thresholds"], values.to_numpy(), side="left")
            levels = np.array([*shape["levels"], np.nan])[place.clip(0, len(shape["levels"]))]
            votes += np.where(values.isna(), shape["missing"], levels)
    np.testing.assert_allclose(votes, marginboost.load(model_file).decision_function(X), atol=1e-9)


def test_contributions_of_rows(table, model_file, run):
    X, _ = frame(table)
    model = marginboost.load(model_file)
    answer = run("explain", model_file, table, "--row", "5", "--row", "1", "--json").json
    found = answer["problems"][0]["rows"]
    for row, entry in zip([4, 0], found, strict=True):
        assert entry["row"] == row + 1
        assert entry["vote"] == pytest.approx(model.decision_function(X)[row], abs=1e-12)
        total = sum(part["contribution"] for part in entry["contributions"])
        assert total + entry["intercept"] == pytest.approx(entry["vote"], abs=1e-9)
    values = {part["feature"]: part["value"] for part in found[0]["contributions"]}
    assert values["dose"] is None
    by_name = run("explain", model_file, table, "--id", "name", "--row", "p4", "--json").json
    assert by_name["problems"][0]["rows"][0]["vote"] == found[0]["vote"]
    shown = run("explain", model_file, table, "--row", "5").out
    assert f"row 5: vote {found[0]['vote']:+.4f}" in shown
    assert "missing" in shown


def test_explanations_for_people(model_file, run):
    shown = run("explain", model_file).out
    assert "below 0 for sick, above 0 for well" in shown
    assert all(name in shown for name in ("size", "kind", "red"))
    shown = run("explain", model_file, "--feature", "size", "--feature", "kind").out
    assert "x ≤ " in shown
    assert "x > " in shown
    assert "green" in shown


def test_importance_is_one_number_in_fit_explain_and_python(table, model_file, run):
    model = marginboost.load(model_file)
    shares = dict(zip(model.feature_names_in_, model.feature_importances_.tolist(), strict=True))
    answer = run("explain", model_file, "--json").json
    assert answer["importances"] == {n: s for n, s in shares.items() if s > 0}
    for shape in answer["problems"][0]["shapes"]:
        assert shape["importance"] == pytest.approx(shares[shape["feature"]])
    fitted = run("info", model_file, "--json").json["model"]["importances"]
    assert fitted == answer["importances"]


@pytest.fixture
def tree_file(table, run, tmp_path):
    out = tmp_path / "trees.json"
    settings = ("--algorithm", "gradient-boost", "--rounds", "10")
    assert run("fit", table, *ROLES, *settings, "--out", out).code == 0
    return out


def test_trees_are_explained_on_rows(table, tree_file, run):
    X, _ = frame(table)
    model = marginboost.load(tree_file)
    scores = model.model_.scores(model.__read_rows__(X))
    asked = ("explain", tree_file, table, "--id", "name", "--label", "answer")
    answer = run(*asked, "--row", "p4", "--json").json
    problem = answer["problems"][0]
    (row,) = problem["rows"]
    total = problem["intercept"] + sum(part["contribution"] for part in row["contributions"])
    assert total == pytest.approx(scores[4], abs=1e-9)
    assert row["vote"] == pytest.approx(scores[4], abs=1e-9)
    shapes = run(*asked, "--json").json["problems"][0]["shapes"]
    assert [shape["feature"] for shape in shapes] == list(answer["importances"])
    shown = run(*asked, "--feature", "kind")
    assert "green" in shown.out
    assert "are means here" in shown.out


def test_page_of_an_explanation(table, model_file, tree_file, run, tmp_path):
    for model, unit in ((model_file, "vote"), (tree_file, "score")):
        out = tmp_path / f"{unit}.html"
        found = run("explain", model, table, "--row", "p1", "--id", "name", "--out", out, "--json")
        page = out.read_text()
        assert f"Row 2 (p1): {unit} {found.json['problems'][0]['rows'][0]['vote']:+.4f}" in page
        assert f"mean {unit}" in page
        for name, share in list(found.json["importances"].items())[:3]:
            assert f"{name} ({share:.1%})" in page
        assert "green" in page
        assert "<script" not in page
        assert ("strip-of-rows" in page.partition("</style>")[2]) == (unit == "vote")
        assert ('class="dot"' in page) == (unit == "score")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--row", "1"], "to explain rows, give a data file and --row"),
        (["TABLE", "--row", "81"], "--row: got '81', expected a number from 1 to 80"),
        (["TABLE", "--row", "0"], "--row: got '0'"),
        (["TABLE", "--row", "p1"], "--row: got 'p1'"),
        (["TABLE", "--row", "q", "--id", "name"], "--row: no row with 'q' in column 'name'"),
        (["TABLE", "--row", "1", "--feature", "size"], "answer different questions"),
        (["--feature", "sise"], "--feature: no feature 'sise'; did you mean 'size'?"),
    ],
)
def test_bad_questions_to_explain(table, model_file, run, arguments, message):
    found = run("explain", model_file, *(table if a == "TABLE" else a for a in arguments))
    assert found.code == 2
    assert message in found.err


# -- info ------------------------------------------------------------------------------------------


def test_info_about_data(table, run):
    answer = run("info", table, "--label", "answer", "--json").json
    found = {column["name"]: column for column in answer["columns"]}
    X, y = frame(table)
    assert answer["rows"] == 80
    assert found["size"]["type"] == "number"
    assert found["size"]["mean"] == pytest.approx(X["size"].mean())
    assert found["dose"]["missing"] == 9
    assert found["dose"]["distinct"] == X["dose"].nunique()
    assert found["kind"]["type"] == "category"
    assert found["kind"]["most_frequent"] == X["kind"].value_counts().to_dict()
    assert sorted(answer["classes"].values()) == sorted(
        np.unique(y, return_counts=True)[1].tolist()
    )
    shown = run("info", table, "--label", "answer").out
    assert "80 rows, 6 columns" in shown
    assert "category" in shown


def test_info_shows_a_column_that_needs_a_decision(run, tmp_path):
    path = write_rows(tmp_path / "t.csv", ["x", "y"], [[1, "a"], ["two", "a"], [3, "b"]])
    found = run("info", path)
    assert found.code == 0
    assert "mixed" in found.out
    assert "column 'x', row 2 (line 3): 'two' is not a finite number" in found.out


def test_info_about_a_model(model_file, run):
    answer = run("info", model_file, "--json").json
    model = marginboost.load(model_file)
    assert answer["model"]["estimator"] == "AdaBoostClassifier"
    assert answer["model"]["classes"] == ["sick", "well"]
    assert answer["model"]["problems"][0]["certificate"]["upper"] == model.certificate_.upper
    assert "ended by: rounds" in run("info", model_file).out


def test_info_lists_the_algorithms(run):
    answer = run("info", "--json").json
    assert {entry["class"] for entry in answer["algorithms"]} >= set(
        BaseMarginClassifier.__registry__
    )
    assert "lpboost" in run("info").out


# -- compare ---------------------------------------------------------------------------------------


def test_compare_is_a_paired_cross_validation(table, run):
    options = ("--algorithms", "adaboost,arc_gv:tol=0.05", "--cv", "3", "--repeats", "2")
    answer = run("compare", table, *ROLES, *options, "--rounds", "5", "--seed", "1", "--json").json
    X, y = frame(table)
    makers = {
        "adaboost": marginboost.AdaBoostClassifier(n_estimators=5, random_state=1),
        "arc_gv:tol=0.05": marginboost.ArcGVClassifier(n_estimators=5, tol=0.05, random_state=1),
    }
    folds = list(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1).split(X, y))
    errors = {}
    for entry in answer["algorithms"]:
        scores = []
        for train, test in folds:
            model = makers[entry["name"]].fit(X.iloc[train], y[train])
            scores.append(
                [
                    np.mean(model.predict(X.iloc[test]) != y[test]),
                    roc_auc_score(y[test], model.decision_function(X.iloc[test])),
                    log_loss(y[test], model.predict_proba(X.iloc[test])),
                ]
            )
        scores = np.array(scores)
        errors[entry["name"]] = scores[:, 0]
        for k, metric in enumerate(("error", "auc", "log_loss")):
            np.testing.assert_allclose(entry[metric]["folds"], scores[:, k], rtol=1e-9)
            assert entry[metric]["mean"] == pytest.approx(scores[:, k].mean())
            naive = scores[:, k].std(ddof=1) / math.sqrt(6)
            corrected = naive * math.sqrt(1 + 6 * (1 / 2))  # test rows are half as many
            assert entry[metric]["standard_error"] == pytest.approx(corrected)
        assert entry["seconds"]["mean"] > 0
    first, second = errors.values()
    difference = answer["algorithms"][1]["error_difference"]
    assert difference["mean"] == pytest.approx((second - first).mean())
    assert answer["algorithms"][0]["error_difference"]["mean"] == 0


@pytest.mark.parametrize(
    ("role", "first"), [("--label=answer", "robustboost"), ("--target=size", "gradientboost")]
)
def test_compare_begins_with_what_fit_takes(table, run, monkeypatch, role, first):
    def cross_validate(models, data, folds):
        metrics = compare.TARGET_METRICS if data.is_regression else compare.METRICS
        return {name: dict.fromkeys(metrics, [0.5] * len(folds)) for name in models}

    monkeypatch.setattr(compare, "_cross_validate", cross_validate)
    algorithms = run("compare", table, role, "--id=name", "--json").json["algorithms"]
    assert [entry["name"] for entry in algorithms][:1] == [first]
    assert len(algorithms) >= 3


def test_compare_for_people(table, run):
    options = ("--algorithms", "adaboost,bagged-vote", "--cv", "2", "--rounds", "3")
    shown = run("compare", table, *ROLES, *options).out
    assert "bagged-vote" in shown
    assert "±" in shown
    assert "error % - adaboost" in shown


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--label", "size"], 3, "quantities or names, expected classes"),
        (["--label", "answer", "--cv", "1"], 2, "expected at least 2 folds"),
        (["--label", "answer", "--cv", "60"], 3, "rows, too few for --cv 60"),
        (["--label", "answer", "--algorithms", "nix"], 2, "unknown algorithm 'nix'"),
        (["--label", "answer", "--algorithms", "lpboost:nu"], 2, "got 'nu', expected name=value"),
    ],
)
def test_bad_comparisons(table, run, options, code, message):
    found = run("compare", table, *options)
    assert found.code == code
    assert message in found.err


# -- names, numbers, signs -------------------------------------------------------------------------


def test_every_classifier_has_a_name():
    found = classifiers()
    assert set(found.values()) >= set(BaseMarginClassifier.__registry__.values())
    assert len(found) == len(set(found.values()))
    assert found["lpboost"] is marginboost.LPBoostClassifier
    for name in ("Arc-GV", "arc_gv", "arcgv", "ArcGVClassifier"):
        assert find_classifier(name) == ("arc-gv", marginboost.ArcGVClassifier)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", 1),
        ("a=0.5", 0.5),
        ("a=none", None),
        ("a=True", True),
        ("a=word", "word"),
        ("a='1'", "1"),
        ("a=[1, 2]", [1, 2]),
        ("a=b=c", "b=c"),
    ],
)
def test_settings(text, expected):
    assert parse_setting(text) == ("a", expected)


def test_nested_settings_are_text():
    assert parse_setting("nu=" + "(" * 100_000) == ("nu", "(" * 100_000)


def test_settings_need_a_name():
    with pytest.raises(UsageError, match="got '=1', expected name=value"):
        parse_setting("=1")


def test_json_has_no_nan():
    data = {"a": math.nan, "b": [math.inf, np.float64(1.5)], "c": np.arange(2), 3: "x"}
    assert json.loads(as_json(data)) == {"a": None, "b": [None, 1.5], "c": [0, 1], "3": "x"}


def test_names_cannot_upset_the_terminal(run, tmp_path):
    header = ["[bold]x[/bold]", "\x1b[31mred", "a\nb", ":smile:", "y"]
    path = write_rows(tmp_path / "t.csv", header, [[i % 5, i, i, i, i % 2] for i in range(20)])
    out = tmp_path / "m.json"
    found = run("fit", path, "--label", "y", *QUICK, "--out", out)
    assert found.code == 0
    assert "[bold]x[/bold]" in run("info", path).out
    for text in (found.out, run("explain", out).out, run("info", path).out):
        assert "\x1b" not in text
    assert "\\x1b[31mred" in run("info", path).out
    assert "a\\nb" in run("info", path).out
    assert ":smile:" in run("info", path).out


def test_visible_and_sparkline():
    assert visible("x" * 100, 10) == "x" * 9 + "…"
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert len(sparkline(list(range(1000)))) == 24
    assert sparkline(list(range(1000)))[0] + sparkline(list(range(1000)))[-1] == "▁█"


def test_help_of_every_command(capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit) as caught:
            main([command, "--help"])
        assert caught.value.code == 0
        text = capsys.readouterr().out
        assert "--json" in text
        others = set(COMMANDS) - {command}
        assert not any(f"    {name} " in make_parser(command).format_help() for name in others)
    assert all(name in make_parser().format_help() for name in COMMANDS)
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"marginboost {marginboost.__version__}\n"


def test_errors_for_machines(run, tmp_path):
    path = write_rows(tmp_path / "t.csv", ["x", "y"], [[1, "a"], ["two", "a"], [3, "b"]])
    found = run("fit", path, "--label", "y", "--out", tmp_path / "m.json", "--json")
    error = found.json["error"]
    assert not found.json["ok"]
    assert found.code == error["exit_code"] == 3
    assert (error["kind"], error["column"], error["row"], error["line"]) == ("data", "x", 2, 3)
    assert error["message"] in found.err


def test_packages_that_are_not_there(run, table, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    found = run("info", table)
    assert found.code == 7
    assert "pip install 'marginboost[cli]'" in found.err


# -- the documentation -----------------------------------------------------------------------------

DOCUMENT = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_documented_exit_codes_are_those_of_the_code():
    table = DOCUMENT.split("## Exit codes")[1]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, flags=re.MULTILINE)}
    assert documented == {1, *map(int, Exit)}


def test_documented_commands_parse():
    joined = DOCUMENT.replace("\\\n", " ")
    lines = re.findall(r"^marginboost (?!-)(.*)$", joined, flags=re.MULTILINE)
    assert len(lines) >= 8
    for line in lines:
        words = shlex.split(line)
        assert make_parser(words[0]).parse_args(words) == make_parser().parse_args(words)


def test_documented_missing_markers_are_those_of_the_code():
    words = re.search(r"Missing are the empty value and `([^`]*)`", DOCUMENT)[1]
    assert words.split() == list(MISSING[1:])


def test_shapes_of_categories_beyond_the_last_cut(run, tmp_path):
    """A stump on one category says the same of all others, those after it too."""
    kinds = [kind for kind in "abcdef" for _ in range(5)]
    table = write_rows(tmp_path / "t.csv", ["kind", "answer"], [[k, int(k == "d")] for k in kinds])
    out = tmp_path / "m.json"
    options = ("--label", "answer", "--algorithm", "lpboost", "--rounds", "1", "--out", out)
    assert run("fit", table, *options).code == 0
    (problem,) = run("explain", out, "--json").json["problems"]
    (shape,) = problem["shapes"]
    assert shape["categories"] == list("abcdef")
    levels = np.array(shape["levels"]) + problem["intercept"]
    np.testing.assert_allclose(levels, [-1.0, -1.0, -1.0, 1.0, -1.0, -1.0])
