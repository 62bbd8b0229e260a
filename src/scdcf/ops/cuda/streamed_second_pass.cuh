// The streamed kernel's second pass, from the sums in registers to the target.
#pragma once

#include "scdcf/ops/cuda/streamed_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Results of a round of columns in shared memory: [partial][column of the round][q][channel]; channels are XORed so
/// that the lanes of a warp store to different banks.
template <class Tile>
__device__ inline float* result_at(char* scratch, int partial, int column, int q, int channel) {
  return reinterpret_cast<float*>(scratch) + ((partial * Tile::round + column) * Tile::pitch + q) * Tile::wide +
         (channel ^ q / 2 % 4 * 8);
}

template <class Tile>
__device__ inline void store_column(char* scratch, int column, int q_size, const float (&d)[Tile::line_tiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, q0 = lane % 4 * 2;
  const int partial = warp / Tile::blocks, channel = warp % Tile::blocks * 16 + lane / 4;
  float* low = result_at<Tile>(scratch, partial, column, q0, channel);
  float* high = result_at<Tile>(scratch, partial, column, q0, channel + 8);
#  pragma unroll
  for (int j = 0; j < Tile::line_tiles; ++j)
#  pragma unroll
    for (int r = 0; r < 2; ++r)
      if (q0 + j * 8 + r < q_size) {
        low[(j * 8 + r) * Tile::wide] = d[j][r];
        high[(j * 8 + r) * Tile::wide] = d[j][r + 2];
      }
}

/// Adds the partial results of a round and writes them to the target.
template <class Tile>
__device__ inline void write_round(const StreamedPlan& f, const Item& item, char* scratch, int begin, int end,
                                   float* target) {
  constexpr int pieces = Tile::wide / 4;
  const LineSpan ps = f.first.targets_of(item.p_tile);
  if (!item.exists) return;
  target += (int64_t(item.image0) * f.target_planes + item.plane) * f.target_pixels * f.target_channels +
            int64_t(ps.begin) * f.p_step * f.target_channels + item.wide * Tile::wide;
  const int left = f.target_channels - item.wide * Tile::wide;
#  pragma unroll 2
  for (int i = threadIdx.x; i < (end - begin) * Tile::pitch * pieces; i += Tile::consumer_threads) {
    const int row = i / pieces, q = row % Tile::pitch, column = row / Tile::pitch, channel = i % pieces * 4;
    int image = 0, p = begin + column;
    while (p >= f.first.tile) p -= f.first.tile, ++image;
    if (q >= f.second.tile || image >= item.images || p >= ps.count || channel >= left) continue;
    float4 sum = *reinterpret_cast<float4*>(result_at<Tile>(scratch, 0, column, q, channel));
#  pragma unroll
    for (int k = 1; k < Tile::partials; ++k) {
      const float4 v = *reinterpret_cast<float4*>(result_at<Tile>(scratch, k, column, q, channel));
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    const int pixel = image * f.target_planes * f.target_pixels + p * f.p_step + q * f.q_step;
    *reinterpret_cast<float4*>(target + pixel * f.target_channels + channel) = sum;
  }
}

/// The second pass of one block of channels. Columns which start at the same place of a step share the factors and are
/// visited together.
template <class Tile, bool each>
struct SecondPass {
  static constexpr int tiles = Tile::line_tiles, columns = Tile::columns;
  static constexpr bool paired = Tile::round == columns;  // else the columns of a round must not mix with others
  static constexpr int visits = paired && Tile::shifts < columns ? Tile::shifts : columns;
  using Sums = float[each ? columns : 2][tiles][4];
  using Products = float[Tile::row_tiles][Tile::width / 2];

  const float* factors;  // of this warp's first mode and of this lane

  /// The left operand: step k of a column's sums.
  template <int column, int k>
  __device__ static void left(uint32_t (&a)[4], const float (&acc)[Tile::width / 2]) {
    const float* sum = &acc[(column * Tile::pitch / 8 + k) * 4];
    a[0] = round_here(sum[0]), a[1] = round_here(sum[2]), a[2] = round_here(sum[1]), a[3] = round_here(sum[3]);
  }
  template <int visit, int mode, int k>
  __device__ void step(Sums& sums, const Products& acc) const {
    constexpr int column = visit, other = paired && column + Tile::shifts < columns ? column + Tile::shifts : -1;
    constexpr int shift = column * Tile::pitch % 8;
    uint32_t a[2][4];
    left<column, k>(a[0], acc[mode]);
    if constexpr (other >= 0) left<other, k>(a[1], acc[mode]);
#  pragma unroll
    for (int j = 0; j < tiles; ++j) {
      const float* at = factors + (mode * Tile::pitch + j * 8) * kFactorPitch + k * 8 - shift;
      float2 w;
      if constexpr (shift % 2 == 0)
        w = *reinterpret_cast<const float2*>(at);
      else
        w = make_float2(at[0], at[1]);
      mma_tf32(sums[each ? column : 0][j], a[0], float_to_bits(w.x), float_to_bits(w.y));
      if constexpr (other >= 0) mma_tf32(sums[each ? other : 1][j], a[1], float_to_bits(w.x), float_to_bits(w.y));
    }
    if constexpr ((k + 1) * 8 < shift + Tile::pitch) step<visit, mode, k + 1>(sums, acc);
  }
  /// sums += second pass of acc; store(column, sums) when a column is complete, write(begin, end) when a round is.
  template <int visit = 0, class Store, class Write>
  __device__ void run(Sums& sums, const Products& acc, const Store& store, const Write& write) const {
    constexpr int other = paired && visit + Tile::shifts < columns ? visit + Tile::shifts : -1;
    if constexpr (!each) {
#  pragma unroll
      for (int i = 0; i < 2 * tiles * 4; ++i) sums[i / (tiles * 4)][i / 4 % tiles][i % 4] = 0;
    }
    step<visit, 0, 0>(sums, acc);
    if constexpr (Tile::row_tiles == 2) step<visit, 1, 0>(sums, acc);
    store(visit, sums[each ? visit : 0]);
    if constexpr (other >= 0) store(other, sums[each ? other : 1]);
    if constexpr (visit + 1 == visits || (!paired && (visit + 1) % Tile::round == 0))
      write(visit / Tile::round * Tile::round, paired ? columns : visit + 1);
    if constexpr (visit + 1 < visits) run<visit + 1>(sums, acc, store, write);
  }
};

}  // namespace scdcf::ops::cuda
#endif
