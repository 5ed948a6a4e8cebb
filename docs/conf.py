"""The site: user guide, gallery, reference, catalogue, experiments. Built by ``make docs``."""

import os
import re
import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

from reference_page import write_reference
from reproduction import write_pages

import marginboost
from marginboost.demo import fit_models, picture, split_rows

# What Git does not have, as it is made from what Git has.
write_reference(HERE)
write_pages()
X_train, _, y_train, _ = split_rows()
picture(fit_models(X_train, y_train), HERE / "images" / "margins.png")

project = "marginboost"
copyright = "the marginboost developers"
version = release = marginboost.__version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**/*.ipynb", "gallery/*.md5", "results"]
templates_path = ["_templates"]
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
# Inherited docstrings refer to scikit-learn's own guide; some links lead to files beside the site.
suppress_warnings = ["config.cache", "ref.ref"]

autosummary_generate = True
autosummary_context = {"of_text": dir(str)}  # what texts can do is not told again
autodoc_typehints = "none"  # docstrings say it in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": os.environ.get("MARGINBOOST_GALLERY", "plot_"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "marginboost"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "show_toc_level": 2,
    "navbar_align": "left",
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}


def setup(app: Any) -> None:
    """Tidy what is made for GitHub and for tests: drawings, sessions, pictures, wide tables."""
    app.add_lexer("mermaid", TextLexer)  # drawings are shown in words
    app.connect("source-read", tidy_sessions)
    app.connect("html-page-context", fit_the_page)


def tidy_sessions(_app: Any, _page: str, source: list[str]) -> None:
    """Leave out of sessions what tests need and readers do not."""
    session = r"(```(?:python|text|console)?\n(?:>>> |\$ ).*?)\n+```\n"
    text = re.sub(session, r"\1\n```\n", source[0], flags=re.DOTALL)
    source[0] = text.replace("\n<BLANKLINE>\n", "\n\n")


def fit_the_page(_app: Any, _page: str, _template: str, context: dict[str, Any], *_: Any) -> None:
    """Let pictures of examples scroll on narrow screens, and long names in tables break."""
    if "body" in context:
        picture = r'(<img [^>]*class = "sphx-glr-single-img"/>)'
        body = re.sub(picture, r'<div class="picture">\1</div>', context["body"])
        body = re.sub(r"<td>.*?</td>", _breakable, body, flags=re.DOTALL)
        context["body"] = re.sub(r"<td><p>(\w\w-\S+)</p>", r'<td><p class="id">\1</p>', body)


def _breakable(cell: re.Match[str]) -> str:
    """Let long names in a cell of a table break where their parts end."""
    names = re.split(r'(?<=<span class="pre">)([^<\s]{24,})(?=</span>)', cell[0])
    names[1::2] = [re.sub(r"(/|::|_|,|(?<=\w)\((?=\w))", r"\1<wbr>", name) for name in names[1::2]]
    return "".join(names)
