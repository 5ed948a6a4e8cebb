"""Damaged model files: every part of sound ones replaced, removed, doubled, or cut."""

from __future__ import annotations

import gzip
import json
import math
import random
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzz_batch import Case

import marginboost
from marginboost import ModelFileError
from marginboost.model.file import document_of

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, -2, 127, 128, 2**31 - 1, 2**31, -(2**31), 2**53 + 1),
    *(2**63 - 1, 2**63, 2**64 - 1, -(2**63), 10**30, 0.5, -0.0, 1e-320, 1e308, -1e308, 1.5),
    *("", "NaN", "Infinity", "-Infinity", "a", "\ud800", "\0", "tree", "x" * 5000, "é\U0001f600"),
    *([], {}, [[]], [0], [0] * 3, [None], ["a"], [-1], [2**40], {"kind": "stump"}, {"kind": "x"}),
    *({"oracle": "StumpOracle", "params": {}}, {"loss": "huber", "params": {}}),
    [0.5] * 2000,
    {f"k{i}": i for i in range(500)},
)
RAW = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "[" * 30_000, '{"a":' * 30_000, "\x00")
"""What stands in place of a value as text."""
MARK = "@here@"


def seeds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Documents of sound models of every sort, small."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = pd.Categorical(rng.choice(["red", "green", "blue"], 120))
    frame["size"] = pd.Categorical(rng.choice([1, 5, 7], 120))
    two = np.where(X[:, 0] + (frame["kind"] == "red") > 0.3, "yes", "no")
    three = np.argsort(np.argsort(X[:, 0] + 0.3 * X[:, 1])) // 40
    trees = marginboost.TreeOracle(max_depth=2)
    few = {"n_estimators": 3, "random_state": 0}
    models = {
        "stumps": marginboost.AdaBoostClassifier(**few).fit(frame, two),
        "trees": marginboost.AdaBoostClassifier(trees, **few).fit(frame, two),
        "soft margin": marginboost.LPBoostClassifier(nu=0.5, **few).fit(frame, two),
        "gradient": marginboost.GradientBoostClassifier(**few).fit(X, two),
        "problems": marginboost.AdaBoostClassifier(**few).fit(frame, three),
        "booster": marginboost.MulticlassBooster(
            marginboost.AdaBoostClassifier(**few), code="all-pairs"
        ).fit(X, three),
        "labels": marginboost.SAMMEClassifier(**few).fit(frame, three),
        "softmax": marginboost.SoftmaxBoostClassifier(**few).fit(X, three),
        "nets": marginboost.AdaBoostClassifier(marginboost.RBFNetOracle(3), **few).fit(frame, two),
        "answers": marginboost.GraphSepBoostClassifier(**few).fit(frame, two),
        "cascade": marginboost.CascadeBooster(
            marginboost.AdaBoostClassifier(**few), n_stages=2
        ).fit(frame, two),
        "planes": marginboost.LSBoostRegressor(marginboost.HalfSpaceOracle(), **few).fit(
            frame, X[:, 0]
        ),
        "regressor": marginboost.LSBoostRegressor(**few).fit(frame, X[:, 0]),
    }
    for name, model in models.items():
        yield name, json.loads(json.dumps(document_of(model)))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each value of a document is."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for key, item in enumerate(value):
            yield from places(item, (*path, key))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Copy of a document with another value at a place; what is not on the way is shared."""
    if not path:
        return value
    key, *rest = path
    copied = dict(document) if isinstance(document, dict) else list(document)
    copied[key] = replaced(document[key], tuple(rest), value)
    return copied


# -- ways to damage --------------------------------------------------------------------------------


def hostile_value(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    return json.dumps(replaced(document, path, rng.choice(HOSTILE)))


def near_value(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    """Another number nearby, another sign, another type."""
    value = at(document, path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        value = len(value) if isinstance(value, str | list | dict) else 0
    near = rng.choice([value + 1, value - 1, -value, value * 2, float(value), str(value), [value]])
    return json.dumps(replaced(document, path, near))


def elsewhere(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    """A value of another place of the same document."""
    return json.dumps(
        replaced(document, path, at(document, rng.choice(list(places(document))[1:])))
    )


def removed(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    if not path:
        return "{}"
    inside = at(document, path[:-1])
    if isinstance(inside, dict):
        rest: Any = {key: value for key, value in inside.items() if key != path[-1]}
    else:
        rest = inside[: path[-1]] + inside[path[-1] + 1 :]
    return json.dumps(replaced(document, path[:-1], rest))


def added(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    """One item or key too many."""
    value = at(document, path)
    if isinstance(value, dict):
        more: Any = {**value, rng.choice(["more", "", "kind", "params", "\0"]): 0}
    elif isinstance(value, list):
        more = [*value, rng.choice([*value, None, 0])]
    else:
        more = [value, value]
    return json.dumps(replaced(document, path, more))


def raw_text(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    marked = json.dumps(replaced(document, path, MARK))
    return marked.replace(f'"{MARK}"', rng.choice(RAW), 1)


def doubled_key(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    """A key of an object stands twice."""
    keys = [p for p in places(document) if p and isinstance(p[-1], str)]
    path = rng.choice(keys)
    value = json.dumps(at(document, path))
    marked = json.dumps(replaced(document, path, MARK))
    return marked.replace(f'"{MARK}"', f"{value}, {json.dumps(path[-1])}: {value}", 1)


def cut(document: Any, path: tuple[Any, ...], rng: random.Random) -> str:
    text = json.dumps(document)
    first, last = sorted(rng.randrange(len(text)) for _ in range(2))
    return rng.choice([text[:first], text[last:], text[:first] + text[last:], text * 2])


DAMAGES: tuple[Callable[[Any, tuple[Any, ...], random.Random], str], ...] = (
    *(hostile_value, hostile_value, hostile_value, near_value, near_value, elsewhere, removed),
    *(added, raw_text, doubled_key, cut),
)


# -- what must hold --------------------------------------------------------------------------------


def inputs(document: Any) -> Any:
    """Rows for a model, from what its document says about features."""
    features, rng = document["features"], np.random.default_rng(1)
    columns: list[Any] = []
    for known in features["categories"]:
        if known is None:
            column = rng.normal(size=6)
            column[0] = math.nan
            columns.append(column)
        else:
            some = (known["values"] * 6)[:5] if known["values"] else ["none"] * 5
            columns.append(pd.Categorical([*some, None]))
    if not features["had_names"]:
        return np.random.default_rng(1).normal(size=(6, len(columns)))
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = features["names"]
    return frame


def refusal(message: str, path: Path) -> str:
    """Check that a refusal says which file it is about, and not too much."""
    assert message.startswith(str(path)), f"does not name the file: {message}"
    assert len(message) < 5000, "a message too long to read"
    return "refused"


def attempt(content: bytes, path: Path) -> str:
    """Load and predict: refused as a bad file, or a model that answers."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = marginboost.load(path)
        except ModelFileError as error:
            return refusal(str(error), path)
        X = inputs(json.loads(gzip.decompress(content) if content[:1] == b"\x1f" else content))
        answers = model.predict(X)
        assert len(answers) == 6
        if hasattr(model, "predict_proba"):
            shares = model.predict_proba(X)
            assert np.isfinite(shares).all()
        if hasattr(model, "classes_"):
            assert set(answers.tolist()) <= set(model.classes_.tolist())
        else:
            assert np.isfinite(answers).all()
        json.dumps(document_of(model), allow_nan=False)
    return "sound"


def cases(numbers: Iterable[int], seed: int, warmed_up: Callable[[], None]) -> Iterator[Case]:
    """Damaged files of all sorts in turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        known = [(name, document, list(places(document))) for name, document in seeds()]
        for name, document, _ in known:  # kernels are compiled here
            assert attempt(json.dumps(document).encode(), path) == "sound", name
        warmed_up()
        for number in numbers:
            rng = random.Random(f"{seed}/{number}")
            name, document, where = known[number % len(known)]
            place, damage = rng.choice(where), rng.choice(DAMAGES)
            text = damage(document, place, rng).encode("utf-8", "surrogatepass")
            content = gzip.compress(text) if rng.random() < 0.05 else text
            dotted = ".".join(map(str, place))
            label = f"{name} {damage.__name__} at {dotted or 'root'}"
            yield number, label, lambda content=content: attempt(content, path)
