# beliefgraph: `make help` lists what can be made.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
export BELIEFGRAPH_HOME ?= $(HOME)/.beliefgraph
export DAGSTER_DISABLE_TELEMETRY := yes

.PHONY: help demo test test-servers exhaustive exhaustive-s3 lint bench clean lock
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## land real time-zone history, run the line, ask five questions
	@$(BIN)/beliefgraph demo

test: $(VENV)/.installed-dev ## every test, against a real Neo4j and real Iceberg tables
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-servers: $(VENV)/.installed-dev ## the graph on Neo4j 5.26 too, a change of version, the offline rebuild
	BELIEFGRAPH_TEST_NEO4J=2026.09 $(BIN)/python -m pytest tests/runs/test_rebuild.py
	BELIEFGRAPH_TEST_NEO4J=5.26 $(BIN)/python -m pytest tests/contracts/test_projection.py \
	  tests/contracts/test_fork.py tests/contracts/test_reads.py tests/contracts/test_repair.py \
	  tests/contracts/test_verbs.py tests/contracts/test_verify_last.py tests/golden/test_engines.py \
	  tests/runs/test_rebuild.py tests/runs/test_change_of_version.py

exhaustive: $(VENV)/.installed-dev ## every golden boundary, all data, 2,000 random ledgers (long)
	BELIEFGRAPH_ALL=1 BELIEFGRAPH_LEDGERS=$${BELIEFGRAPH_LEDGERS:-2000} \
	  $(BIN)/python -m pytest tests/golden tests/model/test_mutants.py tests/system --timeout 7200

exhaustive-s3: $(VENV)/.installed-dev ## every truth question and every promise of the ledger, lake on S3 (long)
	BELIEFGRAPH_ALL=1 BELIEFGRAPH_TEST_STORE=s3 \
	  $(BIN)/python -m pytest tests/contracts/test_ledger.py tests/contracts/test_stores.py \
	  tests/system --timeout 7200

lint: $(VENV)/.installed-dev ## format, lint, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.installed-dev ## measure speed and size; prints tables
	$(BIN)/python -m tests.benchmarks

clean: ## stop the local stack, remove .venv and caches; BELIEFGRAPH_HOME stays
	@if [ -x $(BIN)/beliefgraph ]; then $(BIN)/beliefgraph down; fi
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info

lock: ## pin the requirements anew (maintainers; needs uv)
	uv pip compile --universal --no-strip-extras --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --python-version 3.11 pyproject.toml -o infra/requirements.lock
	uv pip compile --universal --no-strip-extras --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --python-version 3.11 --extra dev -c infra/requirements.lock pyproject.toml \
	  -o infra/requirements-dev.lock

# Build isolation would fetch setuptools past the lock, so the lock's own one builds us.
$(VENV)/.installed: infra/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "beliefgraph needs Python 3.11 or newer; run: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r infra/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed infra/requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r infra/requirements-dev.lock
	@touch $@
