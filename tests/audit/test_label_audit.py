"""The label audit: finds planted flips, says how many, cleans, and refuses what it cannot read."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from marginboost import AdaBoostClassifier
from marginboost.audit import LabelAudit, evaluate_audit, evidence, plant_flips, stacking, votes
from marginboost.audit.audit import flag
from marginboost.audit.votes import boosted_stumps
from marginboost.datasets import circle_2d
from marginboost.reports import audit_payload, suspects


@pytest.fixture(scope="module")
def noisy_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    noisy, flipped = plant_flips(y, 0.1, seed=1)
    return X, y, noisy, flipped, LabelAudit().fit(X, noisy)


def test_planted_flips_come_first(noisy_cancer):
    _, y, _, flipped, audit = noisy_cancer
    first = audit.suspects(int(flipped.sum()))
    assert flipped[first].mean() > 0.85
    assert audit.noise_rate_ == pytest.approx(0.1, abs=0.04)
    assert (audit.suggested_[audit.flagged_] == y[audit.flagged_]).mean() > 0.8
    assert flipped[audit.flagged_].mean() >= 1 - audit.fdr


def test_results_agree_with_each_other(noisy_cancer):
    X, _, noisy, _, audit = noisy_cancer
    assert ((audit.score_ >= 0) & (audit.score_ <= 1)).all()
    assert sorted(audit.rank_) == list(range(1, len(X) + 1))
    ordered = audit.score_[np.argsort(audit.rank_)]
    assert (np.diff(ordered) >= 0).all()
    assert (audit.suggested_[audit.flagged_] != noisy[audit.flagged_]).all()
    assert audit.score_[audit.flagged_].mean() <= audit.fdr
    np.testing.assert_allclose(audit.belief_.sum(axis=1), 1.0)
    counts = np.bincount(noisy)
    assert audit.class_noise_rates_ @ counts / len(X) == pytest.approx(audit.noise_rate_)
    voters = {"gradient trees", "boosted stumps", "linear", "forest"}
    assert set(audit.voter_weights_) == voters


def test_evidence_speaks_against_the_flipped(noisy_cancer):
    X, _, _, flipped, audit = noisy_cancer
    evidence = audit.evidence
    for values in (evidence.weight_at_cap, evidence.slack, evidence.influence):
        assert values.shape == (len(X),)
        assert values[flipped].mean() > 2 * values[~flipped].mean()
    assert evidence.weight_at_cap.max() <= 1.0
    assert evidence.influence.mean() == pytest.approx(1.0)
    assert audit.disagreement_[flipped].mean() > 5 * audit.disagreement_[~flipped].mean()
    assert np.isfinite(evidence.log_cell_volume).all()
    rows = audit.suspects(10)
    contributions = evidence.contributions(rows)
    assert contributions.shape == (10, X.shape[1])
    near = evidence.neighbours(rows)
    assert (near.agreeing != rows).all()
    codes = audit.codes_
    assert (codes[near.agreeing] == codes[rows]).all()
    assert (codes[near.disagreeing] != codes[rows]).all()


@pytest.mark.filterwarnings("error")
def test_a_soft_margin_of_nothing_is_no_news():
    """Labels that no single feature tells: the program's advice on ν would be of no use here."""
    X = np.random.default_rng(0).normal(size=(1000, 2))
    audit = LabelAudit(cv=2).fit(X, X[:, 0] * X[:, 1] > 0)
    assert audit.evidence.certificates[0].value < 2 * evidence.GAP


def test_neighbours_are_the_nearest(noisy_cancer):
    _, _, _, _, audit = noisy_cancer
    encoded, codes = audit._evidence._views.encoded, audit.codes_
    row = int(audit.suspects(1)[0])
    distance = np.linalg.norm(encoded - encoded[row], axis=1)
    distance[row] = np.inf
    near = audit.evidence.neighbours([row])
    same = np.where(codes == codes[row], distance, np.inf)
    other = np.where(codes != codes[row], distance, np.inf)
    assert near.agreeing[0] == same.argmin()
    assert near.disagreeing_distance[0] == pytest.approx(other.min(), rel=1e-4)


def test_contributions_come_from_stumps_that_did_not_see_the_row(noisy_cancer):
    """A copy of the audit's own folds, fitted here, has the same votes."""
    X, _, noisy, _, _ = noisy_cancer
    audit = LabelAudit(GaussianNB(), cv=3).fit(X, noisy)
    rows, evidence = np.array([0, 5, 100, 300]), audit.evidence
    votes = evidence.intercepts(rows) + evidence.contributions(rows).sum(axis=1)
    expected = np.zeros(len(rows))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        stumps = boosted_stumps().fit(evidence.bins.take(train), audit.codes_[train])
        here = np.isin(rows, test)
        found = stumps.decision_function(evidence.bins.take(rows[here]))
        expected[here] = np.where(noisy[rows[here]] == audit.classes_[1], 1, -1) * found
    np.testing.assert_allclose(votes, expected, atol=1e-12)


def test_reasons_agree_with_the_vote_of_the_stumps(noisy_cancer):
    X, _, _, _, audit = noisy_cancer
    rows = np.arange(0, len(X), 7)
    votes = audit.evidence.intercepts(rows) + audit.evidence.contributions(rows).sum(axis=1)
    given = audit.votes_["boosted stumps"][rows, audit.codes_[rows]]
    np.testing.assert_array_equal(votes > 0, given > 0.5)


def test_a_label_is_suggested_only_where_it_is_more_likely():
    X, y = load_wine(return_X_y=True)
    noisy, _ = plant_flips(y, 0.2)
    audit = LabelAudit().fit(X, noisy)
    likely = audit.stack_.posterior(audit.codes_)
    np.testing.assert_allclose(likely[np.arange(len(y)), audit.codes_], audit.score_, atol=1e-12)
    other = audit.suggested_codes_ != audit.codes_
    assert other.any()
    np.testing.assert_array_equal(other, audit.margin_ < 0)
    lead = likely.max(axis=1) - audit.score_
    np.testing.assert_allclose(np.where(other, lead, -audit.margin_), -audit.margin_, atol=1e-12)


def test_probabilities_of_a_model_of_ones_own(noisy_cancer):
    X, _, noisy, flipped, _ = noisy_cancer
    probabilities = cross_val_predict(
        make_pipeline(StandardScaler(), LogisticRegression()), X, noisy, method="predict_proba"
    )
    audit = LabelAudit().fit(X, noisy, pred_probs=probabilities)
    assert list(audit.votes_) == ["pred_probs"]
    np.testing.assert_allclose(audit.votes_["pred_probs"], probabilities)
    assert flipped[audit.suspects()].mean() > 0.8
    assert audit_payload(audit, most=5)["voters"][0][0] == "pred_probs"
    with pytest.raises(ValueError, match=r"pred_probs: got shape \(569, 3\), expected \(569, 2\)"):
        LabelAudit().fit(X, noisy, pred_probs=np.ones((569, 3)))
    probabilities[4] = [0.5, np.nan]
    with pytest.raises(ValueError, match="pred_probs: row 4 is"):
        LabelAudit().fit(X, noisy, pred_probs=probabilities)


@pytest.mark.slow
def test_cleaning_wins_back_accuracy():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0)
    score = evaluate_audit(
        LabelAudit(),
        train,
        y_train,
        rate=0.2,
        test=(test, y_test),
        model=AdaBoostClassifier(n_estimators=200),
    )
    assert score.average_precision > 0.85
    for policy in ("drop", "relabel", "downweight"):
        assert score.errors[policy] < score.errors["noisy labels"]


def test_clean_keeps_the_parts_together(noisy_cancer):
    X, _, noisy, _, audit = noisy_cancer
    rows, labels, weights = audit.clean(X, noisy, "drop")
    assert len(rows) == len(labels) == len(weights) == (~audit.flagged_).sum()
    _, relabelled, _ = audit.clean(X, noisy, "relabel")
    np.testing.assert_array_equal(relabelled != noisy, audit.flagged_)
    _, _, weights = audit.clean(X, noisy, "downweight")
    np.testing.assert_array_equal(weights, audit.score_)
    with pytest.raises(ValueError, match="policy: got 'burn', expected one of 'drop'"):
        audit.clean(X, noisy, "burn")
    with pytest.raises(ValueError, match="y: got other labels than those audited"):
        audit.clean(X, 1 - noisy)


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    noisy, flipped = plant_flips(names, 0.1, seed=2)
    audit = LabelAudit().fit(X, noisy)
    assert flipped[audit.suspects(int(flipped.sum()))].mean() > 0.7
    assert audit.belief_.shape == (150, 3)
    assert audit.evidence.slack[flipped].mean() > audit.evidence.slack[~flipped].mean()
    assert audit.evidence.contributions(audit.suspects(3)).shape == (3, 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["uniform", "class-conditional", "near-boundary", "feature-dependent"]
)
def test_every_kind_of_planted_flip(kind):
    X, y = circle_2d(500)
    score = evaluate_audit(LabelAudit(), X, y, rate=0.1, kind=kind)
    assert score.planted_rate == pytest.approx(0.1)
    assert score.average_precision > (0.3 if kind == "near-boundary" else 0.6)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [2000, 6000])
def test_interactions_are_seen_as_well_as_by_gradient_boosting_of_others(n_rows):
    """Labels that no feature tells by itself: small leaves would follow the wrong ones."""
    X = np.random.default_rng(0).normal(size=(n_rows, 12))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + np.sin(3.0 * X[:, 4]) > 0).astype(int)
    noisy, flipped = plant_flips(y, 0.1)
    theirs = cross_val_predict(
        HistGradientBoostingClassifier(random_state=0), X, noisy, cv=5, method="predict_proba"
    )[np.arange(n_rows), noisy]
    ours = LabelAudit().fit(X, noisy).score_
    assert average_precision_score(flipped, -ours) >= average_precision_score(flipped, -theirs)


@pytest.mark.slow
def test_class_conditional_noise_is_told_apart():
    X, y = load_breast_cancer(return_X_y=True)
    noisy, _ = plant_flips(y, 0.1, "class-conditional", seed=0)
    audit = LabelAudit().fit(X, noisy)
    assert audit.class_noise_rates_[0] > 3 * audit.class_noise_rates_[1]  # class 0 got the flipped


def test_voters_of_your_own():
    X, y = circle_2d(300)
    noisy, flipped = plant_flips(y, 0.1)
    one = LabelAudit(DecisionTreeClassifier(min_samples_leaf=10), cv=KFold(4)).fit(X, noisy)
    assert list(one.votes_) == ["DecisionTreeClassifier"]
    two = LabelAudit({"boost": AdaBoostClassifier(), "line": LogisticRegression()}).fit(X, noisy)
    assert two.voter_weights_["boost"] > two.voter_weights_["line"]
    assert flipped[two.suspects(30)].mean() > 0.5


def test_frames_with_gaps_and_categories():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 300)
    size = rng.normal(size=300) + (kind == "b")
    y = (size > 0.3).astype(int)
    size[::17] = np.nan
    X = pd.DataFrame({"kind": pd.Categorical(kind), "size": size, "constant": 1.0})
    noisy, flipped = plant_flips(y, 0.1)
    audit = LabelAudit().fit(X, noisy)
    assert flipped[audit.suspects(30)].mean() > 0.6
    assert np.isnan(audit.evidence.log_cell_volume).all()
    assert audit.evidence.contributions([0, 1]).shape == (2, 3)


@pytest.mark.slow
def test_rows_above_every_limit(monkeypatch):
    """A million rows in small: learning, stacking, neighbours and typical values take samples."""
    monkeypatch.setitem(votes.LEARNING_ROWS, "linear", 200)
    monkeypatch.setattr(stacking, "STACKING_ROWS", 250)
    monkeypatch.setattr(evidence, "REFERENCE_ROWS", 150)
    monkeypatch.setattr(suspects, "TYPICAL_ROWS", 100)
    X, y = circle_2d(800)
    noisy, flipped = plant_flips(y, 0.1, seed=3)
    audit = LabelAudit(cv=3).fit(X, noisy)
    assert audit.score_.shape == (800,)
    assert flipped[audit.suspects(80)].mean() > 0.6
    near = audit.evidence.neighbours(np.arange(800))
    assert len({*near.agreeing.tolist(), *near.disagreeing.tolist()}) <= 150
    payload = audit_payload(audit, most=20)
    assert payload["rows"] == 800
    assert len(payload["suspects"]) == 20


@pytest.mark.slow
def test_audits_repeat():
    X, y = circle_2d(200)
    first, second = LabelAudit().fit(X, y), LabelAudit(n_jobs=1).fit(X, y)
    np.testing.assert_allclose(first.score_, second.score_, rtol=1e-9)


def test_flag_keeps_the_share_of_false_alarms():
    rng = np.random.default_rng(0)
    score = rng.random(1000)
    doubted = rng.random(1000) < 0.5
    for fdr in (0.0, 0.1, 0.4):
        flagged = flag(score, doubted, fdr)
        assert not (flagged & ~doubted).any()
        assert not flagged.any() or score[flagged].mean() <= fdr
        rest = doubted & ~flagged & (score < 0.5)
        if rest.any():  # one more would be too many
            more = np.append(score[flagged], score[rest].min())
            assert more.mean() > fdr


def test_no_label_is_flagged_that_is_rather_right():
    """A hundred sure suspects must not buy a place among them for a row that is likely right."""
    score = np.append(np.zeros(100), [0.49, 0.5, 0.9])
    assert flag(score, np.full(103, True), 0.2).tolist() == [True] * 101 + [False] * 2
    assert not flag(score, np.append(np.full(102, True), False), 0.99)[101:].any()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"fdr": 1.0}, ValueError, "fdr: got 1.0, expected a number at least 0 and below 1"),
        ({"voters": 3}, TypeError, "expected a scikit-learn style classifier"),
        ({"voters": {}}, ValueError, "voters: got none"),
        ({"cv": 1}, ValueError, "cv: got 1"),
        ({"categorical_features": ["no"]}, ValueError, "categorical_features: got 'no'"),
    ],
)
def test_bad_parameters(change, error, message):
    X, y = circle_2d(50)
    with pytest.raises(error, match=message):
        LabelAudit(**change).fit(X, y)


def test_a_row_alone_in_its_class_teaches_and_is_not_judged():
    X, y = circle_2d(60)
    alone = [3, 8]
    y = np.where(y > 0, 1, 0)
    y[alone] = 2, 3
    audit = LabelAudit(voters=GaussianNB()).fit(X, y)
    assert audit.score_[alone].min() > 0.99
    assert audit.suggested_[alone].tolist() == [2, 3]
    assert audit.disagreement_[alone].tolist() == [0.0, 0.0]
    for train, test in audit._make_folds():
        assert set(alone) <= set(train)
        assert not set(alone) & set(test)


def test_bad_labels():
    X, _ = circle_2d(50)
    with pytest.raises(ValueError, match="y: got one class"):
        LabelAudit().fit(X, np.zeros(50))
    with pytest.raises(ValueError, match="y: got one row of each class, expected two"):
        LabelAudit().fit(X, np.arange(50))
    with pytest.raises(ValueError, match="rate: got 2"):
        plant_flips([0, 1], 2)
    with pytest.raises(ValueError, match="kind: got 'odd'"):
        plant_flips([0, 1], 0.1, "odd")


def test_a_lazy_frame_is_refused():
    with pytest.raises(TypeError, match="X: got a lazy frame"):
        LabelAudit().fit(pl.DataFrame({"a": [1.0, 2.0]}).lazy(), [0, 1])
