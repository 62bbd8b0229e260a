#include "scdcf/ops/cuda/mixing_gradient.h"

#include "scdcf/ops/cuda/gradient_slices.cuh"
#include "scdcf/ops/cuda/line_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

/// Bytes of one pixel of an operand [mode][pixel][32 channels]: the product reads it without bank conflicts.
template <class T>
constexpr int kPitch = kChunk * sizeof(T) + (sizeof(T) == 4 ? 32 : 16);

/// Both operands of a unit as [mode][pixel][channel]; pixel = ((image, x), v). What does not exist becomes zero.
template <class T, bool exact>
__device__ void both_passes(const MixingPlan& m, const GradientUnit& t, const GradientTask& task, const T* in,
                            const T* grad_out, const float4* rows, const float4* columns, char* shared) {
  const GradientPair pair = m.pairs[t.pair];
  const int radius = m.radius[pair.scale], tv = m.columns.tile, tx = m.rows.tile, image_bytes = tx * tv * kPitch<T>;
  const LineSpan us = m.rows.reach(radius, t.x_tile), ys = m.columns.reach(radius, t.v_tile);
  const LineSpan xs = m.rows.targets_of(t.x_tile), vs = m.columns.targets_of(t.v_tile);
  const int64_t in_step = int64_t(m.planes) * m.in_pixels * m.in_channels,
                out_step = int64_t(m.scales) * m.out_pixels * m.out_channels;
  const bool in_wide = m.in_channels % 4 == 0 && reinterpret_cast<uintptr_t>(in) % (4 * sizeof(T)) == 0;
  const bool out_wide = m.out_channels % 4 == 0 && reinterpret_cast<uintptr_t>(grad_out) % (4 * sizeof(T)) == 0;
  const int64_t in_pixel = int64_t(pair.plane) * m.in_pixels + int64_t(vs.begin) * m.in_width + us.begin;
  const int64_t out_pixel = int64_t(pair.scale) * m.out_pixels + int64_t(ys.begin) * m.out_width + xs.begin;
  const Lines<T> in_lines{in + t.image0 * in_step + in_pixel * m.in_channels + task.in0,
                          in_step,
                          m.in_width * m.in_channels,
                          m.in_channels,
                          t.images,
                          vs.count,
                          us.count,
                          m.in_channels - task.in0,
                          in_wide};
  const Lines<T> out_lines{grad_out + t.image0 * out_step + out_pixel * m.out_channels + task.out0,
                           out_step,
                           m.out_channels,
                           m.out_width * m.out_channels,
                           t.images,
                           xs.count,
                           ys.count,
                           m.out_channels - task.out0,
                           out_wide};
  line_pass<T, exact, 3>(
      in_lines, rows + m.rows.at(pair.scale, t.x_tile, task.row_group), m.rows.row_tiles(), m.rows.depth,
      {shared, reinterpret_cast<const int*>(shared + m.row_table), m.images, tv, image_bytes, kPitch<T>});
  line_pass<T, exact, 3>(out_lines, columns + m.columns.at(pair.scale, t.v_tile, task.column_group),
                         m.columns.row_tiles(), m.columns.depth,
                         {shared + m.out_operand, reinterpret_cast<const int*>(shared + m.column_table), m.images, tx,
                          image_bytes, tv * kPitch<T>});
}

/// Rows of the product, 16 per tile, and columns, 8 per tile, are channels of two modes in their natural order. Float
/// operands come word by word, straight into the registers of the fragments (wider loads would need moves).
template <class T, bool exact>
__device__ void accumulate(const MixingPlan& m, const char* shared,
                           float (&acc)[kGradientRowTiles][kGradientColumnTiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, mode_bytes = m.pixels * kPitch<T>;
  const char* rows = shared + warp / 2 * 2 * mode_bytes;
  const char* columns = shared + m.out_operand + warp % 2 * 2 * mode_bytes;
  constexpr int step = 32 / sizeof(T);
#pragma unroll 1
  for (int pixel = 0; pixel < m.pixels; pixel += step) {
    uint32_t a[kGradientRowTiles][4], w[kGradientColumnTiles][2];
    if constexpr (sizeof(T) == 2) {
      const char* at_rows = rows + (pixel + lane % 8 + lane / 16 * 8) * kPitch<T> + lane / 8 % 2 * 16;
      const char* at_columns = columns + (pixel + lane % 16) * kPitch<T> + lane / 16 * 16;
#pragma unroll
      for (int i = 0; i < kGradientRowTiles; ++i) load_transposed(a[i], at_rows + i / 2 * mode_bytes + i % 2 * 32);
#pragma unroll
      for (int j = 0; j < kGradientColumnTiles; j += 2) {
        uint32_t r[4];
        load_transposed(r, at_columns + j / 4 * mode_bytes + j % 4 * 16);
        w[j][0] = r[0], w[j][1] = r[1], w[j + 1][0] = r[2], w[j + 1][1] = r[3];
      }
    } else {
      const int at = (pixel + lane % 4) * kPitch<T> + lane / 4 * 4;
#pragma unroll
      for (int i = 0; i < kGradientRowTiles; ++i)
#pragma unroll
        for (int r = 0; r < 4; ++r)
          a[i][r] = *reinterpret_cast<const uint32_t*>(rows + i / 2 * mode_bytes + at + r / 2 * 4 * kPitch<T> +
                                                       i % 2 * 64 + r % 2 * 32);
#pragma unroll
      for (int j = 0; j < kGradientColumnTiles; ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          w[j][r] =
              *reinterpret_cast<const uint32_t*>(columns + j / 4 * mode_bytes + at + r * 4 * kPitch<T> + j % 4 * 32);
    }
#pragma unroll
    for (int i = 0; i < kGradientRowTiles; ++i)
#pragma unroll
      for (int j = 0; j < kGradientColumnTiles; ++j) multiply<T, exact>(acc[i][j], a[i], w[j][0], w[j][1]);
  }
}

/// Row of a bank (mode, t) -> byte offset of its pixel in an operand.
template <class T>
__device__ void fill_table(const LineBank& bank, int* table, int pixels, int t_pixels) {
  for (int i = threadIdx.x; i < bank.row_tiles() * 16; i += blockDim.x) {
    const int mode = i / bank.tile;
    table[i] = mode < bank.group ? (mode * pixels + (i - mode * bank.tile) * t_pixels) * kPitch<T> : -1;
  }
}

template <class T, bool exact>
__global__ void __launch_bounds__(kGradientThreads, 2)
    gradient_kernel(const __grid_constant__ MixingPlan m, const T* in, const float4* rows, const float4* columns,
                    const T* grad_out, float* partial) {
  char* shared = shared_memory();
  const GradientTask task = task_of(m, blockIdx.x, kChunk, kChunk);
  fill_table<T>(m.rows, reinterpret_cast<int*>(shared + m.row_table), m.pixels, m.columns.tile);
  fill_table<T>(m.columns, reinterpret_cast<int*>(shared + m.column_table), m.pixels, 1);
  // Modes and pixels that no pass writes are zero in both operands (a step of the product may reach beyond the pixels).
  for (int i = threadIdx.x; i < m.row_table / 16; i += blockDim.x)
    reinterpret_cast<uint4*>(shared)[i] = make_uint4(0, 0, 0, 0);
  float acc[kGradientRowTiles][kGradientColumnTiles][4] = {};
  for (int index = task.begin; index < task.end; ++index) {
    sync_block();
    both_passes<T, exact>(m, unit_of(m, task.pair0, index), task, in, grad_out, rows, columns, shared);
    sync_block();
    accumulate<T, exact>(m, shared, acc);
  }
  float4* out = reinterpret_cast<float4*>(partial + int64_t(blockIdx.x) * kGradientSums) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kGradientRowTiles; ++i)
#pragma unroll
    for (int j = 0; j < kGradientColumnTiles; ++j)
      out[(i * kGradientColumnTiles + j) * kGradientThreads] =
          make_float4(acc[i][j][0], acc[i][j][1], acc[i][j][2], acc[i][j][3]);
}

/// As the 2 x 2 warps wrote their sums.
struct TiledLayout {
  __host__ __device__ int count() const { return kGradientSums; }
  __device__ float read(const float* slice, int number) const { return slice[number]; }
  __device__ SumPlace place(int number) const {
    const int r = number % 4, lane = number / 4 % 32, warp = number / 128 % 4;
    const int column_tile = number / 512 % kGradientColumnTiles, row_tile = number / 512 / kGradientColumnTiles;
    return {warp / 2 * 2 + row_tile / 2, warp % 2 * 2 + column_tile / 4, row_tile % 2 * 16 + r / 2 * 8 + lane / 4,
            column_tile % 4 * 8 + lane % 4 * 2 + r % 2};
  }
};

template <class T, bool exact>
void run(const DeviceProblem& p, const MixingPlan& m, const void* in, const float4* rows, const float4* columns,
         const void* grad_out, float* partial, float* grad_mixing, cudaStream_t stream) {
  launch(gradient_kernel<T, exact>, int64_t(m.slices) * m.tiles(), kGradientThreads, m.shared_bytes, stream, m,
         static_cast<const T*>(in), rows, columns, static_cast<const T*>(grad_out), partial);
  add_slices(p, m, TiledLayout{}, kGradientSums, kChunk, kChunk, partial, grad_mixing, stream);
}

}  // namespace

void run_mixing_gradient(const DeviceProblem& p, const MixingPlan& m, const void* in, const float4* rows,
                         const float4* columns, const void* grad_out, float* partial, float* grad_mixing, DataType type,
                         Precision precision, cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<bf16, false>(p, m, in, rows, columns, grad_out, partial, grad_mixing, stream);
  else if (precision == Precision::tf32)
    run<float, false>(p, m, in, rows, columns, grad_out, partial, grad_mixing, stream);
  else
    run<float, true>(p, m, in, rows, columns, grad_out, partial, grad_mixing, stream);
}

}  // namespace scdcf::ops::cuda
