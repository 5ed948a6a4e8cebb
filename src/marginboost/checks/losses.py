"""What every loss promises."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator

import numpy as np

from ..losses import Loss, MarginLoss
from ..types import Array
from .contract import Check

EXTREMES = np.array([0.0, 1e-300, 1e-20, 1e-8, 1.0, 37.0, 1e3, 1e8, 1e20])
"""Sizes of argument at which formulas like to fail."""


def check_loss(loss: Loss) -> Iterator[Check]:
    """Yield the checks for a loss."""
    promises = (
        shapes_are_kept,
        the_dual_is_the_slope,
        the_curvature_is_the_slope_of_the_dual,
        a_convex_loss_is_convex_and_no_other,
        symmetry_is_as_declared,
        duals_fill_their_range,
        labels_pull_scores_their_way,
        signed_weights_descend,
        extreme_arguments_are_no_trouble,
        probabilities_follow_the_score,
        losses_are_plain_settings,
    )
    dual_side = (
        conjugates_keep_fenchel_and_young,
        the_inverse_undoes_the_dual,
        divergences_are_those_of_bregman,
        the_dual_value_bounds_the_loss,
    )
    for promise in (*promises, *(dual_side if loss.convex else (it_says_that_it_has_no_dual,))):
        yield Check(promise, loss)


def _arguments() -> Array:
    """Arguments of moderate size, away from the round numbers where kinks are."""
    return np.sort(np.random.default_rng(0).normal(scale=2.0, size=401))


def _labelled() -> tuple[Array, Array]:
    """Labels and scores."""
    rng = np.random.default_rng(1)
    return np.where(rng.random(400) < 0.5, 1.0, -1.0), rng.normal(scale=2.0, size=400)


def shapes_are_kept(loss: Loss) -> None:
    """Arrays of any shape come back as arrays of floats of that shape."""
    for shape in ((), (0,), (3,), (2, 3)):
        t = np.full(shape, 0.25)
        for function in (loss.value, loss.dual, loss.curvature, loss.probability):
            result = np.asarray(function(t))
            assert result.shape == shape
            assert result.dtype == np.float64


def the_dual_is_the_slope(loss: Loss) -> None:
    """``dual = ± φ'``, by finite differences; where there is a kink, between those of its sides."""
    t, step = _arguments(), 1e-6
    slope = (loss.value(t + step) - loss.value(t - step)) / (2 * step)
    np.testing.assert_allclose(loss.orientation * loss.dual(t), slope, rtol=1e-5, atol=1e-7)


def the_curvature_is_the_slope_of_the_dual(loss: Loss) -> None:
    """``curvature = φ''``, likewise."""
    t, step = _arguments(), 1e-6
    slope = loss.orientation * (loss.dual(t + step) - loss.dual(t - step)) / (2 * step)
    np.testing.assert_allclose(loss.curvature(t), slope, rtol=1e-5, atol=1e-7)


def a_convex_loss_is_convex_and_no_other(loss: Loss) -> None:
    """The slope never falls if ``convex`` is set, and somewhere does if it is not."""
    t = _arguments()
    rises = np.diff(loss.orientation * loss.dual(t)) >= -1e-15
    assert rises.all() == loss.convex
    assert (loss.curvature(t) >= 0.0).all() == loss.convex


def symmetry_is_as_declared(loss: Loss) -> None:
    """``L(-y, -F) = L(y, F)`` just where ``symmetric`` is set."""
    y, scores = _labelled()
    here, there = (loss.value(loss.argument(s * y, s * scores)) for s in (1.0, -1.0))
    assert np.allclose(here, there, rtol=1e-12, atol=1e-300) == loss.symmetric


def duals_fill_their_range(loss: Loss) -> None:
    """No dual is outside of ``dual_range``; those of a convex loss come near both ends."""
    low, high = loss.dual_range
    with np.errstate(over="ignore"):
        d = loss.dual(np.concatenate([-EXTREMES, EXTREMES, _arguments()]))
    assert low <= d.min() <= d.max() <= high
    if loss.convex:
        near = [d.min() < -1e3 if np.isinf(low) else d.min() <= low + 1e-6]
        near += [d.max() > 1e3 if np.isinf(high) else d.max() >= high - 1e-6]
        assert all(near)


def labels_pull_scores_their_way(loss: Loss) -> None:
    """At score 0 a label pulls towards itself: the loss is one for classification too."""
    for y in (-1.0, 1.0):
        zero = np.zeros(1)
        assert y * loss.signed(y, loss.dual(loss.argument(y, zero)))[0] > 0.0


def signed_weights_descend(loss: Loss) -> None:
    """``signed`` gives ``-∂L/∂F``, by finite differences."""
    y, scores = _labelled()
    step = 1e-6
    up, down = (loss.value(loss.argument(y, scores + s)) for s in (step, -step))
    signed = loss.signed(y, loss.dual(loss.argument(y, scores)))
    np.testing.assert_allclose(signed, (down - up) / (2 * step), rtol=1e-5, atol=1e-7)


def extreme_arguments_are_no_trouble(loss: Loss) -> None:
    """No warning, no NaN, nothing negative; only values that are too large may be infinite."""
    t = np.concatenate([-EXTREMES, EXTREMES])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        value, dual, curvature = loss.value(t), loss.dual(t), loss.curvature(t)
        probability = loss.probability(t)
    assert not heard
    assert not np.isnan([value, dual, curvature, probability]).any()
    assert (value >= 0.0).all()


def probabilities_follow_the_score(loss: Loss) -> None:
    """In [0, 1], never falling with the score; if symmetric, ½ at 0 and both labels sum to one."""
    scores = np.concatenate([-EXTREMES[::-1], EXTREMES])
    probability = loss.probability(scores)
    assert ((probability >= 0.0) & (probability <= 1.0)).all()
    assert (np.diff(probability) >= -1e-15).all()
    if not loss.symmetric:
        return
    np.testing.assert_allclose(loss.probability(np.zeros(1)), 0.5)
    np.testing.assert_allclose(probability + loss.probability(-scores), 1.0, atol=1e-14)


def losses_are_plain_settings(loss: Loss) -> None:
    """Equal by their settings, which cannot be changed; copies and texts say the same."""
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert repr(pickle.loads(pickle.dumps(loss))) == repr(loss)
    assert hash(loss) == hash(pickle.loads(pickle.dumps(loss)))
    assert loss.name
    assert loss.name.replace("-", "").isalpha()
    assert isinstance(loss, MarginLoss) == (loss.orientation == -1)


# -- the dual side -------------------------------------------------------------------------------


def it_says_that_it_has_no_dual(loss: Loss) -> None:
    """The conjugate of a loss that is not convex is refused, by name."""
    message = ""
    try:
        loss.conjugate(np.full(1, 0.5))
    except TypeError as error:
        message = str(error)
    assert f"{loss.name} loss is not convex" in message


def conjugates_keep_fenchel_and_young(loss: Loss) -> None:
    """``φ(t) + φ*(d) >= ± d t`` for all t and d, with equality at the dual of t.

    Outside of the range of duals the conjugate is infinite.
    """
    low, high = loss.dual_range
    beyond = np.array([d for d in (low - 0.1, high + 0.1) if np.isfinite(d)])
    assert (loss.conjugate(beyond) == np.inf).all()
    t = _arguments()
    d = loss.dual(t)
    product = loss.orientation * t[:, None] * d[None, :]
    slack = loss.value(t)[:, None] + loss.conjugate(d)[None, :] - product
    size = 1.0 + np.abs(product)
    assert (slack >= -1e-13 * size).all()
    np.testing.assert_allclose(np.diag(slack / size), 0.0, atol=1e-13)


def the_inverse_undoes_the_dual(loss: Loss) -> None:
    """``dual(inverse(d)) = d`` for smooth losses, at duals that some argument has."""
    if loss.smooth:
        d = loss.dual(_arguments())
        np.testing.assert_allclose(loss.dual(loss.inverse(d)), d, rtol=1e-12, atol=1e-300)


def divergences_are_those_of_bregman(loss: Loss) -> None:
    """Nonnegative, 0 on the diagonal, and the three-point identity (R1-Q30, R1-C40)."""
    d = loss.dual(_arguments())[::20]
    with np.errstate(divide="ignore"):
        d = d[np.isfinite(loss.inverse(d))]  # rounding may have put some at the end of their range
    a, b, c = np.meshgrid(d, d, d, indexing="ij")
    ab, bc, ac = loss.divergence(a, b), loss.divergence(b, c), loss.divergence(a, c)
    assert (ab >= 0.0).all()
    assert (np.diagonal(ab[:, :, 0]) == 0.0).all()
    turn = loss.orientation * (loss.inverse(b) - loss.inverse(c)) * (a - b)
    np.testing.assert_allclose(ac, ab + bc + turn, rtol=1e-9, atol=1e-11 * (1.0 + ac.max()))


def the_dual_value_bounds_the_loss(loss: Loss) -> None:
    """``L(y, F) + g F >= dual_value``, with equality where g is the signed weight of F."""
    y, scores = _labelled()
    d = loss.dual(loss.argument(y, scores))
    value = loss.value(loss.argument(y, scores))
    own = value + loss.signed(y, d) * scores - loss.dual_value(y, d)
    np.testing.assert_allclose(own / (1.0 + value), 0.0, atol=1e-12)
    elsewhere = loss.value(loss.argument(y, -scores)) - loss.signed(y, d) * scores
    assert (elsewhere - loss.dual_value(y, d) >= -1e-12 * (1.0 + value)).all()
