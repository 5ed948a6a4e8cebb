"""Tables as they are, and what `fit`, `predict` and `info` say about them."""

from types import SimpleNamespace

import numpy as np
import pytest
from cli_tables import QUICK, ROLES, write_rows

import marginboost
from marginboost.cli.algorithms import classifiers, find_classifier
from marginboost.cli.columns import numbers_rows
from marginboost.cli.quality import weaknesses


def headless(path, n=40):
    rng = np.random.default_rng(0)
    rows = [
        [round(float(x), 3), kind, "yes" if x > 0 else "no"]
        for x, kind in zip(rng.normal(size=n), rng.choice(["a", "b"], n).tolist(), strict=True)
    ]
    return write_rows(path, rows[0], rows[1:])


def test_a_table_without_header(run, tmp_path):
    table, out = headless(tmp_path / "t.csv"), tmp_path / "m.json"
    found = run("fit", table, "--no-header", "--label", "3", *QUICK, "--out", out, "--json")
    assert found.json["data"]["rows"] == 40
    assert marginboost.load(out).feature_names_in_.tolist() == ["1", "2"]
    assert run("predict", out, table, "--no-header", "--label", "3", "--json").json["rows"] == 40
    broken = tmp_path / "b.csv"
    broken.write_text("1.5,2\n1,x\n3,4\n5,6\n7,8\n")
    error = run("fit", broken, "--no-header", "--label", "1", "--out", out)
    assert "column '2', row 2 (line 2): 'x' is not a finite number" in error.err


def test_a_first_line_of_values_gets_a_hint(run, tmp_path):
    table = headless(tmp_path / "t.csv")
    found = run("info", table)
    assert "the first line looks like a row, not like names of columns" in found.err
    assert "--no-header" in found.err
    assert found.code == 0
    twice = tmp_path / "twice.csv"
    twice.write_text("0.5,0.5,1\n0.1,0.2,0\n0.3,0.1,1\n")
    refused = run("info", twice)
    assert "names must differ; is the first line a row? --no-header" in refused.err
    years = tmp_path / "years.csv"
    years.write_text("city,2019,2020\nBern,1,2\nOslo,3,4\n")
    assert run("info", years).err == ""


def test_numbers_of_rows_are_warned_of(run, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    rows = [[1000 + 2 * i, round(v, 3), int(v > 0)] for i, v in enumerate(x.tolist())]
    table, out = write_rows(tmp_path / "t.csv", ["person", "x", "y"], rows), tmp_path / "m.json"
    found = run("fit", table, "--label", "y", *QUICK, "--out", out)
    assert "column 'person' has a different whole number in every row" in found.err
    assert "--id person or --drop person" in found.err
    quiet = run("fit", table, "--label", "y", "--id", "person", *QUICK, "--out", out)
    assert "person" not in quiet.err


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        (np.arange(100.0)[::-1], "x", True),
        (np.random.default_rng(0).permutation(100).astype(float), "x", True),
        (np.random.default_rng(0).permutation(100) * 977.0, "x", False),
        (np.random.default_rng(0).permutation(100) * 977.0, "patient_id", True),
        (np.arange(100.0) + 0.5, "id", False),
        (np.arange(100.0) % 50, "id", False),
        (np.arange(20.0), "id", False),
        (np.append(np.arange(99.0), np.nan), "id", False),
    ],
)
def test_what_numbers_rows(values, name, expected):
    assert numbers_rows(values, name) is expected


def test_fit_says_how_good_the_model_is_beside_the_base_rate(table, run, tmp_path):
    found = run("fit", table, *ROLES, *QUICK, "--out", tmp_path / "m.json")
    assert "On rows not learnt from (2 folds): error " in found.out
    assert "where the most frequent class alone has" in found.out
    assert "AUC " in found.out
    none = run("fit", table, *ROLES, *QUICK, "--folds", "0", "--out", tmp_path / "m.json")
    assert "On rows not learnt from" not in none.out


def test_a_model_that_learnt_nothing_gets_a_warning(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        [round(float(v), 3), f"c{k}"]
        for v, k in zip(rng.normal(size=200), rng.integers(0, 20, 200).tolist(), strict=True)
    ]
    table, out = write_rows(tmp_path / "t.csv", ["x", "y"], rows), tmp_path / "m.json"
    options = ("--algorithm", "lpboost", "--nu", "0.3", "--rounds", "5", "--out", out)
    found = run("fit", table, "--label", "y", "--folds", "0", *options)
    assert found.code == 0
    assert "the same class" in found.err or "hardly less than the most frequent class" in found.err
    assert "nu=0.3 is more than twice the share of the rarest class" in found.err
    assert "Use a smaller nu, below" in found.err


def test_who_ranks_rare_rows_well_gets_no_warning():
    labels = np.arange(100) % 10 == 0
    learnt = SimpleNamespace(predict=lambda X: labels, get_params=lambda deep: {})
    estimate = {"error": 0.095, "base_error": 0.1, "auc": 0.8}
    assert weaknesses(learnt, None, labels, None, estimate) == []
    (told,) = weaknesses(learnt, None, labels, None, {**estimate, "auc": 0.6})
    assert "hardly less than the most frequent class alone (10.0%)" in told


def test_rows_learnt_by_heart_get_a_warning(run, tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)).round(3).tolist(), rng.integers(0, 2, 60).tolist()
    rows = [[*row, label] for row, label in zip(x, y, strict=True)]
    table = write_rows(tmp_path / "t.csv", ["a", "b", "c", "y"], rows)
    options = ("--algorithm", "adaboost", "--depth", "3", "--rounds", "30")
    found = run("fit", table, "--label", "y", *options, "--out", tmp_path / "m.json")
    assert "on rows not learnt from the model errs on" in found.err
    assert 'label y: "0" ' in found.out


def test_rare_categories_of_folds_are_nobodys_business(run, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    rows = [[v, "rare" if i == 3 else "ab"[i % 2], int(v > 0)] for i, v in enumerate(x.tolist())]
    table = write_rows(tmp_path / "t.csv", ["x", "kind", "y"], rows)
    found = run("fit", table, "--label", "y", *QUICK, "--out", tmp_path / "m.json")
    assert "not seen in fit" not in found.err


def test_predict_takes_a_table_that_still_has_its_label(table, model_file, run):
    plain = run("predict", model_file, table, "--id", "name")
    assert "does not use 2 of the columns ('weight', 'answer')" in plain.err
    quiet = run(
        "predict", model_file, table, "--id", "name", "--label", "answer", "--drop", "weight"
    )
    assert quiet.err == ""
    assert quiet.out == plain.out


@pytest.mark.parametrize(
    ("algorithm", "depth"),
    [("adaboost", 2), ("gradient-boost", 1), ("softmax-boost", 1), ("adaboost-m1", 2)],
)
def test_depth_is_honoured(table, run, tmp_path, algorithm, depth):
    out = tmp_path / "m.json"
    options = ("--algorithm", algorithm, "--rounds", "3", "--depth", depth, "--folds", "0")
    assert run("fit", table, *ROLES, *options, "--out", out).code == 0
    trees = [
        tree
        for member in marginboost.load(out).estimators_
        for tree in getattr(member, "trees", [getattr(member, "tree", member)])
    ]
    assert max(tree.depth for tree in trees) == depth


def test_depth_of_less_than_one_is_refused(table, run, tmp_path):
    found = run("fit", table, *ROLES, *QUICK, "--depth", "0", "--out", tmp_path / "m.json")
    assert found.code == 2
    assert "--depth: got 0, expected an integer of at least 1" in found.err


def test_info_describes_an_algorithm(run):
    shown = run("info", "lpboost").out
    assert "lpboost, for --label (LPBoostClassifier in Python)" in shown
    assert "Soft-margin boosting with a certificate" in shown
    assert "solved to a certified gap" in shown
    assert "nu " in shown
    assert "for --target (LPBoostRegressor in Python)" in shown
    (entry,) = run("info", "Arc-GV", "--json").json["described"]
    assert entry["name"] == "arc-gv"
    assert entry["settings"]["n_estimators"] == marginboost.ArcGVClassifier().n_estimators
    assert run("info", "no-such-thing").code == 3


def test_no_name_says_classifier():
    names = list(classifiers())
    assert not [name for name in names if "classifier" in name]
    assert {"lpboost-cv", "adaboost-reg-cv", "barrier-boost-cv", "p-boost-cv"} <= set(names)
    for spelling in ("LPBoostClassifierCV", "lpboostcv", "lpboostclassifiercv", "LPBoost-CV"):
        assert find_classifier(spelling)[0] == "lpboost-cv"


def test_lists_in_messages_are_whole(model_file, run, tmp_path):
    columns = [f"column{j}" for j in range(40)]
    table = write_rows(tmp_path / "t.csv", columns, [list(range(40)), list(range(40))])
    found = run("fit", table, "--label", "zzz", "--out", tmp_path / "m.json")
    assert all(f"'{name}'" in found.err for name in columns)
    assert "…" not in found.err
    lacking = run("predict", model_file, table)
    assert "'size', 'dose', 'kind'" in lacking.err


def test_certify_does_not_read_like_a_crash(table, model_file, run):
    found = run("certify", model_file, table, *ROLES)
    assert "are 0 or less: these rows are misclassified" in found.out
