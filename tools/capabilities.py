"""Write the table of what each estimator can do into the documents, from the estimators.

    python tools/capabilities.py            # write the table into docs/which-algorithm.md
    python tools/capabilities.py --check    # fail if the table there is another
    python tools/capabilities.py --json     # print it for programs

What each estimator can do is said in ``estimators/capabilities.py``, and by the estimators.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import marginboost
from marginboost.estimators.capabilities import Capabilities, capabilities_of

DOCUMENT = Path(__file__).parent.parent / "docs" / "which-algorithm.md"
BEGIN, END = "<!-- capabilities: begin -->", "<!-- capabilities: end -->"
SIGNS = {True: "yes", False: "", None: "–"}


def table() -> dict[str, Capabilities]:
    """Capabilities of every exported estimator that predicts, by its name."""
    found = {name: getattr(marginboost, name) for name in marginboost.__all__}
    return {name: capabilities_of(kind) for name, kind in found.items() if predicts(kind)}


def predicts(kind: Any) -> bool:
    """Whether this is an estimator that predicts; audits do not."""
    return isinstance(kind, type) and hasattr(kind, "fit") and hasattr(kind, "predict")


def markdown() -> str:
    """Table with one row per estimator, and what all can do above it."""
    rows = table()
    shown, shared = [], []
    for feature in fields(Capabilities):
        everyone = all(getattr(found, feature.name) for found in rows.values())
        (shared if everyone else shown).append(feature)
    titles = [str(feature.metadata["title"]) for feature in shown]
    lines = [
        f"All take {_listed([str(feature.metadata['title']) for feature in shared])}.",
        "",
        f"| estimator | {' | '.join(titles)} |",
        "|---" * (len(shown) + 1) + "|",
    ]
    for name, found in rows.items():
        cells = [SIGNS[getattr(found, feature.name)] for feature in shown]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join([BEGIN, *lines, END])


def _listed(words: list[str]) -> str:
    """Words as a list within a sentence."""
    return f"{', '.join(words[:-1])} and {words[-1]}"


def redrawn(text: str) -> str:
    """Document with the present table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise SystemExit(f"{DOCUMENT.name}: the marks {BEGIN} and {END} are missing")
    return before + markdown() + after


def main() -> None:
    """Write the table, check it or print it."""
    if "--json" in sys.argv[1:]:
        print(json.dumps({name: asdict(found) for name, found in table().items()}, indent=1))
        return
    text = DOCUMENT.read_text()
    new = redrawn(text)
    if "--check" in sys.argv[1:]:
        if new != text:
            raise SystemExit(f"{DOCUMENT.name}: the table has changed; run tools/capabilities.py")
    elif new != text:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
