"""What a class of hypotheses can express, and what follows for the error.

A bound here is a float that prints its theorem, its terms and the assumptions that make it valid or
void. Ids are those of ``docs/catalogue``.

======================================================  ============================================
Name                                                    What, and where it comes from
======================================================  ============================================
Bound, Assumption                                       a number, its theorem, what it needs
binomial_tail, hoeffding_tail, union_bound              tails of means (SF-Q6, SF-Q7, SF-Q9)
hoeffding_bound, finite_class_bound, erm_excess_bound,  one hypothesis, finitely many, all by
occam_bound, description_prior                          length (SF-Q8 to SF-Q11, SF-Q22; BA-Q8)
growth_bound, vc_bound, consistent_bound,               by labelings and VC dimension (SF-Q13,
consistent_finite_bound, consistent_growth_bound        SF-Q16, SF-Q18; R1-Q05, R1-Q06; BA-Q10)
rounds_bound, svm_bound, linear_capacity                votes of T (CH-Q13), planes (R1-Q14)
compression_bound, risk_compression_bound,              few examples tell all (R1-Q38, R1-Q40;
scheme_compression_bound, compression_set               SF-Q19; R1-A38)
pac_sample_size, finite_class_sample_size,              how many examples (R1-Q04, R1-Q09,
boosting_sample_size, combined_vc_dimension             R1-Q10; SF-Q20)
Thresholds, Stumps, Intervals, LinearClassifiers,       classes whose labelings are counted
KernelClassifiers, Boxes, Monomials, AtMostPositives    (SF-Q27.1 to SF-Q27.8; LB-Q15.1)
shatters, forced_labels, search_vc_dimension, …         labelings of points (LB-A7; R1-Q03)
sauer, log_sauer, log_polynomial_growth                 most labelings (SF-Q15)
covering_number, covering_bound, hull_bound, …          covers and p-convex hulls (BA-Q11 to
                                                        BA-Q16, BA-Q22, BA-Q27)
separable, geometric_margin, enclosing_radius,          planes, margins, radii; mistakes
perceptron, mistake_bound                               (LB-A6, LB-Q13, LB-Q14)
true_risk, disc_risk, empirical_risk_minimiser,         risks, and choosing by them
structural_risk, rounds_structural_risk, pac_check      (R1-A01, R1-A02, R1-Q07; BA-Q4)
line_table, midpoint_threshold, best_guesser, …         the book's small examples (SF-E5a to SF-E7b)
model_bounds, BoundDisplay, StructuralRiskDisplay       all bounds of a model, on one axis
======================================================  ============================================
"""

from .bound import (
    Assumption,
    Bound,
)
from .classes import (
    AtMostPositives,
    Boxes,
    HypothesisClass,
    Intervals,
    KernelClassifiers,
    LinearClassifiers,
    Monomials,
    Stumps,
    Thresholds,
)
from .compression import (
    compression_bound,
    risk_compression_bound,
    scheme_compression_bound,
)
from .displays import (
    BoundDisplay,
    StructuralRiskDisplay,
)
from .fitted import (
    CompressionSet,
    compression_set,
    model_bounds,
)
from .growth import (
    log_polynomial_growth,
    log_sauer,
    sauer,
)
from .hulls import (
    covering_bound,
    covering_number,
    hull_bound,
    hull_log2_covering,
    hull_norm,
    in_hull,
    onto_hull,
    sup_distance,
    uniform_covering_number,
)
from .planes import (
    PerceptronResult,
    enclosing_radius,
    geometric_margin,
    linear_capacity,
    mistake_bound,
    perceptron,
    separable,
    svm_bound,
)
from .risk import (
    MonteCarloRisk,
    PacCheck,
    StructuralRisk,
    disc_risk,
    empirical_risk_minimiser,
    pac_check,
    rounds_structural_risk,
    structural_risk,
    true_risk,
)
from .sample_size import (
    boosting_sample_size,
    combined_vc_dimension,
    finite_class_sample_size,
    pac_sample_size,
)
from .shattering import (
    error_sets,
    forced_labels,
    sample_labelings,
    sample_vc_dimension,
    search_vc_dimension,
    shatters,
)
from .tails import (
    binomial_tail,
    hoeffding_tail,
    union_bound,
)
from .teaching import (
    best_guesser,
    exponential_threshold_error,
    gaussian_threshold_error,
    line_table,
    midpoint_threshold,
)
from .theorems import (
    consistent_bound,
    consistent_finite_bound,
    consistent_growth_bound,
    description_prior,
    erm_excess_bound,
    finite_class_bound,
    growth_bound,
    hoeffding_bound,
    occam_bound,
    rounds_bound,
    vc_bound,
)

__all__ = [
    "Assumption",
    "AtMostPositives",
    "Bound",
    "BoundDisplay",
    "Boxes",
    "CompressionSet",
    "HypothesisClass",
    "Intervals",
    "KernelClassifiers",
    "LinearClassifiers",
    "Monomials",
    "MonteCarloRisk",
    "PacCheck",
    "PerceptronResult",
    "StructuralRisk",
    "StructuralRiskDisplay",
    "Stumps",
    "Thresholds",
    "best_guesser",
    "binomial_tail",
    "boosting_sample_size",
    "combined_vc_dimension",
    "compression_bound",
    "compression_set",
    "consistent_bound",
    "consistent_finite_bound",
    "consistent_growth_bound",
    "covering_bound",
    "covering_number",
    "description_prior",
    "disc_risk",
    "empirical_risk_minimiser",
    "enclosing_radius",
    "erm_excess_bound",
    "error_sets",
    "exponential_threshold_error",
    "finite_class_bound",
    "finite_class_sample_size",
    "forced_labels",
    "gaussian_threshold_error",
    "geometric_margin",
    "growth_bound",
    "hoeffding_bound",
    "hoeffding_tail",
    "hull_bound",
    "hull_log2_covering",
    "hull_norm",
    "in_hull",
    "line_table",
    "linear_capacity",
    "log_polynomial_growth",
    "log_sauer",
    "midpoint_threshold",
    "mistake_bound",
    "model_bounds",
    "occam_bound",
    "onto_hull",
    "pac_check",
    "pac_sample_size",
    "perceptron",
    "risk_compression_bound",
    "rounds_bound",
    "rounds_structural_risk",
    "sample_labelings",
    "sample_vc_dimension",
    "sauer",
    "scheme_compression_bound",
    "search_vc_dimension",
    "separable",
    "shatters",
    "structural_risk",
    "sup_distance",
    "svm_bound",
    "true_risk",
    "uniform_covering_number",
    "union_bound",
    "vc_bound",
]
