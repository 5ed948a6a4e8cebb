"""Draw which package imports which, from the source alone.

    python tools/import_graph.py            # write the picture into docs/architecture.md
    python tools/import_graph.py --check    # fail if the picture there is another

An arrow goes from a package to those that it imports when it is loaded or used; imports for types
alone are left out, and so are arrows that follow from others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "marginboost"
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- imports: begin -->", "<!-- imports: end -->"


def packages() -> list[str]:
    """Packages and modules next to each other in the source."""
    found = [path for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()]
    names = {path.stem for path in found if not path.name.startswith("_")}
    return sorted(names)


def imports() -> dict[str, set[str]]:
    """Packages that each package imports."""
    known = packages()
    graph: dict[str, set[str]] = {name: set() for name in known}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in graph:
            graph[parts[0]] |= {name for name in _imported(path, parts) if name in graph}
    for name, others in graph.items():
        others.discard(name)
    return graph


def _imported(path: Path, parts: tuple[str, ...]) -> Iterator[str]:
    """First part of every module of the package that a file imports."""
    for node in _nodes(ast.parse(path.read_text())):
        if not node.level:
            continue
        base = parts[: len(parts) - node.level]
        target = (*base, *(node.module or "").split(".")) if node.module else base
        yield from [target[0]] if target else [alias.name for alias in node.names]


def _nodes(node: ast.AST) -> Iterator[ast.ImportFrom]:
    """Imports at any depth, but for those behind ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom):
            yield child
        yield from _nodes(child)


def needed(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out arrows that follow from others: a to c where a goes to b and b to c."""
    reach: dict[str, set[str]] = {}

    def reached(name: str) -> set[str]:
        if name not in reach:
            reach[name] = set()  # a circle ends here
            reach[name] = graph[name].union(*(reached(other) for other in graph[name]))
        return reach[name]

    return {
        name: {
            other
            for other in others
            if not any(other in reached(between) for between in others - {other})
        }
        for name, others in graph.items()
    }


def picture() -> str:
    """Return the graph in Mermaid's language."""
    lines = [
        f"  {name} --> {other}"
        for name, others in sorted(needed(imports()).items())
        for other in sorted(others)
    ]
    return "\n".join([BEGIN, "```mermaid", "graph TD", *lines, "```", END])


def redrawn(text: str) -> str:
    """Document with the present picture between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise SystemExit(f"{DOCUMENT.name}: the marks {BEGIN} and {END} are missing")
    return before + picture() + after


def main() -> None:
    """Write the picture, or check it."""
    text = DOCUMENT.read_text()
    new = redrawn(text)
    if "--check" in sys.argv[1:]:
        if new != text:
            raise SystemExit(f"{DOCUMENT.name}: imports have changed; run tools/import_graph.py")
    elif new != text:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
