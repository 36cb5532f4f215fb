# `make repro` and `make test` need Python 3.11 to 3.13, make and a package index; the rest they fetch.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_TO_TEST := $(VENV)/.ready-to-test
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# The stages call `python`: the one of this environment, activated or not.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help repro test lint format mutate clean

help:
	@echo "make repro   environment, whole pipeline, report (reports/index.html)"
	@echo "make repro PROFILE=mirror [MIRROR=folder or address]   all systems, more text, the papers' benchmarks"
	@echo "make test    environment, lint, types, tests"
	@echo "make lint    ruff and mypy alone"
	@echo "make mutate  change one thing in each function and see whether a test fails [SAMPLE=pattern of names]"
	@echo "make format  rewrite the code as ruff formats it"
	@echo "make clean   remove the environment and caches (data, models and reports stay)"

# The stamp is younger than what it was installed from, or the environment is made anew.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] <= (3, 13) else f"synsem needs Python 3.11 to 3.13, not {v[0]}.{v[1]}: call make PYTHON=python3.12")'
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable '.[pipeline]'
	@touch $@

$(READY_TO_TEST): $(READY)
	$(INSTALL) --editable '.[pipeline,dev]'
	@touch $@

# Beyond the starter profile all systems run; MIRROR is where the https sources are, for those who need one.
PROFILE ?= starter
MIRROR ?=
SYSTEMS ?= synsem,sscp,simcse,parabart,cssl,ebsim,upos
SETTINGS = --set-param download.profile=$(PROFILE) --set-param 'systems=[$(SYSTEMS)]' --set-param synsem.steps=30 \
	$(if $(MIRROR),--set-param download.mirror=$(MIRROR))

repro: $(READY)
	$(BIN)/dvc $(if $(filter starter,$(PROFILE)),repro,exp run $(SETTINGS))
	@echo "open reports/index.html"

test: $(READY_TO_TEST) lint
	$(BIN)/python -m pytest

lint: $(READY_TO_TEST)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY_TO_TEST)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Of every function its fifth mutant, where it has so many. A name is MODULE.x_FUNCTION__mutmut_NUMBER.
SAMPLE ?= *__mutmut_5

mutate: $(READY_TO_TEST)
	$(INSTALL) --editable '.[pipeline,dev,mutation]'
	OMP_NUM_THREADS=1 $(BIN)/mutmut run '$(SAMPLE)'

clean:
	rm -rf $(VENV) mutants .scratch .mypy_cache .ruff_cache .pytest_cache .hypothesis
