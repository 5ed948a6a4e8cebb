"""Experiments of the literature, one per file: published beside measured numbers.

``python -m marginboost.reproduce`` lists them; with a name it runs one. An experiment is a module
of this package with a function ``run(data)`` that yields :class:`Comparison` tables; ``data`` is
the folder of data sets, or None. There is nothing to register.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np

DATA_VARIABLE = "MARGINBOOST_DATA"
"""Environment variable that names the folder of data sets."""


class MissingData(LookupError):
    """A data set that is not embedded was not found; says where it was looked for."""


@dataclass(frozen=True)
class Comparison:
    """One table: one quantity per row, one source per column.

    Attributes
    ----------
    title : str
        What is compared.
    columns : tuple of str
        Sources, such as "thesis", "measured"; one entry per row for each.
    rows : list of tuples
        The quantity, and its value in each column, as text; "–" where there is none.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [("", *self.columns), *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        text = [
            "  ".join(
                entry.ljust(width) for entry, width in zip(line, widths, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *text, *self.notes])


def names() -> list[str]:
    """Names of the experiments."""
    return [
        module.name.replace("_", "-")
        for module in iter_modules(__path__)
        if not module.name.startswith("_")
    ]


def summary(name: str) -> str:
    """First line of what an experiment says about itself."""
    return (_module(name).__doc__ or "").partition("\n")[0]


def run(name: str, data: str | os.PathLike[str] | None = None) -> Iterator[Comparison]:
    """Run an experiment; its tables come as they are ready.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    data : path, optional
        Folder of data sets; None is the environment variable ``MARGINBOOST_DATA``.
    """
    folder = data or os.environ.get(DATA_VARIABLE)
    tables: Iterator[Comparison] = _module(name).run(Path(folder) if folder else None)
    return tables


def load_arrays(data: Path | None, name: str) -> Any:
    """Arrays of the data set ``name``, from ``<data>/<name>.npz``."""
    path = None if data is None else data / f"{name}.npz"
    if path is None or not path.is_file():
        place = "no folder was given" if path is None else f"{path} does not exist"
        raise MissingData(f"{name}: {place}; use --data or {DATA_VARIABLE}")
    return np.load(path, allow_pickle=False)


def _module(name: str) -> Any:
    if name not in names():
        raise ValueError(f"experiment: got {name!r}, expected one of {', '.join(names())}")
    return import_module(f"{__name__}.{name.replace('-', '_')}")
