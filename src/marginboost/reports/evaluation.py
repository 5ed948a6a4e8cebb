"""The page of an evaluation: scores beside the base rate, curves, the table of labels or targets.

Drawn here, as SVG: the page has no script, and all text from the data is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..diagnostics.evaluation import Evaluation, TargetEvaluation
from .page import asset, digest

SIZE, PAD = 330, 70
"""Sides of a picture, and the room for its axes."""
INKS = ("blue", "red", "soft")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Every class has an ink and a dash of its own."""
SHARES = {0.0: "0", 0.5: "0.5", 1.0: "1"}
"""Ticks of an axis of shares."""
MOST_CURVES = 12
"""Classes whose curves are drawn."""
MOST_POINTS = 1000
"""Rows that are drawn, evenly spaced."""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>{title} – evaluation</title><style>{style}</style></head>
<body><header><p class="kind">Evaluation of a model</p><h1>{title}</h1>
<p class="verdict">{verdict}</p></header>
<main><section class="card"><h2>Beside the base rate</h2>{scores}
<p class="note">{note}</p></section>
{curves}</main>
<footer>Made by marginboost. This page makes no request to any other machine.</footer></body></html>
"""
NOTES: dict[type, str] = {
    Evaluation: "The base rate knows nothing but how common the classes are. Lower is better, "
    "except for AUC, where guessing has one half.",
    TargetEvaluation: "Their mean is what a model would predict that knows nothing of a row. Lower "
    "is better, except for R², the share of the targets’ variance that is explained.",
}
MORE_STYLE = """
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.axis { stroke: var(--line); fill: none; } .curve { fill: none; stroke-width: 2; }
.even { stroke: var(--control); stroke-dasharray: 4 4; fill: none; }
.blue { stroke: var(--blue); } .red { stroke: var(--red); } .soft { stroke: var(--soft); }
.dot { fill: var(--blue); } .faint { fill-opacity: .45; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .3rem 0;
  padding: 0; list-style: none; }
.legend svg { vertical-align: middle; margin-right: .3rem; }
figure { margin: 0; flex: 1 1 18rem; } figcaption { color: var(--soft); font-size: .9rem; }
"""


def evaluation_page(
    found: Evaluation | TargetEvaluation, title: str, words: Mapping[str, str]
) -> str:
    """HTML of an evaluation.

    Parameters
    ----------
    found : Evaluation or TargetEvaluation
        What was measured.
    title : str
        Heading.
    words : mapping of str to str
        What the scores are called.
    """
    style = asset("page.css") + MORE_STYLE
    if isinstance(found, Evaluation):
        verdict, curves = _verdict(found), _curves(found)
    else:
        verdict, curves = _verdict_on_targets(found), _points(found)
    parts = {
        "policy": f"default-src 'none'; style-src '{digest(style)}'; base-uri 'none'",
        "title": html.escape(title),
        "style": style,
        "verdict": verdict,
        "scores": _scores(found, words),
        "note": NOTES[type(found)],
        "curves": curves,
    }
    return PAGE.format(**parts)


def _curves(found: Evaluation) -> str:
    """Cards of labels."""
    return (
        f'<section class="card"><h2>Curves</h2><div class="pair">{_roc(found)}'
        f"{_calibration(found)}</div></section>"
        '<section class="card"><h2>True and predicted labels</h2>'
        f'<div class="scroll">{_confusion(found)}</div></section>'
    )


def _verdict_on_targets(found: TargetEvaluation) -> str:
    error, base = found.scores["rmse"], found.base["rmse"]
    how = f"The root mean square error on {found.n_rows:,} rows is {error:.4g}"
    if error >= base:
        return f"{how}: no better than always predicting their mean."
    return f"{how}, where always predicting their mean has {base:.4g}."


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


def _scores(found: Evaluation | TargetEvaluation, words: Mapping[str, str]) -> str:
    of_labels = isinstance(found, Evaluation)
    digits = ".4f" if of_labels else ".5g"
    rows = [
        [words[name], f"{score:{digits}}", f"{found.base[name]:{digits}}"]
        for name, score in found.scores.items()
    ]
    return _table(["", "model", "base rate" if of_labels else "their mean"], rows)


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


def _points(found: TargetEvaluation) -> str:
    """Card of targets."""
    given, predicted = found.targets, found.predicted
    low = float(min(given.min(), predicted.min()))
    span = float(max(given.max(), predicted.max())) - low or 1.0
    step = math.ceil(len(given) / MOST_POINTS)
    pairs = zip(given[::step].tolist(), predicted[::step].tolist(), strict=True)
    dots = "".join(
        f'<circle cx="{_x((b - low) / span):.1f}" cy="{_y((a - low) / span):.1f}" r="2.5" '
        'class="dot faint"/>'
        for a, b in pairs
    )
    some = "" if step == 1 else " Of many rows some are shown."
    caption = f"On the diagonal the prediction is the given target.{some}"
    ends = {share: _number(low + share * span) for share in SHARES}
    figure = _figure(dots, "predicted", "given", caption, ticks=ends)
    heading = "Given and predicted targets"
    return f'<section class="card"><h2>{heading}</h2><div class="pair">{figure}</div></section>'


def _number(value: float) -> str:
    """Number at a tick: few signs, and no exponent where none is needed."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _curve(xs: Any, ys: Any, name: str, number: int = 0) -> str:
    points = " ".join(f"{_x(a):.1f},{_y(b):.1f}" for a, b in zip(xs, ys, strict=True))
    return (
        f'<polyline {_pen(number)} points="{points}"><title>{html.escape(name)}</title></polyline>'
    )


def _figure(
    content: str,
    across: str,
    up: str,
    caption: str,
    legend: str = "",
    ticks: Mapping[float, str] = SHARES,
) -> str:
    side, top = SIZE + PAD, PAD - 6
    numbers = "".join(
        f'<text x="{_x(t):.0f}" y="{SIZE + 16}" text-anchor="middle">{word}</text>'
        f'<text x="{PAD - 6}" y="{_y(t) + 4:.0f}" text-anchor="end">{word}</text>'
        for t, word in ticks.items()
    )
    return (
        f'<figure><svg viewBox="0 {top} {side} {side - top}" width="{side}" role="img" '
        f'aria-label="{html.escape(caption)}">'
        f'<path class="axis" d="M{PAD},{_y(1):.0f} V{SIZE} H{_x(1):.0f}"/>'
        f'<path class="even" d="M{_x(0):.0f},{_y(0):.0f} L{_x(1):.0f},{_y(1):.0f}"/>'
        f"{numbers}{content}"
        f'<text x="{_x(0.5):.0f}" y="{SIZE + 34}" text-anchor="middle">{across}</text>'
        f'<text transform="translate(12 {_y(0.5):.0f}) rotate(-90)" '
        f'text-anchor="middle">{up}</text>'
        f"</svg>{legend}<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def _x(share: float) -> float:
    return PAD + share * (SIZE - PAD - 8)


def _y(share: float) -> float:
    return SIZE - share * (SIZE - PAD - 8)
