"""The catalogue against the repository: rows name what exists, citations name rows."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

TOOLS = (folder / "tools/catalogue.py" for folder in Path(__file__).resolve().parents)
TOOL = next(path for path in TOOLS if path.is_file())
spec = importlib.util.spec_from_file_location("catalogue_tool", TOOL)
catalogue = importlib.util.module_from_spec(spec)
sys.modules["catalogue_tool"] = catalogue  # dataclasses look their module up
spec.loader.exec_module(catalogue)

PAGE = """# A source

Prefix `R1-`. Somebody, *Something*.

| id | statement | implemented in | shown by |
|---|---|---|---|
"""
GOOD = "| R1-A01 | A \\| b. | `src/a.py` | `tests/test_a.py::test_a` |\n"


@pytest.fixture(scope="module")
def pages():
    return catalogue.read_pages()


@pytest.fixture
def checkout(tmp_path):
    """Build a repository of one page, one file and one test, which agree."""
    for folder in ("src", "tests", "docs/catalogue"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/catalogue/a.md").write_text(PAGE + GOOD)
    (tmp_path / "src/a.py").write_text('"""Do a (R1-A01)."""\n')
    (tmp_path / "tests/test_a.py").write_text("def test_a(): ...\n")
    return tmp_path


def problems(root):
    pages = catalogue.read_pages(root)
    found = [*catalogue.row_problems(pages, root), *catalogue.citation_problems(pages, root)]
    return [*found, *catalogue.bare_citations(root)]


def test_rows_name_files_and_tests_that_exist(pages):
    assert list(catalogue.row_problems(pages)) == []


def test_cited_ids_are_in_the_catalogue(pages):
    assert list(catalogue.citation_problems(pages)) == []


def test_cited_ids_carry_their_source():
    assert list(catalogue.bare_citations()) == []


def test_every_source_has_a_page(pages):
    assert {page.prefix for page in pages} == set(catalogue.PREFIXES)
    assert all(page.rows for page in pages)


def test_coverage_counts_code_tests_gaps_and_dashes(checkout):
    rows = "| R1-A02 | B. | `src/a.py` | not yet |\n| R1-A03 | C. | — | — |\n"
    (checkout / "docs/catalogue/a.md").write_text(PAGE + GOOD + rows)
    head, line, total = catalogue.coverage(catalogue.read_pages(checkout)).splitlines()
    assert head.split() == ["source", "ids", "code", "test", "not", "yet", "nothing"]
    assert line.split() == ["R1", "a", "3", "2", "1", "1", "1"]
    assert total.split() == ["all", "3", "2", "1", "1", "1"]


def test_a_checkout_that_agrees_has_no_problems(checkout):
    assert problems(checkout) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("| R1-A02 | B. | `src/b.py` | not yet |", "names src/b.py, which is not there"),
        ("| R1-A02 | B. | — | `tests/test_b.py::test_a` |", "names tests/test_b.py"),
        ("| R1-A02 | B. | — | `tests/test_a.py::test_b` |", "names tests/test_a.py::test_b"),
        ("| R1-A02 | B. | — | `tests/test_a.py` |", "names tests/test_a.py, which"),
        ("| R1-A01 | A. | not yet | not yet |", "R1-A01 is there twice"),
        ("| R2-A1 | A. | not yet | not yet |", "R2-A1 is no id of R1"),
        ("| R1-A02 | B. | soon | not yet |", "has 'soon', expected paths or 'not yet'"),
    ],
)
def test_wrong_rows_are_found(checkout, row, message):
    (checkout / "docs/catalogue/a.md").write_text(PAGE + GOOD + row + "\n")
    found = problems(checkout)
    assert len(found) == 1
    assert message in found[0]


def test_a_row_of_three_cells_is_refused(checkout):
    (checkout / "docs/catalogue/a.md").write_text(PAGE + "| R1-A01 | A. | not yet |\n")
    with pytest.raises(ValueError, match=r"a\.md:7: got 3 cells, expected 4"):
        catalogue.read_pages(checkout)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"""Do (R1-A02)."""', "cites R1-A02, which no page has"),
        ('"""Do (R1-A01 to R1-A03)."""', "cites R1-A02"),
        ("x = 1  # SF-X1-1", "cites SF-X1-1"),
        ('"""Do (A01)."""', "src/a.py:1: cites A01 without its source"),
        ('def f():\n    """Do.\n\n    See R1-A01, C16.\n    """', "src/a.py:4: cites C16"),
        ("x = 1  # see Q27", "src/a.py:1: cites Q27"),
    ],
)
def test_wrong_citations_are_found(checkout, text, message):
    (checkout / "src/a.py").write_text(text + "\n")
    assert message in problems(checkout)[0]


@pytest.mark.parametrize(
    "text", ['"""C4.5 trees, AdaBoost.M1 and eq. B.10."""', 'x = "A1"', "x = 1  # noqa: E501"]
)
def test_other_words_are_no_citations(checkout, text):
    (checkout / "src/a.py").write_text(text + "\n")
    assert problems(checkout) == []


def test_lettered_rows_are_cited_together(checkout):
    rows = "| R1-A02a | B. | not yet | not yet |\n| R1-E6a-d | B. | not yet | not yet |\n"
    (checkout / "docs/catalogue/a.md").write_text(PAGE + GOOD + rows)
    (checkout / "src/a.py").write_text('"""R1-A02, R1-A02a and R1-E6a-d."""\n')
    assert problems(checkout) == []
    (checkout / "src/a.py").write_text('"""Do R1-A02b."""\n')
    assert "cites R1-A02b" in problems(checkout)[0]


def test_moved_files_are_followed(checkout):
    (checkout / "src/deep").mkdir()
    (checkout / "src/a.py").rename(checkout / "src/deep/a.py")
    (checkout / "tests/test_a.py").rename(checkout / "tests/test_other.py")
    assert len(problems(checkout)) == 2
    assert len(catalogue.fix_paths(checkout)) == 2
    assert problems(checkout) == []
    assert catalogue.fix_paths(checkout) == []


def test_a_test_of_a_common_name_stays_with_its_company(checkout):
    row = "| R1-A02 | B. | — | `tests/test_a.py::test_bad_input` |\n"
    (checkout / "docs/catalogue/a.md").write_text(PAGE + GOOD + row)
    (checkout / "tests/test_a.py").unlink()
    for name, first in (("one", "test_a"), ("two", "test_other")):
        (checkout / f"tests/test_{name}.py").write_text(
            f"def {first}(): ...\n\n\ndef test_bad_input(): ...\n"
        )
    catalogue.fix_paths(checkout)
    assert problems(checkout) == []
    assert "`tests/test_one.py::test_bad_input`" in (checkout / "docs/catalogue/a.md").read_text()


def test_a_moved_file_is_nearer_than_another_of_its_name(checkout):
    for folder in ("src/x/y", "src/z"):
        (checkout / folder).mkdir(parents=True)
    (checkout / "src/x/y/a.py").write_text("")
    (checkout / "src/a.py").rename(checkout / "src/z/a.py")
    page = checkout / "docs/catalogue/a.md"
    page.write_text(page.read_text().replace("src/a.py", "src/x/a.py"))
    assert catalogue.fix_paths(checkout) == ["a.md: src/x/a.py -> src/x/y/a.py"]


def test_a_file_with_two_candidates_is_left_alone(checkout):
    for folder in ("one", "two"):
        (checkout / "src" / folder).mkdir()
        (checkout / "src" / folder / "a.py").write_text("")
    (checkout / "src/a.py").unlink()
    assert catalogue.fix_paths(checkout) == []
    assert len(problems(checkout)) == 1


def test_without_pages_the_command_says_where_they_are(tmp_path):
    with pytest.raises(FileNotFoundError, match="run this from a source checkout"):
        catalogue.read_pages(tmp_path)
