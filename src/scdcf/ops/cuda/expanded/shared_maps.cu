#include "scdcf/ops/cuda/expanded/shared_maps.h"

#include "scdcf/ops/cuda/machine/arithmetic.cuh"

namespace scdcf::ops::cuda {
namespace {

constexpr int kThreads = 256;

/// Number `index` of [mixing][k][c][o] in [k][o][mixing][c].
__device__ int64_t turned(const DeviceProblem& p, int64_t index) {
  const int o = take_digit(index, p.out_channels), c = take_digit(index, p.in_channels),
            k = take_digit(index, p.mode_count);
  return ((int64_t(k) * p.out_channels + o) * p.mixings + index) * p.in_channels + c;
}

template <class T>
__global__ void turn_mixing_kernel(const __grid_constant__ DeviceProblem p, const float* mixing, T* matrices,
                                   int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (index < count) narrow(mixing[index], matrices[turned(p, index)]);
}

__global__ void turn_gradient_kernel(const __grid_constant__ DeviceProblem p, const float* sums, float* grad_mixing,
                                     int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (index < count) grad_mixing[index] = sums[turned(p, index)];
}

/// A block has a pixel's row of one image and scale, or one image and plane: row `line` of the maps.
struct MapLine {
  int image, map, line;
  __device__ MapLine(const DeviceProblem& p, int maps) {
    int rest = static_cast<int>(blockIdx.x);
    line = take_digit(rest, p.in_height), map = take_digit(rest, maps), image = rest;
  }
  __device__ int64_t pixel(const DeviceProblem& p, int maps, int which) const {
    return ((int64_t(image) * maps + which) * p.in_height + line) * p.in_width;
  }
};

template <class T>
__global__ void gather_kernel(const __grid_constant__ DeviceProblem p, const T* in, T* maps) {
  const MapLine at(p, p.scale_count);
  const ScaleEntry& scale = p.scales[at.map];
  for (int m = 0; m < p.mixings; ++m) {
    const T* plane = nullptr;
    for (int e = scale.source_begin; e < scale.source_end; ++e)
      if (p.sources[e].mixing == m) plane = in + at.pixel(p, p.planes, p.sources[e].plane) * p.in_channels;
    T* to = maps + (at.pixel(p, p.scale_count, at.map) * p.mixings + m) * p.in_channels;
    for (int i = threadIdx.x; i < p.in_width * p.in_channels; i += kThreads) {
      const int x = i / p.in_channels, c = i - x * p.in_channels;
      T* number = to + int64_t(x) * p.mixings * p.in_channels + c;
      if (plane == nullptr)
        narrow(0.0f, *number);
      else
        *number = plane[i];
    }
  }
}

template <class T>
__global__ void add_kernel(const __grid_constant__ DeviceProblem p, const T* maps, T* grad_in) {
  const MapLine at(p, p.planes);
  T* to = grad_in + at.pixel(p, p.planes, at.map) * p.in_channels;
  for (int i = threadIdx.x; i < p.in_width * p.in_channels; i += kThreads) {
    const int x = i / p.in_channels, c = i - x * p.in_channels;
    float sum = 0;
    for (int s = 0; s < p.scale_count; ++s)
      for (int e = p.scales[s].source_begin; e < p.scales[s].source_end; ++e)
        if (p.sources[e].plane == at.map)
          sum +=
              widen(maps[((at.pixel(p, p.scale_count, s) + x) * p.mixings + p.sources[e].mixing) * p.in_channels + c]);
    narrow(sum, to[i]);
  }
}

/// Calls go with a number of the type's kind.
template <class Go>
void by_type(DataType type, const Go& go) {
  if (type == DataType::bfloat16)
    go(bf16{});
  else
    go(float{});
}

int64_t numbers(const DeviceProblem& p) { return int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels; }

}  // namespace

void turn_mixing(const DeviceProblem& p, const float* mixing, void* matrices, DataType type, cudaStream_t stream) {
  by_type(type, [&](auto number) {
    using T = decltype(number);
    launch(turn_mixing_kernel<T>, divide_up(numbers(p), kThreads), kThreads, 0, stream, p, mixing,
           static_cast<T*>(matrices), numbers(p));
  });
}

void turn_gradient(const DeviceProblem& p, const float* sums, float* grad_mixing, cudaStream_t stream) {
  launch(turn_gradient_kernel, divide_up(numbers(p), kThreads), kThreads, 0, stream, p, sums, grad_mixing, numbers(p));
}

void gather_planes(const DeviceProblem& p, const void* in, void* maps, int images, DataType type, cudaStream_t stream) {
  by_type(type, [&](auto number) {
    using T = decltype(number);
    launch(gather_kernel<T>, int64_t(images) * p.scale_count * p.in_height, kThreads, 0, stream, p,
           static_cast<const T*>(in), static_cast<T*>(maps));
  });
}

void add_planes(const DeviceProblem& p, const void* maps, void* grad_in, int images, DataType type,
                cudaStream_t stream) {
  by_type(type, [&](auto number) {
    using T = decltype(number);
    launch(add_kernel<T>, int64_t(images) * p.planes * p.in_height, kThreads, 0, stream, p, static_cast<const T*>(maps),
           static_cast<T*>(grad_in));
  });
}

}  // namespace scdcf::ops::cuda
