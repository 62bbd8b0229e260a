// CPU stand-in for primitives.cuh: every CUDA thread is a fiber, warp instructions and barriers are rendezvous.
// Shared memory starts as NaN and is exactly as large as asked for, so that address sanitizer sees overruns.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "scdcf/ops/cuda/machine/device_limits.h"

#undef __launch_bounds__
#undef __grid_constant__
#undef __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __noinline__

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

inline void store_16(void* to, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
  if (reinterpret_cast<uintptr_t>(to) % 16 != 0) throw std::runtime_error("store_16: misaligned");
  const uint32_t words[4] = {x, y, z, w};
  std::memcpy(to, words, sizeof words);
}
inline double half_precision_of(uint32_t x, int i) {
  __half_raw raw;
  raw.x = static_cast<unsigned short>(i ? x >> 16 : x);
  return __half2float(__half(raw));
}
inline double bf16_of(uint32_t x, int i) { return half_of(x, i); }
/// d[16x8] += a[16x16] * b[16x8]; number(word, i) is one of the two of a word.
template <double (*number)(uint32_t, int)>
void product_16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  warp_product(d, a, b0, b1, [](WarpSlot& w) {
    add_sums(w, [&](int row, int col) {
      double sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += number(w.a[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2], k % 2) *
               number((k < 8 ? w.b0 : w.b1)[col * 4 + k % 8 / 2], k % 2);
      return sum;
    });
  });
}
/// d = a * b; and d[16x8] += a[16x8] * b[8x8].
template <double (*number)(uint32_t, int)>
void fresh_product_16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  for (float& x : d) x = 0;
  product_16<number>(d, a, b0, b1);
}
template <double (*number)(uint32_t, int)>
void product_8(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  const uint32_t a[4] = {a0, a1, 0, 0};
  product_16<number>(d, a, b, 0);
}
inline void mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  product_16<bf16_of>(d, a, b0, b1);
}
inline void mma_half(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  product_16<half_precision_of>(d, a, b0, b1);
}
inline void product_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  fresh_product_16<bf16_of>(d, a, b0, b1);
}
inline void product_half(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  fresh_product_16<half_precision_of>(d, a, b0, b1);
}
inline void mma_bf16_8(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) { product_8<bf16_of>(d, a0, a1, b); }
inline void mma_half_8(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  product_8<half_precision_of>(d, a0, a1, b);
}
inline uint32_t pack_half_here(float low, float high) {
  __half2 pair = __floats2half2_rn(low, high);
  uint32_t word;
  std::memcpy(&word, &pair, 4);
  return word;
}
inline uint32_t pack_bf16_here(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  uint32_t word;
  std::memcpy(&word, &pair, 4);
  return word;
}
inline void keep_largest(uint32_t* at, uint32_t x) { *at = std::max(*at, x); }

/// Leaves the lane's row and calls work once when all lanes have.
inline void warp_load(uint32_t (&r)[4], const void* row, void (*work)(WarpSlot&)) {
  WarpSlot& s = warp_slot();
  const int l = lane_id();
  s.row[l] = static_cast<const char*>(row), s.r[l] = r;
  if (reinterpret_cast<uintptr_t>(row) % 16) throw std::runtime_error("ldmatrix row not aligned");
  warp_collective(work);
}

inline uint32_t shared_at(const void* at) {
  return static_cast<uint32_t>(static_cast<const char*>(at) - shared_memory());
}
inline void load_transposed(uint32_t (&r)[4], uint32_t row) {
  warp_load(r, shared_memory() + row, [](WarpSlot& w) {
    for (int t = 0; t < 32; ++t)
      for (int m = 0; m < 4; ++m)
        for (int i = 0; i < 2; ++i)
          std::memcpy(reinterpret_cast<char*>(&w.r[t][m]) + i * 2, w.row[m * 8 + t % 4 * 2 + i] + t / 4 * 2, 2);
  });
}

inline void fetch_ahead(const void*) {}
inline void copy_async(void* to, const void* from) { std::memcpy(to, from, 16); }
inline void wait_copies() {}
inline void load_transposed(uint32_t (&r)[4], const void* row) { load_transposed(r, shared_at(row)); }

template <class... Params, class... Args>
void launch(void (*kernel)(Params...), int64_t blocks, int threads, size_t shared, cudaStream_t, Args... args) {
  run_grid([&] { kernel(args...); }, blocks, threads, shared);
}

}  // namespace scdcf::ops::cuda
