"""Look shared by the displays: colours, axes, legends. No global setting of matplotlib changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...types import Array
from ...validation import check_choice

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY, YELLOW = "#CC79A7", "#56B4E9", "#E69F00"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW)
"""Okabe and Ito's colours, told apart by colour-blind readers too."""
INK, GREY, PALE = "#333333", "#7F7F7F", "#D9D9D9"


def pyplot() -> Any:
    """Import matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'the displays draw with matplotlib: pip install "marginboost[plot]"'
        ) from error
    return plt


def new_axes(ax: Any, size: tuple[float, float] = (7.6, 3.8)) -> tuple[Any, bool]:
    """Return the axes given, or those of a new figure, and whether they are new."""
    if ax is not None:
        return ax, False
    _, made = pyplot().subplots(figsize=size, layout="constrained")
    return made, True


def grid_axes(ax: Any, n: int, n_cols: int, panel: tuple[float, float]) -> Any:
    """Return ``n`` axes: those given, or small multiples in a new figure."""
    if ax is not None:
        given = list(ax.flat) if hasattr(ax, "flat") else list(ax) if _many(ax) else [ax]
        if len(given) < n:
            raise ValueError(f"ax: got {len(given)} axes, expected {n}, one per panel")
        return given[:n]
    n_cols = min(n, n_cols)
    n_rows = -(-n // n_cols)
    _, made = pyplot().subplots(
        n_rows,
        n_cols,
        figsize=(max(4.2, panel[0] * n_cols), max(3.0, panel[1] * n_rows)),
        layout="constrained",
        squeeze=False,
    )
    made.flat[0].figure.get_layout_engine().set(h_pad=0.08)
    for spare in made.flat[n:]:
        spare.set_visible(False)
    return list(made.flat[:n])


def _many(ax: Any) -> bool:
    return isinstance(ax, Sequence)


def check_against(against: str, seconds: Sequence[Array]) -> None:
    """Raise unless runs can be drawn against rounds, or against times that are all known.

    ``seconds`` are those of each run; a model that was loaded from a file has none.
    """
    check_choice("against", against, ("round", "seconds"))
    if against == "seconds" and (not seconds or any(np.isnan(own).any() for own in seconds)):
        raise ValueError(
            "against: got 'seconds', but no seconds were given; a loaded model has none"
        )


def plain(ax: Any) -> None:
    """Take away the frame that carries no information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=INK, labelsize=9)


def vote_colors() -> Any:
    """Colours of votes: tints of the two classes' colours, white at 0."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("votes", ["#5FA5D1", "#FFFFFF", "#EE9A68"])


def verdict(certified: bool) -> str:
    """Say whether a bound is a proof."""
    return "certified" if certified else "not certified"


CLOSED = 1e-9
"""Gaps up to this are closed: what is left is rounding."""


def gap_scale(ax: Any, gaps: Array) -> float:
    """Make a log axis for gaps, which ends below the smallest that is not closed; return its end.

    A gap that closes falls off the axis, instead of stretching it down to the rounding errors.
    """
    known = gaps[np.isfinite(gaps)]
    still_open = known[known > CLOSED]
    log_scale(ax, still_open)
    bottom = float(still_open.min()) / 3.0 if still_open.size else CLOSED
    top = 2.0 * float(still_open.max()) if still_open.size else 1.0
    ax.set_ylim(bottom, top)
    return bottom


def log_scale(ax: Any, values: Array) -> None:
    """Make the vertical axis logarithmic, with plain numbers at it however short it is."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    shown = values[np.isfinite(values) & (values > 0)]
    short = shown.size > 0 and shown.max() < 100 * shown.min()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def legend(ax: Any, outside: bool, title: str | None = None) -> None:
    """Put the legend beside the axes of our own figure, else where it covers least."""
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if outside else {"loc": "best"}
    ax.legend(frameon=False, fontsize=9, title=title, alignment="left", **place)
