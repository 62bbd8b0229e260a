#!/bin/sh
# Checks the rooms of a tree: check.sh ROOMS.TXT SOURCE_DIR
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check.awk
cd "$2"
find src/scdcf -name '*.h' -o -name '*.cpp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort |
  xargs awk -f "$check" "$1"
