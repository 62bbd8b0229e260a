// Forward, gradient of the input and gradient of the mixing matrices with everything between the maps on chip.
//
// All three expand the source with both factors of every mode, Z, a tile of 16 x 16 pixels and 16 channels at a time:
//
//   source [v][u][c]  --first factors-->   lines [b][v][p][c]    shared memory, all row factors b
//   lines             --second factors-->  Z_k [q][c]            registers of a warp: 16 pixels q of one position p
//   Z_k               --mixing matrix-->   target [q][o]         registers: the sums of the pass are the left operand
//   or Z_k^T          --grad_out [q][o]--> sums_k [c][o]         the same, transposed, for the mixing matrices
//
// with (u, p) along the axis of the first pass and (v, q) along that of the second (direction.h). Every product is one
// of 16-bit operands on tensor cores, sums are float32 (number_format.cuh): bfloat16 for maps of bfloat16; for maps of
// float32 half precision, which has as many digits as TF32, scaled by powers of two so that its range suffices; and in
// full float32 each operand in two halves, three products each.
//
// Maps smaller than a tile share one: tiles of the first pass several images, those of the second several positions.
#pragma once

#include "scdcf/ops/cuda/problem/direction.h"
#include "scdcf/ops/cuda/problem/magnitudes.h"
#include "scdcf/ops/cuda/problem/mixing_slices.h"

namespace scdcf::ops::cuda {

constexpr int kChainedWarps = 16;      // of forward and gradient of the input, at most (half as many in full float32)
constexpr int kGradientWarps = 20;     // of the gradient of the mixing, at most: a mode each
constexpr int kFewGradientWarps = 16;  // of them, where a warp has many registers
constexpr int kFragment = 32 * 16;     // bytes of a 16 x 16 operand
constexpr int kBlockBytes = 48;        // of what a block of forward or gradient of the input knows of itself
constexpr int kChannels = 16;          // of the source, at a time
constexpr int kSlot = 2 * kChannels;   // bytes of a position in the lines

/// Lines that a row tile of the second pass reads, of those that a block has.
struct TileLines {
  int begin, count;
};

/// How positions and lines share tiles of 16 rows, and where things are in shared memory. A block has one tile of the
/// first pass and `q_run` neighbouring tiles of the second, which share its lines.
struct ChainedTiles : Direction {
  int parts;                      // of an operand: 2 in full float32
  int images, groups;             // images of a tile, and groups of images
  int first_bits, second_bits;    // 2^bits images share a row tile of the first pass, positions one of the second
  int row_tiles;                  // of the first pass
  int position_tiles;             // row tiles of the second pass
  int q_run, q_runs;              // tiles q of a block, and runs of them
  int lines;                      // that a block reads at most
  int first_steps, second_steps;  // of 16 sources
  int pitch, plane;               // bytes of a line and of a factor's lines
  int second_at, places_at, tile_lines_at, lines_at, shared_bytes;
  int mode_count, chunks;
  int16_t mode_begin[kMaxFactors + 1];  // modes by their second factor
  int8_t mode_first[kMaxModes + 1];
  int16_t mode_index[kMaxModes];  // of the problem

  __host__ __device__ int positions() const { return images * first.tile; }
  __host__ __device__ int place_count() const { return round_up(position_tiles, 2) << second_bits; }
  /// Steps of 16 sources; of 16 lines.
  __host__ __device__ int steps_of(int sources, int bits) const { return bits > 0 ? 1 : (sources + 15) / 16; }
  /// Positions of a row tile that the lines have room for.
  __host__ __device__ int row_slots() const { return row_tiles == 1 && first_bits == 0 ? first.tile : 16; }
  __host__ __device__ int first_fragments() const { return first.modes * first_steps * parts; }
  __host__ __device__ int second_fragments() const { return second.modes * second_steps * parts; }
  __host__ __device__ int64_t first_bank(int scale, int tile) const {
    return (int64_t(scale) * first.tiles + tile) * first_fragments() * 32;
  }
  __host__ __device__ int64_t second_bank(int scale, int tile) const {
    return (int64_t(scale) * second.tiles + tile) * second_fragments() * 32;
  }
  __host__ __device__ int tiles_of_run(int q_tile0) const {
    return second.tiles - q_tile0 < q_run ? second.tiles - q_tile0 : q_run;
  }
  /// What the tiles q of a block read.
  __host__ __device__ LineSpan lines_of(int radius_, int q_tile0) const {
    const LineSpan low = second.reach(radius_, q_tile0),
                   high = second.reach(radius_, q_tile0 + tiles_of_run(q_tile0) - 1);
    return {low.begin, high.begin + high.count - low.begin};
  }
  __host__ __device__ int lines_bytes() const { return first.modes * parts * plane; }
  int64_t bank_bytes(int scales) const { return (first_bank(scales, 0) + second_bank(scales, 0)) * 16; }
};

/// A block's warps are in teams. An item of work is one tile q and `wide` target channels, a warp's part of it two row
/// tiles of the second pass. A team has one item; several, one after the other, where a sum ends with one round of
/// lines.
struct ChainedPlan : ChainedTiles {
  int team_warps, teams;
  int wide, wides;               // target channels of an item
  int block_wides, wide_blocks;  // of them in a block
  int matrix_at, block_at;       // in shared memory
  int run, runs;                 // groups of images that a block does one after the other

  int warps() const { return teams * team_warps; }
  int items() const { return q_run * block_wides; }
  int64_t blocks() const { return int64_t(target_planes) * runs * first.tiles * q_runs * wide_blocks; }
  __host__ __device__ int packed_fragments() const { return wide / 16 * parts; }  // of a mode and 16 channels
  __host__ __device__ int matrix_bytes() const { return mode_count * packed_fragments() * kFragment; }  // 16 channels
  int64_t packed_bytes(int mixings) const { return int64_t(mixings) * wides * chunks * matrix_bytes(); }
};
static_assert(sizeof(ChainedPlan) <= 4000, "kernel parameters");

struct ChainedGradientPlan : ChainedTiles, MixingSlices {
  int warps, mode_groups, wide, wides;
  int grad_at, grad_pitch, grad_tile;  // grad_out in shared memory: bytes of a row and of a row tile

  __host__ __device__ int tiles() const { return chunks * wides * mode_groups; }
  __host__ __device__ int block_sums() const { return warps * kChannels * wide; }
  __host__ __device__ int units_per_pair() const { return first.tiles * q_runs * groups; }
  __host__ __device__ int grad_tiles() const { return round_up(position_tiles, 2); }  // of a tile q
  int64_t partial_floats() const { return int64_t(slices) * tiles() * block_sums(); }
};
static_assert(sizeof(ChainedGradientPlan) <= 4000, "kernel parameters");

/// Products of 16 x 8 x 16 numbers of a block, of 16 channels: of the first pass, and of the second with the mix.
struct BlockProducts {
  int64_t first, mix;
};
/// rows: row tiles of the second pass that are computed for each tile q.
BlockProducts block_products(const ChainedTiles& f, int rows, int wide, int radius);

/// False where shared memory does not suffice or the problem has more factors than the kernels take.
bool plan_chained(const DeviceProblem& p, bool forward, DataType type, Precision precision, ChainedPlan& plan);
bool plan_chained_gradient(const DeviceProblem& p, DataType type, Precision precision, ChainedGradientPlan& plan);

/// `bank` and `packed` are written first; source and target are maps of the type.
void run_chained(const DeviceProblem& p, const ChainedPlan& plan, bool forward, const void* source,
                 const float* factors, const float* mixing, void* target, uint4* bank, uint4* packed,
                 const Magnitudes* magnitudes, DataType type, cudaStream_t stream);
void run_chained_gradient(const DeviceProblem& p, const ChainedGradientPlan& plan, const void* in, const float* factors,
                          const void* grad_out, float* grad_mixing, uint4* bank, float* partial,
                          const Magnitudes* magnitudes, DataType type, cudaStream_t stream);

/// The factors' fragments, and the mixing matrices' where `packed` is not null.
void build_chained_operands(const DeviceProblem& p, const ChainedTiles& f, bool forward, int wide, int wides,
                            const float* factors, const float* mixing, uint4* bank, uint4* packed,
                            const Magnitudes* magnitudes, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
