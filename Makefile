# The two commands of the README are `make demo` and `make test`; each installs what is missing, builds and runs.
TORCH ?=
BUILD ?= build$(if $(TORCH),-torch)
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
COUNT ?= 10000
SEED ?= 1

# TORCH=PYTHON: the torch of that Python, which may be another each time. scripts/deps.sh reads TORCH too.
TORCH_PYTHON := $(if $(TORCH),$(abspath $(or $(shell command -v $(TORCH) 2>/dev/null),$(TORCH))))
CONFIGURE = cmake --preset release -B $(BUILD) $(if $(TORCH),-DSCDCF_TORCH_PYTHON=$(TORCH_PYTHON))
$(if $(TORCH),.PHONY: $(BUILD)/build.ninja)

.PHONY: help deps build-deps pages-deps build all test long-test test-torch2 python-test install demo bench format lint lint-all asan fuzz random-commands odr gpu-test kills rank-kills clean

help:
	@echo "make demo      trains three networks at one size and shows what they know at all, out/demo/report.html"
	@echo "make test      builds and runs every test that takes no longer than a minute or two"
	@echo "make long-test runs the others: whole experiments and the demonstration, before something is called done"
	@echo "make python-test   runs the tests of the Python package; make deps installs what it needs"
	@echo "make build     builds library and program into $(BUILD)/; make all the tests, benchmarks and examples too"
	@echo "make build TORCH=PYTHON   builds against the torch of that Python into build-torch/; all, test, install and bench take it too"
	@echo "make test-torch2   builds and tests against pip's torch in build-torch2/, where it installs it: C++, Python, pip install"
	@echo "make install   installs library and program into PREFIX ($(PREFIX))"
	@echo "make bench     runs the benchmarks of the layers at 28x28"
	@echo "make asan      runs the tests of every room under the address and undefined-behaviour sanitizers"
	@echo "make kills     kills training a hundred times (KILLS=, SEED=) and sees that nothing is lost"
	@echo "make rank-kills COUNT=50   kills or stops one of several processes that train together, and goes on"
	@echo "make fuzz      reads COUNT ($(COUNT)) damaged models, checkpoints, configurations and results each, from SEED ($(SEED)) on;"
	@echo "               with FUZZ=io model files alone, a million in minutes"
	@echo "make random-commands   runs COUNT random command lines; both under the sanitizers"
	@echo "make odr       links everything at once to see that no two types share a name (the one definition rule)"
	@echo "make gpu-test  builds against a CUDA LibTorch and runs the tests on the GPU, the kernels also under compute-sanitizer"
	@echo "make format    formats the sources; make lint checks them, slow ones in turn; make lint-all checks all"
	@echo "make deps      installs missing packages (Debian 12), and pages-deps where npm is"
	@echo "make clean     removes what was built, and out/"
	@echo "make pages-deps   installs what runs exported networks in pages and their tests into build-pages/, with npm"

deps: build-deps
	@scripts/deps.sh test
	@scripts/deps.sh pages || echo "make deps: goes on without; the tests that need these packages are left out"

# ONNX Runtime for pages and a driver for browsers: not needed to build, to train or for `make demo`.
pages-deps:
	@scripts/deps.sh pages

# What the program and the library need; what only the tests need, `make test` adds.
build-deps:
	@scripts/deps.sh build

$(BUILD)/build.ninja: | build-deps
	$(CONFIGURE)

build: build-deps $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS) --target scdcf scdcf_app

all: build-deps $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)

test: deps all
	$(CONFIGURE) > /dev/null  # finds what deps has installed
	ctest --test-dir $(BUILD) --output-on-failure -j 2 -LE long

long-test: deps all
	$(CONFIGURE) > /dev/null
	ctest --test-dir $(BUILD) --output-on-failure -L long --no-tests=error

# Today's LibTorch. The script names the tests that are left out.
test-torch2: build-deps
	@scripts/deps.sh torch2
	@scripts/test_torch2.sh $(JOBS)

python-test: deps build
	$(CONFIGURE) > /dev/null
	ctest --test-dir $(BUILD) -R '^python$$' --output-on-failure --no-tests=error

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

demo: build
	$(BUILD)/bin/scdcf demo --out out/demo

bench: build
	cmake --build $(BUILD) -j $(JOBS) --target bench_basis bench_ops
	$(BUILD)/bin/bench_basis
	$(BUILD)/bin/bench_ops --benchmark_filter=smnist28

# Every room; those without torch take a minute, the others most of an hour to compile.
ASAN_TESTS = files io terminal pixels report data core basis ops nn distributed models theory train exchange runs bench tables verify figures explore demo
empty :=
asan: build-deps
	cmake --preset asan -B $(BUILD)-asan
	cmake --build $(BUILD)-asan -j $(JOBS) --target $(ASAN_TESTS:%=test_%)
	ctest --test-dir $(BUILD)-asan -R '^($(subst $(empty) ,|,$(ASAN_TESTS)))$$' --output-on-failure -j 2

FUZZ = io runs
SANITIZED = ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000
fuzz: build-deps
	cmake --preset asan -B $(BUILD)-asan
	cmake --build $(BUILD)-asan -j $(JOBS) --target $(FUZZ:%=test_%)
	for name in $(FUZZ); do $(SANITIZED) SCDCF_FUZZ_COUNT=$(COUNT) SCDCF_FUZZ_SEED=$(SEED) \
	  $(BUILD)-asan/bin/test_$$name --gtest_filter='Fuzz*' || exit 1; done

random-commands: build-deps
	cmake --preset asan -B $(BUILD)-asan
	cmake --build $(BUILD)-asan -j $(JOBS) --target random_commands
	$(SANITIZED) $(BUILD)-asan/bin/random_commands $(COUNT) $(SEED)

odr: build-deps
	cmake --preset odr -B $(BUILD)-odr
	cmake --build $(BUILD)-odr -j $(JOBS) --target scdcf_odr

KILLS ?= 100
kills: build
	cmake --build $(BUILD) -j $(JOBS) --target test_program_kills
	SCDCF_KILLS=$(KILLS) SCDCF_SEED=$(SEED) $(BUILD)/bin/test_program_kills

# COUNT=50 takes about ten minutes.
rank-kills: build
	cmake --build $(BUILD) -j $(JOBS) --target test_program_ranks
	SCDCF_RANK_KILLS=$(COUNT) SCDCF_SEED=$(SEED) $(BUILD)/bin/test_program_ranks --gtest_filter='LostRanks*'

gpu-test:
	cmake --preset cuda -B $(BUILD)-gpu
	cmake --build $(BUILD)-gpu -j $(JOBS)
	SCDCF_TEST_DEVICE=cuda ctest --test-dir $(BUILD)-gpu -L unit --output-on-failure

format:
	@scripts/deps.sh lint
	git ls-files '*.h' '*.cpp' '*.inl' '*.cu' '*.cuh' | xargs clang-format -i

lint:
	@scripts/deps.sh lint
	@scripts/lint.sh $(BUILD)

lint-all:
	@scripts/deps.sh lint
	@scripts/lint.sh $(BUILD) all

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-odr $(BUILD)-gpu build-pages build-pip build-torch2 out
