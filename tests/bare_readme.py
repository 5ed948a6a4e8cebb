"""Run the README's Python with nothing but what ``pip install .`` brings.

``python tests/bare_readme.py`` in an environment that has the package and no extras, or with
``--hide-extras`` in one that has them.
"""

import doctest
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
EXTRAS = {"pandas", "polars", "pyarrow", "matplotlib", "rich", "onnx", "onnxruntime"}


class Hidden:
    """Makes extras look as if they were not installed."""

    def find_spec(self, name, path=None, target=None):
        """Refuse the extras, leave the rest to others."""
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    if "--hide-extras" in sys.argv:
        sys.meta_path.insert(0, Hidden())
    text = README.read_text()
    snippets = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)
    result = doctest.DocTestRunner().run(snippets)
    print(f"{result.attempted} lines tried, {result.failed} failed")
    sys.exit(result.failed > 0)
