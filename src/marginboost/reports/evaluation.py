"""The page of an evaluation: scores beside the base rate, curves, the table of labels.

Drawn here, as SVG: the page has no script, and all text from the data is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .page import asset, digest

if TYPE_CHECKING:
    from ..diagnostics.evaluation import Evaluation

SIZE, PAD = 300, 42
"""Sides of a picture, and the room for its axes."""
INKS = ("blue", "red", "soft")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Every class has an ink and a dash of its own."""
MOST_CURVES = 12
"""Classes whose curves are drawn."""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title><style>{style}</style></head>
<body><header><p class="kind">Evaluation of a model</p><h1>{title}</h1>
<p class="verdict">{verdict}</p></header>
<main><section class="card"><h2>Beside the base rate</h2>{scores}
<p class="note">The base rate knows nothing but how common the classes are. Lower is better, except
for AUC, where guessing has one half.</p></section>
<section class="card"><h2>Curves</h2><div class="facts">{curves}</div></section>
<section class="card"><h2>True and predicted labels</h2>
<div class="scroll">{confusion}</div></section>
</main></body></html>
"""
MORE_STYLE = """
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.axis { stroke: var(--line); fill: none; } .curve { fill: none; stroke-width: 2; }
.even { stroke: var(--control); stroke-dasharray: 4 4; fill: none; }
.blue { stroke: var(--blue); } .red { stroke: var(--red); } .soft { stroke: var(--soft); }
.dot { fill: var(--blue); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .3rem 0;
  padding: 0; list-style: none; }
.legend svg { vertical-align: middle; margin-right: .3rem; }
figure { margin: 0; flex: 1 1 18rem; } figcaption { color: var(--soft); font-size: .9rem; }
"""


def evaluation_page(found: Evaluation, title: str, words: Mapping[str, str]) -> str:
    """HTML of an evaluation.

    Parameters
    ----------
    found : Evaluation
        What was measured.
    title : str
        Heading.
    words : mapping of str to str
        What the scores are called.
    """
    style = asset("page.css") + MORE_STYLE
    parts = {
        "policy": f"default-src 'none'; style-src '{digest(style)}'; base-uri 'none'",
        "title": html.escape(title),
        "style": style,
        "verdict": _verdict(found),
        "scores": _scores(found, words),
        "curves": _roc(found) + _calibration(found),
        "confusion": _confusion(found),
    }
    return PAGE.format(**parts)


def _verdict(found: Evaluation) -> str:
    error, base = found.scores["error"], found.base["error"]
    if found.nearly_constant:
        return "The model gives nearly every row the same label."
    if error >= base:
        return f"Errs on {error:.1%} of {found.n_rows:,} rows: no better than the commonest class."
    return (
        f"Errs on {error:.1%} of {found.n_rows:,} rows, where always guessing the commonest class "
        f"errs on {base:.1%}."
    )


def _scores(found: Evaluation, words: Mapping[str, str]) -> str:
    rows = [
        [word, f"{found.scores[name]:.4f}", f"{found.base[name]:.4f}"]
        for name, word in words.items()
    ]
    return _table(["", "model", "base rate"], rows)


def _confusion(found: Evaluation) -> str:
    names = [str(label) for label in found.classes]
    lines = zip(names, found.confusion.tolist(), strict=True)
    rows = [[name, *(f"{count:,.6g}" for count in line)] for name, line in lines]
    return _table(["true label", *(f"as {name}" for name in names)], rows)


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(
        f'<th scope="col"{_right(i)}>{html.escape(text)}</th>' for i, text in enumerate(headers)
    )
    body = "".join(
        f'<tr><th scope="row" class="name">{html.escape(row[0])}</th>'
        + "".join(f'<td class="number">{html.escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _right(column: int) -> str:
    return ' class="number"' if column else ""


# -- pictures --------------------------------------------------------------------------------------


def _roc(found: Evaluation) -> str:
    drawn = list(found.roc.items())[:MOST_CURVES]
    if not drawn:
        return ""
    curves = [_curve(false, true, name, i) for i, (name, (false, true)) in enumerate(drawn)]
    return _figure(
        "".join(curves),
        "false positive rate",
        "true positive rate",
        "ROC: how many of a class are found at what price in false alarms. The diagonal is "
        "guessing.",
        _legend([name for name, _ in drawn], len(found.roc)) if len(drawn) > 1 else "",
    )


def _legend(names: list[str], n_classes: int) -> str:
    """Which curve is which class."""
    items = [
        f'<li><svg width="28" height="8" aria-hidden="true"><path d="M0,4 H28" {_pen(i)}/></svg>'
        f"{html.escape(name)}</li>"
        for i, name in enumerate(names)
    ]
    if n_classes > len(names):
        items.append(f"<li>and {n_classes - len(names)} more, not drawn</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _pen(number: int) -> str:
    """Ink and dash of a curve."""
    dash = DASHES[number // len(INKS) % len(DASHES)]
    return f'class="curve {INKS[number % len(INKS)]}"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )


def _calibration(found: Evaluation) -> str:
    said, happened = found.calibration[:, 0], found.calibration[:, 1]
    dots = "".join(
        f'<circle cx="{_x(a):.1f}" cy="{_y(b):.1f}" r="4" class="dot"/>'
        for a, b in zip(said, happened, strict=True)
    )
    return _figure(
        _curve(said, happened, "calibration") + dots,
        "predicted probability",
        "observed share",
        "Calibration: what happened where so much was predicted, in bins of equal count. On the "
        "diagonal, probabilities mean what they say.",
    )


def _curve(xs: Any, ys: Any, name: str, number: int = 0) -> str:
    points = " ".join(f"{_x(a):.1f},{_y(b):.1f}" for a, b in zip(xs, ys, strict=True))
    return (
        f'<polyline {_pen(number)} points="{points}"><title>{html.escape(name)}</title></polyline>'
    )


def _figure(content: str, across: str, up: str, caption: str, legend: str = "") -> str:
    side, top = SIZE + PAD, PAD - 6
    ticks = "".join(
        f'<text x="{_x(t):.0f}" y="{SIZE + 16}" text-anchor="middle">{t:g}</text>'
        f'<text x="{PAD - 6}" y="{_y(t) + 4:.0f}" text-anchor="end">{t:g}</text>'
        for t in (0.0, 0.5, 1.0)
    )
    return (
        f'<figure><svg viewBox="0 {top} {side} {side - top}" width="{side}" role="img" '
        f'aria-label="{html.escape(caption)}">'
        f'<path class="axis" d="M{PAD},{_y(1):.0f} V{SIZE} H{_x(1):.0f}"/>'
        f'<path class="even" d="M{_x(0):.0f},{_y(0):.0f} L{_x(1):.0f},{_y(1):.0f}"/>'
        f"{ticks}{content}"
        f'<text x="{_x(0.5):.0f}" y="{SIZE + 34}" text-anchor="middle">{across}</text>'
        f'<text transform="translate(12 {_y(0.5):.0f}) rotate(-90)" '
        f'text-anchor="middle">{up}</text>'
        f"</svg>{legend}<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def _x(share: float) -> float:
    return PAD + share * (SIZE - PAD - 8)


def _y(share: float) -> float:
    return SIZE - share * (SIZE - PAD - 8)
