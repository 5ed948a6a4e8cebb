"""Every experiment in its tiny size: its findings hold, its tables and its figure can be made."""

import re
from pathlib import Path

import pytest

import marginboost_experiments as experiments
from marginboost_experiments.runner import about

SLOW = {
    "audit-calibration",
    "barnes-beside",
    "barnes-curves",
    "barnes-real",
    "barnes-survivors",
    "book-benchmarks",
    "chan-filters",
    "chan-wisconsin",
    "label-noise",
    "leveraging-rates",
    "multiclass-tables",
    "ratsch-bregman",
    "ratsch-drug",
    "ratsch-mackey-glass",
    "ratsch-margin-steps",
    "ratsch-marginal",
    "ratsch-nu-noise",
    "ratsch-nu-property",
    "ratsch-outliers",
    "ratsch-overfitting",
    "ratsch-power",
    "ratsch-santa-fe",
    "ratsch-selection",
    "ratsch-sinc",
    "ratsch-table-4-1",
    "ring",
}
"""Over a second or so, or tested in files of their own; run with all checks."""
ABOUT_REAL_DATA = {"label-noise", "ratsch-table-4-1"}
"""Findings on ten real sets, which one small stand-in need not bear out: see test_ida.py."""
CATALOGUE = Path(__file__).parents[2] / "docs" / "catalogue"


def cases():
    marks = {name: [pytest.mark.slow] if name in SLOW else [] for name in experiments.names()}
    return [pytest.param(name, marks=mark, id=name) for name, mark in marks.items()]


@pytest.mark.parametrize("name", cases())
def test_findings_hold_in_small(name, tiny):
    outcome = tiny(name)
    assert outcome.findings
    if name not in ABOUT_REAL_DATA:
        assert not [str(finding) for finding in outcome.findings if not finding.holds]
    for table in outcome.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns) + 1}
    figure = outcome.figure()
    if figure is not None:
        figure.canvas.draw()
        assert any(ax.has_data() for ax in figure.axes)


@pytest.mark.parametrize("name", experiments.names())
def test_experiments_say_what_they_are(name):
    title, _, rest = about(name).partition("\n")
    assert len(title) <= 100
    assert len(rest) > 150  # what the source did, what is unknown and how that is filled in
    experiment = experiments.find(name)
    assert {"tiny", "quick", "full"} == set(experiment.sizes)
    rows = "".join(page.read_text() for page in CATALOGUE.glob("*.md"))
    assert not [key for key in experiment.catalogue if not re.search(rf"\| {key}[a-z-]* ", rows)]


def test_every_experiment_of_the_catalogue_has_a_command_or_a_reason():
    rows = "".join(page.read_text() for page in CATALOGUE.glob("*.md"))
    ids = re.findall(r"^\| (\w\w-E\d+)([a-z-]*) ", rows, re.MULTILINE)
    claimed = {key for name in experiments.names() for key in experiments.find(name).catalogue}
    without = {
        number + part
        for number, part in ids
        if number not in claimed and number + part not in claimed
    }
    assert len(ids) > 80
    assert without <= experiments.WITHOUT_COMMAND.keys() <= {number + part for number, part in ids}
