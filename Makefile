# Everything runs in a virtual environment of its own; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKERS ?= 2
# Test workers and the programs that tests start share what is compiled once.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test check bench docs catalogue format clean

demo: $(VENV)/.demo  ## fit, certify and picture the embedded data set
	$(BIN)/python -m marginboost.demo

# Workers have a core each: more threads of linear algebra would be in each other's way. The tests of a
# file go to one of them: what its fixtures fit, and what its kernels are compiled to, is made once.
test: export OPENBLAS_NUM_THREADS ?= 1
test: $(VENV)/.test  ## all tests and doctests; says what it skips and why
	$(BIN)/python tools/precompile.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -rs

check: $(VENV)/.check  ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench  ## speed and memory beside the peers, as ratios
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs  ## the site, in docs/_build/html; every example of the gallery runs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

catalogue:  ## how much of each source is implemented, and shown by a test
	$(PYTHON) tools/catalogue.py

format: $(VENV)/.check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("marginboost needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extras: a set is installed once, with the experiments, and again when a
# pyproject.toml changes.
$(VENV)/.demo $(VENV)/.test $(VENV)/.check $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(BIN)/python pyproject.toml experiments/pyproject.toml
	$(PIP) -e ".[$*]" -e ./experiments
	touch $@

clean:
	rm -rf $(VENV) build dist demo-output
