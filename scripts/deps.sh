#!/bin/sh
# Installs the packages that are missing on Debian 12; elsewhere says what is needed and stops.
set -eu

case "${1:-build}" in
  build)
    packages="g++ cmake ninja-build git libtorch-dev libgloo-dev libopenblas0-pthread libboost-math-dev libcli11-dev
              nlohmann-json3-dev libgtest-dev libbenchmark-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev
              libcurl4-openssl-dev dataset-fashion-mnist gnuplot-nox" ;;
  test) packages="python3-torch" ;;  # the operators are traced from Python
  lint) packages="clang-format clang-tidy" ;;
  *) echo "deps.sh: got \"$1\", expected build, test or lint" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  cat >&2 <<TEXT
make deps: this is not a Debian system, so nothing was installed. Needed, by their Debian names:
  $(echo $packages)
and instead of libtorch-dev any LibTorch from 1.13 on, CPU or CUDA. With these in place build with
  cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH=/path/to/libtorch && cmake --build build && ctest --test-dir build
TEXT
  exit 2
fi

missing=""
for package in $packages; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "make deps: installing$missing"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "make deps: run it as root, or install sudo" >&2; exit 2; }
  as_root="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends $missing
