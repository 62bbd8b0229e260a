// One step of a pass on tensor cores: a fragment of the factor's matrix times a unit of 32 columns, four products of 8.
#pragma once

#include "scdcf/ops/cuda/machine/matrix_tiles.cuh"

namespace scdcf::ops::cuda {

constexpr int kUnit = 32;  // columns

/// The right operands of a step, of 16 bits; `from` is the lane's first source and column.
__device__ inline void load_transposed_step(uint32_t (&b)[4][2], const bf16* from) {
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    uint32_t r[4];
    load_transposed(r, from + j * 8);
    b[j][0] = r[0], b[j][1] = r[1], b[j + 1][0] = r[2], b[j + 1][1] = r[3];
  }
}

/// d += fragment * b.
template <class T>
__device__ inline void multiply_step(float (&d)[4][4], const uint4& fragment, const uint32_t (&b)[4][2]) {
  const uint32_t a[4] = {fragment.x, fragment.y, fragment.z, fragment.w};
#pragma unroll
  for (int j = 0; j < 4; ++j) multiply<T, false>(d[j], a, b[j][0], b[j][1]);
}

}  // namespace scdcf::ops::cuda
