// Forward and gradient of the input for Hopper: one persistent block per multiprocessor, maps of few lines, products of
// warpgroups with 16-bit operands (number_format.cuh).
//
// The mix comes before the second pass, which is then done once for all planes and channels that a target reads. Sums
// of the mix are transposed: rows are (second mode, target channel), columns are pixels. Consumer warpgroups multiply
// the mixing matrix, streamed through a ring in shared memory (each block of a cluster fetches its share for all), by
// the first pass of a tile of pixels, which producer warps compute one chunk of channels ahead. The sums lie in
// registers just as the left operand of the second pass wants them, so that they never leave them.
//
// A tile has `columns` columns, one per image and position p; a column has `pitch` pixels, one per line, and the
// columns follow each other without a gap. First modes go in pairs: 32 channels of each are the 128 bytes of a row.
#pragma once

#include "scdcf/ops/cuda/problem/direction.h"
#include "scdcf/ops/cuda/problem/magnitudes.h"

namespace scdcf::ops::cuda {

constexpr int kStreamedModes = 4;  // of one kind, at most
constexpr int kFactorPitch = 40;   // so that the lanes of a warp read different banks

/// consumers: warpgroups; row_tiles: of 64 rows, per consumer; width: columns of the product, that is pixels; each:
/// every stage has second factors of its own, so that sums of the second pass are kept beside those of the mix; bytes:
/// of a number of the maps.
template <int consumers_, int row_tiles_, int width_, int pitch_, bool each_, int bytes_ = 4>
struct StreamedTile {
  template <int bytes>
  using Of = StreamedTile<consumers_, row_tiles_, width_, pitch_, each_, bytes>;
  static constexpr int consumers = consumers_, row_tiles = row_tiles_, width = width_, pitch = pitch_;
  static constexpr bool each = each_;
  static constexpr int columns = width / pitch;
  static constexpr int line_tiles = (pitch + 7) / 8;          // 8-column tiles of the second pass
  static constexpr int depth = pitch == 28 ? 3 : line_tiles;  // steps of 8 sources of the first pass
  static constexpr int bank_tiles = pitch == 28 ? 1 : 2;      // 16-row tiles of the first factors
  static constexpr int blocks = consumers * row_tiles;        // of 16 target channels
  static constexpr int partials = 4 / row_tiles;              // warps that share a block of channels
  static constexpr int wide = 16 * blocks;                    // target channels
  // Warpgroups: two where their registers suffice. More than that would take a consumer's.
  static constexpr int producers =
      consumers == 2 && (row_tiles == 1 ? pitch == 28 : bytes_ == 2 && !each && pitch == 28) ? 2 : 1;
  static constexpr int producer_warps = producers * 4, consumer_threads = consumers * 128;
  static constexpr int threads = (consumers + producers) * 128;
  static constexpr int slots = row_tiles == 1 ? 6 : 3;   // pieces of the mixing matrix in the ring
  static constexpr int piece_bytes = blocks * 64 * 128;  // of the mixing matrix: 32 source channels of two first modes
  static constexpr int line_bytes = width * 128;         // of the first pass, likewise
  static constexpr int buffer_bytes = kStreamedModes / 2 * line_bytes;  // a chunk: 32 source channels, all first modes
  // Second factors [mode][result][kFactorPitch]: the factor of line l at l + 8; four more results are read, unused.
  static constexpr int factor_bytes = (kStreamedModes * pitch + 4) * kFactorPitch * 2;
  static constexpr int buffers_at = slots * piece_bytes, factors_at = buffers_at + 2 * buffer_bytes;
  static constexpr int barriers_at = factors_at + factor_bytes, results_at = barriers_at + 256;
  // Columns so far apart start at the same place of a step of eight lines.
  static constexpr int shifts = pitch % 8 == 0 ? (columns + 1) / 2 : pitch % 8 == 4 ? 2 : 4;
  // Columns whose results fit into what is left of shared memory.
  static constexpr int column_bytes = partials * pitch * wide * 4, kMost = 232448;
  static constexpr int round =
      (kMost - results_at) / column_bytes < columns ? (kMost - results_at) / column_bytes : columns;
  static constexpr int shared_bytes = results_at + round * column_bytes;
  // Registers of a thread, together no more than a launch gives: 168 for 384 threads, 128 for 512; else the kernel
  // waits for ever.
  static constexpr int consumer_registers = consumers == 3 ? 136 : producers == 1 ? 200 : row_tiles == 2 ? 184 : 160;
  static constexpr int producer_registers = ((threads == 384 ? 504 : 512) - consumers * consumer_registers) / producers;
  static_assert(producer_registers % 8 == 0, "as setmaxnreg wants it");
  static_assert(round > 0, "results");
};

/// The sizes of a tile that depend on the problem, and which tile it is.
struct StreamedPlan : Direction {
  int consumers, row_tiles, width, pitch;
  int images, groups, lines, chunks, wide, wides, tile_groups;
  int pairs;            // of first modes
  int mixing_exponent;  // mixing matrices are scaled below 2^this, so that sums of the mix keep their range
  int cluster, clusters;
  int piece_bytes, factor_bytes;

  int items() const { return target_planes * wides * tile_groups; }
  int64_t packed_bytes(int mixings) const { return int64_t(mixings) * wides * chunks * pairs * piece_bytes; }
  int64_t second_bytes(int scales) const { return int64_t(scales) * factor_bytes; }
  int64_t operand_bytes(const DeviceProblem& p) const {
    return static_cast<int64_t>(aligned(first.bytes(p.scale_count)) + aligned(second_bytes(p.scale_count)) +
                                aligned(packed_bytes(p.mixings)));
  }
};

static_assert(sizeof(StreamedPlan) <= 4000, "kernel parameters");

/// Calls visit(tile) with the plan's StreamedTile.
template <bool each, class Visit>
void visit_tile_of(const StreamedPlan& f, Visit&& visit) {
  if (f.consumers == 3)
    return f.pitch == 14 ? visit(StreamedTile<3, 2, 72, 14, each>{}) : visit(StreamedTile<3, 2, 56, 8, each>{});
  if (f.row_tiles == 2)
    return f.pitch == 28   ? visit(StreamedTile<2, 2, 112, 28, each>{})
           : f.pitch == 14 ? visit(StreamedTile<2, 2, 104, 14, each>{})
                           : visit(StreamedTile<2, 2, 112, 8, each>{});
  return f.pitch == 28   ? visit(StreamedTile<2, 1, 112, 28, each>{})
         : f.pitch == 14 ? visit(StreamedTile<2, 1, 104, 14, each>{})
                         : visit(StreamedTile<2, 1, 112, 8, each>{});
}
template <class Visit>
void visit_tile(const StreamedPlan& f, Visit&& visit) {
  if (f.flush_each)
    visit_tile_of<true>(f, visit);
  else
    visit_tile_of<false>(f, visit);
}

/// False where the device, its code or the shape do not allow it.
bool plan_streamed(const DeviceProblem& p, bool forward, DataType type, Precision precision, StreamedPlan& plan);
/// Whether the kernel was compiled for this device.
bool has_wgmma();

/// The factors and the mixing matrices as the kernel reads them, in device memory.
struct StreamedOperands {
  uint4* first;
  char *second, *packed;
  StreamedOperands(const DeviceProblem& p, const StreamedPlan& plan, char* memory)
      : first(reinterpret_cast<uint4*>(memory)),
        second(memory + aligned(plan.first.bytes(p.scale_count))),
        packed(second + aligned(plan.second_bytes(p.scale_count))) {}
};
void build_streamed_operands(const DeviceProblem& p, const StreamedPlan& plan, bool forward, const float* factors,
                             const float* mixing, const StreamedOperands& operands, const Magnitudes* magnitudes,
                             DataType type, cudaStream_t stream);
/// Source and target are maps of the type; magnitudes of maps of float32.
void run_streamed(const StreamedPlan& plan, bool forward, const void* source, const StreamedOperands& operands,
                  void* target, const Magnitudes* magnitudes, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
