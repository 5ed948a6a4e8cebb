"""Would the tests notice? Change one point of the source at a time and run the tests near it.

``python tools/mutate.py --mutants 200 --seed 0`` draws points evenly over the packages, changes
each in a copy of the source (a comparison turned, a sign changed, a number moved by one, a
condition negated, a call left out) and runs tests until one fails: the nearest files first, then
those further away, then the golden ones. Of pictures, pages and settings of experiments fewer
points are drawn, and none of how something looks. A change of the source changes few of the points
drawn. Kernels run uncompiled where tests allow, else compiled afresh. At the end all tests that
failed are run on the unchanged source: one that fails there too has noticed nothing. What no test
notices is listed, with the reason where one is known to be harmless
(``tools/harmless_mutants.json``). ``--list`` only shows what would be changed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import itertools
import json
import math
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("src", "experiments/src")
TESTS = ("tests", "experiments/tests")
HARMLESS = ROOT / "tools" / "harmless_mutants.json"
TIMEOUT = 200
"""Seconds of processor time after which a run of tests counts as hung, however busy the machine is;
the unchanged source has to be quicker. One that waits is given three times as long by the clock."""
ENDLESS = ("-o", "faulthandler_timeout=60", "-o", "faulthandler_exit_on_timeout=true")
"""A test that waits for so many seconds, and uses none of the processor, ends its run."""
HUNG = (-signal.SIGXCPU, -signal.SIGKILL)
FEWER = ("/reports/", "/marginboost_experiments/", "/displays/", "demo.py")
"""Pictures, pages and settings of experiments: drawn a third as often."""
STYLE = {
    *("alpha", "color", "figsize", "fontsize", "frameon", "ha", "linewidth", "lw", "marker"),
    *("markersize", "ms", "pad", "rotation", "s", "size", "stacklevel", "va", "width", "zorder"),
}
"""Arguments by keyword that say how something looks: never changed."""

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


def module_of(path: str) -> tuple[str, ...]:
    """Parts of a file's path from the distribution's package on."""
    parts = Path(path).with_suffix("").parts
    return parts[parts.index("src") + 1 :]


@dataclass(frozen=True)
class Mutant:
    """One changed point: the bytes ``start`` to ``stop`` of a file become ``new``.

    ``nth`` counts the points of a file that have the same text and change.
    """

    path: str
    line: int
    start: int
    stop: int
    old: str
    new: str
    text: str
    nth: int = 0

    @property
    def package(self) -> str:
        """Package that the file belongs to; the experiments are one."""
        distribution, *parts = module_of(self.path)
        if distribution != "marginboost":
            return distribution
        return parts[0] if len(parts) > 1 else "(top)"

    @property
    def key(self) -> str:
        """What tells this mutant from others, whatever line it is on."""
        return f"{self.path} | {self.text.strip()} | {self.old} -> {self.new}"

    @property
    def fewer(self) -> bool:
        """Whether the file is one of those drawn less often."""
        return any(part in self.path for part in FEWER)

    def rank(self, seed: int) -> float:
        """Place in the order of a seed, which does not depend on the rest of the source."""
        digest = hashlib.sha256(f"{seed} {self.key} {self.nth}".encode()).digest()
        return int.from_bytes(digest[:6], "big") * (3 if self.fewer else 1)

    @property
    def where(self) -> str:
        """Place and change, for people."""
        return f"{self.path}:{self.line}: {self.old!r} -> {self.new!r}"


@dataclass
class Outcome:
    """What became of a mutant: the test that failed, of which run, with kernels run how."""

    mutant: Mutant
    survived: bool
    how: str
    kernels: str = "kept"
    tests: list[str] = field(default_factory=list)


# -- points --------------------------------------------------------------------------------------


class _Source:
    """A file whose bytes are counted as the syntax tree counts them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.code = path.read_bytes()
        self.lines = self.code.splitlines(keepends=True)
        self.starts = [0, *itertools.accumulate(len(line) for line in self.lines)]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First byte of a node, and the one after the last."""
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def mutant(self, start: int, stop: int, new: str) -> Mutant:
        """Change these bytes."""
        line = self.code.count(b"\n", 0, start) + 1
        text, old = self.lines[line - 1].decode(), self.code[start:stop].decode()
        return Mutant(str(self.path.relative_to(ROOT)), line, start, stop, old, new, text)


def _operator(source: _Source, left: ast.AST, right: ast.AST, kind: ast.AST) -> Iterator[Mutant]:
    """Swap the operator that stands between two nodes."""
    if type(kind) not in SWAPS:
        return
    old, new = SWAPS[type(kind)]
    start, stop = source.span(left)[1], source.span(right)[0]
    place = re.search(rf"(?<!\w){re.escape(old)}(?!\w)".encode(), source.code[start:stop])
    if place and b"#" not in source.code[start : start + place.start()]:
        yield source.mutant(start + place.start(), start + place.end(), new)


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
    if isinstance(node, ast.keyword) and (node.arg in STYLE or _is_guard(node)):
        skipped.append(node.value)
    return skipped


def _is_guard(node: ast.keyword) -> bool:
    """Whether this is ``strict=True``: lengths that are equal stay equal without it."""
    return node.arg == "strict" and isinstance(node.value, ast.Constant) and bool(node.value.value)


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

    visit(ast.parse(source.code))
    seen: Counter[str] = Counter()
    for k, mutant in enumerate(found):
        found[k] = replace(mutant, nth=seen[mutant.key])
        seen[mutant.key] += 1
    return found


def draw(n_mutants: int, seed: int, only: str) -> list[Mutant]:
    """Points drawn evenly over the packages, without replacement."""
    by_package: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted(path for source in SOURCES for path in (ROOT / source).rglob("*.py")):
        for mutant in points(path) if only in str(path) else []:
            by_package[mutant.package].append(mutant)
    for found in by_package.values():
        found.sort(key=lambda mutant: -mutant.rank(seed))
    drawn: list[Mutant] = []
    for turn in itertools.count():
        if len(drawn) >= n_mutants or not any(by_package.values()):
            break
        for package in sorted(by_package):
            if turn % 3 and f"/{package}/" in FEWER:
                continue
            if by_package[package] and len(drawn) < n_mutants:
                drawn.append(by_package[package].pop())
    return sorted(drawn, key=lambda mutant: mutant.fewer)


# -- tests ---------------------------------------------------------------------------------------


@cache
def _test_words() -> dict[str, Counter[str]]:
    """Test files with their words and how often each stands there."""
    found = sorted(path for folder in TESTS for path in (ROOT / folder).rglob("test_*.py"))
    return {
        str(path.relative_to(ROOT)): Counter(re.findall(r"\w+", path.read_text())) for path in found
    }


def _place(mutant: Mutant) -> tuple[set[str], set[str]]:
    """Names of the functions and classes around a mutant, and the public names of its module."""
    text = (ROOT / mutant.path).read_text()
    named = (ast.ClassDef, ast.FunctionDef)
    tree = ast.parse(text)
    around = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, named) and node.lineno <= mutant.line <= (node.end_lineno or 0)
    }
    return around, {node.name for node in tree.body if isinstance(node, named)}


@cache
def _spread() -> Counter[str]:
    """In how many test files each word stands."""
    return Counter(word for words in _test_words().values() for word in set(words))


def _singular(name: str) -> set[str]:
    """Words of a file name, without the s of their plurals."""
    return {word.removesuffix("s") for word in name.split("_") if word}


def tests_near(mutant: Mutant) -> tuple[list[str], list[str]]:
    """Test files nearest to a mutant, by subject, module, names or folder, and those after them.

    A name that stands in many test files, such as that of a method of every estimator, says little.
    """
    path = Path(mutant.path)
    module = ".".join(module_of(mutant.path)).removesuffix(".__init__")
    subject = _singular(path.stem)
    around, public = _place(mutant)
    telling = {name for name in around if _spread()[name] <= TELLING}
    scores: dict[str, float] = {}
    for name, words in _test_words().items():
        test = Path(name)
        room = bool({path.parent.name, path.parent.parent.name} & set(test.parent.parts))
        score = 8 * len(subject & _singular(test.stem)) / max(1, len(subject)) + 6 * room
        score += 6 * len(telling & words.keys()) + min(len(public & words.keys()), 3)
        score += 4 * (module in (ROOT / name).read_text()) + math.log1p(words[path.stem])
        if score > 0 and name not in LAST:
            scores[name] = score
    near = sorted(scores, key=lambda name: -scores[name])[: sum(MOST_FILES)]
    quick = [name for name in near if name not in SLOW]
    first = [name for name in quick if scores[name] >= 6][: MOST_FILES[0]] or quick[:2]
    return first, [name for name in near if name not in first]


def stages(mutant: Mutant) -> list[tuple[list[str], str]]:
    """Runs of tests that a mutant has to get past, each with how kernels run in it.

    A kernel is first tried as the Python function that it is written as, by the tests that are
    quick so, and then compiled afresh: callers compiled before know the old code.
    """
    first, second = tests_near(mutant)
    if "kernels/" not in mutant.path:
        always = [name for part, name in ALWAYS.items() if part in mutant.path]
        return [([mutant.path, *always, *first], "kept"), (second, "kept"), (list(LAST), "kept")]
    plain = [name for name in (*first, *second, *UNCOMPILED) if name in UNCOMPILED]
    return [(list(dict.fromkeys(plain)), "plain"), (first, "fresh"), (list(LAST), "fresh")]


TOGETHER = 20
"""Tests that are confirmed in one run."""
MOST_FILES = (3, 9)
"""Most test files in the first and the second run."""
TELLING = 12
"""Most test files that a name may stand in to say that they are about it."""
ALWAYS = {
    "": "tests/test_defaults.py",
    "/algorithms/": "tests/estimators/test_settings.py",
    "/audit/": "tests/audit/test_audit_golden.py",
    "/cli/": "tests/cli/test_cli_golden.py",
}
"""Quick, and near to every default value, check of a setting or answer in such files."""
LAST = ("tests/golden/test_golden.py",)
"""Tests of everything at once, tried where those near the mutant pass."""
UNCOMPILED = (
    "tests/kernels/test_kernel_parity.py",
    "tests/kernels/test_quantile_path.py",
    "tests/kernels/test_soft_margin_kernels.py",
    "tests/kernels/test_splits.py",
    "tests/kernels/test_tree_walks.py",
    "tests/kernels/test_volumes.py",
    "tests/oracles/test_gradient_trees.py",
)
"""Tests that are quick where no kernel is compiled."""
SLOW = {
    *("tests/test_readme.py", "tests/test_benchmarks.py", "tests/test_catalogue.py"),
    *("tests/reports/test_report_in_browser.py", "tests/estimators/test_estimator_checks.py"),
    *(
        "tests/fuzz/test_fuzz.py",
        "tests/dask/test_cluster.py",
        "tests/cli/test_cli_process.py",
        "tests/checks/test_contracts.py",
    ),
}
"""Tests that take long for what they say about one module: never in the first run."""
FORKS = multiprocessing.get_context("forkserver")
PRELOADED = [
    *("pytest", "hypothesis", "numpy", "numba", "pandas", "matplotlib.pyplot"),
    *("distributed", "dask.array", "dask.dataframe"),
    *("scipy.optimize", "scipy.stats", "sklearn.ensemble", "sklearn.model_selection"),
]
NOTHING_COLLECTED = 5
MISUSED = (3, 4)
"""Exit codes of pytest that speak of the command and not of the tests."""


def _pytest(options: list[str], home: Path, environment: dict[str, str], log: Path) -> None:
    """Run tests in a process forked from one that has imported what is slow to import."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell says so
    os.chdir(home)
    os.environ.update(environment)
    importlib.import_module("numba.core.config").reload_config()
    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT))
    sys.path[:0] = [str(home / source) for source in SOURCES]
    file = os.open(log, os.O_WRONLY | os.O_CREAT)
    os.dup2(file, 1)
    os.dup2(file, 2)
    code = importlib.import_module("pytest").main(options)
    source = getattr(sys.modules.get("marginboost"), "__file__", str(home))
    if not source.startswith(str(home)):
        raise RuntimeError(f"the tests ran {source} and not the copy in {home}")
    sys.stdout.flush()
    os._exit(int(code))


def run_tests(tests: list[str], kernels: str, home: Path, *options: str) -> tuple[int, str]:
    """Exit code and output of a run of tests; one that hangs ends by a signal."""
    path = os.pathsep.join(str(home / source) for source in SOURCES)
    environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = ["-q", "--tb=no", "-p", "no:cacheprovider", *ENDLESS, *options, *tests]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        if kernels == "fresh":
            environment["NUMBA_CACHE_DIR"] = folder
        elif kernels == "plain":
            environment["NUMBA_DISABLE_JIT"] = "1"
        child = FORKS.Process(target=_pytest, args=(arguments, home, environment, log))
        child.start()
        child.join(3 * TIMEOUT)
        if child.exitcode is None:
            os.killpg(child.pid or 0, signal.SIGKILL)
            child.join()
        code, output = child.exitcode or 0, log.read_text()
    if code in MISUSED:
        raise RuntimeError(f"pytest could not run {tests}: {output[-2000:]}")
    return 0 if code == NOTHING_COLLECTED else code, output


def failed_tests(output: str) -> list[str]:
    """Tests and files that a run says failed."""
    return re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.M)


def survives(mutant: Mutant, home: Path, depth: int) -> Outcome:
    """Whether the tests pass on the mutant, in a copy of the project."""
    target = home / mutant.path
    original, times = target.read_bytes(), target.stat()
    changed = original[: mutant.start] + mutant.new.encode() + original[mutant.stop :]
    target.write_bytes(changed)
    try:
        for tests, kernels in stages(mutant)[:depth]:
            code, output = run_tests(tests, kernels, home, "-x") if tests else (0, "")
            if code:
                failed = failed_tests(output)
                how = failed[0] if failed else "hung" if code in HUNG else f"exit code {code}"
                return Outcome(mutant, survived=False, how=how, kernels=kernels, tests=tests)
    finally:
        target.write_bytes(original)
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled code stays valid
    return Outcome(mutant, survived=True, how="")


def unconfirmed(outcomes: list[Outcome], home: Path) -> list[Outcome]:
    """Mutants whose tests fail on the unchanged source too, so that nothing was noticed.

    The tests that failed are run once; a run that named no test is repeated as it was.
    """
    killed = [outcome for outcome in outcomes if not outcome.survived]
    bad: set[str] = set()
    for kernels in ("kept", "plain", "fresh"):
        of_kind = [outcome for outcome in killed if outcome.kernels == kernels]
        named = sorted({outcome.how for outcome in of_kind if "/" in outcome.how})
        runs = [named[k : k + TOGETHER] for k in range(0, len(named), TOGETHER)]
        runs += [outcome.tests for outcome in of_kind if "/" not in outcome.how]
        for tests in runs:
            code, output = run_tests(tests, kernels, home)
            if code:
                bad |= set(failed_tests(output)) or set(tests)
    return [outcome for outcome in killed if outcome.how in bad or set(outcome.tests) & bad]


def copy_of_project(folder: Path) -> Path:
    """Source and tests, with times kept so that compiled kernels stay valid."""
    folder.mkdir(parents=True)
    for name in ("src", "tests", "experiments", "benchmarks", "docs", "examples", "tools"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, copy_function=shutil.copy2)
    for name in ("pyproject.toml", "conftest.py", "README.md", "CONTRIBUTING.md", "Makefile"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def run(
    mutants: list[Mutant], jobs: int, depth: int, known: list[Outcome], out: Path | None
) -> list[Outcome]:
    """Try all mutants, each in one of ``jobs`` copies, and confirm what was noticed."""
    outcomes = list(known)
    FORKS.set_forkserver_preload(PRELOADED)
    with tempfile.TemporaryDirectory() as folder:
        homes: Queue[Path] = Queue()
        for k in range(jobs):
            homes.put(copy_of_project(Path(folder) / str(k)))

        def one(mutant: Mutant) -> None:
            home = homes.get()
            began = time.monotonic()
            try:
                outcome = survives(mutant, home, depth)
            finally:
                homes.put(home)
            outcomes.append(outcome)
            state = "SURVIVED" if outcome.survived else "killed"
            seconds = time.monotonic() - began
            print(f"{state:8} {seconds:4.0f} s  {mutant.where}  {outcome.how}", flush=True)
            if out:
                out.write_text(json.dumps([asdict(each) for each in outcomes], indent=1))

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, mutants))
        for outcome in unconfirmed(outcomes, homes.get()):
            print(f"fails without the change too: {outcome.how} ({outcome.mutant.where})")
            outcome.survived = True
    return outcomes


def report(outcomes: list[Outcome]) -> int:
    """Print the score of every package and what survived; return the harmful survivors."""
    reasons = json.loads(HARMLESS.read_text())
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for outcome in outcomes:
        row = total[outcome.mutant.package]
        row[0] += 1
        row[1] += not outcome.survived
        row[2] += outcome.survived and outcome.mutant.key in reasons
    print("\npackage        mutants  killed  harmless")
    for package, (n, killed, harmless) in sorted(total.items()):
        print(f"{package:14} {n:7} {killed:7} {harmless:9}")
    n, killed, harmless = (sum(row[k] for row in total.values()) for k in range(3))
    alive = [outcome.mutant for outcome in outcomes if outcome.survived]
    left = [mutant for mutant in alive if mutant.key not in reasons]
    print(f"{'all':14} {n:7} {killed:7} {harmless:9}")
    print(f"noticed: {killed / max(1, n):.1%} of all")
    print(f"noticed: {killed / max(1, n - harmless):.1%} of those that change anything")
    for mutant in alive:
        print(f"\n{mutant.where}\n    {mutant.text.strip()}")
        print(f"    {reasons.get(mutant.key, 'SURVIVED')}")
    return len(left)


def read_outcomes(path: Path) -> list[Outcome]:
    """Outcomes of an earlier run."""
    rows = json.loads(path.read_text())
    return [Outcome(**{**row, "mutant": Mutant(**row["mutant"])}) for row in rows]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--depth", type=int, default=3, help="runs of tests, nearest first")
    parser.add_argument("--only", default="", help="part of a path")
    parser.add_argument("--list", action="store_true", help="show the points, run nothing")
    parser.add_argument("--out", type=Path, help="write all outcomes as JSON, as they come")
    parser.add_argument("--after", type=Path, help="outcomes; survivors are repeated")
    options = parser.parse_args()
    mutants = draw(options.mutants, options.seed, options.only)
    if options.list:
        for mutant in mutants:
            print(mutant.where)
        return
    harmless = json.loads(HARMLESS.read_text())
    settled = {
        (each.mutant.key, each.mutant.nth): each
        for each in (read_outcomes(options.after) if options.after else [])
        if not each.survived or each.mutant.key in harmless
    }
    known = [replace(each, mutant=m) for m in mutants if (each := settled.get((m.key, m.nth)))]
    mutants = [m for m in mutants if (m.key, m.nth) not in settled]
    outcomes = run(mutants, options.jobs, options.depth, known, options.out)
    sys.exit(1 if report(outcomes) else 0)


if __name__ == "__main__":
    main()
