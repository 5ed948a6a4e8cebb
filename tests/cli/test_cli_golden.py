"""Commands say what they said when the record was written, number by number and word by word.

``python tests/cli/test_cli_golden.py`` writes the record anew, for a change that is meant. Times,
sizes of files and the release are not compared; numbers may differ by rounding.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cli_tables import QUICK, ROLES, toy_rows, write_rows

from marginboost.cli import compare
from marginboost.cli.commands import COMMANDS
from marginboost.cli.main import main, make_parser

RECORD = Path(__file__).with_name("golden_commands.json")
COLUMNS = ("--id", "name", "--drop", "weight")
TARGET = ("--target", "size", "--id", "name", "--drop", "answer")
STEPS = {
    "fit": ("fit", "t.csv", *ROLES, *QUICK, "--out", "m.json"),
    "fit as json": ("fit", "t.csv", *ROLES, *QUICK, "--out", "j.json", "--json"),
    "fit three classes": ("fit", "three.csv", *ROLES, *QUICK, "--out", "three.json"),
    "fit with a gap": (
        *("fit", "t.csv", "--label", "answer", "--id", "name", "--weight", "weight"),
        *("--nu", "0.4", "--out", "gap.json", "--folds", "0", "--tol", "0.001"),
    ),
    "fit trees": (
        *("fit", "t.csv", *ROLES, "--algorithm", "gradientboost", "--rounds", "5", "--depth", "2"),
        *("--out", "trees.json", "--folds", "3", "--seed", "1"),
    ),
    "fit targets": ("fit", "t.csv", *TARGET, "--rounds", "5", "--out", "number.json"),
    "fit with settings": (
        *("fit", "t.csv", *ROLES, *QUICK, "--param", "learning_rate=0.5", "--categorical", "dose"),
        *("--out", "set.json.gz", "--jobs", "1"),
    ),
    "fit robust": ("fit", "t.csv", *ROLES, "--out", "robust.json"),
    "predict": ("predict", "m.json", "t.csv", "--id", "name"),
    "predict three classes": ("predict", "three.json", "three.csv", "--id", "name"),
    "predict targets": ("predict", "number.json", "t.csv"),
    "predict to a file": ("predict", "m.json", "t.csv", "--out", "p.csv", "--label", "answer"),
    "predict to json": ("predict", "m.json", "t.csv", "--out", "p.tsv", "--json"),
    "evaluate": ("evaluate", "m.json", "t.csv", "--label", "answer", *COLUMNS),
    "evaluate as json": ("evaluate", "m.json", "t.csv", "--label", "answer", *COLUMNS, "--json"),
    "evaluate three classes": ("evaluate", "three.json", "three.csv", "--label", "answer"),
    "evaluate weighted": (
        *("evaluate", "m.json", "t.csv", "--label", "answer", "--weight", "weight", "--json"),
    ),
    "evaluate targets": ("evaluate", "number.json", "t.csv", "--target", "size"),
    "evaluate targets as json": ("evaluate", "number.json", "t.csv", "--target", "size", "--json"),
    "compare": (
        *("compare", "t.csv", *ROLES, "--algorithms", "adaboost,arc-gv:monotone=false"),
        *("--cv", "3", "--rounds", "6", "--repeats", "2"),
    ),
    "compare as json": (
        *("compare", "t.csv", *ROLES, "--algorithms", "adaboost,lpboost:nu=0.4", "--cv", "2"),
        *("--rounds", "6", "--json"),
    ),
    "compare targets": (
        *("compare", "t.csv", *TARGET, "--algorithms", "gradientboost,l2boost", "--cv", "2"),
        *("--rounds", "5", "--depth", "1"),
    ),
    "certify": (
        *("certify", "gap.json", "t.csv", "--label", "answer", "--id", "name"),
        *("--weight", "weight"),
    ),
    "certify as json": (
        *("certify", "gap.json", "t.csv", "--label", "answer", "--weight", "weight", "--json"),
    ),
    "certify other rows": ("certify", "gap.json", "t.csv", "--label", "answer", *COLUMNS),
    "info of a model": ("info", "m.json"),
    "info of a model as json": ("info", "m.json", "--json"),
    "info of a gap": ("info", "gap.json"),
    "info of three classes": ("info", "three.json"),
    "info of a target": ("info", "number.json"),
    "info of a robust model": ("info", "robust.json"),
    "info of data": ("info", "t.csv", "--label", "answer"),
    "info of data as json": ("info", "t.csv", "--json"),
    "info of an algorithm": ("info", "lpboost"),
    "info of algorithms": ("info",),
    "explain": ("explain", "m.json"),
    "explain as json": ("explain", "m.json", "--json"),
    "explain a feature": ("explain", "m.json", "--feature", "kind", "--feature", "size"),
    "explain a feature as json": ("explain", "m.json", "--feature", "dose", "--json"),
    "explain rows": ("explain", "m.json", "t.csv", "--row", "1", "--row", "3"),
    "explain rows by name": (
        *("explain", "m.json", "t.csv", "--id", "name", "--row", "p7", "--label", "answer"),
        "--json",
    ),
    "explain three classes": ("explain", "three.json"),
    "explain trees": ("explain", "trees.json", "t.csv", "--row", "2"),
    "explain trees as json": ("explain", "trees.json", "t.csv", "--row", "2", "--json"),
    "explain targets": ("explain", "number.json", "t.csv", "--row", "2"),
    "explain to a page": ("explain", "m.json", "t.csv", "--row", "2", "--out", "page.html"),
    "audit": ("audit", "noisy.csv", *ROLES, "--scores", "s.csv"),
    "audit as json": ("audit", "noisy.csv", *ROLES, "--json", "--fdr", "0.3", "--seed", "3"),
    "audit to a page": ("audit", "noisy.csv", *ROLES, "--out", "audit.html", "--cv", "3"),
    "audit targets": ("audit", "noisy.csv", *TARGET, "--cv", "3", "--scores", "n.tsv"),
    "audit targets as json": ("audit", "noisy.csv", *TARGET, "--json"),
    "clean": ("clean", "noisy.csv", *ROLES, "--out", "clean.csv"),
    "relabel": (
        *("clean", "noisy.csv", *ROLES, "--policy", "relabel", "--out", "relabel.csv", "--json"),
    ),
    "downweight": ("clean", "noisy.csv", *ROLES, "--policy", "downweight", "--out", "down.csv"),
    "clean targets": ("clean", "noisy.csv", *TARGET, "--out", "numbers.csv"),
    "no such column": ("fit", "t.csv", "--label", "size2", "--out", "x.json"),
    "no such file": ("fit", "u.csv", "--label", "size", "--out", "x.json"),
    "no such row": ("explain", "m.json", "t.csv", "--row", "500"),
    "no such feature": ("explain", "m.json", "--feature", "colour"),
    "no such algorithm": ("fit", "t.csv", *ROLES, "--algorithm", "adabost", "--out", "x.json"),
    "no such setting": ("fit", "t.csv", *ROLES, "--param", "nu2=1", "--out", "x.json"),
    "labels and targets": ("evaluate", "number.json", "t.csv", "--label", "answer"),
    "a model without a gap": ("certify", "trees.json", "t.csv", "--label", "answer"),
    "no rows": ("predict", "m.json", "empty.csv"),
}
"""Done in this order, in one folder."""
READ = {"predict to a file": "p.csv", "predict to json": "p.tsv", "audit": "s.csv"}
READ |= {
    "clean targets": "numbers.csv",
    "audit targets": "n.tsv",
    "clean": "clean.csv",
    "relabel": "relabel.csv",
    "downweight": "down.csv",
}
"""What some of them write."""
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
PASSING = [
    (re.compile(r"\d[\d.,]* ?(ms|s|min|seconds|bytes|kB|KB|MB)\b"), "SOME"),
    (re.compile(r'"(bytes|library|version)": [^,}\n]+'), '"PASSING"'),
    (re.compile(r'"seconds": [\d.e-]+'), '"PASSING"'),
    (re.compile(r"marginboost \d[\w.]*"), "marginboost"),
]
"""What differs from run to run."""


def write_tables(folder: Path) -> None:
    header, rows = toy_rows()
    write_rows(folder / "t.csv", header, rows)
    three = [[*row[:-1], "worse" if k % 5 == 0 else row[-1]] for k, row in enumerate(rows)]
    write_rows(folder / "three.csv", header, three)
    write_rows(folder / "empty.csv", header, [])
    header, rows = toy_rows(150, seed=5)
    for row in rows[::14]:
        row[-1] = "well" if row[-1] == "sick" else "sick"
        row[1] = row[1] + 20.0
    write_rows(folder / "noisy.csv", header, rows)


@contextmanager
def captured(folder: Path) -> Any:
    """Everything that goes to standard output and error, however it gets there."""
    streams, kept = (sys.stdout, sys.stderr), [os.dup(1), os.dup(2)]
    paths, before = (folder / "out.txt", folder / "err.txt"), Path.cwd()
    files = [open(path, "w", encoding="utf-8") for path in paths]  # noqa: SIM115
    for stream in streams:
        stream.flush()
    found: list[str] = []
    try:
        os.chdir(folder)
        for number, file in zip((1, 2), files, strict=True):
            os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = files
        yield found
    finally:
        for file, number, own in zip(files, (1, 2), kept, strict=True):
            file.close()
            os.dup2(own, number)
            os.close(own)
        sys.stdout, sys.stderr = streams
        os.chdir(before)
        found += [path.read_text(encoding="utf-8") for path in paths]


def passed_over(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER")
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def transcripts(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Exit codes and texts of all commands; every fit that is timed takes a second."""
    write_tables(folder)
    patch.setattr(compare, "time", SimpleNamespace(perf_counter=count().__next__))
    patch.setenv("COLUMNS", "100")
    found = {}
    for step, arguments in STEPS.items():
        with captured(folder) as texts:
            code = int(main(list(arguments)))
        if (folder / READ.get(step, "nothing")).exists():
            texts.append((folder / READ[step]).read_text())
        found[step] = [code, *(passed_over(text, folder) for text in texts)]
    return found


SHORTEST = {
    "fit": "t.csv --label y --out m.json",
    "predict": "m.json t.csv",
    "evaluate": "m.json t.csv --target y",
    "compare": "t.csv --label y",
    "certify": "m.json t.csv --label y",
    "info": "",
    "explain": "m.json",
    "audit": "t.csv --label y",
    "clean": "t.csv --target y --out c.csv",
    "warm-up": "",
}
LONGER = {
    "fit": "--id i --weight w --drop a --drop b --categorical c --algorithm x --folds 3 "
    "--checkpoint k --rounds 7 --depth 2 --seed 5 --jobs 3 --nu 0.3 --tol 0.1 --param a=1",
    "predict": "--id i --drop d --out o.csv --label y",
    "evaluate": "--weight w --id i --drop d --out o.html",
    "compare": "--id i --weight w --drop d --categorical c --algorithms a,b --cv 4 --repeats 3 "
    "--rounds 7 --depth 2 --seed 5 --jobs 3",
    "certify": "--weight w --id i --drop d --tol 0.1",
    "info": "t.csv --label y",
    "explain": "t.csv --feature f --feature g --row 1 --id i --label y --drop d --out o.html",
    "audit": "--id i --weight w --drop d --categorical c --out o --scores s --skip-unlabelled "
    "--fdr 0.1 --cv 4 --seed 3 --jobs 2 --serve --port 99 --no-browser --decisions e",
    "clean": "--id i --weight w --drop d --categorical c --policy relabel --decisions e "
    "--only-confirmed --skip-unlabelled --fdr 0.1 --cv 4 --seed 3 --jobs 2",
    "warm-up": "--json",
}
TEXT = (
    " --delimiter ; --encoding latin-1 --missing m --not-missing NA --no-header --decimal , --json"
)


def is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | list)


def readings() -> dict[str, Any]:
    """What command lines are read as: every option with its default, and given."""
    found = {}
    for command in sorted(SHORTEST):
        short = f"{command} {SHORTEST[command]}"
        text = TEXT if command != "warm-up" else ""
        for line in (short, f"{short} {LONGER[command]}{text}"):
            values = vars(make_parser().parse_args(line.split()))
            found[line] = {name: value for name, value in values.items() if is_plain(value)}
    return json.loads(json.dumps(found))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return transcripts(tmp_path_factory.mktemp("commands"), patch)


@pytest.mark.parametrize("step", STEPS)
def test_commands_answer_as_on_record(told, step):
    code, *texts = json.loads(RECORD.read_text(encoding="utf-8"))["transcripts"][step]
    assert told[step][0] == code
    for found, expected in zip(told[step][1:], texts, strict=True):
        assert NUMBER.sub("#", found) == NUMBER.sub("#", expected)
        numbers = [
            [float(n.replace(",", "").replace("−", "-")) for n in NUMBER.findall(text)]
            for text in (found, expected)
        ]
        np.testing.assert_allclose(*numbers, rtol=1e-3, atol=2e-3)


def test_command_lines_are_read_as_on_record():
    assert readings() == json.loads(RECORD.read_text(encoding="utf-8"))["readings"]
    assert set(SHORTEST) == set(COMMANDS)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patched:
        found = transcripts(Path(place).resolve(), patched)
        record = {"transcripts": found, "readings": readings()}
    text = json.dumps(record, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(STEPS)} commands written to {RECORD}\n")
