"""Label noise: filters that flag suspicious rows, volumes around rows, error formulas.

Ids are those of ``docs/catalogue/chan.md``: Chan, *On Boosting and Noisy Labels*.

==============================================  ====================================================
Name                                            What, and where it comes from
==============================================  ====================================================
NoiseFilter                                     what filters share: ``flagged_``, ``score_``
CrossValidatedFilter                            framework of cross-validated voters (CH-A11, Alg. 6)
SingleFilter, FilteredClassifier                single-algorithm filters, both kinds (CH-A12)
MajorityFilter, ConsensusFilter                 ensemble filters (CH-A13, CH-A14)
AdaBoostFilter                                  AdaBoost's base learners vote (CH-A15, Alg. 7)
DecisionVolumeFilter                            smallest decision volumes (CH-A18, Alg. 9)
WilsonFilter, TomekFilter, OkaFilter            nearest neighbours (CH-A16a, CH-A16b, CH-A16g)
RobustTreeFilter                                John's robust tree (CH-A16c)
GambergerFilter                                 literals that few rows need (CH-A16d)
GuyonFilter                                     surprise, on-line (CH-A16e)
SrinivasanFilter                                compression: exceptions and noise (CH-A16f)
RegressionFilter                                drop outlying points and refit (CH-A16h)
log_decision_volumes                            approximate decision volume (CH-A17, Alg. 8)
log_exact_decision_volumes                      the connected region itself (CH-A17x)
log_cell_volumes                                cell volume (CH-A19, Alg. 10)
mean_volumes, GroupMeans                        noisy rows beside the others (CH-Q23)
majority_discard_probability,                   filter errors in theory (CH-Q17 to CH-Q20)
majority_miss_probability,
consensus_discard_probability,
consensus_miss_probability
filter_errors, FilterErrors, filter_overlap     filter errors measured (CH-Q21, CH-Q24)
==============================================  ====================================================
"""

from .audit import LabelAudit
from .error_formulas import (
    FilterErrors,
    consensus_discard_probability,
    consensus_miss_probability,
    filter_errors,
    filter_overlap,
    majority_discard_probability,
    majority_miss_probability,
)
from .evaluate import AuditScore, evaluate_audit
from .evidence import Evidence, Neighbours
from .filtered import FilteredClassifier
from .filters import (
    AdaBoostFilter,
    ConsensusFilter,
    CrossValidatedFilter,
    DecisionVolumeFilter,
    GambergerFilter,
    GuyonFilter,
    MajorityFilter,
    NoiseFilter,
    OkaFilter,
    RegressionFilter,
    RobustTreeFilter,
    SingleFilter,
    SrinivasanFilter,
    TomekFilter,
    WilsonFilter,
)
from .leaks import leaking_features
from .planting import plant_flips
from .robust import RobustBoostClassifier
from .stacking import Stack, stack_votes
from .targets import TargetAudit
from .volumes import (
    GroupMeans,
    log_cell_volumes,
    log_decision_volumes,
    log_exact_decision_volumes,
    mean_volumes,
)

__all__ = [
    "AdaBoostFilter",
    "AuditScore",
    "ConsensusFilter",
    "CrossValidatedFilter",
    "DecisionVolumeFilter",
    "Evidence",
    "FilterErrors",
    "FilteredClassifier",
    "GambergerFilter",
    "GroupMeans",
    "GuyonFilter",
    "LabelAudit",
    "MajorityFilter",
    "Neighbours",
    "NoiseFilter",
    "OkaFilter",
    "RegressionFilter",
    "RobustBoostClassifier",
    "RobustTreeFilter",
    "SingleFilter",
    "SrinivasanFilter",
    "Stack",
    "TargetAudit",
    "TomekFilter",
    "WilsonFilter",
    "consensus_discard_probability",
    "consensus_miss_probability",
    "evaluate_audit",
    "filter_errors",
    "filter_overlap",
    "leaking_features",
    "log_cell_volumes",
    "log_decision_volumes",
    "log_exact_decision_volumes",
    "majority_discard_probability",
    "majority_miss_probability",
    "mean_volumes",
    "plant_flips",
    "stack_votes",
]
