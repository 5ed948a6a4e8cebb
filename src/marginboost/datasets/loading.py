"""Data sets of the literature by name: from the package, a folder of yours, or OpenML, once.

:func:`load` looks in turn

1. in the folder that the environment variable ``MARGINBOOST_DATA`` names, for ``<name>.npz``;
2. in the package, and in scikit-learn: small sets under a free licence;
3. in the cache, ``$XDG_CACHE_HOME/marginboost`` or ``~/.cache/marginboost``;
4. at OpenML, through scikit-learn, which compares OpenML's own checksum. What came is compared with
   the counts that are known of the set, and kept in the cache with a checksum.

Where each set comes from, and under which licence, is in ``data/sources.csv`` beside this file and
in :func:`provenance`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..files import write_whole
from ..types import Array
from .embedded import load_cleveland, load_wisconsin

DATA_VARIABLE = "MARGINBOOST_DATA"
"""Environment variable that names the folder of data sets."""
CSV_LOADERS = {"uci_breast_w": load_wisconsin, "uci_cleveland": load_cleveland}


class MissingDataError(FileNotFoundError):
    """A data set is neither here nor to be had; says how to get it."""


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes
    ----------
    name, title : str
        Name for :func:`load`, and what it is.
    rows, features : int
        Its size.
    class_counts : tuple of int
        Rows of each class, the largest first; empty if the target is a number.
    origin, licence : str
        Who published it, and on which terms.
    comes_with : str
        "bundled", a function of scikit-learn, or empty.
    openml_id : int or None
        Number at OpenML.
    """

    name: str
    title: str
    rows: int
    features: int
    class_counts: tuple[int, ...]
    origin: str
    licence: str
    comes_with: str
    openml_id: int | None

    def ways(self) -> str:
        """Say how the set can be had."""
        ways = [f"put {self.name}.npz into a folder and name it in {DATA_VARIABLE}"]
        if self.openml_id is not None:
            ways.append(f"go online once: it comes from OpenML (data set {self.openml_id})")
        return "; or ".join(ways)


@cache
def _sources() -> dict[str, Source]:
    text = (files(__package__) / "data" / "sources.csv").read_text(encoding="utf-8")
    return {
        line["name"]: Source(
            line["name"],
            line["title"],
            int(line["rows"]),
            int(line["features"]),
            tuple(int(count) for count in line["class_counts"].split(";") if count),
            line["origin"],
            line["licence"],
            line["comes_with"],
            int(line["openml_id"]) if line["openml_id"] else None,
        )
        for line in csv.DictReader(text.splitlines())
    }


def known() -> list[str]:
    """Names of the sets whose provenance is known.

    >>> "uci_sonar" in known()
    True
    """
    return list(_sources())


def provenance(name: str) -> Source:
    """Where a data set comes from.

    >>> provenance("uci_sonar").origin
    'UCI Machine Learning Repository'
    """
    if name not in _sources():
        from difflib import get_close_matches

        close = get_close_matches(name, known(), 3, 0.4) or known()[:5]
        raise ValueError(
            f"name: got {name!r}, expected a known data set, such as {', '.join(close)}"
        )
    return _sources()[name]


def load(name: str, *, return_X_y: bool = False) -> Any:
    """Load a data set of the literature.

    Parameters
    ----------
    name : str
        One of :func:`known`, or the name of an .npz file in the folder ``MARGINBOOST_DATA``. Files
        have arrays ``X`` and ``y``, or ``series``; further ones are optional: ``train_idx`` and
        ``test_idx`` (one split per row), ``classes``, ``feature_names``, ``is_categorical``.
    return_X_y : bool
        Whether to return rows and labels alone.

    Returns
    -------
    Bunch or (X, y)
        With ``data``, ``target``, ``feature_names``, ``target_names``, ``categorical_features``
        (positions), ``splits`` (pairs of training and test rows, as published) and ``origin``
        ("bundled", "scikit-learn", "folder" or "cache"); series have ``series`` and ``n_train``.

    Raises
    ------
    MissingDataError
        If the set is not here and cannot be had; it says how to get it.

    Examples
    --------
    >>> sonar = load("uci_sonar")
    >>> sonar.data.shape, sonar.target_names, sonar.origin
    ((208, 60), ['M', 'R'], 'bundled')
    """
    arrays, origin = _find(name)
    bunch = _bunch(arrays, origin)
    return (bunch.data, bunch.target) if return_X_y else bunch


def is_here(name: str) -> bool:
    """Whether a data set can be had without a network."""
    given, cached = _given(name), cache_folder() / f"{name}.npz"
    if (given is not None and given.is_file()) or cached.is_file():
        return True
    return bool(provenance(name).comes_with)


def _given(name: str) -> Path | None:
    """Where a set would be in the user's folder, if one is named."""
    folder = os.environ.get(DATA_VARIABLE)
    return Path(folder) / f"{name}.npz" if folder else None


def _find(name: str) -> tuple[dict[str, Array], str]:
    """Arrays of a set, and where they were found."""
    given = _given(name)
    bundled = files(__package__) / "data" / f"{name}.npz"
    if given is not None and given.is_file():
        return _read(given.read_bytes()), "folder"
    if bundled.is_file():
        return _read(bundled.read_bytes()), "bundled"
    source = provenance(name)
    if name in CSV_LOADERS:
        return _from_bunch(CSV_LOADERS[name]()), "bundled"
    if source.comes_with.startswith("scikit-learn"):
        from sklearn import datasets

        return _from_bunch(getattr(datasets, source.comes_with.split()[1])()), "scikit-learn"
    return _cached(source), "cache"


def _read(content: bytes) -> dict[str, Array]:
    """Arrays of a file; features may be whole numbers, -1 if missing, with a number of decimals."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found = {key: arrays[key] for key in arrays.files}
    if "decimals" in found:
        whole, decimals = found["X"], found.pop("decimals")
        found["X"] = np.where(whole < 0, np.nan, whole / 10.0**decimals)
    return found


def _from_bunch(bunch: Any) -> dict[str, Array]:
    """Arrays of a set that scikit-learn or the package has in a form of its own."""
    arrays = {"X": np.asarray(bunch.data, dtype=np.float64), "y": np.asarray(bunch.target)}
    if hasattr(bunch, "target_names"):
        arrays["classes"] = np.array([str(label) for label in bunch.target_names])
    arrays["feature_names"] = np.array([str(feature) for feature in bunch.feature_names])
    nominal = np.zeros(arrays["X"].shape[1], dtype=bool)
    nominal[list(getattr(bunch, "categorical_features", []))] = True
    return {**arrays, "is_categorical": nominal}


def _bunch(arrays: dict[str, Array], origin: str) -> Any:
    from sklearn.utils import Bunch  # here, not above: a quarter of a second at import

    if "series" in arrays:
        series = np.asarray(arrays["series"], dtype=np.float64).ravel()
        n_train = int(arrays.get("n_train", np.array(len(series))))
        return Bunch(series=series, n_train=n_train, origin=origin)
    X = np.asarray(arrays["X"], dtype=np.float64)
    nominal = arrays.get("is_categorical", np.zeros(X.shape[1], dtype=bool))
    return Bunch(
        data=X,
        target=arrays["y"],
        feature_names=arrays.get("feature_names", np.arange(X.shape[1]).astype(str)).tolist(),
        target_names=arrays.get("classes", np.unique(arrays["y"])).tolist(),
        categorical_features=np.flatnonzero(nominal).tolist(),
        splits=list(zip(arrays.get("train_idx", ()), arrays.get("test_idx", ()), strict=True)),
        origin=origin,
    )


# -- cache and network -----------------------------------------------------------------------------


def cache_folder() -> Path:
    """Folder in which sets from OpenML are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "marginboost"


def _cached(source: Source) -> dict[str, Array]:
    """Arrays from the cache, or from OpenML into it."""
    file = cache_folder() / f"{source.name}.npz"
    seal = file.with_suffix(".sha256")
    if file.is_file() and seal.is_file():
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() == seal.read_text(encoding="ascii").strip():
            return _read(content)
    arrays = _fetch(source)
    _check(source, arrays)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    content = buffer.getvalue()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, content)
    write_whole(seal, hashlib.sha256(content).hexdigest().encode() + b"\n")
    return arrays


def _fetch(source: Source) -> dict[str, Array]:
    """Arrays from OpenML: categories and classes as numbers, missing values as NaN."""
    from sklearn.datasets import fetch_openml

    if source.openml_id is None:
        raise MissingDataError(f"{source.name}: not found; {source.ways()}")
    try:
        found = fetch_openml(
            data_id=source.openml_id, as_frame=False, parser="liac-arff", cache=False
        )
    except (OSError, ValueError) as error:
        message = f"{source.name}: not found here, and OpenML did not answer ({error}); "
        raise MissingDataError(message + source.ways()) from error
    arrays = {
        "X": np.asarray(found.data, dtype=np.float64),
        "feature_names": np.array(found.feature_names),
        "is_categorical": np.array([name in found.categories for name in found.feature_names]),
    }
    if not source.class_counts:
        return {**arrays, "y": np.asarray(found.target, dtype=np.float64)}
    classes, codes = np.unique(np.asarray(found.target, dtype=str), return_inverse=True)
    return {**arrays, "y": codes, "classes": classes}


def _check(source: Source, arrays: dict[str, Array]) -> None:
    """Refuse data that are not what they should be."""
    counts = tuple(sorted(np.unique(arrays["y"], return_counts=True)[1].tolist(), reverse=True))
    size = arrays["X"].shape
    if size != (source.rows, source.features) or source.class_counts not in ((), counts):
        raise MissingDataError(
            f"{source.name}: OpenML's data set {source.openml_id} has {size[0]} rows, {size[1]} "
            f"features and classes of {counts} rows, expected {source.rows}, {source.features} and "
            f"{source.class_counts or 'numbers'}; {source.ways()}"
        )
