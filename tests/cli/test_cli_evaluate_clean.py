"""The way from an audit to a model that is judged: clean and evaluate."""

import csv

import numpy as np
import pytest
from cli_tables import QUICK, ROLES, toy_rows, write_rows
from sklearn.metrics import log_loss, roc_auc_score

import marginboost
from marginboost.cli.decisions import COLUMNS
from marginboost.diagnostics.evaluation import evaluate


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def model(run, table, tmp_path):
    path = tmp_path / "model.json"
    assert run("fit", table, *ROLES, *QUICK, "--out", path).code == 0
    return path


@pytest.fixture
def fresh(tmp_path):
    return write_rows(tmp_path / "fresh.csv", *toy_rows(60, seed=9))


def test_scores_stand_beside_the_base_rate(run, model, fresh):
    found = run("evaluate", model, fresh, *ROLES, "--json").json
    labels = np.array([row["answer"] for row in rows_of(fresh)])
    share = (labels == "sick").mean()
    assert found["rows"] == 60
    assert found["classes"] == ["sick", "well"]
    assert found["base_rate"]["error"] == pytest.approx(min(share, 1 - share))
    assert found["base_rate"]["auc"] == 0.5
    assert found["base_rate"]["calibration_error"] == pytest.approx(0.0, abs=1e-12)
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    assert found["base_rate"]["log_loss"] == pytest.approx(entropy)
    assert found["scores"]["error"] < found["base_rate"]["error"]
    confusion = np.array(found["confusion"])
    assert confusion.sum() == 60
    assert 1 - np.trace(confusion) / 60 == pytest.approx(found["scores"]["error"])


def test_scores_are_those_of_scikit_learn(run, model, fresh, tmp_path):
    predicted = tmp_path / "p.csv"
    assert run("predict", model, fresh, "--out", predicted).code == 0
    said = np.array([float(row["P(well)"]) for row in rows_of(predicted)])
    well = np.array([row["answer"] == "well" for row in rows_of(fresh)])
    found = run("evaluate", model, fresh, *ROLES, "--json").json["scores"]
    assert found["auc"] == pytest.approx(roc_auc_score(well, said))
    assert found["log_loss"] == pytest.approx(log_loss(well, said))
    assert found["brier"] == pytest.approx(2 * np.mean((said - well) ** 2))


def test_people_get_a_table_and_a_page(run, model, fresh, tmp_path):
    page = tmp_path / "page.html"
    done = run("evaluate", model, fresh, *ROLES, "--out", page)
    assert done.code == 0
    assert "base rate" in done.out
    assert "as sick" in done.out
    text = page.read_text()
    assert text.count("<svg") == 2
    assert "<script" not in text
    assert "style=" not in text  # the policy admits one style sheet and nothing inside the tags
    assert text.count('class="curve blue"') == 2
    assert run("evaluate", model, fresh, *ROLES, "--out", model).code == 2


def test_text_of_the_data_is_never_markup(tmp_path, run):
    header, rows = toy_rows()
    hostile = [[*row[:-1], "<b>x</b>" if row[-1] == "sick" else "&amp;"] for row in rows]
    table = write_rows(tmp_path / "t.csv", header, hostile)
    model, page = tmp_path / "m.json", tmp_path / "p.html"
    assert run("fit", table, *ROLES, *QUICK, "--out", model).code == 0
    assert run("evaluate", model, table, *ROLES, "--out", page).code == 0
    assert "<b>x</b>" not in page.read_text()
    assert "&lt;b&gt;x&lt;/b&gt;" in page.read_text()


def test_a_nearly_constant_model_is_called_so(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[float(rng.normal()), "rare" if i % 40 == 0 else "common"] for i in range(200)]
    table = write_rows(tmp_path / "t.csv", ["x", "y"], rows)
    model = tmp_path / "m.json"
    fitted = run("fit", table, "--label", "y", "--algorithm", "adaboost", "--rounds", "1",
                 "--out", model)  # fmt: skip
    assert fitted.code == 0
    done = run("evaluate", model, table, "--label", "y")
    assert "nearly every row the same label" in done.out
    assert run("evaluate", model, table, "--label", "y", "--json").json["nearly_constant"]


def test_unknown_labels_are_an_error_that_names_the_row(run, model, tmp_path):
    header, rows = toy_rows(10)
    rows[3][-1] = "dead"
    done = run("evaluate", model, write_rows(tmp_path / "t.csv", header, rows), *ROLES)
    assert done.code == 3
    assert "row 4" in done.err
    assert "dead" in done.err


@pytest.fixture
def numbers(run, table, tmp_path):
    """A model that predicts the column ``size``."""
    path = tmp_path / "numbers.json"
    roles = ("--target", "size", "--id", "name", "--drop", "weight")
    assert run("fit", table, *roles, "--rounds", "20", "--out", path).code == 0
    return path


def test_numbers_stand_beside_their_mean(run, numbers, fresh, tmp_path):
    page, predicted = tmp_path / "page.html", tmp_path / "p.csv"
    roles = ("--target", "size", "--id", "name", "--drop", "weight")
    done = run("evaluate", numbers, fresh, *roles, "--out", page)
    assert "their mean" in done.out
    assert "Wrote page" in done.out
    assert page.read_text().count('class="dot faint"') == 60
    found = run("evaluate", numbers, fresh, *roles, "--json").json
    assert run("predict", numbers, fresh, "--out", predicted).code == 0
    off = [float(p["prediction"]) - float(t["size"])
           for p, t in zip(rows_of(predicted), rows_of(fresh), strict=True)]  # fmt: skip
    sizes = [float(row["size"]) for row in rows_of(fresh)]
    assert found["scores"]["rmse"] == pytest.approx(np.sqrt(np.mean(np.square(off))))
    assert found["scores"]["mae"] == pytest.approx(np.mean(np.abs(off)))
    assert found["scores"]["r2"] == pytest.approx(1 - np.var(off) / np.var(sizes), abs=0.1)
    assert found["base_rate"]["rmse"] == pytest.approx(np.std(sizes))
    assert found["base_rate"]["r2"] == 0.0


def test_labels_and_targets_are_not_mixed_up(run, model, numbers, fresh):
    wrong = run("evaluate", model, fresh, "--target", "size")
    assert (wrong.code, "the model needs --label" in wrong.err) == (2, True)
    wrong = run("evaluate", numbers, fresh, "--label", "answer")
    assert (wrong.code, "the model needs --target" in wrong.err) == (2, True)


def test_a_feature_that_is_given_another_use_is_told(run, model, fresh):
    done = run("evaluate", model, fresh, "--label", "answer", "--id", "size")
    assert done.code == 3
    assert "the model has the feature 'size', which is given another use here" in done.err


def test_a_table_without_names_is_remembered(run, fresh, tmp_path):
    bare, out = tmp_path / "bare.csv", tmp_path / "m.json"
    bare.write_text(fresh.read_text().partition("\n")[2])
    assert run("fit", bare, "--no-header", "--label", "6", *QUICK, "--out", out).code == 0
    assert "--no-header?" in run("predict", out, fresh).err


@pytest.mark.parametrize("command", ["evaluate", "certify"])
@pytest.mark.parametrize("option", ["--label", "--id", "--drop", "--weight"])
def test_columns_that_are_not_there_are_told(run, model, fresh, command, option):
    others = () if option == "--label" else ("--label", "answer")
    done = run(command, model, fresh, *others, option, "nmae")
    assert done.code == 3
    assert "did you mean 'name'?" in done.err


# -- clean ----------------------------------------------------------------------------------------


@pytest.fixture
def noisy(tmp_path):
    """Two clear classes with five labels exchanged."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(150):
        label = i % 2
        rows.append([f"p{i}", *np.round(rng.normal(size=2) + 4 * label, 3), "ab"[label]])
    for i in (3, 20, 51, 88, 120):
        rows[i][-1] = "ab"[1 - i % 2]
    return write_rows(tmp_path / "noisy.csv", ["name", "x", "z", "y"], rows)


AUDIT = ("--label", "y", "--id", "name", "--cv", "3")


def test_suspects_are_left_out(run, noisy, tmp_path):
    out = tmp_path / "clean.csv"
    done = run("clean", noisy, *AUDIT, "--out", out, "--json").json
    kept = rows_of(out)
    assert done["dropped"] == 150 - len(kept) == 5
    assert {row["name"] for row in rows_of(noisy)} - {row["name"] for row in kept} == {
        "p3", "p20", "p51", "p88", "p120",
    }  # fmt: skip
    original = {row["name"]: row for row in rows_of(noisy)}
    assert all(row == original[row["name"]] for row in kept)


def test_suspects_get_the_other_label_or_a_weight(run, noisy, tmp_path):
    out = tmp_path / "clean.parquet"
    assert run("clean", noisy, *AUDIT, "--policy", "relabel", "--out", out).code == 0
    import pyarrow.parquet as pq

    names = pq.read_table(out).to_pylist()
    assert [row["y"] for row in names] == ["ab"[i % 2] for i in range(150)]
    out = tmp_path / "weighed.csv"
    assert run("clean", noisy, *AUDIT, "--policy", "downweight", "--out", out).code == 0
    weights = np.array([float(row["label_weight"]) for row in rows_of(out)])
    assert weights[[3, 20, 51, 88, 120]].max() < 0.2
    assert weights.mean() > 0.9


def test_numbers_of_a_text_are_numbers_in_a_file_with_types(run, tmp_path):
    rows = [[f"{i:03}", i / 4, i % 3 or "?", "rg"[i % 2], 1 + i % 2] for i in range(40)]
    table = tmp_path / "t.csv"
    write_rows(table, ["name", "a", "b", "colour", "y"], rows)
    out, again = tmp_path / "clean.parquet", tmp_path / "again.parquet"
    roles = ("--label", "y", "--id", "name")
    assert run("clean", table, *roles, "--policy", "downweight", "--out", out).code == 0
    import pyarrow.parquet as pq

    clean = pq.read_table(out)
    kinds = {field.name: str(field.type) for field in clean.schema}
    text, whole, real = "string", "int64", "double"
    assert list(kinds.values()) == [text, real, whole, text, text, real]
    assert clean.column("name")[7].as_py() == "007"
    assert clean.column("b").null_count == 14
    # And what has types keeps them, also the labels that are changed.
    numbered = clean.drop_columns(["label_weight", "y"]).append_column(
        "y", clean.column("y").cast("int64")
    )
    pq.write_table(numbered, tmp_path / "typed.parquet")
    decisions = tmp_path / "decisions.csv"
    write_rows(decisions, COLUMNS, [[5, "004", 1, 2, "0.1", "wrong"]])
    options = ("--decisions", decisions, "--policy", "relabel", "--out", again)
    assert run("clean", tmp_path / "typed.parquet", *roles, *options).code == 0
    labels = pq.read_table(again).column("y")
    assert str(labels.type) == "int64"
    assert labels[4].as_py() == 2


def test_what_people_decided_counts_more(run, noisy, tmp_path):
    decisions = tmp_path / "decisions.csv"
    given = [row["y"] for row in rows_of(noisy)]
    lines = [[4, "p3", given[3], "", "0.01", "right"], [11, "p10", given[10], "", "0.9", "wrong"]]
    write_rows(decisions, COLUMNS, lines)
    out = tmp_path / "clean.csv"
    with_them = (*AUDIT, "--decisions", decisions, "--out", out)
    assert run("clean", noisy, *with_them).code == 0
    kept = {row["name"] for row in rows_of(out)}
    assert "p3" in kept
    assert not kept & {"p10", "p20", "p51", "p88", "p120"}
    assert run("clean", noisy, *with_them, "--only-confirmed").code == 0
    assert {f"p{i}" for i in range(150)} - {row["name"] for row in rows_of(out)} == {"p10"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--only-confirmed"], 2, "needs --decisions"),
        (["--weight", "x"], 2, "judges every row alike"),
        (["--cv", "1"], 2, "--cv: got 1"),
        (["--fdr", "1"], 2, "--fdr: got 1"),
        (["--decisions", "none.csv"], 3, "no such file"),
    ],
)
def test_what_makes_no_sense_is_said(run, noisy, tmp_path, arguments, code, message):
    done = run("clean", noisy, *AUDIT, "--out", tmp_path / "c.csv", *arguments)
    assert done.code == code
    assert message in done.err
    assert not (tmp_path / "c.csv").exists()


def test_decisions_on_another_table_are_refused(run, noisy, tmp_path):
    decisions = tmp_path / "decisions.csv"
    write_rows(decisions, COLUMNS, [[4, "p3", "c", "", "0.01", "right"]])
    done = run("clean", noisy, *AUDIT, "--decisions", decisions, "--out", tmp_path / "c.csv")
    assert done.code == 3
    assert "row 4" in done.err
    assert run("clean", noisy, *AUDIT, "--out", noisy).code == 2


def test_the_library_refuses_labels_that_the_model_does_not_know(model):
    with pytest.raises(ValueError, match="y: got label 'x', expected one of"):
        evaluate(marginboost.load(model), np.zeros((2, 3)), np.array(["x", "well"]))
