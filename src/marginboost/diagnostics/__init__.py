"""Margins, edges, bounds and pictures: what theory says about a run, computed from arrays.

Everything here reads a finished run (arrays, a :class:`~marginboost.core.Run`, a history, a fitted
estimator) and changes nothing. Ids are those of the project's specification of Rätsch's
dissertation (Q, C, X) and of the MIT lecture on boosting and margins (LB).

======================================================  ==========================================
Name                                                    What, and where it comes from
======================================================  ==========================================
voting_margins, minimum_margin, class_margins           margins (Q11, Q17, Q21; LB-Q10)
margin_error, margin_distribution, MarginDistribution   margin errors and their curve (Q12; LB-Q11)
zero_one_error                                          error rate, ties by choice (X01; LB-Q8)
edge, largest_edge, ensemble_margin, duality_gap        edges, margins, their gap (Q17)
error_from_edge, edge_from_error                        ε = (1 - γ) / 2 (Q17, X06)
softmax_weights, effective_number                       weights at a temperature (Q18), 1 / Σd²
support_vectors, lowest_margins, support_overlap,       support vectors, leave-one-out bound (Q21)
SupportOverlap, leave_one_out_bound
training_error_bound, simplified_training_error_bound   Π √(1 - γ²), exp(-Tγ²/2) (Q08; LB-Q8)
margin_error_bound, entropy_bound, normaliser_bound     (2.10), (2.13), (2.14), (A.1) (Q22, C51)
binary_relative_entropy                                 Δ₂ (Q23)
asymptotic_margin                                       m(γ, ϱ) (Q24)
exponential_loss                                        loss with target margin (Q26; LB-Q6)
margin_bound, MarginBound                               test error by margins (Q13)
rounds_to_consistency                                   2 log N / γ² (Q08, C06)
rounds_to_margin, marginal_adaboost_bounds,             Cor. 2.3, Thm 2.3 (Q25)
MarginalAdaBoostBounds
length_report, LengthReport, linear_length_bound,       length of α and its regimes (Q20)
harmonic_length_bound, target_regime, Regime
gap_report, GapReport                                   duality gap Γ (Q28)
MarginDisplay                                           margin distribution (Q12, E08; LB-E4)
EdgeDisplay                                             sandwich of edge and margin (C16; LB-E2)
GapDisplay                                              bounds closing in (Q17, Q28)
ShapeDisplay, Shape                                     shape functions of stumps
DecisionRegionDisplay                                   votes over two features (E03; LB-E1)
TrainingErrorDisplay                                    error and bound (C05; LB-E3, LB-E5)
======================================================  ==========================================
"""

from .bounds import (
    MarginBound,
    asymptotic_margin,
    binary_relative_entropy,
    entropy_bound,
    exponential_loss,
    margin_bound,
    margin_error_bound,
    normaliser_bound,
    simplified_training_error_bound,
    training_error_bound,
)
from .convergence import (
    GapReport,
    LengthReport,
    MarginalAdaBoostBounds,
    Regime,
    gap_report,
    harmonic_length_bound,
    length_report,
    linear_length_bound,
    marginal_adaboost_bounds,
    rounds_to_consistency,
    rounds_to_margin,
    target_regime,
)
from .displays import (
    DecisionRegionDisplay,
    EdgeDisplay,
    GapDisplay,
    MarginDisplay,
    Shape,
    ShapeDisplay,
    TrainingErrorDisplay,
)
from .edges import (
    SupportOverlap,
    duality_gap,
    edge,
    edge_from_error,
    effective_number,
    ensemble_margin,
    error_from_edge,
    largest_edge,
    leave_one_out_bound,
    lowest_margins,
    softmax_weights,
    support_overlap,
    support_vectors,
)
from .margins import (
    MarginDistribution,
    class_margins,
    margin_distribution,
    margin_error,
    minimum_margin,
    voting_margins,
    zero_one_error,
)

__all__ = [
    "DecisionRegionDisplay",
    "EdgeDisplay",
    "GapDisplay",
    "GapReport",
    "LengthReport",
    "MarginBound",
    "MarginDisplay",
    "MarginDistribution",
    "MarginalAdaBoostBounds",
    "Regime",
    "Shape",
    "ShapeDisplay",
    "SupportOverlap",
    "TrainingErrorDisplay",
    "asymptotic_margin",
    "binary_relative_entropy",
    "class_margins",
    "duality_gap",
    "edge",
    "edge_from_error",
    "effective_number",
    "ensemble_margin",
    "entropy_bound",
    "error_from_edge",
    "exponential_loss",
    "gap_report",
    "harmonic_length_bound",
    "largest_edge",
    "leave_one_out_bound",
    "length_report",
    "linear_length_bound",
    "lowest_margins",
    "margin_bound",
    "margin_distribution",
    "margin_error",
    "margin_error_bound",
    "marginal_adaboost_bounds",
    "minimum_margin",
    "normaliser_bound",
    "rounds_to_consistency",
    "rounds_to_margin",
    "simplified_training_error_bound",
    "softmax_weights",
    "support_overlap",
    "support_vectors",
    "target_regime",
    "training_error_bound",
    "voting_margins",
    "zero_one_error",
]
