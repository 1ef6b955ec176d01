# The two commands of a newcomer: `make demo` and `make test`. Both set up, configure and build first.

.PHONY: demo test build setup bench debug sanitize format clean

demo: build
	scripts/demo build/release/flare

test: build
	@[ -n "$$FLARE_PUBLISHED_DATA" ] || echo "FLARE_PUBLISHED_DATA is not set: the tests against the published data will be skipped"
	ctest --preset release

build: setup
	cmake --preset release
	cmake --build --preset release

setup:
	scripts/setup

# Speed, each figure beside what the machine allows.
bench: build
	build/release/bench/formal_bench
	build/release/bench/data_bench

debug sanitize: setup
	cmake --preset $(if $(filter sanitize,$@),asan-ubsan,debug)
	cmake --build --preset $(if $(filter sanitize,$@),asan-ubsan,debug)
	ctest --preset $(if $(filter sanitize,$@),asan-ubsan,debug)

format:
	git ls-files '*.h' '*.cc' | xargs clang-format -i

clean:
	rm -rf build
