// The streamed kernel's second pass, from the sums in registers to the target.
#pragma once

#include "scdcf/ops/cuda/streamed/streamed_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Results of a round of columns in shared memory: [partial][column of the round][q][channel]; channels are XORed so
/// that the lanes of a warp store to different banks.
template <class Tile>
__device__ inline float* result_at(float* results, int partial, int column, int q, int channel) {
  return results + ((partial * Tile::round + column) * Tile::pitch + q) * Tile::wide + (channel ^ q / 2 % 4 * 8);
}

template <class Tile>
__device__ inline void store_column(float* results, int column, int q_size, const float (&d)[Tile::line_tiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, q0 = lane % 4 * 2;
  const int partial = warp / Tile::blocks, channel = warp % Tile::blocks * 16 + lane / 4;
  float* low = result_at<Tile>(results, partial, column, q0, channel);
  float* high = result_at<Tile>(results, partial, column, q0, channel + 8);
#  pragma unroll
  for (int j = 0; j < Tile::line_tiles; ++j)
#  pragma unroll
    for (int r = 0; r < 2; ++r)
      if (q0 + j * 8 + r < q_size) {
        low[(j * 8 + r) * Tile::wide] = d[j][r];
        high[(j * 8 + r) * Tile::wide] = d[j][r + 2];
      }
}

__device__ inline void store_four(float* to, const float4& x) { *reinterpret_cast<float4*>(to) = x; }
__device__ inline void store_four(bf16* to, const float4& x) {
  *reinterpret_cast<uint2*>(to) = make_uint2(pack_bf16(x.x, x.y), pack_bf16(x.z, x.w));
}

/// Adds the partial results of a round and writes them to the target.
template <class Tile, class T>
__device__ inline void write_round(const StreamedPlan& f, const Item& item, float* results, int begin, int end,
                                   float unscale, T* target) {
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
    float4 sum = *reinterpret_cast<float4*>(result_at<Tile>(results, 0, column, q, channel));
#  pragma unroll
    for (int k = 1; k < Tile::partials; ++k) {
      const float4 v = *reinterpret_cast<float4*>(result_at<Tile>(results, k, column, q, channel));
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    const int pixel = image * f.target_planes * f.target_pixels + p * f.p_step + q * f.q_step;
    store_four(target + pixel * f.target_channels + channel,
               make_float4(sum.x * unscale, sum.y * unscale, sum.z * unscale, sum.w * unscale));
  }
}

/// The second pass of one block of channels. Columns which start at the same place of a step share the factors and are
/// visited together.
template <class Tile, class T>
struct SecondPass {
  static constexpr bool each = Tile::each;
  static constexpr int tiles = Tile::line_tiles, columns = Tile::columns;
  static constexpr bool paired = Tile::round == columns;  // else the columns of a round must not mix with others
  static constexpr int visits = paired && Tile::shifts < columns ? Tile::shifts : columns;
  /// Columns of a visit: each `shifts` after the one before.
  static constexpr int together = paired ? (columns + visits - 1) / visits : 1;
  using Sums = float[each ? columns : together][tiles][4];
  using Products = float[Tile::row_tiles][Tile::width / 2];

  const char* factors;  // of this warp's first mode and of this lane

  __device__ static constexpr int sums_of(int column, int i) { return each ? column : i; }
  __device__ uint32_t factor(int mode, int j, int line) const {
    return *reinterpret_cast<const uint32_t*>(factors + ((mode * Tile::pitch + j * 8) * kFactorPitch + line) * 2);
  }
  /// Step k of eight lines, and k + 1 where the columns have that too.
  template <int visit, int mode, int k>
  __device__ void step(Sums& sums, const Products& acc) const {
    constexpr int shift = visit * Tile::pitch % 8, steps = (shift + Tile::pitch + 7) / 8;
    constexpr bool both = k + 1 < steps;
    uint32_t a[together][4];
#  pragma unroll
    for (int i = 0; i < together; ++i) {
      const int column = visit + i * Tile::shifts;
      if (column >= columns) continue;
      const float* sum = &acc[mode][(column * Tile::pitch / 8 + k) * 4];
      a[i][0] = pack_here<T>(sum[0], sum[1]), a[i][1] = pack_here<T>(sum[2], sum[3]);
      if constexpr (both) a[i][2] = pack_here<T>(sum[4], sum[5]), a[i][3] = pack_here<T>(sum[6], sum[7]);
    }
#  pragma unroll
    for (int j = 0; j < tiles; ++j) {
      const uint32_t low = factor(mode, j, k * 8 - shift), high = both ? factor(mode, j, k * 8 + 8 - shift) : 0;
#  pragma unroll
      for (int i = 0; i < together; ++i) {
        const int column = visit + i * Tile::shifts;
        if (column >= columns) continue;
        float(&to)[4] = sums[sums_of(column, i)][j];
        if constexpr (both)
          multiply_16<T>(to, a[i], low, high, false);
        else
          multiply_8<T>(to, a[i][0], a[i][1], low);
      }
    }
    if constexpr (k + 2 < steps) step<visit, mode, k + 2>(sums, acc);
  }
  /// sums += second pass of acc; store(column, sums) when a column is complete, write(begin, end) when a round is.
  template <int visit = 0, class Store, class Write>
  __device__ void run(Sums& sums, const Products& acc, const Store& store, const Write& write) const {
    if constexpr (!each) {
#  pragma unroll
      for (int i = 0; i < together * tiles * 4; ++i) sums[i / (tiles * 4)][i / 4 % tiles][i % 4] = 0;
    }
    step<visit, 0, 0>(sums, acc);
    if constexpr (Tile::row_tiles == 2) step<visit, 1, 0>(sums, acc);
#  pragma unroll
    for (int i = 0; i < together; ++i)
      if (visit + i * Tile::shifts < columns)
        store(visit + i * Tile::shifts, sums[sums_of(visit + i * Tile::shifts, i)]);
    if constexpr (visit + 1 == visits || (!paired && (visit + 1) % Tile::round == 0))
      write(visit / Tile::round * Tile::round, paired ? columns : visit + 1);
    if constexpr (visit + 1 < visits) run<visit + 1>(sums, acc, store, write);
  }
};

}  // namespace scdcf::ops::cuda
#endif
