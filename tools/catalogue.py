"""Read the catalogue of docs/catalogue: print its coverage, check it, follow moved files.

    python tools/catalogue.py               how much of each source is implemented and shown
    python tools/catalogue.py --check       rows against files, citations against rows
    python tools/catalogue.py --fix-paths   rows of files and tests that have moved

Only the standard library is needed.
"""

from __future__ import annotations

import argparse
import ast
import io
import itertools
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_YET, NOTHING = "not yet", "—"
PREFIXES = ("R1", "R2", "BA", "CH", "SF", "LB")
CITING = ("src", "tests", "experiments", "benchmarks", "examples", "docs")
TESTS = ("tests", "experiments/tests")
OWN_TESTS = "test_catalogue.py"  # whose ids are made up

ID = rf"(?:{'|'.join(PREFIXES)})-[A-Z]\d+(?:\.\d+)?(?:-(?:\d+|[A-Z]{{2}}))?(?:[a-z](?:-[a-z])?)?"
CITED = re.compile(rf"(?<![\w-])(?P<first>{ID})(?![\w-])(?:\s+to\s+(?P<last>{ID})(?![\w-]))?")
BARE = re.compile(r"(?<![\w.-])[ABCDEPQVX]\d{1,2}(?!\w|\.\d)")
NUMBERED = re.compile(r"(?P<stem>.*?[A-Z])(?P<number>\d+)$")
SPANS = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """One row of a page: what an id means, and where it is.

    Attributes
    ----------
    id, statement : str
        Id with its prefix; what it says.
    code, tests : tuple of str
        Paths, and paths with ``::`` and a function; empty where the cell says so in words.
    status : tuple of str
        The two cells where they hold words (``not yet`` or a dash), else empty strings.
    where : str
        Page and line.
    """

    id: str
    statement: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    status: tuple[str, str]
    where: str

    @property
    def is_open(self) -> bool:
        """Whether code or test is missing."""
        return NOT_YET in self.status


@dataclass(frozen=True)
class Page:
    """One source: its prefix and rows."""

    path: Path
    prefix: str
    rows: tuple[Row, ...]


def pages_folder(root: Path = ROOT) -> Path:
    """Folder of the pages; they are in a source checkout and not in an installed package."""
    folder = root / "docs" / "catalogue"
    if not folder.is_dir():
        raise FileNotFoundError(f"no catalogue at {folder}: run this from a source checkout")
    return folder


def read_pages(root: Path = ROOT) -> list[Page]:
    """All pages but the index."""
    found = []
    for path in sorted(pages_folder(root).glob("*.md")):
        if path.name == "README.md":
            continue
        text = path.read_text(encoding="utf-8")
        prefix = re.search(r"Prefix `(\w+)-`", text)
        if prefix is None:
            raise ValueError(f"{path.name}: no line says its prefix")
        rows = [_row(line, f"{path.name}:{n}") for n, line in enumerate(text.splitlines(), 1)]
        found.append(Page(path, prefix[1], tuple(row for row in rows if row is not None)))
    return found


def _row(line: str, where: str) -> Row | None:
    if not re.match(r"\| [A-Z]{1,2}\d?-", line):
        return None
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    if len(cells) != 4:
        raise ValueError(f"{where}: got {len(cells)} cells, expected 4")
    code, tests = (tuple(SPANS.findall(cell)) for cell in cells[2:])
    status = tuple("" if SPANS.search(cell) else cell for cell in cells[2:])
    return Row(cells[0], cells[1], code, tests, (status[0], status[1]), where)


def coverage(pages: list[Page]) -> str:
    """Table of the sources: ids, implemented, shown by a test, not yet, nothing to do."""
    lines = [f"{'source':<24}{'ids':>6}{'code':>7}{'test':>7}{'not yet':>9}{'nothing':>9}"]
    counts = []
    for page in pages:
        rows = page.rows
        dashes = [row for row in rows if row.status == (NOTHING, NOTHING)]
        counts.append((
            len(rows),
            sum(bool(row.code) for row in rows),
            sum(bool(row.tests) for row in rows),
            sum(row.is_open for row in rows),
            len(dashes),
        ))  # fmt: skip
        lines.append(_line(f"{page.prefix}  {page.path.stem}", counts[-1]))
    lines.append(_line("all", tuple(map(sum, zip(*counts, strict=True)))))
    return "\n".join(lines)


def _line(name: str, numbers: tuple[int, ...]) -> str:
    widths = (6, 7, 7, 9, 9)
    return f"{name:<24}" + "".join(f"{n:>{w}}" for n, w in zip(numbers, widths, strict=True))


# -- rows against files --------------------------------------------------------------------------


def functions_of(path: Path) -> set[str]:
    """Names of the test functions of a file, also of those in classes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {node.name for node in nodes if node.name.startswith("test_")}


def row_problems(pages: list[Page], root: Path = ROOT) -> Iterator[str]:
    """What is wrong with the rows: ids, words, files, tests."""
    seen: set[str] = set()
    known: dict[str, set[str]] = {}
    for page in pages:
        for row in page.rows:
            if not row.id.startswith(page.prefix + "-") or re.fullmatch(ID, row.id) is None:
                yield f"{row.where}: {row.id} is no id of {page.prefix}"
            if row.id in seen:
                yield f"{row.where}: {row.id} is there twice"
            seen.add(row.id)
            for word in row.status:
                if word not in ("", NOT_YET, NOTHING):
                    yield f"{row.where}: {row.id} has {word!r}, expected paths or {NOT_YET!r}"
            yield from _missing(row, root, known)


def _missing(row: Row, root: Path, known: dict[str, set[str]]) -> Iterator[str]:
    for path in row.code:
        if not (root / path).is_file():
            yield f"{row.where}: {row.id} names {path}, which is not there"
    for test in row.tests:
        path, _, name = test.partition("::")
        if not (root / path).is_file():
            yield f"{row.where}: {row.id} names {path}, which is not there"
            continue
        if path not in known:
            known[path] = functions_of(root / path)
        if name not in known[path]:
            yield f"{row.where}: {row.id} names {test}, which is not there"


# -- citations against rows ----------------------------------------------------------------------


def citing_files(root: Path = ROOT) -> Iterator[Path]:
    """Python files and documents that may cite ids; the pages themselves are among them."""
    for folder in CITING:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".md") and path.name != OWN_TESTS:
                yield path


def cited_ids(text: str) -> Iterator[str]:
    """Ids in a text, ranges written out."""
    for match in CITED.finditer(text):
        first, last = match["first"], match["last"]
        yield first
        if last is None:
            continue
        low, high = NUMBERED.match(first), NUMBERED.match(last)
        if low is None or high is None or low["stem"] != high["stem"]:
            yield last
            continue
        width = len(low["number"]) if low["number"].startswith("0") else 0
        for number in range(int(low["number"]) + 1, int(high["number"]) + 1):
            yield f"{low['stem']}{number:0{width}d}"


def citation_problems(pages: list[Page], root: Path = ROOT) -> Iterator[str]:
    """Ids that are cited and in no page; ``CH-A12`` stands for ``CH-A12a`` and its sisters."""
    known = {row.id for page in pages for row in page.rows}
    known |= {re.sub(r"[a-z](-[a-z])?$", "", name) for name in known}
    for path in citing_files(root):
        for unknown in sorted(set(cited_ids(path.read_text(encoding="utf-8"))) - known):
            yield f"{path.relative_to(root)}: cites {unknown}, which no page has"


def bare_citations(root: Path = ROOT) -> Iterator[str]:
    """Ids without their source in comments and docstrings: nobody can look them up."""
    for path in citing_files(root):
        text = CITED.sub(_line_ends, path.read_text(encoding="utf-8"))
        if path.suffix != ".py" or BARE.search(text) is None:
            continue
        for line, prose in _prose(text):
            for match in BARE.finditer(prose):
                yield f"{path.relative_to(root)}:{line}: cites {match[0]} without its source"


def _line_ends(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")  # so that lines keep their numbers


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Comments and docstrings of a file, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False)
            if docstring is not None:
                first = node.body[0].lineno
                yield from enumerate(docstring.splitlines(), first)


# -- moved files ---------------------------------------------------------------------------------


def fix_paths(root: Path = ROOT) -> list[str]:
    """Point rows to where files and tests are now, if that is certain; say what was done."""
    files = sorted(path for folder in TESTS for path in (root / folder).rglob("*.py"))
    tests = {path: functions_of(path) for path in files}
    pages = read_pages(root)
    names = {name for page in pages for row in page.rows for name in (*row.code, *row.tests)}
    moved = {name: _moved_test(name, names, root, tests) for name in names if "::" in name}
    moved |= {name: _moved_file(name, root) for name in names if "::" not in name}
    done = []
    for page in pages:
        text = page.path.read_text(encoding="utf-8")
        for old, new in sorted(moved.items()):
            if new not in (None, old) and f"`{old}`" in text:
                text = text.replace(f"`{old}`", f"`{new}`")
                done.append(f"{page.path.name}: {old} -> {new}")
        page.path.write_text(text, encoding="utf-8")
    return done


def _moved_test(name: str, names: set[str], root: Path, tests: dict[Path, set[str]]) -> str | None:
    """Where a test function is now: in the file that has most of those it used to be with."""
    path, _, function = name.partition("::")
    if function in tests.get(root / path, ()):
        return name
    company = {other.partition("::")[2] for other in names if other.startswith(f"{path}::")}
    found = {file: len(company & has) for file, has in tests.items() if function in has}
    file = _only(found, root)
    return file and f"{file}::{function}"


def _moved_file(name: str, root: Path) -> str | None:
    """Where a file is now: the one of its name that shares most folders with the old place."""
    here = root / name
    if here.is_file():
        return name
    files = (root / name.split("/", 1)[0]).rglob(here.name)
    return _only({file: _shared_folders(file, here) for file in files}, root)


def _only(scores: dict[Path, int], root: Path) -> str | None:
    """Return the path of largest score, unless there are two or none."""
    best = [path for path, score in scores.items() if score == max(scores.values())]
    return best[0].relative_to(root).as_posix() if len(best) == 1 else None


def _shared_folders(one: Path, other: Path) -> int:
    pairs = zip(one.parts, other.parts, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail on what is wrong")
    parser.add_argument("--fix-paths", action="store_true", help="follow moved files and tests")
    options = parser.parse_args(arguments)
    try:
        if options.fix_paths:
            print("\n".join(fix_paths()) or "nothing has moved")
        pages = read_pages()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    if options.check or options.fix_paths:
        problems = [*row_problems(pages), *citation_problems(pages), *bare_citations()]
        print("\n".join(problems) or "the catalogue agrees with the repository")
        return bool(problems)
    print(coverage(pages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
