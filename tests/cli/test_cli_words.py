"""What commands say to people: every number, bar, tie and word of it."""

import argparse
import math

import numpy as np
import pytest
from cli_tables import read

from marginboost.cli import compare, dataset, explain, info, models
from marginboost.cli.errors import DataError, UsageError
from marginboost.diagnostics.contributions import _side


class Page:
    """A screen that remembers what it was told."""

    def __init__(self):
        self.said, self.tables = [], []

    def title(self, text):
        self.said.append(f"# {text}")

    def say(self, text=""):
        self.said.append(text)

    def facts(self, facts):
        self.tables.append((["", ""], [list(item) for item in facts.items()], "<<"))

    def table(self, headers, rows, align=""):
        self.tables.append((list(headers), [list(row) for row in rows], align))


# -- compare ---------------------------------------------------------------------------------------


def test_summaries_of_folds():
    found = compare._summary([1.0, 2.0, 6.0], 0.5)
    assert found == {"mean": 3.0, "standard_error": 0.5 * math.sqrt(7.0), "folds": [1.0, 2.0, 6.0]}
    assert compare._plus_minus(found, 100, 2) == f"300.00 ± {50 * math.sqrt(7.0):.2f}"
    assert compare._plus_minus(found, 1, 0, sign="+") == "+3 ± 1"


def test_folds_need_enough_rows_of_each_class(tmp_path):
    file = read(tmp_path, "x,y\n1,a\n")
    labels = np.array(["a"] * 3 + ["b"] * 7)
    data = dataset.Dataset(file, None, labels, None)
    args = argparse.Namespace(cv=3, repeats=2, seed=0, label="y")
    folds = compare._folds(data, args)
    assert len(folds) == 6
    assert all((labels[test] == "a").sum() == 1 for _, test in folds)
    with pytest.raises(DataError, match="class 'a' has 3 rows, too few for --cv 4"):
        compare._folds(data, argparse.Namespace(cv=4, repeats=1, seed=0, label="y"))


def comparison(repeats):
    def entry(name, error):
        summary = {"mean": error, "standard_error": 0.01, "folds": [error]}
        one = dict.fromkeys((*compare.METRICS, "error_difference"), summary)
        return {"name": name, **one}

    data = {"file": "t.csv", "rows": 9, "features": 1, "numeric": 1, "categorical": 0}
    data |= {"missing_values": 0, "classes": {"a": 4, "b": 5}, "label": "y"}
    algorithms = [entry("first", 0.25), entry("second", 0.125)]
    return {"data": data, "folds": 5, "repeats": repeats, "seed": 7, "algorithms": algorithms}


@pytest.mark.parametrize(("repeats", "times"), [(1, ""), (2, ", 2 times")])
def test_comparisons_for_people(repeats, times):
    page = Page()
    compare.show(comparison(repeats), page)
    headers, rows, align = page.tables[0]
    assert headers[-1] == "error % - first"
    assert align == "<>>>>>"
    assert rows[0] == ["first", "25.00 ± 1.00", "0.2500 ± 0.0100", "0.250 ± 0.010", "0.250", ""]
    assert rows[1][-1] == "+12.50 ± 1.00"
    assert f"of 5-fold cross-validation{times}, seed 7;" in page.said[-1]
    assert page.said[:3] == ["# t.csv", "9 rows, 1 features (1 numeric)", "label y: a 4, b 5"]


# -- info and models -------------------------------------------------------------------------------


def test_rows_about_columns():
    number = {"name": "x", "type": "number", "missing": 0, "distinct": 1200, "min": 1.0}
    number |= {"max": 2.5, "mean": 1.23456}
    assert info._column_row(number) == ["x", "number", "", "1,200", "1 to 2.5, mean 1.23456"]
    empty = {**number, "min": None, "missing": 3}
    assert info._column_row(empty) == ["x", "number", "3", "1,200", "no value"]
    mixed = {"name": "x", "type": "mixed", "problem": "why"}
    assert info._column_row(mixed) == ["x", "mixed", "", "", "see below"]
    category = {"name": "c", "type": "category", "missing": 1, "distinct": 2}
    category["most_frequent"] = {"a": 1000, "b": 2}
    assert info._column_row(category) == ["c", "category", "1", "2", "a 1,000, b 2"]


def test_facts_about_columns(tmp_path):
    file = read(tmp_path, "n,c\n1,a\n3,b\n3,a\n,\n")
    facts = info._column_facts(file, "n")
    assert facts == {
        **{"name": "n", "type": "number", "missing": 1, "distinct": 2},
        **{"min": 1.0, "mean": pytest.approx(7 / 3), "max": 3.0},
    }
    assert info._column_facts(file, "c")["most_frequent"] == {"a": 2, "b": 1}
    text = "".join(f"k{i % 7},x\n" for i in range(14))
    facts = info._column_facts(read(tmp_path, "c,d\n" + text), "c")
    assert facts["distinct"] == 7
    assert len(facts["most_frequent"]) == 5


def test_classes_for_people():
    page = Page()
    classes = {f"c{i}": 1 for i in range(21)}
    columns_ = [{"name": "x", "type": "mixed", "problem": "what is wrong with x"}]
    answer = {"file": "t", "rows": 1000, "columns": columns_, "label": "y", "classes": classes}
    info.show(answer, page)
    assert page.said == ["# t: 1,000 rows, 1 columns", "", "- what is wrong with x"]
    headers, rows, align = page.tables[1]
    assert (headers, align) == (["y", "rows", "share", ""], "<>><")
    assert len(rows) == 20
    assert rows[0] == ["c0", "1", "0.1%", ""]


def test_sides_of_a_problem():
    classes = ["a", "b", "c"]
    assert _side(classes, np.array([1, -1, -1]), 1) == "a"
    assert _side(classes, np.array([1, -1, -1]), -1) == "the other classes"
    assert _side(classes, np.array([1, 1, -1]), 1) == "a or b"
    assert _side(classes, np.array([1, 1, -1]), -1) == "c"


def test_words_for_certificates():
    proof = {"lower": 0.1, "upper": 0.25, "gap": -1e-17, "certified": True}
    assert models.bracket(proof) == "0.1 to 0.25, gap 0, proven"
    other = {**proof, "gap": 0.15, "certified": False}
    assert models.bracket(other) == "0.1 to 0.25, gap 0.15, not proven"
    assert models.measured("margin") == "margin"
    assert models.measured("logistic loss") == "loss saved"


@pytest.mark.parametrize(("n_features", "rest"), [(8, None), (9, "and 1 more feature")])
def test_the_strongest_features_are_shown(n_features, rest):
    page = Page()
    shares = {f"f{i}": 0.5 / (i + 1) for i in range(n_features)}
    certificate = {"lower": 0.1, "upper": 0.2, "gap": 0.1, "certified": False, "value": 0.15}
    problem = {"name": "", "rounds": 1500, "stop_reason": "gap", "hypotheses": 3, "chosen": {}}
    problem |= {"certificate": {**certificate, "reason": "why"}}
    model = {"estimator": "E", "settings": {"nu": 0.1}, "classes": ["a", "b"], "features": 20}
    model |= {"features_used": n_features, "objective": "margin", "importances": shares}
    models.show_model({**model, "problems": [problem]}, page, {"more": 1})
    facts = dict(page.tables[0][1])
    assert facts["classes"] == "a (-1), b (+1)"
    assert facts["rounds"] == "1,500, ended by: gap"
    assert facts["features used"] == f"{n_features} of 20"
    assert facts["margin"] == "0.15"
    rows = page.tables[1][1]
    assert len(rows) == 8
    assert rows[0] == ["f0", "50.0%", "█" * 20]
    assert rows[1] == ["f1", "25.0%", "█" * 10]
    assert (page.said[-1] == rest) if rest else ("more features" not in str(page.said))


# -- explain ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "bars"),
    [(1.0, ("", 16)), (-1.0, (16, "")), (0.5, ("", 8)), (-0.25, (4, "")), (0.0, ("", 0))],
)
def test_bars_to_both_sides(share, bars):
    expected = tuple(side if side == "" else "█" * side for side in bars)
    assert explain._two_sided(share) == expected


def test_pieces_of_step_functions():
    shape = {"levels": [0.1, 0.2, 0.3], "thresholds": [1.0, 2.5], "missing": -0.5}
    words = [("x ≤ 1", 0.1), ("1 < x ≤ 2.5", 0.2), ("x > 2.5", 0.3), ("missing", -0.5)]
    assert explain._pieces(shape) == words
    constant = {"levels": [0.0], "thresholds": [], "missing": 0.25}
    assert explain._pieces(constant) == [("any", 0.0), ("missing", 0.25)]
    shape = {"levels": [0.3, -0.1, 0.1], "categories": ["a", "b", "c"], "missing": 0.0}
    words = [("b", -0.1), ("c", 0.1), ("a", 0.3), ("missing", 0.0)]
    assert explain._pieces(shape) == words


def test_summaries_of_step_functions():
    shape = {"feature": "f", "levels": [0.1, -0.2, 0.3], "thresholds": [1.0, 2.5]}
    shape |= {"missing": 9.0, "importance": 0.25}
    assert explain._summary(shape) == [
        *("f", "25.0%", "-0.200", "+0.300", "▅▁█", "2 cuts from 1 to 2.5")
    ]
    constant = {**shape, "levels": [0.0], "thresholds": []}
    assert explain._summary(constant)[4:] == ["▁", "missing or not"]
    shape = {**constant, "levels": [0.3, -0.1], "categories": ["a", "b"]}
    assert explain._summary(shape) == ["f", "25.0%", "-0.100", "+0.300", "▁█", "b, a"]
    assert explain._cuts_in_words([1.5]) == "1 cut at 1.5"


def explained(vote, parts):
    contributions = [{"feature": f, "value": v, "contribution": c} for f, v, c in parts]
    return {"row": 4, "id": None, "vote": vote, "contributions": contributions}


@pytest.mark.parametrize(("vote", "side"), [(0.5, "high"), (0.0, "low"), (-0.5, "low")])
def test_a_tie_is_for_the_first_class_as_in_predict(vote, side):
    page = Page()
    row = explained(vote, [("a", 1.5, 0.5), ("b", None, -0.25), ("c", "red", 0.0)])
    problem = {"name": "", "sides": ["low", "high"], "rows": [row]}
    problem |= {"unit": "vote", "intercept": 0.25, "exact_shapes": True}
    explain.show({"problems": [problem], "in_full": False}, page)
    assert page.said[0] == f"# row 4: vote {vote:+.4f}, for {side}"
    assert page.tables[0][1] == [
        ["a", "1.5", "+0.5000", "", "█" * 16],
        ["b", "missing", "-0.2500", "█" * 8, ""],
        ["c", "red", "+0.0000", "", ""],
    ]
    assert page.said[-1] == (
        "The vote is +0.25, its mean over the training rows, plus these contributions: below 0 for "
        "low, above 0 for high."
    )


def test_rows_with_a_name_and_without_contributions():
    page = Page()
    explain._show_row({**explained(0.0, []), "id": "p7"}, "vote +0.0000, for low", page)
    assert page.said == ["# row 4 (p7): vote +0.0000, for low"]
    assert page.tables[0][1] == []


def test_step_functions_in_full():
    page = Page()
    shape = {"feature": "f", "used": True, "levels": [0.5, -1.0], "thresholds": [0.0]}
    explain._show_in_full({**shape, "missing": 0.0}, page)
    assert page.tables[0][1] == [
        ["x ≤ 0", "+0.5000", "", "█" * 8],
        ["x > 0", "-1.0000", "█" * 16, ""],
        ["missing", "+0.0000", "", ""],
    ]
    unused = {"feature": "g", "used": False, "levels": [0.0], "thresholds": [], "missing": 0.0}
    explain._show_in_full(unused, page)
    assert page.said == ["# f", "# g (not used by the model)"]


@pytest.mark.parametrize(
    ("value", "text"), [(None, "missing"), (math.nan, "missing"), (1.23456789, "1.23457"), (7, "7")]
)
def test_values_for_people(value, text):
    assert explain._value(value) == text


@pytest.mark.parametrize(("text", "number"), [("1", 0), ("3", 2)])
def test_numbers_of_rows(tmp_path, text, number):
    file = read(tmp_path, "id,x\na,1\nb,2\na,3\n")
    assert explain._row_number(file, None, text) == number
    assert explain._row_number(file, "id", "b") == 1
    assert explain._row_number(file, "id", "a") == 0
    for wrong in ("0", "4", "-1", "x", "1.0", ""):
        with pytest.raises(UsageError, match="expected a number from 1 to 3"):
            explain._row_number(file, None, wrong)
    with pytest.raises(UsageError, match="--row: no row with 'c' in column 'id'"):
        explain._row_number(file, "id", "c")
