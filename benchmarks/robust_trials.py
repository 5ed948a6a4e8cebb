"""What was tried beside the default: ``python -m benchmarks.robust_trials``.

Each line is a variant, each column a rate of flips: mean error in % on the design sets. With
``--json docs/results/robust_trials.json.gz`` the numbers are kept where ``benchmarks.robust_docs``
finds them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from marginboost_experiments.packed import write_json

from .data import Array
from .environment import ROOT, environment
from .report import Table
from .robust_sets import DESIGN, names, split

RATES = (0.0, 0.1, 0.2, 0.3)
TRIALS = ROOT / "docs" / "results" / "robust_trials.json.gz"


def variants() -> dict[str, Callable[[Array, Array], Any]]:
    """Fitted models by name."""
    from marginboost import GradientBoostClassifier, RobustBoostClassifier, SoftmaxBoostClassifier
    from marginboost.audit import LabelAudit, committee, votes
    from marginboost.audit.soft_labels import soft_rows

    def robust(**settings: Any) -> Callable[[Array, Array], Any]:
        return lambda X, y: RobustBoostClassifier(**settings).fit(X, y)

    def on_soft_labels(X: Array, y: Array, voters: Any) -> Any:
        audit = LabelAudit(voters).fit(X, y)
        soft = soft_rows(audit.codes_, audit.score_, audit.belief_)
        several = len(audit.classes_) > 2
        model = SoftmaxBoostClassifier() if several else GradientBoostClassifier()
        return model.fit(X[soft.rows], soft.labels, sample_weight=soft.weights)

    def one_vote(X: Array, y: Array) -> Any:
        return on_soft_labels(X, y, votes.default_voters(len(y), int(y.max()) + 1))

    def leaf_by_leaf(X: Array, y: Array) -> Any:
        def grown(make: Callable[..., Any]) -> Callable[..., Any]:
            least = {"grow_policy": "lossguide", "min_samples_leaf": max(1, len(y) // 40)}
            return lambda *args, **settings: make(*args, **settings).set_params(**least)

        with (
            patch.object(votes, "gradient_trees", grown(votes.gradient_trees)),
            patch.object(committee, "committee_trees", grown(committee.committee_trees)),
        ):
            return RobustBoostClassifier().fit(X, y)

    return {
        "as it is": robust(),
        "rows weighed by P(right), no second label": robust(policy="downweight"),
        "suspects dropped": robust(policy="drop"),
        "no audit's opinion used": robust(policy="keep"),
        "always the soft margin over stumps": robust(model="soft-margin"),
        "gradient trees alone on soft labels": lambda X, y: on_soft_labels(X, y, None),
        "the same, voters voting once": one_vote,
        "trees grown leaf by leaf": leaf_by_leaf,
    }


def trials_table(found: dict[str, Any]) -> Table:
    """Error of each variant at each rate."""
    table = Table(
        f"what was tried, design sets, at most {found['rows']:,} rows, {found['kind']} flips, one "
        "split: error in %",
        ["variant", *(f"{rate:.0%}" for rate in RATES)],
    )
    table.rows = [[name, *errors] for name, errors in found["errors"].items()]
    return table


def main() -> None:
    """Measure and print line by line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robust_trials", description=__doc__)
    parser.add_argument("--sets", type=int, default=len(DESIGN), help="design sets, at most")
    parser.add_argument("--rows", type=int, default=1500, help="rows to learn from, at most")
    parser.add_argument("--kind", default="uniform", help="of flips, as in plant_flips")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers here")
    chosen = parser.parse_args()
    sets = [name for name in names() if name in DESIGN][: chosen.sets]
    if not sets:
        raise SystemExit("no design set is here: MARGINBOOST_DATA=FOLDER must name their folder")
    print(f"error in %, mean over {', '.join(sets)}; flips:", *(f"{rate:.0%}" for rate in RATES))
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {"rows": chosen.rows, "kind": chosen.kind, "sets": sets, "errors": {}}
    for name, fit in variants().items():
        errors = np.zeros(len(RATES))
        for k, rate in enumerate(RATES):
            for table in sets:
                data = split(table, chosen.kind, rate, 0, chosen.rows)
                wrong = fit(data.X, data.noisy).predict(data.X_test) != data.y_test
                errors[k] += 100.0 * float(np.mean(wrong)) / len(sets)
        print(f"{name:42s}", *(f"{error:6.2f}" for error in errors), flush=True)
        found["errors"][name] = errors.round(3).tolist()
    if chosen.json:
        write_json(chosen.json, found | {"environment": environment()})


if __name__ == "__main__":
    main()
