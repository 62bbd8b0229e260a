// Consumers of the streamed kernel: the mix, and the second pass after it.
#pragma once

#include "scdcf/ops/cuda/streamed/streamed_second_pass.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Fetches the pieces of the mixing matrices in the order of their use; one thread of the block runs it.
template <class Tile>
struct PieceFetcher {
  int index, stage, end, chunk, pair, wide, count;  // the next piece; count: pieces so far

  __device__ void init(const StreamedPlan& f) {
    index = blockIdx.x / f.cluster, count = 0;
    start_item(f);
  }
  __device__ void start_item(const StreamedPlan& f) {
    if (index >= item_count(f)) return;
    const Item item = item_of(f, index, 0);
    stage = f.stage_begin[item.plane], end = f.stage_begin[item.plane + 1], wide = item.wide, chunk = pair = 0;
  }
  /// Waits until the slot of the next piece is free in all blocks of the cluster.
  __device__ void fetch(const StreamedPlan& f, const char* packed, const Shared<Tile>& shared, int rank) {
    if (index >= item_count(f)) return;
    const int slot = count % Tile::slots, part = Tile::piece_bytes / f.cluster;
    if (count >= Tile::slots) wait(shared.piece_empty(slot), (count / Tile::slots + 1) % 2);
    arrive_expecting(shared.piece_full(slot), Tile::piece_bytes);
    const int64_t piece = ((int64_t(f.stages[stage].mixing) * f.wides + wide) * f.chunks + chunk) * f.pairs + pair;
    copy_bulk(shared.piece(slot) + rank * part, packed + piece * Tile::piece_bytes + rank * part, part,
              shared.piece_full(slot), (1u << f.cluster) - 1);
    ++count;
    if (++pair < f.pairs) return;
    pair = 0;
    if (++chunk < f.chunks) return;
    chunk = 0;
    if (++stage < end) return;
    index += f.clusters;
    start_item(f);
  }
};

/// unscale: what results are multiplied by.
template <class Tile, class T>
__device__ void consume(const StreamedPlan& f, const char* second, const char* packed, float unscale, T* target,
                        const Shared<Tile>& shared, int rank) {
  constexpr bool each = Tile::each;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, items = item_count(f);
  const int mode = warp / Tile::blocks * Tile::row_tiles;
  const uint32_t row_offset = threadIdx.x / 128 * Tile::row_tiles * 64 * 128;
  float acc[Tile::row_tiles][Tile::width / 2];
  auto& fetcher = *reinterpret_cast<PieceFetcher<Tile>*>(shared.scratch());  // of thread 0; no registers of the others
  if (threadIdx.x == 0) {
    fetcher.init(f);
    for (int i = 0; i < Tile::slots; ++i) fetcher.fetch(f, packed, shared, rank);
  }
  sync_warp();
  int turn = 0, slot = 0, phase = 0;
  uint32_t runs_done = 0;
  int held = -1;  // the piece that products still read
  const auto release_piece = [&] {
    if (held < 0) return;
    if (lane < f.cluster) arrive_at(shared.piece_empty(held), lane);
    if (threadIdx.x == 0) fetcher.fetch(f, packed, shared, rank);
    sync_warp();
    held = -1;
  };
  const auto release_buffer = [&](int of) {
    if (lane == 0) arrive(shared.buffer_empty(of));
  };
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
    const int begin = f.stage_begin[item.plane], end = f.stage_begin[item.plane + 1];
    typename SecondPass<Tile, T>::Sums sums;
    if constexpr (each) {
#  pragma unroll
      for (int i = 0; i < Tile::columns * Tile::line_tiles * 4; ++i)
        sums[i / (Tile::line_tiles * 4)][i / 4 % Tile::line_tiles][i % 4] = 0;
    }
    // A run ends with the second pass: a stage if every stage has its own factors, else the whole tile.
    const int runs = each ? end - begin : 1, run_chunks = each ? f.chunks : f.chunks * (end - begin);
#  pragma unroll 1
    for (int run = 0; run < runs; ++run) {
#  pragma unroll 1
      for (int chunk = 0; chunk < run_chunks; ++chunk, ++turn) {
        wait(shared.buffer_full(turn), turn / 2 % 2);
        uint64_t right = operand_at(shared.buffer(turn));
#  pragma unroll 1
        for (int b = 0; b < f.pairs; ++b, right += Tile::line_bytes / 16) {
          wait(shared.piece_full(slot), phase);
          const uint64_t left = operand_at(shared.piece(slot) + row_offset);
          const bool fresh = b == 0 && chunk == 0;
          begin_products();
#  pragma unroll
          for (int k = 0; k < 4;
               ++k)  // two for each mode of the pair; under a condition they would wait for each other
#  pragma unroll
            for (int i = 0; i < Tile::row_tiles; ++i)
              multiply_rows<T>(acc[i], left + k * 2 + i * (64 * 128 / 16), right + k * 2, k > 0 || !fresh);
          commit_products();
          wait_products<1>();
          release_piece();
          if (b == 0 && chunk > 0) release_buffer(turn + 1);
          if (b == 0 && chunk == 0 && threadIdx.x == 0) {
            if (runs_done > 0) wait(shared.factors_empty(), (runs_done - 1) % 2);
            arrive_expecting(shared.factors_full(), Tile::factor_bytes);
            copy_bulk(shared.factors(), second + int64_t(f.stages[begin + run].scale) * Tile::factor_bytes,
                      Tile::factor_bytes, shared.factors_full(), 1u << rank);
          }
          held = slot;
          if (++slot == Tile::slots) slot = 0, phase ^= 1;
        }
      }
      wait_products<0>();
      release_piece();
      release_buffer(turn + 1);
      const bool last = run + 1 == runs;
      if (last) sync_some<Tile::consumer_threads>();  // all have written out the results of the tile before
      float* results = shared.results();
      wait(shared.factors_full(), runs_done++ % 2);
      const SecondPass<Tile, T> second_pass{shared.factors() +
                                            ((mode * Tile::pitch + lane / 4) * kFactorPitch + 8 + lane % 4 * 2) * 2};
      const auto store = [&](int column, const float(&d)[Tile::line_tiles][4]) {
        store_column<Tile>(results, column % Tile::round, f.second.tile, d);
      };
      const auto write = [&](int from, int to) {
        sync_some<Tile::consumer_threads>();
        write_round<Tile>(f, item, results, from, to, unscale, target);
        if (to < Tile::columns) sync_some<Tile::consumer_threads>();
      };
      if constexpr (each) {
        second_pass.run(
            sums, acc, [](int, const float(&)[Tile::line_tiles][4]) {}, [](int, int) {});
        arrive(shared.factors_empty());
        if (!last) continue;
#  pragma unroll
        for (int column = 0; column < Tile::columns; ++column) {
          store(column, sums[column]);
          const int end = column + 1;
          if (end % Tile::round == 0 || end == Tile::columns) write(column / Tile::round * Tile::round, end);
        }
      } else {
        second_pass.run(sums, acc, store, write);
        arrive(shared.factors_empty());
      }
    }
  }
}

}  // namespace scdcf::ops::cuda
#endif
