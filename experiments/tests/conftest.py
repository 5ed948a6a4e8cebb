"""A folder of stand-ins for the data sets of an experiment."""

import pytest

import marginboost_experiments as experiments
from marginboost.datasets import DATA_VARIABLE
from stand_ins import write_stand_ins


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Run an experiment in its tiny size, on stand-ins."""

    def run(name, **settings):
        # Sets that come with the package are read as they are.
        needed = [
            data for data in experiments.find(name).data if data not in ("uci_sonar", "uci_wpbc")
        ]
        write_stand_ins(tmp_path, needed)
        monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
        return experiments.run(name, "tiny", **settings)

    return run
