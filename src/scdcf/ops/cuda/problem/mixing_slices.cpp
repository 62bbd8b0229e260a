#include "scdcf/ops/cuda/problem/mixing_slices.h"

#include <algorithm>

namespace scdcf::ops::cuda {

void MixingSlices::fill_pairs(const DeviceProblem& p) {
  mixings = p.mixings;
  int count = 0;
  for (int j = 0; j < p.mixings; ++j) {
    pair_begin[j] = static_cast<int16_t>(count);
    for (int s = 0; s < p.scale_count; ++s)
      for (int e = p.scales[s].source_begin; e < p.scales[s].source_end; ++e)
        if (p.sources[e].mixing == j)
          pairs[count++] = {static_cast<int16_t>(p.sources[e].plane), static_cast<int16_t>(s)};
  }
  pair_begin[p.mixings] = static_cast<int16_t>(count);
}

void MixingSlices::fill_slices(int tiles, int64_t units_per_pair, int blocks) {
  const int target = std::max(1, blocks / tiles);
  int64_t units = std::max<int64_t>(1, divide_up(units_per_pair * pair_begin[mixings], target));
  for (;; units += std::max<int64_t>(1, units / 64)) {
    int count = 0, used = 0;
    for (int j = 0; j < mixings; ++j) {
      const int64_t mine = units_per_pair * (pair_begin[j + 1] - pair_begin[j]);
      slice_begin[j] = static_cast<int16_t>(count);
      count += static_cast<int>(divide_up(mine, units));
      used += mine > 0;
    }
    slice_begin[mixings] = static_cast<int16_t>(count);
    slices = count;
    if (count <= std::max(target, used)) return;
  }
}

}  // namespace scdcf::ops::cuda
