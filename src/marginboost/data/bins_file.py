"""Files of binned matrices: numbers and text, no code; the codes can be mapped into memory.

=============  ===================================================================================
bytes          what
=============  ===================================================================================
0 to 15        ``marginboost.bins``
16 to 23       length of the header
24 to 55       SHA-256 of the header
56 and on      header, JSON: version, names, categories, and for each array its type, its shape,
               where it begins and its SHA-256
then           the arrays, each from a multiple of 64 on
=============  ===================================================================================

Numbers are little-endian. A file is written whole or not at all, and nothing of one is used before
all of it was checked.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..files import Buffer, write_whole
from ..types import Array
from .table import Categories

MAGIC = b"marginboost.bins"
VERSION = 1
ALIGN = 64
"""Arrays begin at multiples of this, as processors like it."""
PREFIX = len(MAGIC) + 8 + 32
MOST_HEADER = 1 << 30
BLOCK = 1 << 24
"""Bytes read, written or checked at a time."""
NUMBERS = ("|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f4", "<f8", "|b1")


class Contents(NamedTuple):
    """What a file holds."""

    codes: Array
    cuts: list[Array]
    categories: Categories
    names: list[Any]
    labels: Array | None
    weights: Array | None
    named: bool


# -- writing -------------------------------------------------------------------------------------


def write_bins(path: str | os.PathLike[str], bins: Contents) -> None:
    """Write a binned matrix to a file, all of it or nothing."""
    arrays = {"codes": bins.codes, "cuts": np.concatenate([np.empty(0), *bins.cuts])}
    header: dict[str, Any] = {
        "version": VERSION,
        "names": [_plain("names", name) for name in bins.names],
        "named": bins.named,
        "n_cuts": [len(mine) for mine in bins.cuts],
        "categories": [
            None if known is None else [_plain("categories", value) for value in known.tolist()]
            for known in bins.categories
        ],
        "label_values": None,
    }
    if bins.weights is not None:
        arrays["weights"] = np.asarray(bins.weights, dtype=np.float64)
    if bins.labels is not None:
        arrays["labels"] = bins.labels
        if bins.labels.dtype.kind not in "iufb":
            values, arrays["labels"] = _numbered(bins.labels)
            header["label_values"] = [_plain("labels", value) for value in values]
    little = {name: _little_endian(name, array) for name, array in arrays.items()}
    write_whole(path, _parts(header, little))


def _plain(what: str, value: Any) -> Any:
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    raise ValueError(f"{what}: got {value!r}, expected text or numbers, which a file can hold")


def _numbered(labels: Array) -> tuple[list[Any], Array]:
    """Distinct labels in the order in which they come, and the place of each row's among them."""
    places: dict[Any, int] = {}
    found = (places.setdefault(label, len(places)) for label in labels.tolist())
    numbers = np.fromiter(found, dtype=np.int64, count=len(labels))
    return list(places), numbers.astype(np.min_scalar_type(len(places)))


def _little_endian(name: str, array: Array) -> Array:
    kind = array.dtype.newbyteorder("<")
    if kind.str not in NUMBERS:
        raise ValueError(f"{name}: got {array.dtype}, expected numbers of 1 to 8 bytes")
    return np.ascontiguousarray(array, dtype=kind)


def _parts(header: dict[str, Any], arrays: dict[str, Array]) -> Iterator[Buffer]:
    """The bytes of a file, one part after the other."""
    about = {
        name: {"type": array.dtype.str, "shape": array.shape, "sha256": _digest(_blocks(array))}
        for name, array in arrays.items()
    }
    start = 0
    for name, array in arrays.items():  # counted from the first array on
        about[name]["start"], start = start, _aligned(start + array.nbytes)
    text = json.dumps({**header, "arrays": about}, allow_nan=False).encode()
    yield MAGIC + len(text).to_bytes(8, "little") + hashlib.sha256(text).digest() + text
    written = PREFIX + len(text)
    yield bytes(_aligned(written) - written)
    for array in arrays.values():
        yield from _blocks(array)
        yield bytes(_aligned(array.nbytes) - array.nbytes)


def _aligned(length: int) -> int:
    return -(-length // ALIGN) * ALIGN


def _blocks(array: Array) -> Iterator[memoryview]:
    flat = memoryview(array.reshape(-1).view(np.uint8).data)
    for start in range(0, len(flat), BLOCK):
        yield flat[start : start + BLOCK]


def _digest(blocks: Iterator[memoryview]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


# -- reading -------------------------------------------------------------------------------------


def read_bins(path: str | os.PathLike[str], *, mmap: bool) -> Contents:
    """Read a file and check all of it; with ``mmap`` its codes stay on the disk.

    Codes that are mapped are a private copy: what is written to them does not reach the file.
    """
    name = os.fspath(path)
    header, first = _read_header(name)
    arrays = {}
    for what in ("codes", "cuts", "weights", "labels"):
        if what in header["arrays"]:
            arrays[what] = _read_array(name, what, header["arrays"][what], first, mmap)
    try:
        return _contents(header, arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ValueError(f"{name}: a damaged header ({error!r})") from error


def _read_header(path: str) -> tuple[dict[str, Any], int]:
    """Header, and where the first array begins."""
    with open(path, "rb") as file:
        prefix = file.read(PREFIX)
        if not prefix.startswith(MAGIC):
            raise ValueError(f"{path}: no file of a BinnedMatrix")
        length = int.from_bytes(prefix[len(MAGIC) : len(MAGIC) + 8], "little")
        text = file.read(min(length, MOST_HEADER)) if len(prefix) == PREFIX else b""
    if len(text) != length or hashlib.sha256(text).digest() != prefix[-32:]:
        raise ValueError(f"{path}: the header is cut off or was altered")
    try:
        header = json.loads(text)
        version = header["version"]
        lacking = {"codes", "cuts"} - {*header["arrays"].keys()}
        if lacking:
            raise ValueError(f"no arrays {sorted(lacking)}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: a damaged header ({error!r})") from error
    if version != VERSION:
        raise ValueError(
            f"{path}: version {version!r}, expected {VERSION}; bin the rows again, or read the "
            "file with the release that wrote it"
        )
    return header, _aligned(PREFIX + length)


def _read_array(path: str, what: str, about: Any, first: int, mmap: bool) -> Array:
    try:
        kind, shape = np.dtype(_one_of(about["type"])), tuple(map(_size, about["shape"]))
        start, digest = first + _size(about["start"]), str(about["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: a damaged header ({error!r})") from error
    n_bytes = kind.itemsize
    for length in shape:
        n_bytes *= length
    if os.path.getsize(path) < start + n_bytes:
        raise ValueError(f"{path}: the {what} are cut off")
    if n_bytes == 0:
        return np.empty(shape, kind)
    # Mode "c" is a private copy: pages are read when used, and can be dropped again.
    array: Array = np.asarray(np.memmap(path, kind, "c", start, shape))
    if _digest(_blocks(array)) != digest:
        raise ValueError(f"{path}: the {what} were altered")
    return array if mmap and what == "codes" else array.astype(kind.newbyteorder("="))


def _one_of(kind: Any) -> str:
    if kind not in NUMBERS:
        raise ValueError(f"type {kind!r}")
    return str(kind)


def _size(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 60:
        raise ValueError(f"size {value!r}")
    return value


def _contents(header: dict[str, Any], arrays: dict[str, Array]) -> Contents:
    """What a checked header and its arrays stand for."""
    counts = [_size(count) for count in header["n_cuts"]]
    ends = np.cumsum([0, *counts])
    if arrays["cuts"].shape != (ends[-1],) or arrays["cuts"].dtype != np.float64:
        raise ValueError("cuts")
    cuts = [arrays["cuts"][a:b] for a, b in pairwise(ends.tolist())]
    if not all((np.diff(mine) > 0).all() and np.isfinite(mine).all() for mine in cuts):
        raise ValueError("cuts that do not grow")
    labels = arrays.get("labels")
    if labels is not None and header["label_values"] is not None:
        values = np.empty(len(header["label_values"]), dtype=object)
        values[:] = [_plain("labels", value) for value in header["label_values"]]
        labels = values[labels]
    categories = [None if c is None else _categories(c) for c in header["categories"]]
    names = [_plain("names", name) for name in header["names"]]
    named = bool(header["named"])
    return Contents(arrays["codes"], cuts, categories, names, labels, arrays.get("weights"), named)


def _categories(values: list[Any]) -> Array:
    known = np.empty(len(values), dtype=object)
    known[:] = [_plain("categories", value) for value in values]
    return known
