"""Run an experiment: its plan, trials in parallel, a ledger, and files with what came out."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from marginboost.datasets import MissingDataError, load
from marginboost.datasets.loading import is_here
from marginboost.files import write_whole

from . import published
from .circumstances import circumstances
from .frame import Case, Experiment, Finding, Result, Trials
from .ledger import Ledger
from .tables import Comparison

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "highspy")
SEEDS = ("seed", "split", "repeat")
"""Settings of a case that say which trial it is, and from which its numbers are drawn."""
Progress = Callable[[int, int], None]
"""Told how many trials are done, and of how many."""


def names() -> list[str]:
    """Ids of the experiments."""
    return [
        module.name.replace("_", "-")
        for module in iter_modules(published.__path__)
        if not module.name.startswith("_")
    ]


def find(name: str) -> Experiment:
    """Return the experiment of this id."""
    found: Experiment = _module(name).EXPERIMENT
    return found


def about(name: str) -> str:
    """What an experiment says about itself; the first line is its title."""
    return (_module(name).__doc__ or name).strip()


def _module(name: str) -> Any:
    if name not in names():
        raise ValueError(f"experiment: got {name!r}, expected one of {', '.join(names())}")
    return import_module(f"{published.__name__}.{name.replace('-', '_')}")


@dataclass(frozen=True)
class Outcome:
    """What an experiment gave.

    Attributes
    ----------
    name, size : str
        Which one, and how large.
    trials : Trials
    tables : list of Comparison
    findings : list of Finding
    seconds : float
        Processor time of all trials together, also of those that were done before.
    """

    name: str
    size: str
    trials: Trials
    tables: list[Comparison]
    findings: list[Finding]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return all but the trials, and what is needed to judge it, as plain data."""
        experiment = find(self.name)
        return {
            "experiment": self.name,
            "about": about(self.name),
            "catalogue": list(experiment.catalogue),
            "size": self.size,
            "settings": dict(experiment.sizes[self.size]),
            "trials": len(self.trials),
            "cpu_seconds": round(self.seconds, 1),
            "seeds": seeds_of(case for case, _ in self.trials),
            "made": circumstances(PACKAGES),
            "tables": [asdict(table) for table in self.tables],
            "findings": [asdict(finding) for finding in self.findings],
        }

    def markdown(self) -> str:
        """Return the same as Markdown."""
        return as_markdown(self.as_dict())

    def figure(self) -> Any:
        """Return the figure, or None where there is nothing to draw."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        experiment = find(self.name)
        if experiment.draw is None:
            return None
        figure = Figure(figsize=experiment.figure_size, layout="constrained")
        FigureCanvasAgg(figure)
        experiment.draw(self.trials, figure)
        return figure

    def save(self, folder: Path) -> list[Path]:
        """Write JSON, Markdown and, where matplotlib is installed, the figure; return the files."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.as_dict(), ensure_ascii=False, indent=1)
        written = [folder / f"{self.name}.json", folder / f"{self.name}.md"]
        write_whole(written[0], f"{text}\n".encode())
        write_whole(written[1], f"{self.markdown()}\n".encode())
        try:
            figure = self.figure()
        except ImportError:
            message = "no figure: matplotlib is not installed; pip install 'marginboost[plot]'"
            warnings.warn(message, stacklevel=2)
            return written
        if figure is not None:
            written.append(folder / f"{self.name}.png")
            figure.savefig(written[-1], dpi=120)
        return written


def run(
    name: str,
    size: str = "quick",
    *,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run an experiment, trials that the ledger does not have.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    size : {"tiny", "quick", "full"}
        How much of it.
    folder : path, optional
        Where the ledger is kept; without it a killed run begins anew.
    n_jobs : int, optional
        Processes, no more than the machine has cores; None is one, -1 is all cores.
    progress : callable, optional
        Told about every trial.
    """
    experiment = find(name)
    if size not in experiment.sizes:
        raise ValueError(f"size: got {size!r}, expected one of {', '.join(experiment.sizes)}")
    _require(experiment.data)
    ledger = Ledger(None if folder is None else Path(folder) / f"{name}.trials.jsonl")
    cases = _complete(
        experiment, name, size, ledger, n_jobs, progress or (lambda done, total: None)
    )
    trials = Trials((case, ledger.result(case)) for case in cases)
    return Outcome(
        name,
        size,
        trials,
        list(experiment.tables(trials)),
        list(experiment.findings(trials)),
        sum(map(ledger.seconds, cases)),
    )


def _require(datasets: Sequence[str]) -> None:
    """Say before any work what is missing, all of it."""
    for dataset in datasets:
        try:
            load(dataset)
        except MissingDataError as error:
            others = [name for name in datasets if name != dataset and not is_here(name)]
            more = f". Not here either: {', '.join(others)}" if others else ""
            raise MissingDataError(f"{error}{more}") from None


def _complete(
    experiment: Experiment,
    name: str,
    size: str,
    ledger: Ledger,
    n_jobs: int | None,
    progress: Progress,
) -> list[Case]:
    """Run what the plan asks for until it asks for nothing new; return all its cases."""
    known = Trials()
    while True:
        cases = experiment.plan(known, **experiment.sizes[size])
        missing = [case for case in cases if case not in ledger]
        done = len(cases) - len(missing)
        progress(done, len(cases))
        for case, result, seconds in _trials(name, missing, n_jobs):
            ledger.add(case, result, seconds)
            done += 1
            progress(done, len(cases))
        if len(cases) == len(known):
            return cases
        known = Trials((case, ledger.result(case)) for case in cases)


def _trials(
    name: str, cases: list[Case], n_jobs: int | None
) -> Iterator[tuple[Case, Result, float]]:
    from joblib import Parallel, delayed  # here, not above: costs a start of the program

    from marginboost.kernels.parallel import resolve_n_jobs

    if n_jobs in (None, 1) or len(cases) == 1:
        for case in cases:
            yield _timed(name, case)
        return
    workers = Parallel(n_jobs=resolve_n_jobs(n_jobs), return_as="generator_unordered", batch_size=1)
    yield from workers(delayed(_timed)(name, case) for case in cases)


def _timed(name: str, case: Case) -> tuple[Case, Result, float]:
    started = time.process_time()
    result = find(name).trial(**case)
    return case, result, round(time.process_time() - started, 3)


# -- what is written -------------------------------------------------------------------------------


def seeds_of(cases: Iterable[Case]) -> str:
    """Numbers that trials were drawn from; "fixed" where an experiment draws nothing, or once."""
    found = sorted({case[name] for case in cases for name in SEEDS if name in case})
    if len(found) > 2 and found == list(range(found[0], found[-1] + 1)):
        return f"{found[0]} to {found[-1]}"
    return ", ".join(map(str, found)) or "fixed"


def as_markdown(data: dict[str, Any], heading: str = "# {}") -> str:
    """Page of one experiment, from what :meth:`Outcome.as_dict` returned."""
    title, _, rest = data["about"].partition("\n")
    made = data["made"]
    lines = [heading.format(title), "", rest.strip(), ""]
    lines += [f"`marginboost reproduce {data['experiment']}{_option(data['size'])}`: " + _run(data)]
    lines += [""]
    lines += [f"- {'✓' if f['holds'] else '✗'} {_sentence(f)}" for f in data["findings"]]
    for table in data["tables"]:
        rows = [tuple(row) for row in table["rows"]]
        shown = Comparison(table["title"], tuple(table["columns"]), rows, tuple(table["notes"]))
        lines += ["", shown.markdown()]
    versions = ", ".join(f"{package} {number}" for package, number in made["versions"].items())
    lines += ["", f"Made {made['date']} on {made['processor']}; {versions}."]
    return "\n".join(lines)


def _option(size: str) -> str:
    return " --full" if size == "full" else ""


def cost(data: dict[str, Any]) -> str:
    """Say how many trials a result has, and how long they took."""
    trials = "1 trial" if data["trials"] == 1 else f"{data['trials']} trials"
    return f"{trials}, {data['cpu_seconds']:.0f} s of processor time"


def _run(data: dict[str, Any]) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in data["settings"].items())
    return (
        cost(data)
        + (f"; {settings}" if settings else "")
        + (f". Reproduces {', '.join(data['catalogue'])}." if data["catalogue"] else ".")
    )


def _sentence(finding: dict[str, Any]) -> str:
    evidence = f" ({finding['evidence']})" if finding["evidence"] else ""
    return f"{finding['claim']}{evidence}"
