"""Would the tests notice? Change one point of the source at a time and run the tests near it.

``python tools/mutate.py --mutants 200 --seed 0`` draws points evenly over the packages, changes
each in a copy of the source (a comparison turned, a sign changed, a number moved by one, a
condition negated, a call left out) and runs the tests that mention the module, nearest first, until
one fails. What no test notices is listed, with the reason where one is known to be harmless
(``tools/harmless_mutants.json``). ``--list`` only shows what would be changed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "marginboost"
HARMLESS = ROOT / "tools" / "harmless_mutants.json"
TIMEOUT = 600
"""Seconds after which a run of tests counts as hung, which is noticed too."""

SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


@dataclass(frozen=True)
class Mutant:
    """One changed point: the characters ``start`` to ``stop`` of a file become ``new``."""

    path: str
    line: int
    start: int
    stop: int
    old: str
    new: str
    text: str

    @property
    def package(self) -> str:
        """Package that the file belongs to."""
        parts = Path(self.path).relative_to("src/marginboost").parts
        return parts[0] if len(parts) > 1 else "(top)"

    @property
    def key(self) -> str:
        """What tells this mutant from others, whatever line it is on."""
        return f"{self.path} | {self.text.strip()} | {self.old} -> {self.new}"


# -- points --------------------------------------------------------------------------------------


class _Source:
    """A file with its characters counted as the syntax tree counts them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text()
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Characters before a place; columns of the tree are counted in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First and last character of a node."""
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def mutant(self, start: int, stop: int, new: str) -> Mutant:
        """Change these characters."""
        line = self.text.count("\n", 0, start) + 1
        relative = str(self.path.relative_to(ROOT))
        return Mutant(relative, line, start, stop, self.text[start:stop], new, self.lines[line - 1])


def _operator(source: _Source, left: ast.AST, right: ast.AST, kind: ast.AST) -> Iterator[Mutant]:
    """Swap the operator that stands between two nodes."""
    if type(kind) not in SWAPS:
        return
    old, new = SWAPS[type(kind)]
    start, stop = source.span(left)[1], source.span(right)[0]
    place = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", source.text[start:stop])
    if place and "#" not in source.text[start : start + place.start()]:
        at = start + place.start()
        yield source.mutant(at, at + len(old), new)


def _points_of(source: _Source, node: ast.AST) -> Iterator[Mutant]:
    """Changes of one node."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, right, kind in zip(operands, operands[1:], node.ops, strict=False):
            yield from _operator(source, left, right, kind)
    elif isinstance(node, ast.BinOp):
        yield from _operator(source, node.left, node.right, node.op)
    elif isinstance(node, ast.BoolOp):
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from _operator(source, left, right, node.op)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        start = source.span(node)[0]
        yield source.mutant(start, source.span(node.operand)[0], "")
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        new = repr(not node.value) if type(node.value) is bool else repr(node.value + 1)
        yield source.mutant(*source.span(node), new)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield source.mutant(*source.span(node), "...")


def _skipped(node: ast.AST) -> list[ast.AST]:
    """Children that say nothing at run time: annotations, decorators, ``if TYPE_CHECKING``."""
    skipped: list[ast.AST] = []
    for name in ("annotation", "returns", "decorator_list"):
        found = getattr(node, name, None)
        skipped += found if isinstance(found, list) else [found] if found is not None else []
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        skipped += [node.test, *node.body]
    if isinstance(node, ast.Raise):  # wording of messages
        skipped += [node.exc, node.cause]
    return skipped


def points(path: Path) -> list[Mutant]:
    """All single changes of a file."""
    source = _Source(path)
    found: list[Mutant] = []

    def visit(node: ast.AST) -> None:
        found.extend(_points_of(source, node))
        skipped = _skipped(node)
        for child in ast.iter_child_nodes(node):
            if not any(child is other for other in skipped):
                visit(child)

    visit(ast.parse(source.text))
    return found


def draw(n_mutants: int, seed: int, only: str) -> list[Mutant]:
    """Points drawn evenly over the packages, without replacement."""
    by_package: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if only in str(path):
            for mutant in points(path):
                by_package[mutant.package].append(mutant)
    rng = random.Random(seed)
    for found in by_package.values():
        rng.shuffle(found)
    drawn: list[Mutant] = []
    while len(drawn) < n_mutants and any(by_package.values()):
        for package in sorted(by_package):
            if by_package[package] and len(drawn) < n_mutants:
                drawn.append(by_package[package].pop())
    return drawn


# -- tests ---------------------------------------------------------------------------------------


def tests_near(mutant: Mutant) -> list[str]:
    """Test files by how near they are to a module, and the module's own doctests first."""
    path = Path(mutant.path)
    module = ".".join(path.with_suffix("").relative_to("src").parts).removesuffix(".__init__")
    tree = ast.parse((ROOT / path).read_text())
    public = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    }
    scores: dict[str, int] = {}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        text = test.read_text()
        named = len(re.findall(rf"\b{re.escape(module)}\b", text))
        words = sum(bool(re.search(rf"\b{name}\b", text)) for name in public)
        stem = path.stem.strip("_") in test.stem
        room = path.parent.name in (test.parent.name, *test.parent.parts[-2:])
        score = 8 * stem + 4 * bool(named) + 2 * room + min(words, 3)
        if score:
            scores[str(test.relative_to(ROOT))] = score
    nearest = sorted(scores, key=lambda name: -scores[name])
    return [mutant.path, *nearest[:MOST_FILES]]


MOST_FILES = 14
"""Test files that a mutant has to get past; contract and golden tests are always among them."""
ALWAYS = ("tests/golden/test_golden.py",)


def survives(mutant: Mutant, home: Path) -> tuple[bool, str]:
    """Whether the tests pass on the mutant, in a copy of the project."""
    target = home / mutant.path
    original = target.read_text()
    target.write_text(original[: mutant.start] + mutant.new + original[mutant.stop :])
    compiled = "kernels" in mutant.path or "@compiled" in original or "njit" in original
    cache = tempfile.mkdtemp() if compiled else None  # callers compiled before know the old code
    environment = {
        **os.environ,
        "PYTHONPATH": str(home / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        **({"NUMBA_CACHE_DIR": cache} if cache else {}),
    }
    tests = [t for t in dict.fromkeys([*tests_near(mutant), *ALWAYS]) if (home / t).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, "hung"
    finally:
        target.write_text(original)
        if cache:
            shutil.rmtree(cache, ignore_errors=True)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
    return done.returncode == 0, failed[0] if failed else f"exit code {done.returncode}"


def copy_of_project(folder: Path) -> Path:
    """Source and tests, with times kept so that compiled kernels stay valid."""
    folder.mkdir(parents=True)
    for name in ("src", "tests", "benchmarks", "docs", "examples", "tools"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, copy_function=shutil.copy2)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def run(mutants: list[Mutant], jobs: int) -> list[tuple[Mutant, bool, str]]:
    """Try all mutants, each in one of ``jobs`` copies."""
    with tempfile.TemporaryDirectory() as folder:
        homes: Queue[Path] = Queue()
        for k in range(jobs):
            homes.put(copy_of_project(Path(folder) / str(k)))

        def one(mutant: Mutant) -> tuple[Mutant, bool, str]:
            home = homes.get()
            try:
                alive, how = survives(mutant, home)
            finally:
                homes.put(home)
            state = "SURVIVED" if alive else "killed"
            print(
                f"{state:8}  {mutant.path}:{mutant.line}  {mutant.old!r} -> {mutant.new!r}  {how}",
                flush=True,
            )
            return mutant, alive, how

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, mutants))


def report(results: list[tuple[Mutant, bool, str]]) -> int:
    """Print the score of every package and what survived; return the harmful survivors."""
    reasons = json.loads(HARMLESS.read_text()) if HARMLESS.exists() else {}
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for mutant, alive, _ in results:
        row = total[mutant.package]
        row[0] += 1
        row[1] += not alive
        row[2] += alive and mutant.key in reasons
    print("\npackage        mutants  killed  harmless")
    for package, (n, killed, harmless) in sorted(total.items()):
        print(f"{package:14} {n:7} {killed:7} {harmless:9}")
    n, killed, harmless = (sum(row[k] for row in total.values()) for k in range(3))
    left = [mutant for mutant, alive, _ in results if alive and mutant.key not in reasons]
    print(f"{'all':14} {n:7} {killed:7} {harmless:9}")
    counted = max(1, n - harmless)
    print(f"noticed: {killed / counted:.1%} of those that change anything")
    for mutant in left:
        print(f"\n{mutant.path}:{mutant.line}: {mutant.old!r} -> {mutant.new!r}")
        print(f"    {mutant.text.strip()}")
    return len(left)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="part of a path")
    parser.add_argument("--list", action="store_true", help="show the points, run nothing")
    parser.add_argument("--out", type=Path, help="write all results as JSON")
    options = parser.parse_args()
    mutants = draw(options.mutants, options.seed, options.only)
    if options.list:
        for mutant in mutants:
            print(f"{mutant.path}:{mutant.line}: {mutant.old!r} -> {mutant.new!r}")
        return
    results = run(mutants, options.jobs)
    if options.out:
        rows = [{**asdict(mutant), "survived": alive, "how": how} for mutant, alive, how in results]
        options.out.write_text(json.dumps(rows, indent=1))
    sys.exit(1 if report(results) else 0)


if __name__ == "__main__":
    main()
