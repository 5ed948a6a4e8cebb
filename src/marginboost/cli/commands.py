"""Which commands there are: those of this package, and those that other packages add.

A package adds a command by an entry point of the group ``marginboost.commands`` that names a module
with ``configure``, ``run`` and ``show``, as the files here have.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import PackageError

COMMANDS = (
    *("audit", "clean", "fit", "evaluate", "predict", "explain", "certify", "info", "compare"),
    "warm-up",
)
GROUP = "marginboost.commands"
ELSEWHERE = {
    "reproduce": "it is in the package marginboost-experiments; in a checkout of marginboost, "
    "`pip install ./experiments` installs it"
}
"""Commands of packages beside this one, and what to install for them."""


def known(command: str | None) -> list[str]:
    """Names of the commands to parse: one that is known alone, else all that are installed."""
    if command is not None and (command in COMMANDS or command in ELSEWHERE):
        return [command]  # other packages are not looked for: that takes as long as all else
    added = _added()
    return [command] if command in added else [*COMMANDS, *added]


def find(name: str) -> Any:
    """Import the module of a command, or say how to get it."""
    if name in COMMANDS:
        return import_module(f".{name.replace('-', '_')}", __package__)
    added = _added()
    if name not in added:
        raise PackageError(f"marginboost {name}: not installed; {ELSEWHERE[name]}")
    try:
        return added[name].load()
    except (ImportError, AttributeError) as error:
        package = added[name].dist.name
        raise PackageError(
            f"marginboost {name}: the package {package} cannot be imported ({error})"
        ) from None


def _added() -> dict[str, Any]:
    """Entry points of other packages, by the name of the command."""
    from importlib.metadata import entry_points  # here, not above: costs a start of the program

    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: point for point in found if point.name not in COMMANDS}
