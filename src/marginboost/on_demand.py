"""Packages that import a name when it is first asked for, so that nobody waits for the others.

An ``__init__`` of such a package has its imports under ``if TYPE_CHECKING``, where type checkers
and readers find them, and gets the two functions that Python asks for a name from
:func:`on_demand`, which reads the same lines. They are written once.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def on_demand(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package: names of its ``__all__``, and modules."""
    module = sys.modules[package]

    def get(name: str) -> Any:
        if name in module.__all__:
            found = getattr(import_module(_origins(package)[name], package), name)
        elif name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        else:
            found = import_module(f"{package}.{name}")
        setattr(module, name, found)  # from now on nobody asks
        return found

    def names() -> list[str]:
        return sorted({*vars(module), *module.__all__})

    return get, names


def import_all(package: ModuleType) -> None:
    """Import all names of a package, so that all its classes are registered."""
    for name in package.__all__:
        getattr(package, name)


@cache
def _origins(package: str) -> dict[str, str]:
    """Module that each name is imported from, by the lines under ``if TYPE_CHECKING``."""
    spec = sys.modules[package].__spec__
    source: str = spec.loader.get_source(package)  # type: ignore[union-attr]
    blocks = (node.body for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = (node for block in blocks for node in block if isinstance(node, ast.ImportFrom))
    return {name.name: f".{node.module}" for node in imports if node.level for name in node.names}
