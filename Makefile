# Every target makes the virtual environment it needs and leaves it alone when nothing changed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/installed
SEED   ?= $(shell date +%s)
N      ?= 2000

# Tests and benchmarks start circ some thousand times: it must not be compiled anew each time.
unexport PYTHONDONTWRITEBYTECODE

# The idioms of interrupt code; the programs of Table 1 have their own table.
LARGE  := $(wildcard nesc_examples/secure_tos_base* nesc_examples/surge* nesc_examples/sense*)
IDIOMS := $(filter-out $(LARGE),$(sort $(wildcard nesc_examples/*.c)))

.PHONY: docs package vscode demo test check fuzz faults bench table1 bench-protocols clean tsan

demo: $(STAMP)
	$(BIN)/circ cfa nesc_examples/test_and_set.c
	$(BIN)/circ check nesc_examples/test_and_set.c --explain
	$(BIN)/circ check nesc_examples/test_and_set_no_atomic.c || test $$? -eq 1  # a race is found, as it should be
	$(BIN)/circ scan $(IDIOMS) --no-cache --timeout 20 || test $$? -eq 1  # the broken variants have races
	$(BIN)/python benchmarks/table1.py --demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

# What others install, built and used in clean environments; ONLY=oldest or ONLY=newest does one of the two.
package: $(STAMP)
	$(BIN)/python -m tests.support.package $(if $(ONLY),--only $(ONLY))

# The site of all pages, build/site/index.html.
docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# The extension for VS Code, editors/vscode/circ.vsix; needs npm.
vscode:
	cd editors/vscode && npm install --no-audit --no-fund && npm run package

fuzz: $(STAMP)
	$(BIN)/python -m tests.support.fuzz_main --seed $(SEED) --count $(N)

faults: $(STAMP)
	$(BIN)/python -m tests.faults --seed $(SEED)

tsan: $(STAMP)
	$(BIN)/python -m tests.support.tsan

bench: $(STAMP)
	$(BIN)/python benchmarks/load.py
	$(BIN)/python benchmarks/sizes.py
	$(BIN)/python benchmarks/sizes.py --reading
	$(BIN)/python benchmarks/edits.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/verify.py
	$(BIN)/python benchmarks/table1.py

table1: $(STAMP)
	$(BIN)/python benchmarks/table1.py --demo

bench-protocols: $(STAMP)
	$(BIN)/python benchmarks/protocols.py

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("circ needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
