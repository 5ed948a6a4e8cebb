"""The table of capabilities in the documents is that of the estimators."""

import importlib.util
import json
import sys
from pathlib import Path

PATH = Path(__file__).parent.parent / "tools" / "capabilities.py"
SPEC = importlib.util.spec_from_file_location("capabilities_page", PATH)
assert SPEC is not None
assert SPEC.loader is not None
page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(page)


def test_the_table_is_up_to_date():
    """Else: python tools/capabilities.py."""
    text = page.DOCUMENT.read_text()
    assert page.redrawn(text) == text
    assert page.redrawn(text.replace("| yes |", "|  |", 1)) == text


def test_the_table_for_programs(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["capabilities.py", "--json"])
    page.main()
    found = json.loads(capsys.readouterr().out)
    assert found["LPBoostClassifier"]["certifies"] is True
    assert found["CGBoostClassifier"]["certifies"] is False
    assert found["LPBoostRegressor"]["several_classes"] is None
