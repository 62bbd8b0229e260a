// The fused kernel for Hopper: one persistent block per multiprocessor, TF32.
//
// Sums of the mix are transposed: rows are (second mode, target channel), columns are pixels. Consumer warpgroups
// multiply the mixing matrix, streamed through a ring in shared memory (each block of a cluster fetches its share for
// all), by the first pass of a tile of pixels, which producer warps compute one chunk of channels ahead. The sums lie
// in registers just as the left operand of the second pass wants them, so that they never leave them.
//
// A tile has `columns` columns, one per image and position p; a column has `pitch` pixels, one per line, and the
// columns follow each other without a gap.
#pragma once

#include "scdcf/ops/cuda/direction.h"

namespace scdcf::ops::cuda {

constexpr int kStreamedModes = 4;  // of one kind, at most
constexpr int kFactorPitch = 40;   // so that the lanes of a warp read different banks

/// consumers: warpgroups; row_tiles: of 64 rows, per consumer; width: columns of the product, that is pixels.
template <int consumers_, int row_tiles_, int width_, int pitch_>
struct StreamedTile {
  static constexpr int consumers = consumers_, row_tiles = row_tiles_, width = width_, pitch = pitch_;
  static constexpr int columns = width / pitch;
  static constexpr int line_tiles = (pitch + 7) / 8;                       // 8-column tiles of the second pass
  static constexpr int depth = pitch == 28 ? 3 : line_tiles;               // steps of the first pass
  static constexpr int bank_tiles = pitch == 28 ? 1 : 2;                   // 16-row tiles of the first factors
  static constexpr int blocks = consumers * row_tiles;                     // of 16 target channels
  static constexpr int partials = 4 / row_tiles;                           // warps that share a block of channels
  static constexpr int wide = 16 * blocks;                                 // target channels
  static constexpr int producers = row_tiles == 1 && pitch == 28 ? 2 : 1;  // warpgroups
  static constexpr int producer_warps = producers * 4, consumer_threads = consumers * 128;
  static constexpr int threads = (consumers + producers) * 128;
  static constexpr int slots = row_tiles == 1 ? 6 : 3;   // pieces of the mixing matrix in the ring
  static constexpr int piece_bytes = blocks * 64 * 128;  // of the mixing matrix: 32 source channels of a first mode
  static constexpr int line_bytes = width * 128;         // of the first pass, likewise
  static constexpr int buffer_bytes = kStreamedModes * line_bytes;  // a chunk: 32 source channels, all first modes
  // Second factors [mode][result][kFactorPitch]: the factor of line l at l + 8; four more results are read, unused.
  static constexpr int factor_bytes = (kStreamedModes * pitch + 4) * kFactorPitch * 4;
  static constexpr int buffers_at = slots * piece_bytes, factors_at = buffers_at + 2 * buffer_bytes;
  static constexpr int barriers_at = factors_at + factor_bytes;
  static constexpr int shared_bytes = barriers_at + 256;
  static constexpr int shifts = pitch % 8 == 4 ? 2 : pitch % 2 ? 8 : 4;  // columns start at so many places of a step
  // Columns whose results fit into a buffer of the first pass.
  static constexpr int round =
      buffer_bytes / (partials * pitch * wide * 4) < columns ? buffer_bytes / (partials * pitch * wide * 4) : columns;
  // Together no more than a launch gives: 168 registers for 384 threads, 128 for 512; else the kernel waits for ever.
  static constexpr int consumer_registers = consumers == 3 ? 136 : producers == 1 ? 200 : 160;
  static constexpr int producer_registers = ((threads == 384 ? 504 : 512) - consumers * consumer_registers) / producers;
  static_assert(producer_registers % 8 == 0, "as setmaxnreg wants it");
};

/// The sizes of a tile that depend on the problem, and which tile it is.
struct StreamedPlan : Direction {
  int consumers, row_tiles, width, pitch;
  int images, groups, lines, chunks, wide, wides, tile_groups;
  int cluster, clusters;
  int piece_bytes, factor_bytes;

  int items() const { return target_planes * wides * tile_groups; }
  int64_t packed_bytes(int mixings) const { return int64_t(mixings) * wides * chunks * first.modes * piece_bytes; }
  int64_t second_bytes(int scales) const { return int64_t(scales) * factor_bytes; }
};

static_assert(sizeof(StreamedPlan) <= 4000, "kernel parameters");

/// Calls visit(tile) with the plan's StreamedTile.
template <class Visit>
void visit_tile(const StreamedPlan& f, Visit&& visit) {
  if (f.consumers == 3) return f.pitch == 14 ? visit(StreamedTile<3, 2, 72, 14>{}) : visit(StreamedTile<3, 2, 56, 7>{});
  if (f.row_tiles == 2)
    return f.pitch == 28   ? visit(StreamedTile<2, 2, 112, 28>{})
           : f.pitch == 14 ? visit(StreamedTile<2, 2, 104, 14>{})
                           : visit(StreamedTile<2, 2, 104, 7>{});
  return f.pitch == 28   ? visit(StreamedTile<2, 1, 112, 28>{})
         : f.pitch == 14 ? visit(StreamedTile<2, 1, 104, 14>{})
                         : visit(StreamedTile<2, 1, 104, 7>{});
}

/// False where the device, its code or the shape do not allow it.
bool plan_streamed(const DeviceProblem& p, bool forward, StreamedPlan& plan);
/// Whether the kernel was compiled for this device.
bool has_wgmma();
/// The second factors and the mixing matrices as the kernel reads them.
void build_streamed_operands(const DeviceProblem& p, const StreamedPlan& plan, bool forward, const float* factors,
                             const float* mixing, void* second, void* packed, cudaStream_t stream);
void run_streamed(const StreamedPlan& plan, const float* source, const float4* first, const void* second,
                  const void* packed, float* target, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
