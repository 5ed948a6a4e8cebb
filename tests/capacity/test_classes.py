"""Labelings counted one by one against growth functions and VC dimensions; learners of the book."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from marginboost.capacity import (
    AtMostPositives,
    Boxes,
    Intervals,
    KernelClassifiers,
    LinearClassifiers,
    Monomials,
    Stumps,
    Thresholds,
    enclosing_radius,
    error_sets,
    finite_class_sample_size,
    forced_labels,
    geometric_margin,
    linear_capacity,
    mistake_bound,
    perceptron,
    sample_labelings,
    sample_vc_dimension,
    sauer,
    search_vc_dimension,
    separable,
    shatters,
)

CLASSES = {
    "thresholds": (Thresholds(), 1, True),
    "stumps, 1": (Stumps(1), 1, True),
    "stumps, 3": (Stumps(3), 3, False),
    "interval": (Intervals(1), 1, True),
    "three intervals": (Intervals(3), 1, True),
    "any intervals": (Intervals(None), 1, True),
    "plane": (LinearClassifiers(2), 2, True),
    "through the origin": (LinearClassifiers(3, intercept=False), 3, False),
    "box": (Boxes(2), 2, False),
    "two positives": (AtMostPositives(2), 2, True),
    "kernel": (KernelClassifiers(), 2, True),
}


@pytest.mark.parametrize(("hypotheses", "n_features", "exact"), CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("m", [1, 4, 7])
def test_growth_functions_count_labelings_sf_q27(hypotheses, n_features, exact, m):
    """General position: as many labelings as the formula says, never more (SF-C9, SF-C11)."""
    points = np.random.default_rng(m).normal(size=(m, n_features))
    ways = hypotheses.labelings(points)
    assert len(np.unique(ways, axis=0)) == len(ways)
    assert all(hypotheses.allows(points, way) for way in ways)
    assert (len(ways) == hypotheses.growth(m)) if exact else (len(ways) <= hypotheses.growth(m))
    if math.isinf(hypotheses.vc_dimension):  # SF-C14: all labelings for every m, or polynomial
        assert hypotheses.growth(m) == 2**m
    else:
        assert hypotheses.growth(m) <= sauer(m, int(hypotheses.vc_dimension))
    assert hypotheses.log_growth(m) == pytest.approx(math.log(hypotheses.growth(m)))


def around_the_origin(m, d, seed=0):
    """Points in general position that no half-space through the origin holds, if that can be."""
    points = np.random.default_rng(seed).normal(size=(m, d))
    if m > d:
        points[d] = -points[:d].sum(axis=0)
    return points


def degenerate(m, d):
    """Points on each other, opposite to each other, at the origin, on a line, on a lattice."""
    rng = np.random.default_rng(m)
    yield np.zeros((m, d))
    yield around_the_origin(m, d)[rng.integers(m, size=m)]
    yield around_the_origin(m, d) * np.where(np.arange(m) == 0, 0.0, 1.0)[:, None]
    half = rng.normal(size=(m - m // 2, d))
    yield np.vstack([half, -half])[:m]
    yield rng.normal(size=(m, 1)) * np.ones(d)
    yield np.column_stack([np.ones(m), rng.normal(size=(m, d - 1))])
    for _ in range(4):
        yield rng.integers(-1, 2, size=(m, d)).astype(float)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 6, 7])
def test_half_spaces_through_the_origin_have_ties(m, d):
    """A tie is negative: w = 0 is one labeling more than Cover's, and nothing else is."""
    hypotheses = LinearClassifiers(d, intercept=False)
    assert len(hypotheses.labelings(around_the_origin(m, d))) == hypotheses.growth(m)
    assert hypotheses.growth(m) <= sauer(m, d)
    assert (hypotheses.growth(m) == 2**m) == (m <= d)
    assert hypotheses.log_growth(m) == pytest.approx(math.log(hypotheses.growth(m)))
    assert hypotheses.log_growth(0) == 0.0
    for points in degenerate(m, d):
        assert len(hypotheses.labelings(points)) <= hypotheses.growth(m)


@pytest.mark.parametrize(("hypotheses", "n_features", "exact"), CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("m", [1, 3, 5])
def test_no_position_has_more_labelings_than_the_growth_function(hypotheses, n_features, exact, m):
    for points in degenerate(m, n_features):
        assert len(hypotheses.labelings(points)) <= hypotheses.growth(m)


@pytest.mark.parametrize("d", [0, 1, 3])
def test_sauers_lemma_is_tight_sf_x2_7(d):
    """At most d positives: VC dimension d, and as many labelings as the lemma allows."""
    points = np.arange(6.0)[:, None]
    assert len(AtMostPositives(d).labelings(points)) == sauer(6, d) == AtMostPositives(d).growth(6)
    assert search_vc_dimension(AtMostPositives(d), 1, n_tries=5, max_points=d + 1) == d


DIMENSIONS = {
    "thresholds": (Thresholds(), 1),
    "stumps, 1": (Stumps(1), 1),
    "stumps, 2": (Stumps(2), 2),
    "stumps, 3": (Stumps(3), 3),
    "interval": (Intervals(1), 1),
    "two intervals": (Intervals(2), 1),
    "plane": (LinearClassifiers(2), 2),
    "box": (Boxes(2), 2),
    "three positives": (AtMostPositives(3), 1),
}


@pytest.mark.parametrize(("hypotheses", "n_features"), DIMENSIONS.values(), ids=DIMENSIONS)
def test_searching_finds_the_vc_dimension_lb_a7d_ba_p24(hypotheses, n_features):
    tries = 600 if isinstance(hypotheses, Boxes | Stumps) else 20
    most = int(hypotheses.vc_dimension) + 1
    found = search_vc_dimension(hypotheses, n_features, n_tries=tries, max_points=most)
    assert found == hypotheses.vc_dimension


def test_stumps_shatter_logarithmically_many_points_sf_x2_10():
    """D ≤ 2.132 + 3.075 ln n, from 2^d ≤ 2nd; and at most 2nm labelings."""
    for n in (1, 2, 3, 10, 100, 10_000):
        assert Stumps(n).vc_dimension <= 2.132 + 3.075 * math.log(n) + 1e-3
        assert Stumps(n).growth(50) <= 2 * n * 50
    assert all(Stumps(n).vc_dimension <= n + 1 for n in range(1, 20))  # BA-P24


def test_infinite_classes_shatter_any_distinct_points_lb_c13():
    points = np.random.default_rng(0).normal(size=(6, 2))
    assert np.linalg.eigvalsh(KernelClassifiers(2.0).gram(points)).min() > 0
    assert shatters(KernelClassifiers(2.0), points)
    assert not shatters(KernelClassifiers(2.0), np.vstack([points, points[:1]]))
    assert KernelClassifiers().growth(5) == Intervals(None).growth(5) == 32


def test_the_plane_shatters_triples_and_no_four_points_lb_c12():
    corner = np.array([[0, 0], [1, 0], [0, 1]])
    assert shatters(LinearClassifiers(2), corner)
    assert not shatters(LinearClassifiers(2), [[0, 0], [1, 1], [2, 2]])
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    missing = {(1, -1, -1, 1), (-1, 1, 1, -1)}
    assert (
        set(product((-1, 1), repeat=4))
        - set(map(tuple, LinearClassifiers(2).labelings(square).tolist()))
        == missing
    )
    simplex = np.vstack([np.zeros(4), np.eye(4)])
    assert shatters(LinearClassifiers(4), simplex)  # d + 1 points in d dimensions


def test_stumps_on_one_coordinate_force_outer_points_lb_c11():
    line = Stumps(1)
    for pair in ([1.0, 2.0], [-3.0, 0.5]):
        assert shatters(line, pair)
    assert not any(shatters(line, triple) for triple in ([1.0, 2.0, 3.0], [0.0, 5.0, -1.0]))
    known = [1.0, 2.0], [-1, 1]
    assert forced_labels(line, *known, 3.0) == (1,)  # Fig. 6e
    assert forced_labels(line, *known, 0.0) == (-1,)
    assert forced_labels(line, *known, 1.5) == (-1, 1)  # Fig. 6f
    assert forced_labels(line, [1.0, 2.0, 3.0], [1, -1, 1], 4.0) == ()


@given(
    st.lists(st.lists(st.sampled_from([-1, 1]), min_size=5, max_size=5), min_size=1, max_size=12)
)
def test_finite_classes_by_enumeration_sf_c13(columns):
    """VC dimension ≤ lg|H|; error sets are as many as labelings (SF-X2-9)."""
    outputs = np.array(columns).T
    ways = sample_labelings(outputs).shape[1]
    dimension = sample_vc_dimension(outputs)
    assert dimension <= math.log2(ways) + 1e-12
    assert ways <= sauer(5, dimension)
    assert error_sets(outputs, [1, -1, 1, 1, -1]).shape[1] == ways


def test_all_functions_on_d_points_attain_the_logarithm_sf_x2_2():
    for d in (1, 2, 4):
        outputs = np.array(list(product((-1, 1), repeat=d))).T
        assert sample_vc_dimension(outputs) == d == math.log2(outputs.shape[1])


# -- learners -------------------------------------------------------------------------------------


def test_thresholds_on_a_line_by_one_scan_sf_b2():
    """Equal values are never separated, and all thresholds inside a gap are one (SF-C9)."""
    x, y = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1, -1, -1, 1])
    cuts, errors = Thresholds().errors(x, y)
    assert cuts.tolist() == [-np.inf, 1.5, 2.5, np.inf]
    np.testing.assert_allclose(errors, [0.5, 0.5, 0.25, 0.5])
    assert Thresholds().learn(x, y)(x).tolist() == [-1, -1, -1, 1]
    weighted = Thresholds().errors(x, y, sample_weight=[9.0, 1.0, 1.0, 1.0])[1]
    assert weighted.argmin() == 0


@pytest.mark.parametrize(
    "hypotheses", [Intervals(2), Boxes(2), Monomials(4)], ids=["intervals", "boxes", "monomials"]
)
def test_learners_are_consistent_whenever_anything_is_sf_c18(hypotheses):
    rng = np.random.default_rng(3)
    n = getattr(hypotheses, "n_features", 1)
    found = 0
    for _ in range(150):
        boolean = isinstance(hypotheses, Monomials)
        X = rng.integers(0, 2, (6, n)) if boolean else rng.integers(0, 6, (6, n))
        y = rng.choice([-1, 1], 6, p=[0.7, 0.3])
        if hypotheses.allows(X, y):
            found += 1
            assert (hypotheses.learn(X, y)(X) == y).all()
        else:
            with pytest.raises(ValueError, match="no member"):
                hypotheses.learn(X, y)
    assert 20 < found < 140


def test_monomials_by_brute_force_sf_x2_3():
    """A consistent monomial exists exactly if the learner finds one."""
    rng = np.random.default_rng(0)
    subsets = [list(which) for which in product((False, True), repeat=4)]
    for _ in range(100):
        X, y = rng.integers(0, 2, (5, 4)), rng.choice([-1, 1], 5)
        any_is = any((X[:, s].all(axis=1) == (y > 0)).all() for s in subsets)
        assert Monomials(4).allows(X, y) == any_is
    assert Monomials(4).size == len(subsets) == 2 ** Monomials(4).vc_dimension


def test_boxes_are_learnt_from_few_examples_sf_x2_5():
    rng = np.random.default_rng(1)
    for _ in range(20):
        X = rng.normal(size=(60, 3))
        y = np.where((np.abs(X) < 1.2).all(axis=1), 1, -1)
        kept = Boxes(3).compress(X, y)
        assert len(kept) <= 6
        assert (Boxes(3).learn(X[kept], y[kept])(X) == y).all()
    assert Boxes(3).compress(X, -np.ones(60)).size == 0


def test_pac_sample_sizes_keep_their_promise_for_monomials_sf_c18():
    """True error by enumeration of all inputs; failures in no more than a share δ of draws."""
    n, epsilon, delta = 6, 0.1, 0.1
    cube = np.array(list(product((0, 1), repeat=n)))
    truth = np.where(cube[:, [0, 2]].all(axis=1), 1, -1)
    m, rng = finite_class_sample_size(2**n, epsilon=epsilon, delta=delta), np.random.default_rng(2)
    failures = 0
    for _ in range(200):
        rows = rng.integers(0, len(cube), m)
        learnt = Monomials(n).learn(cube[rows], truth[rows])
        failures += (learnt(cube) != truth).mean() > epsilon
    assert failures / 200 <= delta


# -- planes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_separability_agrees_with_an_svm(intercept):
    rng = np.random.default_rng(5)
    answers = []
    for _ in range(40):
        X, y = rng.normal(size=(6, 2)), rng.choice([-1, 1], 6)
        if len(set(y)) < 2:
            continue
        svm = LinearSVC(C=1e6, fit_intercept=intercept, intercept_scaling=100, max_iter=200_000)
        margin = geometric_margin(X, y, intercept=intercept)
        answers.append(separable(X, y, intercept=intercept))
        assert answers[-1] == (margin > 1e-9)
        if margin > 0.05:
            assert svm.fit(X, y).score(X, y) == 1.0
    assert 5 < sum(answers) < len(answers) - 5


def test_perceptrons_make_few_mistakes_lb_c14():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = rng.normal(size=(30, 3))
        scores = X @ rng.normal(size=3)
        keep = np.abs(scores) > 0.3
        X, y = X[keep], np.sign(scores[keep])
        found = perceptron(X, y)
        assert found.converged
        assert (np.sign(X @ found.coef) == y).all()
        assert 0 < found.n_mistakes <= mistake_bound(X, y)
    never = perceptron([[1.0], [2.0]], [1, -1], max_passes=5)
    assert not never.converged
    assert never.n_passes == 5
    assert mistake_bound([[1.0], [2.0]], [1, -1]) == math.inf


def test_passes_of_a_perceptron_are_bounded():
    """Without a separating plane all are made."""
    with pytest.raises(
        ValueError, match=r"max_passes: got 10+, expected an integer at least 1 and"
    ):
        perceptron([[1.0], [2.0]], [1, -1], max_passes=10**30)


def test_the_mistake_bound_is_attained_by_orthogonal_points():
    """N orthogonal unit vectors: γ = 1/√n, R = 1, and the perceptron errs exactly n times."""
    X, y = np.eye(5), np.array([1, -1, 1, 1, -1])
    assert mistake_bound(X, y) == pytest.approx(5, rel=1e-6)
    assert perceptron(X, y).n_mistakes == 5


@pytest.mark.parametrize(
    ("points", "radius"),
    [
        ([[0.0], [4.0]], 2.0),
        ([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5]], 1.0),
        ([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(3) / 2]], 1 / math.sqrt(3)),
        ([[7.0, 7.0]], 0.0),
    ],
)
def test_the_smallest_ball_r1_q14(points, radius):
    assert enclosing_radius(points) == pytest.approx(radius, abs=1e-5)
    shifted = np.array(points) + 1.0
    assert enclosing_radius(shifted) == pytest.approx(radius, abs=1e-5)
    gram = np.array(points) @ np.array(points).T
    assert enclosing_radius(gram=gram) == pytest.approx(radius, abs=1e-5)
    assert enclosing_radius(points, centred=False) == pytest.approx(
        np.linalg.norm(points, axis=1).max()
    )


def test_a_required_margin_limits_labelings_r1_c09():
    """Points in a ball: the wider the margin, the fewer labelings; shattered sets obey R²/γ²."""
    X = np.random.default_rng(2).normal(size=(6, 2))
    X /= np.linalg.norm(X, axis=1).max()
    ways = [way for way in product((-1, 1), repeat=6) if len(set(way)) == 2]
    margins = np.array([geometric_margin(X, way) for way in ways])
    counts = [int((margins >= wanted).sum()) for wanted in (1e-9, 0.1, 0.2, 0.4, 0.9)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == LinearClassifiers(2).growth(6) - 2
    assert counts[-1] == 0
    radius = enclosing_radius(np.eye(4))
    least = min(
        geometric_margin(np.eye(4), way) for way in product((-1, 1), repeat=4) if len(set(way)) == 2
    )
    assert linear_capacity(1 / least, radius) + 1e-6 >= 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Stumps(0), "n_features: got 0"),
        (lambda: Boxes(2).allows([[1.0]], [1]), "X: got 1 features, expected 2"),
        (lambda: Intervals(1).labelings(np.arange(30.0)), "len"),
        (lambda: Monomials(1).learn([[2.0]], [1]), "0 or 1"),
        (lambda: separable([[1.0]], [1, -1]), "y: got 2 labels"),
        (lambda: enclosing_radius(), "X, gram"),
        (lambda: enclosing_radius(gram=[[1.0, 2.0]]), "gram: got shape"),
        (lambda: shatters(Stumps(), [[np.nan]]), "X: got shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
