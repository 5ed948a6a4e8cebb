"""``python -m tests.fuzz --budget 10000``: damaged files and hostile fits, more than the tests try.

Each fault is one line that begins with ``TARGET/SEED/NUMBER``; ``--replay`` runs that case again.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_batch import TARGETS, run_batch


def replayed(place: str) -> tuple[str, int, int]:
    """Target, seed and number of a case."""
    target, seed, number = place.split("/")
    if target not in TARGETS:
        raise ValueError(target)
    return target, int(seed), int(number)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--budget", type=int, default=10_000, help="cases of each sort")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--target", choices=TARGETS, action="append", help="some of the sorts; all if none is given"
    )
    parser.add_argument("--replay", type=replayed, metavar="TARGET/SEED/NUMBER", help="one case")
    args = parser.parse_args()
    batches = [(target, args.seed, 0) for target in args.target or TARGETS]
    bad = 0
    for target, seed, first in [args.replay] if args.replay else batches:
        budget = 1 if args.replay else args.budget
        report = run_batch(target, budget, seed, patience=3600 + budget, first=first)
        print(f"{target}: {report.summary()}")
        for failure in report.failures:
            print(f"  {failure}")
        bad += len(report.failures)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
