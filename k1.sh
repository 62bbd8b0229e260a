#!/bin/bash
# build, check, time, counters
cd "$(dirname "$0")"; B=/tmp/kb; mkdir -p $B; start=$SECONDS
pids=()
for f in $(sed -n "s#^  \(ops/cuda/.*\)#src/scdcf/\1#p" src/scdcf/ops/cuda/sources.cmake) tests/ops/cuda/main.cpp; do
  nvcc -x cu -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=sm_90a -Isrc -c $f -o $B/$(basename $f).o > $B/$(basename $f).log 2>&1 & pids+=($!)
done
for p in ${pids[@]}; do wait $p || { grep -h error $B/*.log | head; exit 1; }; done
nvcc -gencode arch=compute_90a,code=sm_90a $B/*.o -lcublas -o $B/k || exit 1
echo "built $((SECONDS-start))"
export SCDCF_CUDA_FORM=chained
timeout 60 $B/k --random ${RANDOMS:-60} > $OUT/test.log 2>&1; tail -8 $OUT/test.log; echo "tested $((SECONDS-start))"
timeout ${BENCH:-45} $B/k --bench > $OUT/bench.log 2>&1; cat $OUT/bench.log; echo "benched $((SECONDS-start))"
m=gpu__time_duration.sum,launch__registers_per_thread,launch__shared_mem_per_block_dynamic,launch__grid_size,sm__warps_active.avg.pct_of_peak_sustained_active,sm__issue_active.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_tensor.sum,smsp__inst_executed.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__throughput.avg.pct_of_peak_sustained_elapsed,lts__t_sectors.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active
for s in barrier long_scoreboard short_scoreboard math_pipe_throttle mio_throttle lg_throttle wait not_selected dispatch_stall; do m=$m,smsp__average_warps_issue_stalled_${s}_per_issue_active.ratio; done
timeout 100 ncu --clock-control none -k 'regex:chained' --csv --page raw --metrics $m $B/k --profile > $OUT/ncu.csv 2>&1
echo "ncu $((SECONDS-start))"
timeout 60 ncu --clock-control none -k 'regex:chained_kernel|chained_gradient' --launch-skip ${SKIP:-12} --launch-count ${COUNT:-4} --set source --section SourceCounters -o $OUT/src $B/k --profile > /dev/null 2>&1; ncu -i $OUT/src.ncu-rep --page source --csv > $OUT/source.csv 2>/dev/null; gzip -f $OUT/source.csv; rm -f $OUT/src.ncu-rep
echo "end $((SECONDS-start))"
