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

__device__ uint32_t largest_factor(const float* factors, const int* offset, const int* radius, int scales, int modes) {
  uint32_t largest = 0;
  for (int i = threadIdx.x; i < scales * modes; i += blockDim.x) {
    const int s = i / modes, taps = 2 * radius[s] + 1;
    float sum = 0;
    for (int t = 0; t < taps; ++t) sum += bits_to_float(magnitude(factors[offset[s] + i % modes * taps + t]));
    largest = max(largest, magnitude(sum));
  }
  return largest;
}

__global__ void magnitude_kernel(const __grid_constant__ MagnitudeParams p, const float* in, const float* grad_out,
                                 const float* factors, const float* mixing, Magnitudes* m) {
  keep_largest(&m->in, largest_of(in, p.in, p.blocks));
  keep_largest(&m->grad_out, largest_of(grad_out, p.grad_out, p.blocks));
  keep_largest(&m->mixing, largest_of(mixing, p.mixing, p.blocks));
  if (blockIdx.x > 0) return;
  keep_largest(&m->row_factors, largest_factor(factors, p.row_offset, p.radius, p.scales, p.row_modes));
  keep_largest(&m->column_factors, largest_factor(factors, p.column_offset, p.radius, p.scales, p.column_modes));
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
  q.blocks = static_cast<int>(std::clamp<int64_t>(divide_up(numbers, 256 * 16), 1, 4 * multiprocessors()));
  launch(magnitude_kernel, q.blocks, 256, 0, stream, q, in, grad_out, factors, mixing, magnitudes);
}

}  // namespace scdcf::ops::cuda
