"""A table and a model to run commands on."""

import pytest
from cli_tables import QUICK, ROLES, toy_rows, write_rows


@pytest.fixture
def table(tmp_path):
    """A CSV file for fits."""
    return write_rows(tmp_path / "table.csv", *toy_rows())


@pytest.fixture
def model_file(table, run, tmp_path):
    """A model of that table."""
    path = tmp_path / "model.json"
    assert run("fit", table, *ROLES, *QUICK, "--out", path).code == 0
    return path
