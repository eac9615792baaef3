# Two commands are all that a new user needs: `make run` and `make test`.
# Each makes .venv when it is missing, and brings it up to date when pyproject.toml has changed.

# Another environment beside it: make test VENV=.venv-3.13 PYTHON3=python3.13
VENV := .venv
PYTHON3 ?=
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check
INSTALL = $(PIP) install $(1) --editable . || { $(PYTHON) scripts/compile_core.py --advise; exit 1; }
# Each test worker is a process of its own: linear algebra with threads in each would fight over the cores.
# What Python and pytest compile of their modules is kept, for the processes that tests start and for the next run.
TEST_ENV := QT_QPA_PLATFORM=offscreen PCAIMAGE_LANGUAGE=en OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PYTEST = $(TEST_ENV) $(PYTHON) -m pytest -p no:benchmark -n $(WORKERS) --maxprocesses 8 --dist worksteal
COVERAGE := $(PYTHON) -m coverage report --skip-covered --show-missing
# Python's own monitoring, since 3.12, makes tests hardly slower; tracing takes half as long again.
COVERAGE_CORE = $(shell $(PYTHON) -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")')
WORKERS ?= auto
ARGS ?=
FILES ?=
IMAGE ?=
PLATFORMS ?=
PREFIX ?= /usr/local
TESTED ?= test
MINUTES ?= 10

.DEFAULT_GOAL := help
# Two of pip at once would be in each other's way.
.NOTPARALLEL:
.PHONY: languages site dist docs lib install-lib plugins web viewer pages platforms debian fresh help run test thorough coverage covered ready core lint structure bench sanitize fuzz wheels desktop clean

help: ## say what there is
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

run: core ## start the application (FILES="a.png b.pcai" opens files)
	@$(PYTHON) scripts/check_qt.py --window
	@$(PYTHON) -m pcaimage gui $(FILES)

test: ready ## run the tests (ARGS="-k name" chooses)
	$(PYTEST) -m "not slow" $(ARGS)

thorough: ready ## run all tests, those too that take long and seldom fail
	$(PYTEST) $(ARGS)

coverage: ready ## run all tests, and check how much of the code they run
	COVERAGE_CORE=$(COVERAGE_CORE) $(PYTEST) --cov --cov-report= $(ARGS)
	@$(MAKE) --no-print-directory covered

covered: $(VENV)/test.stamp
	@echo && $(COVERAGE) --omit='pcaimage/gui/*' --fail-under=95
	@echo && $(COVERAGE) --include='pcaimage/gui/*' --fail-under=85

ready: $(VENV)/test.stamp core
	@$(PYTHON) scripts/check_qt.py

# Compiled before the first install, as pip would not show how far it is; here when sources have changed since.
core: $(VENV)/run.stamp
	@$(PYTHON) scripts/compile_core.py --fetch
	@$(PYTHON) scripts/compile_languages.py

lib: ready ## make libpcai, the decoder for other programs, and the command pcai, in build/lib/
	@$(PYTHON) scripts/make_lib.py

install-lib: ready ## make them and install them (PREFIX=/usr/local)
	@$(PYTHON) scripts/make_lib.py --prefix "$(PREFIX)"

lint: $(VENV)/lint.stamp ## check style, types and the import contracts
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy
	$(VENV)/bin/lint-imports

structure: $(VENV)/test.stamp core ## measure size, imports and layers of the code, and check their limits
	@$(PYTHON) scripts/check_qt.py
	@$(PYTHON) scripts/measure_structure.py $(ARGS)

bench: $(VENV)/test.stamp core ## measure speed and memory (takes minutes; IMAGE="photo.jpg" chooses a photograph)
	@$(PYTHON) scripts/check_qt.py
	$(PYTHON) -m benchmarks.foundation $(if $(IMAGE),--image "$(IMAGE)")
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.window $(if $(IMAGE),--image "$(IMAGE)")
	$(PYTHON) -m pytest benchmarks -n 0 --benchmark-only --benchmark-max-time=0.3 --benchmark-min-rounds=3 \
		--benchmark-columns=min,median,max,rounds --benchmark-sort=name $(ARGS)

languages: ready ## renew the catalogues of translations, in resources/locale/ (ARGS=--check says what they lack)
	@$(PYTHON) scripts/make_languages.py $(ARGS)

desktop: core ## add the application to this user's desktop menu (Linux)
	@$(VENV)/bin/pcaimage desktop --install

sanitize: ready ## run the core under sanitizers of addresses, undefined behaviour and threads (ARGS="--mutations 1000" for fewer)
	@$(PYTHON) scripts/sanitize.py $(ARGS)

fuzz: ready ## open damaged files for MINUTES=10, by the library and by Python, and keep those that crash, hang or take too much memory
	@$(PYTHON) scripts/fuzz.py --minutes $(MINUTES) $(ARGS)

# What compiles for other platforms is kept apart from what tests and runs.
wheels: $(VENV)-wheels/stamp ## make and check wheels for all platforms, in dist/ (PLATFORMS="linux-x86_64" chooses)
	@$(VENV)-wheels/bin/python scripts/make_wheels.py $(PLATFORMS)

web: $(VENV)-wheels/stamp ## make the decoder for web pages, in resources/web/, and have it decode golden files in node
	@$(VENV)-wheels/bin/python scripts/make_web.py

plugins: ready ## make plug-ins by which other programs open .pcai files (ARGS="--install" for all users)
	@$(PYTHON) scripts/make_plugins.py $(ARGS)

viewer: ready ## make the viewer, docs/viewer/index.html, and a script for any page, build/npm/, of what `make web` made
	@$(PYTHON) scripts/make_viewer.py

pages: ready ## try web pages in Chromium and Firefox, of what `make web` made
	@$(PYTHON) scripts/try_pages.py

platforms: $(VENV)-wheels/stamp ## run the command pcai on other systems, by Wine and QEMU (PLATFORMS="linux-s390x" chooses)
	@$(VENV)-wheels/bin/python scripts/try_platforms.py $(PLATFORMS)

debian: ready ## install the program for a user of a clean Debian, and have a file's thumbnail made, converted and opened (root, debootstrap)
	@$(PYTHON) scripts/try_debian.py $(ARGS)

site: web viewer $(VENV)-docs/stamp ## make the site of docs/, with the viewer and a picture live, in build/site/
	@NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --strict --quiet

dist: ready web ## make what is released, in dist/: archives that are the same bytes twice, notes, SBOM, a folder with Python, a Debian package, checksums (ARGS=try: install that in a clean Debian)
	@$(PYTHON) scripts/make_dist.py $(ARGS)

docs: ready ## check links, figures and spelled commands of the documentation, and run the commands (ARGS=--unstored lists figures without a stored result)
	@$(PYTHON) scripts/check_docs.py $(if $(ARGS),$(ARGS),--run)

fresh: lib ## compare pcai, Python, node and the tests' reference decoders on 500 fresh files, of what `make web` made (ARGS="--files 100")
	@$(PYTHON) scripts/try_fresh_files.py $(ARGS)

clean: ## remove everything that these commands made, .venv too
	rm -rf $(VENV) $(VENV)-wheels $(VENV)-docs build dist htmlcov .coverage .coverage.* .benchmarks .hypothesis
	rm -f pcaimage/core/core.so pcaimage/core/core.dll pcaimage/core/core.dylib
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say when the environment was last brought up to date, and for what.
$(VENV)/bin/python:
	@scripts/make_venv.sh "$(VENV)" $(PYTHON3)

# An environment that `python -m venv` made has the pip of its Python, which may know no groups of dependencies.
$(VENV)/pip.stamp: | $(VENV)/bin/python
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m ensurepip >/dev/null
	@$(PIP) install --quiet "pip>=25.1"
	@touch $@

$(VENV)/run.stamp: pyproject.toml scripts/make_venv.sh hatch_build.py | $(VENV)/pip.stamp
	@echo "Installing pcaimage and the libraries it stands on into $(VENV)"
	@$(PYTHON) scripts/compile_core.py --fetch
	@$(call INSTALL)
	@$(PYTHON) -m compileall -qq pcaimage || true
	@touch $@

# The core is compiled beside what pip does with one processor; where that works, building the package needs nothing
# that its tests do not. What libraries have is compiled beside it, too, but for what no test loads: pip would take
# twice as long, and test workers each do it again.
COMPILE = $(PYTHON) -m compileall -qq $(1) \
	-x '/(tests|coverage|imageio|narwhals|networkx|pygments/lexers|pip|setuptools|pkg_resources|distutils)/' $(VENV)/lib
$(VENV)/test.stamp: pyproject.toml scripts/make_venv.sh hatch_build.py | $(VENV)/pip.stamp
	@echo "Installing pcaimage, the libraries it stands on and those of its tests into $(VENV)"
	@$(PYTHON) scripts/compile_core.py >/dev/null 2>&1 & \
		$(PIP) install --no-compile --group $(TESTED); status=$$?; wait; exit $$status
	@$(COMPILE) & \
		$(call INSTALL,--no-compile $$($(PYTHON) scripts/compile_core.py >/dev/null 2>&1 && echo --no-build-isolation)); wait
	@$(call COMPILE,-j 0) pcaimage || true
	@touch $(VENV)/run.stamp $@

$(VENV)/lint.stamp: $(VENV)/test.stamp
	@$(PIP) install --group lint
	@touch $@

$(VENV)-docs/stamp: pyproject.toml
	@scripts/make_venv.sh "$(VENV)-docs" $(PYTHON3)
	@$(VENV)-docs/bin/python -m pip --disable-pip-version-check install --quiet --group docs
	@touch $@

$(VENV)-wheels/stamp: pyproject.toml
	@scripts/make_venv.sh "$(VENV)-wheels" $(PYTHON3)
	@$(VENV)-wheels/bin/python -m pip --disable-pip-version-check install --group wheels
	@touch $@
