"""The acacia data of Barnes 1999 (BA-D2): a reader for the file, and a stand-in.

Where *Acacia mabellae* grows, from 16 measurements of 204 places. The file is not public. The
thesis's list of columns is off by one; the reader follows its table C.1.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..types import Array

COLUMNS = (
    *("easting", "northing", "site", "elevation", "drainage_area", "slope", "flow_path_length"),
    *(f"landsat_{band}" for band in range(1, 8)),
    *("nutrients", "geology", "net_radiation", "acacia_mabellae", "breynia_oblongifolia"),
    *("eucalyptus_maculata", "eucalyptus_tereticornis"),
)
TARGET = COLUMNS.index("acacia_mabellae")
FEATURES = tuple(k for k in range(TARGET) if COLUMNS[k] != "site")
POSITIVE, NEGATIVE = 119, 85
SHIFTS = np.array([0.95, -0.6, 0.45, 0.35] + 12 * [0.0])


def load_acacia(path: str | os.PathLike[str]) -> tuple[Array, Array]:
    """Read the acacia file: numbers in 21 columns, by commas or blanks; a header is skipped.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    X : array (rows, 16)
        All columns before the target but the number of the site.
    y : array of -1 and +1
        Whether *Acacia mabellae* grows there. Rows with missing values are left out.
    """
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        values = [_number(entry) for entry in line.split("," if "," in line else None)]
        if number == 1 and None in values:
            continue  # a header
        if len(values) != len(COLUMNS):
            raise ValueError(
                f"{path}, line {number}: got {len(values)} columns, expected {len(COLUMNS)}"
            )
        if None not in values:
            rows.append(values)
    if not rows:
        raise ValueError(f"{path}: got no complete row, expected {len(COLUMNS)} numbers a line")
    table: Array = np.array(rows, dtype=float)
    return table[:, FEATURES], np.where(table[:, TARGET] > 0, 1, -1)


def _number(entry: str) -> float | None:
    """Read a number; None for a word or a missing value."""
    try:
        value = float(entry)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def acacia_stand_in(seed: int = 0) -> tuple[Array, Array]:
    """Rows of the size and difficulty of the acacia data; nothing else is like it.

    204 rows, 16 features, 119 positive and 85 negative. Four features are normal with a shift
    between the classes, twelve are noise. On halves of it the least test error of AdaBoosted
    stumps over all rounds is about 0.28, as published for the real data (``marginboost
    reproduce barnes-real`` prints it).

    >>> X, y = acacia_stand_in()
    >>> X.shape, int((y > 0).sum())
    ((204, 16), 119)
    """
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, -1], [POSITIVE, NEGATIVE]))
    X = rng.normal(size=(len(y), len(FEATURES)))
    return X + 0.5 * y[:, None] * SHIFTS, y
