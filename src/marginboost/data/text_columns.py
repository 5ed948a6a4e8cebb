"""Columns of a frame that hold text: which are categories, which are numbers or names of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..types import Array
from ..warning import warn_user

MANY_CATEGORIES = 50
"""Categories of text from which on they may be names of rows."""


class TextFacts(NamedTuple):
    """What tells whether a column of text holds categories, numbers or names of rows.

    Attributes
    ----------
    n_known, n_numbers : int
        Values that are not missing; those of them that read as numbers.
    number : str
        One of these, empty where there is none.
    """

    n_known: int
    n_numbers: int
    number: str

    def __or__(self, other: TextFacts) -> TextFacts:
        """Facts on the rows of both."""
        n_known, n_numbers = self.n_known + other.n_known, self.n_numbers + other.n_numbers
        return TextFacts(n_known, n_numbers, self.number or other.number)


def check_text(
    names: Sequence[str],
    library: str,
    text: Mapping[int, TextFacts],
    categories: Sequence[Array | None],
) -> None:
    """Raise for columns of text that are mostly numbers; warn of those with names of rows."""
    if wrong := numbers_as_text(text):
        raise not_numeric(names, library, wrong)
    for j, facts in text.items():
        known = categories[j]
        n_kinds = 0 if known is None else len(known)
        if n_kinds > MANY_CATEGORIES and 2 * n_kinds > facts.n_known:
            warn_user(
                f"X: column {names[j]!r} has {n_kinds} categories in {facts.n_known} rows: "
                "names of rows? Leave it out, if so",
            )


def numbers_as_text(text: Mapping[int, TextFacts]) -> list[tuple[int, str]]:
    """Columns of text that are mostly numbers, which must be read as such."""
    return [
        (j, f"numbers as text, such as {facts.number!r}")
        for j, facts in text.items()
        if facts.n_known and 2 * facts.n_numbers >= facts.n_known
    ]


def not_numeric(
    names: Sequence[str],
    library: str,
    wrong: Sequence[tuple[int, str]],
    untaken: bool = False,
) -> ValueError:
    """Say which columns are no numbers, and what to do about it in the library they came in.

    ``untaken`` says that all of them could be categorical features, but are not named as such.
    """
    first = names[wrong[0][0]]
    hints = {
        "pandas": (f"X[{first!r}].astype('category')", f"pd.to_numeric(X[{first!r}])"),
        "polars": (f"X.with_columns(pl.col({first!r}).cast(pl.Categorical))", ".cast(pl.Float64)"),
        "pyarrow": (f"X[{first!r}].dictionary_encode()", f"pc.cast(X[{first!r}], 'double')"),
    }
    to_categories, to_numbers = hints.get(library, ("", ""))
    example = f", for example {library}: " if library in hints else ""
    found = ", ".join(f"column {names[j]!r} is not numeric ({why})" for j, why in wrong)
    if untaken:
        return ValueError(
            f"X: {found}, and no categorical feature; expected numbers{example}{to_numbers}; or "
            "its name in categorical_features, where 'from_dtype' means all of a categorical type "
            "and of text"
        )
    either = f"{example}{to_categories}, or {to_numbers}" if example else ""
    return ValueError(f"X: {found}; expected numbers, text or a categorical type{either}")
