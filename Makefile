# Everything runs in .venv, which is made on first use and brought up to date when pyproject.toml or constraints.txt change.
# Needed on the machine: Python 3.11 or newer (another one: make PYTHON=python3.12 ...), pip, make.
PYTHON ?= python3
ARGS ?=
# One process for each core; what shares compiled code stays in one process, slow groups go first (tests/conftest.py).
WORKERS ?= --numprocesses auto --dist loadgroup --no-loadscope-reorder
VENV := .venv
IN_VENV := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help main test long quick lint docs benchmark clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo 'make main       run the main job'
	@echo 'make test       run the tests            (ARGS="-k restitution" selects)'
	@echo 'make long       run all tests, the long ones too'
	@echo 'make quick      run the tests that are not slow'
	@echo 'make lint       ruff, mypy, and which part may import which (import-linter)'
	@echo 'make docs       build the documentation, warnings are errors'
	@echo 'make benchmark  measure speed and accuracy'
	@echo 'make clean      remove .venv, caches and built documentation'

main: $(VENV)/.installed-base
	$(IN_VENV) -m experiments.main_job $(ARGS)

benchmark: $(VENV)/.installed-base
	$(IN_VENV) -m experiments.benchmarks $(ARGS)

test: $(VENV)/.installed-test
	$(IN_VENV) -m pytest $(WORKERS) $(ARGS)

long: $(VENV)/.installed-test
	$(IN_VENV) -m pytest $(WORKERS) --long $(ARGS)

quick: $(VENV)/.installed-test
	$(IN_VENV) -m pytest $(WORKERS) -m "not slow" $(ARGS)

lint: $(VENV)/.installed-lint
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .
	$(IN_VENV) -m mypy
	$(VENV)/bin/lint-imports --no-cache --no-logo

docs: $(VENV)/.installed-docs
	$(IN_VENV) -m sphinx --quiet --builder html --fresh-env --fail-on-warning --keep-going --nitpicky docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build build .pytest_cache .hypothesis .ruff_cache .mypy_cache *.egg-info

# The stamp .installed-EXTRA says that the package (editable) and the tools of that extra are there; `base` is the package alone.
# The build backend is installed first, with its constraint, so that the build uses it instead of fetching one of its own.
$(VENV)/.installed-%: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing jaxcontact ($*) into $(VENV): a download of up to 200 MB the first time, then seconds."
	@$(IN_VENV) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt setuptools
	@PYTHONWARNINGS='ignore:Editable installation' \
	    $(IN_VENV) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation \
	    --editable '.$(if $(filter base,$*),,[$*])'
	@touch $@

# Usable as it is (perhaps made by an editor), or made anew. Debian and Ubuntu split venv's installer of pip (ensurepip) off Python;
# the system's pip can then fill the environment.
$(VENV)/.created:
	@$(IN_VENV) -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' > /dev/null 2>&1 || { \
	    command -v '$(PYTHON)' > /dev/null || { \
	        echo "'$(PYTHON)' was not found. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; \
	        exit 1; }; \
	    '$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	        echo "'$(PYTHON)' is $$('$(PYTHON)' --version 2>&1), but jaxcontact needs Python 3.11 or newer." \
	             "Name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; \
	        exit 1; }; \
	    rm -rf $(VENV); \
	    '$(PYTHON)' -m venv $(VENV) > /dev/null 2>&1 \
	        || { rm -rf $(VENV); '$(PYTHON)' -m venv --without-pip $(VENV) \
	             && '$(PYTHON)' -m pip --quiet --disable-pip-version-check --python $(IN_VENV) install pip; } \
	        || { rm -rf $(VENV); \
	             echo "'$(PYTHON)' could not make a virtual environment (its own message is above)."; \
	             echo "On Debian or Ubuntu: sudo apt install python3-venv (python3.12-venv for python3.12, and so on). Then run make again."; \
	             exit 1; }; \
	}
	@touch $@
