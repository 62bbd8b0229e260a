#include "scdcf/ops/cuda/problem/magnitudes.h"

#include <algorithm>

#include "scdcf/ops/cuda/machine/primitives.cuh"

namespace scdcf::ops::cuda {
namespace {

struct MagnitudeParams {
  int64_t in, grad_out, mixing;  // numbers
  int blocks, scales, row_modes, column_modes;
  int radius[kMaxScales], row_offset[kMaxScales], column_offset[kMaxScales];
};

__device__ inline uint32_t magnitude(float x) { return float_to_bits(x) & 0x7fffffffu; }

/// Of the numbers that are this thread's: four at a time where they begin at a round address.
__device__ uint32_t largest_of(const float* x, int64_t count, int blocks) {
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(blocks) * blockDim.x;
  uint32_t largest = 0;
  const int64_t fours = reinterpret_cast<uintptr_t>(x) % 16 == 0 ? count / 4 : 0;
#pragma unroll 4
  for (int64_t i = first; i < fours; i += step) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    largest = max(max(largest, max(magnitude(v.x), magnitude(v.y))), max(magnitude(v.z), magnitude(v.w)));
  }
  for (int64_t i = fours * 4 + first; i < count; i += step) largest = max(largest, magnitude(x[i]));
  return largest;
}

/// Of the factors that are this thread's of so many.
__device__ uint32_t largest_factor(const float* factors, const int* offset, const int* radius, int count, int modes,
                                   int thread, int threads) {
  uint32_t largest = 0;
  for (int i = thread; i < count; i += threads) {
    const int s = i / modes, taps = 2 * radius[s] + 1;
    float sum = 0;
#pragma unroll 8
    for (int t = 0; t < taps; ++t) sum += bits_to_float(magnitude(factors[offset[s] + i % modes * taps + t]));
    largest = max(largest, magnitude(sum));
  }
  return largest;
}

constexpr int kThreads = 256, kKinds = sizeof(Magnitudes) / sizeof(uint32_t);

/// Blocks of the maps and matrices, and one of the factors. Each tells what it found once: thousands of warps that wait
/// for one word took longer than the reading.
__global__ void magnitude_kernel(const __grid_constant__ MagnitudeParams p, const float* in, const float* grad_out,
                                 const float* factors, const float* mixing, Magnitudes* m) {
  auto* of_block = reinterpret_cast<uint32_t*>(shared_memory());
  auto* largest = reinterpret_cast<Magnitudes*>(of_block);
  if (threadIdx.x < kKinds) of_block[threadIdx.x] = 0;
  sync_block();
  if (blockIdx.x < p.blocks) {
    keep_largest(&largest->in, largest_of(in, p.in, p.blocks));
    keep_largest(&largest->grad_out, largest_of(grad_out, p.grad_out, p.blocks));
    keep_largest(&largest->mixing, largest_of(mixing, p.mixing, p.blocks));
  } else {
    const int half = kThreads / 2, thread = threadIdx.x % half;
    if (threadIdx.x < half)
      keep_largest(&largest->row_factors,
                   largest_factor(factors, p.row_offset, p.radius, p.scales * p.row_modes, p.row_modes, thread, half));
    else
      keep_largest(&largest->column_factors, largest_factor(factors, p.column_offset, p.radius,
                                                            p.scales * p.column_modes, p.column_modes, thread, half));
  }
  sync_block();
  const int kind = threadIdx.x / 32;
  if (kind < kKinds) keep_largest(reinterpret_cast<uint32_t*>(m) + kind, of_block[kind]);
}

}  // namespace

void measure_magnitudes(const DeviceProblem& p, const float* in, const float* grad_out, const float* factors,
                        const float* mixing, Magnitudes* magnitudes, cudaStream_t stream) {
  MagnitudeParams q{};
  if (in != nullptr) q.in = int64_t(p.batch) * p.planes * p.in_height * p.in_width * p.in_channels;
  if (grad_out != nullptr) q.grad_out = int64_t(p.batch) * p.scale_count * p.out_height * p.out_width * p.out_channels;
  if (mixing != nullptr) q.mixing = int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels;
  q.scales = p.scale_count, q.row_modes = p.row_modes, q.column_modes = p.column_modes;
  for (int s = 0; s < p.scale_count; ++s) {
    q.radius[s] = p.scales[s].radius;
    q.row_offset[s] = p.scales[s].row_offset, q.column_offset[s] = p.scales[s].column_offset;
  }
  check(cudaMemsetAsync(magnitudes, 0, sizeof(Magnitudes), stream), "clear");
  const int64_t numbers = q.in + q.grad_out + q.mixing;
  q.blocks = static_cast<int>(std::clamp<int64_t>(divide_up(numbers, kThreads * 16), 1, 8 * multiprocessors()));
  launch(magnitude_kernel, q.blocks + 1, kThreads, sizeof(Magnitudes), stream, q, in, grad_out, factors, mixing,
         magnitudes);
}

}  // namespace scdcf::ops::cuda
