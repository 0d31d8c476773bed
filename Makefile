# Needs make and a Python >= 3.11 with venv; everything else is installed into .venv from the locks in requirements/.
# Nothing is installed twice: a stamp in .venv remembers which lock it holds.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV   := .venv
BIN    := $(VENV)/bin
PY     := $(BIN)/python
RUN    := $(VENV)/.installed-run
DEV    := $(VENV)/.installed-dev
PIP    := $(PY) -m pip --disable-pip-version-check --no-input install --quiet --no-compile --require-hashes
PYTEST := $(PY) -m pytest -ra --durations=10 --durations-min=1
UV     := $(BIN)/uv --quiet pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
          --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# The first Python that is new enough and can make a venv. Set PYTHON to choose another.
FIND_PYTHON = for p in "$(PYTHON)" python3.13 python3.12 python3.11 python3 python; do \
	test -n "$$p" && "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$p" && break; done

.PHONY: help run test torture check fmt bench docs lock clean

help: ## Show this list
	@echo 'Baton: make TARGET'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUN) ## Start Baton with local chains on http://127.0.0.1:8080 (Ctrl-C stops)
	@$(PY) -m baton dev

test: $(DEV) ## Run every test; the repeated ones a few times
	$(PYTEST)

torture: $(DEV) ## Run the kill, crash and fuzz rounds at their full counts
	BATON_ROUNDS=full $(PYTEST) -m torture

check: $(DEV) ## Lint, formatting, types, layers, documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) tests/docs

fmt: $(DEV) ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV) ## Run the benchmarks and print their report
	$(PY) -m bench

docs: $(DEV) ## Write the generated pages of docs/ anew
	$(PY) -m docs.generate

lock: $(DEV) ## Write requirements/ anew from pyproject.toml (UPGRADE=1 takes newer versions)
	$(UV) pyproject.toml -o requirements/run.txt
	$(UV) pyproject.toml --extra dev -c requirements/run.txt -o requirements/dev.txt
	$(UV) requirements/node.in -o src/baton/devnet/node.txt

clean: ## Remove caches and fetched binaries (keeps .venv, and your data in .baton)
	rm -rf .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis bench/results
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# A venv without pip was left half-made by an interrupted start: it is made anew.
# The checkout is put on the path instead of being built: quick, and edits count at once.
define install
@$(PY) -m pip --version >/dev/null 2>&1 || { \
	found=$$($(FIND_PYTHON)); \
	test -n "$$found" || { \
		echo 'Baton needs Python 3.11 or newer with venv; none was found.' >&2; \
		echo 'Install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.13)' >&2; \
		echo 'or name it: make run PYTHON=/path/to/python3' >&2; exit 1; }; \
	echo "Making $(VENV) with $$found"; "$$found" -m venv --clear $(VENV); }
@echo 'Installing $< (once, about half a minute)'
@$(PIP) -r $<
@echo '$(CURDIR)/src' > "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/baton-checkout.pth"
@printf '#!/bin/sh\nexec "%s" -m baton "$$@"\n' '$(CURDIR)/$(PY)' > $(BIN)/baton && chmod +x $(BIN)/baton
endef

$(RUN): requirements/run.txt
	$(install)
	@touch $@

# The dev lock holds the run lock at the same versions.
$(DEV): requirements/dev.txt requirements/run.txt
	$(install)
	@touch $(RUN) $@
