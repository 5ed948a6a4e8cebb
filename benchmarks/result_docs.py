"""Write the measured parts of documents: ``python -m benchmarks.result_docs [name ...]``.

A benchmark whose numbers a document shows is run with ``--json docs/results/NAME.json.gz``; this
puts its tables and notes between the marks of the document.
"""

from __future__ import annotations

import argparse
from typing import Any

from marginboost_experiments.packed import read_json

from .environment import ROOT
from .report import MOST_COMPANY, Table
from .robust_docs import fill, markdown

DOCUMENTS = {
    "audit": ("label-audit.md", 3),
    "choosing_nu": ("soft-margins.md", 3),
    "dask": ("cluster-model.md", 3),
    "gradient": ("coming-from.md", 2),
    "noise_losses": ("noise-losses.md", 1),
    "probabilities": ("probabilities.md", 3),
    "relatives": ("family.md", 4),
    "regression": ("regression.md", 2),
    "shapley": ("explanations.md", 2),
    "speed": ("speed.md", 3),
    "symmetric": ("gradient-boosting.md", 3),
    "stream": ("larger-than-memory.md", 2),
    "target_audit": ("target-audit.md", 3),
}
"""Document of each result file, and digits behind the point in its tables.

That of speed holds several benchmarks, and the document all their goals."""
WITH_GOALS = ("audit", "choosing_nu", "dask", "regression", "stream", "target_audit")
"""Documents that show goals beside tables."""
UNSHOWN = {"audit": ("time",)}
"""Tables of a benchmark that its document does without."""
PARTS = {"target_audit": ("target_audit", "target_flags")}
"""Benchmarks that a document shows, where they are several."""


def measured(found: dict[str, Any], name: str) -> str:
    """Write what a document shows of a result file: tables, then notes and versions."""
    if name == "speed":
        return all_goals(found)
    sections = [part for part in found["benchmarks"] if part["name"] in PARTS.get(name, (name,))]
    parts = [
        markdown(Table(table["title"], table["columns"], table["rows"]), DOCUMENTS[name][1])
        for section in sections
        for table in section["tables"]
        if table["title"] not in UNSHOWN.get(name, ())
    ]
    if name in WITH_GOALS:
        parts.append(markdown(_goals(sections)))
    notes = "; ".join(note for section in sections for note in section["notes"])
    notes = f"{notes}. " if notes else ""
    if (load := max(section["other_load"] or 0.0 for section in sections)) > MOST_COMPANY:
        notes += f"Other processes took {load:.0%} of the machine: times say little. "
    versions = found["environment"]["versions"]
    names = ("marginboost", "numpy", "scikit-learn")
    shown = ", ".join(f"{name} {versions[name]}" for name in names)
    return "\n\n".join([*parts, f"{notes}{_made(found['environment'])}; {shown}."])


def _made(environment: dict[str, Any]) -> str:
    return f"Made {environment['date']} on {environment['processor']}"


def all_goals(found: dict[str, Any]) -> str:
    """Goals of all benchmarks in one table, then what they were measured on, as Markdown."""
    table = _goals(found["benchmarks"])
    environment = found["environment"]
    versions = environment["versions"]
    there = {name: number for name, number in versions.items() if number != "not installed"}
    known = ", ".join(f"{name} {number}" for name, number in there.items())
    loads = [section["other_load"] or 0.0 for section in found["benchmarks"]]
    machine = f"{_made(environment)}, {environment['threads']} threads; {known}"
    return "\n\n".join(
        [markdown(table), f"{machine}. Other processes took at most {max(loads):.0%} meanwhile."]
    )


def _goals(sections: list[dict[str, Any]]) -> Table:
    """Goals of benchmarks, those that are only shown left out."""
    table = Table("goals", ["what", "measured", "goal", "verdict"])
    for section in sections:
        for goal in section["goals"]:
            size = goal["measured"]
            measured = "–" if size is None else f"{size:.3g}{goal['unit']}"
            if goal["target"] is not None:
                wanted = f"{goal['relation']} {goal['target']:g}{goal['unit']}"
                table.rows.append([goal["what"], measured, wanted, goal["verdict"]])
    return table


def main() -> None:
    """Write the documents whose results are there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.result_docs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(DOCUMENTS))
    for name in parser.parse_args().names or DOCUMENTS:
        path = ROOT / "docs" / "results" / f"{name}.json.gz"
        if name not in DOCUMENTS or not path.is_file():
            parser.error(f"no results {path.relative_to(ROOT)}, expected one of {list(DOCUMENTS)}")
        fill(DOCUMENTS[name][0], measured(read_json(path), name))


if __name__ == "__main__":
    main()
