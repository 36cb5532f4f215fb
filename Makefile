# `make repro` and `make test` need Python 3.11 to 3.13, make and a package index; the rest they fetch.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_TO_TEST := $(VENV)/.ready-to-test
PIP := $(BIN)/python -m pip
QUIETLY := --quiet --disable-pip-version-check
# Everything but torch is a file whose sha256 is in requirements/, what builds too, or it is refused.
LOCKED := $(PIP) install $(QUIETLY) --no-build-isolation --require-hashes --no-deps
# uv is several times as fast; pip, which alone knows a site's pip.conf, takes over if uv fails.
UV_INSTALL := $(BIN)/uv pip install --quiet --no-build-isolation --python $(BIN)/python
FAST := $(UV_INSTALL) --require-hashes --no-deps
# The stages call `python`: the one of this environment, activated or not.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Every stage imports torch or spaCy: Python compiles them once, instead of for seconds in each stage.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help repro paper papers test tests lint style types format docs lock clean

help:
	@echo "make repro   environment, whole pipeline, report (reports/index.html)"
	@echo "make repro PROFILE=mirror [MIRROR=folder or address]   all systems, more text, the papers' benchmarks"
	@echo "make paper SYSTEM=sscp [SIZE=small] [MIRROR=...]   a paper's system as published (recipes/), or in few steps"
	@echo "make papers  the five papers' systems, small"
	@echo "make test    environment, lint, types, tests [PROCESSES=2]"
	@echo "make lint    ruff and mypy alone"
	@echo "make format  rewrite the code as ruff formats it"
	@echo "make docs    these pages as a site (.scratch/site/index.html)"
	@echo "make lock    write requirements/ again, after a change of pyproject.toml or requirements/constraints.txt"
	@echo "make clean   remove the environment and caches (data, models and reports stay)"

# The stamp is younger than what it was installed from, or the environment is made anew. Of torch, pip takes the build
# that this machine's index has; uv, which is faster, unpacks it.
$(READY): pyproject.toml requirements/constraints.txt requirements/build.txt requirements/pipeline.txt requirements/dev.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] <= (3, 13) else f"synsem needs Python 3.11 to 3.13, not {v[0]}.{v[1]}: call make PYTHON=python3.12")'
	rm -rf $(VENV)
	@echo "SynSem's own environment comes into $(VENV): some 160 packages, torch among them, in minutes; nothing is printed before it is done"
	$(PYTHON) -m venv $(VENV)
	$(LOCKED) --requirement requirements/build.txt
	$(FAST) --requirement requirements/pipeline.txt || $(LOCKED) --requirement requirements/pipeline.txt
	$(PIP) download $(QUIETLY) --no-deps --dest $(VENV)/wheels --constraint requirements/constraints.txt torch
	$(UV_INSTALL) --no-deps --no-cache --no-index --find-links $(VENV)/wheels --constraint requirements/constraints.txt torch
	rm -r $(VENV)/wheels
	$(UV_INSTALL) --no-deps --editable .
	@touch $@

$(READY_TO_TEST): $(READY)
	$(FAST) --requirement requirements/dev.txt || $(LOCKED) --requirement requirements/dev.txt
	@touch $@

# Beyond the starter profile all systems run; MIRROR is where the https sources are, for those who need one.
PROFILE ?= starter
MIRROR ?=
SYSTEMS ?= synsem,sscp,simcse,parabart,cssl,ebsim,upos
SETTINGS = --set-param download.profile=$(PROFILE) --set-param 'systems=[$(SYSTEMS)]' \
	$(if $(MIRROR),--set-param download.mirror=$(MIRROR))

repro: $(READY)
	$(BIN)/dvc $(if $(filter starter,$(PROFILE)),repro,exp run $(SETTINGS))
	@echo "open reports/index.html"

# A paper's system as published or, with SIZE=small, in few steps: recipes/*.yaml have the numbers, and name what is missing.
SIZE ?= paper
RECIPES := $(patsubst recipes/%.yaml,%,$(wildcard recipes/*.yaml))
OF_SIZE = $(if $(filter small,$(SIZE)),s/^small\.//,/^small\./d)
overrides = $(shell sed -n '$(OF_SIZE); s/^\([a-z_.]*\): *\([^ ]*\).*/-S ++\1=\2/p' recipes/$(SYSTEM).yaml)

# Some recipes need an optional parser, or word2vec. `dvc exp run -S` writes into params.yaml: it is put back, or the next
# recipe would start from this one's numbers.
paper: $(READY_TO_TEST)
	$(if $(filter $(SYSTEM),$(RECIPES)),,$(error SYSTEM=$(SYSTEM): no such recipe; choose from $(RECIPES)))
	$(if $(filter $(SIZE),paper small),,$(error SIZE=$(SIZE): choose paper or small))
	mkdir -p .scratch && cp params.yaml .scratch/
	trap 'cp .scratch/params.yaml . && git reset --quiet params.yaml' EXIT; trap 'exit 1' INT TERM; \
		$(BIN)/dvc exp run $(overrides) $(if $(MIRROR),-S download.mirror=$(MIRROR))

papers:
	for system in $(RECIPES); do $(MAKE) --no-print-directory paper SYSTEM=$$system SIZE=small || exit 1; done

# Each process tests whole files, the long ones first (tests/conftest.py); a thread each, since more would wait for one another.
# Two on two cores: a third slows the others by as much as it does itself.
PROCESSES ?= 2

tests: $(READY_TO_TEST)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder

# Types are checked beside the tests, which leave a core idle where they wait.
test: style
	$(MAKE) --no-print-directory --jobs 2 types tests

lint: style types

style: $(READY_TO_TEST)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY_TO_TEST)
	$(BIN)/mypy
	MYPYPATH=benchmarks $(BIN)/mypy --explicit-package-bases benchmarks/*.py

format: $(READY_TO_TEST)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs:
	$(PYTHON) -m venv .scratch/docs
	.scratch/docs/bin/python -m pip install --quiet --require-hashes --no-deps --requirement requirements/docs.txt
	.scratch/docs/bin/sphinx-build -q -W -b html docs .scratch/site
	@echo "open .scratch/site/index.html"

# Each lock has what the ones before it have not: hashes of all files of a version, for every platform.
UV := .scratch/uv
COMPILE := $(UV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--constraint requirements/constraints.txt --override requirements/without-torch.txt --custom-compile-command "make lock"
BUT = $$(sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' $(patsubst %,requirements/%.txt,$(1)))

lock:
	$(PYTHON) -m venv --clear $(UV)
	$(UV)/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(COMPILE) requirements/build.in -o requirements/build.txt
	$(COMPILE) pyproject.toml requirements/needs-of-torch.in --extra pipeline \
		$(call BUT,build) -o requirements/pipeline.txt
	$(COMPILE) pyproject.toml --extra pipeline --extra dev $(call BUT,build pipeline) -o requirements/dev.txt
	$(COMPILE) requirements/docs.in -o requirements/docs.txt

clean:
	rm -rf $(VENV) .scratch .mypy_cache .ruff_cache .pytest_cache .hypothesis
