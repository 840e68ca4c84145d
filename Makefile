# `make test` and `make demo` each set up a private environment first, on any machine that has
# Python 3.11 or newer, gcc and make.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
BIN := .venv/bin
READY := .venv/.ready

.PHONY: test demo lint check pure setup bench clean

test: lint check pure

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer with venv is needed"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: $(READY)
	$(BIN)/python -m pytest -n auto

# A short part again as plain Python, which shows what compiled code would hide.
pure: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m pure

demo: $(READY)
	$(BIN)/counterfold demo

bench: $(READY)
	$(BIN)/counterfold bench methods

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
