"""``python -m tests.fuzz --budget 10000``: damaged files, more of them than the tests take."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_batch import run_batch

TARGETS = ("models", "tables")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--budget", type=int, default=10_000, help="damaged files of each sort")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=TARGETS, action="append", help="models, tables or both")
    args = parser.parse_args()
    bad = 0
    for target in args.target or TARGETS:
        report = run_batch(target, args.budget, args.seed, patience=3600)
        print(f"{target}: {report.summary()}")
        for failure in report.failures[:20]:
            print(f"  {failure}")
        bad += len(report.failures)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
