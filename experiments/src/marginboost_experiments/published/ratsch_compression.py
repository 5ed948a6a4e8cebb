"""What a learner that needs few of its examples can be promised (Rätsch 2001, appendix B.5).

A classifier that follows from q of N examples is tested by the others. The dissertation says of its
bounds, at 95 %: 200 examples compressed to 10 leave less than 25 %; the bound for classifiers
without training errors (B.10) says something up to q near N/2; the one for any loss (B.13) up to
about 15 % of N.

Unknown: N of the last two, here up to 100,000. (B.10) is printed with binary logarithms, but its
example needs natural ones, and the N/2 follows from neither: see the errata.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from marginboost.capacity import compression_bound, risk_compression_bound

from .. import NONE, Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

SHARES = np.linspace(0.005, 0.5, 100)
"""Of examples kept."""
EXAMPLE = "N = 200, q = 10"


def plan(done: Trials, rows: list[int]) -> list[Case]:
    """One case per number of examples."""
    return [{"rows": n} for n in rows]


def trial(rows: int) -> Result:
    """Bounds against the share kept, and up to which share they are below one."""
    kept = np.round(SHARES * rows).astype(int).tolist()
    natural = [float(compression_bound(rows, q)) for q in kept]
    binary = [float(compression_bound(rows, q, logarithm="binary")) for q in kept]
    any_loss = [float(risk_compression_bound(rows, q, 0.0)) for q in kept]
    curves = {"natural": natural, "binary": binary, "any loss": any_loss}
    limits = {name: _last_below_one(values) for name, values in curves.items()}
    logarithms = ("natural", "binary")
    example = {log: float(compression_bound(200, 10, logarithm=log)) for log in logarithms}
    return {"curves": curves, "limits": limits, "example": example}


def _last_below_one(values: list[float]) -> float:
    below = np.flatnonzero(np.array(values) < 1.0)
    return float(SHARES[below[-1]]) if len(below) else 0.0


def tables(trials: Trials) -> Iterator[Comparison]:
    """The example; then where each bound ends to say anything."""
    (_, first), *_ = trials
    rows: list[tuple[str, ...]] = [
        (f"{EXAMPLE}: (B.10), {name} logarithm", "below 25 %", f"{100 * value:.1f} %")
        for name, value in first["example"].items()
    ]
    yield Comparison("Errors that are promised at 95 %", ("published", "computed"), rows)
    published = {"natural": NONE, "binary": "about 50 %", "any loss": "about 15 %"}
    names = {
        "natural": "(B.10), natural logarithm",
        "binary": "(B.10), binary logarithm, as printed",
        "any loss": "(B.13), no training errors",
    }
    sizes = trials.each("rows")
    rows = [
        (names[key], theirs, *(f"{100 * r['limits'][key]:.1f} %" for _, r in trials))
        for key, theirs in published.items()
    ]
    columns = ("published", *(f"N = {n:,}" for n in sizes))
    yield Comparison("Share of examples kept up to which a bound is below one", columns, rows)


def findings(trials: Trials) -> Iterator[Finding]:
    """What of the appendix's three numbers holds."""
    (_, first), *_, (_, last) = trials
    value = first["example"]["natural"]
    claim = f"{EXAMPLE}: less than 25 %, by natural logarithms"
    yield Finding(claim, value < 0.25, f"{100 * value:.1f} %")
    limit = last["limits"]["any loss"]
    claim = "(B.13) says something up to about 15 % of the examples"
    yield Finding(claim, abs(limit - 0.15) < 0.01, f"{100 * limit:.1f} %")
    limit = last["limits"]["natural"]
    claim = "(B.10) ends far below N/2, where the dissertation has it"
    yield Finding(claim, limit < 0.4, f"{100 * limit:.1f} %")


def draw(trials: Trials, figure: Any) -> None:
    """Bounds against the share of examples kept."""
    from marginboost.diagnostics.displays.style import CYCLE, GREY, plain

    axes = figure.subplots(1, 2, sharey=True)
    panels = (("natural", "(B.10): no training errors"), ("any loss", "(B.13): any loss"))
    for ax, (key, title) in zip(axes, panels, strict=True):
        for (case, result), color in zip(trials, CYCLE, strict=False):
            ax.plot(100 * SHARES, result["curves"][key], color=color, label=f"N = {case['rows']:,}")
        ax.axhline(1.0, color=GREY, linestyle=":", linewidth=1)
        ax.set(xlabel="examples kept in %", ylim=(0, 1.5), title=title)
        plain(ax)
    axes[0].set_ylabel("bound on the error")
    axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={
        "tiny": {"rows": [200, 20_000]},
        "quick": {"rows": [200, 2000, 20_000, 100_000]},
        "full": {"rows": [200, 2000, 20_000, 100_000]},
    },
    draw=draw,
    figure_size=(9.6, 3.6),
    catalogue=("R1-E16",),
)
