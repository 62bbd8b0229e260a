#!/bin/sh
# README.md and docs/: check.sh SOURCE_DIR ROOMS.TXT. Every path that they and the comments of sources name exists, every
# figure is shown and no sentence stands twice; the code in README.md is the example that the tests run, letter by letter; the picture of the rooms is
# that of the rooms as they are; `make help` names every target, `make asan` has the tests of every room,
# and CITATION.cff has the version of CMakeLists.txt.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check.awk
cd "$1"
tree=$(mktemp)
trap 'rm -f "$tree"' EXIT
find README.md LICENSE CITATION.cff CMakeLists.txt CMakePresets.json Makefile pyproject.toml setup.py apps benchmarks cmake docs examples python results scripts src tests >"$tree"
failed=0
awk -f "$check" "$tree" README.md docs/*.md $(grep -E '^(apps|benchmarks|examples|src|tests)/.*\.(h|cpp|cu|cuh|inl)$' "$tree") || failed=1
if ! awk '/^```$/ { code = 0 } code { print } /^```cpp$/ { code = 1 }' README.md | cmp -s - examples/first_layers.cpp; then
  echo "README.md:1: its code differs from examples/first_layers.cpp"
  failed=1
fi
if ! scripts/architecture.sh "$2" | cmp -s - docs/figures/architecture.svg; then
  echo "docs/figures/architecture.svg:1: differs from what scripts/architecture.sh draws; draw it again: scripts/architecture.sh build/rooms.txt"
  failed=1
fi
# says LIST NAME WHAT: the Makefile's list has this name.
says() {
  if ! echo "$1" | grep -qE "(^|[^a-z-])$2([^a-z-]|$)"; then
    echo "Makefile:1: $3"
    failed=1
  fi
}
help=$(sed -n '/^help:/,/^$/p' Makefile) sanitized=$(sed -n 's/^ASAN_TESTS = //p' Makefile)
for target in $(sed -n 's/^\.PHONY: *//p' Makefile | sed 's/help \(.*\)build-deps/\1/'); do
  says "$help" "make $target" "make help does not name $target"
done
for room in $(sed -n 's/^ *scdcf_test(\([a-z]*\) .*/\1/p' tests/CMakeLists.txt); do
  says "$sanitized" "$room" "make asan leaves out the tests of $room"
done
version=$(sed -n 's/^project(scdcf VERSION \([^ ]*\) .*/\1/p' CMakeLists.txt)
if ! grep -qx "version: $version" CITATION.cff; then
  echo "CITATION.cff:1: its version is not $version, that of CMakeLists.txt"
  failed=1
fi
exit $failed
