#!/bin/sh
# Puts one violation at a time into a copy of the tree and sees that check.sh names it, and its place.
#   violations.sh SOURCE_DIR ROOMS.TXT SCRATCH
set -eu
. "$(dirname "$0")/../support/violations.sh"
rm -rf "$scratch"
mkdir -p "$scratch"
(cd "$source" && cp -r README.md LICENSE CITATION.cff CMakeLists.txt CMakePresets.json Makefile pyproject.toml setup.py apps benchmarks cmake docs examples python results scripts src tests "$scratch")
cp "$rooms" "$scratch"

# says NAME TEXT PATTERN: as a page of its own.
says() {
  printf '# Page\n%s\n' "$2" >"$scratch/docs/page.md"
  expect "$1" "^docs/page.md:2: $3"
  rm "$scratch/docs/page.md"
}

says "a link" 'see [a](../src/scdcf/gone.h)' 'link to ../src/scdcf/gone.h, and there is no src/scdcf/gone.h$'
says "a heading" 'see [a](theory.md#gone)' 'link to theory.md#gone: docs/theory.md has no such heading$'
says "a path in text" 'tests/gone_test.cpp shows it.' 'names tests/gone_test.cpp, which is not there$'
says "a path in code" 'run `scripts/gone.sh --all`' 'names scripts/gone.sh, which is not there$'
says "a file of a room" 'in `ops/gone.h`' 'names ops/gone.h, and no file'
says "a file by its name" 'in `gone.inl`' 'names gone.inl, and no file'
sed -n 3p "$source/docs/kernels.md" >>"$scratch/docs/kernels.md"
expect "a sentence that stands twice" '^docs/kernels.md:[0-9]+: says again what line [0-9]+ says$'
cp "$source/docs/kernels.md" "$scratch/docs"
printf '\n// As in ops/gone.h.\n' >"$scratch/src/scdcf/core/new.h"
expect "a path in a comment" '^src/scdcf/core/new.h:2: names ops/gone.h, and no file'
rm "$scratch/src/scdcf/core/new.h"
sed -i 's/(1st-layer)/(first-layer)/' "$scratch/README.md"
expect "an equation that its file does not name" '^README.md:[0-9]+: \(first-layer\) stands in none of the files of its row$'
cp "$source/README.md" "$scratch"
echo '// changed' >>"$scratch/examples/first_layers.cpp"
expect "other code than the example" '^README.md:1: its code differs'
cp "$source/examples/first_layers.cpp" "$scratch/examples"
sed -i 's/>lifting layer</>a layer</' "$scratch/docs/figures/architecture.svg"
expect "an old picture" '^docs/figures/architecture.svg:1: differs'
cp "$source/docs/figures/architecture.svg" "$scratch/docs/figures"
touch "$scratch/docs/figures/new.png"
expect "a picture that no document shows" '^docs/figures/new.png:1: no document links to it$'
rm "$scratch/docs/figures/new.png"
sed -i 's/^lint:/&\n\nnew:/; s/^\.PHONY: .*/& new/' "$scratch/Makefile"
expect "a target that help does not name" '^Makefile:1: make help does not name new$'
cp "$source/Makefile" "$scratch"
sed -i 's/^ASAN_TESTS = files/ASAN_TESTS =/' "$scratch/Makefile"
expect "a room whose tests are left out" '^Makefile:1: make asan leaves out the tests of files$'
sed -i 's/^version: .*/version: 0.0.0/' "$scratch/CITATION.cff"
expect "an old version" '^CITATION.cff:1: its version is not '

finish
