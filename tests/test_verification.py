"""``verify`` trusts neither the run that made a certificate nor the base learner's word."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from marginboost import (
    AdaBoostClassifier,
    ArcGVClassifier,
    LPBoostClassifier,
    MulticlassBooster,
    SAMMEClassifier,
    StumpOracle,
    verification,
    verify,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=60) > 0, 1, -1)


class Lying(StumpOracle):
    """The right stumps, with edges that are not theirs."""

    def __init__(self, factor=0.5, categorical="equality"):
        super().__init__(categorical)
        self.factor = factor

    def best(self, *args, **kwargs):
        found = super().best(*args, **kwargs)
        return [replace(candidate, edge=self.factor * candidate.edge) for candidate in found]


@pytest.mark.parametrize("make", [LPBoostClassifier, ArcGVClassifier])
@pytest.mark.parametrize("factor", [0.5, 1.1])
def test_a_base_learner_that_misreports_its_edges_is_found_out(rows, make, factor):
    honest = make().fit(*rows)
    model = make(Lying(factor)).fit(*rows)
    assert verify(honest, *rows).holds
    found = verify(model, *rows)
    assert any("says that the largest edge is" in sentence for sentence in found.contradictions)
    best = verify(honest, *rows, tol=1e-8)
    assert best.lower - 1e-7 <= found.upper  # the truth, whatever the base learner says
    assert found.lower <= best.upper + 1e-7


def test_a_bound_that_rests_on_a_lie_is_refuted(rows):
    model = LPBoostClassifier(Lying(0.5)).fit(*rows)
    assert model.certificate_.certified
    assert model.certificate_.upper < verify(LPBoostClassifier().fit(*rows), *rows).lower
    assert any("is not an upper bound" in said for said in verify(model, *rows).contradictions)


def test_a_search_gone_wrong_in_the_package_itself_is_found_out(rows, monkeypatch):
    """The largest edge is summed up in plain NumPy, not by the search that fits use."""
    search = StumpOracle.best

    def wrong(self, *args, **kwargs):
        return [replace(c, edge=0.5 * c.edge) for c in search(self, *args, **kwargs)]

    monkeypatch.setattr(StumpOracle, "best", wrong)
    model = LPBoostClassifier().fit(*rows)
    found = verify(model, *rows)
    assert any("says that the largest edge is" in sentence for sentence in found.contradictions)
    monkeypatch.undo()
    assert found.upper >= verify(model, *rows, tol=1e-8).lower - 1e-7


@pytest.mark.parametrize("make", [AdaBoostClassifier, ArcGVClassifier])
def test_an_honest_empty_model_holds(make):
    X, y = np.ones((10, 2)), np.arange(10) % 2
    model = make().fit(X, y)
    assert len(model.estimators_) == 0
    found = verify(model, X, y)
    assert found.contradictions == []
    assert found.lower <= 0.0 <= found.upper + 1e-9
    # Not empty models of other rows: there a stump has an edge.
    other = np.column_stack([y, y]).astype(float)
    assert not verify(model, other, y).holds


def test_several_classes_are_checked_problem_by_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.array(["a", "b", "c"])[(X[:, 0] > -0.4).astype(int) + (X[:, 0] > 0.5)]
    for model in (ArcGVClassifier(), MulticlassBooster(ArcGVClassifier(), code="error-correcting")):
        found = verify(model.fit(X, y), X, y)
        assert [part.holds for part in found] == [True, True, True]
        for part, proof in zip(found, model.certificate_, strict=True):
            assert part.value == pytest.approx(proof.value, abs=1e-9)
    swapped = np.where(y == "a", "b", np.where(y == "b", "a", y))
    assert not any(part.holds for part in verify(model, X, swapped)[:2])


@pytest.mark.parametrize(
    "model",
    [SAMMEClassifier(n_estimators=2), MulticlassBooster(code="all-pairs")],
    ids=["labels at once", "rows left out"],
)
def test_what_cannot_be_checked_is_refused(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(
        TypeError, match=f"no independent check is known for {type(model).__name__}"
    ):
        verify(clone(model).fit(X, y), X, y)


@pytest.mark.parametrize("make", [LPBoostClassifier, ArcGVClassifier])
def test_weights_are_made_to_sum_to_one(rows, make, monkeypatch):
    """Whatever the solver leaves: the bound rests on weights and on no promise about them."""
    model = make().fit(*rows)
    honest = verify(model, *rows)
    solve = verification.train
    monkeypatch.setattr(
        verification, "train", lambda *a, **k: replace(run := solve(*a, **k), dual=0.5 * run.dual)
    )
    found = verify(model, *rows)
    assert found.upper == pytest.approx(honest.upper, abs=1e-12)
    assert found.holds
