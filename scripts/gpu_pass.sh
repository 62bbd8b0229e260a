#!/usr/bin/env bash
# Training runs on a GPU machine that is at hand for minutes at a time, has no network and forgets everything in between: it
# gets a copy of the working tree and of out/pass and gives back what was written into $OUT.
#
#   scripts/gpu_pass.sh pack [mnist] [fashion]       here: what the machine needs, into out/pass; says what to call there
#   scripts/gpu_pass.sh run HASH [OPTION...] PLAN... there: builds, then makes runs until the time is up
#   scripts/gpu_pass.sh take FILE HASH               here: the records that came back (results.jsonl.gz), for the next slice
#   scripts/gpu_pass.sh keep FOLDER                  here: the records of all slices, into the store FOLDER (results/h200)
#
# A PLAN is what follows `scdcf reproduce`, in quotes: 'smnist --sizes 28 --models cnn,scdcfnet'. Runs of which a record came
# back (out/pass.jsonl) are not made again; a run under way when the time is up is lost. Options of run: --seconds N of the
# slice, the build included (530); --workers N processes that share the GPU under MPS (20); for a trial --device cpu and
# --program FILE, one that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "gpu_pass: $*" >&2; exit 2; }
pass=out/pass
records=out/pass.jsonl

check_hash() {
  [[ "$1" =~ ^[0-9a-f]{40}$ ]] || fail "commit: got \"$1\", expected the 40 hex digits of git rev-parse HEAD, written out"
}

# Debian's headers and libraries that the program is built with: a machine without a network may lack them.
pack_packages() {
  local to=$pass/packages lib=/usr/lib/x86_64-linux-gnu
  mkdir -p "$to/include" "$to/lib" "$to/share/cmake"
  cp -rL /usr/include/CLI /usr/include/nlohmann "$to/include/"
  cp -L /usr/include/{png,pngconf,pnglibconf,jpeglib,jmorecfg,jerror,zlib,zconf}.h /usr/include/x86_64-linux-gnu/jconfig.h "$to/include/"
  cp -rL /usr/share/cmake/CLI11 /usr/share/cmake/nlohmann_json "$to/share/cmake/"
  for name in png16.so.16 jpeg.so.62 z.so.1; do
    cp -L "$lib/lib$name" "$to/lib/lib$name"
    cp -L "$lib/lib$name" "$to/lib/lib${name%%.so*}.so"
  done
  cp "$to/lib/libpng16.so" "$to/lib/libpng.so"
}

# The first folder of those where data is looked for that has it.
find_data() {
  local folder
  for folder in "${SCDCF_DATA:-}" data /usr/share/datasets "${XDG_CACHE_HOME:-$HOME/.cache}/scdcf"; do
    [ -n "$folder" ] && [ -e "$folder/$1/train-images-idx3-ubyte.gz" ] && { echo "$folder/$1"; return; }
  done
  fail "data: $1 is not at hand, expected it in the folder that SCDCF_DATA names"
}

pack() {
  [ -z "$(git status --porcelain)" ] || fail "the working tree has changes that are not committed: records would not name what made them"
  local hash megabytes
  hash=$(git rev-parse HEAD)
  rm -rf "$pass"
  mkdir -p "$pass/data"
  [ $# -gt 0 ] || set -- mnist fashion
  for name; do
    case $name in
      mnist) cp -r "$(find_data mnist)" "$pass/data/" ;;
      fashion) cp -r "$(find_data fashion-mnist)" "$pass/data/" ;;
      *) fail "data: got \"$name\", expected mnist or fashion" ;;
    esac
  done
  pack_packages
  touch "$records"
  gzip -c "$records" >"$pass/results.jsonl.gz"
  megabytes=$({ git ls-files -z | du -cb --files0-from=- | tail -1; du -sb "$pass"; } |
    awk '{ sum += $1 } END { printf "%d", sum / 1048576 }')
  [ "$megabytes" -lt 64 ] || fail "tree and $pass have $megabytes MiB, expected less than 64: pack fewer data sets"
  echo "$megabytes MiB; $(wc -l <"$records") records so far. Carry $pass and call there:"
  echo "  scripts/gpu_pass.sh run $hash PLAN..."
}

build() {  # a commit holds for one configure: it is given at each
  local options=(-DSCDCF_COMMIT="$1" -DSCDCF_BUILD_TESTS=OFF -DSCDCF_BUILD_EXAMPLES=OFF -DSCDCF_BUILD_BENCHMARKS=OFF)
  local preset=release folder=build
  [ "$device" = cpu ] || { preset=cuda folder=build-gpu; }
  export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
  { cmake --preset $preset "${options[@]}" || cmake --preset $preset "${options[@]}" -DCMAKE_PREFIX_PATH="$PWD/$pass/packages"; } \
    >"$work/build.log" 2>&1 && cmake --build $folder --target scdcf_app >>"$work/build.log" 2>&1 ||
    { tail -40 "$work/build.log" >&2; fail "the build failed"; }
  program=$folder/bin/scdcf
}

# The keys of all planned runs that have no record of being done.
keys_left() {
  local plan
  for plan in "${plans[@]}"; do
    # shellcheck disable=SC2086 # a plan is several words
    "$program" reproduce $plan --device "$device" "${precision[@]}" --out "$work/store" --plan
  done | awk -v store="$work/store/results.jsonl" '
    BEGIN { while ((getline line < store) > 0) if (line ~ /"status":"done"/) { split(line, part, "\""); done[part[4]] = 1 } }
    !($2 in done) { print $2 }' | sort -u
}

give_back() { gzip -c "$work/store/results.jsonl" >"$work/records.gz" && mv "$work/records.gz" "$OUT/results.jsonl.gz"; }

# Makes the runs of one plan after the other, beside other workers: each run is claimed by one of them.
work_through() {
  local plan
  for plan in "${plans[@]}"; do
    local left=$((deadline - $(date +%s)))
    [ $left -gt 0 ] || return 0
    # shellcheck disable=SC2086
    timeout -s INT -k 15 $left "$program" --threads 1 reproduce $plan --device "$device" "${precision[@]}" --out "$work/store" \
      >>"$work/worker-$1.log" 2>&1 || true
  done
}

run() {
  local began seconds=530 workers=20 hash=${1:-} given=""
  began=$(date +%s)
  check_hash "$hash"
  shift
  device=cuda program="" plans=()
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) seconds=$2; shift 2 ;;
      --workers) workers=$2; shift 2 ;;
      --device) device=$2; shift 2 ;;
      --program) given=$2; shift 2 ;;
      *) plans+=("$1"); shift ;;
    esac
  done
  [ ${#plans[@]} -gt 0 ] || fail "run: got no plan, expected words for scdcf reproduce in quotes"
  [ -d "${OUT:-}" ] || fail "OUT: got \"${OUT:-}\", expected the folder whose files are given back"
  deadline=$((began + seconds - 20))  # a worker that is stopped saves first
  precision=(--precision tf32)
  [ "$device" = cuda ] || precision=()
  work=$(mktemp -d)
  mkdir -p "$work/store"
  if [ -e "$pass/results.jsonl.gz" ]; then gzip -dc "$pass/results.jsonl.gz" >"$work/store/results.jsonl"; else touch "$work/store/results.jsonl"; fi
  [ ! -d "$pass/data" ] || export SCDCF_DATA=$PWD/$pass/data
  if [ -n "$given" ]; then program=$given; else build "$hash"; fi
  local made_of
  made_of=$("$program" --version)
  [[ "$made_of" == *"(${hash:0:12})" ]] || fail "commit: the program is \"$made_of\", expected one of ${hash:0:12}"
  echo "built after $(($(date +%s) - began)) s; $(keys_left | wc -l) runs to make"

  local mps="" worker pids=()
  PATH=$PATH:/usr/local/nvidia/bin:/usr/local/cuda/bin
  if [ "$device" = cuda ] && command -v nvidia-cuda-mps-control >/dev/null; then
    export CUDA_MPS_PIPE_DIRECTORY=$work/mps CUDA_MPS_LOG_DIRECTORY=$work/mps-log
    mkdir -p "$work/mps" "$work/mps-log"
    nvidia-cuda-mps-control -d && mps=yes
  fi
  [ -n "$mps" ] || [ "$device" = cpu ] || echo "no MPS here: the processes take turns on the GPU"
  give_back
  for ((worker = 0; worker < workers; ++worker)); do work_through $worker & pids+=($!); done
  (while sleep 5; do give_back; done) &
  local giving=$!
  wait "${pids[@]}"
  kill $giving
  wait $giving 2>/dev/null || true
  [ -z "$mps" ] || echo quit | nvidia-cuda-mps-control || true
  give_back
  cat "$work"/worker-*.log | grep -a FAILED | sort | uniq -c | head -20 || true
  echo "$(grep -c '"status":"done"' "$work/store/results.jsonl" || true) runs are done, $(keys_left | wc -l) left; $(($(date +%s) - began)) s"
  rm -rf "$work"
}

# Appends the lines of the second file that the first does not have. A line that was cut off is left out.
append_new() {
  awk -v known="$1" 'BEGIN { while ((getline line < known) > 0) seen[line] = 1 } /^\{.*\}$/ && !seen[$0]++' "$2" >"$1.new"
  cat "$1.new" >>"$1"
  wc -l <"$1.new"
  rm "$1.new"
}

take() {
  [ $# -eq 2 ] || fail "take: got $# arguments, expected the file that came back and the commit"
  check_hash "$2"
  gzip -t "$1" || fail "$1: is no whole gzip file"
  mkdir -p out
  touch "$records"
  gzip -dc "$1" >out/came-back.jsonl
  local others
  others=$(awk -v known="$records" 'BEGIN { while ((getline line < known) > 0) seen[line] = 1 } /^\{.*\}$/ && !seen[$0]' out/came-back.jsonl |
    grep -vc "\"commit\":\"${2:0:12}\"" || true)
  [ "$others" -eq 0 ] || fail "$1: $others new records are not of commit ${2:0:12}"
  echo "$(append_new "$records" out/came-back.jsonl) new records"
  rm out/came-back.jsonl
}

keep() {
  [ -e "${1:-}/results.jsonl" ] || fail "keep: got \"${1:-}\", expected a folder with results.jsonl"
  echo "$(append_new "$1/results.jsonl" "$records") new records in $1"
}

case "${1:-}" in
  pack | run | take | keep) "$@" ;;
  *) fail "got \"${1:-}\", expected pack, run, take or keep" ;;
esac
