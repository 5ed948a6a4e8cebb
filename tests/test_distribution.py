"""What is installed: the library's wheel is small and has no experiments in it."""

import tomllib
import zipfile
from pathlib import Path

import pytest

import marginboost

ROOT = Path(__file__).parents[1]
MOST = 1_200_000
"""Bytes of a wheel."""


@pytest.fixture
def wheel(tmp_path):
    """The files of the package, packed as a wheel packs them; only the metadata are missing."""
    package = Path(marginboost.__file__).parent
    files = [path for path in sorted(package.rglob("*")) if path.is_file()]
    path = tmp_path / "marginboost.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            if "__pycache__" not in file.parts:
                packed.write(file, file.relative_to(package.parent))
    return path


def test_the_wheel_is_small(wheel):
    metadata = 30_000  # its list of files, licence and description
    assert wheel.stat().st_size + metadata <= MOST


def test_the_library_imports_no_experiments(wheel):
    with zipfile.ZipFile(wheel) as packed:
        sources = [name for name in packed.namelist() if name.endswith(".py")]
        assert len(sources) > 300
        assert not [name for name in sources if b"marginboost_experiments" in packed.read(name)]


def test_experiments_are_of_the_same_release():
    experiments = ROOT / "experiments" / "pyproject.toml"
    if not experiments.exists():
        pytest.skip("the experiments are not part of this distribution")
    project = tomllib.loads(experiments.read_text())["project"]
    assert project["version"] == marginboost.__version__
    assert project["dependencies"] == [f"marginboost=={marginboost.__version__}"]
