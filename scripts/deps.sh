#!/bin/sh
# Installs the packages that are missing on Debian 12; elsewhere says what is needed and stops. deps.sh build, test, lint,
# pages or torch2. With TORCH set, a build takes the torch of that Python and not Debian's.
set -eu
cd "$(dirname "$0")/.."

case "${1:-build}" in
  build)
    packages="g++ cmake ninja-build git libtorch-dev libgloo-dev libopenblas0-pthread libboost-math-dev libcli11-dev
              nlohmann-json3-dev libgtest-dev libbenchmark-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev
              libcurl4-openssl-dev dataset-fashion-mnist gnuplot-nox" ;;
  test) # the Python package, and a browser for pages
    packages="python3-torch python3-setuptools python3-wheel python3-pip python3-venv chromium" ;;
  lint) packages="clang-format clang-tidy" ;;
  pages) # packages of npm, of these versions, none of whose scripts are run
    wanted="onnxruntime-web@1.30.0 puppeteer-core@24"
    command -v npm >/dev/null || { echo "make pages-deps: npm is not there; needed: Node 18 or later with npm" >&2; exit 2; }
    [ "$(cat build-pages/installed 2>/dev/null)" = "$wanted" ] && exit 0
    echo "make pages-deps: installing $wanted into build-pages"
    mkdir -p build-pages
    npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix build-pages $wanted >/dev/null
    echo "$wanted" >build-pages/installed
    exit 0 ;;
  torch2) # packages of pip in a virtual environment
    wanted="torch==2.13.0 safetensors==0.8.0 setuptools wheel"
    [ "$(cat build-torch2/installed 2>/dev/null)" = "$wanted" ] && exit 0
    echo "make test-torch2: installing $wanted into build-torch2/venv"
    python3 -m venv --clear build-torch2/venv
    build-torch2/venv/bin/pip install --quiet --disable-pip-version-check $wanted
    echo "$wanted" >build-torch2/installed
    exit 0 ;;
  *) echo "deps.sh: got \"$1\", expected build, test, lint, pages or torch2" >&2; exit 2 ;;
esac
[ -z "${TORCH:-}" ] || packages=$(echo "$packages" | sed 's/libtorch-dev\|python3-torch//')

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  cat >&2 <<TEXT
make deps: this is not a Debian system, so nothing was installed. Needed, by their Debian names:
  $(echo $packages)
and instead of libtorch-dev any LibTorch from 1.13 on, CPU or CUDA. With these in place build with
  cmake -S . -B build -G Ninja -DSCDCF_TORCH_PYTHON=/path/to/python && cmake --build build && ctest --test-dir build
where that Python has torch, or with -DCMAKE_PREFIX_PATH=/path/to/libtorch.
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
