"""Mathematics as MathML, which browsers show by themselves: no script, no network, no LaTeX.

Pages have formulas between dollar signs, in LaTeX; docutils knows how to write them as MathML.
"""

from __future__ import annotations

from typing import Any, NoReturn

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOG = logging.getLogger(__name__)


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer as ``mathml``."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def show_inline(page: Any, node: nodes.math) -> NoReturn:
    """Write a formula within a line."""
    page.body.append(as_mathml(node, display=False))
    raise nodes.SkipNode


def show_display(page: Any, node: nodes.math_block) -> NoReturn:
    """Write a formula on lines of its own, which scroll where the page is too narrow."""
    page.body.append(f'<div class="math">{as_mathml(node, display=True)}</div>\n')
    raise nodes.SkipNode


def as_mathml(node: nodes.math | nodes.math_block, *, display: bool) -> str:
    """Write a formula as an element of HTML; warn of one that is not understood."""
    latex = node.astext()
    try:
        return str(tex2mathml(latex, as_block=display))
    except MathError as error:
        LOG.warning("formula %r is not understood: %s", latex, error, location=node)
        return ""
