#!/bin/sh
# Formatting of every file, and clang-tidy: lint.sh [BUILD] [all]
#
# clang-tidy takes a minute for what includes torch, seconds for the rest, a quarter of an hour in all. So it sees first what
# has changed since the branch left main, then the rest in an order that the commit decides, and begins nothing more after
# SCDCF_LINT_SECONDS (150); over a few commits every source has its turn. What it finds in a changed source, or in one that
# includes a changed header, is an error; what it finds in the others is told, for whoever mends it. With `all` it sees
# everything, and everything counts.
# What CMake compiles as one file (UNITY in a room) is checked as one: one parse of torch's headers for the room.
set -eu
build=${1:-build} all=${2:-} seconds=${SCDCF_LINT_SECONDS:-150}
sources=$(git ls-files '*.h' '*.cpp' '*.inl' '*.cu' '*.cuh')
clang-format --dry-run --Werror $sources
echo "lint: formatting is right in $(echo "$sources" | wc -l) files"
[ -f "$build/compile_commands.json" ] || { echo "lint: no $build/compile_commands.json; run make all first" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What the build compiled for library, program, examples and benchmarks: the first thing that each object depends on. It has
# changed when something it depends on has. Its turn comes first (0) where that is a source, then (1) where it is a header.
base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
[ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse --verify -q HEAD~1 || echo HEAD)
git diff --name-only "$base" >"$scratch/changed"
ninja -C "$build" -t deps | awk -v root="$PWD/" '
  FILENAME != "-" { changed[$0] = 1; next }
  /^[^ ].*: #deps/ { wanted = /^(src|apps|examples|benchmarks)\// && !/scdcf_torch_headers/; unit = ""; next }
  !wanted || NF == 0 { next }
  unit == "" { unit = $1; if (!(unit in turn)) turn[unit] = 2 }
  {
    path = index($1, root) == 1 ? substr($1, length(root) + 1) : $1
    sub(/^(\.\.\/)+/, "", path)
    mine = !(path in changed) ? 2 : path ~ /\.cpp$/ ? 0 : 1
    if (mine < turn[unit]) turn[unit] = mine
  }
  END { for (unit in turn) print turn[unit], unit }' "$scratch/changed" - |
  (cd "$build" && while read -r turn unit; do [ ! -f "$unit" ] || echo "$turn $(realpath "$unit")"; done) >"$scratch/units"
[ -s "$scratch/units" ] || { echo "lint: nothing is built in $build; run make all first" >&2; exit 2; }
commit=$(git rev-parse HEAD)
while read -r turn unit; do
  echo "$turn $(echo "$commit $unit" | cksum | cut -d' ' -f1) $unit"
done <"$scratch/units" | sort -n -k1,1 -k2,2 | cut -d' ' -f1,3 >"$scratch/in_turn"

# clang cannot read the headers that GCC has precompiled; without them it also sees where a file includes too little.
sed 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//; s/ -fpch-preprocess//' "$build/compile_commands.json" \
  >"$scratch/compile_commands.json"

# What clang-tidy counts in system headers goes to stderr; what it finds in ours, to stdout.
cat >"$scratch/check" <<'CHECK'
[ "$(date +%s)" -lt "$1" ] || exit 0
case "$2" in */Unity/*) unity=--checks=-bugprone-suspicious-include ;; *) unity="" ;; esac
echo "$2" >>"$3/checked"
clang-tidy --quiet $unity -p "$3" "$2" >"$3/found.$$" 2>/dev/null && exit 0
cat "$3/found.$$"
echo "$2" >>"$3/found_in"
[ "$4" = 2 ] && [ "$5" != all ]  # 2: not changed
CHECK
: >"$scratch/checked"
: >"$scratch/found_in"
deadline=$(($(date +%s) + seconds))
[ "$all" != all ] || deadline=99999999999
xargs -P "$(nproc)" -n 2 sh -c 'sh "$2/check" "$1" "$5" "$2" "$4" "$3"' - "$deadline" "$scratch" "$all" <"$scratch/in_turn"
echo "lint: clang-tidy saw $(wc -l <"$scratch/checked") of $(wc -l <"$scratch/units") units and found something in $(wc -l <"$scratch/found_in")"
