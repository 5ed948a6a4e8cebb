"""
One example spoils a hard margin, not a soft one
================================================

Hypotheses are the monomials up to the third degree. The hard margin bends its boundary round an
outlier and round a wrong label; the soft margin (ν-LP) lets a share ν of the examples fall short
(Rätsch 2001, Fig. 4.2; R2-E2).
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np

from marginboost import solve_margin_lp

NU = 0.15
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#7F7F7F"
CASES = {
    "reliable data": None,
    "one outlier": (-0.12, -0.75),
    "one wrong label": (-0.62, 0.3),
}


def sample(extra=None):
    """Two clouds of points in [-1, 1]²; the extra point has the label of the right one."""
    rng = np.random.default_rng(4)
    left, right = rng.normal((-0.5, 0.1), 0.16, (25, 2)), rng.normal((0.5, -0.1), 0.16, (25, 2))
    points, y = np.vstack([left, right]), np.repeat([-1.0, 1.0], 25)
    return (points, y) if extra is None else (np.vstack([points, extra]), np.append(y, 1.0))


def outputs(points):
    """Outputs of all hypotheses: monomials up to degree three, and their negatives."""
    x, z = np.transpose(points)
    columns = [x**i * z**j for i in range(4) for j in range(4 - i)]
    return np.stack([*columns, *(-column for column in columns)], axis=-1)


def fit(points, y, nu=None):
    """Coefficients of the largest margin, hard or soft."""
    return solve_margin_lp(y[:, None] * outputs(points), nu).coef


def draw():
    """Draw one panel for each case."""
    import matplotlib.pyplot as plt

    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 201), np.linspace(-1, 1, 201)), axis=-1)
    values = outputs(grid.reshape(-1, 2))
    figure, axes = plt.subplots(1, 3, figsize=(11.4, 4.6), layout="constrained")
    for ax, (name, extra) in zip(axes, CASES.items(), strict=True):
        points, y = sample(extra)
        for nu, color in ((None, "black"), (NU, "#009E73")):
            votes = (values @ fit(points, y, nu)).reshape(201, 201)
            ax.contour(grid[..., 0], grid[..., 1], votes, levels=[0], colors=color, linewidths=2)
        for label, marker, color in ((-1, "s", ORANGE), (1, "o", BLUE)):
            ax.plot(*points[y == label].T, marker, color=color, ms=6, alpha=0.85)
        if extra is not None:
            ax.plot(*extra, "o", ms=15, mfc="none", mec=GREY, mew=1.5)
        ax.set_title(name, fontsize=11)
        ax.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1), xticks=[], yticks=[])
    lines = [mpl.lines.Line2D([], [], color=color, lw=2) for color in ("black", "#009E73")]
    names = ["hard margin", f"soft margin, ν = {NU:g}"]
    figure.legend(lines, names, loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return figure


draw()
