#!/bin/sh
# Installs the packages that are missing on Debian 12; elsewhere says what is needed and stops. deps.sh build, test, lint or
# pages.
set -eu

case "${1:-build}" in
  build)
    packages="g++ cmake ninja-build git libtorch-dev libgloo-dev libopenblas0-pthread libboost-math-dev libcli11-dev
              nlohmann-json3-dev libgtest-dev libbenchmark-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev
              libcurl4-openssl-dev dataset-fashion-mnist gnuplot-nox" ;;
  test) # the Python package, and a browser for pages
    packages="python3-torch python3-setuptools python3-wheel python3-pip chromium" ;;
  lint) packages="clang-format clang-tidy" ;;
  pages) # packages of npm, of these versions, none of whose scripts are run
    wanted="onnxruntime-web@1.30.0 puppeteer-core@24"
    command -v npm >/dev/null || { echo "make pages-deps: npm is not there; needed: Node 18 or later with npm" >&2; exit 2; }
    cd "$(dirname "$0")/.."
    [ "$(cat build-pages/installed 2>/dev/null)" = "$wanted" ] && exit 0
    echo "make pages-deps: installing $wanted into build-pages"
    mkdir -p build-pages
    npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix build-pages $wanted >/dev/null
    echo "$wanted" >build-pages/installed
    exit 0 ;;
  *) echo "deps.sh: got \"$1\", expected build, test, lint or pages" >&2; exit 2 ;;
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
