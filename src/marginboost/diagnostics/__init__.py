"""Margins, edges, bounds and pictures: what theory says about a run, computed from arrays.

Everything here reads a finished run (arrays, a :class:`~marginboost.core.Run`, a history, a fitted
estimator) and changes nothing. Bounds by the capacity of a class of hypotheses are in
:mod:`marginboost.capacity`. Ids are those of ``docs/catalogue``: Rätsch's
dissertation (R1, R2), Chan's thesis (CH), Barnes's (BA) and a lecture on boosting and margins (LB).

======================================================  ==========================================
Name                                                    What, and where it comes from
======================================================  ==========================================
voting_margins, minimum_margin, class_margins           margins (R1-Q11, R1-Q17, R1-Q21; LB-Q10)
margin_error, margin_distribution, MarginDistribution   margin errors, their curve (R1-Q12; LB-Q11)
zero_one_error                                          error rate, ties by choice (R1-X01; LB-Q8)
edge, largest_edge, ensemble_margin, duality_gap        edges, margins, their gap (R1-Q17)
error_from_edge, edge_from_error                        ε = (1 - γ) / 2 (R1-Q17, R1-X06)
softmax_weights, effective_number                       weights at a temperature (R1-Q18), 1 / Σd²
support_vectors, lowest_margins, support_overlap,       support vectors, leaving one out (R1-Q21)
SupportOverlap, leave_one_out_bound
training_error_bound, simplified_training_error_bound   Π √(1 - γ²), exp(-Tγ²/2) (R1-Q08; LB-Q8)
margin_error_bound, entropy_bound, normaliser_bound     on margin errors (R1-Q22, R1-C51)
binary_relative_entropy                                 Δ₂ (R1-Q23)
asymptotic_margin                                       m(γ, ϱ) (R1-Q24)
exponential_loss                                        loss with target margin (R1-Q26; LB-Q6)
margin_bound, MarginBound                               test error by margins (R1-Q13)
rounds_to_consistency                                   2 log N / γ² (R1-Q08, R1-C06)
rounds_to_margin, marginal_adaboost_bounds,             Cor. 2.3, Thm 2.3 (R1-Q25)
MarginalAdaBoostBounds
l1_norm_report, L1NormReport, linear_l1_norm_bound,     Σ|α| and its regimes (R1-Q20)
harmonic_l1_norm_bound, target_regime, Regime
gap_report, GapReport                                   duality gap Γ (R1-Q28)
compare_norms, BothNorms                                margins in both norms (CH-A10c)
nu_margin, NuMargin, NuFractions, softened_margins      ρ at a share ν, slack (R2-Q3 to R2-Q5)
smooth_slack, nu_bound, optimality_violation            (4.19), (4.13), projected gradient (R2-Q11)
freedom_of_movement, FreedomOfMovement                  moves that change nothing (R2-Q12)
select_round, selected_errors, SelectedErrors           error by oracle, validation, last (BA-E16)
survivors                                               runs that came so far (BA-Q25)
average_influence, InfluenceRecorder,                   who a run leaned on (R2-Q2, R2-Q5)
important_examples
leave_one_out_stability, Stability, stability_bound     leave-one-out changes, (4.4) (R2-Q9)
q_squared, normalised_error, tube_fractions,            errors and tubes (R2-Q15, R2-Q16)
TubeFractions
largest_dual, zero_fraction, likelihood_loss,           d_max, Prop. 5.3, (5.6), Def. 5.1
is_tau_optimal                                          (R2-Q17, R2-P6, R2-P2, R2-T2)
descent_edges, progress_terms, ProgressTerms,           leveraging as descent (R1-Q31 to R1-Q33)
auxiliary_functions, AuxiliaryFunctions, progress_bound
selection_quality, SelectionQuality,                    δ, β of a selection rule (R1-Q34, R1-Q35)
implied_step_quality
linear_rate, LinearRate, has_finite_minimiser           rates, and when there are (R1-Q36, R1-Q37)
mean_percent, MeanPercent, compare_errors,              tables of methods, t-tests (R2-Q13, R2-Q14)
Comparison, best_methods
information_criterion, degrees_of_freedom,              AIC, BIC, AICc along a run (CH-A0b)
InformationStopping
coefficient_path, lars_path, CoefficientPath,           coefficients stage by stage, and those of
CoefficientPathDisplay                                  least angle regression (CH-A6b)
evaluate, Evaluation, TargetEvaluation                  scores beside the base rate, curves
ndcg                                                    order of rows within queries
ReliabilityDisplay                                      probabilities against what happened
TubeDisplay, ResidualDisplay                            targets around a tube, residuals (R2-Q16)
MarginDisplay                                           margin distribution (R1-Q12, R1-E08; LB-E4)
EdgeDisplay                                             sandwich of edge and margin (R1-C16; LB-E2)
GapDisplay, GapRaceDisplay                              bounds closing in, of one or several runs
SoftMarginDisplay                                       margins cut at ν (R2-E4, Fig. 4.4, 4.5)
DualWeightDisplay                                       weights, caps (R2-E4, Fig. 4.6)
row_contributions, Contributions                        what features contribute to answers for rows
ShapeDisplay, Shape                                     shape functions of stumps
ImportanceDisplay, WaterfallDisplay                     features by importance, one row's answer
DecisionRegionDisplay                                   votes over two features (R1-E03; LB-E1)
TrainingErrorDisplay                                    error and bound (R1-C05; LB-E3, LB-E5)
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
from .coefficient_path import CoefficientPath, coefficient_path, lars_path
from .comparison import Comparison, MeanPercent, best_methods, compare_errors, mean_percent
from .contributions import Contributions, row_contributions
from .convergence import (
    GapReport,
    L1NormReport,
    MarginalAdaBoostBounds,
    Regime,
    gap_report,
    harmonic_l1_norm_bound,
    l1_norm_report,
    linear_l1_norm_bound,
    marginal_adaboost_bounds,
    rounds_to_consistency,
    rounds_to_margin,
    target_regime,
)
from .displays import (
    CoefficientPathDisplay,
    DecisionRegionDisplay,
    DualWeightDisplay,
    EdgeDisplay,
    GapDisplay,
    GapRaceDisplay,
    ImportanceDisplay,
    MarginDisplay,
    ReliabilityDisplay,
    ResidualDisplay,
    Shape,
    ShapeDisplay,
    SoftMarginDisplay,
    TrainingErrorDisplay,
    TubeDisplay,
    WaterfallDisplay,
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
from .evaluation import Evaluation, TargetEvaluation, evaluate
from .influence import InfluenceRecorder, average_influence, important_examples
from .information import InformationStopping, degrees_of_freedom, information_criterion
from .leveraging import (
    AuxiliaryFunctions,
    LinearRate,
    ProgressTerms,
    SelectionQuality,
    auxiliary_functions,
    descent_edges,
    has_finite_minimiser,
    implied_step_quality,
    linear_rate,
    progress_bound,
    progress_terms,
    selection_quality,
)
from .margins import (
    BothNorms,
    MarginDistribution,
    class_margins,
    compare_norms,
    margin_distribution,
    margin_error,
    minimum_margin,
    voting_margins,
    zero_one_error,
)
from .ranking import ndcg
from .regression import (
    TubeFractions,
    is_tau_optimal,
    largest_dual,
    likelihood_loss,
    normalised_error,
    q_squared,
    tube_fractions,
    zero_fraction,
)
from .selection import SelectedErrors, select_round, selected_errors, survivors
from .soft_margins import (
    FreedomOfMovement,
    NuFractions,
    NuMargin,
    freedom_of_movement,
    nu_bound,
    nu_margin,
    optimality_violation,
    smooth_slack,
    softened_margins,
)
from .stability import Stability, leave_one_out_stability, stability_bound

__all__ = [
    "AuxiliaryFunctions",
    "BothNorms",
    "CoefficientPath",
    "CoefficientPathDisplay",
    "Comparison",
    "Contributions",
    "DecisionRegionDisplay",
    "DualWeightDisplay",
    "EdgeDisplay",
    "Evaluation",
    "FreedomOfMovement",
    "GapDisplay",
    "GapRaceDisplay",
    "GapReport",
    "ImportanceDisplay",
    "InfluenceRecorder",
    "InformationStopping",
    "L1NormReport",
    "LinearRate",
    "MarginBound",
    "MarginDisplay",
    "MarginDistribution",
    "MarginalAdaBoostBounds",
    "MeanPercent",
    "NuFractions",
    "NuMargin",
    "ProgressTerms",
    "Regime",
    "ReliabilityDisplay",
    "ResidualDisplay",
    "SelectedErrors",
    "SelectionQuality",
    "Shape",
    "ShapeDisplay",
    "SoftMarginDisplay",
    "Stability",
    "SupportOverlap",
    "TargetEvaluation",
    "TrainingErrorDisplay",
    "TubeDisplay",
    "TubeFractions",
    "WaterfallDisplay",
    "asymptotic_margin",
    "auxiliary_functions",
    "average_influence",
    "best_methods",
    "binary_relative_entropy",
    "class_margins",
    "coefficient_path",
    "compare_errors",
    "compare_norms",
    "degrees_of_freedom",
    "descent_edges",
    "duality_gap",
    "edge",
    "edge_from_error",
    "effective_number",
    "ensemble_margin",
    "entropy_bound",
    "error_from_edge",
    "evaluate",
    "exponential_loss",
    "freedom_of_movement",
    "gap_report",
    "harmonic_l1_norm_bound",
    "has_finite_minimiser",
    "implied_step_quality",
    "important_examples",
    "information_criterion",
    "is_tau_optimal",
    "l1_norm_report",
    "largest_dual",
    "largest_edge",
    "lars_path",
    "leave_one_out_bound",
    "leave_one_out_stability",
    "likelihood_loss",
    "linear_l1_norm_bound",
    "linear_rate",
    "lowest_margins",
    "margin_bound",
    "margin_distribution",
    "margin_error",
    "margin_error_bound",
    "marginal_adaboost_bounds",
    "mean_percent",
    "minimum_margin",
    "ndcg",
    "normalised_error",
    "normaliser_bound",
    "nu_bound",
    "nu_margin",
    "optimality_violation",
    "progress_bound",
    "progress_terms",
    "q_squared",
    "rounds_to_consistency",
    "rounds_to_margin",
    "row_contributions",
    "select_round",
    "selected_errors",
    "selection_quality",
    "simplified_training_error_bound",
    "smooth_slack",
    "softened_margins",
    "softmax_weights",
    "stability_bound",
    "support_overlap",
    "support_vectors",
    "survivors",
    "target_regime",
    "training_error_bound",
    "tube_fractions",
    "voting_margins",
    "zero_fraction",
    "zero_one_error",
]
