"""Verdicts on the drug surrogate: what is within its standard error is no difference."""

import pytest

from marginboost_experiments import Trials
from marginboost_experiments.published.ratsch_drug import EXPERIMENT

KERNELS_BEFORE = [0.48, 0.55, 0.50, 0.53, 0.51]
SELECTION = "40 descriptors tell: after the selection kernels are better than before"


def trials_where_selection_gains(gains):
    """Return five tables: kernels are so much better after the selection, nothing else differs."""
    cases = EXPERIMENT.plan(Trials(), tables=5, rounds=1, informative=[40])
    pairs = []
    for case in cases:
        gained = gains[case["seed"]] if case["descriptors"] == "selected descriptors" else 0.0
        error = KERNELS_BEFORE[case["seed"]] - gained
        hypotheses = 31.0 if case["method"] == "Lev-k" else 30.0
        pairs.append((case, {"Q²": error, "hypotheses": hypotheses, "attributes": None}))
    return Trials(pairs)


@pytest.mark.parametrize(
    ("gains", "holds"),
    [
        ([0.06, -0.05, 0.05, -0.06, 0.015], False),  # 0.003 on average, by chance
        ([0.02, 0.03, 0.01, 0.02, 0.02], True),  # on every table, though tables differ by more
        ([-0.02, -0.03, -0.01, -0.02, -0.02], False),
    ],
)
def test_a_difference_must_exceed_its_standard_error(gains, holds):
    """R2-E14: tables are the same for all methods, so differences are taken table by table."""
    found = {
        finding.claim: finding
        for finding in EXPERIMENT.findings(trials_where_selection_gains(gains))
    }
    assert found[SELECTION].holds is holds
    assert "difference" in found[SELECTION].evidence
    assert not found[
        "40 descriptors tell: half-spaces are better than kernels among nuisance descriptors"
    ].holds
    assert found["a strictly convex loss takes more hypotheses"].holds
