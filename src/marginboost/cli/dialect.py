"""How text is read: what the options of a command say about it."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import UsageError

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?", ".")


@dataclass(frozen=True)
class Dialect:
    """How text is read.

    Parameters
    ----------
    delimiter : str, optional
        Between values; None finds the one that splits the header best.
    encoding : str, optional
        None is UTF-8, or UTF-16 where a byte order mark says so.
    missing : tuple of str
        Values that stand for "missing". Spaces around values do not count.
    decimal : str
        Decimal sign.
    header : bool
        Whether the first line holds the names of the columns; else they are 1, 2, 3, …
    """

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = MISSING
    decimal: str = "."
    header: bool = True

    def check_typed(self, path: str) -> None:
        """Raise for what is about text files only, with a file that has types."""
        given = {
            "--delimiter": self.delimiter is not None,
            "--encoding": self.encoding is not None,
            "--no-header": not self.header,
        }
        for option in (name for name, is_given in given.items() if is_given):
            raise UsageError(f"{option}: has no effect on Parquet and Arrow files, such as {path}")
