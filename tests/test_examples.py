"""There are examples; ``make docs`` runs each of them, and fails where one does."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_there_are_examples_that_draw():
    scripts = sorted(EXAMPLES.glob("plot_*.py"))
    assert not EXAMPLES.exists() or len(scripts) >= 15
    assert all("plt." in script.read_text() or ".plot(" in script.read_text() for script in scripts)
