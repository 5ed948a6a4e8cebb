"""Every number that a theorem takes is taken up to its limits and refused beyond them, by name."""

import inspect
import math

import numpy as np
import pytest

from marginboost import capacity

OPEN_SHARE = (1e-9, 0.999), (0.0, 1.0, 1.5, -0.5, math.nan)
"""Between 0 and 1, none of both: what is taken, and what is refused."""
SHARE = (0.0, 0.5, 1.0), (-0.01, 1.5, math.nan)
POSITIVE = (1e-3, 0.5, 2.0), (0.0, -1.0, math.nan)
NOT_NEGATIVE = (0.0, 0.5, 2.0), (-0.01, math.nan)
FROM_ONE = (1, 1.5, 2), (0.5, 0, math.nan)
COUNT = (1, 2), (0, 1.5, -1, True)
COUNT_FROM_ZERO = (0, 1, 2), (-1, 0.5)
RISK = (0.0, 0.5), (-0.01, math.nan)

LIMITS = {
    "sauer": ([4, 2], {"n_points": COUNT_FROM_ZERO, "vc_dimension": COUNT_FROM_ZERO}),
    "log_sauer": ([4, 2], {"n_points": COUNT_FROM_ZERO, "vc_dimension": COUNT_FROM_ZERO}),
    "log_polynomial_growth": (
        [4, 2],
        {"n_points": ((2, 3), (1, 2.5)), "vc_dimension": ((1, 4), (0, 1.5))},
    ),
    "binomial_tail": (
        [100, 0.5, 0.1],
        {"n_examples": COUNT, "p": SHARE, "epsilon": NOT_NEGATIVE},
    ),
    "hoeffding_tail": ([100, 0.1], {"n_examples": COUNT, "epsilon": NOT_NEGATIVE}),
    "pac_sample_size": (
        [10],
        {"epsilon": OPEN_SHARE, "delta": OPEN_SHARE, "vc_dimension": POSITIVE},
    ),
    "finite_class_sample_size": (
        [10],
        {"size": FROM_ONE, "epsilon": OPEN_SHARE, "delta": OPEN_SHARE},
    ),
    "combined_vc_dimension": (
        [2, 3],
        {"vc_dimension": POSITIVE, "n_rounds": FROM_ONE, "constant": POSITIVE},
    ),
    "boosting_sample_size": (
        [2, 0.5],
        {
            "vc_dimension": POSITIVE,
            "edge": ((0.01, 1.0), (0.0, 1.5)),
            "epsilon": OPEN_SHARE,
            "delta": OPEN_SHARE,
            "constant": POSITIVE,
        },
    ),
    "gaussian_threshold_error": ([1.0], {"separation": NOT_NEGATIVE}),
    "exponential_threshold_error": ([1.0, 1.0], {"shift": NOT_NEGATIVE}),
    "best_guesser": ([5], {"n_guessers": COUNT, "n_flips": COUNT}),
    "hoeffding_bound": ([100], {"n_examples": FROM_ONE, "empirical_risk": RISK}),
    "finite_class_bound": ([100, 5], {"size": FROM_ONE, "delta": OPEN_SHARE}),
    "occam_bound": (
        [100, 0.5],
        {"prior": ((1e-9, 1.0), (0.0, 1.5)), "delta": OPEN_SHARE, "empirical_risk": RISK},
    ),
    "description_prior": ([3], {"n_bits": COUNT_FROM_ZERO}),
    "growth_bound": ([100, 2.0], {"log_growth": NOT_NEGATIVE, "n_examples": FROM_ONE}),
    "vc_bound": (
        [100, 2],
        {
            "n_examples": ((3, 2.5), (2, 1)),
            "vc_dimension": ((0.5, 99.5), (0.0, -1.0)),
            "empirical_risk": RISK,
            "delta": OPEN_SHARE,
            "constant": POSITIVE,
        },
    ),
    "consistent_bound": ([100, 2], {"vc_dimension": ((0.5, 99), (0.0,)), "delta": OPEN_SHARE}),
    "consistent_finite_bound": (
        [100, 2],
        {"size": FROM_ONE, "delta": OPEN_SHARE, "n_examples": FROM_ONE},
    ),
    "consistent_growth_bound": (
        [100, 2.0],
        {"log_growth_doubled": NOT_NEGATIVE, "delta": OPEN_SHARE, "n_examples": FROM_ONE},
    ),
    "rounds_bound": (
        [100, 2, 3],
        {
            "n_rounds": FROM_ONE,
            "constant": POSITIVE,
            "vc_dimension": POSITIVE,
            "delta": OPEN_SHARE,
            "empirical_risk": RISK,
        },
    ),
    "compression_bound": (
        [20, 0],
        {
            "n_examples": ((1, 2), (0, 20.5)),
            "n_kept": ((0, 1, 19), (20, -1, 1.5)),
            "delta": OPEN_SHARE,
        },
    ),
    "risk_compression_bound": (
        [20, 5, 0.5],
        {
            "largest_loss": ((0.5, 3.0), (0.0, -1.0)),
            "empirical_risk": SHARE,
            "n_kept": ((0, 19), (20, 1.5)),
            "delta": OPEN_SHARE,
        },
    ),
    "scheme_compression_bound": (
        [20, 5],
        {"empirical_risk": SHARE, "n_kept": ((0, 19), (20, -1)), "delta": OPEN_SHARE},
    ),
    "linear_capacity": ([1.0, 1.0], {"norm": NOT_NEGATIVE, "radius": NOT_NEGATIVE}),
    "svm_bound": (
        [100, 1.0, 1.0],
        {
            "n_examples": FROM_ONE,
            "norm": POSITIVE,
            "radius": POSITIVE,
            "empirical_risk": RISK,
            "constant": POSITIVE,
            "delta": OPEN_SHARE,
        },
    ),
    "perceptron": ([[[1.0], [2.0]], [1, -1]], {"max_passes": COUNT}),
    "covering_number": ([[[0.0, 0.4]], 0.5], {"epsilon": POSITIVE}),
    "uniform_covering_number": ([[[0.0, 0.4], [0.1, 0.2]], 0.5, 1], {"n_points": COUNT}),
    "covering_bound": (
        [100, 5.0],
        {
            "n_examples": FROM_ONE,
            "covering": FROM_ONE,
            "margin_risk": SHARE,
            "delta": OPEN_SHARE,
        },
    ),
    "hull_norm": ([[0.5, 0.5], 1.0], {"p": POSITIVE}),
    "hull_log2_covering": (
        [1.0, 2.0, 0.25],
        {
            "p": ((0.5, 1.9), (0.0, 2.0, 2.5)),
            "vc_dimension": POSITIVE,
            "epsilon": OPEN_SHARE,
            "constant": POSITIVE,
        },
    ),
    "hull_bound": (
        [100, 1.0, 2.0, 0.5],
        {
            "gamma": ((0.1, 1.0), (0.0, 1.5)),
            "n_examples": FROM_ONE,
            "delta": OPEN_SHARE,
            "margin_risk": SHARE,
        },
    ),
    "true_risk": ([lambda X: X, lambda n: (np.zeros(n), np.zeros(n))], {"n_examples": COUNT}),
    "disc_risk": ([lambda X: -np.ones(len(X)), []], {"radius": POSITIVE}),
    "search_vc_dimension": (
        [capacity.Thresholds(), 1],
        {"n_tries": COUNT, "max_points": COUNT},
    ),
    "Stumps": ([], {"n_features": COUNT}),
    "Boxes": ([], {"n_features": COUNT}),
    "Monomials": ([], {"n_features": COUNT}),
    "LinearClassifiers": ([], {"n_features": COUNT}),
    "Intervals": ([], {"n_intervals": ((1, 2, None), (0, 1.5, -1))}),
    "KernelClassifiers": ([], {"gamma": POSITIVE}),
    "AtMostPositives": ([1], {"n_positives": COUNT_FROM_ZERO}),
}
CASES = [
    pytest.param(name, argument, id=f"{name}-{argument}")
    for name, (_, arguments) in LIMITS.items()
    for argument in arguments
]
NEEDED = {
    "pac_sample_size": {"epsilon": 0.1},
    "finite_class_sample_size": {"epsilon": 0.1},
    "boosting_sample_size": {"epsilon": 0.1},
}


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_numbers_are_taken_up_to_their_limits_and_no_further(name, argument):
    function, (given, limits) = getattr(capacity, name), LIMITS[name]
    names = inspect.signature(function).parameters
    arguments = {**dict(zip(names, given, strict=False)), **NEEDED.get(name, {})}
    taken, refused = limits[argument]
    for value in taken:
        function(**{**arguments, argument: value})
    for value in refused:
        with pytest.raises((TypeError, ValueError), match=f"{argument}: got "):
            function(**{**arguments, argument: value})
