"""``certify``: bounds found anew are right, and a wrong certificate does not pass."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from cli_tables import QUICK, ROLES, toy_rows, write_rows
from hypothesis import given, settings
from hypothesis import strategies as st

import marginboost
from fitted_models import set_certificate
from marginboost import ArcGVClassifier, LPBoostClassifier, StumpOracle, TreeOracle, verify
from marginboost.cli.algorithms import classifiers
from marginboost.solvers import solve_margin_lp

few = settings(derandomize=True, deadline=None, max_examples=12, database=None)


@st.composite
def problems(draw):
    """Small tables with gaps and ties, labels of two classes, weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n = draw(st.integers(6, 24))
    X = rng.integers(0, 5, size=(n, draw(st.integers(1, 3)))).astype(float)
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    rng.shuffle(y)
    weight = rng.integers(1, 4, size=n).astype(float) if draw(st.booleans()) else None
    return X, y, weight


def all_stumps(X):
    """Outputs of every stump, sides and missing values with signs of their own."""
    columns = [np.ones(len(X))]
    for values in X.T:
        missing = np.isnan(values)
        for cut in [*np.unique(values[~missing]), np.inf]:
            side = np.where(values <= cut, 1.0, -1.0)
            columns += [np.where(missing, sign, side) for sign in (1.0, -1.0)]
    whole = np.array(columns).T
    return np.hstack([whole, -whole])


@few
@given(problems(), st.sampled_from([None, 0.3, 0.7]))
def test_bounds_are_those_of_the_linear_program(problem, nu):
    X, y, weight = problem
    model = LPBoostClassifier(nu=nu, tol=1e-7, n_jobs=1).fit(X, y, weight)
    found = verify(model, X, y, weight, tol=1e-9)
    copies = np.ones(len(y), dtype=int) if weight is None else weight.astype(int)
    outcomes = (y[:, None] * all_stumps(X)).repeat(copies, axis=0)
    best = solve_margin_lp(outcomes, nu).value
    assert found.lower <= best + 1e-8
    assert found.upper >= best - 1e-8
    assert found.upper - found.lower <= 1e-6
    assert found.value == pytest.approx(model.certificate_.value, abs=1e-9)
    np.testing.assert_allclose(found.margins, model.margins_, atol=1e-9)
    assert found.contradictions == []
    assert found.remark == ""


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=60) > 0, 1, -1)
    return LPBoostClassifier(nu=0.3, tol=1e-4, n_jobs=1).fit(X, y), X, y


def test_stored_bounds_may_be_wide(fitted):
    _, X, y = fitted
    model = ArcGVClassifier(n_estimators=30, tol=None, n_jobs=1).fit(X, y)
    assert model.certificate_.gap > 0.01
    assert verify(model, X, y, None, tol=1e-6).contradictions == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"upper": -0.05}, "is attainable, so -0.05 is not an upper bound"),
        ({"upper": 0.3, "lower": 0.25}, "nothing above .* is attainable, so 0.25 is not a lower"),
        ({"value": 0.9, "lower": 0.9}, r"the model attains .* on these rows, not 0\.9"),
        ({"lower": -0.9}, "the lower bound -0.9 is below what the model attains"),
    ],
)
def test_changed_certificates_are_refuted(fitted, change, message):
    model, X, y = fitted
    sound = model.certificate_
    set_certificate(model, replace(sound, **change))
    try:
        contradictions = verify(model, X, y, None, tol=1e-6).contradictions
    finally:
        set_certificate(model, sound)
    assert any(re.search(message, sentence) for sentence in contradictions)


def test_a_narrow_bracket_refutes_small_lies(fitted):
    """The recomputed bracket is 1e-6 wide, so a lie of 1e-4 shows."""
    model, X, y = fitted
    found = verify(model, X, y, None, tol=1e-6)
    sound = model.certificate_
    set_certificate(model, replace(sound, upper=found.lower - 1e-4))
    try:
        assert verify(model, X, y, None, tol=1e-6).contradictions
    finally:
        set_certificate(model, sound)


def test_other_rows_and_other_weights_do_not_pass(fitted):
    model, X, y = fitted
    assert verify(model, X[:-1], y[:-1], None, tol=1e-6).contradictions
    weight = np.where(np.arange(len(y)) < 20, 5.0, 1.0)
    assert verify(model, X, y, weight, tol=1e-6).contradictions


def test_rows_without_weight_do_not_count(fitted):
    _, X, y = fitted
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    model = LPBoostClassifier(nu=0.3, n_jobs=1).fit(X, y, weight)
    assert verify(model, X, y, weight, tol=1e-6).contradictions == []


def test_what_cannot_be_proven_is_said(fitted):
    _, X, y = fitted
    model = LPBoostClassifier(TreeOracle(max_depth=2), n_estimators=5, n_jobs=1).fit(X, y)
    found = verify(model, X, y, None, tol=1e-6)
    assert "nothing proves an upper bound" in found.remark
    assert found.upper == np.inf
    assert found.contradictions == []
    set_certificate(model, replace(model.certificate_, certified=True))
    assert "cannot prove any" in verify(model, X, y, None, tol=1e-6).contradictions[0]


@pytest.mark.parametrize("categorical", ["equality", "partition"])
def test_categories(categorical):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"k": pd.Categorical(rng.choice(list("abcde"), 50)), "v": rng.normal(size=50)})
    y = np.where(X["k"].isin(["a", "d"]) ^ (rng.random(50) < 0.2), 1, -1)
    model = LPBoostClassifier(StumpOracle(categorical=categorical), nu=0.4, tol=1e-6).fit(X, y)
    found = verify(model, X, y, None, tol=1e-6)
    assert found.contradictions == []
    assert 0 <= found.upper - found.lower + 1e-9 <= 1e-5


# -- the command -----------------------------------------------------------------------------------

CERTIFY = ("--label", "answer")


def test_certify_says_yes(table, model_file, run):
    found = run("certify", model_file, table, *CERTIFY)
    assert found.code == 0
    assert "The certificate holds on these rows, checked to within" in found.out
    answer = run("certify", model_file, table, *CERTIFY, "--json").json
    model = marginboost.load(model_file)
    (problem,) = answer["problems"]
    assert answer["holds"]
    assert problem["objective"] == "margin"
    assert problem["stored"]["upper"] == model.certificate_.upper
    assert problem["recomputed"]["value"] == pytest.approx(problem["margins"]["min"])
    assert problem["stored"]["lower"] <= problem["recomputed"]["upper"] + 1e-8


LABELS = ("adaboost-m1", "adaboost-m2", "adaboost-mh", "samme", "softmax-boost")
"""Algorithms whose hypotheses answer with labels: no independent check of theirs is known."""


@pytest.mark.slow
@pytest.mark.parametrize("name", classifiers())
def test_the_certificate_of_every_algorithm_holds(table, run, tmp_path, name):
    out = tmp_path / "m.json"
    folds = ("--param", "cv=2") if "cv" in classifiers()[name]().get_params() else ()
    fit = ("fit", table, *ROLES, "--algorithm", name, "--rounds", "30", *folds, "--out", out)
    assert run(*fit).code == 0
    found = run("certify", out, table, *CERTIFY, "--json")
    if name in LABELS:
        assert found.code == 4
        assert "no independent check is known" in found.json["error"]["message"]
        return
    (problem,) = found.json["problems"]
    assert problem["contradictions"] == []
    assert (problem["recomputed"]["upper"] is None) == bool(problem["remark"])


def test_every_classifier_of_the_package_is_certified():
    """The list above is that of the package, not of what happens to be imported."""
    ends = ("Classifier", "ClassifierCV")
    public = {getattr(marginboost, n).__name__ for n in marginboost.__all__ if n.endswith(ends)}
    assert {kind.__name__ for kind in classifiers().values()} == public
    assert len(public) >= 29


def test_certify_with_weights(table, run, tmp_path):
    out = tmp_path / "w.json"
    roles = ("--label", "answer", "--id", "name", "--weight", "weight")
    assert run("fit", table, *roles, "--nu", "0.3", "--out", out).code == 0
    assert run("certify", out, table, *CERTIFY, "--weight", "weight").code == 0
    found = run("certify", out, table, *CERTIFY)
    assert found.code == 5
    assert "other rows, labels or weights than those it was fitted to" in found.out


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["downweight", "drop", "relabel"])
def test_certify_repeats_the_audit(table, run, tmp_path, policy):
    out, roles = tmp_path / "r.json", ("--label", "answer", "--id", "name", "--weight", "weight")
    settings = ("--algorithm", "robustboost", "--param", f"policy={policy}", "--param", "cv=2")
    settings = (*settings, "--param", "model=soft-margin")
    assert run("fit", table, *roles, *settings, "--out", out).code == 0
    found = run("certify", out, table, *CERTIFY, "--weight", "weight", "--json")
    assert found.code == 0
    (problem,) = found.json["problems"]
    assert problem["recomputed"]["upper"] - problem["recomputed"]["lower"] <= 1e-3
    assert not any("estimates a noise" in warning for warning in found.json["warnings"])


@pytest.mark.slow
def test_certify_tells_that_the_audit_is_another(table, run, tmp_path):
    out = tmp_path / "r.json"
    settings = ("--algorithm", "robustboost", "--param", "cv=2", "--param", "model=soft-margin")
    assert run("fit", table, *ROLES, *settings, "--out", out).code == 0
    header, rows = toy_rows()
    for row in rows[:8]:
        row[5] = "well" if row[5] == "sick" else "sick"
    found = run("certify", out, write_rows(tmp_path / "t.csv", header, rows), *CERTIFY)
    assert found.code == 5
    assert "the audit of these rows estimates a noise of" in found.err


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["LPBoostClassifierCV", "RobustBoostClassifier"])
def test_what_fit_chose_is_certified_for_several_classes(run, tmp_path, algorithm):
    rng = np.random.default_rng(0)
    sizes = rng.normal(size=(90, 2)).round(3)
    rows = [[a, b, "low" if a < -0.5 else "mid" if a + b < 0.7 else "top"] for a, b in sizes]
    table, out = write_rows(tmp_path / "t.csv", ["a", "b", "y"], rows), tmp_path / "m.json"
    quick = ("--algorithm", algorithm, "--param", "cv=2")
    if algorithm == "RobustBoostClassifier":
        quick = (*quick, "--param", "model=soft-margin")
    fitted = run("fit", table, "--label", "y", *quick, "--out", out, "--json")
    assert [0 < part["chosen"]["nu"] <= 1 for part in fitted.json["model"]["problems"]] == [
        True
    ] * 3
    found = run("certify", out, table, "--label", "y", "--json")
    assert found.code == 0
    assert [problem["contradictions"] for problem in found.json["problems"]] == [[], [], []]


def test_info_shows_what_fit_chose(table, run, tmp_path):
    out = tmp_path / "m.json"
    settings = ("--algorithm", "LPBoostClassifierCV", "--param", "nus=[0.3]", "--param", "cv=2")
    assert run("fit", table, *ROLES, *settings, "--out", out).code == 0
    assert re.search(r"nu +0\.3 *\n", run("info", out).out)


@pytest.mark.parametrize("algorithm", ["adaboost", "arc-gv"])
def test_certify_takes_an_honest_empty_model(run, tmp_path, algorithm):
    rows = [[1, "yes" if k % 2 else "no"] for k in range(12)]
    table, out = write_rows(tmp_path / "t.csv", ["same", "y"], rows), tmp_path / "m.json"
    settings = ("--label", "y", "--algorithm", algorithm)
    fitted = run("fit", table, *settings, "--out", out, "--json")
    assert fitted.json["model"]["problems"][0]["hypotheses"] == 0
    assert run("certify", out, table, "--label", "y").code == 0


def test_certify_says_no(table, model_file, run, tmp_path):
    document = json.loads(model_file.read_text())
    document["certificate"]["upper"] = document["certificate"]["lower"] = -0.99
    document["certificate"]["value"] = -0.99
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(document))
    found = run("certify", forged, table, *CERTIFY)
    assert found.code == 5
    assert "The certificate does not hold on these rows:" in found.out
    answer = run("certify", forged, table, *CERTIFY, "--json")
    assert answer.code == 5
    assert not answer.json["ok"]
    assert not answer.json["holds"]
    assert answer.json["problems"][0]["contradictions"]


def test_certify_checks_labels(model_file, run, tmp_path):
    header, rows = toy_rows()
    rows[3][5] = "dead"
    path = write_rows(tmp_path / "t.csv", header, rows)
    found = run("certify", model_file, path, *CERTIFY)
    assert found.code == 3
    assert "column 'answer', row 4 (line 5): label 'dead'; the model knows the classes" in found.err
    found = run("certify", model_file, path, "--label", "anser")
    assert "no column 'anser' (--label); did you mean 'answer'?" in found.err


def test_trees_are_not_certified(table, run, tmp_path):
    out = tmp_path / "trees.json"
    assert run("fit", table, *ROLES, *QUICK, "--depth", "2", "--out", out).code == 0
    found = run("certify", out, table, *CERTIFY)
    assert found.code == 0
    assert "nothing proves an upper bound" in found.out
