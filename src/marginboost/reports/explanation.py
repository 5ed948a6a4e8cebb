"""The page of an explanation: importance, one shape per feature, rows as waterfalls.

Drawn here, as SVG: the page has no script, and all text from the data is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .page import asset, digest
from .plain import VALUE_LENGTH, text

MOST_FEATURES = 15
"""Features whose importance and contributions are drawn; what is left is summed up."""
MOST_SHAPES = 12
MOST_CATEGORIES = 12
MOST_POINTS = 500
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title} – explanation</title><style>{style}</style></head>
<body><header><p class="kind">Explanation of a model</p><h1>{title}</h1>
<p class="verdict">{verdict}</p></header>
<main><section class="card"><h2>Importance</h2>
<p class="note">{importance_note}</p>{importance}</section>
{problems}</main>
<footer>Made by marginboost. This page makes no request to any other machine.</footer></body></html>
"""
MORE_STYLE = """
.up { fill: var(--redbar); } .down { fill: var(--bluebar); } .bar { fill: var(--bluebar); }
.dot { fill: var(--blue); fill-opacity: .35; } .strip-of-rows { fill: var(--ink); }
.total { fill: var(--ink); } svg text.value { fill: var(--ink); }
.wide-picture { min-width: 32rem; max-width: 46rem; }
"""


def explanation_page(
    title: str, importances: Mapping[str, float], problems: Sequence[Mapping[str, Any]]
) -> str:
    """HTML of an explanation.

    Parameters
    ----------
    title : str
        Heading.
    importances : mapping of str to float
        Share of each feature, the largest first.
    problems : sequence of mapping
        For each answer of the model ``name``, ``sides``, ``unit``, ``intercept``,
        ``exact_shapes``, ``shapes`` and ``rows``, as ``marginboost explain --json`` has them.
    """
    style = asset("page.css") + MORE_STYLE
    exact = all(problem["exact_shapes"] for problem in problems)
    parts = {
        "policy": f"default-src 'none'; style-src '{digest(style)}'; base-uri 'none'",
        "title": html.escape(text(title)),
        "style": style,
        "verdict": html.escape(_verdict(importances, exact)),
        "importance_note": _IMPORTANCE[exact],
        "importance": _importance(importances),
        "problems": "".join(map(_problem, problems)),
    }
    return PAGE.format(**parts)


_IMPORTANCE = {
    True: "Mean size of a feature’s contribution over the training rows, as a share of all; the "
    "same number as feature_importances_ in Python.",
    False: "Share of the trees’ gain that a feature carries; the same number as "
    "feature_importances_ in Python.",
}


def _verdict(importances: Mapping[str, float], exact: bool) -> str:
    names = [f"“{text(name, VALUE_LENGTH)}”" for name in list(importances)[:3]]
    used = len(importances)
    first = f"{used} feature{'' if used == 1 else 's'} decide, above all {', '.join(names)}."
    if not used:
        return "No feature moves the answer: the model says the same of every row."
    how = "an intercept and one number per feature, shown here in full"
    trees = "shared out between the features by exact Shapley values"
    return f"{first} Every answer is {how if exact else trees}."


def _importance(importances: Mapping[str, float]) -> str:
    shown = list(importances.items())[:MOST_FEATURES]
    rest = sum(list(importances.values())[MOST_FEATURES:])
    if rest > 0.0:
        shown.append((f"{len(importances) - MOST_FEATURES} more", rest))
    most = max((share for _, share in shown), default=1.0)
    rows = [(text(name, 30), share / most, f"{share:.1%}") for name, share in shown]
    height, parts = 24 * len(rows) + 6, []
    for k, (name, size, number) in enumerate(rows):
        y = 24 * k + 4
        parts.append(
            _words(190, y + 13, name, "end")
            + f'<rect class="bar" x="200" y="{y}" height="16" width="{max(1.0, 330 * size):.1f}"/>'
            + _words(206 + 330 * size, y + 13, number, "start", "value")
        )
    return _wide_picture(600, height, "".join(parts), "Importance of the features")


def _problem(problem: Mapping[str, Any]) -> str:
    """Cards of one answer: shapes, then rows."""
    low, high = problem["sides"] or ("", "")
    unit, heading = problem["unit"], f" for {high}" if problem["name"] else ""
    meaning = f"Up (right, for categories) speaks for “{high}”, down for “{low}”. " if high else ""
    if problem["exact_shapes"]:
        note = (
            f"The {unit} of a row is {problem['intercept']:+.4g}, the mean over the training rows, "
            "plus one number from each of these pictures. The strip below stands out where many "
            "training rows lie."
        )
    else:
        note = (
            f"Each dot is a row. Its {unit} is {problem['intercept']:+.4g}, the mean over the "
            "data, plus its dots; rows with the same value differ where features interact."
        )
    most = max((abs(v) for shape in problem["shapes"] for v in _heights(shape)), default=0.0) or 1.0
    figures = "".join(_shape(shape, most) for shape in problem["shapes"][:MOST_SHAPES])
    cards = (
        f'<section class="card"><h2>{html.escape(f"Contributions{heading}")}</h2>'
        f'<p class="note">{html.escape(meaning + note)}</p><div class="shapes">{figures}</div>'
        "</section>"
    )
    rows = "".join(_row(row, problem) for row in problem["rows"])
    if not rows:
        return cards
    return (
        f'{cards}<section class="card"><h2>{html.escape(f"Single rows{heading}")}</h2>'
        f'<p class="note">From the mean to the {unit} of the row, feature by feature.</p>'
        f"{rows}</section>"
    )


# -- shapes ----------------------------------------------------------------------------------------


def _heights(shape: Mapping[str, Any]) -> list[float]:
    return list(shape["points"][1]) if "points" in shape else list(shape["levels"])


def _shape(shape: Mapping[str, Any], most: float) -> str:
    name = text(shape["feature"], VALUE_LENGTH)
    caption = f"{name} ({shape['importance']:.1%})"
    drawing = _bars(shape, most) if "categories" in shape else _along(shape, most)
    return f"<figure><figcaption>{html.escape(caption)}</figcaption>{drawing}</figure>"


def _along(shape: Mapping[str, Any], most: float) -> str:
    """Contribution along a number: steps, or a dot per row; the strip shows where rows are."""
    low, high = _limits(shape)
    span = high - low or 1.0

    def x(value: float) -> float:
        return 4 + min(1.0, max(0.0, (value - low) / span)) * 252

    def y(level: float) -> float:
        return 58 - level / most * 50

    parts = [f'<path class="axis" d="M4,{y(0):.1f}H256"/>']
    if "points" in shape:
        parts.append(_dots(shape["points"], x, y))
    else:
        path = f"M{x(low):.1f},{y(shape['levels'][0]):.1f}"
        for cut, level in zip(shape["thresholds"], shape["levels"][1:], strict=True):
            path += f"H{x(cut):.1f}V{y(level):.1f}"
        parts.append(f'<path class="shape" d="{path}H{x(high):.1f}"/>')
        ends, dense = shape.get("strip", ([], []))
        for start, end, share in zip(ends, ends[1:], dense, strict=False):
            parts.append(
                f'<rect class="strip-of-rows" x="{x(start):.1f}" y="114" height="6" '
                f'width="{max(1.2, x(end) - x(start)):.1f}" fill-opacity="{math.sqrt(share):.2f}"/>'
            )
    parts.append(_words(4, 134, f"{low:.6g}", "start") + _words(256, 134, f"{high:.6g}", "end"))
    words = f"Contribution of {shape['feature']} from {low:.6g} to {high:.6g}"
    return _svg(260, 138, "".join(parts), words)


def _limits(shape: Mapping[str, Any]) -> tuple[float, float]:
    """All of the data; without it a little beyond the cuts."""
    low, high = shape.get("low", math.nan), shape.get("high", math.nan)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    cuts = shape["thresholds"] or [0.0]
    pad = 0.1 * (cuts[-1] - cuts[0]) or abs(cuts[0]) or 1.0
    return cuts[0] - pad, cuts[-1] + pad


def _dots(points: Sequence[Sequence[float]], x: Any, y: Any) -> str:
    pairs = [(v, p) for v, p in zip(*points, strict=True) if v == v]
    step = max(1, len(pairs) // MOST_POINTS)
    return "".join(
        f'<circle class="dot" cx="{x(v):.1f}" cy="{y(p):.1f}" r="2"/>' for v, p in pairs[::step]
    )


def _bars(shape: Mapping[str, Any], most: float) -> str:
    """Contribution of each category, the strongest ones."""
    pairs = list(zip(shape["categories"], shape["levels"], strict=True))
    pairs = sorted(pairs, key=lambda pair: -abs(pair[1]))[:MOST_CATEGORIES]
    left_out, parts = len(shape["levels"]) - len(pairs), []
    for k, (name, level) in enumerate(sorted(pairs, key=lambda pair: -pair[1])):
        size = level / most * 65
        parts.append(
            _words(118, 19 * k + 14, text(name, 17), "end")
            + f'<rect class="{"up" if level > 0 else "down"}" x="{190 + min(0.0, size):.1f}" '
            f'y="{19 * k + 4}" width="{max(1.0, abs(size)):.1f}" height="13"/>'
        )
    parts.append(f'<path class="axis" d="M190,0V{19 * len(pairs) + 4}"/>')
    if left_out:
        parts.append(_words(118, 19 * len(pairs) + 14, f"{left_out} more", "end"))
    height = 19 * (len(pairs) + bool(left_out)) + 6
    return _svg(
        260, height, "".join(parts), f"Contribution of the categories of {shape['feature']}"
    )


# -- rows ------------------------------------------------------------------------------------------


def _row(row: Mapping[str, Any], problem: Mapping[str, Any]) -> str:
    """A waterfall: from the intercept to the answer."""
    terms = [
        (f"{text(part['feature'], 24)} = {_value(part['value'])}", part["contribution"])
        for part in row["contributions"]
    ]
    rest = [part for _, part in terms[MOST_FEATURES:]]
    steps = [*terms[:MOST_FEATURES], *([(f"{len(rest)} more", math.fsum(rest))] if rest else [])]
    levels = [row["intercept"]]
    for _, part in steps:
        levels.append(levels[-1] + part)
    low, high = min(0.0, *levels), max(0.0, *levels)
    span = high - low or 1.0

    def x(level: float) -> float:
        return 250 + (level - low) / span * 260

    parts = [_words(240, 17, f"mean {problem['unit']}", "end"), _mark(x(levels[0]), 4)]
    parts.append(_words(522, 17, f"{levels[0]:+.3f}", "start"))
    for k, (name, part) in enumerate(steps):
        start, end, y = x(levels[k]), x(levels[k + 1]), 24 * (k + 1) + 4
        parts.append(
            _words(240, y + 13, name, "end")
            + f'<rect class="{"up" if part > 0 else "down"}" x="{min(start, end):.1f}" y="{y}" '
            f'width="{max(1.0, abs(end - start)):.1f}" height="16"/>'
            + _words(522, y + 13, f"{part:+.3f}", "start", "value")
        )
    y = 24 * (len(steps) + 1) + 4
    parts.append(_words(240, y + 13, f"{problem['unit']} of this row", "end"))
    parts.append(_mark(x(levels[-1]), y) + _words(522, y + 13, f"{row['vote']:+.3f}", "start"))
    parts.append(f'<path class="axis" d="M{x(0.0):.1f},0V{y + 20}"/>')
    name = f"Row {row['row']}" + ("" if row["id"] is None else f" ({text(row['id'], 40)})")
    side = ""
    if problem["sides"] and not problem["name"]:
        side = f", for “{text(problem['sides'][row['vote'] > 0], 40)}”"
    heading = f"{name}: {problem['unit']} {row['vote']:+.4f}{side}"
    picture = _wide_picture(590, y + 24, "".join(parts), heading)
    return f"<h3>{html.escape(heading)}</h3>{picture}"


def _mark(x: float, y: int) -> str:
    return f'<rect class="total" x="{x - 2:.1f}" y="{y}" width="4" height="16"/>'


def _value(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else text(value, 14)


# -- small tools -----------------------------------------------------------------------------------


def _words(x: float, y: float, content: str, anchor: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{html.escape(content)}</text>'
    )


def _wide_picture(width: int, height: int, content: str, words: str) -> str:
    """A picture with words in it, that a narrow window scrolls, not shrinks."""
    picture = _svg(width, height, content, words, "wide-picture")
    return f'<div class="scroll" tabindex="0">{picture}</div>'


def _svg(width: int, height: int, content: str, words: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img"{style} '
        f'aria-label="{html.escape(words)}">{content}</svg>'
    )
