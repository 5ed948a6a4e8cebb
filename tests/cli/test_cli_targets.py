"""Commands on tables with a numeric target."""

import numpy as np
import pytest
from cli_tables import write_rows

from marginboost.cli.algorithms import regressors
from marginboost.estimators.regressor import BaseBoostRegressor

ROLES = ("--target", "price", "--id", "name")


def price_rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        size, sort = round(float(rng.uniform(20, 120)), 1), str(rng.choice(["flat", "house"]))
        price = 3.0 * size + 80.0 * (sort == "house") + rng.normal() * 5.0
        rows.append([f"h{i}", size, sort, round(float(price), 2)])
    return ["name", "size", "sort", "price"], rows


@pytest.fixture
def prices(tmp_path):
    return write_rows(tmp_path / "prices.csv", *price_rows())


@pytest.fixture
def model(run, prices, tmp_path):
    path = tmp_path / "prices.json"
    assert run("fit", prices, *ROLES, "--algorithm", "lsboost", "--out", path).code == 0
    return path


def test_fit_and_predict(run, prices, tmp_path):
    path = tmp_path / "model.json"
    answer = run("fit", prices, *ROLES, "--out", path, "--json")
    assert answer.code == 0
    assert answer.json["model"]["estimator"] == "GradientBoostRegressor"
    assert answer.json["model"]["classes"] is None
    assert answer.json["training_r2"] > 0.9
    assert answer.json["data"]["target"] == "price"
    assert set(answer.json["data"]["targets"]) == {"min", "mean", "max"}
    found = run("predict", path, prices, "--id", "name", "--json").json
    assert list(found["predictions"]) == ["name", "prediction"]
    truth = np.array([row[3] for row in price_rows()[1]])
    apart = truth - np.array(found["predictions"]["prediction"])
    assert 1.0 - (apart**2).sum() / ((truth - truth.mean()) ** 2).sum() == pytest.approx(
        answer.json["training_r2"]
    )
    written = run("predict", path, prices, "--out", tmp_path / "out.csv")
    assert "90 rows: min " in written.out


def test_people_read_it(run, prices, model):
    shown = run("fit", prices, *ROLES, "--out", model)
    assert "target price: " in shown.out
    assert "training R²" in shown.out
    assert "predicts" in shown.out
    assert "predicts" in run("info", model).out
    assert "lsboost" in run("info").out


def test_explain_adds_up(run, prices, model):
    answer = run("explain", model, prices, "--id", "name", "--row", "h3", "--json").json
    row = answer["problems"][0]["rows"][0]
    parts = sum(part["contribution"] for part in row["contributions"])
    assert parts + row["intercept"] == pytest.approx(row["vote"])
    assert "The prediction is " in run("explain", model).out
    assert "row 4 (h3): " in run("explain", model, prices, "--id", "name", "--row", "h3").out


def test_certify_says_yes_and_no(run, prices, model, tmp_path):
    good = run("certify", model, prices, *ROLES, "--json")
    assert (good.code, good.json["holds"]) == (0, True)
    stored = good.json["problems"][0]["stored"]["value"]
    assert good.json["problems"][0]["recomputed"]["value"] == pytest.approx(stored, abs=1e-9)
    header, rows = price_rows()
    rows[5][3] += 300.0
    other = write_rows(tmp_path / "other.csv", header, rows)
    bad = run("certify", model, other, *ROLES)
    assert bad.code == 5
    assert "the model attains" in bad.out
    assert "residuals of the rows" in bad.out


def test_certify_finds_bounds_of_its_own(run, prices, tmp_path):
    """The upper bound of a tube comes from a new program over all stumps."""
    path = tmp_path / "tube.json"
    few = ("--algorithm", "lpboost", "--rounds", "3")  # bounds that are far apart
    assert run("fit", prices, *ROLES, *few, "--out", path).code == 0
    (found,) = run("certify", path, prices, *ROLES, "--tol", "1e-5", "--json").json["problems"]
    stored, fresh = found["stored"], found["recomputed"]
    assert found["holds"]
    assert fresh["upper"] < stored["upper"]
    assert fresh["lower"] <= fresh["upper"] <= fresh["lower"] + 1e-5
    assert stored["lower"] <= fresh["upper"] + 1e-8
    assert fresh["lower"] <= stored["upper"] + 1e-8


@pytest.mark.parametrize("name", regressors())
def test_every_regressor_is_certified(run, prices, tmp_path, name):
    path = tmp_path / "m.json"
    assert run("fit", prices, *ROLES, "--algorithm", name, "--rounds", "5", "--out", path).code == 0
    assert run("certify", path, prices, *ROLES).code == 0


def test_compare(run, prices):
    answer = run("compare", prices, *ROLES, "--cv", "3", "--rounds", "10", "--json")
    found = answer.json["algorithms"]
    assert [entry["name"] for entry in found] == ["gradientboost", "l2boost", "lsboost"]
    assert found[0]["rmse_difference"]["mean"] == 0.0
    for entry in found:
        assert 0.0 < entry["mae"]["mean"] <= entry["rmse"]["mean"]
        assert entry["r2"]["mean"] > 0.5
    shown = run("compare", prices, *ROLES, "--cv", "3", "--rounds", "10")
    assert "RMSE - gradientboost" in shown.out
    assert "3-fold cross-validation" in shown.out


def test_all_regressors_have_a_name():
    assert {kind.__name__ for kind in regressors().values()} == set(BaseBoostRegressor.__registry__)


def refusals(prices):
    """Command lines that are refused, with the exit code and words of the reason."""
    return [
        (("fit", prices, "--target", "sort"), 3, "is not a finite number, as a target has to be"),
        (("fit", prices, "--target", "cost"), 2, "cost"),
        (("fit", prices, *ROLES, "--label", "sort"), 2, ""),
        (("fit", prices, *ROLES, "--algorithm", "lpboostt"), 2, "unknown algorithm"),
        (("fit", prices, *ROLES, "--algorithm", "adaboost"), 2, "is for --label, not for --target"),
        (("fit", prices, "--label", "sort", "--algorithm", "l2boost"), 2, "is for --target"),
        (("compare", prices, *ROLES, "--cv", "60"), 3, "too few for --cv 60"),
    ]


@pytest.mark.parametrize("case", range(7))
def test_what_makes_no_sense_is_refused(run, prices, tmp_path, case):
    line, code, words = refusals(prices)[case]
    out = ("--out", tmp_path / "m.json") if line[0] == "fit" else ()
    if not words:
        with pytest.raises(SystemExit):
            run(*line, *out)
        return
    found = run(*line, *out)
    assert words in found.err
    assert found.code in (code, 3)


def test_missing_targets_are_named(run, tmp_path):
    header, rows = price_rows(20)
    rows[6][3] = ""
    path = write_rows(tmp_path / "gaps.csv", header, rows)
    found = run("fit", path, *ROLES, "--out", tmp_path / "m.json")
    assert found.code == 3
    assert "1 of 20 rows have no target" in found.err
    assert "row 7 (line 8)" in found.err


def test_models_and_roles_must_agree(run, prices, model):
    assert (
        "--label: the model needs --target" in run("certify", model, prices, "--label", "sort").err
    )


def test_audit_finds_a_slip_of_the_pen(run, tmp_path):
    header, rows = price_rows(120)
    rows[40][3] *= 10.0
    path = write_rows(tmp_path / "slips.csv", header, rows)
    page, scores = tmp_path / "report.html", tmp_path / "scores.csv"
    answer = run("audit", path, *ROLES, "--out", page, "--scores", scores, "--json").json
    assert answer["suspects"][0]["id"] == "h40"
    assert answer["data"]["target"] == "price"
    assert "target audit" in page.read_text(encoding="utf-8")
    assert len(scores.read_text(encoding="utf-8").splitlines()) == 121
    shown = run("audit", path, *ROLES).out
    assert "usual distance" in shown
    assert "h40" in shown


def test_audits_of_targets_have_no_server(run, prices):
    found = run("audit", prices, *ROLES, "--serve")
    assert found.code == 2
    assert "--serve" in found.err


def test_rows_without_a_target_can_be_left_out(run, tmp_path):
    header, rows = price_rows(40)
    rows[6][3] = ""
    path = write_rows(tmp_path / "gaps.csv", header, rows)
    assert "have no target" in run("audit", path, *ROLES).err
    answer = run("audit", path, *ROLES, "--skip-unlabelled", "--json").json
    assert answer["data"]["rows"] == 39
