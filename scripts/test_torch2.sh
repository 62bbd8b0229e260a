#!/bin/sh
# Builds and tests against the torch of build-torch2/venv: test_torch2.sh JOBS. `make test` runs every test with Debian's LibTorch
# 1.13; these are the ones that another LibTorch can change. A test that is left out needs a reason.
set -eu
cd "$(dirname "$0")/.."
build=build-torch2 rooms="core io basis ops nn distributed models theory train exchange" examples="first_layers custom_basis"
run="$rooms example_first_layers example_custom_basis find_torch read_image symbolic_shapes operator_sweep python program_hostile_files consumer pip_install"
reasons='files|terminal|pixels|report|data|cuda_.*: no LibTorch in it
rooms.*|docs.*|commit: about the sources, not the build
bench|runs|tables|verify|figures|explore|demo|random_commands|example_own_model|program_.*|readme_.*|long_.*: the program beyond training, by functions tested above
onnx_runtime|explore_browser: ONNX files, which the test exchange writes the same'

cmake --preset release -B $build -DSCDCF_TORCH_PYTHON="$PWD/$build/venv/bin/python" -DSCDCF_BUILD_BENCHMARKS=OFF >$build/configure.log 2>&1 ||
  { cat $build/configure.log; exit 1; }
grep "LibTorch" $build/configure.log
left_out=$(ctest --test-dir $build -N | sed -n 's/^ *Test *#[0-9]*: //p' | grep -vxE "$(echo $run | tr ' ' '|')")
unexplained=$(echo "$left_out" | grep -vxE "$(echo "$reasons" | sed 's/: .*//' | paste -sd '|')" || true)
[ -z "$unexplained" ] || { echo "test_torch2.sh: neither run nor left out for a reason:" $unexplained >&2; exit 1; }
echo "$reasons" | while IFS= read -r line; do
  echo "left out, ${line#*: }:" $(echo "$left_out" | grep -xE "${line%%: *}")
done
cmake --build $build -j "${1:-2}" --target scdcf scdcf_app $(printf 'test_%s ' $rooms) $examples
ctest --test-dir $build -R "^($(echo $run | tr ' ' '|'))\$" --output-on-failure --no-tests=error -j 2
