// What kernels compute in: numbers of bfloat16 in float32, others in their own type.
#pragma once

#include "scdcf/ops/cuda/machine/primitives.cuh"

namespace scdcf::ops::cuda {

template <class T>
struct ArithmeticOf {
  using Type = float;
};
template <>
struct ArithmeticOf<double> {
  using Type = double;
};
template <class T>
using Arithmetic = typename ArithmeticOf<T>::Type;

__device__ inline float widen(float x) { return x; }
__device__ inline double widen(double x) { return x; }
__device__ inline float widen(bf16 x) { return __bfloat162float(x); }
__device__ inline void narrow(float x, float& to) { to = x; }
__device__ inline void narrow(double x, double& to) { to = x; }
__device__ inline void narrow(float x, bf16& to) { to = __float2bfloat16(x); }

}  // namespace scdcf::ops::cuda
