"""The classifiers inside what users build with scikit-learn, pandas and joblib."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginboost import AdaBoostClassifier, StumpOracle
from marginboost.estimators.classifier import BaseMarginClassifier

EVERY = sorted(BaseMarginClassifier.__registry__.values(), key=lambda make: make.__name__)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 240
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    X["k"] = pd.Categorical(rng.choice(list("abcd"), size=n))
    good = X["k"].isin(["a", "c"]).to_numpy()
    y = np.where(X["x"].to_numpy() + 2 * good + 0.4 * rng.normal(size=n) > 1, "yes", "no")
    return X, y


def test_pipeline(frame):
    X, y = frame
    numbers = X[["x", "z"]]
    pipe = make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=20)).fit(numbers, y)
    plain = AdaBoostClassifier(n_estimators=20).fit(StandardScaler().fit_transform(numbers), y)
    np.testing.assert_array_equal(
        pipe.decision_function(numbers), plain.decision_function(pipe[:-1].transform(numbers))
    )
    assert pipe.score(numbers, y) > 0.7
    assert pipe.set_params(adaboostclassifier__n_estimators=3).fit(numbers, y)[-1].n_iter_ == 3


@pytest.mark.parametrize("sparse_output", [False, True])
def test_column_transformer(frame, sparse_output):
    X, y = frame
    transformer = ColumnTransformer(
        [("n", StandardScaler(), ["x", "z"]), ("c", OneHotEncoder(), ["k"])],
        sparse_threshold=1.0 if sparse_output else 0.0,
    )
    pipe = make_pipeline(transformer, AdaBoostClassifier(n_estimators=30)).fit(X, y)
    assert pipe[-1].n_features_in_ == 6
    assert pipe.score(X, y) > 0.85


def test_column_transformer_to_pandas_keeps_names(frame):
    X, y = frame
    transformer = ColumnTransformer(
        [("n", StandardScaler(), ["x", "z"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipe = make_pipeline(transformer, AdaBoostClassifier(n_estimators=30)).fit(X, y)
    np.testing.assert_array_equal(pipe[-1].feature_names_in_, ["x", "z", "k"])
    assert any(stump.categories is not None for stump in pipe[-1].estimators_)
    assert pipe.score(X, y) > 0.85


def test_grid_search_over_the_base_learner(frame):
    X, y = frame
    grid = {"estimator__categorical": ["equality", "partition"], "n_estimators": [1, 15]}
    search = GridSearchCV(AdaBoostClassifier(StumpOracle()), grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores.round(6))) > 2
    assert search.best_estimator_.estimator.categorical in ("equality", "partition")
    assert search.score(X, y) > 0.8


def test_a_bad_base_learner_setting_in_a_grid_is_an_error(frame):
    X, y = frame
    search = GridSearchCV(
        AdaBoostClassifier(StumpOracle()),
        {"estimator__categorical": ["nonsense"]},
        cv=2,
        error_score="raise",
    )
    with pytest.raises(ValueError, match="categorical: got 'nonsense'"):
        search.fit(X, y)


def test_cross_validation_with_routed_weights(frame):
    X, y = frame
    weight = np.where(X["x"] > 0, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = AdaBoostClassifier(n_estimators=3).set_fit_request(sample_weight=True)
        routed = cross_validate(
            model,
            X,
            y,
            cv=KFold(3),
            params={"sample_weight": weight},
            return_estimator=True,
            scoring=get_scorer("accuracy").set_score_request(sample_weight=False),
        )
        unrequested = AdaBoostClassifier(n_estimators=3)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_val_score(
                unrequested, X, y, params={"sample_weight": weight}, error_score="raise"
            )
    for fitted, (train, _) in zip(routed["estimator"], KFold(3).split(X), strict=True):
        expected = AdaBoostClassifier(n_estimators=3).fit(X.iloc[train], y[train], weight[train])
        np.testing.assert_array_equal(fitted.estimator_weights_, expected.estimator_weights_)
        plain = AdaBoostClassifier(n_estimators=3).fit(X.iloc[train], y[train])
        assert not np.array_equal(fitted.estimator_weights_, plain.estimator_weights_)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(frame, method):
    X, y = frame
    model = CalibratedClassifierCV(AdaBoostClassifier(n_estimators=30), method=method, cv=3)
    chances = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("make", EVERY)
def test_clone_keeps_settings_and_forgets_the_fit(make, frame):
    X, y = frame[0][:80], frame[1][:80]
    model = make(StumpOracle("partition"), n_estimators=5, n_jobs=1, random_state=0).fit(X, y)
    twin = clone(model)
    assert not hasattr(twin, "classes_")
    assert twin.estimator.categorical == "partition"
    assert twin.estimator is not model.estimator
    np.testing.assert_array_equal(twin.fit(X, y).decision_function(X), model.decision_function(X))


def copy_by_joblib(model, path):
    joblib.dump(model, path)
    return joblib.load(path)


@pytest.mark.parametrize("make", EVERY)
def test_copies_predict_the_same(make, frame, tmp_path):
    X, y = frame[0][:120], frame[1][:120]
    model = make(n_estimators=10, random_state=0).fit(X, y)
    check_copy(pickle.loads(pickle.dumps(model)), model, X)
    check_copy(copy_by_joblib(model, tmp_path / "model.joblib"), model, X)
    check_copy(copy.deepcopy(model), model, X)


def check_copy(loaded, model, X):
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.margins_, model.margins_)
    assert loaded.certificate_ == model.certificate_
    assert loaded.stop_reason_ is model.stop_reason_
    assert loaded.history_.to_dict().keys() == model.history_.to_dict().keys()
    with pytest.warns(UserWarning, match="not seen in fit"):
        loaded.predict(X.iloc[:1].assign(k=pd.Categorical(["new"])))


def test_permutation_importance(frame):
    X, y = frame
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert set(np.argsort(found)[-2:]) == {0, 2}
    assert abs(found[1]) < min(found[0], found[2]) / 2


def test_wrappers_for_three_classes():
    X, y = load_iris(return_X_y=True)
    for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
        model = wrapper(AdaBoostClassifier(n_estimators=30)).fit(X, y)
        assert len(model.estimators_) == 3
        assert set(model.predict(X)) == {0, 1, 2}
        assert model.score(X, y) > 0.95
    names = np.array(["setosa", "versicolor", "virginica"])
    named = OneVsRestClassifier(AdaBoostClassifier(n_estimators=30)).fit(X, names[y])
    assert named.score(X, names[y]) > 0.95
    np.testing.assert_allclose(named.predict_proba(X).sum(axis=1), 1.0)


def test_in_ensembles_of_others(frame):
    X, y = frame
    numbers = X[["x", "z"]]
    members = [("boost", AdaBoostClassifier(n_estimators=5)), ("line", LogisticRegression())]
    assert VotingClassifier(members, voting="soft").fit(numbers, y).score(numbers, y) > 0.6
    assert StackingClassifier(members, cv=2).fit(numbers, y).score(numbers, y) > 0.6


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=1),
        DecisionTreeRegressor(max_depth=2),
        Ridge(),
        GaussianNB(),
        LogisticRegression(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_scikit_learn_base_learners(frame, estimator):
    X, y = frame
    numbers = X[["x", "z"]].to_numpy()
    model = AdaBoostClassifier(estimator, n_estimators=5, random_state=0).fit(numbers, y)
    assert not model.certified_
    assert "need not return" in model.certificate_.reason
    assert model.score(numbers, y) > 0.6
    assert (np.abs(model.decision_function(numbers)) <= 1).all()
    again = AdaBoostClassifier(estimator, n_estimators=5, random_state=0).fit(numbers, y)
    np.testing.assert_array_equal(
        again.decision_function(numbers), model.decision_function(numbers)
    )
    assert not hasattr(estimator, "classes_")  # it is cloned, never fitted itself
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        loaded.decision_function(numbers), model.decision_function(numbers)
    )


def test_scikit_learn_stumps_are_the_exact_stumps():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=120) > 0
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=1).fit(X, y)
    ours = AdaBoostClassifier(n_estimators=1, max_bins=None).fit(X, y)
    # Gini and the edge may prefer different cuts; ours is never worse.
    assert ours.history_["edge"][0] >= theirs.history_["edge"][0] - 1e-12


def test_a_weight_that_vanished_is_not_a_third_class():
    from marginboost import SklearnOracle
    from marginboost.core import Sample
    from marginboost.data import Table

    X = np.arange(8.0)[:, None]
    sample = Sample.of_labels([-1, -1, -1, -1, 1, 1, 1, 1], rows=Table(X, ["x"]))
    dual = np.array([-0.25, -0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25])
    for estimator in (DecisionTreeClassifier(), KNeighborsClassifier(1)):
        (found,) = SklearnOracle(estimator).bind(sample).best(dual)
        assert set(found.hypothesis.estimator.classes_) <= {-1.0, 1.0}
        assert found.edge == 1.0


def test_predictions_of_pandas_are_arrays_in_the_order_of_rows(frame):
    X, y = frame
    model = AdaBoostClassifier(n_estimators=10).fit(X, pd.Series(y, index=X.index[::-1]))
    shuffled = X.sample(frac=1, random_state=0)
    votes = pd.Series(model.decision_function(X), index=X.index)
    np.testing.assert_array_equal(model.decision_function(shuffled), votes[shuffled.index])
    assert isinstance(model.predict(X), np.ndarray)
    history = model.history_.to_frame()
    assert isinstance(history, pd.DataFrame)
    assert history.index.tolist() == list(range(1, model.n_iter_ + 1))
