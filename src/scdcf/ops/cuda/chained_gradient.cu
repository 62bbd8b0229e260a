#include "scdcf/ops/cuda/chained_gradient.cuh"
#include "scdcf/ops/cuda/gradient_slices.cuh"

namespace scdcf::ops::cuda {
namespace {

using Sums = float[2][16][4];

template <class T>
__device__ void stage_grad(const ChainedGradientPlan& c, const GradientUnit& u, int out0, const T* grad_out,
                           char* shared) {
  const MixingPlan& m = c.mixing;
  const GradientPair pair = m.pairs[u.pair];
  const LineSpan ys = m.columns.reach(m.radius[pair.scale], u.v_tile), xs = m.rows.targets_of(u.x_tile);
  const int64_t plane = (int64_t(u.image0) * m.scales + pair.scale) * m.out_pixels,
                pixel = plane + int64_t(ys.begin) * m.out_width + xs.begin;
  stage_lines(shared + c.grad_stage, grad_out + pixel * m.out_channels + out0, u.images,
              int64_t(m.scales) * m.out_pixels * m.out_channels, m.rows.tile, xs.count, m.out_channels, ys.count,
              c.depth * 8, m.out_width * m.out_channels, m.out_channels - out0);
}

template <class T>
__device__ void stage_input(const ChainedGradientPlan& c, const GradientUnit& u, int in0, const T* in, char* shared) {
  const MixingPlan& m = c.mixing;
  const GradientPair pair = m.pairs[u.pair];
  const LineSpan us = m.rows.reach(m.radius[pair.scale], u.x_tile), vs = m.columns.targets_of(u.v_tile);
  const int64_t plane = (int64_t(u.image0) * m.planes + pair.plane) * m.in_pixels,
                pixel = plane + int64_t(vs.begin) * m.in_width + us.begin;
  for (int part = 0; part <= c.split; ++part)
    stage_lines(shared + part * (c.grad_stage / 2), in + pixel * m.in_channels + in0 + part * kChunk, u.images,
                int64_t(m.planes) * m.in_pixels * m.in_channels, m.columns.tile, vs.count, m.in_width * m.in_channels,
                us.count, c.depth * 8, m.in_channels, m.in_channels - in0 - part * kChunk);
}

/// The product's left operand: 2 tiles of 16 channels.
using Operand = uint32_t[2][4];

/// The row pass of one staged line for eight columns x: d[tile of channels][rows and columns].
template <class T, int depth>
__device__ inline void row_pass(float (&d)[2][4], const char* line, const float4 (&factor)[depth], int half) {
#pragma unroll
  for (int s = 0; s < depth; ++s) {
    uint32_t low[4], high[4];
    load_staged(low, reinterpret_cast<const T*>(line + s * 8 * stage_pitch<T>));
    load_staged(high, reinterpret_cast<const T*>(line + (s * 8 + 4) * stage_pitch<T>));
    const uint32_t b0 = float_to_bits(half ? factor[s].y : factor[s].x),
                   b1 = float_to_bits(half ? factor[s].w : factor[s].z);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t a[4] = {low[2 * i], low[2 * i + 1], high[2 * i], high[2 * i + 1]};
      if (s == 0)
        product_tf32(d[i], a, b0, b1);
      else
        mma_tf32(d[i], a, b0, b1);
    }
  }
}

/// What a warp reads during the product. A step is eight columns x of a line (float), or sixteen, or eight of two
/// lines.
template <class T, int halves, int depth>
struct Product {
  const char *stage, *operand;  // of this lane
  int line_bytes, row_bytes, pair_bytes[2], mode_bytes[kGradientModes];
  float4 factor[depth];

  __device__ Product(const ChainedGradientPlan& c, const float4* factors, const char* shared) {
    const MixingPlan& m = c.mixing;
    const int lane = threadIdx.x % 32, b = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
    line_bytes = depth * 8 * stage_pitch<T>, row_bytes = c.x_pairs * pair_pitch<T>;
    stage =
        shared + (c.split ? group * (c.grad_stage / 2) : 0) + lane % 4 * stage_pitch<T> + lane / 4 * 4 * int(sizeof(T));
    operand = shared + c.operand + lane / 4 * 16;
#pragma unroll
    for (int i = 0; i < 2; ++i) pair_bytes[i] = min(lane % 4 + 4 * i, c.x_pairs - 1) * pair_pitch<T>;
#pragma unroll
    for (int i = 0; i < kGradientModes; ++i)  // a mode that is not there repeats the last one, unused
      mode_bytes[i] = min(i, m.columns.group - 1) * m.images * m.columns.tile * row_bytes;
#pragma unroll
    for (int s = 0; s < depth; ++s) factor[s] = factors[(b * depth + s) * 32 + lane];
  }

  /// This lane's piece of a line and pair: n ^ (line % 2).
  __device__ const char* piece(int line, int half) const {
    const char* at = operand + line * row_bytes + pair_bytes[half];
    const int flip = line % 2 * 16;
    return threadIdx.x / 4 % 2 ? at - flip : at + flip;
  }

  /// Float: eight columns of a line.
  __device__ void left(Operand& a, int line, int half) const {
    float d[2][4];
    row_pass<T, depth>(d, stage + line * line_bytes, factor, half);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      a[i][0] = round_tf32(d[i][0]), a[i][1] = round_tf32(d[i][2]), a[i][2] = round_tf32(d[i][1]),
      a[i][3] = round_tf32(d[i][3]);
  }
  __device__ void add(Sums& acc, const Operand& a, int line, int half) const {
    const char* from = piece(line, half);
#pragma unroll
    for (int q = 0; q < 2 * kGradientModes; ++q) {
      const uint4 w = *reinterpret_cast<const uint4*>(from + mode_bytes[q / 2] + q % 2 * 128);
#pragma unroll
      for (int i = 0; i < 2; ++i) mma_tf32(acc[i][2 * q], a[i], w.x, w.y), mma_tf32(acc[i][2 * q + 1], a[i], w.z, w.w);
    }
  }

  /// bf16: sixteen columns of a line, or eight of this line and of the next, which counts as zero if it is not there.
  __device__ void left_pair(Operand& a, int line, int other, bool exists) const {
    float d[2][2][4];
    row_pass<T, depth>(d[0], stage + line * line_bytes, factor, 0);
    row_pass<T, depth>(d[1], stage + other * line_bytes, factor, halves == 2);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a[i][0] = pack_bf16(d[0][i][0], d[0][i][1]), a[i][1] = pack_bf16(d[0][i][2], d[0][i][3]);
      a[i][2] = exists ? pack_bf16(d[1][i][0], d[1][i][1]) : 0;
      a[i][3] = exists ? pack_bf16(d[1][i][2], d[1][i][3]) : 0;
    }
  }
  __device__ void add_pair(Sums& acc, const Operand& a, int line, int other) const {
    const char *low = piece(line, 0), *high = piece(other, halves == 2);
#pragma unroll
    for (int mode = 0; mode < kGradientModes; ++mode) {
      const uint4 x = *reinterpret_cast<const uint4*>(low + mode_bytes[mode]),
                  y = *reinterpret_cast<const uint4*>(high + mode_bytes[mode]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        mma_bf16(acc[i][mode * 4], a[i], x.x, y.x), mma_bf16(acc[i][mode * 4 + 1], a[i], x.y, y.y);
        mma_bf16(acc[i][mode * 4 + 2], a[i], x.z, y.z), mma_bf16(acc[i][mode * 4 + 3], a[i], x.w, y.w);
      }
    }
  }
};

/// sums += row pass of this warp's lines * operand.
template <class T, int halves, int depth>
__device__ inline void accumulate(const ChainedGradientPlan& c, int images, const float4* factors, const char* shared,
                                  Sums& acc) {
  if (int(threadIdx.x) / 32 % 4 >= c.mixing.rows.group) return;
  const Product<T, halves, depth> product(c, factors, shared);
  constexpr int taken = sizeof(T) == 2 && halves == 1 ? 2 : 1;  // lines of a step
  const int lines = images * c.mixing.columns.tile, group = threadIdx.x / 128;
  const int begin = c.split ? 0 : group * taken, by = c.split ? taken : 2 * taken;
  if (begin >= lines) return;
  Operand now;
  if constexpr (sizeof(T) == 4) {
#pragma unroll 1
    for (int line = begin; line < lines; line += by)
      for (int half = 0; half < halves; ++half) product.left(now, line, half), product.add(acc, now, line, half);
  } else {  // the row pass of the next step starts before the product of this one
    Operand next;
    const auto other = [&](int line) { return taken == 2 ? min(line + 1, lines - 1) : line; };
    product.left_pair(now, begin, other(begin), taken == 1 || begin + 1 < lines);
#pragma unroll 1
    for (int line = begin; line < lines; line += by) {
      const int after = min(line + by, lines - 1);  // the last turn computes one that nobody uses
      product.left_pair(next, after, other(after), taken == 1 || after + 1 < lines);
      product.add_pair(acc, now, line, other(line));
#pragma unroll
      for (int i = 0; i < 8; ++i) now[i / 4][i % 4] = next[i / 4][i % 4];
    }
  }
}

template <class T, int halves, int depth>
__global__ void __launch_bounds__(kChainedGradientThreads, 1)
    chained_gradient_kernel(const __grid_constant__ ChainedGradientPlan c, const T* in, const float4* rows,
                            const float4* columns, const T* grad_out, float* partial) {
  const MixingPlan& m = c.mixing;
  char* shared = shared_memory();
  const GradientTask task = task_of(m, blockIdx.x, c.split ? 2 * kChunk : kChunk, kChunk);
  // Positions that a scale does not reach have weight zero, but must hold numbers.
  for (int i = threadIdx.x; i < c.shared_bytes / 16; i += blockDim.x)
    reinterpret_cast<uint4*>(shared)[i] = make_uint4(0, 0, 0, 0);
  sync_block();
  if (task.begin < task.end) stage_grad(c, unit_of(m, task.pair0, task.begin), task.out0, grad_out, shared);
  commit_copies();
  Sums acc = {};
#pragma unroll 1
  for (int index = task.begin; index < task.end; ++index) {
    const GradientUnit u = unit_of(m, task.pair0, index);
    const int scale = m.pairs[u.pair].scale;
    wait_copies<0>();
    sync_block();
    stage_input(c, u, task.in0, in, shared);
    commit_copies();
    adjoint_pass<T, depth>(c, u.images, columns + m.columns.at(scale, u.v_tile, task.column_group), shared);
    wait_copies<0>();
    sync_block();
    if (index + 1 < task.end) stage_grad(c, unit_of(m, task.pair0, index + 1), task.out0, grad_out, shared);
    commit_copies();
    accumulate<T, halves, depth>(c, u.images, rows + m.rows.at(scale, u.x_tile, task.row_group), shared, acc);
  }
  float4* out =
      reinterpret_cast<float4*>(partial + (int64_t(blockIdx.x) * 8 + threadIdx.x / 32) * kWarpSums) + threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 32; ++i)
    out[i * 32] =
        make_float4(acc[i / 16][i % 16][0], acc[i / 16][i % 16][1], acc[i / 16][i % 16][2], acc[i / 16][i % 16][3]);
}

/// As the eight warps wrote their sums. Where two groups of warps had different lines, both hold a part of each.
struct ChainedLayout {
  int split;

  __host__ __device__ int count() const { return (split ? 8 : 4) * kWarpSums; }
  __device__ float read(const float* slice, int number) const {
    return split ? slice[number] : slice[number] + slice[number + 4 * kWarpSums];
  }
  __device__ SumPlace place(int number) const {
    const int r = number % 4, lane = number / 4 % 32, column_tile = number / 128 % 16, row_tile = number / 2048 % 2,
              warp = number / kWarpSums;
    return {warp % 4, column_tile / 4, warp / 4 * kChunk + lane / 4 * 4 + row_tile * 2 + r / 2,
            (lane % 4 * 2 + r % 2) * 4 + column_tile % 4};
  }
};

template <class T>
void run(const ChainedGradientPlan& c, const void* in, const float4* rows, const float4* columns, const void* grad_out,
         float* partial, cudaStream_t stream) {
  const auto start = [&](auto kernel) {
    launch(kernel, int64_t(c.mixing.slices) * c.mixing.tiles(), kChainedGradientThreads, c.shared_bytes, stream, c,
           static_cast<const T*>(in), rows, columns, static_cast<const T*>(grad_out), partial);
  };
  if (c.halves == 1)
    start(chained_gradient_kernel<T, 1, 1>);
  else if (c.depth == 2)
    start(chained_gradient_kernel<T, 2, 2>);
  else
    start(chained_gradient_kernel<T, 2, 3>);
}

}  // namespace

void run_chained_gradient(const DeviceProblem& p, const ChainedGradientPlan& c, const void* in, const float4* rows,
                          const float4* columns, const void* grad_out, float* partial, float* grad_mixing,
                          DataType type, cudaStream_t stream) {
  const MixingPlan& m = c.mixing;
  if (type == DataType::bfloat16)
    run<bf16>(c, in, rows, columns, grad_out, partial, stream);
  else
    run<float>(c, in, rows, columns, grad_out, partial, stream);
  add_slices(p, m, ChainedLayout{c.split}, 8 * kWarpSums, c.split ? 2 * kChunk : kChunk, kChunk, partial, grad_mixing,
             stream);
}

}  // namespace scdcf::ops::cuda
