"""Tables of published and measured numbers, and when the two agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

NONE = "–"
"""Cell without a number."""
WITHIN = 2.0
"""Standard errors, of both means together, up to which a mean counts as reproduced."""
BESIDE = ("published", "measured", "within?")
"""Columns of the cells that :func:`beside` makes."""


@dataclass(frozen=True)
class Comparison:
    """One table: one quantity per row, one source per column.

    Attributes
    ----------
    title : str
        What is compared.
    columns : tuple of str
        Sources, such as "thesis", "measured"; one entry per row for each.
    rows : sequence of tuples
        The quantity, and its value in each column, as text; "–" where there is none.
    notes : tuple of str
        What a reader must know.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
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

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [("", *self.columns), ("---",) * (1 + len(self.columns)), *self.rows]
        grid = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        ]
        notes = [f"{note}  " for note in self.notes]
        return "\n".join([f"**{self.title}**", "", *grid, *(["", *notes] if notes else [])])


@dataclass(frozen=True)
class Mean:
    """A mean over trials, with the standard deviation of one."""

    mean: float
    spread: float = 0.0
    trials: int = 1

    @classmethod
    def of(cls, values: Iterable[float]) -> Mean:
        """Summarise trials; a number that is missing or infinite is left out."""
        known = np.array([value for value in values if value is not None], dtype=np.float64)
        known = known[np.isfinite(known)]
        if not len(known):
            return cls(float("nan"), 0.0, 0)
        spread = float(np.std(known, ddof=min(1, len(known) - 1)))
        return cls(float(np.mean(known)), spread, len(known))

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.spread / float(np.sqrt(max(self.trials, 1)))

    def distance(self, other: Mean) -> float:
        """Difference in standard errors of both means together."""
        error = float(np.hypot(self.error, other.error))
        apart = self.mean - other.mean
        return apart / error if error > 0.0 else float(np.inf) * np.sign(apart) if apart else 0.0

    def text(self, digits: int = 3, scale: float = 1.0) -> str:
        """Mean and standard error; the mean alone of one trial, and a dash of none."""
        if not np.isfinite(self.mean):
            return NONE
        shown = f"{scale * self.mean:.{digits}f}"
        return f"{shown} ± {scale * self.error:.{digits}f}" if self.trials > 1 else shown

    def __str__(self) -> str:
        return self.text()


def beside(
    name: str,
    published: Mean | float | None,
    measured: Mean,
    *,
    digits: int = 3,
    scale: float = 1.0,
) -> tuple[str, ...]:
    """Row of a table with the columns :data:`BESIDE`.

    Measured is within if it is at most two standard errors, of both means together, away from what
    was published; half a unit of the last printed digit is granted to rounding.

    >>> beside("error", Mean(0.25, 0.05, 100), Mean(0.27, 0.05, 25))
    ('error', '0.250 ± 0.005', '0.270 ± 0.010', 'yes (+1.8)')
    >>> beside("error", 0.25, Mean(0.30, 0.05, 25))
    ('error', '0.250', '0.300 ± 0.010', 'no (+5.0)')
    >>> beside("error", None, Mean(0.30, 0.05, 25))
    ('error', '–', '0.300 ± 0.010', '–')
    """
    if published is None:
        return name, NONE, measured.text(digits, scale), NONE
    theirs = published if isinstance(published, Mean) else Mean(float(published))
    cells = name, theirs.text(digits, scale), measured.text(digits, scale)
    if not np.isfinite(measured.mean):
        return *cells, NONE
    apart = abs(measured.mean - theirs.mean) - 0.5 * 10.0**-digits / scale
    error = float(np.hypot(measured.error, theirs.error))
    distance = measured.distance(theirs)
    inside = apart <= WITHIN * error
    counted = f" ({distance:+.1f})" if np.isfinite(distance) else ""
    return *cells, ("yes" if inside else "no") + counted


def share_within(rows: Iterable[tuple[str, ...]]) -> str:
    """Say how many rows of :func:`beside` agree with what was published."""
    verdicts = [row[-1].split()[0] for row in rows if row[-1] != NONE]
    return f"within two standard errors: {verdicts.count('yes')} of {len(verdicts)}"
