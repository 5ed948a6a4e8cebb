"""The README says what the code does."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

from marginboost.demo import main
from marginboost.estimators.classifier import BaseMarginClassifier
from marginboost.estimators.labels import LabelClassifier
from marginboost.estimators.ranker import BaseRanker
from marginboost.estimators.regressor import BaseBoostRegressor

README = Path(__file__).parents[1] / "README.md"


def test_table_is_that_of_the_code():
    text = (README.parent / "docs" / "algorithms.md").read_text()
    registries = {
        **BaseMarginClassifier.__registry__,
        **LabelClassifier.__registry__,
        **BaseBoostRegressor.__registry__,
        **BaseRanker.__registry__,
    }
    for name, classifier in registries.items():
        if not classifier.__module__.startswith("marginboost."):
            continue  # made by a test
        facts = classifier.__summary__
        row = f"| `{name}` | {facts['problem']} | {facts['guarantee']} | {facts['reference']} |"
        assert row in text


def test_snippets_run(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(str(README), module_relative=False)
    assert tried >= 15
    assert failures == 0


@pytest.mark.slow
def test_a_bare_install_is_enough(tmp_path):
    """What the README shows needs nothing but ``pip install .``."""
    script = Path(__file__).with_name("bare_readme.py")
    done = subprocess.run(
        [sys.executable, str(script), "--hide-extras"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) >= 15


def test_demo_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    main([])
    printed = capsys.readouterr().out.replace(os.sep, "/")
    assert (tmp_path / "demo-output" / "margins.png").stat().st_size > 10_000
    assert (tmp_path / "demo-output" / "report.html").stat().st_size > 100_000
    shown = README.read_text().split("```text\n")[1].split("```")[0]
    assert printed.strip() == shown.strip()
