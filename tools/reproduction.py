"""Put results of experiments on record, and write the pages of the site that show them.

    marginboost reproduce ID --out docs/results/reproduce
    python tools/reproduction.py            # packs ID.json, which is kept as ID.json.gz

A number on docs/reproduction.md is in one of these files; docs/datasets.md is made from the table
of data sets. Git has neither page: every build of the site writes both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from marginboost import datasets
from marginboost_experiments import WITHOUT_COMMAND, Trials
from marginboost_experiments.packed import read_json, write_json
from marginboost_experiments.runner import about, as_markdown, find, names

DOCS = Path(__file__).parents[1] / "docs"
RESULTS = DOCS / "results" / "reproduce"
PAGE, SETS = DOCS / "reproduction.md", DOCS / "datasets.md"

INTRODUCTION = """# Reproduction

Experiments of the literature, published beside measured. `make demo` installs the experiments
beside the library, as does `pip install ./experiments` in a checkout. A run of your own:

```
marginboost reproduce --list
marginboost reproduce ID --out FOLDER            # minutes
marginboost reproduce ID --full --out FOLDER     # the published number of trials
```

It leaves `ID.json`, `ID.md`, `ID.png` and `ID.trials.jsonl`, from which an interrupted run goes
on. *Within* means: at most two standard errors, of both means together, from what was published;
in brackets how many; where it is not, the text or a note below the table says why. Data sets that
do not come with the package are described in [datasets.md](datasets.md).

The last column is the processor time of `--full`: measured where the result below is of that size,
else (≈) estimated from the quick run, by how many trials more there are and how long each is.
"""
BUDGET = 2 * 2 * 3600.0
"""Seconds of processor time: two hours on two cores."""
LENGTHS = ("rounds", "long", "rows", "tested", "hypotheses", "steps", "folds", "shuffles", "ps")
"""Settings of a trial that its time grows with; a list counts by its length."""
DATA = """# Data sets

`marginboost.datasets.load(name)` looks in the folder that the environment variable
`MARGINBOOST_DATA` names, in the package and in scikit-learn, in the cache, and at OpenML, in this
order. What comes from OpenML is compared with the counts below and kept in the cache with a
checksum; which number a set has there was looked up in published lists, not by fetching each. A
file of your own is `NAME.npz` with arrays `X` and `y` (or `series` and `n_train`), and where you
have them `train_idx` and `test_idx` (one split per row), `classes`, `feature_names`,
`is_categorical`; a missing value is NaN, a category a number.

| name | | rows | features | classes | origin | licence | comes with |
|---|---|---|---|---|---|---|---|
"""


def record(folder: Path = RESULTS) -> list[Path]:
    """Pack the results that runs left in a folder; return the files that are kept."""
    found = sorted(folder.glob("*.json"))
    for file in found:
        write_json(file.with_suffix(".json.gz"), read_json(file))
        file.unlink()
    return [file.with_suffix(".json.gz") for file in found]


def results() -> list[dict[str, Any]]:
    """Results that are on record, in the order of the list of experiments."""
    files = [RESULTS / f"{name}.json.gz" for name in names()]
    return [read_json(file) for file in files if file.is_file()]


def reproduction() -> str:
    """Return the page of experiments."""
    found = results()
    header = "| experiment | | findings that hold | trials | size | `--full` |"
    lines = [INTRODUCTION, header, "|---|---|---|---|---|---|"]
    for data in found:
        holds = [finding["holds"] for finding in data["findings"]]
        title = data["about"].partition("\n")[0].rstrip(".")
        name = data["experiment"]
        held = f"{sum(holds)} of {len(holds)}"
        time = ("" if data["size"] == "full" else "≈\u00a0") + _time(full_seconds(data))
        cells = (f"[{name}](#{name})", title, held, str(data["trials"]), data["size"], time)
        lines.append(f"| {' | '.join(cells)} |")
    missing = sorted(set(names()) - {data["experiment"] for data in found})
    if missing:
        listed = ", ".join(f"`{name}` ({about(name).partition(chr(10))[0]})" for name in missing)
        lines += ["", f"Without a result on record: {listed}"]
    lines += ["", _within_budget(found), "", "Figures and experiments without a command:", ""]
    lines += [f"- {key}: {reason}" for key, reason in WITHOUT_COMMAND.items()]
    for data in found:
        name = data["experiment"]
        picture = RESULTS / f"{name}.png"
        lines += ["", f"## {name}", "", as_markdown(data, heading="**{}**")]
        if picture.is_file():
            title = data["about"].partition("\n")[0].rstrip(".")
            lines += ["", f"![{title}](results/reproduce/{name}.png)"]
    return "\n".join(lines) + "\n"


def full_seconds(data: dict[str, Any]) -> float:
    """Processor time of the full size: measured, or estimated from the quick one."""
    measured = float(data["cpu_seconds"])
    if data["size"] == "full":
        return measured
    experiment = find(data["experiment"])
    full = experiment.plan(Trials(), **experiment.sizes["full"])
    return measured * _work(full) / _work(experiment.plan(Trials(), **data["settings"]))


def _work(cases: Iterable[dict[str, Any]]) -> float:
    """Trials, each as often as it is long."""
    return sum(math.prod(_amount(case.get(name, 1)) for name in LENGTHS) for case in cases)


def _amount(value: Any) -> float:
    return float(len(value) if isinstance(value, list) else value)


def _time(seconds: float) -> str:
    for size, unit in ((3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.{int(seconds < 10 * size)}f}\u00a0{unit}"
    return f"{seconds:.0f}\u00a0s"


def _within_budget(found: list[dict[str, Any]]) -> str:
    """Which full runs end within the budget together, the quickest first, and which are there."""
    needed = sorted((full_seconds(data), data["experiment"], data["size"]) for data in found)
    total, fits = 0.0, []
    for seconds, name, size in needed:
        if total + seconds > BUDGET:
            break
        total += seconds
        fits.append((name, size))
    done = [name for name, size in fits if size == "full"]
    ahead = [name for name, size in fits if size != "full"]
    text = (
        f"The quickest {len(fits)} of {len(found)} take {_time(total)} of processor time together "
        f"at full size: two hours on two cores are enough. On record at full size are {len(done)} "
        f"of them: {', '.join(done)}."
    )
    return text + (f" At quick size still: {', '.join(ahead)}." if ahead else "")


def data_sets() -> str:
    """Return the page of data sets."""
    rows = []
    for name in datasets.known():
        source = datasets.provenance(name)
        classes = len(source.class_counts) or "–"
        way = source.comes_with or ("OpenML " + str(source.openml_id) if source.openml_id else "–")
        size = f"{source.rows} | {source.features} | {classes}"
        origin = f"{source.origin} | {source.licence} | {way}"
        rows.append(f"| `{name}` | {source.title} | {size} | {origin} |")
    return DATA + "\n".join(rows) + "\n"


def write_pages() -> None:
    """Write the pages of experiments and of data sets, where they have changed."""
    for page, text in {PAGE: reproduction(), SETS: data_sets()}.items():
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print("\n".join(f"on record: {file.relative_to(DOCS)}" for file in record()))
    write_pages()
