"""The page that lists every public name, made anew with every build of the site."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

FIRST = ("LabelAudit", "TargetAudit", "RobustBoostClassifier")
MODULES = {
    "marginboost.audit": "Label noise",
    "marginboost.diagnostics": "Diagnostics and displays",
    "marginboost.capacity": "Capacity and bounds",
    "marginboost.losses": "Losses",
    "marginboost.solvers": "Solvers",
    "marginboost.datasets": "Data sets",
    "marginboost.checks": "Contract checks",
}


def write_reference(folder: Path) -> None:
    """Write ``api.rst`` into the folder of the pages."""
    package = importlib.import_module("marginboost")
    names = [name for name in package.__all__ if name not in FIRST]
    kinds = {
        "Classifiers": [n for n in names if n.endswith(("Classifier", "ClassifierCV", "Booster"))],
        "Regressors and rankers": [n for n in names if n.endswith(("Regressor", "Ranker"))],
        "Base learners": [n for n in names if n.endswith("Oracle")],
    }
    listed = {name for some in kinds.values() for name in some}
    kinds["Runs, models and files"] = [name for name in names if name not in listed]
    lines = ["Reference", "=========", "", "What is named here is public.", ""]
    lines += _section("Wrong labels and numbers", "marginboost", FIRST)
    for title, some in kinds.items():
        lines += _section(title, "marginboost", some)
    for module, title in MODULES.items():
        found = importlib.import_module(module)
        public = [n for n in found.__all__ if not inspect.ismodule(getattr(found, n))]
        lines += _section(f"{title}: ``{module}``", module, [n for n in public if n not in FIRST])
    text = "\n".join(lines)
    page = folder / "api.rst"
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def _section(title: str, module: str, names: list[str] | tuple[str, ...]) -> list[str]:
    head = [title, "-" * len(title), "", f".. currentmodule:: {module}", ""]
    table = [".. autosummary::", "   :toctree: reference", "   :nosignatures:", ""]
    return [*head, *table, *(f"   {name}" for name in names), ""]
