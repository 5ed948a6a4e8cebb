"""Every Python snippet in the documents runs, page by page, from top to bottom.

A reader has rows and labels of their own, and a model; so do the snippets. Commands in blocks of
the kind ``console`` run between them, and print what stands below them.
"""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import marginboost
from marginboost.cli.main import main

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS.parent / "examples"
EXPERIMENTS = DOCS.parent / "experiments"
FENCE = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted(DOCS.glob("*.md")) if FENCE.search(page.read_text())]
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"')
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
BUILT = {"datasets.md", "reproduction.md", "images/margins.png"}
"""What only the site has: it is written when the site is built."""
WRITTEN = [
    page
    for page in (*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md"), *EXPERIMENTS.glob("*.md"))
    if not {"_build", "gallery"} & set(page.parts) and page.name not in BUILT
]


def links(page):
    """Targets of a page that are neither code nor elsewhere."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = [first or second for first, second in LINK.findall(text)]
    return [target for target in found if not target.startswith("https://")]


def anchors(page):
    """Names by which the headings of a page are linked to."""
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(page.read_text()))
    return {title.strip().replace(" ", "-") for title in plain}


def leads_somewhere(page, target):
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    if file.parent.name == "gallery":  # written from the examples when the site is built
        return file.stem == "index" or (EXAMPLES / f"{file.stem}.py").exists()
    if page.is_relative_to(DOCS) and name == "reproduction.md" and anchor:  # one per result
        return (DOCS / "results" / "reproduce" / f"{anchor}.json.gz").exists()
    if page.is_relative_to(DOCS) and name in BUILT:
        return True
    return file.exists() and (not anchor or anchor in anchors(file))


def test_links_lead_somewhere():
    found = [(page, target) for page in WRITTEN for target in links(page)]
    assert len(found) > 100
    broken = [
        f"{page.relative_to(DOCS.parent)}: {target}"
        for page, target in found
        if not leads_somewhere(page, target)
    ]
    assert broken == []
    assert leads_somewhere(DOCS / "index.md", "reproduction.md#ring")
    assert not leads_somewhere(DOCS / "index.md", "reproduction.md#rings")
    assert not leads_somewhere(DOCS / "index.md", "gallery/plot_nothing.rst")


FORMULA = re.compile(r"^\$\$\n(.*?)\n\$\$$|\$([^$\n]+)\$", re.MULTILINE | re.DOTALL)
DRAWN = re.compile(r"[ΣΠ√∂‖]|[α-ωΛ]\*? *[=≤≥<>]")
AS_IN_CODE = {"algorithms.md", "model-file.md"}
"""Pages whose formulas are words of the code, or parts of a format."""


def prose(page):
    """Text of a page without code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def formulas(page):
    """Formulas of a page, each with whether it stands on lines of its own."""
    return [(shown or within, bool(shown)) for shown, within in FORMULA.findall(prose(page))]


def test_formulas_are_understood():
    """Else the site has gaps: its writer of MathML warns of them."""
    latex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml")
    found = [(page, *formula) for page in WRITTEN for formula in formulas(page)]
    assert len(found) > 250
    for page, latex, display in found:
        made = latex2mathml.tex2mathml(latex, as_block=display)
        assert re.match(r"<math(?!.*merror)", made, re.DOTALL), (page.name, latex)


@pytest.mark.parametrize("name", ["margins", "soft-margins", "regression", "infinite-hypotheses"])
def test_programs_are_shown_with_dual_and_certificate(name):
    shown = "".join(latex for latex, display in formulas(DOCS / f"{name}.md") if display)
    for part in ("primal", "dual", "certificate"):
        assert rf"\text{{{part}}}" in shown


def test_mathematics_is_typeset_and_not_drawn_with_letters():
    for page in DOCS.glob("*.md"):
        if page.name in BUILT | AS_IN_CODE:
            continue
        blocks = re.findall(r"^```([^\n]*)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        left = re.sub(r"<!-- measured: begin.*?measured: end -->", "", prose(page), flags=re.DOTALL)
        left = re.sub(r"^#.*$|!\[.*?\]\(.*?\)", "", FORMULA.sub("", left), flags=re.MULTILINE)
        lines = "\n".join([left, *(block for kind, block in blocks if not kind)]).splitlines()
        assert not [line for line in lines if DRAWN.search(line)], page.name


def test_the_gallery_has_fifteen_examples():
    assert len(list(EXAMPLES.glob("plot_*.py"))) >= 15


def test_the_version_to_cite_is_the_present_one():
    cited = re.findall(r"\d+\.\d+\.\d+", (DOCS / "cite.md").read_text())
    assert set(cited) == {marginboost.__version__}


@pytest.fixture(scope="module")
def at_hand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=160) > 0).astype(int)
    model = marginboost.AdaBoostClassifier(n_estimators=5).fit(X[:120], y[:120])
    public = {name: getattr(marginboost, name) for name in marginboost.__all__}
    return public | {
        "X": X[:120],
        "y": y[:120],
        "X_valid": X[120:],
        "X_new": X[120:],
        "y_valid": y[120:],
        "model": model,
    }


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_snippets_run(page, at_hand, tmp_path, monkeypatch, capfdbinary):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names = dict(at_hand)
    for kind, block in FENCE.findall(page.read_text()):
        if kind == "console":
            run_commands(block, capfdbinary)
        elif ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner()
            runner.run(test, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0
        else:
            exec(compile(block, str(page), "exec"), names)


def run_commands(block, capture):
    """Run the lines of a block that begin with a dollar; what follows is what they print."""
    for line, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        program, *arguments = shlex.split(line)
        assert program == "marginboost"
        capture.readouterr()
        assert main(arguments) == 0, line
        printed = capture.readouterr().out.decode()
        wanted = expected.replace("<BLANKLINE>\n", "\n")
        same = doctest.OutputChecker().check_output(wanted, printed, LOOSE)
        assert same, f"{line}\n{printed}"
