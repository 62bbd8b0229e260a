// The gradient of the mixing matrices for Hopper, products of warpgroups with 16-bit operands (number_format.cuh; the
// sums are those of mixing_gradient.h): a block per multiprocessor, more only where there are more tiles of channels.
//
// The sums of a block are rows (column mode a, output channel o) by columns (row mode b, one of 32 input channels c). A
// consumer warp computes the adjoint column pass of 16 output channels at one output column x; the result lies in its
// registers just as the left operand of the product wants it. The right operand, the row pass of the input, comes from
// producer warps through a ring in shared memory. One product sums over sixteen (x, v): sixteen input rows v at one x,
// or eight at two.
//
// A stage of the ring has eight columns x and all rows v of a tile, in parts of 128 rows (b, c) by 64 numbers (x, v),
// laid out as hopper.cuh says.
#pragma once

#include <type_traits>

#include "scdcf/ops/cuda/problem/magnitudes.h"
#include "scdcf/ops/cuda/streamed/mixing_gradient.h"

namespace scdcf::ops::cuda {

/// consumers: warpgroups; row_tiles: of 64 rows, per consumer; halves: eights of v in a tile; depth: eights of
/// positions of a line, of both passes.
template <int consumers_, int row_tiles_, int halves_, int depth_>
struct StreamedGradientTile {
  static constexpr int consumers = consumers_, row_tiles = row_tiles_, halves = halves_, depth = depth_;
  static constexpr int wide = consumers * row_tiles * 16;  // output channels
  static constexpr int threads = (consumers + 1) * 128;
  static constexpr int part_bytes = 128 * 128, stage_bytes = halves * part_bytes;
  // Columns x that are fetched together, and batches of them that a consumer fetches ahead: as the registers allow.
  static constexpr int batch = row_tiles * halves == 4 ? 1 : 2, ahead = row_tiles == 1 && halves == 2 ? 1 : 2;
  static constexpr int products = batch * halves / 2;  // of a batch and row tile
  static constexpr int slots = 6, steps = (depth + 1) / 2;
  static constexpr int half_factors = kGradientModes * steps * 32;  // right operands of a pass, two words each
  static constexpr int factor_bytes = 2 * half_factors * 8;         // every warpgroup has its own
  static constexpr int factors_at = slots * stage_bytes, barriers_at = factors_at + (consumers + 1) * factor_bytes;
  static constexpr int shared_bytes = barriers_at + 2 * slots * 8;
  static constexpr int sums = consumers * row_tiles * 64 * 128;  // of a block
  // Together no more than a launch gives: 168 registers for 384 threads, 128 for 512; else the kernel waits for ever.
  static constexpr int consumer_registers = consumers == 3 ? 136 : 200;
  static constexpr int producer_registers = (consumers == 3 ? 512 : 504) - consumers * consumer_registers;
};

struct StreamedGradientPlan {
  MixingPlan mixing;
  int consumers, row_tiles, halves, depth, wide, sums;
  int border_bits;

  int64_t partial_floats() const { return int64_t(mixing.slices) * mixing.tiles() * sums; }
};

static_assert(sizeof(StreamedGradientPlan) <= 4040, "kernel parameters");

/// Calls visit(tile) with the plan's StreamedGradientTile.
template <class Visit>
void visit_tile(const StreamedGradientPlan& g, Visit&& visit) {
  const auto with = [&](auto halves, auto depth) {
    constexpr int h = decltype(halves)::value, d = decltype(depth)::value;
    if (g.consumers == 3) return visit(StreamedGradientTile<3, 1, h, d>{});
    return g.row_tiles == 2 ? visit(StreamedGradientTile<2, 2, h, d>{}) : visit(StreamedGradientTile<2, 1, h, d>{});
  };
  using std::integral_constant;
  if (g.halves == 1) return with(integral_constant<int, 1>{}, integral_constant<int, 1>{});
  return g.depth == 2 ? with(integral_constant<int, 2>{}, integral_constant<int, 2>{})
                      : with(integral_constant<int, 2>{}, integral_constant<int, 3>{});
}

/// False where the device, its code or the shape do not allow it.
bool plan_streamed_gradient(const DeviceProblem& p, DataType type, Precision precision, StreamedGradientPlan& plan);
/// rows, columns: memory for the fragments of both banks; in and grad_out are maps of the type, magnitudes those of
/// maps of float32.
void run_streamed_gradient(const DeviceProblem& p, const StreamedGradientPlan& plan, const void* in,
                           const float* factors, const void* grad_out, uint4* rows, uint4* columns, float* partial,
                           float* grad_mixing, const Magnitudes* magnitudes, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
