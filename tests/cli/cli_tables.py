"""Small tables for the tests of the command line."""

import csv

import numpy as np

from marginboost.cli.dialect import Dialect
from marginboost.cli.reading import read_file

ROLES = ("--label", "answer", "--id", "name", "--drop", "weight")
QUICK = ("--algorithm", "adaboost", "--rounds", "20")


def toy_rows(n=80, seed=0):
    """Header and rows: a number, a number with gaps, a category, a label, a name, a weight."""
    rng = np.random.default_rng(seed)
    header = ["name", "size", "dose", "kind", "weight", "answer"]
    rows = []
    for i in range(n):
        size, kind = round(float(rng.normal()), 3), rng.choice(["red", "green", "blue"])
        dose = "" if i % 9 == 4 else int(rng.integers(10))
        score = size + 1.5 * (kind == "red") + rng.normal() * 0.5
        label = "sick" if score > 0.5 else "well"
        rows.append([f"p{i}", size, dose, str(kind), 1 + i % 3, label])
    return header, rows


def write_rows(path, header, rows, **settings):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", **settings)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def read(tmp_path, text, **dialect):
    """Table of a text."""
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return read_file(str(path), Dialect(**dialect))
