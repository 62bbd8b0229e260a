// 16-bit operands of products.
//
// Half precision has the digits of TF32 and a narrow range: 2^-14 to 2^16, and 2^-24 with fewer digits. What is
// converted is therefore multiplied by a power of two: maps so that the largest number is just below 2^6, and numbers
// 2^-20 times as large keep all digits; factors so that a pass enlarges it 2^4 times at most, twice to 2^14. Where the
// mix comes between the passes (streamed.h), the mixing matrices are scaled so that its sums stay below 2^15. In full
// float32 an operand has two parts, its rounded value and what that leaves, and a product is three: about 2^-22.
#pragma once

#include <type_traits>

#include "scdcf/ops/cuda/machine/matrix_tiles.cuh"
#include "scdcf/ops/cuda/problem/magnitudes.h"

namespace scdcf::ops::cuda {

/// The maps' type and the parts of an operand.
template <class T_, int parts_>
struct Numbers {
  using T = T_;
  static constexpr int parts = parts_;
};

/// Calls visit(Numbers, channels of a block) with what a plan has; more than 64 channels: `widest` of them.
template <int widest = 64, class Visit>
void visit_numbers(DataType type, int parts, int wide, const Visit& visit) {
  const auto with = [&](auto numbers) {
    if (wide == 16) return visit(numbers, std::integral_constant<int, 16>());
    if (wide == 32) return visit(numbers, std::integral_constant<int, 32>());
    if (wide == 48) return visit(numbers, std::integral_constant<int, 48>());
    if constexpr (widest > 64 && decltype(numbers)::parts == 1) {
      if (wide == 96) return visit(numbers, std::integral_constant<int, 96>());
      if (wide == 128) return visit(numbers, std::integral_constant<int, 128>());
    }
    visit(numbers, std::integral_constant<int, 64>());
  };
  if (type == DataType::bfloat16) return with(Numbers<bf16, 1>());
  if (parts == 1) return with(Numbers<float, 1>());
  with(Numbers<float, 2>());
}

/// Calls visit(a number of the maps' type).
template <class Visit>
void visit_maps(DataType type, const Visit& visit) {
  if (type == DataType::bfloat16)
    visit(bf16{});
  else
    visit(float{});
}

/// The power of two that brings numbers up to `largest` (its bits) below 2^exponent; 1 where there is none.
__device__ inline float scale_below(uint32_t largest, int exponent) {
  const int e = static_cast<int>(largest >> 23 & 255);
  if (largest == 0 || e == 255) return 1.0f;
  const int biased = 253 + exponent - e;
  return bits_to_float(static_cast<uint32_t>(biased < 1 ? 1 : biased > 254 ? 254 : biased) << 23);
}

constexpr int kMapExponent = 6, kFactorExponent = 4, kMixingExponent = 10;

/// What numbers are multiplied by before they become operands.
struct Scales {
  float source, first, second, mixing, grad;
};

__device__ inline Scales scales_of(bool forward, int border_bits, const Magnitudes* m,
                                   int mixing_exponent = kMixingExponent) {
  if (m == nullptr) return {1, 1, 1, 1, 1};
  const uint32_t rows = m->row_factors, columns = m->column_factors;
  return {scale_below(forward ? m->in : m->grad_out, kMapExponent),
          scale_below(forward ? rows : columns, kFactorExponent - border_bits),
          scale_below(forward ? columns : rows, kFactorExponent - border_bits), scale_below(m->mixing, mixing_exponent),
          scale_below(m->grad_out, kMapExponent)};
}

/// T: the maps' type.
template <class T>
__device__ inline uint32_t pack_operands(float low, float high) {
  return sizeof(T) == 2 ? pack_bf16(low, high) : pack_half(low, high);
}

template <class T>
__device__ inline uint32_t pack_here(float low, float high) {
  return sizeof(T) == 2 ? pack_bf16_here(low, high) : pack_half_here(low, high);
}

/// d[16x8] += a[16x16] * b[16x8] of operands that have one part; `fresh`: without d.
template <class T>
__device__ inline void multiply_16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, bool fresh) {
  if constexpr (sizeof(T) == 2)
    fresh ? product_bf16(d, a, b0, b1) : mma_bf16(d, a, b0, b1);
  else
    fresh ? product_half(d, a, b0, b1) : mma_half(d, a, b0, b1);
}
/// d[16x8] += a[16x8] * b[8x8].
template <class T>
__device__ inline void multiply_8(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  sizeof(T) == 2 ? mma_bf16_8(d, a0, a1, b) : mma_half_8(d, a0, a1, b);
}

/// Two numbers as operands of `parts` parts.
template <class T, int parts>
__device__ inline void split_operands(float low, float high, uint32_t (&w)[parts]) {
  w[0] = pack_operands<T>(low, high);
  if constexpr (parts == 2) {
    const float2 rounded = unpack_half(w[0]);
    w[1] = pack_half(low - rounded.x, high - rounded.y);
  }
}

/// d[16x8] += a[16x16] * b[16x8].
template <class T, int parts>
__device__ inline void multiply_operands(float (&d)[4], const uint32_t (&a)[parts][4], const uint32_t (&b)[parts][2]) {
  if constexpr (sizeof(T) == 2) {
    mma_bf16(d, a[0], b[0][0], b[0][1]);
  } else if constexpr (parts == 1) {
    mma_half(d, a[0], b[0][0], b[0][1]);
  } else {
    float sum[4] = {};  // the tensor core cuts its sums off; added here they are rounded
    mma_half(sum, a[1], b[0][0], b[0][1]);
    mma_half(sum, a[0], b[1][0], b[1][1]);
    mma_half(sum, a[0], b[0][0], b[0][1]);
    for (int i = 0; i < 4; ++i) d[i] += sum[i];
  }
}

/// The sums of two neighbouring 8-column tiles as a left operand of 16 columns.
template <class T, int parts>
__device__ inline void sums_to_operand(const float (&d)[2][4], uint32_t (&a)[parts][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint32_t w[parts];
    split_operands<T, parts>(d[i / 2][i % 2 * 2], d[i / 2][i % 2 * 2 + 1], w);
#pragma unroll
    for (int part = 0; part < parts; ++part) a[part][i] = w[part];
  }
}

}  // namespace scdcf::ops::cuda
