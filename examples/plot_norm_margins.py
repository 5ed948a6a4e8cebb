"""
Planes of largest margin for two norms
======================================

With ‖α‖₁ = 1, as in boosting, a margin is a distance in the largest coordinate, and the points
nearest to the plane touch it with squares; with ‖α‖₂ = 1, as in support vector machines, with
circles (Rätsch 2001, Fig. 1.7; R1-A08, R1-E07).
"""

from __future__ import annotations

import numpy as np

from marginboost.solvers import solve_norm_margin

POSITIVE = [(0.0, 1.0), (0.1, 2.5), (-1.3, 1.8), (-0.9, 2.9), (-1.6, 0.5)]
NEGATIVE = [(2.0, 0.0), (1.9, -1.5), (3.3, 0.6), (2.9, -1.2), (3.6, -0.4)]
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#7F7F7F"


def toy_points():
    """Ten points of two classes that a plane separates."""
    y = np.repeat([1.0, -1.0], [len(POSITIVE), len(NEGATIVE)])
    return np.array(POSITIVE + NEGATIVE), y


def draw_plane(ax, plane, margin=0.0, **style):
    """Draw the line where the score equals ``margin`` times the norm of the plane."""
    normal, offset = plane.coef, plane.intercept - margin
    foot = -offset * normal / (normal @ normal)
    along = np.array([-normal[1], normal[0]]) * 20 / np.linalg.norm(normal)
    return ax.plot(*np.transpose([foot - along, foot + along]), **style)


def draw_balls(ax, plane, points):
    """Draw the largest balls of the dual norm around the nearest points."""
    from matplotlib.patches import Circle, Rectangle

    for x in points[plane.support]:
        if plane.p == 1:
            ball = Rectangle(x - plane.value, 2 * plane.value, 2 * plane.value)
        else:
            ball = Circle(x, plane.value)
        ball.set(facecolor=GREY, edgecolor=GREY, alpha=0.18, linewidth=1.2)
        ax.add_patch(ball)


def draw_panel(ax, points, y, plane, other):
    """One norm: its plane, its margin strip, its balls; the other plane for comparison."""
    draw_plane(ax, other, color=GREY, lw=1.2, ls=":", label="the other norm's plane")
    draw_plane(ax, plane, color="black", lw=2.0, label="plane of largest margin")
    for side, name in ((plane.value, "edge of the margin"), (-plane.value, None)):
        draw_plane(ax, plane, side, color="black", lw=0.9, ls="-.", label=name)
    draw_balls(ax, plane, points)
    for label, marker, color in ((1, "o", BLUE), (-1, "s", ORANGE)):
        ax.plot(*points[y == label].T, marker, color=color, ms=8, label=f"label {label:+d}")
    measure = "in the largest coordinate" if plane.p == 1 else "Euclidean"
    title = f"‖α‖$_{plane.p:g}$ = 1: nearest points {plane.value:.3f} away, {measure}"
    ax.set_title(title, fontsize=10)
    ax.set(xlim=(-2.2, 4.2), ylim=(-2.4, 3.4), aspect="equal", xticks=[], yticks=[])


def draw():
    """Draw both norms side by side."""
    import matplotlib.pyplot as plt

    points, y = toy_points()
    planes = [solve_norm_margin(points, y, p, bias=True) for p in (1, 2)]
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 5.4), layout="constrained")
    for ax, plane, other in zip(axes, planes, planes[::-1], strict=True):
        draw_panel(ax, points, y, plane, other)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure, planes


figure, planes = draw()
for plane in planes:
    print(f"p = {plane.p:g}: margin {plane.value:.6f}, proven to {plane.gap:.1e}")
