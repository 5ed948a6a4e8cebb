"""Formulas against enumeration, integration and their own definitions, on random and edge cases."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom

from marginboost.capacity import (
    AtMostPositives,
    Boxes,
    Intervals,
    KernelClassifiers,
    LinearClassifiers,
    Monomials,
    Stumps,
    Thresholds,
    best_guesser,
    compression_bound,
    covering_number,
    disc_risk,
    enclosing_radius,
    error_sets,
    exponential_threshold_error,
    finite_class_sample_size,
    forced_labels,
    in_hull,
    line_table,
    linear_capacity,
    log_polynomial_growth,
    midpoint_threshold,
    mistake_bound,
    onto_hull,
    pac_check,
    perceptron,
    risk_compression_bound,
    rounds_structural_risk,
    sample_labelings,
    sample_vc_dimension,
    sauer,
    scheme_compression_bound,
    search_vc_dimension,
    separable,
    shatters,
    structural_risk,
    svm_bound,
    true_risk,
    uniform_covering_number,
    union_bound,
    vc_bound,
)

FEW = settings(deadline=None, max_examples=40)

# -- classes of hypotheses ------------------------------------------------------------------------

small_points = st.lists(st.integers(0, 4), min_size=1, max_size=5)


def labelings_by(rules, points):
    """All labelings of points that some rules give, as a set of tuples."""
    return {tuple(1 if rule(point) else -1 for point in points) for rule in rules}


def found_by(hypotheses, points):
    return set(map(tuple, hypotheses.labelings(points).tolist()))


CUTS = [k + 0.5 for k in range(-1, 5)]


@FEW
@given(small_points)
def test_labelings_of_the_line_are_those_of_all_rules(points):
    """Points may be equal; every rule is tried."""
    x = np.array(points, dtype=float)
    above = [lambda v, c=c: v > c for c in CUTS]
    assert found_by(Thresholds(), x) == labelings_by(above, points)
    either = [*above, *(lambda v, c=c: v < c for c in CUTS)]
    assert found_by(Stumps(1), x) == labelings_by(either, points)
    assert {way for way in product((-1, 1), repeat=len(x)) if Stumps(1).allows(x, way)} == (
        labelings_by(either, points)
    )
    within = [lambda v, a=a, b=b: a < v < b for a in CUTS for b in CUTS]
    assert found_by(Intervals(1), x) == labelings_by(within, points)
    subsets = [set(s) for k in range(3) for s in combinations(range(5), k)]
    few = [lambda v, s=s: v in s for s in subsets]
    assert found_by(AtMostPositives(2), x) == labelings_by(few, points)
    any_way = [lambda v, s=s: v in s for k in range(6) for s in combinations(range(5), k)]
    for everything in (Intervals(None), KernelClassifiers()):
        assert found_by(everything, x) == labelings_by(any_way, points)


@FEW
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5))
def test_labelings_of_the_plane_are_those_of_all_rules(points):
    x = np.array(points, dtype=float)
    boxes = [
        lambda v, a=a, b=b, c=c, d=d: a < v[0] < b and c < v[1] < d
        for a, b, c, d in product(CUTS, repeat=4)
    ]
    assert found_by(Boxes(2), x) == labelings_by(boxes, points)
    stumps = [
        lambda v, j=j, c=c, s=s: s * (v[j] - c) > 0 for j in (0, 1) for c in CUTS for s in (-1, 1)
    ]
    assert found_by(Stumps(2), x) == labelings_by(stumps, points)


def test_the_vc_dimension_of_stumps_is_that_of_enumeration():
    """The largest d whose middle subsets are no more than two for every feature."""
    for n in (1, 2, 3, 9, 10, 11, 34, 35, 36, 1000):
        d = int(Stumps(n).vc_dimension)
        assert math.comb(d, d // 2) <= 2 * n < math.comb(d + 1, (d + 1) // 2)
    assert [Stumps(2).growth(m) for m in (0, 1, 2, 3, 4)] == [1, 2, 4, 8, 14]
    assert [Thresholds().growth(m) for m in (0, 1, 7)] == [1, 2, 8]


def test_growth_functions_begin_at_one():
    """No points can be labelled in one way; one point in both."""
    for hypotheses in (LinearClassifiers(3), LinearClassifiers(3, intercept=False), Boxes(2)):
        assert hypotheses.growth(0) == 1
        assert hypotheses.growth(1) == 2
        assert hypotheses.log_growth(0) == 0.0
    assert Monomials(2).growth(5) == Monomials(2).size == 4
    assert Monomials(5).growth(2) == sauer(2, 5) == 4
    many = LinearClassifiers(50)
    assert many.log_growth(10_000) == pytest.approx(math.log(many.growth(10_000)))  # no float


@FEW
@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=7),
    st.data(),
)
def test_errors_of_thresholds_are_those_of_every_cut(points, data):
    """Also with weights and equal values; the cuts lie between the values."""
    n = len(points)
    y = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    w = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    cuts, errors = Thresholds().errors(points, y, sample_weight=w)
    values = sorted(set(points))
    between = [(a + b) / 2 for a, b in pairwise(values)]
    assert cuts.tolist() == [-math.inf, *between, math.inf]
    expected = [
        sum(wi for xi, yi, wi in zip(points, y, w, strict=True) if (xi >= cut) != (yi > 0)) / sum(w)
        for cut in cuts
    ]
    np.testing.assert_allclose(errors, expected, atol=1e-12)
    learnt = Thresholds().learn(points, y)(points)
    assert (learnt != np.array(y)).mean() == pytest.approx(Thresholds().errors(points, y)[1].min())


def test_intervals_hold_their_ends_and_nothing_between_runs():
    x, y = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0], [1, 1, 1, 1, -1, -1]
    assert Intervals(2).runs(x, y).tolist() == [[1.0, 3.0], [5.0, 5.0]]
    learnt = Intervals(2).learn(x, y)
    assert learnt([0.9, 1.0, 2.5, 3.0, 3.1, 4.9, 5.0, 5.1]).tolist() == [-1, 1, 1, 1, -1, -1, 1, -1]
    assert Intervals(1).runs([1.0, 2.0], [-1, -1]).shape == (0, 2)
    with pytest.raises(ValueError, match="no member of Intervals"):
        Intervals(1).learn(x, y)


def test_boxes_and_their_compressions():
    """The smallest box, its ends included; what is kept gives the same box."""
    X = [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [1.0, 1.0]]
    y = [-1, 1, 1, -1, 1]
    box = Boxes(2).learn(X, y)
    around = [[1.0, 1.0], [2.0, 2.0], [0.9, 1.5], [1.5, 0.9], [2.1, 1.5], [1.5, 2.1]]
    assert box(around).tolist() == [1, 1, -1, -1, -1, -1]
    kept = Boxes(2).compress(X, y)
    assert set(kept) <= {1, 2, 4}
    np.testing.assert_array_equal(Boxes(2).learn(np.array(X)[kept], np.array(y)[kept])(X), y)
    nowhere = Boxes(2).learn(X, [-1] * 5)
    assert nowhere(X).tolist() == [-1] * 5
    with pytest.raises(ValueError, match="no member of Boxes"):
        Boxes(2).learn([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [1, -1, 1])
    assert (Boxes(1).vc_dimension, Boxes(3).vc_dimension) == (2.0, 6.0)


def test_kernel_matrices_are_those_of_the_definition():
    X = np.random.default_rng(0).normal(size=(5, 3))
    gram = KernelClassifiers(0.7).gram(X)
    for i, k in product(range(5), repeat=2):
        assert gram[i, k] == pytest.approx(math.exp(-0.7 * ((X[i] - X[k]) ** 2).sum()))


def test_searching_finds_no_more_than_it_is_asked_for():
    """A set is shattered or not; a search ends where no set of a size is found."""
    assert search_vc_dimension(KernelClassifiers(), 2, max_points=3) == 3
    assert search_vc_dimension(AtMostPositives(0), 1) == 0
    assert search_vc_dimension(Thresholds(), 1, max_points=4, n_tries=1) == 1
    assert shatters(Stumps(1), [[0.0]])
    assert forced_labels(LinearClassifiers(2), [[0, 0], [2, 2]], [-1, -1], [1, 1]) == (-1,)
    assert len(Stumps(2).labelings([[0.0, 0.0]] * 2)) == 2
    with pytest.raises(ValueError, match="len"):
        shatters(Stumps(1), np.arange(21.0))
    assert len(Thresholds().labelings(np.arange(13.0))) == 14


@FEW
@given(
    st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 0.5]), min_size=4, max_size=4), min_size=1, max_size=9
    )
)
def test_dimensions_of_outputs_by_brute_force(columns):
    """Zero is a negative label; a subset of the rows is shattered or is not."""
    outputs = np.array(columns).T
    ways = {tuple(1 if v > 0 else -1 for v in column) for column in columns}
    assert set(map(tuple, sample_labelings(outputs).T.tolist())) == ways
    dimension = max(
        k
        for k in range(5)
        if any(
            len({tuple(way[i] for i in rows) for way in ways}) == 2**k
            for rows in combinations(range(4), k)
        )
    )
    assert sample_vc_dimension(outputs) == dimension
    y = [1, -1, -1, 1]
    wrong = {tuple(label != given for label, given in zip(way, y, strict=True)) for way in ways}
    assert set(map(tuple, error_sets(outputs, y).T.tolist())) == wrong


# -- planes ---------------------------------------------------------------------------------------


def test_a_negative_point_may_lie_on_the_plane_and_a_positive_one_not():
    """``⟨w, x⟩ + b > 0`` at the positive points alone, at any scale."""
    assert separable([[0.0], [1.0]], [-1, 1], intercept=False)
    assert not separable([[0.0], [1.0]], [1, 1], intercept=False)
    assert separable([[0.0], [0.0]], [-1, -1], intercept=False)
    assert separable([[0.0]], [1])
    for scale in (1e-12, 1.0, 1e12):
        assert separable([[scale], [2 * scale]], [1, -1])
        assert not separable([[scale], [2 * scale]], [1, -1], intercept=False)
        assert not separable([[scale], [2 * scale], [3 * scale]], [1, -1, 1])


@FEW
@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 2), min_size=1, max_size=7))
def test_the_smallest_ball_holds_all_points_and_rests_on_few(points):
    """Welzl: it is determined by two or three of them, so trying all is exact."""
    X = np.array(points)

    def radius_of(some):
        if len(some) == 2:
            return (some[0] + some[1]) / 2
        a, b, c = some
        left = 2 * np.array([b - a, c - a])
        if abs(np.linalg.det(left)) < 1e-9:
            return None
        return np.linalg.solve(left, [b @ b - a @ a, c @ c - a @ a])

    centres = [radius_of(list(some)) for k in (2, 3) for some in combinations(X, k)]
    radii = [np.linalg.norm(X - c, axis=1).max() for c in [*X, *centres] if c is not None]
    assert enclosing_radius(X) == pytest.approx(min(radii), abs=1e-4)
    assert enclosing_radius(X) <= min(radii) + 1e-9 or enclosing_radius(X) < min(radii) * (1 + 1e-9)


def test_balls_of_inner_products_have_their_own_centre_or_the_origin():
    X = np.array([[3.0, 4.0], [3.0, 6.0]])
    assert enclosing_radius(gram=X @ X.T) == pytest.approx(1.0)
    assert enclosing_radius(gram=X @ X.T, centred=False) == pytest.approx(math.sqrt(45.0))
    assert enclosing_radius(1e6 + X) == pytest.approx(1.0)
    assert enclosing_radius([[2.0]] * 3) == 0.0
    triangle = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]])
    for scale in (1e-9, 1.0, 1e9):  # as exact at every scale
        assert enclosing_radius(scale * triangle) == pytest.approx(scale * math.sqrt(5.0), rel=1e-8)
    with pytest.raises(ValueError, match="X, gram"):
        enclosing_radius(X, gram=X @ X.T)


def test_the_bound_of_a_plane_is_that_of_its_formula():
    """1.5 + c √((R²Λ²/N) (log₂(N/(R²Λ²)) + 1) + log₂(1/δ)/N); infinite from R²Λ² = N on."""
    assert linear_capacity(3.0, 0.5) == pytest.approx(1 + 9 / 4)
    size = 9 / 4
    inner = size / 200 * (math.log2(200 / size) + 1) + math.log2(1 / 0.1) / 200
    found = svm_bound(200, 3.0, 0.5, 0.125, constant=2.0, delta=0.1)
    assert found == pytest.approx(0.125 + 2 * math.sqrt(inner))
    assert math.isinf(svm_bound(9, 3.0, 1.0))
    assert not svm_bound(9, 3.0, 1.0).valid
    assert math.isfinite(svm_bound(10, 3.0, 1.0))


def test_a_perceptron_counts_its_passes():
    X, y = np.eye(3), [1, -1, 1]
    found = perceptron(X, y)
    assert (found.n_mistakes, found.n_passes, found.converged) == (3, 2, True)
    assert found.coef.tolist() == [1.0, -1.0, 1.0]
    short = perceptron(X, y, max_passes=1)
    assert (short.n_mistakes, short.n_passes, short.converged) == (3, 1, False)
    assert mistake_bound([[3.0, 4.0], [-1.5, -2.0]], [1, -1]) == pytest.approx((5 / 2.5) ** 2)


# -- risks ----------------------------------------------------------------------------------------


def disc_by_integration(cells, centre, radius):
    """Error of labelled cells ``(left, right, low, high, positive)`` by integrals over x."""

    def inside(x, low, high):
        half = math.sqrt(max(radius**2 - (x - centre[0]) ** 2, 0.0))
        return max(min(high, centre[1] + half) - max(low, centre[1] - half), 0.0)

    total = 0.0
    for left, right, low, high, positive in cells:
        ends = [centre[0] - radius, centre[0] + radius]
        turns = [radius**2 - (side - centre[1]) ** 2 for side in (low, high)]
        ends += [centre[0] + s * math.sqrt(t) for t in turns if t > 0 for s in (-1, 1)]
        ends = [end for end in ends if left < end < right]
        area = quad(inside, left, right, args=(low, high), points=ends or None, limit=200)[0]
        total += (right - left) * (high - low) - area if positive else area
    return total


@settings(deadline=None, max_examples=15)
@example((0.5, 0.5), 0.5, [], [], 0)  # touches all sides
@example((0.5, 0.25), 0.25, [0.5], [0.5], 1)
@given(
    st.tuples(st.floats(-0.2, 1.2), st.floats(-0.2, 1.2)),
    st.floats(0.05, 1.3),
    st.lists(st.floats(-0.5, 1.5), max_size=2),
    st.lists(st.floats(-0.5, 1.5), max_size=2),
    st.integers(0, 2**16),
)
def test_risk_on_any_disc_is_that_of_integration(centre, radius, xs, ys, seed):
    """Whatever part of the disc lies in the square; cuts outside of it change nothing."""
    edges = [sorted({0.0, 1.0, *(c for c in cuts if 0 < c < 1)}) for cuts in (xs, ys)]
    labels = np.random.default_rng(seed).choice([-1, 1], (len(edges[0]), len(edges[1])))

    def predict(X):
        i, j = (np.searchsorted(edges[k][1:-1], X[:, k]) for k in (0, 1))
        return labels[i, j]

    cells = [
        (a, b, c, d, labels[i, j] > 0)
        for i, (a, b) in enumerate(zip(edges[0], edges[0][1:], strict=False))
        for j, (c, d) in enumerate(zip(edges[1], edges[1][1:], strict=False))
    ]
    cuts = [(0, c) for c in xs] + [(1, c) for c in ys]
    found = disc_risk(predict, cuts, centre=centre, radius=radius)
    assert found == pytest.approx(disc_by_integration(cells, centre, radius), abs=2e-6)


def test_the_larger_label_is_that_of_the_disc():
    cut = [(0, 0.5)]
    yes_no = disc_risk(lambda X: np.where(X[:, 0] > 0.5, "yes", "no"), cut)
    assert yes_no == pytest.approx(0.5)
    no_yes = disc_risk(lambda X: np.where(X[:, 0] > 0.9, 1, 2), [(0, 0.9)])
    assert no_yes < 0.6
    corner = disc_risk(lambda X: np.where(X[:, 0] > 0.9, 1, 0), [(0, 0.9)])
    assert corner > math.pi / 8
    assert disc_risk(lambda X: np.zeros(len(X)), []) == pytest.approx(math.pi / 8)


def test_a_risk_of_draws_knows_its_error():
    found = true_risk(lambda X: np.zeros(len(X)), lambda n: (np.zeros(n), np.arange(n) < 1), 10)
    assert (found.value, found.n_examples) == (0.1, 10)
    assert found.standard_error == pytest.approx(math.sqrt(0.1 * 0.9 / 10))


def test_structures_give_every_class_its_bound():
    """Classes of equal dimension are allowed; δ is shared, unless it is not to be."""
    risks, dimensions = [0.3, 0.2, 0.1], [2, 2, 5]
    shared = structural_risk(risks, dimensions, 300, delta=0.06)
    alone = structural_risk(risks, dimensions, 300, delta=0.06, shared=False, theorem="book")
    for k in range(3):
        assert shared.bound[k] == vc_bound(300, dimensions[k], risks[k], delta=0.02)
        assert alone.bound[k] == vc_bound(300, dimensions[k], risks[k], delta=0.06, theorem="book")
    np.testing.assert_allclose(shared.confidence, shared.bound - risks)
    for bad in ([2, 5], [5, 2, 6]):
        with pytest.raises(ValueError, match="vc_dimensions"):
            structural_risk(risks, bad, 300)
    with pytest.raises(ValueError, match=r"empirical_risks: got -0\.5"):
        structural_risk([-0.5, 0.1], [1, 2], 300)


def test_rounds_cost_their_dimension_and_too_many_say_nothing():
    """T ϑ ln T, at least ϑ; from as many examples on the bound is infinite."""
    found = rounds_structural_risk([0.3, 0.2, 0.1], 5, 100, rounds=[1, 4, 30], delta=0.3)
    assert found.complexity.tolist() == [1, 4, 30]
    assert found.bound[0] == vc_bound(100, 5, 0.3, delta=0.1)
    assert found.bound[1] == vc_bound(100, 5 * 4 * math.log(4), 0.2, delta=0.1)
    assert math.isinf(found.bound[2])
    assert found.empirical_risk.tolist() == [0.3, 0.2, 0.1]
    assert rounds_structural_risk([0.3, 0.2], 5, 100).complexity.tolist() == [1.0, 2.0]
    assert math.isinf(rounds_structural_risk([0.3], 100, 100).bound[0])
    assert math.isfinite(rounds_structural_risk([0.3], 99, 100).bound[0])
    with pytest.raises(ValueError, match="rounds: got 0"):
        rounds_structural_risk([0.3], 5, 100, rounds=[0])
    with pytest.raises(ValueError, match=r"empirical_risks: got 1\.5"):
        rounds_structural_risk([1.5], 5, 100)


@pytest.mark.parametrize("n_right", [0, 1, 7, 39, 40])
def test_shares_of_success_have_exact_intervals(n_right):
    """Clopper and Pearson: at either end the count seen has a probability of ½ %."""
    found = pac_check(
        lambda X, y: X,
        lambda n, seed: (seed, n),
        lambda seed: 0.1 if seed < n_right else 0.2,
        n_examples=3,
        epsilon=0.1,
        delta=0.1,
        n_trials=40,
    )
    assert (found.successes, found.n_trials, found.delta) == (n_right, 40, 0.1)
    if n_right:
        assert binom.sf(n_right - 1, 40, found.low) == pytest.approx(0.005)
    else:
        assert found.low == 0.0
    if n_right < 40:
        assert binom.cdf(n_right, 40, found.high) == pytest.approx(0.005)
    else:
        assert found.high == 1.0
    assert found.holds is (None if n_right >= 39 else False)


# -- numbers of the book --------------------------------------------------------------------------


def test_the_line_of_the_book_sf_e5():
    """Tables 2.1 and 2.2: where the points are, and which two labels are noise."""
    x, y = line_table()
    assert x.tolist() == [1.2, 2.8, 8.0, 3.3, 5.0, 4.5, 7.4, 5.6, 3.8, 6.6, 6.1, 1.7]
    assert x[y == 1].min() == 5.6
    assert x[y == -1].max() == 5.0
    assert set(x[line_table(noisy=True)[1] != y]) == {3.8, 6.6}


def test_midpoints_and_exponential_classes():
    assert midpoint_threshold([0.0, 2.0, 5.0, 6.0, 10.0], [-1, -1, 1, 1, 1]) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="y: got one class"):
        midpoint_threshold([1.0, 2.0], [1, 1])
    for cut, shift in product((-1.0, 0.0, 0.5, 2.0, 3.5), (0.0, 1.0, 2.0)):
        below = quad(lambda x: math.exp(-x), 0.0, max(cut - shift, 0.0))[0]
        above = 1.0 - quad(lambda x: math.exp(-x), 0.0, max(cut, 0.0))[0]
        expected = 0.5 * (above + below)
        assert exponential_threshold_error(cut, shift) == pytest.approx(expected)


def test_one_guesser_is_a_fair_coin():
    np.testing.assert_allclose(best_guesser(1, 4), [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16])
    two = best_guesser(2, 1)  # both wrong, or not
    np.testing.assert_allclose(two, [0.25, 0.75])
    assert best_guesser(7).sum() == pytest.approx(1.0)
    assert len(best_guesser(7)) == 11


# -- few examples, covers, hulls ------------------------------------------------------------------


@pytest.mark.parametrize(("n", "q"), [(20, 0), (20, 3), (20, 19), (200, 10)])
def test_compression_bounds_are_those_of_their_formulas(n, q):
    choices = math.log(math.comb(n, q))
    first = (choices + math.log(n) + math.log(10)) / (n - q)
    assert compression_bound(n, q, delta=0.1) == pytest.approx(first)
    binary = compression_bound(n, q, delta=0.1, logarithm="binary")
    assert binary == pytest.approx(first / math.log(2))
    for stratified in (False, True):
        more = math.log(n) if stratified else 0.0
        excess = 3.0 * math.sqrt((2 * choices + 2 * (math.log(10) + more)) / (n - q))
        found = risk_compression_bound(
            n, q, 0.5, largest_loss=3.0, delta=0.1, stratified=stratified
        )
        assert found == pytest.approx(n / (n - q) * 0.5 + excess)
        assert ("fixed before" in str(found)) != stratified
    kept = (q * math.log(n) + math.log(10)) / (n - q)
    with_errors = scheme_compression_bound(n, q, 0.25, delta=0.1)
    assert with_errors == pytest.approx(n / (n - q) * 0.25 + math.sqrt(kept / 2))
    without = scheme_compression_bound(n, q, delta=0.1)
    assert without == pytest.approx(min(kept, math.sqrt(kept / 2)))


def test_a_finite_class_of_one_needs_few_examples():
    assert finite_class_sample_size(1, epsilon=0.5, delta=0.5) == math.ceil(2 * math.log(2))
    assert finite_class_sample_size(1, epsilon=0.999, delta=0.999) == 1
    assert log_polynomial_growth(10, 2) == pytest.approx(2 * math.log(math.e * 5))
    assert union_bound([]) == 0.0
    assert union_bound([0.0, 1.0]) == 1.0


@FEW
@given(
    st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=1, max_size=6),
    st.sampled_from([1.0, 1.5, 2.0]),
)
def test_covers_are_the_least_of_all_and_distances_below_the_scale(columns, epsilon):
    outcomes = np.array(columns, dtype=float).T
    members = outcomes.T

    def covers(chosen):
        return all(any(np.abs(m - c).max() < epsilon for c in chosen) for m in members)

    least = next(
        k
        for k in range(1, len(members) + 1)
        if any(covers(chosen) for chosen in combinations(members, k))
    )
    assert covering_number(outcomes, epsilon) == least
    assert least <= covering_number(outcomes, epsilon, exact=False) <= len(members)
    both = uniform_covering_number(outcomes, epsilon, 5)
    assert both == least
    single = uniform_covering_number(outcomes, epsilon, 1)
    assert single == max(covering_number(row[None, :], epsilon) for row in outcomes)


def test_greedy_covers_take_what_covers_most():
    line = [[0.0, 1.0, 2.0, 3.0, 10.0]]
    assert covering_number(line, 1.5, exact=False) == 3
    assert covering_number(line, 2.5, exact=False) == 2


def test_votes_on_the_surface_are_in_the_hull():
    third = Fraction(1, 3)
    assert in_hull([float(third)] * 3, 1.0)
    assert not in_hull([0.34] * 3, 1.0)
    assert not in_hull([0.34] * 3, 0.5)
    np.testing.assert_allclose(onto_hull([3.0, -4.0], 2.0), [0.6, -0.8])
