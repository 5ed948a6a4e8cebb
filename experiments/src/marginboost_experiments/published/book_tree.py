"""How a small tree decides: a path of questions to a label (Schapire and Freund, Fig. 1.6).

The book draws a tree that asks for size, shape and colour of an item and answers + or -; of its
text two paths are left: a large, square, blue item is -, a medium, round, red one is +.

Unknown: the rest of the figure. Here all twelve items are labelled by a rule that agrees with both
(large ones by shape, the others by colour), and one tree is grown on them by entropy, with
categories asked in sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from marginboost.algorithms import AdaBoostClassifier
from marginboost.oracles import TreeOracle
from marginboost.types import Array

from .. import Case, Comparison, Experiment, Finding, Trials
from ..frame import Result

VALUES = (("large", "medium", "small"), ("round", "square"), ("blue", "red"))
"""Of size, shape and colour."""
PUBLISHED: dict[tuple[str, ...], str] = {
    ("large", "square", "blue"): "-",
    ("medium", "round", "red"): "+",
}


def items() -> tuple[Array, Array]:
    """All items, by the numbers of their values, and their labels."""
    X = np.array(list(product(*(range(len(values)) for values in VALUES))), dtype=float)
    size, shape, colour = X.T
    return X, np.where(np.where(size == 0, shape == 0, colour == 1), "+", "-")


def plan(done: Trials) -> list[Case]:
    """One tree."""
    return [{"max_depth": 3}]


def trial(max_depth: int) -> Result:
    """Grow the tree; tell its nodes, and the path and answer of every item."""
    X, y = items()
    oracle = TreeOracle(max_depth=max_depth, criterion="entropy")
    model = AdaBoostClassifier(oracle, n_estimators=1, categorical_features=[0, 1, 2]).fit(X, y)
    tree = model.estimators_[0].to_dict()
    answers = model.predict(X)
    return {
        "nodes": [_question(tree, k, model.classes_) for k in range(len(tree["feature"]))],
        "children": [tree["left"], tree["right"]],
        "paths": [_path(tree, row) for row in X],
        "answers": answers.tolist(),
        "right": int((answers == y).sum()),
    }


def _question(tree: dict[str, Any], node: int, classes: Array) -> str:
    """What a node asks, answered by yes on its left; of a leaf, its label."""
    feature = tree["feature"][node]
    if feature < 0:
        return str(classes[int(tree["value"][node] > 0)])
    return " or ".join(VALUES[feature][code] for code in tree["categories"][node]) + "?"


def _path(tree: dict[str, Any], row: Array) -> list[int]:
    """Nodes on the way of an item, from the root to a leaf."""
    path = [0]
    while tree["feature"][path[-1]] >= 0:
        node = path[-1]
        side = "left" if int(row[tree["feature"][node]]) in tree["categories"][node] else "right"
        path.append(tree[side][node])
    return path


def tables(trials: Trials) -> Iterator[Comparison]:
    """Path and answer of every item."""
    found, (X, y) = trials.only(), items()
    rows = []
    for row, label, answer, path in zip(X, y, found["answers"], found["paths"], strict=True):
        name = _name(row)
        way = [
            found["nodes"][node] + (" yes" if found["children"][0][node] == after else " no")
            for node, after in pairwise(path)
        ]
        rows.append((" ".join(name), PUBLISHED.get(name, ""), str(label), answer, ", ".join(way)))
    columns = ("published", "labelled", "answered", "path")
    yield Comparison("Fig. 1.6: the way of each item", columns, rows)


def _name(row: Array) -> tuple[str, ...]:
    return tuple(values[int(code)] for values, code in zip(VALUES, row, strict=True))


def findings(trials: Trials) -> Iterator[Finding]:
    """Both paths of the text, and that a path is all that is needed."""
    found, (X, _) = trials.only(), items()
    answers = dict(zip(map(_name, X), found["answers"], strict=True))
    same = [answers[name] == label for name, label in PUBLISHED.items()]
    claim = "the items that the book names get its labels"
    yield Finding(claim, all(same), f"{sum(same)} of {len(same)}")
    leaves = [found["nodes"][path[-1]] for path in found["paths"]]
    claim = "the label at the end of its path is what an item is answered, and right for all"
    holds = leaves == found["answers"] and found["right"] == len(X)
    yield Finding(claim, holds, f"{found['right']} of {len(X)} items")


def draw(trials: Trials, figure: Any) -> None:
    """Fig. 1.6: the tree, yes on the left."""
    from marginboost.diagnostics.displays.style import BLUE, GREY, INK, ORANGE

    found, ax = trials.only(), figure.subplots()
    places = _places(found["children"], found["nodes"])
    for node, text in enumerate(found["nodes"]):
        x, y = places[node]
        if text.endswith("?"):
            for side, answer in zip(found["children"], ("yes", "no"), strict=True):
                to = places[side[node]]
                ax.plot([x, to[0]], [y, to[1]], color=GREY, zorder=1)
                look = {"color": GREY, "fontsize": 8, "ha": "center", "in_layout": False}
                look["backgroundcolor"] = "white"
                ax.text((x + to[0]) / 2, (y + to[1]) / 2, answer, **look)
        color = {"+": ORANGE, "-": BLUE}.get(text, INK)
        frame = {"boxstyle": "round", "facecolor": "white", "edgecolor": color}
        look = {"ha": "center", "va": "center", "color": color, "in_layout": False}
        ax.text(x, y, text, bbox=frame, zorder=2, **look)
    ax.margins(0.12)
    ax.set_axis_off()


def _places(children: list[list[int]], nodes: list[str]) -> dict[int, tuple[float, float]]:
    """Leaves side by side from left to right, a question above the middle of its answers."""
    places: dict[int, tuple[float, float]] = {}
    n_leaves = 0

    def place(node: int, depth: int) -> float:
        nonlocal n_leaves
        if nodes[node].endswith("?"):
            x = sum(place(side[node], depth + 1) for side in children) / 2
        else:
            x, n_leaves = float(n_leaves), n_leaves + 1
        places[node] = x, -float(depth)
        return x

    place(0, 0)
    return places


EXPERIMENT = Experiment(
    plan,
    trial,
    tables,
    findings,
    sizes={"tiny": {}, "quick": {}, "full": {}},
    draw=draw,
    figure_size=(6.4, 3.6),
    catalogue=("SF-E4a",),
)
