// Factors and matrices as operands of 16-bit products, in the order in which the lanes of a warp hold them.
#pragma once

#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/problem/line_bank.h"

namespace scdcf::ops::cuda {

/// Number i of a lane's eight of a left operand of 16 x 16: its row and column.
__device__ inline int fragment_row(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
__device__ inline int fragment_column(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }

/// Word `index` of a bank's fragments (line_bank.h), all scales; four of them are a lane's.
template <class T>
__device__ uint32_t bank_word(const LineBank& b, const FactorPlaces& places, const float* factors, float scale,
                              int index) {
  const int word = take_digit(index, 4);
  const int lane = take_digit(index, 32);
  const int step = take_digit(index, b.steps());
  const int row_tile = take_digit(index, b.row_tiles());
  const int mode_group = take_digit(index, b.groups);
  const int tile = take_digit(index, b.tiles);
  const int s = index, radius = places.radius[s], pitch = b.own_tiles ? 16 : b.tile;
  const int row = row_tile * 16 + fragment_row(lane, 2 * word), in_group = row / pitch,
            mode = mode_group * b.group + in_group;
  if (in_group >= b.group || mode >= b.modes) return 0;
  const float* taps = factors + places.offset[s] + mode * (2 * radius + 1);
  const int target = row - in_group * pitch, source = step * 16 + fragment_column(lane, 2 * word);
  return pack_operands<T>(scale * b.weight(taps, radius, tile, target, source),
                          scale * b.weight(taps, radius, tile, target, source + 1));
}

}  // namespace scdcf::ops::cuda
