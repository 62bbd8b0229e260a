// Factors and matrices as operands of 16-bit products, in the order in which the lanes of a warp hold them.
#pragma once

#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/problem/line_bank.h"

namespace scdcf::ops::cuda {

/// Number i of a lane's eight of a left operand of 16 x 16: its row and column.
__device__ inline int fragment_row(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
__device__ inline int fragment_column(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }

/// Eight numbers as four words, part `part` of them.
template <class T, int parts>
__device__ uint4 pack_eight(const float (&x)[8], int part) {
  uint32_t words[4];
  for (int i = 0; i < 4; ++i) {
    uint32_t w[parts];
    split_operands<T, parts>(x[2 * i], x[2 * i + 1], w);
    words[i] = w[part];
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Word `index` of a bank's fragments (line_bank.h), all scales.
template <class T>
__device__ uint4 bank_fragment(const LineBank& b, const FactorPlaces& places, const float* factors, float scale,
                               int64_t index) {
  const int lane = take_digit(index, 32);
  const int step = take_digit(index, b.steps());
  const int row_tile = take_digit(index, b.row_tiles());
  const int mode_group = take_digit(index, b.groups);
  const int tile = take_digit(index, b.tiles);
  const int s = static_cast<int>(index), radius = places.radius[s], pitch = b.own_tiles ? 16 : b.tile;
  float x[8];
  for (int i = 0; i < 8; ++i) {
    const int row = row_tile * 16 + fragment_row(lane, i), in_group = row / pitch,
              mode = mode_group * b.group + in_group;
    x[i] = in_group < b.group && mode < b.modes
               ? scale * b.weight(factors + places.offset[s] + mode * (2 * radius + 1), radius, tile,
                                  row - in_group * pitch, step * 16 + fragment_column(lane, i))
               : 0.0f;
  }
  return pack_eight<T, 1>(x, 0);
}

}  // namespace scdcf::ops::cuda
