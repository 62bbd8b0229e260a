#!/bin/bash
# Builds, checks and times the CUDA kernels on a machine with a GPU (about a minute). Logs go to $OUT (default /tmp/cuda_kernels_out):
# test.log, bench.log, ncu.txt, memcheck.log, racecheck.log.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd); root=$here/../../..; out=${OUT:-/tmp/cuda_kernels_out}; build=${BUILD:-/tmp/cuda_kernels_build}
mkdir -p "$out" "$build"
start=$SECONDS
step() { echo "== $1 (at $((SECONDS - start)) s)"; }

step build
rm -rf "$build"/*.o
pids=()
compile() { nvcc -x cu -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=sm_90a -I"$root/src" -c "$1" -o "$2" > "$2.log" 2>&1 & pids+=($!); }
for f in $(sed -n "s#^  \(ops/cuda/.*\)#$root/src/scdcf/\1#p" "$root/src/scdcf/ops/cuda/sources.cmake") "$here"/main.cpp; do
  compile "$f" "$build/$(basename "$f").o"
done
for p in "${pids[@]}"; do wait "$p" || { grep -h error "$build"/*.log | head; exit 1; }; done
nvcc -gencode arch=compute_90a,code=sm_90a "$build"/*.o -lcublas -o "$build/cuda_kernels" || exit 1

step correctness
timeout 30 "$build/cuda_kernels" --random "${RANDOM_CASES:-40}" > "$out/test.log" 2>&1; tail -12 "$out/test.log"
step timing
timeout 30 "$build/cuda_kernels" --bench > "$out/bench.log" 2>&1; sed -n '/^layer/,$p' "$out/bench.log"
step sanitizers
(timeout 30 compute-sanitizer --tool memcheck "$build/cuda_kernels" --small > "$out/memcheck.log" 2>&1; tail -1 "$out/memcheck.log") &
(timeout 30 compute-sanitizer --tool racecheck "$build/cuda_kernels" --small > "$out/racecheck.log" 2>&1; tail -1 "$out/racecheck.log") &
wait
step counters
# One launch of each main kernel in TF32: where the clocks go. Stalls are warps waiting per issued instruction.
stall=smsp__average_warps_issue_stalled
columns="us=gpu__time_duration.sum tensor%=sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active \
issue%=sm__issue_active.avg.pct_of_peak_sustained_active smem%=l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed \
L2%=lts__t_sectors.avg.pct_of_peak_sustained_elapsed dram%=dram__throughput.avg.pct_of_peak_sustained_elapsed \
warps%=sm__warps_active.avg.pct_of_peak_sustained_active insts=smsp__inst_executed.sum hmma=sm__inst_executed_pipe_tensor.sum \
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum barrier=${stall}_barrier_per_issue_active.ratio \
long=${stall}_long_scoreboard_per_issue_active.ratio short=${stall}_short_scoreboard_per_issue_active.ratio \
math=${stall}_math_pipe_throttle_per_issue_active.ratio mio=${stall}_mio_throttle_per_issue_active.ratio \
lg=${stall}_lg_throttle_per_issue_active.ratio wait=${stall}_wait_per_issue_active.ratio"
if [ $((SECONDS - start)) -lt 150 ] && command -v ncu > /dev/null; then
  timeout 30 ncu --clock-control none -k 'regex:streamed_kernel|chained|gradient_kernel|forward_kernel|add_slices|magnitude|operands' --csv --page raw \
    --metrics "$(for c in $columns; do echo -n "${c#*=},"; done | sed 's/,$//')" "$build/cuda_kernels" --profile > "$build/ncu.csv" 2>&1
  python3 - "$build/ncu.csv" $columns << 'P' | tee "$out/ncu.txt"
import csv, sys
rows = list(csv.reader(l for l in open(sys.argv[1]) if l.startswith('"')))
head, units, rows = rows[0], rows[1], rows[2:]
def value(row, metric):
    if metric not in head: return '-'
    i = head.index(metric)
    try: x = float(row[i].replace(',', ''))
    except ValueError: return '-'
    x *= {'ns': 1e-3, 'ms': 1e3, 'nsecond': 1e-3, 'msecond': 1e3}.get(units[i], 1)
    return f'{x / 1e6:.1f}M' if x >= 1e5 else f'{x:.0f}' if x >= 100 else f'{x:.2f}'
columns = [c.split('=', 1) for c in sys.argv[2:]]
print(f"{'kernel':22}{'grid':>7}{'regs':>5}{'smemKB':>7}", *[f'{n:>9}' for n, _ in columns])
for r in rows:
    name = r[head.index('Kernel Name')].split('<')[0].split('(')[0].split('::')[-1].split()[-1]
    get = lambda m: float(r[head.index(m)].replace(',', '')) if m in head else 0
    print(f"{name:22}{get('launch__grid_size'):7.0f}{get('launch__registers_per_thread'):5.0f}{get('launch__shared_mem_per_block_dynamic') / 1000:7.1f}",
          *[f'{value(r, m):>9}' for _, m in columns])
P
fi
step summary
grep -h -E "checks|FAIL" "$out/test.log" | tail -5
grep -h "ERROR SUMMARY\|RACECHECK SUMMARY" "$out"/memcheck.log "$out"/racecheck.log
grep -h "three layers" "$out/bench.log"
step end
