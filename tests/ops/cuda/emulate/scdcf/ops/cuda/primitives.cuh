// CPU stand-in for primitives.cuh: every CUDA thread is a fiber, warp instructions and barriers are rendezvous.
// Shared memory starts as NaN and is exactly as large as asked for, so that address sanitizer sees overruns.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "scdcf/ops/cuda/device_limits.h"

#undef __launch_bounds__
#undef __grid_constant__
#define __launch_bounds__(...)
#define __grid_constant__

namespace scdcf::ops::cuda {

using bf16 = __nv_bfloat16;
using std::max;
using std::min;

struct Index {
  unsigned x = 0;
};
struct ThreadIndex {
  operator unsigned() const;
};
struct ThreadIdx {
  ThreadIndex x;
};
extern ThreadIdx threadIdx;
extern Index blockIdx, blockDim;

char* shared_memory();
void sync_block();
void sync_warp();
int lane_id();
struct WarpSlot {
  const uint32_t* a[32];
  uint32_t b0[32], b1[32];
  float* d[32];
  const char* row[32];
  uint32_t* r[32];
};
WarpSlot& warp_slot();
/// Calls work once when all 32 lanes have arrived.
void warp_collective(void (*work)(WarpSlot&));
void run_grid(const std::function<void()>& kernel, int64_t blocks, int threads, size_t shared);

inline float bits_to_float(uint32_t x) {
  float f;
  std::memcpy(&f, &x, 4);
  return f;
}
inline uint32_t float_to_bits(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return u;
}
inline int lowest_bit(uint32_t x) { return __builtin_ctz(x); }
inline uint32_t round_tf32(float x) { return (float_to_bits(x) + 0x1000u) & ~0x1fffu; }
inline float cut(uint32_t x) { return bits_to_float(x & ~0x1fffu); }
inline float half_of(uint32_t x, int i) { return bits_to_float(i ? x & 0xffff0000u : x << 16); }

/// The tensor core adds with more bits inside and cuts the result off.
inline float toward_zero(double x) {
  const float f = static_cast<float>(x);
  return std::fabs(f) > std::fabs(x) ? std::nextafter(f, 0.0f) : f;
}

/// Leaves the lane's operands and calls work once when all lanes have.
inline void warp_product(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, void (*work)(WarpSlot&)) {
  WarpSlot& s = warp_slot();
  const int l = lane_id();
  s.a[l] = a, s.b0[l] = b0, s.b1[l] = b1, s.d[l] = d;
  warp_collective(work);
}
/// sum(row, column) goes to its lane's number.
template <class Sum>
void add_sums(WarpSlot& w, const Sum& sum) {
  for (int row = 0; row < 16; ++row)
    for (int col = 0; col < 8; ++col) {
      float& d = w.d[row % 8 * 4 + col / 2][row / 8 * 2 + col % 2];
      d = toward_zero(d + sum(row, col));
    }
}

inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  warp_product(d, a, b0, b1, [](WarpSlot& w) {
    add_sums(w, [&](int row, int col) {
      double sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += double(cut(w.a[row % 8 * 4 + k % 4][row / 8 + k / 4 * 2])) * cut((k < 4 ? w.b0 : w.b1)[col * 4 + k % 4]);
      return sum;
    });
  });
}

/// d = a * b.
inline void product_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  for (float& x : d) x = 0;
  mma_tf32(d, a, b0, b1);
}

inline void store_16(void* to, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
  if (reinterpret_cast<uintptr_t>(to) % 16 != 0) throw std::runtime_error("store_16: misaligned");
  const uint32_t words[4] = {x, y, z, w};
  std::memcpy(to, words, sizeof words);
}
inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  warp_product(d, a, b0, b1, [](WarpSlot& w) {
    add_sums(w, [&](int row, int col) {
      double sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += double(half_of(w.a[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2], k % 2)) *
               half_of((k < 8 ? w.b0 : w.b1)[col * 4 + k % 8 / 2], k % 2);
      return sum;
    });
  });
}

/// Leaves the lane's row and calls work once when all lanes have.
inline void warp_load(uint32_t (&r)[4], const void* row, void (*work)(WarpSlot&)) {
  WarpSlot& s = warp_slot();
  const int l = lane_id();
  s.row[l] = static_cast<const char*>(row), s.r[l] = r;
  if (reinterpret_cast<uintptr_t>(row) % 16) throw std::runtime_error("ldmatrix row not aligned");
  warp_collective(work);
}

inline void load_matrices(uint32_t (&r)[4], const void* row) {
  warp_load(r, row, [](WarpSlot& w) {
    for (int t = 0; t < 32; ++t)
      for (int m = 0; m < 4; ++m) std::memcpy(&w.r[t][m], w.row[m * 8 + t / 4] + t % 4 * 4, 4);
  });
}

inline void load_transposed(uint32_t (&r)[4], const void* row) {
  warp_load(r, row, [](WarpSlot& w) {
    for (int t = 0; t < 32; ++t)
      for (int m = 0; m < 4; ++m)
        for (int i = 0; i < 2; ++i)
          std::memcpy(reinterpret_cast<char*>(&w.r[t][m]) + i * 2, w.row[m * 8 + t % 4 * 2 + i] + t / 4 * 2, 2);
  });
}

template <class... Params, class... Args>
void launch(void (*kernel)(Params...), int64_t blocks, int threads, size_t shared, cudaStream_t, Args... args) {
  run_grid([&] { kernel(args...); }, blocks, threads, shared);
}

}  // namespace scdcf::ops::cuda
