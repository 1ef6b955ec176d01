# The two commands of a newcomer: `make demo` and `make test`. Both set up, configure and build first.

.PHONY: demo test test-all test-fast test-torch build build-bench deb static dist test-dist wheel test-wheel site python setup results bench bench-peer \
  bench-python learning-peer golden torch debug sanitize valgrind fuzz coverage tidy format check-format clean

demo:
	scripts/setup
	cmake --preset release -DFLARE_BUILD_TESTS=OFF -DFLARE_BUILD_BENCH=OFF
	cmake --build --preset release --target flare
	scripts/demo build/release/flare

test: build
	@[ -n "$$FLARE_PUBLISHED_DATA" ] || echo "FLARE_PUBLISHED_DATA is not set: the tests against the published data will be skipped"
	ctest --preset release -LE long; status=$$?; $(SAY_WITHOUT_PYTORCH); exit $$status

# Also those with the label long, which take more than five seconds each: before a release, and after
# a change of files, locks, workers, architectures or the site (CONTRIBUTING.md).
test-all: build
	ctest --preset release

# Those with this label (CONTRIBUTING.md).
test-fast: build
	ctest --preset release -L fast

# Those of the Python module that need PyTorch and what runs ONNX files, which others skip.
test-torch: build torch
	npm install --silent --no-audit --no-fund --prefix build/npm onnxruntime-web
	ctest --preset release -R '^python\.'

# Debian's Python, for which setup installs what the module needs.
PYTHON ?= /usr/bin/python3

# pytest passes a file of which it skips a part, and ctest says nothing of it.
SAY_WITHOUT_PYTORCH = $(PYTHON) -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' || \
  echo "NOT TESTED: PyTorch is not installed, and $$(grep -l 'importorskip("torch"' python/tests/*.py | wc -l) of" \
  "$$(ls python/tests/test_*.py | wc -l) Python test files were skipped in part or whole; make test-torch runs them"

build: setup
	cmake --preset release -DFLARE_BUILD_TESTS=ON -DFLARE_BUILD_BENCH=OFF -DFLARE_BUILD_PYTHON=ON \
	  -DPython3_EXECUTABLE=$(PYTHON)
	cmake --build --preset release

# Benchmarks, which tests do not wait for.
build-bench: build
	cmake --preset release -DFLARE_BUILD_BENCH=ON
	cmake --build --preset release

# Debian's package, build/deb/flare-languages_VERSION_ARCHITECTURE.deb.
deb:
	scripts/setup dpkg-dev file
	cmake --preset release -DFLARE_BUILD_TESTS=OFF -DFLARE_BUILD_BENCH=OFF
	cmake --build --preset release --target flare flare_written
	cpack --config build/release/CPackConfig.cmake -B build/deb

# The program and the Python module with everything inside them, for dist and wheel.
static:
	scripts/setup dpkg-dev bison flex perl xz-utils libblas-dev
	scripts/static-libraries build/static
	scripts/python-headers build/python-headers $(PYTHON_INCLUDES)
	cmake --preset release -B build/dist -DFLARE_STATIC=$(CURDIR)/build/static \
	  -DFLARE_PYTHON_HEADERS=$(CURDIR)/build/python-headers -DFLARE_BUILD_TESTS=OFF -DFLARE_BUILD_BENCH=OFF
	cmake --build build/dist --target flare flare_written flare_relink flare_modules

# One file that runs on any Linux of this processor, without root: dist/flare-VERSION-linux-MACHINE.tar.xz.
dist: static
	scripts/dist build/dist

# What make dist made, in a directory where nothing else is.
test-dist: build dist
	ctest --preset release -R '^Dist[.]'

# Wheels with the program and the module, for each Python that Debian has: dist/flare_languages-VERSION-….whl.
# PYTHON_INCLUDES names the headers of others, as /opt/python3.12/include/python3.12.
wheel: static
	scripts/wheel build/dist

# Each wheel in an empty environment of the release of Debian that has its Python, in a chroot.
test-wheel: wheel
	scripts/setup debootstrap
	scripts/try-wheel dist build/chroots

# The documentation as a site that can be searched, with a gallery of reports: build/site/index.html.
site:
	scripts/setup python3-sphinx python3-myst-parser python3-sphinx-copybutton furo git
	cmake --preset release -DFLARE_BUILD_TESTS=OFF -DFLARE_BUILD_BENCH=OFF
	cmake --build --preset release --target flare
	scripts/site build/release/flare build/site
	scripts/check-links build/site

# The module flarelang, in the tree: PYTHONPATH=build/release/python. `pip install .` installs it.
python:
	scripts/setup python3-dev python3-numpy pybind11-dev
	cmake --preset release -DFLARE_BUILD_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON)
	cmake --build --preset release --target _flarelang flare

setup:
	scripts/setup --tests

# Every table and figure of docs/background/results.md, results/*/README.md and the README, from results/*/records.
results:
	scripts/setup
	cmake --preset release -DFLARE_BUILD_TESTS=OFF -DFLARE_BUILD_BENCH=OFF
	cmake --build --preset release --target flare
	scripts/results build/release/flare

# Speed, each figure next to what the machine allows.
bench: build-bench
	build/release/bench/formal_bench
	build/release/bench/grammar_bench
	build/release/bench/data_bench
	build/release/bench/recipe_bench fresh
	build/release/bench/recipe_bench recipes

# Our engine compared with PyTorch's modules, on the same split, in one run.
bench-peer: build-bench torch
	@mkdir -p build/bench-data
	build/release/flare generate --out build/bench-data parity
	/usr/bin/python3 bench/peer/compare.py --flare-bench build/release/bench/nn_bench \
	  --data build/bench-data/parity --test-split build/bench-data/parity/datasets/test
	/usr/bin/python3 bench/peer/architectures.py --flare-bench build/release/bench/nn_bench \
	  --data build/bench-data/parity --test-split build/bench-data/parity/datasets/test

# The Python module compared with the program, in one run.
bench-python: build-bench
	PYTHONPATH=build/release/python $(PYTHON) bench/python_bench.py --flare build/release/flare \
	  --sample-bench build/release/bench/sample_bench

# Three epochs of ours and of PyTorch, from the same weights, on the same batches: they must agree.
learning-peer: build-bench torch
	@mkdir -p build/bench-data
	build/release/flare generate --out build/bench-data parity dyck-2-3
	/usr/bin/python3 bench/peer/learning.py --learning-trace build/release/bench/learning_trace \
	  --data build/bench-data/parity build/bench-data/dyck-2-3 --out build/learning

# The golden files that the tests compare our models with, made again by PyTorch.
golden: build torch
	cmake --build --preset release --target golden_inputs
	build/release/tools/golden_inputs build/golden
	for input in build/golden/*.safetensors; do \
	  /usr/bin/python3 tools/torch_golden.py $$input tests/golden/nn/$$(basename $$input) || exit 1; done
	/usr/bin/python3 tools/torch_optimizers.py tests/golden/optimizers

# PyTorch with both libraries that Debian offers for its matrix products, OpenBLAS and the reference
# BLAS. Node.js from elsewhere brings its own npm, which conflicts with the package of that name.
torch:
	scripts/setup --tests python3-torch python3-numpy python3-onnx libopenblas0-pthread libblas3 liblapack3 \
	  $$(command -v npm >/dev/null || echo npm)

debug: setup
	cmake --preset debug
	cmake --build --preset debug
	ctest --preset debug

# The whole suite under the address and undefined-behaviour sanitizers, then what involves threads
# under the thread sanitizer.
sanitize: setup
	for preset in asan-ubsan tsan; do \
	  cmake --preset $$preset && cmake --build --preset $$preset && ctest --preset $$preset || exit 1; done

# Training steps of every architecture under memcheck.
valgrind:
	scripts/setup --tests valgrind
	cmake --preset release
	cmake --build --preset release --target flare
	scripts/valgrind build/release/flare

# Made-up bytes for every reader of foreign ones, this many seconds each. What `make test` replays is
# in fuzz/.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= regex att symbols dataset json toml tensors run

fuzz:
	scripts/setup --tests clang libclang-rt-14-dev llvm
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers
	for target in $(FUZZ_TARGETS); do scripts/fuzz $$target $(FUZZ_SECONDS) || exit 1; done

# Which lines of src/ the tests run, except in processes that do not end by exit(). Tests that limit
# the size of files may fail here, where every process writes its counts into files at its end.
coverage:
	scripts/setup --tests lcov
	cmake --preset coverage
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	-ctest --preset coverage
	scripts/coverage build/coverage

# clang-tidy's opinion (.clang-tidy, and those in tests and bench). It understands what g++ is told
# except for one warning.
TIDY_IN ?= src|tests|bench|tools|fuzz
tidy:
	scripts/setup --tests clang-tidy
	cmake --preset release -B build/tidy -DCMAKE_UNITY_BUILD=OFF
	run-clang-tidy -quiet -j 2 -p build/tidy -extra-arg=-Wno-unknown-warning-option \
	  '$(CURDIR)/($(TIDY_IN))/'

format: setup
	git ls-files '*.h' '*.cc' | xargs clang-format -i

check-format: setup
	git ls-files '*.h' '*.cc' | xargs clang-format --dry-run -Werror

clean:
	rm -rf build dist
