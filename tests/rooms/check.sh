#!/bin/sh
# Checks the rooms of a tree: check.sh SOURCE_DIR ROOMS.TXT
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check.awk
cd "$1"
find src/scdcf -name '*.h' -o -name '*.cpp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort |
  xargs awk -f "$check" "$2"
