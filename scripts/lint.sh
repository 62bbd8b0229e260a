#!/bin/sh
# Checks formatting, and runs clang-tidy on the sources that are quick to parse (those that do not include torch).
set -eu
build=${1:-build}
sources=$(git ls-files '*.h' '*.cpp' '*.inl' '*.cu' '*.cuh')
clang-format --dry-run --Werror $sources
echo "lint: formatting is right in $(echo "$sources" | wc -l) files"
[ -f "$build/compile_commands.json" ] || { echo "lint: no $build/compile_commands.json; run make build first" >&2; exit 2; }
# What clang-tidy counts in system headers goes to stderr; what it finds in ours, to stdout.
found=$(git ls-files 'src/scdcf/basis/*.cpp' 'src/scdcf/ops/scale_sources.cpp' 'src/scdcf/ops/cost.cpp' \
  'src/scdcf/report/*.cpp' 'src/scdcf/data/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" 2>/dev/null) || { echo "$found"; exit 1; }
echo "lint: clang-tidy found nothing"
