"""The picture of imports in the documents is that of the code."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).parent.parent / "tools" / "import_graph.py"
SPEC = importlib.util.spec_from_file_location("import_graph", PATH)
assert SPEC is not None
assert SPEC.loader is not None
graph = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(graph)


def test_the_picture_is_up_to_date():
    """Else: python tools/import_graph.py."""
    text = graph.DOCUMENT.read_text()
    assert graph.redrawn(text) == text


def test_imports_that_are_known():
    found = graph.imports()
    assert found["kernels"] == {"address_space", "types"}
    assert "core" in found["oracles"]
    assert "algorithms" in found["verification"]
    assert "algorithms" not in found["model"]


def test_arrows_that_follow_are_left_out():
    whole = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert graph.needed(whole) == {"a": {"b"}, "b": {"c"}, "c": set()}
