"""``python -m marginboost.reproduce``: run an experiment of the literature."""

from __future__ import annotations

import argparse

from . import DATA_VARIABLE, names, run, summary


def main(arguments: list[str] | None = None) -> None:
    """List the experiments, or run one."""
    parser = argparse.ArgumentParser(
        prog="python -m marginboost.reproduce", description="Published and measured, side by side."
    )
    parser.add_argument("experiment", nargs="?", choices=names(), help="omit it for a list")
    parser.add_argument(
        "--data", metavar="FOLDER", help=f"data sets as .npz files; default: ${DATA_VARIABLE}"
    )
    chosen = parser.parse_args(arguments)
    if chosen.experiment is None:
        for name in names():
            print(f"{name:<20}{summary(name)}")
        return
    for table in run(chosen.experiment, chosen.data):
        print(table, end="\n\n", flush=True)


if __name__ == "__main__":
    main()
