// Tensor-core steps that kernels share, for one operand type T and one precision.
//
// `exact` splits every float32 operand in two TF32 halves and does three products (3xTF32), about 1e-6 relative.
#pragma once

#include "scdcf/ops/cuda/machine/primitives.cuh"

namespace scdcf::ops::cuda {

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(bf16 x) { return __bfloat162float(x); }

__device__ inline uint32_t pack_bf16(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<uint32_t*>(&pair);
}

__device__ inline uint32_t pack_half(float low, float high) {
  __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<uint32_t*>(&pair);
}
__device__ inline float2 unpack_half(uint32_t pair) { return __half22float2(*reinterpret_cast<__half2*>(&pair)); }

/// A number stored as an operand of the tf32 products of the 1-D passes.
template <bool exact>
__device__ inline float operand(float x) {
  return exact ? x : bits_to_float(round_tf32(x));
}

__device__ inline void split(uint32_t x, uint32_t& high, uint32_t& low) {
  high = round_tf32(bits_to_float(x));
  low = round_tf32(bits_to_float(x) - bits_to_float(high));
}

/// d += a * b on float32 bits (already rounded when not exact).
template <bool exact>
__device__ inline void multiply_float(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (exact) {
    uint32_t high[4], low[4], b0h, b0l, b1h, b1l;
    for (int i = 0; i < 4; ++i) split(a[i], high[i], low[i]);
    split(b0, b0h, b0l);
    split(b1, b1h, b1l);
    float sum[4] =
        {};  // the tensor core cuts its sums off; adding here rounds to nearest, so that long sums keep no bias
    mma_tf32(sum, low, b0h, b1h);
    mma_tf32(sum, high, b0l, b1l);
    mma_tf32(sum, high, b0h, b1h);
    for (int i = 0; i < 4; ++i) d[i] += sum[i];
  } else {
    mma_tf32(d, a, b0, b1);
  }
}

template <class T, bool exact>
__device__ inline void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (sizeof(T) == 2)
    mma_bf16(d, a, b0, b1);
  else
    multiply_float<exact>(d, a, b0, b1);
}

}  // namespace scdcf::ops::cuda
