#!/bin/bash
# Runs the kernels on the CPU, one fiber per CUDA thread (no GPU needed; slow).  emulate.sh [--small] [--random N] [--only I]
# SANITIZE="-fsanitize=address --param asan-stack=0" finds overruns of shared and global memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); root=$here/../..; build=${BUILD:-/tmp/cuda_kernels_emulate}
mkdir -p "$build"
flags="-std=c++17 ${OPT:--O1} -fno-strict-aliasing ${SANITIZE:-} -fpermissive -w -D__launch_bounds__(...)= -D__grid_constant__= -DSCDCF_EMULATE -I$here/emulate -I$root/src -I/usr/local/cuda/include"
objects=()
compile() { o=$build/$(basename "$1").o; if [ ! -e "$o" ] || [ -n "$(find "$root/src/scdcf/ops" "$here" -newer "$o" \( -name '*.h' -o -name '*.cuh' \) -print -quit)" ] || [ "$1" -nt "$o" ]; then g++ "${@:2}" $flags -c -x c++ "$1" -o "$o"; fi; }
for f in "$root"/src/scdcf/ops/cuda/*.cu "$root"/src/scdcf/ops/cuda/device_problem.cpp "$here"/main.cpp "$here"/emulate/emulate.cpp; do compile "$f"; objects+=("$build/$(basename "$f").o"); done
g++ ${SANITIZE:-} "${objects[@]}" -o "$build/run"
exec "$build/run" "$@"
