"""A way to run commands, a table and a model to run them on."""

import json

import pytest
from cli_tables import QUICK, ROLES, toy_rows, write_rows

from marginboost.cli.main import main


class Result:
    """How a command ended: exit code, output, errors."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = int(code), out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run(capfdbinary):
    """Run a command line in this process."""

    def run(*arguments):
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = (stream.decode() for stream in capfdbinary.readouterr())
        return Result(code, out, err)

    return run


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
