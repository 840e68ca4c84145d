# `make test` and `make demo` each set up a private environment first, on any machine that has
# Python 3.11 or newer, gcc and make.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
BIN := .venv/bin
READY := .venv/.ready

.PHONY: test beside demo lint check browser pure site docs oldest setup bench damage clean

# What is quick goes on beside the tests and is told as one at its end; what fails lets the others go on.
test:
	@$(MAKE) --no-print-directory --jobs=2 $(READY) browser
	@$(MAKE) --no-print-directory --keep-going --jobs=2 check beside

beside: $(READY)
	@$(MAKE) --no-print-directory --keep-going lint site pure > .venv/beside.txt 2>&1 \
	&& cat .venv/beside.txt \
	|| { cat .venv/beside.txt; echo "make: see above why lint, site or pure failed, not the tests"; exit 1; }

# Nothing is compiled to bytecode but what is imported: nine tenths of it never are.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer with venv is needed"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(INSTALL) --upgrade pip
	$(BIN)/python $(INSTALL) -e '.[dev]'
	@touch $@

setup: $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation site in site/; strict: a dead link or a name without its object ends it.
site: export NO_MKDOCS_2_WARNING = 1
site: $(READY)
	$(BIN)/mkdocs build --strict --quiet

# To read it, at the address that it prints; pages change as their files do.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(READY)
	$(BIN)/mkdocs serve --strict

# A file is one worker's, in the order that tests/conftest.py gives: a kernel is compiled by one of them.
SPREAD := -n auto --dist loadfile --no-loadscope-reorder
check: $(READY) browser
	$(BIN)/python -m pytest $(SPREAD)

# Chromium for the tests of the studio, where it may be installed; else they say why they are left out.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || { \
	[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	|| echo "make: no Chromium, so the tests of the studio's pages are left out"

# A short part again as plain Python, which shows what compiled code would hide.
pure: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m pure $$(grep -rl --include='test_*.py' 'mark\.pure' tests)

# With the oldest versions that pyproject.toml allows, in an environment of their own; TESTS=tests/cli
# for a part.
OLDEST := .venv-oldest
TESTS ?= tests
$(OLDEST)/.ready: pyproject.toml tests/oldest.py
	@test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python tests/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python $(INSTALL) --upgrade pip
	$(OLDEST)/bin/python $(INSTALL) -r $(OLDEST)/oldest.txt -e .
	@touch $@

oldest: $(OLDEST)/.ready browser
	$(OLDEST)/bin/python -m pytest $(SPREAD) $(TESTS)

demo: $(READY)
	$(BIN)/counterfold demo

bench: $(READY)
	$(BIN)/counterfold bench methods

# Good files of every kind, damaged COUNT times; ONLY=17 tries one of them again.
COUNT ?= 5000
SEED ?= 0
damage: $(READY)
	$(BIN)/python -m tests.damage --count $(COUNT) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

clean:
	rm -rf .venv $(OLDEST) site .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
