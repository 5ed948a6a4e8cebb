"""Every cell of the table of capabilities, proven by using the feature on a small table."""

import inspect
import warnings
from dataclasses import fields
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import is_classifier, is_regressor

import marginboost
from marginboost import BinnedMatrix
from marginboost.core.parts import LocalParts, Part, Source
from marginboost.estimators import base
from marginboost.estimators.base import fit_parts
from marginboost.estimators.capabilities import Capabilities, capabilities_of, refusal
from marginboost.model import Features
from marginboost.verification import check_verifiable, verify, verify_regressor

KINDS = [
    kind
    for kind in (getattr(marginboost, name) for name in marginboost.__all__)
    if isinstance(kind, type) and hasattr(kind, "fit") and hasattr(kind, "predict")
]
FEATURES = {feature.name: feature.metadata for feature in fields(Capabilities)}

RNG = np.random.default_rng(0)
N_ROWS = 120
X = RNG.normal(size=(N_ROWS, 3))
SCORE = X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + 0.3 * RNG.normal(size=N_ROWS)
"""An interaction, so that trees are deeper than one split."""
TWO, THREE = (SCORE > 0).astype(int), np.digitize(SCORE, [-0.5, 0.5])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # votes of few rounds that say next to nothing
        yield


def quick(kind, **settings):
    """Estimator of few rounds and folds, with default settings else."""
    model = kind()
    known = model.get_params()
    few = {"n_estimators": 6, "cv": 2}
    return model.set_params(**{**{k: v for k, v in few.items() if k in known}, **settings})


def usual_target(kind):
    if is_regressor(kind()):
        return SCORE
    return TWO if is_classifier(kind()) else THREE


@cache
def fitted(kind):
    return quick(kind).fit(X, usual_target(kind))


@cache
def fitted_to_three(kind):
    return quick(kind).fit(X, THREE)


def output(model, rows):
    """Votes or numbers, which differ where models do."""
    return (model.decision_function if is_classifier(model) else model.predict)(rows)


def cells(feature, *, has):
    """Estimators that have a feature, or do not; those for which it has no meaning are neither."""
    chosen = [kind for kind in KINDS if getattr(capabilities_of(kind), feature) is has]
    return pytest.mark.parametrize("kind", chosen, ids=lambda kind: kind.__name__)


def refused(error, kind, feature, use):
    """Whether the error names the estimator, the feature and estimators that have it."""
    with pytest.raises(error) as caught:
        use()
    assert str(caught.value).endswith(refusal(kind, feature))
    assert kind.__name__ in str(caught.value)


@pytest.mark.parametrize("feature", FEATURES)
def test_estimators_that_errors_name_have_the_feature(feature):
    for name in FEATURES[feature]["such_as"]:
        assert getattr(capabilities_of(getattr(marginboost, name)), feature) is True


def test_a_feature_without_meaning_is_neither_there_nor_lacking():
    for kind in KINDS:
        found = capabilities_of(kind)
        assert (found.several_classes is None) == (not is_classifier(kind()))
        assert (found.exports_several_classes is None) == (not is_classifier(kind()))
        assert (found.several_targets is None) == (not is_regressor(kind()))


# -- rows ----------------------------------------------------------------------------------------


@cells("weights", has=True)
def test_a_weight_of_zero_is_no_row(kind):
    y, weights = usual_target(kind).copy(), np.ones(N_ROWS)
    y[::5], weights[::5] = y[::5].max() - y[::5] + y[::5].min(), 0.0  # wrong, and without weight
    kept = weights > 0
    found = quick(kind).fit(X, y, sample_weight=weights)
    expected = quick(kind).fit(X[kept], y[kept])
    assert_allclose(output(found, X), output(expected, X), atol=1e-9)


@cells("weights", has=False)
def test_no_weights(kind):
    y = usual_target(kind)
    refused(TypeError, kind, "weights", lambda: kind().fit(X, y, sample_weight=np.ones(N_ROWS)))


@cells("categories", has=True)
def test_categories(kind):
    """Categories alone tell rows apart, and their order does not."""
    column = np.array(list("abcd"))[np.arange(N_ROWS) % 4]
    y = np.isin(column, ["b"]).astype(float if is_regressor(kind()) else int)
    model = quick(kind).fit(pd.DataFrame({"kind": pd.Categorical(column)}), y)
    of = output(model, pd.DataFrame({"kind": pd.Categorical(list("abcd"))}))
    assert of[1] > max(of[0], of[2], of[3])


@cells("missing_values", has=True)
def test_missing_values(kind):
    """Whether there is a value is all that tells rows apart."""
    rows = X[:, :1].copy()
    rows[::3] = np.nan
    y = np.isnan(rows[:, 0]).astype(float if is_regressor(kind()) else int)
    of = output(quick(kind).fit(rows, y), np.array([[np.nan], [0.0]]))
    assert of[0] > of[1]


@cells("sparse_rows", has=True)
def test_sparse_rows(kind):
    sparse = np.where(np.abs(X) < 0.5, 0.0, X)
    y = usual_target(kind)
    found, expected = quick(kind).fit(csr_matrix(sparse), y), quick(kind).fit(sparse, y)
    assert_array_equal(output(found, csr_matrix(sparse)), output(expected, sparse))


@pytest.mark.parametrize("feature", ["categories", "missing_values", "sparse_rows"])
def test_rows_of_all_kinds_are_taken_by_all(feature):
    assert all(getattr(capabilities_of(kind), feature) for kind in KINDS)


def in_two_parts(y):
    """Features, bins and two parts of the table, with classes or None of targets."""
    bins = BinnedMatrix.from_data(X)
    parts = [
        Part.of(Source(bins.take(some), y[some], np.ones(len(some))))
        for some in (np.arange(50), np.arange(50, N_ROWS))
    ]
    features = Features(list(bins.names), list(bins.categories), bins.named)
    return features, bins, None if y.dtype.kind == "f" else np.unique(y), LocalParts(parts)


@cells("rows_in_parts", has=True)
def test_rows_in_parts(kind):
    """Hypotheses and coefficients are those of a fit to one table."""
    y = usual_target(kind)
    program = {"solver": "smooth"} if "solver" in kind().get_params() else {}
    found = fit_parts(quick(kind, **program), *in_two_parts(y))
    expected = quick(kind, **program).fit(BinnedMatrix.from_data(X), y)
    assert found.estimators_ == expected.estimators_
    assert_allclose(found.estimator_weights_, expected.estimator_weights_, rtol=1e-9)


@cells("rows_in_parts", has=False)
def test_no_rows_in_parts(kind):
    y = usual_target(kind)
    refused(TypeError, kind, "rows_in_parts", lambda: fit_parts(quick(kind), *in_two_parts(y)))


@cells("rows_in_parts", has=False)
def test_rows_in_parts_would_not_be_enough(kind, monkeypatch):
    """The table does not refuse what would work: without its word the fit fails all the same."""
    monkeypatch.setattr(base, "check_runs_on_parts", lambda estimator: None)
    with pytest.raises((TypeError, ValueError, IndexError, AttributeError)):
        fit_parts(quick(kind), *in_two_parts(usual_target(kind)))


def test_a_cluster_fits_what_rows_in_parts_are_enough_for():
    dask = pytest.importorskip("marginboost.dask")
    made = {getattr(getattr(dask, name), "local_type", None) for name in dask.__all__} - {None}
    assert made == {kind for kind in KINDS if capabilities_of(kind).rows_in_parts}


# -- labels and targets --------------------------------------------------------------------------


@cells("several_classes", has=True)
def test_several_classes(kind):
    model = fitted_to_three(kind)
    assert model.decision_function(X).shape == (N_ROWS, 3)
    assert model.score(X, THREE) > np.mean(np.bincount(THREE).argmax() == THREE)


@cells("several_classes", has=False)
def test_no_several_classes(kind):
    refused(ValueError, kind, "several_classes", lambda: quick(kind).fit(X, THREE))


@cells("several_targets", has=True)
def test_several_targets(kind):
    """Each target is learnt as if it were alone."""
    found = quick(kind).fit(X, np.column_stack([SCORE, X[:, 2]])).predict(X)
    alone = [quick(kind).fit(X, y).predict(X) for y in (SCORE, X[:, 2])]
    assert_array_equal(found, np.column_stack(alone))


@cells("several_targets", has=False)
def test_no_several_targets(kind):
    both = np.column_stack([SCORE, X[:, 2]])
    refused(ValueError, kind, "several_targets", lambda: quick(kind).fit(X, both))


@cells("probabilities", has=True)
def test_probabilities(kind):
    model = fitted(kind)
    chances = model.predict_proba(X)
    assert_allclose(chances.sum(axis=1), 1.0)
    assert ((chances >= 0.0) & (chances <= 1.0)).all()
    assert (chances[np.arange(N_ROWS), model.predict(X)] >= 0.5 - 1e-9).all()


@cells("probabilities", has=False)
def test_no_probabilities(kind):
    refused(AttributeError, kind, "probabilities", lambda: fitted(kind).predict_proba)


@cells("soft_labels", has=True)
def test_soft_labels(kind):
    """Labels that are certain are labels."""
    found = quick(kind).fit_soft_labels(X, np.eye(2)[TWO])
    assert_allclose(found.decision_function(X), fitted(kind).decision_function(X), atol=1e-9)
    even = quick(kind).fit_soft_labels(X, np.full((N_ROWS, 2), 0.5))
    assert_allclose(even.predict_proba(X), 0.5, atol=1e-6)


@cells("soft_labels", has=False)
def test_no_soft_labels(kind):
    refused(AttributeError, kind, "soft_labels", lambda: kind().fit_soft_labels)


# -- parameters ----------------------------------------------------------------------------------


@cells("early_stopping", has=True)
def test_early_stopping_and_warm_start(kind):
    y = usual_target(kind)
    model = quick(kind, early_stopping=True, n_iter_no_change=1, n_estimators=80, learning_rate=1.0)
    if "qid" in inspect.signature(kind.fit).parameters:
        model.fit(X, y, qid=np.arange(N_ROWS) // 10)
    else:
        model.fit(X, y)
    assert model.n_iter_ < 80
    grown = quick(kind, warm_start=True, n_estimators=3).fit(X, y)
    grown.set_params(n_estimators=6).fit(X, y)
    assert_array_equal(output(grown, X), output(fitted(kind), X))


@cells("monotone_constraints", has=True)
def test_monotone_constraints(kind):
    rising = quick(kind, monotonic_cst=[1, 0, 0], n_estimators=20).fit(X, usual_target(kind))
    free = quick(kind, n_estimators=20).fit(X, usual_target(kind))
    grid = np.zeros((100, 3))
    grid[:, 0], grid[:, 1] = np.linspace(-2.0, 2.0, 100), -1.0
    assert (np.diff(output(rising, grid)) >= 0.0).all()
    assert (np.diff(output(free, grid)) < 0.0).any()


@cells("interaction_constraints", has=True)
def test_interaction_constraints(kind):
    alone = quick(kind, interaction_cst=[[0], [1], [2]]).fit(X, usual_target(kind))
    assert alone.model_.additive  # no tree asks for two features
    assert not fitted(kind).model_.additive


@pytest.mark.parametrize(
    ("feature", "parameters"),
    [
        ("early_stopping", {"early_stopping": True}),
        ("early_stopping", {"warm_start": True}),
        ("monotone_constraints", {"monotonic_cst": [1, 0, 0]}),
        ("interaction_constraints", {"interaction_cst": [[0]]}),
    ],
)
def test_parameters_of_other_estimators(feature, parameters):
    for kind in KINDS:
        if not getattr(capabilities_of(kind), feature):
            refused(TypeError, kind, feature, lambda kind=kind: kind(**parameters))


@cells("early_stopping", has=False)
def test_no_validation_rows(kind):
    y = usual_target(kind)
    refused(TypeError, kind, "early_stopping", lambda: kind().fit(X, y, eval_set=(X, y)))


# -- what is said of models ----------------------------------------------------------------------


def bounds_hold(model, y):
    """Whether bounds found anew, without trust in the fit, agree with the certificate."""
    if is_regressor(model):
        return verify_regressor(model, X, y).holds
    try:
        check_verifiable(model)
    except TypeError:  # of rows of examples and labels: the margins alone are found anew
        found = model.certificate_
        margins = model.margins(X, y)
        return found.lower <= found.upper and abs(margins.min() - found.value) < 1e-9
    return verify(model, X, y).holds


@cells("certifies", has=True)
def test_certificates(kind):
    model = fitted(kind)
    assert model.certified_
    certificate = model.certificate_
    assert certificate.lower <= certificate.upper + 1e-9
    assert bounds_hold(model, usual_target(kind))


@cells("certifies", has=False)
def test_no_certificates(kind):
    model = fitted(kind)
    if hasattr(kind, "certificate_"):
        assert not model.certified_
        assert model.certificate_.reason
    else:
        refused(AttributeError, kind, "certifies", lambda: model.certificate_)


@cells("explains", has=True)
def test_explanations(kind):
    """Contributions of the features add up to what the model says."""
    model = fitted(kind)
    found = model.explain()
    several = found if isinstance(found, list) else [found]
    sums = [one.intercept + one.contributions(X).sum(axis=1) for one in several]
    total = sums[0] if len(sums) == 1 else (sums[1] - sums[0]) / 2.0
    assert_allclose(total, output(model, X), atol=1e-12)


@cells("explains", has=False)
def test_no_explanations(kind):
    error = TypeError if hasattr(kind, "explain") else AttributeError
    refused(error, kind, "explains", lambda: fitted(kind).explain())


def run_onnx(model):
    """Outputs of the exported graph."""
    onnxruntime = pytest.importorskip("onnxruntime")
    graph = model.to_onnx().SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    names = [found.name for found in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True))


@cells("exports", has=True)
def test_exports(kind):
    model, found = fitted(kind), run_onnx(fitted(kind))
    assert_array_equal(found["label" if is_classifier(model) else "prediction"], model.predict(X))
    if is_classifier(model):
        assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-12)


@cells("exports", has=False)
def test_no_exports(kind):
    refused(AttributeError, kind, "exports", lambda: fitted(kind).to_onnx())


@cells("exports_several_classes", has=True)
def test_exports_of_several_classes(kind):
    model = fitted_to_three(kind)
    assert_array_equal(run_onnx(model)["label"], model.predict(X))


@cells("exports_several_classes", has=False)
def test_no_exports_of_several_classes(kind):
    if hasattr(kind, "to_onnx"):
        refused(TypeError, kind, "exports_several_classes", lambda: fitted_to_three(kind).to_onnx())
    else:
        refused(AttributeError, kind, "exports", lambda: kind().to_onnx())
