"""Command line: ``python -m benchmarks [name ...] [--quick] [--json FILE] [options]``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from marginboost_experiments.packed import write_json

from .audit import audit
from .choosing_nu import choosing_nu
from .cluster import dask, dask_cost
from .cold_start import cold_start
from .environment import OtherLoad, environment
from .fitting import sklearn_adaboost, stumps
from .gradient import gradient
from .leveraging import leveraging
from .noise_losses import noise_losses
from .predicting import predict
from .probabilities import probabilities
from .regression import regression
from .relatives import relatives
from .report import Section, show, show_environment, show_goals
from .robust import robust
from .scaling import scaling
from .shapley import shapley
from .sizes import FULL, QUICK, SPEED, Sizes
from .soft_margin import soft_margin
from .soft_margin_sets import soft_margin_sets
from .stream import stream
from .symmetric import symmetric
from .target_audit import target_audit
from .target_flags import target_flags

BENCHMARKS: dict[str, Callable[[Sizes], Section]] = {
    benchmark.__name__: benchmark
    for benchmark in (
        *(stumps, sklearn_adaboost, predict, scaling, cold_start, soft_margin, soft_margin_sets),
        *(probabilities, noise_losses, choosing_nu),
        *(gradient, symmetric, leveraging, shapley, audit, target_flags, target_audit, regression),
        *(relatives, robust, stream, dask, dask_cost),
    )
}

SPEED_NAMES = (
    *("predict", "stumps", "gradient", "scaling"),
    *("soft_margin", "soft_margin_sets", "audit", "cold_start"),
)
"""Benchmarks that docs/speed.md is written from."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the chosen benchmarks, print each as it ends, and all goals at the end."""
    chosen = _parser().parse_args(arguments)
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        _parser().error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    sizes = QUICK if chosen.quick else SPEED if chosen.speed else FULL
    names = chosen.names or (SPEED_NAMES if chosen.speed else BENCHMARKS)
    if chosen.repeats:
        sizes = replace(sizes, repeats=chosen.repeats)
    sizes = replace(sizes, minutes=chosen.minutes, other=chosen.other, again=chosen.again)
    if chosen.rows:
        sizes = replace(sizes, robust_rows=chosen.rows, stream_rows=chosen.rows)
        sizes = replace(sizes, regression_rows=chosen.rows, target_audit_rows=chosen.rows)
        sizes = replace(sizes, cluster_cost_shape=(chosen.rows, sizes.cluster_cost_shape[1]))
    found = environment()
    show_environment(found)
    if chosen.quick:
        print("QUICK: small sizes that show the benchmarks work; goals are stated for the full run")
    sections: list[Section] = []
    for name in names:
        others, started = OtherLoad(), time.monotonic()
        section = BENCHMARKS[name](sizes)
        section.other_load = None if section.unknown_load else others.share()
        section.seconds = time.monotonic() - started
        sections.append(section)
        show(section)
        if chosen.json:  # after every benchmark, so that an interrupted run keeps its numbers
            _write(chosen.json, found, sections, chosen.quick)
    print()
    goals = [goal for section in sections for goal in section.goals]
    show_goals("all goals", [goal for goal in goals if goal.target is not None])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="small sizes, a minute or two")
    parser.add_argument(
        "--speed", action="store_true", help="what docs/speed.md shows, some twelve minutes"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the raw numbers here; NAME.gz is packed"
    )
    parser.add_argument("--repeats", type=int, metavar="K", help="repeats of every timing")
    parser.add_argument(
        *("--limit-minutes", "--minutes"),
        **{"dest": "minutes", "type": float, "metavar": "M"},
        help="end robust, regression and gradient then; the first two go on when run again",
    )
    parser.add_argument(
        "--rows", type=int, metavar="N", help="rows, where a benchmark has one number of them"
    )
    parser.add_argument(
        "--other", type=Path, metavar="CHECKOUT", help="run soft_margin_sets beside this checkout"
    )
    parser.add_argument(
        "--again", metavar="NAME", help="measure this contender of robust anew in all cases"
    )
    return parser


def _write(path: Path, found: dict[str, object], sections: list[Section], quick: bool) -> None:
    results = [section.to_dict() for section in sections]
    write_json(path, {"environment": found, "quick": quick, "benchmarks": results})


if __name__ == "__main__":
    main()
